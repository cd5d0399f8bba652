"""Runs cfn-lint and pcsguard on the same templates and writes docs/inputs/cfn-lint.md.

``python tools/compare_with_cfn_lint.py .venv-cfnlint/bin/cfn-lint``, in the environment that ``make compare``
makes. The templates are the BAD fragments of all rules, each made a complete node group of one template, and the public
templates of the corpus that have lifecycle actions, where there is a corpus (see tests/conftest.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import model, render, render_source  # noqa: E402
from support.groups import COMPLETE, complete  # noqa: E402

from pcs_policies.document import NodeGroup  # noqa: E402
from pcs_policies.rules.fragments import Fragment, Tree  # noqa: E402
from pcs_policies.rules.table import RULES, Rule  # noqa: E402
from pcs_policies.settings import Settings  # noqa: E402
from pcs_policies.sources.detect import open_document  # noqa: E402
from pcs_policies.sources.kinds import CLOUDFORMATION, CLOUDFORMATION_TYPE  # noqa: E402

PAGE = ROOT / "docs" / "inputs" / "cfn-lint.md"
CORPUS = Path(os.environ.get("PCSGUARD_CORPUS") or ROOT.parent / "shared" / "corpus") / "cfn"
REGION = "us-east-1"
UNUSED = frozenset({"W2001"})
"""A parameter that nothing refers to: of the renderer's making."""

INTRODUCTION = """\
# CloudFormation templates: cfn-lint and pcsguard

cfn-lint checks a template against AWS's schemas; pcsguard judges what the scripts in it will do to the nodes. They find
different things, so run both. This page is written by `make compare`, which runs the two for real: {version} with its
default checks for {region}, and pcsguard {own} with all of its rules.
"""


class Linter:
    """The real cfn-lint."""

    def __init__(self, command: str) -> None:
        self._command = command
        self.version = self._run("--version").strip()

    def matches(self, template: Path) -> list[dict[str, Any]]:
        """What it says of a template: ``Rule.Id``, ``Location.Path`` and more for each."""
        found: list[dict[str, Any]] = json.loads(
            self._run("--template", str(template), "--format", "json", "--regions", REGION)
        )
        return found

    def _run(self, *arguments: str) -> str:
        done = subprocess.run([self._command, *arguments], capture_output=True, text=True, check=False)
        assert done.stdout, done.stderr
        return done.stdout


def smells() -> Iterator[tuple[str, Rule, Fragment]]:
    """The BAD fragments that a template can hold, by a name for their group."""
    for rule in RULES:
        if not rule.needs <= CLOUDFORMATION.carries:
            continue
        for index, fragment in enumerate(rule.module.BAD):
            tree = group_of(fragment)
            carried = render.is_known(tree) and model.carries(CLOUDFORMATION, tree, CLOUDFORMATION_TYPE)
            if fragment.before is None and carried and pcsguard_finds(rule, fragment):
                yield f"{rule.id}x{index}", rule, fragment


def group_of(fragment: Fragment) -> Tree:
    """The fragment as a complete group, but for the members that it is about by their absence."""
    absent = {path for path in fragment.at if path in COMPLETE and path not in fragment.group}
    return {name: member for name, member in complete(**fragment.group).items() if name not in absent}


def pcsguard_finds(rule: Rule, fragment: Fragment) -> bool:
    """Whether the rule judges what a template says: some fragments are about a provider that has more."""
    text = render_source.cloudformation_json({"Group": group_of(fragment)})
    (group,) = groups_in(text.encode())
    return any(entry[0] == rule.id for entry in model.found(CLOUDFORMATION, group, fragment.settings))


def groups_in(template: bytes) -> list[NodeGroup]:
    """The node groups of a template that is known to be valid."""
    return [group for group in open_document(template, "template").groups if isinstance(group, NodeGroup)]


def by_group(matches: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """The rules of cfn-lint that complain of each resource."""
    found: dict[str, set[str]] = {}
    for match in matches:
        path = match["Location"]["Path"] or []
        # Anything else is about the template as a whole; the comparison would not be fair then.
        assert path[:1] == ["Resources"] or match["Rule"]["Id"] in UNUSED, match
        if path[:1] == ["Resources"]:
            found.setdefault(path[1], set()).add(match["Rule"]["Id"])
    return found


def page(linter: Linter) -> str:
    own = subprocess.run(
        [Path(sys.executable).with_name("pcsguard"), "--version"], capture_output=True, text=True, check=True
    )
    parts = [
        INTRODUCTION.format(version=linter.version, region=REGION, own=own.stdout.split()[-1]),
        *_of_fragments(linter),
        *_of_corpus(linter),
    ]
    return "\n".join(parts)


def _of_fragments(linter: Linter) -> Iterator[str]:
    cases = list(smells())
    groups = {name: group_of(fragment) for name, _, fragment in cases}
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder) / "template.yaml"
        template.write_text(render_source.cloudformation_yaml({"Clean": COMPLETE, **groups}), encoding="utf-8")
        said = by_group(linter.matches(template))
    assert "Clean" not in said, f"a group without a fault is refused: {said['Clean']}"
    accepted = sum(name not in said for name in groups)
    yield (
        "## The faults that pcsguard's rules are about\n\n"
        f"Each of pcsguard's rules comes with faulty examples. Of {len(cases)} that fit into a template, each in a\n"
        f"node group of its own that is complete otherwise, cfn-lint accepts {accepted} without a word.\n\n"
        "| rule | faulty examples | cfn-lint accepts | where it does not, it says |\n|---|---|---|---|"
    )
    for rule in RULES:
        names = [name for name, other, _ in cases if other is rule]
        if names:
            words = sorted(set().union(*(said.get(name, set()) for name in names)))
            count = sum(name not in said for name in names)
            link = f"[{rule.id}](../rules/{rule.id}.md) {rule.title}"
            yield f"| {link} | {len(names)} | {count or 'none'} | {', '.join(words)} |"
    yield ""


def _of_corpus(linter: Linter) -> Iterator[str]:
    found = [path for path in sorted(CORPUS.glob("*.yaml")) if b"NodeLifecycleActions:" in path.read_bytes()]
    if not found:
        return
    yield "## Public templates with lifecycle actions\n"
    for path in found:
        said = Counter(match["Rule"]["Id"] for match in linter.matches(path))
        judged: Counter[str] = Counter()
        for group in groups_in(path.read_bytes()):
            entries = model.found(CLOUDFORMATION, group, Settings())
            judged.update(rule for rule, verdict, _ in entries if verdict == "fail")
        repository, _, file = path.name.partition("__")
        yield f"`{file.replace('__', '/')}` of {repository}:\n"
        yield f"- cfn-lint: {_counted(said)}"
        yield f"- pcsguard: {_counted(judged)}\n"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} x {name}" for name, count in sorted(counts.items())) or "nothing"


def main() -> int:
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(Linter(sys.argv[1])).rstrip() + "\n", encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
