"""``pcsguard check``: the main job."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from importlib import import_module

from pcs_policies.engine import run as run_checks
from pcs_policies.errors import EXIT_CODES
from pcs_policies.rules.table import chosen
from pcs_policies.settings import Settings

FORMATS = ("text", "json")


def parser() -> ArgumentParser:
    codes = "\n".join(f"  {code}  {meaning}" for code, meaning in EXIT_CODES)
    parser = ArgumentParser(
        prog="pcsguard check",
        description="Check the compute node groups in terraform plans and states.",
        epilog=f"exit codes:\n{codes}\n\nexample:\n  terraform show -json plan.out | pcsguard check -",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="output of `terraform show -json`, or a binary plan file; - is standard input",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to report (default: text)")
    parser.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="RULES",
        help="check only these rules (ids, id prefixes or titles)",
    )
    parser.add_argument("--ignore", action="append", default=[], metavar="RULES", help="leave these rules out")
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "info", "never"),
        default="error",
        help="lowest severity that fails the run (default: error)",
    )
    parser.add_argument(
        "--undecided",
        choices=("fail", "ignore"),
        default="fail",
        help="whether a rule that the input leaves undecided fails the run (default: fail)",
    )
    parser.add_argument("--changed-only", action="store_true", help="leave out groups that the plan does not change")
    parser.add_argument("--no-exec", action="store_true", help="never run terraform, not even to read a binary plan")
    parser.add_argument("-q", "--quiet", action="store_true", help="print findings only, no summary")
    return parser


def run(arguments: Namespace) -> int:
    settings = Settings(
        select=_names(arguments.select),
        ignore=_names(arguments.ignore),
        fail_on=arguments.fail_on,
        undecided=arguments.undecided,
        changed_only=arguments.changed_only,
    )
    rules = chosen(settings.select, settings.ignore)
    result = run_checks(arguments.paths, rules, settings, may_execute=not arguments.no_exec)
    report = import_module(f"pcs_policies.reports.{arguments.format}")
    if arguments.format == "text":
        report.write(result, settings, sys.stdout, colour=_colour(), quiet=arguments.quiet)
    else:
        report.write(result, settings, sys.stdout)
    return result.exit_code


def _names(given: list[str]) -> tuple[str, ...]:
    return tuple(name.strip() for value in given for name in value.split(",") if name.strip())


def _colour() -> bool:
    """Colour on a terminal, unless NO_COLOR (https://no-color.org) or a dumb terminal says otherwise."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
