"""The repository itself: what may be committed, and dependencies that are bounded, locked and explained."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import check_repository

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# Joined at run time: this file is checked as well.
INDEX = "https://pypi" + ".org/simple"
LEFTOVER = "TO" + "DO"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        pytest.param(f"see {INDEX}/x", "names the package registry pypi" + ".org", id="registry"),
        pytest.param(f"see {INDEX.upper()}", "names the package registry PYPI" + ".ORG", id="in-capitals"),
        pytest.param("file://" + "/opt/wheels", "names the package registry file:/", id="local-registry"),
        pytest.param("cd /wo" + "rk/main", "/wo" + "rk is a path of one machine", id="work-folder"),
        pytest.param('"/ro' + 'ot/.cache"', "/ro" + "ot is a path of one machine", id="home-of-root"),
        pytest.param("in /ho" + "me/ana", "/ho" + "me/ana is a path of one machine", id="home-of-a-user"),
        pytest.param(f"# {LEFTOVER}: later", f"{LEFTOVER} without an issue", id="leftover"),
    ],
)
def test_line_is_refused(line: str, problem: str) -> None:
    (found,) = check_repository.check_text("docs/a.md", f"fine\n{line}\n")
    assert str(found).startswith(f"docs/a.md:2: {problem}")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("registry.terraform.io/hashicorp/awscc", id="provider-source"),
        pytest.param("s3://bucket/work/mount.sh", id="work-in-a-location"),
        pytest.param("https://example.com/root/x", id="root-in-a-location"),
        pytest.param("$HOME/work/x and ../work/x", id="relative-to-a-variable"),
        pytest.param("/rootfs, /workers, /home", id="other-folders"),
        pytest.param(f"# {LEFTOVER}(#12): later", id="leftover-with-an-issue"),
        pytest.param("mktemp /tmp/a.XXXXXX", id="template-of-mktemp"),
        pytest.param("--find-links elsewhere", id="registry-option-outside-requirements"),
    ],
)
def test_line_is_accepted(line: str) -> None:
    assert list(check_repository.check_text("docs/a.md", line)) == []


@pytest.mark.parametrize("option", ["--index-url x", "--extra-index-url x", "--find-links x", "-i x", "-f x"])
def test_requirements_choose_no_registry(option: str) -> None:
    (found,) = check_repository.check_text("requirements/main.txt", option)
    assert "chooses a registry" in found.text


@pytest.mark.parametrize(
    ("path", "problems"),
    [
        ("uv.lock", 1),
        ("examples/uv.lock", 1),
        ("tests/policies/__init__.py", 1),
        ("contract/pcs_contract/__init__.py", 0),
    ],
)
def test_path(path: str, problems: int) -> None:
    assert len(list(check_repository.check_path(path))) == problems


def test_binary_file_is_judged_by_its_place_only(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\xff\xfe" + INDEX.encode())
    assert list(check_repository.check(tmp_path, ["a.bin"])) == []


def test_only_files_that_git_would_commit_are_judged(tmp_path: Path) -> None:
    git("init", "--quiet", cwd=tmp_path)
    for name in (".gitignore", "tracked", "deleted", "untracked", "ignored"):
        (tmp_path / name).write_text("ignored\n", encoding="utf-8")
    git("add", "tracked", "deleted", cwd=tmp_path)
    (tmp_path / "deleted").unlink()
    (tmp_path / "link").symlink_to("tracked")
    assert check_repository.committable(tmp_path) == [".gitignore", "tracked", "untracked"]


def git(*arguments: str, cwd: Path) -> None:
    subprocess.run(["git", *arguments], cwd=cwd, check=True)


class Dependency(NamedTuple):
    name: str
    bounds: str
    used_for: str


def parse(requirement: str, used_for: str) -> Dependency:
    start_of_bounds = re.search(r"[<>=!~]|$", requirement)
    assert start_of_bounds
    name, bounds = requirement[: start_of_bounds.start()], requirement[start_of_bounds.start() :]
    return Dependency(name, bounds, used_for)


def declared() -> list[Dependency]:
    project = PYPROJECT["project"]
    tables = {
        "build": PYPROJECT["build-system"]["requires"],
        "base": project["dependencies"],
        **project["optional-dependencies"],
        **PYPROJECT["dependency-groups"],
    }
    return [
        parse(requirement, used_for)
        for used_for, requirements in tables.items()
        for requirement in requirements
        if isinstance(requirement, str) and not requirement.startswith("pcsguard[")
    ]


def documented() -> list[Dependency]:
    table = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| ([\w-]+) \| `([^`]+)` \| \S.* \|$", table, re.MULTILINE)
    return [Dependency(name, bounds, used_for) for name, used_for, bounds in rows]


def test_every_dependency_is_explained() -> None:
    assert sorted(documented()) == sorted(declared())


@pytest.mark.parametrize("dependency", declared(), ids=lambda d: f"{d.used_for}-{d.name}")
def test_dependency_is_bounded_on_both_sides(dependency: Dependency) -> None:
    assert re.fullmatch(r">=[\d.]+,<[\d.]+", dependency.bounds)


NPM = ("package.json", "tools/cdktn/package.json")


def from_npm(path: str) -> dict[str, str]:
    package = json.loads((ROOT / path).read_text(encoding="utf-8"))
    return {**package["dependencies"], **package.get("optionalDependencies", {})}


def test_every_package_of_npm_is_explained() -> None:
    table = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| \S.* \|$", table, re.MULTILINE)
    assert sorted(documented) == sorted(entry for path in NPM for entry in from_npm(path).items())


@pytest.mark.parametrize("path", NPM)
def test_packages_of_npm_are_locked_with_hashes_and_without_addresses(path: str) -> None:
    lock = json.loads((ROOT / path).with_name("package-lock.json").read_text(encoding="utf-8"))["packages"]
    root = lock.pop("")
    assert {**root["dependencies"], **root.get("optionalDependencies", {})} == from_npm(path)
    # What a package brings along is under its hash.
    fetched = {name: entry for name, entry in lock.items() if not entry.get("inBundle")}
    assert [name for name, entry in fetched.items() if not entry["integrity"].startswith("sha512-")] == []
    assert [name for name, entry in lock.items() if "resolved" in entry] == []


LOCKED_IN = {
    "base": ["main", "checkov", "action"],
    "test": ["main", "checkov"],
    "checkov": ["checkov"],
    "hcl": ["main", "action"],
    "cfn": ["main", "action"],
    "action": ["action"],
    "site": ["site"],
    "checkov-oldest": ["checkov-oldest"],
    "bench": ["bench"],
    "fuzz": ["fuzz"],
    "cfnlint": ["cfnlint"],
    "bootstrap": ["uv"],
}
# The build backend is locked as a dependency of dev.
NOT_LOCKED = {"build"}


@pytest.mark.parametrize(
    ("lock", "name"),
    sorted(
        {  # a package may serve several extras
            (lock, dependency.name)
            for dependency in declared()
            if dependency.used_for not in NOT_LOCKED
            for lock in LOCKED_IN.get(dependency.used_for, ["main"])
        }
    ),
)
def test_dependency_is_locked(lock: str, name: str) -> None:
    locked = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    assert re.search(rf"^{re.escape(name.partition('[')[0])}==", locked, re.MULTILINE), "run `make lock`"


@pytest.mark.parametrize("lock", ["main", "checkov", "action", "site", "uv"])
def test_locked_packages_carry_hashes(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    entries = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)[1:]
    assert [entry.partition(" ")[0] for entry in entries if "--hash=sha256:" not in entry] == []
