"""`contract.json` is what the installed botocore says, and nothing else."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pcs_contract import extract, shapes


def walk(value: Any) -> list[Any]:
    """Return every key and every scalar of a JSON value."""
    if isinstance(value, dict):
        return [*value, *(found for child in value.values() for found in walk(child))]
    if isinstance(value, list):
        return [found for child in value for found in walk(child)]
    return [value]


def test_contract_has_not_drifted_from_the_installed_botocore() -> None:
    pytest.importorskip("botocore", reason="botocore is not installed, so there is nothing to compare with")
    committed = extract.TARGET.read_text(encoding="utf-8")
    assert extract.render(extract.extract()) == committed, "contract drift: run `make contract`"


def test_contract_names_where_it_came_from() -> None:
    contract = shapes.contract()
    assert {key: contract[key] for key in ("api_version", "json_version", "target_prefix", "endpoint_prefix")} == {
        "api_version": "2023-02-10",
        "json_version": "1.0",
        "target_prefix": "AWSParallelComputingService",
        "endpoint_prefix": "pcs",
    }
    assert contract["botocore"].count(".") == 2


def test_contract_holds_no_prose() -> None:
    words = walk(shapes.contract())
    assert "documentation" not in words
    assert not [word for word in words if isinstance(word, str) and "<p>" in word]


def test_every_shape_that_is_referred_to_is_there_and_no_other() -> None:
    contract = shapes.contract()
    used = {
        name
        for operation in contract["operations"].values()
        for name in (operation["input"], operation["output"], *operation["errors"])
    }
    for facts in contract["shapes"].values():
        used |= {reference["shape"] for reference in facts.get("members", {}).values()}
        used |= {facts[role] for role in ("member", "key", "value") if role in facts}
    assert used == set(contract["shapes"])


def test_rendering_is_sorted_and_repeatable() -> None:
    text = extract.render({"b": 1, "a": {"d": [3, 2], "c": None}})
    assert list(json.loads(text)) == ["a", "b"]
    assert text.endswith("}\n")


def test_write_reports_whether_it_changed_the_file(tmp_path: Path) -> None:
    target = tmp_path / "contract.json"
    assert extract.write("{}\n", target)
    assert not extract.write("{}\n", target)
    assert extract.write("[]\n", target)
    assert target.read_text() == "[]\n"
    assert [path.name for path in tmp_path.iterdir()] == ["contract.json"]


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "contract.json"
    extract.write("old\n", target)

    def refuse(self: Path, mode: int) -> None:
        raise PermissionError(mode)

    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.raises(PermissionError):
        extract.write("new\n", target)
    assert target.read_text() == "old\n"
    assert [path.name for path in tmp_path.iterdir()] == ["contract.json"]


def test_without_botocore_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "botocore", None)
    assert extract.main() == 2
    assert "pip install 'botocore" in capsys.readouterr().err
