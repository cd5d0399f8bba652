"""``pcsguard baseline``: writes down the findings of today, so that only new ones fail a run."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from pcs_policies import baseline
from pcs_policies.cli import arguments
from pcs_policies.engine import run as run_checks
from pcs_policies.errors import OK, UNCHECKED
from pcs_policies.redaction import printable
from pcs_policies.reports import outputs
from pcs_policies.reports.words import count


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="pcsguard baseline",
        description="Write a file with the findings and undecided verdicts of the inputs. `pcsguard check --baseline "
        "FILE` then fails for what is not in it. Waived findings are left out: a waiver has an end.",
        epilog="exit codes:\n  0  the file was written\n  2  wrong usage or configuration\n"
        "  3  something could not be checked, so nothing was written\n\n"
        "example:\n  pcsguard baseline write pcsguard-baseline.json plan.json",
        formatter_class=arguments.Help,
        allow_abbrev=False,
    )
    parser.add_argument("action", choices=("write",), metavar="write", help="write the file, whole")
    parser.add_argument("file", metavar="FILE", help="the file to write, often pcsguard-baseline.json")
    arguments.add_inputs(parser)
    arguments.add_settings(parser)
    arguments.add_waivers(parser)
    arguments.add_configuration(parser)
    return parser


def run(parsed: Namespace) -> int:
    configuration = arguments.configuration(parsed)
    outputs.check(parsed.file, arguments.read(parsed, configuration))
    result = run_checks(
        arguments.inputs(parsed),
        configuration.rules(),
        configuration.settings,
        waivers=arguments.waivers(configuration),
    )
    for unchecked in result.unchecked:
        print(f"pcsguard: {printable(unchecked.input)}: {printable(unchecked.reason)}", file=sys.stderr)
    if result.unchecked:
        print("pcsguard: nothing was written: a baseline is of all that there is", file=sys.stderr)
        return UNCHECKED
    if result.counts["left_out"]:
        print(
            f"pcsguard: nothing was written: there are {result.counts['left_out']} findings more than a run keeps; "
            "write baselines of fewer inputs or rules",
            file=sys.stderr,
        )
        return UNCHECKED
    found = baseline.entries((*result.findings, *result.undecided))
    outputs.write_file(parsed.file, lambda out: out.write(baseline.text(found)))
    print(f"{printable(parsed.file)}: {count(len(found), 'finding')} of {count(result.counts['groups'], 'node group')}")
    return OK
