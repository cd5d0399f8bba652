"""Checks what may be committed: nothing that ties it to one machine or registry, no unfinished thought.

Run by ``make lint``. Looks at every file that git tracks or would add, and prints
``file:line: what, and what to do``.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

# Joined here, so that this file passes its own check.
_REGISTRY_HOSTS = tuple(
    ".".join(labels)
    for labels in (
        ("pypi", "org"),
        ("files", "pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("registry", "yarnpkg", "com"),
        ("deb", "debian", "org"),
        ("ftp", "debian", "org"),
        ("security", "debian", "org"),
        ("snapshot", "debian", "org"),
        ("archive", "ubuntu", "com"),
        ("crates", "io"),
        ("proxy", "golang", "org"),
    )
)
_LOCAL_REGISTRY = "file://" + "/opt/"
_REGISTRY = re.compile("|".join(map(re.escape, (*_REGISTRY_HOSTS, _LOCAL_REGISTRY))), re.IGNORECASE)
_REGISTRY_OPTION = re.compile(r"\s*(--(?:extra-)?index-url|--find-links|-[if])\b")
# A folder of one machine, at the start of a path: `https://host/work/x` and `$HOME/work/x` are not.
_MACHINE_PATH = re.compile(r"(?<![\w.$}/*~-])/(?:work|root|home/[A-Za-z_][\w.-]*)(?=/|\b)(?![\w.-])")
_LEFTOVER = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)) + r")\b(?!.*#\d)")


class Problem(NamedTuple):
    """One thing that may not be committed. ``line`` is 0 when it is the file itself."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.text}"


def check_path(path: str) -> Iterator[Problem]:
    """Judge a file by its place, a path relative to the repository with forward slashes."""
    pure = PurePosixPath(path)
    if pure.name == "uv.lock":
        yield Problem(path, 0, "holds registry addresses; remove it, `make lock` writes requirements/")
    if pure.name == "__init__.py" and pure.parts[0] == "tests":
        yield Problem(path, 0, "tests are not packages (pytest imports by path); remove it")


def check_text(path: str, text: str) -> Iterator[Problem]:
    """Judge the lines of a file."""
    requirements = PurePosixPath(path).parts[0] == "requirements"
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _REGISTRY.search(line):
            yield Problem(path, number, f"names the package registry {found[0]}; name the package only")
        if requirements and (found := _REGISTRY_OPTION.match(line)):
            yield Problem(path, number, f"{found[1]} chooses a registry; leave that to the user's settings")
        if found := _MACHINE_PATH.search(line):
            yield Problem(path, number, f"{found[0]} is a path of one machine; make it relative")
        if found := _LEFTOVER.search(line):
            yield Problem(path, number, f"{found[1]} without an issue; do it or name one: {found[1]}(#12)")


def check(root: Path, paths: Iterable[str]) -> Iterator[Problem]:
    """Judge files of the repository at ``root``; binary ones by their place only."""
    for path in paths:
        yield from check_path(path)
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        yield from check_text(path, text)


def committable(root: Path) -> list[str]:
    """List the files that git tracks or would add, without links and without those deleted since."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    paths = sorted(set(listing.split("\0")) - {""})
    return [path for path in paths if (root / path).is_file() and not (root / path).is_symlink()]


def main() -> int:
    """Print the problems of the repository this file is in; 1 when there are any."""
    root = Path(__file__).resolve().parent.parent
    paths = committable(root)
    problems = list(check(root, paths))
    for problem in problems:
        print(problem)
    print(f"Repository: {len(paths)} files, {len(problems)} problems.")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
