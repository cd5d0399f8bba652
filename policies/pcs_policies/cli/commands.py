"""The commands of ``pcsguard``: a static table, resolved when a command is used.

A table costs nothing at start-up, and lets this package name commands of packages above it without importing them.
"""

from pcs_contract.record import Record


class Command(Record):
    """A command. ``module`` has ``parser() -> ArgumentParser`` and ``run(arguments) -> int``.

    ``extra`` names the extra that brings what the command needs beyond the base install.
    """

    name: str
    help: str
    module: str
    extra: str | None = None


COMMANDS: tuple[Command, ...] = (
    Command("check", "check node groups in terraform plans and states", "pcs_policies.cli.check"),
    Command("show", "show what the nodes of a group run when they boot", "pcs_policies.cli.show"),
    Command("waive", "write a waiver for a finding", "pcs_policies.cli.waive"),
    Command("baseline", "write the baseline: findings that do not fail a run", "pcs_policies.cli.baseline"),
    Command("rules", "list the rules, as configured", "pcs_policies.cli.rules"),
    Command("explain", "explain rules: what they check, why, and how to fix it", "pcs_policies.cli.explain"),
    Command("init", "write a configuration file to begin with", "pcs_policies.cli.init"),
    Command("completion", "print what a shell needs to complete commands", "pcs_policies.cli.completion", "completion"),
    Command("checkov-dir", "print the folder of the checks for checkov", "pcs_policies.cli.checkov_dir"),
    Command("local", "serve a local AWS PCS endpoint to develop and test against", "pcs_bridge.endpoint.cli", "local"),
    Command("provider", "install the Terraform provider for AWS PCS", "pcs_bridge.provider.install", "provider"),
)
