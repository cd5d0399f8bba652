"""``pcsguard local`` as a process: what it prints, runs and returns, and every way to end it."""

import json
import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.pcsguard_cli import COMMAND, Run, pcsguard
from support.processes import eventually, with_variable

# A client with nothing but the standard library, so that each test takes no longer than it must.
LIST_CLUSTERS = """
import json, os, urllib.request
request = urllib.request.Request(os.environ["AWS_ENDPOINT_URL"], b"{}", {
    "X-Amz-Target": "AWSParallelComputingService.ListClusters",
    "Content-Type": "application/x-amz-json-1.0",
    "Authorization": "AWS4-HMAC-SHA256 Credential=%s/20260101/%s/pcs/aws4_request, SignedHeaders=host, Signature=0"
    % (os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_REGION"]),
})
print(urllib.request.urlopen(request, timeout=30).read().decode())
"""
WAITS_FOR_TERM = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))
print("ready", flush=True)
signal.pause()
"""
READY = re.compile(r"AWS_ENDPOINT_URL=(http://127\.0\.0\.1:\d+)\n")


@pytest.fixture
def mark() -> Iterator[dict[str, str]]:
    """A variable by which every process of a test is found again; fails when one is left."""
    name, value = "PCSGUARD_TEST_LOCAL", uuid.uuid4().hex
    yield {name: value}
    assert eventually(lambda: not with_variable(name, value), 10)


def local(*arguments: str, **env: str) -> Run:
    return pcsguard("local", *arguments, stdin=b"", cwd=None, **env)


def start(mark: dict[str, str], *arguments: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [COMMAND, "local", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **mark},
        start_new_session=True,  # no terminal: what is sent to it is sent to it alone
        **options,
    )


def test_a_command_gets_the_environment(mark: dict[str, str]) -> None:
    elsewhere = {"AWS_PROFILE": "real", "AWS_SESSION_TOKEN": "real", "AWS_ENDPOINT_URL_S3": "https://s3.example.com/"}
    show = "import json, os; print(json.dumps({k: v for k, v in os.environ.items() if k.startswith('AWS_')}))"
    run = local("--exec", sys.executable, "-c", show, **elsewhere, **mark)
    assert run.code == 0
    variables = json.loads(run.out)
    found = READY.fullmatch(run.err)
    assert found
    assert variables["AWS_ENDPOINT_URL"] == found[1]
    assert variables["AWS_ACCESS_KEY_ID"] == "AKIAIOSFODNN7EXAMPLE"
    assert variables["AWS_REGION"] == variables["AWS_DEFAULT_REGION"] == "us-east-1"
    assert variables["AWS_EC2_METADATA_DISABLED"] == "true"
    assert set(variables).isdisjoint(elsewhere)


def test_a_command_reaches_the_service(mark: dict[str, str]) -> None:
    run = local("--verbose", "--exec", sys.executable, "-c", LIST_CLUSTERS, **mark)
    assert (run.code, json.loads(run.out)) == (0, {"clusters": []})
    assert run.err.endswith("pcsguard local: pcs ListClusters 200\n")


def test_faults_and_the_seed_that_repeats_them(mark: dict[str, str]) -> None:
    ask = [sys.executable, "-c", LIST_CLUSTERS]
    first = local("--fault", "throttle=1", "--fault", "latency=1ms", "--exec", *ask, **mark)
    assert first.code == 1
    assert "HTTP Error 400" in first.err
    said = re.search(r"^pcsguard local: --seed (\d+) repeats these faults$", first.err, re.MULTILINE)
    assert said
    again = local("--fault", "throttle=1", "--seed", said[1], "--verbose", "--exec", *ask, **mark)
    assert again.code == 1
    assert "repeats these faults" not in again.err
    assert "pcsguard local: pcs ListClusters 400 ThrottlingException\n" in again.err


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ([sys.executable, "-c", "raise SystemExit(7)"], 7),
        ([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], 137),
        (["no-such-command"], 127),
        (["."], 126),
        ([sys.executable, "-c", "import sys; sys.exit(sys.argv[1:] != ['--port', '-h'])", "--port", "-h"], 0),
    ],
    ids=["its-own", "a-signal", "no-command", "a-folder", "flags-of-its-own"],
)
def test_exit_codes(command: list[str], code: int, mark: dict[str, str]) -> None:
    assert local("--exec", *command, **mark).code == code


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "x"], "'x' is no port"),
        (["--port", "65536"], "'65536' is no port"),
        (["--delay", "soon"], "'soon' is no number of seconds"),
        (["--switch", "nothing=x"], "there is no switch 'nothing'; there are no-scripts"),
        (["--switch", "scaling=x"], "switch scaling has no value 'x'; it has static-or-dynamic"),
        (["--switch", "scaling"], "'scaling' is not name=value"),
        (["--fault", "nothing=1"], "there is no fault 'nothing'; there are throttle"),
        (["--fault", "drop=1", "--fault", "throttle"], "'throttle' is not fault=value"),
        (["--seed", "-1"], "'-1' is no whole number of 0 or more"),
        (["--state", ""], "the name of the folder is empty"),
        (["--exec"], "--exec needs a command"),
        (["--host", "192.0.2.1"], "cannot listen on 192.0.2.1 port 0"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, mark: dict[str, str]) -> None:
    run = local(*arguments, **mark)
    assert (run.code, run.out) == (2, "")
    assert said in run.err
    assert "Traceback" not in run.err


def test_a_port_that_is_taken(mark: dict[str, str]) -> None:
    first = start(mark)
    assert first.stdout is not None
    port = first.stdout.readline().strip().rpartition(":")[2]
    run = local("--port", port, **mark)
    assert run.code == 2
    assert f"port {port}" in run.err
    first.terminate()
    first.communicate(timeout=30)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_ends_of_a_server(number: signal.Signals, code: int, mark: dict[str, str]) -> None:
    server = start(mark)
    assert server.stdout is not None
    line = server.stdout.readline()
    assert READY.fullmatch(line)
    server.send_signal(number)
    rest, said = server.communicate(timeout=30)
    assert (server.returncode, rest, said) == (code, "", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_changes_nothing(number: signal.Signals, mark: dict[str, str]) -> None:
    server = start(mark)
    assert server.stdout is not None
    server.stdout.readline()
    server.send_signal(number)
    server.send_signal(number)
    _, said = server.communicate(timeout=30)
    assert (server.returncode, said) == (128 + number, "")


def test_signals_reach_the_command(mark: dict[str, str]) -> None:
    server = start(mark, "--exec", sys.executable, "-c", WAITS_FOR_TERM)
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    server.terminate()
    server.communicate(timeout=30)
    assert server.returncode == 9


def test_a_command_that_a_signal_ends(mark: dict[str, str]) -> None:
    server = start(mark, "--exec", sys.executable, "-c", "print('ready', flush=True); import signal; signal.pause()")
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=30)
    assert server.returncode in (130, 1)  # python turns SIGINT into an exception first


COUNTS_INTERRUPTS = """
import signal, sys, time
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
print("ready", flush=True)
deadline = time.monotonic() + 20
while not seen and time.monotonic() < deadline:
    time.sleep(0.01)
time.sleep(0.3)  # for a second one, if there is any
print("interrupts:", len(seen), flush=True)
"""
# Plays the terminal: its child has a controlling one, into which Ctrl-C is typed. In a process of its own, because
# it forks.
TYPES_CTRL_C = """
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said, typed = b"", 0
while b"interrupts:" not in said or not said.endswith(b"\\n"):
    said += os.read(terminal, 1024)
    if b"ready" in said and not typed:
        typed = os.write(terminal, b"\\x03")
print(said.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_the_keyboards_interrupt_reaches_the_command_once(mark: dict[str, str]) -> None:
    command = [str(COMMAND), "local", "--exec", sys.executable, "-c", COUNTS_INTERRUPTS]
    done = subprocess.run(
        [sys.executable, "-c", TYPES_CTRL_C, *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **mark},
    )
    assert done.returncode == 0, done.stderr
    assert "interrupts: 1" in done.stdout


def test_a_host_that_others_can_reach_is_warned_of(mark: dict[str, str]) -> None:
    run = local("--host", "0.0.0.0", "--exec", sys.executable, "-c", LIST_CLUSTERS, **mark)
    assert run.code == 0
    assert run.err.startswith("pcsguard local: warning: 0.0.0.0 can be reached from other machines")


def test_without_the_extra(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "sys.meta_path.insert(0, type('No', (), {'find_spec': staticmethod(no)}))\n"
        "from pcs_policies.cli.main import run\n"
        "sys.exit(run(['local', '--exec', 'true']))\n"
    )
    script = (
        "def no(name, *_):\n"
        "    if name == 'moto':\n"
        "        raise ModuleNotFoundError(\"No module named 'moto'\", name='moto')\n" + script
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr == (
        "pcsguard: local needs moto, which is not installed; the extra 'local' brings it: "
        "pip install 'pcsguard[local]'\n"
    )


def test_help() -> None:
    run = local("--help")
    assert run.code == 0
    assert "AWS_ENDPOINT_URL" in run.out
    assert "local" in pcsguard("--help").out
