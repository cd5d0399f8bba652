"""Every rule's fragments through the real terraform: plans that create, update and change nothing, and states.

Two runs, one for each flavour of the stand-in provider, hold a group for each fragment. ``null`` leaves null what is
left out; ``keeping``, as awscc does, keeps what there was and makes the rest "known after apply".
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from support import model, render, render_source, terraform
from support.differential import Documents, by_name, fragments, has_kept
from support.groups import complete
from support.model import Case

from pcs_contract import spelling
from pcs_contract.spelling import FieldSpec
from pcs_policies.document import Change
from pcs_policies.rules.fragments import KEPT, Tree
from pcs_policies.rules.hcl_example import PCS, resource_type
from pcs_policies.sources import join
from pcs_policies.sources.detect import open_document
from pcs_policies.sources.kinds import PLAN, STATE, References
from pcs_policies.sources.written import strangers

Flavour = Literal["null", "keeping"]

JOINED = PLAN._replace(references=References.MEMBER)
"""A plan with its source: it tells of references what source does."""

PROVIDERS = """\
terraform {
  required_providers {
    awscc = { source = "hashicorp/awscc" }
    pcs   = { source = "pcsguard/pcs" }
  }
}

"""


class Real(NamedTuple):
    """What terraform made of the cases, by the name of their group."""

    flavour: Flavour
    cases: dict[str, Case]
    types: dict[str, str]
    planned: Documents
    joined: Documents
    stored: Documents


# Which fragments the provider can hold.


def takes(tree: Tree, flavour: Flavour) -> bool:
    """Whether a group gets past the provider's schema: no member that it has not, and all that it requires."""
    return not any(strangers(tree, "api")) and _takes(spelling.structure("terraform"), tree, flavour, demanding=True)


def _takes(spec: FieldSpec, value: Any, flavour: Flavour, *, demanding: bool) -> bool:
    if isinstance(value, dict) and spec.kind == "object":
        there = {name for name, member in value.items() if member is not None and member is not KEPT}
        if demanding and not spec.shape.required <= there:
            return False
        # Below an optional attribute, awscc requires nothing.
        return all(
            _takes(
                field,
                value.get(field.name),
                flavour,
                demanding=demanding and (flavour == "null" or field.name in spec.shape.required),
            )
            for field in spec.fields
        )
    if isinstance(value, list) and spec.item is not None:
        item = spec.item
        return all(
            _takes(item, each, flavour, demanding=demanding) and (each is not None or item.kind != "object")
            for each in value
        )
    return True


def cases_of(flavour: Flavour) -> dict[str, Case]:
    """The fragments that a provider can hold, complete: each as a new group, and as the update or the no-op it can be.

    What is kept from prior state is left out of the configuration: a provider that keeps it does the rest.
    """
    found = {}
    seen = set()
    for name, (_, _, fragment) in fragments().items():
        tree = complete(**fragment.group)
        if flavour == "keeping" and resource_type({**(fragment.before or {}), **tree}) == PCS:
            continue  # that provider keeps nothing: the other flavour has these
        alike = repr((tree, fragment.before, fragment.settings))
        if alike in seen:
            continue  # all rules judge each group, so one will do
        seen.add(alike)
        before = None if fragment.before is None else complete(**fragment.before)
        if (flavour == "null" and has_kept(tree)) or not all(takes(each, flavour) for each in (tree, before) if each):
            continue
        case = Case(_without_kept(tree), settings=fragment.settings)
        found[f"create-{name}"] = case._replace(change=Change.CREATE)
        if before is not None:
            found[f"update-{name}"] = case._replace(before=before, change=Change.UPDATE)
        elif render.is_known(case.tree):
            found[f"same-{name}"] = case._replace(before=case.tree, change=Change.NO_OP)
    return found


def _without_kept(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_kept(member) for key, member in value.items() if member is not KEPT}
    return [_without_kept(item) for item in value] if isinstance(value, list) else value


@contextmanager
def made_by_terraform(flavour: Flavour) -> Iterator[Real]:
    home = Path(tempfile.mkdtemp(prefix="t-"))
    run = terraform.Terraform(home / "work", home, flavour="plain" if flavour == "null" else "computed")
    cases = cases_of(flavour)
    types = {name: resource_type({**(case.before or {}), **case.tree}) for name, case in cases.items()}
    before = {name: case.before for name, case in cases.items() if case.before is not None}
    after = {name: case.tree for name, case in cases.items()}
    run.write(PROVIDERS + render_source.terraform(before, types))
    run.init()
    run.apply()
    state = json.dumps(run.show()).encode()
    run.write(PROVIDERS + render_source.terraform(after, types))
    plan = json.dumps(run.plan("-refresh=false")).encode()
    source = join.open_source(str(run.folder), explicit=True)
    yield Real(
        flavour,
        cases,
        types,
        by_name(open_document(plan, "plan.json"), after, types),
        by_name(open_document(plan, "plan.json", source=source), after, types),
        by_name(open_document(state, "state.json"), before, types),
    )
    shutil.rmtree(home)


Wrong = dict[str, tuple[model.Found, model.Found]]
"""The groups of which rules say something else than they should: ``(only said, only expected)``."""


def rendered(real: Real, name: str) -> Any:
    """The plan that the renderer makes of a case: with it, what the other differential test says holds for terraform.

    Whether an update changes anything is for terraform to say.
    """
    case = real.cases[name]
    plan = render.plan(
        case.tree,
        before=case.before,
        change=real.planned[name].change,
        flavour=real.flavour,
        resource_type=real.types[name],
    )
    (group,) = open_document(json.dumps(plan).encode(), "plan.json").groups
    return group


def wrong(said: dict[str, model.Found], should: dict[str, model.Found]) -> Wrong:
    return {name: (said[name] - should[name], should[name] - said[name]) for name in said if said[name] != should[name]}


def terraform_plans_what_the_renderer_does(real: Real) -> Wrong:
    said = {n: model.found(PLAN, group, real.cases[n].settings) for n, group in real.planned.items()}
    return wrong(said, {n: model.found(PLAN, rendered(real, n), real.cases[n].settings) for n in said})


def new_groups_give_what_they_should(real: Real) -> Wrong:
    """With references, what an all-computed provider leaves open is more: there the join decides."""
    cases = {
        name: case
        for name, case in real.cases.items()
        if case.before is None and (real.flavour == "null" or render.is_known(case.tree))
    }
    said = {n: model.found(PLAN, real.planned[n], case.settings) for n, case in cases.items()}
    return wrong(said, {n: model.expected(PLAN, case, real.types[n]) for n, case in cases.items()})


def joined_with_their_source_new_groups_give_what_source_does(real: Real) -> Wrong:
    cases = {name: case for name, case in real.cases.items() if case.before is None}
    said = {n: model.found(JOINED, real.joined[n], case.settings) for n, case in cases.items()}
    return wrong(said, {n: model.expected(JOINED, case, real.types[n]) for n, case in cases.items()})


def of_a_literal_configuration_the_source_tells_nothing_new(real: Real) -> Wrong:
    cases = {name: case for name, case in real.cases.items() if render.is_known(case.tree)}
    said = {n: model.found(JOINED, real.joined[n], case.settings) for n, case in cases.items()}
    return wrong(said, {n: model.found(PLAN, real.planned[n], case.settings) for n, case in cases.items()})


def a_plan_alone_makes_no_fault_up(real: Real) -> Wrong:
    """What it calls a fault, the join calls one too."""
    found: Wrong = {}
    for name, case in real.cases.items():
        alone = {f for f in model.found(PLAN, real.planned[name], case.settings) if f[1] == "fail"}
        more = alone - model.found(JOINED, real.joined[name], case.settings)
        if case.before is None and more:
            found[name] = (more, set())
    return found


def states_give_what_they_should(real: Real) -> Wrong:
    cases = {name: Case(case.before, settings=case.settings) for name, case in real.cases.items() if case.before}
    said = {n: model.found(STATE, real.stored[n], case.settings) for n, case in cases.items()}
    return wrong(said, {n: model.expected(STATE, case, real.types[n]) for n, case in cases.items()})


CHECKS: tuple[Callable[[Real], Wrong], ...] = (
    terraform_plans_what_the_renderer_does,
    new_groups_give_what_they_should,
    joined_with_their_source_new_groups_give_what_source_does,
    of_a_literal_configuration_the_source_tells_nothing_new,
    a_plan_alone_makes_no_fault_up,
    states_give_what_they_should,
)


# One test for all checks, since each worker of a parallel run would let terraform make its own.
@pytest.mark.parametrize("flavour", ["null", "keeping"])
def test_through_terraform(flavour: Flavour) -> None:
    terraform.require()
    with made_by_terraform(flavour) as real:
        changes = Counter(group.change for group in real.planned.values())
        assert changes.keys() == {Change.CREATE, Change.UPDATE, Change.REPLACE, Change.NO_OP}
        assert changes[Change.CREATE] > 200
        assert changes[Change.NO_OP] > 150
        assert changes[Change.UPDATE] > 15
        found = {check.__name__: check(real) for check in CHECKS}
        assert {name: differences for name, differences in found.items() if differences} == {}
