"""``pcsguard explain``: what a rule checks, why, and how to fix what it finds."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from textwrap import wrap

from pcs_policies import terminal
from pcs_policies.cli import arguments
from pcs_policies.config import Configuration
from pcs_policies.docs.rule_page import NEEDS, bad, blocks, good, page
from pcs_policies.errors import OK
from pcs_policies.rules import doc
from pcs_policies.rules.fragments import Fragment
from pcs_policies.rules.table import Rule, every, find, runs
from pcs_policies.terminal import BOLD, Paint


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="pcsguard explain",
        description="Explain rules: what they check, why, how to fix what they find, with an example of each kind.",
        epilog="examples:\n  pcsguard explain PCS201\n  pcsguard explain checksum-required logs-first",
        formatter_class=arguments.Help,
        allow_abbrev=False,
    )
    parser.add_argument("names", nargs="+", metavar="RULE", help="id (PCS201) or title (no-terminate-on-ready)")
    parser.add_argument(
        "--format", choices=("text", "markdown"), default="text", help="how to print it (default: text)"
    )
    arguments.add_configuration(parser)
    return parser


def run(parsed: Namespace) -> int:
    configuration = arguments.configuration(parsed)
    rules = every(configuration.settings, configuration.own)
    chosen = list(dict.fromkeys(find(name, rules) for name in parsed.names))
    for position, rule in enumerate(chosen):
        if position:
            print()
        if parsed.format == "markdown":
            print(page(rule), end="")
        else:
            for line in _text(rule, configuration, terminal.paint(sys.stdout), terminal.width()):
                print(line)
    return OK


def _text(rule: Rule, configuration: Configuration, paint: Paint, width: int) -> Iterator[str]:
    told = doc.parse(rule.module.__doc__)
    yield paint(f"{rule.id} {rule.title}", BOLD)
    yield from wrap(_severity(rule, configuration), width)
    if told.summary:
        yield ""
        yield from wrap(told.summary, width)
    for section in told.sections:
        yield ""
        yield paint(section.heading, BOLD)
        for position, paragraph in enumerate(section.paragraphs):
            if position:
                yield ""
            for line in paragraph.splitlines():
                yield from wrap(line, width, initial_indent="  ", subsequent_indent="  ")
    for heading, fragments in (("Bad", bad(rule)), ("Good", good(rule))):
        for fragment in fragments[:1]:
            yield ""
            yield from _example(heading, rule, fragment, paint)
    if not rule.id.startswith("PCS9"):
        yield ""
        yield f"More examples, and how to ignore or configure the rule: docs/rules/{rule.id}.md"


def _severity(rule: Rule, configuration: Configuration) -> str:
    own = rule.module.SEVERITY
    text = f"Severity {rule.severity.value}"
    if own is not rule.severity:
        text += f" by configuration ({own.value} by itself)"
    if not runs(rule, configuration.settings):
        text += "; not run with this configuration"
    return "; ".join((text, *(NEEDS[need] for need in sorted(rule.needs))))


def _example(heading: str, rule: Rule, fragment: Fragment, paint: Paint) -> Iterator[str]:
    yield paint(f"{heading}: {fragment.title}", BOLD)
    for block in blocks(rule, fragment):
        if block.title:
            yield f"  {block.title}:"
        for line in block.text.splitlines():
            yield f"  {line}"
