"""From a template to its compute node groups, and to what keeps it from being checked whole."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pcs_policies.errors import InputError
from pcs_policies.redaction import printable, quote
from pcs_policies.sources.cloudformation.marked import where
from pcs_policies.sources.cloudformation.parameters import Parameters
from pcs_policies.sources.cloudformation.values import Body, Scope
from pcs_policies.sources.cloudformation.waivers import waivers
from pcs_policies.sources.given import Given
from pcs_policies.sources.kinds import CLOUDFORMATION, CLOUDFORMATION_TYPE, Kind
from pcs_policies.sources.reading import Json, Reading
from pcs_policies.sources.written import Position, Written, documents

NESTED_STACK = "AWS::CloudFormation::Stack"
LANGUAGE_EXTENSIONS = "AWS::LanguageExtensions"
HARMLESS = frozenset(
    {
        LANGUAGE_EXTENSIONS,
        "AWS::CodeDeployBlueGreen",
        "AWS::SecretsManager-2020-07-23",
        "AWS::SecretsManager-2024-09-16",
        "AWS::Serverless-2016-10-31",
        "AWS::ServiceCatalog",
    }
)
"""Transforms of AWS's own that neither make node groups nor touch them (user guide, transform reference); what the
language extensions add, such as ``Fn::ForEach``, is told where it is used."""

PROCESSED = "`aws cloudformation get-template --template-stage Processed`"

RESOURCE_TYPE = re.compile(r"[A-Za-z0-9]+(::[A-Za-z0-9]+)+(::MODULE)?")

BodyOf = Callable[[str, Json], Json]
"""Gets a resource by its logical id, as it is known, with the places of all in it."""


def recognises(document: Any) -> bool:
    """Whether a document is a template: by its version, or by resources with types such as ``AWS::PCS::Cluster``."""
    if not isinstance(document, dict):
        return False
    if "AWSTemplateFormatVersion" in document:
        return True
    resources = document.get("Resources")
    return isinstance(resources, dict) and any(
        isinstance(resource, dict) and RESOURCE_TYPE.fullmatch(str(resource.get("Type"))) is not None
        for resource in resources.values()
    )


def read(
    template: Any,
    file: str,
    given: Given,
    *,
    body_of: BodyOf = lambda _, resource: resource,
    within: str | None = None,
) -> Reading:
    """The node groups of a template. Raises :class:`~pcs_policies.errors.InputError`.

    Templates that lie in the folder ``within`` are checked anyway, so nested stacks that use them are not told.
    """
    try:
        return _read(template, file, given, body_of, within)
    except RecursionError:
        raise InputError("the file nests too deep to be a template") from None


def _read(template: Any, file: str, given: Given, body_of: BodyOf, within: str | None) -> Reading:
    if not isinstance(template, dict):
        raise InputError("the template is no object: it has no Resources")
    resources = _section(template, "Resources")
    groups: dict[str, Json] = {}
    for name, resource in resources.items():
        if isinstance(resource, dict) and resource.get("Type") == CLOUDFORMATION_TYPE:
            groups[name] = resource
        elif not name.startswith("Fn::ForEach::"):
            _check(resources, name, resource)
    scope = Scope(
        Parameters(_section(template, "Parameters"), given),
        _section(template, "Mappings"),
        _section(template, "Conditions"),
    )
    return Reading(
        kind=_kind(template),
        groups=documents(_written(groups, file, scope, body_of), CLOUDFORMATION.spelling),
        problems=tuple(_problems(template, resources, groups, file, within)),
    )


def _kind(template: Json) -> Kind:
    """The kind of input, its title with the transforms that are not followed as they change no node group."""
    names = [
        name
        for name in _transform_names(template)
        if isinstance(name, str) and name in HARMLESS and name != LANGUAGE_EXTENSIONS
    ]
    if not names:
        return CLOUDFORMATION
    return CLOUDFORMATION._replace(title=f"{CLOUDFORMATION.title} (as written, without {' and '.join(names)})")


def _section(template: Json, name: str) -> Json:
    """A section of the template; a missing one is empty. Raises :class:`InputError`."""
    section = template.get(name)
    if section is None:
        return {}
    if not isinstance(section, dict):
        raise InputError(f"{where(template, name)}{name} should be an object of named entries; mend the template")
    return section


def _check(resources: Json, name: str, resource: Any) -> None:
    """A resource whose type cannot be told may be a node group."""
    if name == "Fn::Transform":
        return
    if not isinstance(resource, dict) or not isinstance(resource.get("Type"), str):
        raise InputError(
            f"{where(resources, name)}the resource {quote(name)} has no Type, so what it is cannot be told; give it one"
        )


def _written(groups: Mapping[str, Json], file: str, scope: Scope, body_of: BodyOf) -> Iterator[Written]:
    for name, plain in groups.items():
        if scope.conditions.holds(plain.get("Condition")) is False:
            continue  # this stack, with these parameters, has no such group
        try:
            yield _group(name, body_of(name, plain), file, scope)
        except RecursionError:
            raise InputError(f"the resource {quote(name)} nests too deep to be read") from None


def _group(name: str, resource: Json, file: str, scope: Scope) -> Written:
    body = Body(scope)
    metadata = resource.get("Metadata")
    notes = metadata if isinstance(metadata, dict) else {}
    values = body.value(resource.get("Properties", {}))
    construct = notes.get("aws:cdk:path")
    return Written(
        type=CLOUDFORMATION_TYPE,
        name=name,
        values=values,
        file=file,
        positions={**body.positions, **_start(resource)},
        construct=construct if isinstance(construct, str) else None,
        sensitive=_mirror(values, "", body.sensitive),
        waivers=waivers(notes.get("pcsguard"), file),
    )


def _start(resource: Json) -> dict[str, Position]:
    place = getattr(resource, "place", None)
    return {"": place} if isinstance(place, Position) else {}


def _mirror(values: Any, path: str, sensitive: set[str]) -> Any:
    """The ``sensitive`` tree of :func:`~pcs_policies.document.build`."""
    if path in sensitive:
        return True
    if not sensitive:
        return None
    if isinstance(values, dict):
        return {key: _mirror(value, f"{path}.{key}" if path else key, sensitive) for key, value in values.items()}
    if isinstance(values, list):
        return [_mirror(value, f"{path}[{index}]", sensitive) for index, value in enumerate(values)]
    return None


def _problems(
    template: Json, resources: Json, groups: Mapping[str, Json], file: str, within: str | None
) -> Iterator[str]:
    yield from _macros(template)
    loops = [name for name, loop in resources.items() if name.startswith("Fn::ForEach::") and _holds_group(loop)]
    if loops:
        yield (
            f"{where(resources, loops[0])}{quote(loops[0])} makes node groups, which pcsguard does not unroll; check "
            f"the template that CloudFormation makes of it ({PROCESSED})"
        )
    for name, group in groups.items():
        macro = _macro(group)
        if macro:
            yield (
                f"{where(resources, name)}{macro} in {quote(name)} may make anything of what is around it, and is not "
                "followed; check the template that CloudFormation makes of it"
            )
            break
    nested = _nested(resources, file, within)
    if nested:
        yield (
            f"nested stacks are not followed: check {', '.join(map(printable, nested))} too, or the folder that holds "
            "all of them"
        )


def _transform_names(template: Json) -> list[Any]:
    transform = template.get("Transform")
    return transform if isinstance(transform, list) else [] if transform is None else [transform]


def _macros(template: Json) -> Iterator[str]:
    for name in _transform_names(template):
        if isinstance(name, str) and name in HARMLESS:
            continue
        word = quote(name) if isinstance(name, str) else "a macro"
        yield (
            f"{where(template, 'Transform')}{word} transforms the template before it is deployed, and pcsguard judges "
            f"it as it is written; check the result too ({PROCESSED})"
        )


def _holds_group(value: Any) -> bool:
    if isinstance(value, dict):
        return value.get("Type") == CLOUDFORMATION_TYPE or any(map(_holds_group, value.values()))
    return isinstance(value, list) and any(map(_holds_group, value))


def _macro(value: Any) -> str | None:
    """The first macro or loop inside of a resource."""
    found: Iterator[str | None] = iter(())
    if isinstance(value, dict):
        for key in value:
            if key == "Fn::Transform" or key.startswith("Fn::ForEach::"):
                return str(key)
        found = map(_macro, value.values())
    elif isinstance(value, list):
        found = map(_macro, value)
    return next((name for name in found if name), None)


def _nested(resources: Json, file: str, within: str | None) -> list[str]:
    """The local templates of nested stacks that may hold node groups, and that nobody checks by themselves."""
    folder = os.path.dirname(file)
    found: dict[str, None] = {}
    for resource in resources.values():
        if not isinstance(resource, dict) or resource.get("Type") != NESTED_STACK:
            continue
        properties = resource.get("Properties")
        location = properties.get("TemplateURL") if isinstance(properties, dict) else None
        if not isinstance(location, str) or "://" in location:
            continue  # `aws cloudformation package` uploads local ones; the others are deployed from where they are
        path = os.path.normpath(os.path.join(folder, location))
        if within is not None and _inside(path, within):
            continue
        if _may_hold_group(path):
            found[path] = None
    return list(found)


def _inside(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder), ""))


def _may_hold_group(path: str) -> bool:
    """Whether a nested template has a node group, or a nested stack of its own; one that cannot be read may."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return True
    return any(name.encode() in data for name in (CLOUDFORMATION_TYPE, NESTED_STACK))
