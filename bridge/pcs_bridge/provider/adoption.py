"""Resources that exist already: what `terraform import` names, and what a `moved` block brings from elsewhere."""

from __future__ import annotations

import re
from typing import Final

from pcs_bridge.plugin.diagnostics import Failed, error
from pcs_bridge.plugin.provider import MovedFrom
from pcs_bridge.plugin.schema import Schema
from pcs_bridge.plugin.values import Object, Value, WrongValue, from_stored
from pcs_bridge.provider import meaning, tags
from pcs_bridge.provider.kinds import Kind

OTHER: Final = ("hashicorp", "awscc")
"""The provider whose resources can be moved here: its attributes have the same names and meanings."""

OWN: Final = ("pcsguard", "pcs")
"""This provider, which has another address where it comes from another host."""

NOTE: Final = b"adopted"
"""What is kept with a resource that was imported, or moved from awscc, and not changed since."""


def imported(kind: Kind, identifier: str) -> Object:
    """What an identifier says of a resource: enough to read it. Raises Failed.

    It is the ARN, or what names the resource in AWS: the name or id of a cluster, and behind a slash that of a group
    or queue.
    """
    names = [kind.fields[name] for name in kind.identifiers.values()]
    arn = _arn(kind).fullmatch(identifier)
    parts = list(arn.groups()) if arn is not None else identifier.split("/")
    if len(parts) != len(names) or not all(
        re.fullmatch(kind.call("Get").input.members[member].pattern or "", part, re.ASCII)
        for member, part in zip(kind.identifiers, parts, strict=False)
    ):
        forms = "/".join(field.written.upper() for field in names)
        raise Failed(
            error(
                f"The identifier is none of a {kind.noun}",
                f"It has to be {forms}, each the id or the name, or the ARN of the {kind.noun}.",
            )
        )
    return {field.written: part for field, part in zip(names, parts, strict=True)}


def _arn(kind: Kind) -> re.Pattern[str]:
    """The ARNs of a kind (service authorization reference, AWS PCS)."""
    below = "" if kind.parent is None else rf"/{kind.operation.lower()}/(\w+)"
    return re.compile(rf"arn:aws[a-z-]*:pcs:[a-z0-9-]+:\d+:cluster/(\w+){below}", re.ASCII)


def moved(kind: Kind, schema: Schema, source: MovedFrom) -> Object | None:
    """The state of a resource that another provider had; None for a resource that cannot be moved. Raises Failed.

    That provider fills in what the author left out, so what has no effect is left out again.
    """
    if is_own(source, kind.type_name):
        return fitted(schema, source)
    if not _is_of(source.provider, OTHER) or source.resource_type != f"awscc_{kind.type_name}":
        return None
    state = fitted(schema, source)
    said = {field.written: meaning.settled(kind, field, None, state.get(field.written)) for field in kind.settable}
    return {**state, **said, tags.ALL: said.get(tags.OWN) or {}, "id": state.get("arn")}


def worded(kind: Kind, config: Object, prior: Object) -> Object:
    """A configuration that means the same to PCS as an adopted state, in the words of that, where it states no more.

    Such a state has the words of PCS, not the author's: its order of lists, and defaults that nobody stated. Terraform
    accepts a prior value in place of a configured one, but never in place of null or the other way round.
    """
    names = [
        field.written
        for field in kind.settable
        if config[field.written] is not None and _states_no_more(config[field.written], prior[field.written])
    ]
    return {**config, **{name: prior[name] for name in names}}


def _states_no_more(config: Value, prior: Value) -> bool:
    """Whether all that is not null in a configuration is not null in a prior value either."""
    match config, prior:
        case None, _:
            return True
        case dict(), dict():
            return all(_states_no_more(value, prior.get(name)) for name, value in config.items())
        case list(), list():
            return all(
                _states_no_more(value, prior[index] if index < len(prior) else None)
                for index, value in enumerate(config)
            )
    return prior is not None


def is_own(source: MovedFrom, type_name: str) -> bool:
    """Whether a resource of this very type only has another address of this provider."""
    return _is_of(source.provider, OWN) and source.resource_type == type_name


def _is_of(address: str, provider: tuple[str, str]) -> bool:
    """Whether an address, such as `registry.terraform.io/hashicorp/awscc`, is that of a provider.

    OpenTofu before 1.12 says `awscc` only.
    """
    return address == provider[1] or address.split("/")[-2:] == list(provider)


def fitted(schema: Schema, source: MovedFrom) -> Object:
    """The attributes of a state that a schema has. Raises Failed."""
    try:
        return from_stored(source.state, schema.type)
    except WrongValue as wrong:
        raise Failed(
            error(
                "The resource cannot be moved",
                f"Its state is not as expected: {wrong}. Import the resource instead, and remove the other one from "
                "the state.",
            )
        ) from None
