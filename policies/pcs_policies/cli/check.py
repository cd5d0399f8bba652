"""``pcsguard check``: the main job."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from importlib import import_module

from pcs_policies.cli import arguments
from pcs_policies.engine import run as run_checks
from pcs_policies.errors import EXIT_CODES

FORMATS = ("text", "json")

_EPILOG = """\
A flag comes before its environment variable (PCSGUARD_FAIL_ON for --fail-on), and that before the
configuration file; docs/configuration.md lists all keys.

examples:
  terraform show -json plan.out | pcsguard check -
  pcsguard check --fail-on warning --ignore PCS104 plan.json"""


def parser() -> ArgumentParser:
    codes = "\n".join(f"  {code}  {meaning}" for code, meaning in EXIT_CODES)
    parser = ArgumentParser(
        prog="pcsguard check",
        description="Check the compute node groups in plans, states and source.",
        epilog=f"exit codes:\n{codes}\n\n{_EPILOG}",
        formatter_class=arguments.Help,
        allow_abbrev=False,
    )
    arguments.add_inputs(parser)
    arguments.add_settings(parser)
    arguments.add_configuration(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, default="text", help="how to report (default: text)")
    output.add_argument("-q", "--quiet", action="store_true", help="print findings only, no summary")
    return parser


def run(parsed: Namespace) -> int:
    configuration = arguments.configuration(parsed)
    settings = configuration.settings
    result = run_checks(arguments.inputs(parsed), configuration.rules(), settings)
    report = import_module(f"pcs_policies.reports.{parsed.format}")
    report.write(result, settings, sys.stdout, quiet=parsed.quiet)
    return result.exit_code
