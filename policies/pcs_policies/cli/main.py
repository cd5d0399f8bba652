"""Entry point: finds the command, imports only what that command needs, and turns every end into an exit code."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from importlib import import_module

from pcs_contract.hints import NoReturn
from pcs_policies import __version__
from pcs_policies.cli.commands import COMMANDS, Command
from pcs_policies.errors import EXIT_CODES, OK, UNCHECKED, USAGE, UsageError, nearest, without_extra
from pcs_policies.redaction import printable

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
CLOSED_PIPE = 128 + signal.SIGPIPE
"""What shells report for a command that a signal ended: 130, 143 and 141."""


class Terminated(BaseException):
    """SIGTERM arrived. Like KeyboardInterrupt it is no Exception, so that nothing on the way swallows it."""


def main() -> NoReturn:
    """The ``pcsguard`` command of a shell.

    An interpreter that ends takes all that it holds apart, which lasts as long as a small check. The operating system
    frees it at once, so this does not wait where nothing else is left to do: no thread, and no exit handler.
    """
    code = run()
    if "threading" not in sys.modules and "atexit" not in sys.modules:
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(argv: list[str] | None = None) -> int:
    """Run ``pcsguard`` with these arguments (those of the process by default) and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what a terminal cannot show is escaped, never a crash
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, _terminate)
    gc.disable()  # imports make no garbage, and looking for it among what they make takes as long as a small check
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except UsageError as error:
        print(f"pcsguard: {printable(str(error))}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stdout = None  # or the interpreter would flush it once more and complain
        return CLOSED_PIPE
    except OSError as error:
        if error.errno not in _FULL:
            return _defect(error)
        sys.stdout = None
        print(f"pcsguard: the output cannot be written: {error.strerror}; nothing else went wrong", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("pcsguard: interrupted, so nothing was decided", file=sys.stderr)
        return INTERRUPTED
    except Terminated:
        print("pcsguard: terminated, so nothing was decided", file=sys.stderr)
        return TERMINATED
    except Exception as error:  # a defect of pcsguard is "could not check", and never prints values of the input
        return _defect(error)


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a device or a file system says that takes no more."""


def _defect(error: Exception) -> int:
    if os.environ.get("PCSGUARD_DEBUG"):
        raise error
    print(
        f"pcsguard: internal error ({type(error).__name__} in {_place(error)}), so nothing was decided; this is a "
        "defect of pcsguard: please report it, with what PCSGUARD_DEBUG=1 shows if that holds no secrets",
        file=sys.stderr,
    )
    return UNCHECKED


def _terminate(_signal: int, _frame: object) -> None:
    raise Terminated


def _place(error: Exception) -> str:
    """The file and line of pcsguard where an exception arose."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "an unknown place"
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"


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
    try:
        module = import_module(command.module)
        try:
            parsed = module.parser().parse_args(arguments)
        except SystemExit as end:  # argparse has printed its help or its error
            return end.code if isinstance(end.code, int) else USAGE
        gc.enable()
        code: int = module.run(parsed)
        return code
    except ModuleNotFoundError as error:
        raise without_extra(command.name, command.extra, error) or error from None


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
