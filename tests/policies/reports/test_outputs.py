"""Several reports at once, in files that are whole or not there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TextIO

import pytest
from support import report_inputs
from support.pcsguard_cli import COMMAND, pcsguard

from pcs_policies.errors import UsageError
from pcs_policies.reports import outputs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    report_inputs.write(tmp_path)
    return tmp_path


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {*report_inputs.INPUTS, "pcsguard-waivers.toml"}


def test_several_formats_at_once(folder: Path) -> None:
    formats = ["--format", "sarif=out.sarif", "--format", "json=out.json", "--format", "text"]
    run = pcsguard("check", "plan.json", *formats, cwd=folder)
    assert run.out.startswith("plan.json: terraform plan")
    assert json.loads((folder / "out.sarif").read_text())["version"] == "2.1.0"
    assert json.loads((folder / "out.json").read_text())["exit_code"] == run.code
    assert files(folder) == {"out.sarif", "out.json"}


def test_a_file_alone_leaves_standard_output_empty(folder: Path) -> None:
    assert pcsguard("check", "plan.json", "--format", "json=out.json", cwd=folder).out == ""


@pytest.mark.parametrize(
    ("formats", "message"),
    [
        (["yaml"], "there is no format 'yaml'"),
        (["sarfi=x"], "(did you mean 'sarif'?)"),
        (["json="], "--format json= names no file"),
        (["json", "text"], "two reports would go to standard output: json and text"),
        (["json", "text=-"], "two reports would go to standard output"),
        (["json=x", "sarif=./x"], "two reports would go to ./x: json and sarif"),
        (["json=no/x"], "no/x cannot be written: there is no folder"),
        (["json=."], ". cannot be written: it is a folder"),
        (["json=plan.json"], "plan.json is an input, which is not overwritten"),
    ],
)
def test_what_cannot_be_written_is_told_before_anything_is_checked(
    folder: Path, formats: list[str], message: str
) -> None:
    flags = [word for name in formats for word in ("--format", name)]
    before = (folder / "plan.json").read_bytes()
    run = pcsguard("check", "plan.json", *flags, cwd=folder)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
    assert files(folder) == set()
    assert (folder / "plan.json").read_bytes() == before


READ = (
    (("check", "source", "--format", "json=source/main.tf"), "source/main.tf"),
    (("check", "source", "--format", "json=source/child/main.tf"), "source/child/main.tf"),
    (("check", ".", "--format", "json=source/t.yaml"), "source/t.yaml"),
    (("check", ".", "--format", "json=plan.json"), "plan.json"),
    (("check", "plan.json", "--source", "source", "--format", "text=source/main.tf"), "source/main.tf"),
    (("check", "plan.json", "--var-file", "some.tfvars", "--format", "text=some.tfvars"), "some.tfvars"),
    (("check", "plan.json", "--format", "json=pcsguard.toml"), "pcsguard.toml"),
    (("check", "plan.json", "--format", "json=pcsguard-waivers.toml"), "pcsguard-waivers.toml"),
    (("check", "plan.json", "--baseline", "base.json", "--format", "json=base.json"), "base.json"),
    (("baseline", "write", "source/main.tf", "source"), "source/main.tf"),
    (("baseline", "write", "plan.json", "."), "plan.json"),
)


@pytest.mark.parametrize(("arguments", "file"), READ, ids=[" ".join(words) for words, _ in READ])
def test_nothing_that_the_run_reads_is_overwritten(folder: Path, arguments: tuple[str, ...], file: str) -> None:
    (folder / "source" / "child").mkdir(parents=True)
    for name in (
        "source/main.tf",
        "source/child/main.tf",
        "source/t.yaml",
        "some.tfvars",
        "pcsguard.toml",
        "base.json",
    ):
        (folder / name).write_text("")
    before = (folder / file).read_bytes()
    run = pcsguard(*arguments, cwd=folder)
    assert (run.code, run.out) == (2, "")
    assert f"{file} is an input, which is not overwritten; name another file" in run.err
    assert (folder / file).read_bytes() == before


@pytest.mark.parametrize("name", ["json", "sarif", "gitlab"])
def test_a_report_in_the_folder_that_is_checked_is_replaced(folder: Path, name: str) -> None:
    (folder / "source").mkdir()
    (folder / "source" / "main.tf").write_text("")
    for _ in range(2):
        run = pcsguard("check", "source", "--format", f"{name}=source/out.json", cwd=folder)
        assert "is an input" not in run.err
    assert (folder / "source" / "out.json").exists()


def test_a_file_that_is_there_is_replaced_whole(folder: Path) -> None:
    (folder / "out.json").write_text("old" * 100_000)
    pcsguard("check", "plan.json", "--format", "json=out.json", cwd=folder)
    assert json.loads((folder / "out.json").read_text())


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device"), ValueError])
def test_a_report_that_ends_in_the_middle_leaves_the_old_one(folder: Path, error: BaseException) -> None:
    path = folder / "out.json"
    path.write_text("old")

    def fill(out: TextIO) -> None:
        out.write("half")
        raise error

    with pytest.raises(UsageError if isinstance(error, OSError) else error):  # type: ignore[arg-type]
        outputs.write_file(str(path), fill)
    assert path.read_text() == "old"
    assert files(folder) == {"out.json"}


def test_a_full_disk_is_told(folder: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    run = pcsguard("check", "plan.json", "--format", "json=/dev/full", cwd=folder)
    assert run.code == 2
    assert "/dev/full cannot be written: No space left on device" in run.err


@pytest.mark.parametrize("command", ["check plan.json", "check plan.json --format json", "show plan.json", "rules"])
def test_a_full_standard_output_is_told(folder: Path, command: str) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        run = subprocess.run([COMMAND, *command.split()], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
    expected = "pcsguard: the output cannot be written: No space left on device; nothing else went wrong\n"
    assert (run.returncode, run.stderr) == (2, expected)


IMPORTED = "import sys; from pcs_policies.cli.main import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"


def test_a_format_that_nobody_asks_for_is_not_imported(folder: Path) -> None:
    (folder / "pcsguard-waivers.toml").unlink()
    command = [sys.executable, "-c", IMPORTED, "check", "plan.json"]
    loaded = set(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stderr.split())
    ours = {name.removeprefix("pcs_policies.") for name in loaded if name.startswith("pcs_policies.")}
    assert {name for name in ours if name.startswith("reports.")} == {
        "reports.formats",
        "reports.outputs",
        "reports.text",
        "reports.words",
    }
    assert not {name for name in ours if name.startswith(("waivers", "baseline", "docs"))}
    assert not loaded & {"tomllib", "datetime", "hashlib", "xml", "urllib", "tempfile"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing_behind(folder: Path, number: signal.Signals) -> None:
    (folder / "out.json").write_text("old")
    os.mkfifo(folder / "fifo")
    process = subprocess.Popen(
        [str(COMMAND), "check", "fifo", "--format", "json=out.json"], cwd=folder, stderr=subprocess.PIPE
    )
    with (folder / "fifo").open("wb"):  # opens when the run has begun to read
        process.send_signal(number)
        process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert files(folder) == {"out.json", "fifo"}
    assert (folder / "out.json").read_text() == "old"


def test_a_link_stays_one(folder: Path) -> None:
    (folder / "real.json").write_text("old")
    (folder / "link.json").symlink_to("real.json")
    pcsguard("check", "plan.json", "--format", "json=link.json", cwd=folder)
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "real.json").read_text())


def test_a_reader_that_has_seen_enough_takes_no_file_away(folder: Path) -> None:
    line = f"'{COMMAND}' check plan.json --format json --format sarif=out.sarif | head -c 1"
    subprocess.run(["bash", "-c", line], cwd=folder, check=True, capture_output=True)
    assert json.loads((folder / "out.sarif").read_text())
