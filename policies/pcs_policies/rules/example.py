"""A rule's fragment as a document, so that documentation shows what pcsguard really says of it."""

from __future__ import annotations

from typing import Any

from pcs_contract import spelling
from pcs_contract.record import Record
from pcs_contract.spelling import FieldSpec
from pcs_policies.document import Below, Change, NodeGroup, build
from pcs_policies.rules.fragments import KEPT, UNKNOWN, Fragment
from pcs_policies.rules.hcl_example import resource_type as resource_type_of
from pcs_policies.sources.written import strangers


class _Trees(Record):
    """A place of a fragment in the parallel trees that a document is built from."""

    value: Any
    unknown: Any
    stated: Any


def document(
    fragment: Fragment, resource_type: str | None = None, *, planned: bool = True, name: str = "hpc"
) -> NodeGroup:
    """The fragment as a plan for the HCL of :func:`~pcs_policies.rules.hcl_example.hcl` gives it.

    Without ``planned``, as that text itself gives it: then there is no change.
    """
    change = fragment.change or (Change.CREATE if fragment.before is None else Change.UPDATE)
    root = spelling.structure("terraform")
    before = _place(root, fragment.before, None).value
    after = _place(root, fragment.group, before)
    # One reference anywhere in an attribute, and a plan tells only that the author wrote the attribute.
    stated = {
        key: Below.MAYBE if _has_reference(after.unknown[key]) else written for key, written in after.stated.items()
    }
    kind = resource_type or resource_type_of(fragment.group)
    return build(
        address=f"{kind}.{name}",
        resource_type=kind,
        spelling="terraform",
        change=change if planned else Change.NONE,
        after=after.value,
        unknown=after.unknown,
        stated=stated,
        before=before,
        strangers=tuple(strangers(fragment.group, "api")),
    )


def _has_reference(unknown: Any) -> bool:
    if isinstance(unknown, dict):
        return any(map(_has_reference, unknown.values()))
    return any(map(_has_reference, unknown)) if isinstance(unknown, list) else unknown is True


def _place(spec: FieldSpec, value: Any, prior: Any) -> _Trees:
    if value is UNKNOWN:
        return _Trees(None, True, "a reference")
    if value is KEPT:
        return _Trees(prior, None, None)
    if isinstance(value, dict) and spec.kind == "object":
        by_name = {field.name: field for field in spec.fields}
        members = {
            by_name[name].written: _place(by_name[name], member, _member(prior, by_name[name].written))
            for name, member in value.items()
            if name in by_name
        }
        return _Trees(*({key: trees[tree] for key, trees in members.items()} for tree in range(3)))
    if isinstance(value, list):
        assert spec.item is not None, f"{spec.name} is no list"
        items = [_place(spec.item, item, _item(prior, index)) for index, item in enumerate(value)]
        return _Trees(*([trees[tree] for trees in items] for tree in range(3)))
    return _Trees(value, None, value)


def _member(prior: Any, key: str) -> Any:
    return prior.get(key) if isinstance(prior, dict) else None


def _item(prior: Any, index: int) -> Any:
    return prior[index] if isinstance(prior, list) and index < len(prior) else None
