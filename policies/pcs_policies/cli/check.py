"""``pcsguard check``: the main job."""

from __future__ import annotations

import gc
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from pcs_contract.hints import TYPE_CHECKING
from pcs_policies.cli import arguments
from pcs_policies.engine import run as run_checks
from pcs_policies.errors import EXIT_CODES
from pcs_policies.reports import outputs
from pcs_policies.reports.formats import NAMES

if TYPE_CHECKING:
    from pcs_policies.boot import GroupView
    from pcs_policies.document import NodeGroup

_EPILOG = """\
A flag comes before its environment variable (PCSGUARD_FAIL_ON for --fail-on), and that before the
configuration file; docs/configuration.md lists all keys.

examples:
  terraform show -json plan.out | pcsguard check -
  pcsguard check --fail-on warning --ignore PCS104 plan.json
  pcsguard check --format sarif=pcsguard.sarif --format github --source . plan.json"""


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
    excused = parser.add_argument_group("what does not count")
    arguments.add_waivers(excused)
    excused.add_argument("--baseline", metavar="FILE", help="findings that are in this file do not fail the run")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        action="append",
        default=[],
        metavar="NAME[=FILE]",
        help=f"how to report, on standard output or in a file; may be repeated: {', '.join(NAMES)} (default: text)",
    )
    output.add_argument("-q", "--quiet", action="store_true", help="print findings only, no summary")
    return parser


def run(parsed: Namespace) -> int:
    gc.disable()  # a run is short, and what it makes holds no cycles; looking for some takes time
    configuration = arguments.configuration(parsed)
    settings = configuration.settings
    known = [settings.baseline] if settings.baseline is not None else []
    reports = outputs.parse(parsed.format, [*arguments.read(parsed, configuration), *known])
    result = run_checks(
        arguments.inputs(parsed),
        configuration.rules(),
        settings,
        waivers=arguments.waivers(configuration),
        baseline=arguments.baseline(configuration),
        view=_view() if outputs.show_groups(reports) else None,
    )
    outputs.write(reports, result, settings, quiet=parsed.quiet)
    return result.exit_code


def _view() -> Callable[[NodeGroup], GroupView]:
    from pcs_policies import boot  # most reports show findings only

    return boot.sharing()
