"""The commands of ``pcsguard``: a static table, resolved when a command is used.

A table costs nothing at start-up, and lets this package name commands of packages above it without importing them.
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """A command. ``module`` has ``parser() -> ArgumentParser`` and ``run(arguments) -> int``.

    ``extra`` names the extra that brings what the command needs beyond the base install.
    """

    name: str
    help: str
    module: str
    extra: str | None = None


COMMANDS: tuple[Command, ...] = (
    Command("check", "check node groups in terraform plans and states", "pcs_policies.cli.check"),
)
