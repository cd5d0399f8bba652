"""``pcsguard completion``: prints what a shell needs to complete commands, flags, rules and files."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from importlib import import_module

import shtab

from pcs_policies.cli import arguments
from pcs_policies.cli.commands import COMMANDS, Command
from pcs_policies.errors import OK
from pcs_policies.reports.formats import NAMES
from pcs_policies.rules.table import RULES, WAIVER_RULES

SHELLS = ("bash", "zsh", "tcsh")

_WORDS = {
    **dict.fromkeys(("RULE", "RULES"), tuple(rule.id for rule in (*RULES, *WAIVER_RULES))),
    "NAME[=FILE]": NAMES,
}
"""What stands for a value in a command's help -> the words that complete it."""

_FILES = ("PATH", "FILE")


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="pcsguard completion",
        description="Print what a shell needs to complete pcsguard's commands, flags, rules and files.",
        epilog="examples:\n"
        "  pcsguard completion bash > ~/.local/share/bash-completion/completions/pcsguard\n"
        "  pcsguard completion zsh > ~/.zfunc/_pcsguard        # a folder of $fpath\n"
        "  pcsguard completion tcsh > ~/.pcsguard.csh          # and source it in ~/.tcshrc",
        formatter_class=arguments.Help,
        allow_abbrev=False,
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell to print it for")
    return parser


def run(parsed: Namespace) -> int:
    print(shtab.complete(whole(), parsed.shell))
    return OK


def whole() -> ArgumentParser:
    """One parser of all commands, as shells complete them; a command whose extra is not installed is just its name."""
    parser = ArgumentParser(prog="pcsguard", description="Checks the scripts that run as root on every node.")
    parser.add_argument("-V", "--version", action="store_true", help="show the version")
    commands = parser.add_subparsers(dest="command")
    for command in COMMANDS:
        parents = [part] if (part := _parser(command)) is not None else []
        commands.add_parser(command.name, help=command.help, parents=parents, add_help=not parents)
    return parser


def _parser(command: Command) -> ArgumentParser | None:
    try:
        parser: ArgumentParser = import_module(command.module).parser()
    except ModuleNotFoundError:
        if command.extra is None:
            raise
        return None
    for action in parser._actions:  # argparse has no public list of them
        _complete(action)
    return parser


def _complete(action: Action) -> None:
    if action.metavar in _FILES:
        action.complete = shtab.FILE  # type: ignore[attr-defined]  # what shtab reads
    elif isinstance(action.metavar, str) and action.metavar in _WORDS:
        action.choices = _WORDS[action.metavar]
