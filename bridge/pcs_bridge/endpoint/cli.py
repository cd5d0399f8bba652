"""``pcsguard local``: serves the endpoint until it is told to stop, or while a command runs."""

from __future__ import annotations

import argparse
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Final

from pcs_bridge.endpoint import child, faults, heap
from pcs_bridge.endpoint.faults import Fault, WrongFault
from pcs_bridge.endpoint.listener import CannotListen, is_loopback
from pcs_bridge.endpoint.local import LOOPBACK, Endpoint, check_installed, running
from pcs_bridge.endpoint.status import Delays
from pcs_bridge.endpoint.store import CannotKeep
from pcs_bridge.endpoint.switches import SWITCHES, WrongSwitch, parse, settings
from pcs_policies.cli.arguments import Help
from pcs_policies.errors import UsageError


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="pcsguard local",
        description="Serve AWS PCS on this machine, with S3, IAM, EC2 and STS beside it, so that boto3, the AWS CLI "
        "and Terraform work without an AWS account. Prints AWS_ENDPOINT_URL=http://... when it is ready; that "
        "variable, any credentials and a Region are all that a client needs. Everything is in memory and gone at the "
        "end, unless --state keeps what PCS holds.",
        epilog="exit codes:\n  with --exec, those of the command (127: there is none, 126: it cannot be executed)\n"
        "  2    wrong usage, or the address or the state is taken\n  130  interrupted\n  143  terminated",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=_port, default=0, help="port to listen on (default: 0, any that is free)")
    parser.add_argument(
        "--host",
        default=LOOPBACK,
        help=f"address to listen on (default: {LOOPBACK}); anything but loopback lets others in, without a password",
    )
    parser.add_argument(
        "--delay",
        type=_delays,
        default=Delays(),
        metavar="SECONDS",
        help="how long creating, updating and deleting take: 2, or create=5,update=1,delete=0 (default: 0.2 each)",
    )
    parser.add_argument(
        "--switch",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="how to behave where AWS documents nothing; repeatable: " + ", ".join(switch.name for switch in SWITCHES),
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="what goes wrong, and how often: a probability (throttle=0.1), a count for each operation and resource "
        "(internal@Create*=2x), or a time (latency=50ms); repeatable: " + ", ".join(Fault),
    )
    parser.add_argument(
        "--seed",
        type=_seed,
        metavar="NUMBER",
        help="decides which calls meet a fault: the same number, the same faults (default: one that is printed)",
    )
    parser.add_argument(
        "--state",
        type=_folder,
        metavar="DIR",
        help="keep clusters, groups, queues and instances in this folder, for the next time; what S3, IAM and EC2 hold "
        "is gone at the end all the same",
    )
    parser.add_argument("--verbose", action="store_true", help="a line for each request on stderr, without its content")
    parser.add_argument(
        "--exec",
        nargs=argparse.REMAINDER,
        dest="command",
        metavar="CMD",
        help="run this command with the right environment, stop when it ends, and return its exit code; "
        "everything behind --exec belongs to the command",
    )
    return parser


def run(parsed: Namespace) -> int:
    check_installed()
    heap.share()
    plan = ",".join(parsed.fault)
    try:
        switches = parse(parsed.switch)
        settings(switches)
        faults.parse(plan)
    except (WrongSwitch, WrongFault) as wrong:
        raise UsageError(str(wrong)) from None
    if parsed.command is not None and not parsed.command:
        raise UsageError("--exec needs a command")
    if not is_loopback(parsed.host):
        print(
            f"pcsguard local: warning: {parsed.host} can be reached from other machines, and whoever reaches it can do "
            "everything without a password",
            file=sys.stderr,
        )
    # Signals are taken over until everything has stopped: a second one must not cut the end short.
    command: list[str] = parsed.command or []
    signals = child.PassedOn() if command else _Awaited()
    with _handled(signals):
        try:
            with running(
                host=parsed.host,
                port=parsed.port,
                switches=switches,
                delays=parsed.delay,
                log=_log if parsed.verbose else None,
                faults=plan,
                seed=parsed.seed,
                folder=parsed.state,
            ) as endpoint:
                if plan and parsed.seed is None:
                    print(f"pcsguard local: --seed {endpoint.faults['seed']} repeats these faults", file=sys.stderr)
                if isinstance(signals, child.PassedOn):
                    return _exec(endpoint, command, signals)
                print(f"AWS_ENDPOINT_URL={endpoint.url}", flush=True)
                return 128 + signals.first()
        except CannotListen as failure:
            raise UsageError(f"cannot listen on {parsed.host} port {parsed.port}: {failure}") from None
        except CannotKeep as failure:
            raise UsageError(str(failure)) from None


class _Awaited:
    """Keeps signals for who waits for them."""

    NUMBERS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        # Of all queues this one may be filled by a handler that interrupts the very thread that waits for it.
        self._queue: Final[SimpleQueue[int]] = SimpleQueue()

    def on_signal(self, number: int, _: FrameType | None) -> None:
        self._queue.put(number)

    def first(self) -> int:
        """Wait for a signal and return its number."""
        return self._queue.get()


@contextmanager
def _handled(signals: child.PassedOn | _Awaited) -> Iterator[None]:
    before = {number: signal.signal(number, signals.on_signal) for number in signals.NUMBERS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exec(endpoint: Endpoint, command: Sequence[str], signals: child.PassedOn) -> int:
    # Standard output is the command's alone.
    print(f"AWS_ENDPOINT_URL={endpoint.url}", file=sys.stderr, flush=True)
    try:
        return child.run(command, endpoint.environment, signals)
    except FileNotFoundError:
        print(f"pcsguard local: there is no command {command[0]!r}", file=sys.stderr)
        return child.NOT_FOUND
    except OSError as error:
        print(f"pcsguard local: {command[0]!r} cannot be executed: {error.strerror}", file=sys.stderr)
        return child.NOT_EXECUTABLE


def _log(line: str) -> None:
    print(f"pcsguard local: {line}", file=sys.stderr, flush=True)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return int(text)


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 0 or more")
    return int(text)


def _folder(text: str) -> Path:
    if not text:  # a variable without a value; for Path it is the current folder
        raise argparse.ArgumentTypeError("the name of the folder is empty")
    return Path(text)


def _delays(text: str) -> Delays:
    try:
        return Delays.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
