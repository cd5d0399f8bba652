"""The app of `cdktf.json`: its settings, its environments, and where the state is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import cdk_app
from support.cdk_app import TOOLKITS, Toolkit
from support.pcsguard_cli import check_json

from pcs_stacks.settings import SettingsError, read

ROOT = Path(__file__).resolve().parents[2]
STACKS = ROOT / "stacks"
SETTINGS = (STACKS / "hpc.toml").read_text(encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a project; its program is `main.py`."""
    shutil.copy(STACKS / "main.py", tmp_path)
    for name in ("hpc.toml", "scripts"):
        copy = shutil.copytree if (STACKS / name).is_dir() else shutil.copy
        (tmp_path / "stacks").mkdir(exist_ok=True)
        copy(STACKS / name, tmp_path / "stacks" / name)
    return tmp_path


def synthesized(project: Path, toolkit: Toolkit = "cdktf", **context: str) -> cdk_app.Run:
    said = json.dumps(context)
    return cdk_app.run(project / "main.py", out=project / "cdktf.out", toolkit=toolkit, CDKTF_CONTEXT_JSON=said)


def groups(stack: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """The bounds of each group."""
    bounds = {}
    for group in stack["resource"]["pcs_compute_node_group"].values():
        scaling = group["scaling_configuration"]
        bounds[group["name"]] = (scaling["min_instance_count"], scaling["max_instance_count"])
    return bounds


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_the_cluster_has_nothing_to_find(project: Path, toolkit: Toolkit) -> None:
    stack = synthesized(project, toolkit).ok().stack("hpc-dev")
    assert groups(stack) == {"login": (1, 1), "on-demand": (0, 8), "spot": (0, 16), "gpu": (0, 2)}
    assert {queue["name"] for queue in stack["resource"]["pcs_queue"].values()} == {"on-demand", "spot", "gpu"}
    assert stack["terraform"]["backend"].keys() == {"local"}
    checked = check_json("cdktf.out", cwd=project)
    assert (checked.code, checked.places()) == (0, {})


def test_an_environment_replaces_what_it_names(project: Path) -> None:
    stack = synthesized(project, environment="prod").ok().stack("hpc-prod")
    assert groups(stack) == {"login": (1, 1), "on-demand": (0, 128), "spot": (0, 256), "gpu": (0, 16)}
    (cluster,) = stack["resource"]["pcs_cluster"].values()
    assert (cluster["name"], cluster["size"], cluster["scheduler"]["version"]) == ("hpc-prod", "MEDIUM", "26.05")
    assert stack["terraform"]["backend"] == {
        "s3": {
            "bucket": "example-terraform-state",
            "encrypt": True,
            "key": "hpc/prod.tfstate",
            "region": "us-east-1",
            "use_lockfile": True,
        }
    }


def test_the_state_may_be_behind_http(project: Path) -> None:
    state = '[environments.lab.state]\ntype = "http"\naddress = "https://git.example.com/state/hpc"\n'
    (project / "lab.toml").write_text(SETTINGS + state, encoding="utf-8")
    stack = synthesized(project, environment="lab", settings="lab.toml").ok().stack("hpc-lab")
    lock = "https://git.example.com/state/hpc/lock"
    assert stack["terraform"]["backend"] == {
        "http": {
            "address": "https://git.example.com/state/hpc",
            "lock_address": lock,
            "lock_method": "POST",
            "unlock_address": lock,
            "unlock_method": "DELETE",
        }
    }


def test_what_is_wrong_is_told_without_a_traceback(project: Path) -> None:
    ran = synthesized(project, environment="prd")
    assert (ran.code, ran.stderr) == (
        2,
        "stacks/hpc.toml: there is no environment 'prd' (did you mean 'prod'?); it has dev, prod\n",
    )
    wrong = SETTINGS.replace("max = 16\n", "max = 16\nmin = 20\n", 1)
    assert wrong != SETTINGS
    (project / "stacks" / "hpc.toml").write_text(wrong, encoding="utf-8")
    ran = synthesized(project)
    assert ran.code == 2
    assert "Traceback" not in ran.stderr
    assert ran.stderr.startswith("hpc-dev/spot: pcs_stacks/app.py:")
    assert "(PCS401 scaling-bounds)" in ran.stderr
    assert not list((project / "cdktf.out").rglob("*.tf.json"))


WRONG = {
    "no table": ("[groups.gpu]", "[groups.gpus]", "groups: there is no setting 'gpus' (did you mean 'gpu'?)"),
    "no such key": (
        '48xlarge"]\nmax = 2',
        '48xlarge"]\nmaximum = 2',
        "groups.gpu: there is no setting 'maximum' (did you mean 'max'?)",
    ),
    "a missing key": ('48xlarge"]\nmax = 2\n', '48xlarge"]\n', "groups.gpu: it lacks the setting `max`"),
    "a wrong type": ('48xlarge"]\nmax = 2', '48xlarge"]\nmax = "2"', "groups.gpu.max: expected `int`, got `str`"),
    "an element of a wrong type": ('["p5.48xlarge"]', "[5]", "groups.gpu.instance-types[0]: expected `str`, got `int`"),
    "a wrong value": ('"SMALL"', '"TINY"', "cluster.size: Invalid enum value 'TINY'"),
    "a value for a table": ("[environments.dev]", "[environments]\ndev = 1", "expected `object`, got `int`"),
}


@pytest.mark.parametrize(("old", "new", "message"), WRONG.values(), ids=WRONG)
def test_settings_that_are_none(old: str, new: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "hpc.toml"
    assert SETTINGS.count(old) == 1
    file.write_text(SETTINGS.replace(old, new), encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read(str(file), "dev")
    assert str(caught.value) == f"{file}, environment dev: {message}"


def test_an_environment_is_part_of_the_name_of_its_stack(tmp_path: Path) -> None:
    file = tmp_path / "hpc.toml"
    file.write_text(f'{SETTINGS}\n[environments."my lab"]\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="'my lab' cannot be part of a stack's name; use letters, digits"):
        read(str(file), "my lab")


def test_a_wrong_type_of_state_is_told(tmp_path: Path) -> None:
    file = tmp_path / "hpc.toml"
    file.write_text(SETTINGS.replace('type = "s3"', 'type = "gcs"'), encoding="utf-8")
    with pytest.raises(SettingsError, match=r"environment prod: state\.type: Invalid value 'gcs'"):
        read(str(file), "prod")


UNREADABLE = {
    "not there": (None, "cannot be read: No such file or directory; paths are relative to the folder of cdktf.json"),
    "no TOML": (b"[aws", "is no TOML: Expected ']' at the end of a table declaration (at end of document)"),
    "no text": (b"a = '\xff'", "is no UTF-8: byte 5 cannot be read"),
    "nothing": (b"", "has no environments; add at least [environments.dev]"),
}


@pytest.mark.parametrize(("content", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_files_that_are_no_settings(content: bytes | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "hpc.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        read(str(file), "dev")
    assert str(caught.value) == f"{file} {message}"
