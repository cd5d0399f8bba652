"""Entry point: finds the command, imports only what that command needs, and turns every end into an exit code."""

from __future__ import annotations

import sys
from importlib import import_module

from pcs_policies import __version__
from pcs_policies.cli.commands import COMMANDS, Command
from pcs_policies.errors import EXIT_CODES, OK, USAGE, UsageError, nearest

INTERRUPTED = 130
"""128 + SIGINT, what shells report for a command ended by Ctrl-C."""


def run(argv: list[str] | None = None) -> int:
    """Run ``pcsguard`` with these arguments (those of the process by default) and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what a terminal cannot show is escaped, never a crash
            stream.reconfigure(errors="backslashreplace")
    try:
        return _dispatch(arguments)
    except UsageError as error:
        print(f"pcsguard: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("pcsguard: interrupted; nothing was decided", file=sys.stderr)
        return INTERRUPTED


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        print(_help(), file=sys.stderr)
        return USAGE
    name = arguments[0]
    if name in ("-h", "--help", "help"):
        print(_help())
        return OK
    if name in ("-V", "--version"):
        print(f"pcsguard {__version__}")
        return OK
    command = next((command for command in COMMANDS if command.name == name), None)
    if command is None:
        known = [command.name for command in COMMANDS]
        raise UsageError(f"there is no command {name!r}{nearest(name, known)}; see pcsguard --help")
    return _run(command, arguments[1:])


def _run(command: Command, arguments: list[str]) -> int:
    module = import_module(command.module)
    try:
        parsed = module.parser().parse_args(arguments)
    except SystemExit as end:  # argparse has printed its help or its error
        return end.code if isinstance(end.code, int) else USAGE
    code: int = module.run(parsed)
    return code


def _help() -> str:
    width = max(len(command.name) for command in COMMANDS)
    commands = "\n".join(f"  {command.name.ljust(width)}  {command.help}" for command in COMMANDS)
    codes = "\n".join(f"  {code}  {meaning}" for code, meaning in EXIT_CODES)
    return (
        "usage: pcsguard COMMAND [OPTIONS]\n\n"
        "Checks the scripts that run as root on every node of an AWS PCS cluster.\n\n"
        f"commands:\n{commands}\n\n"
        f"exit codes:\n{codes}\n\n"
        "options:\n  -h, --help     show this help; after a command, that command's\n"
        "  -V, --version  show the version"
    )
