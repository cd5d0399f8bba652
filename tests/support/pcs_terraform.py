"""The real terraform with the provider `pcs` against a local endpoint: configurations as data, in the API's names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from support.pcs import CLUSTER
from support.pcs_groups import NEW
from support.terraform import Terraform

from pcs_bridge.endpoint import Delays, Endpoint, running
from pcs_bridge.provider import install
from pcs_bridge.provider.kinds import NODE_GROUP, Kind
from pcs_contract.spelling import FieldSpec

TYPE: Final = "pcs_compute_node_group"
ADDRESS: Final = f"{TYPE}.hpc"
QUICK: Final = Delays(0.02, 0.02, 0.02)
"""Seconds: long enough for a status under way to be seen."""

Tree = dict[str, Any]


def written(resource: Mapping[str, Any], kind: Kind = NODE_GROUP) -> Tree:
    """A resource in the API's names as terraform has it in JSON. Members of None are left out."""
    tree: Tree = _written(kind.spec, resource)
    return tree


def _written(spec: FieldSpec, value: Any) -> Any:
    if isinstance(value, Mapping) and spec.kind == "object":
        return {
            field.written: _written(field, value[field.name])
            for field in spec.fields
            if value.get(field.name) is not None
        }
    if isinstance(value, list) and spec.item is not None:
        return [_written(spec.item, item) for item in value]
    return value


class Workspace(Terraform):
    """A folder with a configuration, the provider, and an endpoint that has the cluster `hpc`."""

    def __init__(self, folder: Path, mirror: Path, endpoint: Endpoint, env: Mapping[str, str] | None = None) -> None:
        home = folder / "home"
        home.mkdir(parents=True)
        super().__init__(
            folder / "work", home, env={**endpoint.environment, **(env or {})}, configuration=mirror / "terraform.rc"
        )
        self.endpoint = endpoint
        self.pcs = endpoint.client("pcs")

    def configure(self, provider: Tree | None = None, **blocks: Any) -> None:
        """Write the configuration, whose blocks are those of terraform's JSON syntax."""
        document = {
            "terraform": {"required_providers": {"pcs": {"source": install.SOURCE}}},
            "provider": {"pcs": provider or {}},
            **blocks,
        }
        self.write(json.dumps(document, indent=2), "main.tf.json")

    def group(self, *, provider: Tree | None = None, meta: Tree | None = None, **changes: Any) -> None:
        """Write the configuration of a group that differs from NEW by these members, None leaving one out.

        ``meta`` are attributes that are no members of the API: `timeouts`, `count`, `lifecycle` and the like.
        """
        resource = {**written({**NEW, **changes}), **(meta or {})}
        self.configure(provider, resource={TYPE: {"hpc": resource}})

    def groups(self, groups: Mapping[str, Mapping[str, Any]], **more: Any) -> None:
        """Write the configuration of several groups, whole and by the name of their resource."""
        self.configure(resource={TYPE: {name: written(group) for name, group in groups.items()}}, **more)

    def state_of(self, address: str = ADDRESS) -> Tree:
        """The attributes of a resource in the state."""
        resources = self.show()["values"]["root_module"]["resources"]
        (found,) = [resource["values"] for resource in resources if resource["address"] == address]
        assert isinstance(found, dict)
        return found

    def remote(self, name: str = "workers") -> Tree:
        """The group as the endpoint has it."""
        group = self.pcs.get_compute_node_group(clusterIdentifier="hpc", computeNodeGroupIdentifier=name)
        found: Tree = group["computeNodeGroup"]
        return found

    def names(self) -> list[str]:
        """The names of all groups that the endpoint has."""
        groups = self.pcs.list_compute_node_groups(clusterIdentifier="hpc")["computeNodeGroups"]
        return [group["name"] for group in groups]


def changes(plan: Mapping[str, Any]) -> dict[str, list[str]]:
    """What a plan does with groups, by their address; those that it leaves alone are left out."""
    return {
        change["address"]: change["change"]["actions"]
        for change in plan["resource_changes"]
        if change["type"] == TYPE and change["change"]["actions"] != ["no-op"]
    }


@contextmanager
def hpc_endpoint(**options: Any) -> Iterator[Endpoint]:
    """An endpoint with the cluster `hpc`, whose operations are over in no time."""
    with running(**{"delays": QUICK, **options}) as endpoint:
        pcs = endpoint.client("pcs")
        pcs.create_cluster(**{**CLUSTER, "size": "LARGE"})
        while pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["status"] != "ACTIVE":
            pass
        yield endpoint


def write_mirror(folder: Path) -> Path:
    """Install the provider into a mirror with a CLI configuration beside it; return the folder."""
    install.write(folder)
    (folder / "terraform.rc").write_text(
        f"disable_checkpoint = true\n{install.cli_configuration(folder)}", encoding="utf-8"
    )
    return folder
