"""The client token of a Create: the same where a run takes up another, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pcs_bridge.provider.client_token import of_create

REQUEST = {"clusterName": "hpc", "size": "SMALL"}


def token(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    request: Mapping[str, object] = REQUEST,
    kind: str = "pcs_cluster",
    environment: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
) -> str:
    """The token of a run in a folder; files lie below `.terraform`."""
    with monkeypatch.context() as patch:
        patch.delenv("TF_WORKSPACE", raising=False)
        patch.delenv("TF_DATA_DIR", raising=False)
        for name, value in (environment or {}).items():
            patch.setenv(name, value)
        (folder / ".terraform").mkdir(parents=True, exist_ok=True)
        for name, text in (files or {}).items():
            (folder / ".terraform" / name).write_text(text, encoding="utf-8")
        patch.chdir(folder)
        return of_create(kind, request)


def backend(key: str, lineage: str = "a") -> str:
    return json.dumps({"version": 3, "lineage": lineage, "backend": {"type": "s3", "config": {"key": key}}})


OTHERS = {
    "request": {"request": {**REQUEST, "size": "LARGE"}},
    "kind": {"kind": "pcs_queue"},
    "workspace": {"files": {"environment": "lab"}},
    "workspace of the environment": {"environment": {"TF_WORKSPACE": "tests"}},
    "backend": {"files": {"terraform.tfstate": backend("other")}},
    "data folder": {"environment": {"TF_DATA_DIR": "elsewhere"}, "files": {"terraform.tfstate": backend("hpc")}},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_another_state_or_request_has_another(
    other: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"terraform.tfstate": backend("hpc")}
    first = token(tmp_path, monkeypatch, files=files)
    assert token(tmp_path, monkeypatch, files=files) == first
    assert token(tmp_path, monkeypatch, **other) != first  # type: ignore[arg-type]


def test_another_folder_has_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert token(tmp_path / "a", monkeypatch) != token(tmp_path / "b", monkeypatch)


def test_a_new_terraform_init_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = token(tmp_path, monkeypatch, files={"terraform.tfstate": backend("hpc", lineage="a")})
    assert token(tmp_path, monkeypatch, files={"terraform.tfstate": backend("hpc", lineage="b")}) == first


@pytest.mark.parametrize("text", ["", "{", "[]", '{"backend": null}', '{"backend": {"config": null}}'])
def test_what_terraform_has_not_written_is_passed_over(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert token(tmp_path, monkeypatch, files={"terraform.tfstate": text}) == token(tmp_path, monkeypatch)
