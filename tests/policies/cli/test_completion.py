"""``pcsguard completion``: what shells make of it, asked of the shells."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import shtab
from support.pcsguard_cli import pcsguard

from pcs_policies.cli.commands import COMMANDS
from pcs_policies.cli.completion import SHELLS, whole
from pcs_policies.reports.formats import NAMES


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("", {command.name for command in COMMANDS}),
        ("ch", {"check", "checkov-dir"}),
        ("check --un", {"--undecided"}),
        ("check --undecided ", {"fail", "ignore"}),
        ("check --format ", set(NAMES)),
        ("check --select PCS10", {f"PCS10{digit}" for digit in range(1, 10)}),
        ("explain PCS20", {f"PCS20{digit}" for digit in range(1, 10)}),
        ("check pl", {"plan.json"}),
        ("check --waivers w", {"waivers.toml"}),
        ("completion ", set(SHELLS)),
    ],
)
def test_what_bash_offers(tmp_path: Path, typed: str, offered: set[str]) -> None:
    for name in ("plan.json", "waivers.toml"):
        (tmp_path / name).touch()
    (tmp_path / "pcsguard.bash").write_text(pcsguard("completion", "bash").out)
    words = ["pcsguard", *typed.split(" ")]
    script = (
        f"source pcsguard.bash; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _shtab_pcsguard; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) - {"-h", "--help", "-V", "--version"} == offered, done.stderr


@pytest.mark.parametrize(("shell", "command"), [("zsh", ["zsh", "-n"]), ("tcsh", ["tcsh", "-f"])])
def test_other_shells_can_read_it(tmp_path: Path, shell: str, command: list[str]) -> None:
    run = pcsguard("completion", shell)
    assert (run.code, run.err) == (0, "")
    assert all(entry.name in run.out for entry in COMMANDS)
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    (tmp_path / "script").write_text(run.out)
    done = subprocess.run([*command, "script"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_shell_that_is_not_known() -> None:
    run = pcsguard("completion", "dos")
    assert (run.code, run.out) == (2, "")
    assert "choose from 'bash', 'zsh', 'tcsh'" in run.err


def test_a_command_without_its_extra_is_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pcs_bridge.endpoint.cli", None)  # importing it fails
    text = shtab.complete(whole(), "bash")
    assert "_local_option_strings=(-h --help)" in text
    assert "--undecided" in text
