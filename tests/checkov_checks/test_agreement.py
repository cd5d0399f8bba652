"""checkov and pcsguard say the same of the same files, framework by framework."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from support import checkov, model
from support.checkov import FRAMEWORKS, Framework
from support.differential import fragments, has_kept
from support.faults import faulty
from support.model import Case

from pcs_policies.adapters.checkov.verdict import applies
from pcs_policies.document import Change
from pcs_policies.rules.fragments import Tree
from pcs_policies.rules.hcl_example import AWSCC, resource_type
from pcs_policies.rules.table import RULES, Rule
from pcs_policies.settings import Settings
from pcs_policies.sources.kinds import CDKTF, CLOUDFORMATION, CLOUDFORMATION_TYPE, HCL, PLAN, Kind

KINDS: dict[Framework, Kind] = {
    "terraform": HCL,
    "terraform_plan": PLAN,
    "terraform_json": CDKTF,
    "cloudformation": CLOUDFORMATION,
}


def fixtures(framework: Framework, chosen: Settings) -> dict[str, dict[str, Tree]]:
    """For every rule, groups whose names say what its check has to say of them: ``pass_...`` or ``fail_...``.

    They are the fragments of its documentation; what they are to come to, the model of inputs says.
    """
    kind = KINDS[framework]
    found: dict[str, dict[str, Tree]] = {}
    for name, (rule, _, fragment) in fragments().items():
        type_ = type_of(rule, fragment.group, framework)
        if (
            applies(rule)
            and rule.needs <= kind.carries
            and fragment.settings == chosen
            and not has_kept(fragment.group)
            and model.carries(kind, fragment.group, type_)
        ):
            case = Case(fragment.group, change=Change.CREATE, settings=chosen)
            fails = any(said == rule.id for said, _, _ in model.expected(kind, case, type_))
            found.setdefault(rule.id, {})[f"{'fail' if fails else 'pass'}_{name}"] = fragment.group
    return found


def type_of(rule: Rule, tree: Tree, framework: Framework) -> str:
    """The resource type of a fixture: one that can hold it, unless the rule is about members that a type lacks."""
    if framework == "cloudformation":
        return CLOUDFORMATION_TYPE
    return AWSCC if rule.id == "PCS315" else resource_type(tree)


GENERATED = "generated"
"""The folder of the groups that no rule's documentation has."""


def generated(framework: Framework, count: int) -> dict[str, Tree]:
    """Groups with faults and references. They are the same in every run: none can be made smaller by slow scans."""
    trees: list[Tree] = []

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(faulty(references=True))
    def collect(tree: Tree) -> None:
        if model.carries(KINDS[framework], tree, type_of(RULES[0], tree, framework)):
            trees.append(tree)

    collect()
    return {f"g{index}": tree for index, tree in enumerate(trees)}


# One test for all of a framework, as each start of checkov takes seconds.
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_rule_on_its_fixtures_and_on_generated_groups(framework: Framework, tmp_path: Path) -> None:
    groups = fixtures(framework, Settings())
    checkov.write(tmp_path / GENERATED, generated(framework, 20), framework)
    for rule, named in groups.items():
        types = dict.fromkeys(named, AWSCC) if rule == "PCS315" else None
        checkov.write(tmp_path / rule, named, framework, types)
    said = checkov.scan("-d", ".", "--framework", framework, cwd=tmp_path)
    assert own_checks(said) == {rule: by_name(named) for rule, named in groups.items()}
    assert checkov.differences(said, checkov.pcsguard(tmp_path)) == {}
    judged = {rule.id for rule in RULES if applies(rule) and rule.needs <= KINDS[framework].carries}
    assert groups.keys() == judged
    one_sided = {rule for rule, named in groups.items() if not all(by_name(named).values())}
    assert one_sided == {"PCS106"}  # which has a test of its own below


def test_a_configured_rule_on_its_fixtures(tmp_path: Path) -> None:
    """PCS106, which does nothing without a list of locations, in all frameworks at once."""
    (chosen,) = {fragment.settings for _, _, fragment in fragments().values()} - {Settings()}
    listed = ", ".join(f'"{entry}"' for entry in chosen.allow_list)
    (tmp_path / "pcsguard.toml").write_text(f"allow-list = [{listed}]\n")
    expected = {}
    for framework in FRAMEWORKS:
        groups = fixtures(framework, chosen)
        assert groups.keys() == {"PCS106"}
        checkov.write(tmp_path / framework, groups["PCS106"], framework)
        expected[framework] = by_name(groups["PCS106"])
    said = checkov.scan("-d", ".", cwd=tmp_path)
    assert own_checks(said, "PCS106") == expected
    assert checkov.differences(said, checkov.pcsguard(tmp_path, chosen)) == {}


Sets = dict[str, set[str]]


def by_name(named: dict[str, Tree]) -> Sets:
    """What the names of groups promise: result -> names."""
    return sets({name: "PASSED" if name.startswith("pass") else "FAILED" for name in named})


def own_checks(said: checkov.Results, rule: str = "") -> dict[str, Sets]:
    """What the check of a rule (by default the one that a folder is named after) said, folder by folder."""
    found: dict[str, dict[str, str]] = {}
    for (file, name), results in said.items():
        folder = file.split("/")[1]
        if folder == GENERATED:
            continue
        result = results[checkov.check_id(rule or folder)]
        assert found.setdefault(folder, {}).setdefault(name, result) == result, (file, name)
    return {folder: sets(results) for folder, results in found.items()}


def sets(results: dict[str, str]) -> Sets:
    return {word: {name for name, result in results.items() if result == word} for word in ("PASSED", "FAILED")}
