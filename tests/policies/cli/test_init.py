"""``pcsguard init``: a file in which every key is explained, and that changes nothing until somebody sets one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from support.pcsguard_cli import pcsguard

from pcs_policies.config_keys import KEYS

WRITTEN = f"pcsguard.toml: {len(KEYS)} keys, explained; none is set yet\n"
EXISTS = "pcsguard: pcsguard.toml exists, and was left as it is; --force replaces it\n"


def test_nothing_is_set_and_every_key_is_there(tmp_path: Path) -> None:
    assert pcsguard("init", cwd=tmp_path) == (0, WRITTEN, "")
    text = (tmp_path / "pcsguard.toml").read_text()
    assert tomllib.loads(text) == {}
    every = tomllib.loads(re.sub(r"^#(?! )", "", text, flags=re.MULTILINE))
    assert every == {key.name: tomllib.loads(f"x = {key.example}")["x"] for key in KEYS}
    assert not re.search(r"]\(|.{121}", text), "a link that leads nowhere, or a line that is too long"


def test_every_line_can_be_set(tmp_path: Path) -> None:
    pcsguard("init", cwd=tmp_path)
    file = tmp_path / "pcsguard.toml"
    file.write_text(re.sub(r"^#(?! |rules)", "", file.read_text(), flags=re.MULTILINE))  # there is no such rule file
    run = pcsguard("rules", cwd=tmp_path)
    assert (run.code, run.err) == (0, "")
    assert "configuration: pcsguard.toml\n" in run.out


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("pcsguard.toml", 'preset = "strict"\n', EXISTS),
        ("pcsguard.toml", "", EXISTS),
        ("pcsguard.toml", "broken =", None),
        ("pyproject.toml", "[tool.pcsguard]\n", "pcsguard: pyproject.toml is the configuration here, and"),
        ("../pcsguard.toml", "", "pcsguard: ../pcsguard.toml is the configuration here, and"),
    ],
    ids=["exists", "exists-empty", "exists-broken", "pyproject", "above"],
)
def test_a_configuration_is_not_taken_out_of_force(tmp_path: Path, file: str, text: str, message: str | None) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / file).write_text(text)
    run = pcsguard("init", cwd=here)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(message or "pcsguard: pcsguard.toml")
    assert (here / file).read_text() == text
    assert (here / "pcsguard.toml").exists() is (file == "pcsguard.toml")

    assert pcsguard("init", "--force", cwd=here) == (0, WRITTEN, "")
    assert (here / "pcsguard.toml").read_text() != text


def test_a_pyproject_of_others_is_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert pcsguard("init", cwd=tmp_path).code == 0


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "pcsguard.toml").mkdir()
    run = pcsguard("init", cwd=tmp_path)
    assert (run.code, run.err) == (2, "pcsguard: pcsguard.toml cannot be written: it is a folder; name a file\n")
