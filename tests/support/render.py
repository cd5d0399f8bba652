"""Turns a rule's fragment into inputs of every kind, so that one table of cases drives them all."""

from __future__ import annotations

from typing import Any, Literal

from pcs_contract import spelling
from pcs_contract.spelling import FieldSpec
from pcs_policies.document import Change
from pcs_policies.rules.fragments import KEPT, UNKNOWN, Fragment

Json = dict[str, Any]
Flavour = Literal["plain", "null", "computed", "keeping"]

AWSCC = "awscc_pcs_compute_node_group"
ADDRESS = f"{AWSCC}.hpc"
READ_ONLY = frozenset({"id", "arn", "status", "errorInfo", "createdAt", "modifiedAt"})

ACTIONS = {
    Change.CREATE: ["create"],
    Change.UPDATE: ["update"],
    Change.REPLACE: ["delete", "create"],
    Change.NO_OP: ["no-op"],
}


def planned(fragment: Fragment, flavour: Flavour = "plain") -> Json:
    """The plan of a rule's fragment."""
    return plan(fragment.group, before=fragment.before, change=fragment.change, flavour=flavour)


def plan(
    fragment: Json,
    *,
    before: Json | None = None,
    change: Change | None = None,
    flavour: Flavour = "plain",
    resource_type: str | None = None,
) -> Json:
    """What ``terraform show -json`` prints for a node group with these values.

    With a ``before`` the group exists, and the plan updates it unless ``change`` says otherwise.

    ``plain`` is a provider that fills defaults in at plan time and knows what is left out; in ``null``, as in this
    project's own provider, what is left out is null; ``computed`` is one that marks whatever is left out "known after
    apply"; ``keeping``, as awscc is, does so only where there is no prior value to keep.

    With a ``resource_type``, there is no key of an attribute that it lacks; without one the group has all of them.
    """
    root = spelling.structure("terraform")
    prior = None if before is None else state_values(before, resource_type)
    after, unknown, configuration = _planned(root, fragment, prior, flavour, top=True)
    for key in _lacking(resource_type):
        after.pop(key, None)
        unknown.pop(key, None)
    effect: Json = {
        "actions": ACTIONS[change or (Change.CREATE if before is None else Change.UPDATE)],
        "before": prior,
        "after": after,
        "after_unknown": unknown,
        "before_sensitive": False,
        "after_sensitive": {},
    }
    kind = resource_type or AWSCC
    resource = {
        "address": f"{kind}.hpc",
        "mode": "managed",
        "type": kind,
        "name": "hpc",
        "provider_name": "registry.terraform.io/hashicorp/awscc",
    }
    return {
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "resource_changes": [{**resource, "change": effect}],
        "configuration": {"root_module": {"resources": [{**resource, "expressions": configuration}]}},
        "complete": True,
        "errored": False,
    }


def state(fragment: Json, *, resource_type: str | None = None) -> Json:
    """What ``terraform show -json`` prints for a state that holds this group."""
    kind = resource_type or AWSCC
    return {
        "format_version": "1.0",
        "terraform_version": "1.11.4",
        "values": {
            "root_module": {
                "resources": [
                    {
                        "address": f"{kind}.hpc",
                        "mode": "managed",
                        "type": kind,
                        "name": "hpc",
                        "values": state_values(fragment, resource_type),
                        "sensitive_values": {},
                    }
                ]
            }
        },
    }


def state_values(fragment: Json, resource_type: str | None = None) -> Json:
    """A group as a provider keeps it: every attribute of its schema, null where it has no value."""
    values = _stored(spelling.structure("terraform"), fragment)
    assert isinstance(values, dict)
    return {key: value for key, value in values.items() if key not in _lacking(resource_type)}


def _lacking(resource_type: str | None) -> frozenset[str]:
    """The attributes that a resource type lacks, as written."""
    lacking = spelling.LACKING[resource_type] if resource_type else frozenset()
    return frozenset(spelling.written(name, "terraform") for name in lacking)


def is_known(value: Any) -> bool:
    """Whether a fragment can stand in an input that has no references."""
    if isinstance(value, dict):
        return all(is_known(item) for item in value.values())
    if isinstance(value, list):
        return all(is_known(item) for item in value)
    return value is not UNKNOWN


def _stored(spec: FieldSpec, value: Any) -> Any:
    if value is None:
        return spec.default
    if spec.kind == "object":
        return {field.written: _stored(field, value.get(field.name)) for field in spec.fields}
    if spec.kind == "list":
        assert spec.item is not None
        return [_stored(spec.item, item) for item in value]
    return value


def _planned(spec: FieldSpec, value: Any, prior: Any, flavour: Flavour, top: bool = False) -> tuple[Json, Json, Json]:
    """The ``after``, ``after_unknown`` and configuration trees of an object."""
    after: Json = {}
    unknown: Json = {}
    written: Json = {}
    for field in spec.fields:
        key = field.written
        earlier = prior.get(key) if isinstance(prior, dict) else None
        if field.name not in value:
            if flavour == "keeping" and earlier is not None:
                after[key] = earlier
            elif flavour in ("computed", "keeping") or (top and field.name in READ_ONLY):
                unknown[key] = True
            else:
                after[key] = field.default if flavour == "plain" else None
            continue
        if value[field.name] is KEPT:
            after[key] = earlier
            continue
        if top:
            written[key] = {"references": ["local.group"]}
        if value[field.name] is UNKNOWN:
            unknown[key] = True
            continue
        after[key], unknown[key], constant = _place(field, value[field.name], earlier, flavour)
        if is_known(value[field.name]):
            written[key] = {"constant_value": constant} if top else constant
    return after, unknown, written


def _place(spec: FieldSpec, value: Any, prior: Any, flavour: Flavour) -> tuple[Any, Any, Any]:
    if spec.kind == "object" and value is not None:
        return _planned(spec, value, prior, flavour)
    if spec.kind == "list" and value is not None:
        assert spec.item is not None
        earlier = prior if isinstance(prior, list) else []
        places = [
            (None, True, None)
            if item is UNKNOWN
            else _place(spec.item, item, earlier[index] if index < len(earlier) else None, flavour)
            for index, item in enumerate(value)
        ]
        return [p[0] for p in places], [p[1] for p in places], [p[2] for p in places]
    return value, False, value
