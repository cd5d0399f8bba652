"""Whole apps, with both toolkits: what they synthesize, and what is said of their mistakes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import cdk_app
from support.cdk_app import TOOLKITS, Toolkit
from support.pcsguard_cli import check_json

from pcs_contract import awscc, shapes, spelling
from pcs_contract.shapes import Shape
from pcs_contract.spelling import snake

HERE = Path(__file__).resolve().parent
APPS = HERE / "apps"


def synthesized(name: str) -> dict[str, Any]:
    """The resources of a golden file by type, without the notes under ``//``."""
    document: dict[str, Any] = json.loads((HERE / "snapshots" / name).read_text(encoding="utf-8"))
    return {
        kind: [{name: value for name, value in body.items() if name != "//"} for body in resources.values()]
        for kind, resources in document["resource"].items()
    }


def of_any_machine(stack: dict[str, Any]) -> str:
    """A stack as JSON, without what differs between toolkits and folders."""
    assert stack["//"]["metadata"].pop("version")
    assert stack["terraform"].pop("backend").keys() == {"local"}
    return json.dumps(stack, indent=2, sort_keys=True) + "\n"


@pytest.mark.parametrize("provider", ["awscc", "pcs"])
@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_what_is_synthesized(toolkit: Toolkit, provider: str, tmp_path: Path, snapshot: Any) -> None:
    """The same for both toolkits, and good enough for all rules."""
    ran = cdk_app.run(APPS / "complete.py", provider, out=tmp_path, toolkit=toolkit).ok()
    assert (ran.stdout, ran.stderr) == ("", "")
    snapshot(of_any_machine(ran.stack()), f"complete-{provider}.json")
    checked = check_json(tmp_path, "--select", "PCS1,PCS2,PCS3,PCS4", PCSGUARD_TODAY="2026-12-01")
    assert checked.code == 0, checked.out
    told = [finding["origin"]["file"] for finding in checked.report["findings"]]
    assert set(told) == {"complete.py"}
    copy = ran.stack()["resource"]["pcs_lifecycle_script"]["lifecycle-script-pcs-scripts-motd-sh"]["source"]
    assert (tmp_path / "stacks" / "hpc" / copy).read_bytes() == (APPS / "files" / "motd.sh").read_bytes()


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_what_is_said_of_mistakes(toolkit: Toolkit, tmp_path: Path, snapshot: Any) -> None:
    ran = cdk_app.run(APPS / "mistakes.py", out=tmp_path, toolkit=toolkit, OUT=str(tmp_path)).ok()
    said: dict[str, tuple[int | None, str]] = json.loads(ran.stdout)
    assert len(said) > 30
    for name, (line, text) in said.items():
        if line is None:
            assert "raw" in name  # nobody knows which line made a resource that is not ours
        else:
            assert f"mistakes.py:{line}:" in text or text.startswith("TypeError"), f"{name}: {line} expected; {text}"
    told = "".join(
        f"{name}\n{re.sub('^', '  ', text.strip(), flags=re.MULTILINE)}\n\n" for name, (_, text) in said.items()
    )
    snapshot(told, "mistakes.txt")


def paths(value: Any, around: str = "") -> Iterator[str]:
    """The paths of what is written in a resource; elements of lists and keys of maps are not marked."""
    for item in value if isinstance(value, list) else [value]:
        for name, member in item.items() if isinstance(item, dict) else ():
            yield around + name
            if name not in ("tags", "gres_custom_settings"):
                yield from paths(member, f"{around}{name}.")


def of_awscc(attributes: awscc.Attributes, around: str = "") -> Iterator[str]:
    for name, attribute in attributes.items():
        if not attribute.get("computed"):
            yield around + name
            yield from of_awscc(attribute.get("nested_type", {}).get("attributes", {}), f"{around}{name}.")


SET_BY_PCS = ("slurm_configuration.auth_key", "slurm_configuration.jwt_auth")
"""What awscc lets an author set, and the Create request of the API has not: PCS makes the keys."""


@pytest.mark.parametrize("kind", sorted(awscc.schemas()))
def test_awscc_gets_each_attribute_that_it_has_and_no_other(kind: str) -> None:
    schema = set(of_awscc(awscc.schemas()[kind]))
    expected = {path for path in schema if not path.startswith(SET_BY_PCS)}
    written = {path for body in synthesized("complete-awscc.json")[kind] for path in paths(body)}
    assert written == expected


@pytest.mark.parametrize("kind", sorted(awscc.schemas()))
def test_types_are_those_of_awscc(kind: str) -> None:
    for body in synthesized("complete-awscc.json")[kind]:
        check_object(awscc.schemas()[kind], body)


def check_object(attributes: awscc.Attributes, value: Any) -> None:
    assert isinstance(value, dict)
    assert {name for name, attribute in attributes.items() if attribute.get("required")} <= value.keys()
    for name, member in value.items():
        nested = attributes[name].get("nested_type")
        if nested is None:
            check_value(attributes[name]["type"], member)
        elif nested["nesting_mode"] == "list":
            assert isinstance(member, list)
            for item in member:
                check_object(nested["attributes"], item)
        else:
            check_object(nested["attributes"], member)


def check_value(type: Any, value: Any) -> None:
    if isinstance(type, list):
        collection, item = type
        assert isinstance(value, list if collection == "list" else dict)
        for each in value if isinstance(value, list) else value.values():
            check_value(item, each)
    else:
        assert isinstance(value, str if type == "string" else int)


def of_shape(shape: Shape, names: dict[str, str], around: str = "") -> Iterator[str]:
    """The paths of a shape of the API, as terraform spells them."""
    for name, child in shape.members.items():
        here = around + names.get(around + name, snake(name))
        yield here
        while child.type == "list" and child.item is not None:
            child = child.item
        yield from of_shape(child, names, here + ".")


REQUESTS = {
    "pcs_cluster": ("CreateClusterRequest", {"clusterName": "name"}),
    "pcs_queue": ("CreateQueueRequest", {"queueName": "name", "clusterIdentifier": "cluster_id"}),
    "pcs_compute_node_group": (
        "CreateComputeNodeGroupRequest",
        {
            "computeNodeGroupName": "name",
            "clusterIdentifier": "cluster_id",
            "custom_launch_template.id": spelling.IRREGULAR["terraform"]["customLaunchTemplate.id"],
        },
    ),
}


@pytest.mark.parametrize("kind", REQUESTS)
def test_pcs_gets_each_member_that_the_api_takes(kind: str) -> None:
    request, names = REQUESTS[kind]
    expected = {path for path in of_shape(shapes.shape(request), names) if path != "client_token"}
    written = {path for body in synthesized("complete-pcs.json")[kind] for path in paths(body)}
    assert written == expected
