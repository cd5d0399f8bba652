"""``pcsguard checkov-dir``: the folder to give to checkov's ``--external-checks-dir``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

import pcs_policies
from pcs_policies.cli import arguments
from pcs_policies.errors import OK, UsageError

CHECKS = "pcsguard_checks.py"


def parser() -> ArgumentParser:
    return ArgumentParser(
        prog="pcsguard checkov-dir",
        description="Print the folder that holds the rules as checks for checkov.",
        epilog='example:\n  checkov -d . --external-checks-dir "$(pcsguard checkov-dir)"',
        formatter_class=arguments.Help,
        allow_abbrev=False,
    )


def run(_: Namespace) -> int:
    """Print the folder. checkov says nothing where it finds none, and runs no check."""
    folder = Path(pcs_policies.__file__).parent.parent / "checkov_checks"
    if not (folder / CHECKS).is_file():
        raise UsageError(f"{folder} has no {CHECKS}, so this installation is incomplete; install pcsguard again")
    print(folder)
    return OK
