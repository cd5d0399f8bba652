"""What the contract says of a configuration, for kinds that have no rules of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pcs_bridge.plugin.diagnostics import Diagnostic, error
from pcs_bridge.plugin.values import Object, Unknown, Value
from pcs_bridge.provider import places
from pcs_bridge.provider.kinds import CLUSTER, Kind
from pcs_contract import facts, limits
from pcs_contract.limits import Problem
from pcs_contract.spelling import FieldSpec


def problems(kind: Kind, config: Object) -> Iterator[Diagnostic]:
    """What PCS would refuse of a configuration, as far as it is known."""
    later: set[str] = set()
    request = {
        field.name: _known(field, config[field.written], field.name, later)
        for field in kind.settable
        # A map without entries is not sent.
        if config.get(field.written) not in (None, {})
    }
    found = [*limits.problems(kind.spec.shape, request), *(_of_cluster(request) if kind is CLUSTER else ())]
    for problem in found:
        if problem.path not in later:
            yield error("AWS PCS does not accept this", f"It {problem.message}.", places.attribute(kind, problem.path))


def _of_cluster(request: dict[str, Any]) -> Iterator[Problem]:
    """What only AWS's text says. Versions of Slurm are for PCS to know: new ones come without a new contract."""
    subnets = (request.get("networking") or {}).get("subnetIds") or ()
    if len(subnets) > facts.CLUSTER_SUBNETS:
        yield Problem("networking.subnetIds", f"must have at most {facts.CLUSTER_SUBNETS} item")
    accounting = (request.get("slurmConfiguration") or {}).get("accounting") or {}
    if accounting.get("defaultPurgeTimeInDays") == facts.NO_PURGE_TIME:
        yield Problem("slurmConfiguration.accounting.defaultPurgeTimeInDays", f"must not be {facts.NO_PURGE_TIME}")


def _known(field: FieldSpec, value: Value, path: str, later: set[str]) -> Any:
    """A value in the API's names. The paths of those that only apply reveals go into `later`; in their place is None,
    whose only problem is to be of no type.
    """
    if isinstance(value, Unknown):
        later.add(path)
        return None
    if value is not None and field.kind == "object":
        return {
            member.name: _known(member, value[member.written], f"{path}.{member.name}", later)
            for member in field.fields
            if value.get(member.written) is not None
        }
    if isinstance(value, list) and field.item is not None:
        return [_known(field.item, element, f"{path}[{index}]", later) for index, element in enumerate(value)]
    if isinstance(value, dict) and field.item is not None:
        return {key: _known(field.item, entry, f"{path}.{key}", later) for key, entry in value.items()}
    return value
