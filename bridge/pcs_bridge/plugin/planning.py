"""The planned state of a resource, from its configuration and its prior state.

Terraform also sends a proposal of its own, which is not used: it carries the prior value of every computed attribute
that the author removed, so that a removal would never be planned. Here an attribute that is not configured is null,
unless the schema says that the provider computes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pcs_bridge.plugin.paths import Key, Path
from pcs_bridge.plugin.schema import Attribute, Attributes, Nested, Nesting, Schema
from pcs_bridge.plugin.values import UNKNOWN, Object, Unknown, Value, same
from pcs_contract.record import Record


class Planned(Record):
    """`state` is what will be, unknown where apply decides; `replace` are the changes that need another resource."""

    state: Object
    replace: tuple[Path, ...] = ()


def plan(schema: Schema, config: Object, prior: Object | None) -> Planned:
    """Plan a create (`prior` is None) or an update, as the schema's `replaces` and `keeps_prior` say."""
    if prior is None:
        return Planned(_object(schema.attributes, config, None, changing=True))
    settled = _object(schema.attributes, config, prior, changing=False)
    if same(settled, prior, schema.type):
        return Planned(prior)
    # Something changes, so computed values may change with it.
    state = _object(schema.attributes, config, prior, changing=True)
    return Planned(state, tuple(replacing(schema.attributes, state, prior)))


def _object(attributes: Attributes, config: Object, prior: Object | None, *, changing: bool) -> Object:
    return {
        name: _attribute(attribute, config.get(name), _EXISTS_NOT if prior is None else prior.get(name), changing)
        for name, attribute in attributes.items()
    }


class _ExistsNot:
    """There is no prior object, which is not the same as a prior null."""


_EXISTS_NOT: Final = _ExistsNot()


def _attribute(attribute: Attribute, config: Value, prior: Value, changing: bool) -> Value:
    if attribute.write_only:
        return None  # terraform refuses a plan that would store it
    if config is None:
        if not attribute.computed:
            return None
        if isinstance(prior, _ExistsNot):
            return UNKNOWN
        if not changing or (attribute.keeps_prior and prior is not None):
            return prior
        return UNKNOWN
    if isinstance(config, Unknown) or not isinstance(attribute.of, Nested):
        return config
    return _nested(attribute.of, config, None if isinstance(prior, _ExistsNot) else prior, changing)


def _nested(nested: Nested, config: Value, prior: Value, changing: bool) -> Value:
    """Elements are matched with prior ones by key or index, those of sets by what is configured of them."""

    def element(value: Value, before: Value) -> Value:
        if not isinstance(value, dict):
            return value
        return _object(nested.attributes, value, before if isinstance(before, dict) else None, changing=changing)

    match nested.nesting:
        case Nesting.SINGLE:
            return element(config, prior)
        case Nesting.LIST:
            before = prior if isinstance(prior, list) else []
            return [
                element(value, before[index] if index < len(before) else None) for index, value in enumerate(config)
            ]
        case Nesting.MAP:
            entries = prior if isinstance(prior, dict) else {}
            return {key: element(value, entries.get(key)) for key, value in config.items()}
        case Nesting.SET:
            return [element(value, _settled_in(nested, value, prior)) for value in config]


def _settled_in(nested: Nested, value: Value, prior: Value) -> Object | None:
    """The prior element of a set that already is what is configured, if there is one."""
    if not isinstance(value, dict):
        return None
    elements = [old for old in prior if isinstance(old, dict)] if isinstance(prior, list) else []
    for old in elements:
        if same(_object(nested.attributes, value, old, changing=False), old, nested.attributes.type):
            return old
    return None


def replacing(attributes: Attributes, planned: Object, prior: Object, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of changes that the schema marks with `replaces`."""
    for name, attribute in attributes.items():
        here, after, before = (*path, name), planned.get(name), prior.get(name)
        if same(after, before, attribute.type):
            continue
        if attribute.replaces:
            yield here
        elif isinstance(attribute.of, Nested):
            yield from _replacing_within(attribute.of, after, before, here)


def _replacing_within(nested: Nested, after: Value, before: Value, path: Path) -> Iterator[Path]:
    match nested.nesting, after, before:
        case Nesting.SINGLE, dict(), dict():
            yield from replacing(nested.attributes, after, before, path)
        case Nesting.LIST, list(), list():
            for index, (new, old) in enumerate(zip(after, before, strict=False)):
                if isinstance(new, dict) and isinstance(old, dict):
                    yield from replacing(nested.attributes, new, old, (*path, index))
        case Nesting.MAP, dict(), dict():
            for key in after.keys() & before.keys():
                if isinstance(after[key], dict) and isinstance(before[key], dict):
                    yield from replacing(nested.attributes, after[key], before[key], (*path, Key(key)))
