"""Input that is broken, huge or made to harm: a clear reason, the right exit code, never a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import render
from support.pcsguard_cli import COMMAND, check_json, pcsguard

from pcs_policies.rules.fragments import actions, script
from pcs_policies.sources.detect import LARGE

PLAN = render.plan(actions(ready=[script("motd", "s3://example-scripts/motd.sh")]))
TEXT = json.dumps(PLAN)
PADDING = "x" * LARGE


def changed(**members: Any) -> str:
    return json.dumps({**PLAN, **members})


def reason(path: str, tmp_path: Path) -> str:
    run = check_json(path, cwd=tmp_path)
    assert run.code == 3
    assert run.err == ""
    (unchecked,) = run.report["unchecked"]
    text: str = unchecked["reason"]
    return text


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "the file is empty"),
        (TEXT[:-20].encode(), "the file is not valid JSON: line 1, column"),
        (b"null", "the file holds null, which is no input that pcsguard knows"),
        (b"[]", "the file holds a list, which is no input that pcsguard knows"),
        (b'"plan"', "the file holds a string, which is no input that pcsguard knows"),
        (b"1.5", "the file holds a number, which is no input that pcsguard knows"),
        (b"{}", "this is JSON, but no plan or state of terraform"),
        (b'{"version": 4, "serial": 1, "lineage": "x"}', "this is a state as terraform stores it"),
        (b'{"format_version": "1.0", "provider_schemas": {}}', "this is the output of `terraform providers schema"),
        (changed(format_version="2.0").encode(), "the plan has format version 2.0, newer than 1.x"),
        (changed(errored=True).encode(), "the plan is errored"),
        (changed(complete=False).encode(), "the plan is incomplete"),
        (b'{"format_version": "1.2", "a": 1, "a": 2}', 'the file is ambiguous JSON: an object has two members "a"'),
        (b'{"format_version": "1.2", "a": NaN}', "the file is not valid JSON: NaN is no number there"),
        (b'{"format_version": "1.2", "a": -Infinity}', "the file is not valid JSON: -Infinity is no number there"),
        (b"[" * 100_000, "the file nests too deep"),
        (b'{"a":' * 100_000, "the file nests too deep"),
        (b'{"format_version": "\xff"}', "the file is no UTF-8 text: byte 20"),
        (TEXT.encode("utf-16")[:-1], "the file is no UTF-16 text"),
        (b"\x7fELF\x02\x01", "the file is not valid JSON: line 1, column 1"),
        (b"<html></html>", "the file is not valid JSON: line 1, column 1"),
    ],
)
def test_what_cannot_be_checked(tmp_path: Path, data: bytes, expected: str) -> None:
    (tmp_path / "plan.json").write_bytes(data)
    assert reason("plan.json", tmp_path).startswith(expected)


def large(**members: Any) -> bytes:
    """The plan, so large that it is decoded in parts."""
    return json.dumps({**PLAN, "prior_state": PADDING, **members}).encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (large()[:-20], "the file is not valid JSON: line 1, column"),
        (large(format_version="2.0"), "the plan has format version 2.0, newer than 1.x"),
        (large(resource_changes={}), "resource_changes should be a list of objects"),
        (large(resource_changes=[7]), "resource_changes should be a list of objects"),
        (large(errored=True), "the plan is errored"),
        (large(more=[]).replace(b'"more": []', b'"more": ' + b"[" * 100_000), "the file nests too deep"),
        (large(more="@").replace(b"@", b"\xff"), "the file is no UTF-8 text: byte"),
        (large(more="@").replace(b'"@"', b"NaN"), "the file is not valid JSON: NaN is no number there"),
        (large().replace(b'"name": "motd"', b'"name": "motd", "name": "x"'), "the file is ambiguous JSON"),
        (large().replace(b'{"', b'{"resource_changes": [], "', 1), "the file is ambiguous JSON"),
        (json.dumps({"a": PADDING}).encode(), "this is JSON, but no plan or state of terraform"),
        (json.dumps(PADDING).encode(), "the file holds a string, which is no input that pcsguard knows"),
    ],
)
def test_what_cannot_be_checked_of_a_large_file(tmp_path: Path, data: bytes, expected: str) -> None:
    (tmp_path / "plan.json").write_bytes(data)
    assert reason("plan.json", tmp_path).startswith(expected)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_large_plan_gives_the_findings_of_a_small_one(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "small.json").write_text(TEXT)
    (tmp_path / "large.json").write_bytes(large().decode().encode(encoding))
    small, big = (check_json(name, cwd=tmp_path) for name in ("small.json", "large.json"))
    assert (big.code, big.places()) == (small.code, small.places())
    pointers = [[f["origin"]["pointer"] for f in run.report["findings"]] for run in (small, big)]
    assert pointers[0] == pointers[1]


def test_a_type_that_is_spelled_with_escapes_is_still_seen(tmp_path: Path) -> None:
    data = large().replace(b"awscc_pcs_compute_node_group", b"awscc_pcs\\u005fcompute_node_group")
    (tmp_path / "plan.json").write_bytes(data)
    assert check_json("plan.json", cwd=tmp_path).report["summary"]["groups"] == 1


@pytest.mark.parametrize("data", [TEXT.encode(), large()], ids=["small", "large"])
def test_a_lone_surrogate_is_escaped(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "plan.json").write_bytes(data.replace(b'"name": "motd"', b'"name": "a\\udc80"'))
    run = pcsguard("check", "plan.json", cwd=tmp_path)
    assert (run.code, run.err) == (1, "")
    assert 'nodeReady script "a\\udc80"' in run.out


def test_values_of_absurd_length_are_judged_and_not_printed(tmp_path: Path) -> None:
    huge = "a" * 10_000_000
    document = render.plan(actions(ready=[script(huge, f"http://{huge}", arguments=[huge])]))
    (tmp_path / "plan.json").write_text(json.dumps(document))
    started = time.monotonic()
    run = pcsguard("check", "plan.json", cwd=tmp_path)
    assert run.code == 1
    assert len(run.out) < 20_000
    assert time.monotonic() - started < 60, "no pattern may go quadratic on a long value"


@pytest.mark.parametrize("name", ["folder", "loop", "missing", "plan.json/below"])
def test_paths_that_are_no_readable_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "plan.json").write_text(TEXT)
    expected = {"folder": "there is nothing in this folder", "missing": "there is no such file"}
    assert reason(name, tmp_path).startswith(expected.get(name, "the file cannot be read: "))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_rights(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(TEXT)
    (tmp_path / "plan.json").chmod(0)
    assert reason("plan.json", tmp_path) == "the file cannot be read: Permission denied"


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with subprocess.Popen(["sh", "-c", "cat > fifo"], cwd=tmp_path, stdin=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        writer.stdin.write(TEXT.encode())
        writer.stdin.close()
        assert check_json("fifo", cwd=tmp_path).code == 1


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, b"interrupted"), (signal.SIGTERM, 143, b"terminated")],
)
def test_signals_end_the_run_with_their_code(tmp_path: Path, number: signal.Signals, code: int, word: bytes) -> None:
    os.mkfifo(tmp_path / "fifo")
    process = subprocess.Popen(
        [str(COMMAND), "check", "fifo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    with (tmp_path / "fifo").open("wb"):  # opens when the run has opened its end, and so waits for data
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (code, b"")
    assert err == b"pcsguard: " + word + b", so nothing was decided\n"


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    document = render.plan(actions(ready=[script("motd", "ftp://x")] * 20))
    resource = document["resource_changes"][0]
    document["resource_changes"] = [{**resource, "address": f"{resource['address']}{n}"} for n in range(50)]
    (tmp_path / "plan.json").write_text(json.dumps(document))
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; '{COMMAND}' check plan.json | head -n 1"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    assert done.returncode == 141
    assert done.stdout.startswith(b"plan.json: terraform plan")


BREAK_THE_READER = """
import sys
from pcs_policies.cli.main import run
from pcs_policies.sources import plan

def fail(*_):
    raise KeyError("s3cr3t-value")

plan.read = fail
sys.exit(run())
"""


def test_an_internal_error_tells_no_values_and_is_no_success(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", BREAK_THE_READER, "check", "-"],
        input=TEXT.encode(),
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode == 3
    assert run.stderr.startswith(b"pcsguard: internal error (KeyError in <string>:7), so nothing was decided")
    assert b"s3cr3t" not in run.stdout + run.stderr
