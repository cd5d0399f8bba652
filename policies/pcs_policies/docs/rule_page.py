"""The page of a rule: what its docstring says, its fragments as HCL, and what pcsguard prints for them."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from pcs_contract.record import Record
from pcs_policies.config_keys import KEYS
from pcs_policies.docs import markdown, toml
from pcs_policies.engine import run
from pcs_policies.reports import text
from pcs_policies.rules import doc
from pcs_policies.rules.example import document
from pcs_policies.rules.fragments import Fragment
from pcs_policies.rules.hcl_example import AWSCC, hcl
from pcs_policies.rules.table import Rule
from pcs_policies.sources.inputs import Opened
from pcs_policies.sources.kinds import KINDS
from pcs_policies.sources.reading import Reading

NEEDS = {
    "change": "needs an input that tells what is about to change (a plan)",
    "source": "needs source code (what is in a plan or a state, the provider has)",
    "stated": "needs an input that tells what the author wrote (a plan or source code, not a state)",
}
"""What a rule may need of an input, for people."""


class Block(Record):
    """A piece of code of an example; the title is empty where there is just one piece."""

    title: str
    language: str
    text: str


def bad(rule: Rule) -> tuple[Fragment, ...]:
    return tuple(getattr(rule.module, "BAD", ()))


def good(rule: Rule) -> tuple[Fragment, ...]:
    return tuple(getattr(rule.module, "GOOD", ()))


def _resource_type(rule: Rule) -> str | None:
    """The resource type of a rule's examples; ``None`` for one that can hold them."""
    return AWSCC if "source" in rule.needs else None  # the author's own text may say what no provider takes


def blocks(rule: Rule, fragment: Fragment) -> Iterator[Block]:
    """The code of an example: the configuration that it needs, the group before a change, and the group."""
    kind = _resource_type(rule)
    configuration = toml.changed(fragment.settings)
    if configuration:
        yield Block("with this configuration", "toml", configuration)
    if fragment.before is not None:
        yield Block("before", "hcl", hcl(fragment.before, kind))
    yield Block("now" if configuration or fragment.before is not None else "", "hcl", hcl(fragment.group, kind))


def printed(rule: Rule, fragment: Fragment) -> str:
    """What ``pcsguard check --quiet`` prints when it runs just this rule on just this fragment."""
    kind = next(kind for kind in KINDS if rule.needs <= kind.carries)
    group = document(fragment, _resource_type(rule), planned="change" in kind.carries)
    result = run([Opened("", Reading(kind, iter([group])))], (rule,), fragment.settings)
    out = StringIO()
    text.write(result, fragment.settings, out, quiet=True)
    return out.getvalue().strip("\n")


def page(rule: Rule) -> str:
    """The whole page."""
    return markdown.document(_parts(rule))


def _parts(rule: Rule) -> Iterator[str]:
    told = doc.parse(rule.module.__doc__)
    file = rule.module.__name__.rsplit(".", 1)[-1]
    yield markdown.generated(f"{file}.py")
    yield f"# {rule.id} {rule.title}\n"
    yield markdown.paragraph(told.summary)
    facts = "; ".join((f"Severity: **{rule.severity.value}**", *(NEEDS[need] for need in sorted(rule.needs))))
    yield markdown.paragraph(f"{facts}.")
    for section in told.sections:
        yield f"## {section.heading}\n"
        yield from map(markdown.paragraph, section.paragraphs)
    if bad(rule) or good(rule):
        yield "## Examples\n"
        yield markdown.paragraph("They show just what the rule looks at; a whole node group has more.")
    for fragment in bad(rule):
        yield f"### Bad: {fragment.title}\n"
        yield from _code(rule, fragment)
        yield "pcsguard says:\n"
        yield markdown.code("text", printed(rule, fragment))
    for fragment in good(rule):
        yield f"### Good: {fragment.title}\n"
        yield from _code(rule, fragment)
    yield from _configure(rule)


def _code(rule: Rule, fragment: Fragment) -> Iterator[str]:
    for block in blocks(rule, fragment):
        if block.title:
            yield f"{block.title.capitalize()}:\n"
        yield markdown.code(block.language, block.text)


def _configure(rule: Rule) -> Iterator[str]:
    yield "## Configure it\n"
    other = "warning" if rule.severity.value == "error" else "error"
    yield markdown.paragraph(
        f"`pcsguard check --ignore {rule.id}` leaves the rule out of one run. In `pcsguard.toml` "
        "([all keys](../configuration.md)) one of these does so for all runs, or changes its severity:"
    )
    yield markdown.code("toml", f'ignore = ["{rule.id}"]\nseverity = {{ {rule.id} = "{other}" }}')
    keys = [f"[`{key.name}`](../configuration.md#{key.name})" for key in KEYS if rule.id in key.about]
    if keys:
        yield markdown.paragraph(f"The rule reads the key {' and '.join(keys)}.")
