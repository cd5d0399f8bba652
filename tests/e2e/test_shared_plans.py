"""Real plans and public ones, with the verdict that each deserves, decided from its content by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from support.pcsguard_cli import check_json

G, H = "awscc_pcs_compute_node_group.g", "awscc_pcs_compute_node_group.h"
STAGE = "nodeLifecycleActions.stages.nodeBootstrapped"
SCRIPT = f"{STAGE}[0]"
READY = "nodeLifecycleActions.stages.nodeReady[0]"
POLICY = "nodeLifecycleActions.scriptCachingPolicy"

# A script in S3 that states name, location and arguments only, in nodeBootstrapped.
NO_CHECKSUM = f"PCS101 {SCRIPT}.scriptSource.checksum"
NO_VERSION = f"PCS104 {SCRIPT}.scriptSource.s3VersionId"
NO_ON_ERROR = f"PCS202 {SCRIPT}.onError"
NO_POLICY = f"PCS202 {SCRIPT}.executionPolicy"
NO_LOGS = f"PCS208 {STAGE}"
BARE = [NO_CHECKSUM, NO_VERSION, NO_ON_ERROR, NO_POLICY, NO_LOGS]
MAYBE_STATED = [f"PCS202? {SCRIPT}.onError", f"PCS202? {SCRIPT}.executionPolicy"]
DRAINS = "PCS501 nodeLifecycleActions"
MAY_FAIL = f"PCS205 {SCRIPT}.onError"  # a mount that goes on when it fails

# What the computed flavour leaves open beside it, as soon as there is a reference.
OPEN = [
    *MAYBE_STATED,
    f"PCS203? {POLICY}",
    f"PCS204? {POLICY}",
    f"PCS205? {SCRIPT}.onError",
    f"PCS208? {STAGE}",
]
SECRETS = {G: [f"PCS108 {SCRIPT}.arguments[1]"], H: [f"PCS108 {SCRIPT}.arguments[{n}]" for n in (0, 1)]}

# All that a stage known after apply can hide.
STAGE_RULES = "101 102 103 104 105 107 108 110 202 205 206 208 209 305 308 309".split()
HIDDEN_STAGE = [f"PCS{rule}? {STAGE}" for rule in STAGE_RULES]
HIDDEN_LOCATION = [
    f"PCS101 {READY}.scriptSource.checksum",
    *(f"PCS{rule}? {READY}.scriptSource.scriptLocation" for rule in (102, 105, 107, 309)),
    f"PCS104? {READY}.scriptSource.s3VersionId",
    f"PCS202? {READY}.onError",
    f"PCS202? {READY}.executionPolicy",
]
LIST, STR = "awscc_pcs_compute_node_group.list", "awscc_pcs_compute_node_group.str"

# Eight groups in modules, with names longer than the API takes.
IN_MODULES = [
    f'module.outer[{o}].module.inner["{i}"].awscc_pcs_compute_node_group.g[{n}]'
    for o in (0, 1)
    for i in ("i.2", "i/1")
    for n in (0, 1)
]
KEYS = ["$${x}", "[0]", "a/b", 'q\\"uote', "sp ace", "x.y", "é"]


class Deserves(NamedTuple):
    """The exit code, and what is said of each group; ``removed`` and ``drifted`` count groups that are not judged."""

    code: int
    said: Mapping[str, Sequence[str]] = {}
    removed: int = 0
    drifted: int = 0


BOTH: dict[str, Deserves] = {
    "after_cli_import": Deserves(0),
    "count": Deserves(1, {f"{G}[{n}]": BARE for n in range(3)}),
    "count_shrink": Deserves(1, {f"{G}[0]": BARE}, removed=2),
    "create": Deserves(1, {G: BARE}),
    "destroy": Deserves(0, removed=1),
    "drift": Deserves(1, {G: [*BARE, DRAINS]}),  # the plan undoes the drift, which drains the nodes
    "drift_norefresh": Deserves(1, {G: BARE}),
    "drift_refresh_only": Deserves(0, drifted=1),
    "for_each": Deserves(1, {f'{G}["{key}"]': BARE for key in KEYS}),
    "forget": Deserves(0, removed=1),
    "gone": Deserves(1, {G: BARE}),
    "import_block": Deserves(1, {H: [*BARE, DRAINS]}),  # imported without actions, which the update adds
    "moved": Deserves(1, {H: BARE}),
    "nested_modules": Deserves(1, {address: [*BARE, "PCS303 name"] for address in IN_MODULES}),
    "noop": Deserves(1, {G: BARE}),
    "provider_schema": Deserves(3),
    "replace": Deserves(1, {G: [*BARE, "PCS502 name"]}),
    "unknown_noop": Deserves(0, {G: [NO_VERSION, NO_LOGS, *MAYBE_STATED]}),  # the checksum is known by now
    "unknown_update": Deserves(
        3,
        {
            G: [
                NO_VERSION,
                NO_LOGS,
                *MAYBE_STATED,
                f"PCS101? {SCRIPT}.scriptSource.checksum",
                "PCS501? nodeLifecycleActions",
            ]
        },
    ),
    "update": Deserves(1, {G: [NO_CHECKSUM, NO_VERSION, NO_POLICY, MAY_FAIL, DRAINS]}),
    "update_remove_actions": Deserves(0, {H: [DRAINS]}),
}
PLAIN: dict[str, Deserves] = {
    "sensitive": Deserves(1, {g: [NO_CHECKSUM, NO_VERSION, NO_LOGS, *MAYBE_STATED, *SECRETS[g]] for g in (G, H)}),
    "terraform_data_nested": Deserves(0),
    "unknown": Deserves(3, {G: [NO_VERSION, NO_LOGS, *MAYBE_STATED, f"PCS101? {SCRIPT}.scriptSource.checksum"]}),
    "unknown_list": Deserves(
        3,
        {
            LIST: HIDDEN_STAGE,
            STR: [*HIDDEN_LOCATION, f"PCS201 {READY}.onError", NO_LOGS],
        },
    ),
    "update_remove_on_error": Deserves(1, {G: [*BARE, DRAINS]}),
}
COMPUTED: dict[str, Deserves] = {
    "sensitive": Deserves(1, {g: [NO_CHECKSUM, NO_VERSION, *OPEN, *SECRETS[g]] for g in (G, H)}),
    "unknown": Deserves(3, {G: [NO_VERSION, *OPEN, f"PCS101? {SCRIPT}.scriptSource.checksum"]}),
    "unknown_list": Deserves(
        3,
        {
            LIST: [*HIDDEN_STAGE, f"PCS203? {POLICY}", f"PCS204? {POLICY}"],
            STR: [
                *HIDDEN_LOCATION,
                f"PCS201? {READY}.onError",
                f"PCS203? {POLICY}",
                f"PCS204? {POLICY}",
                f"PCS208? {STAGE}",
            ],
        },
    ),
    # The removal of on_error is not planned: CONTINUE stays, and nothing terminates.
    "update_remove_on_error": Deserves(
        1, {G: [NO_CHECKSUM, NO_VERSION, NO_ON_ERROR, NO_POLICY, MAY_FAIL, DRAINS, f"PCS503 {SCRIPT}.onError"]}
    ),
}
TABLE = {**BOTH, **PLAIN, **{f"awscc_{name}": entry for name, entry in {**BOTH, **COMPUTED}.items()}}


@pytest.mark.parametrize("name", sorted(TABLE))
def test_a_real_plan_gets_what_it_deserves(plans_dir: Path, name: str) -> None:
    deserves = TABLE[name]
    run = check_json(plans_dir / f"{name}.json")
    assert {address: sorted(said) for address, said in run.places().items()} == {
        address: sorted(said) for address, said in deserves.said.items()
    }
    assert run.code == deserves.code
    (entry,) = run.report["inputs"]
    assert (entry["groups_removed"], entry["groups_only_in_drift"]) == (deserves.removed, deserves.drifted)


def test_every_real_plan_is_in_the_table(plans_dir: Path) -> None:
    assert sorted(path.stem for path in plans_dir.glob("*.json")) == sorted(TABLE)


UNREADABLE = {"terraform-json__testdata__invalid__plan.json"}
STATES = {
    "checkov__tests__terraform__runner__resources__plan__corrupted-tfplan.json",
    "cli__tests__functional__test_child_modules__plan.out.json",
    "terraform-json__testdata__has_checks__state.json",
    "terraform-json__testdata__identity__state.json",
}


def test_no_public_plan_holds_a_node_group_and_one_cannot_be_read(corpus_dir: Path) -> None:
    paths = sorted((corpus_dir / "plans").iterdir())
    assert len(paths) >= 39
    run = check_json(*paths)
    assert run.code == 3
    found = {Path(entry["path"]).name: (entry["kind"], entry["groups"]) for entry in run.report["inputs"]}
    assert found == {
        path.name: (None if path.name in UNREADABLE else "state" if path.name in STATES else "plan", 0)
        for path in paths
    }
    assert {Path(entry["input"]).name for entry in run.report["unchecked"]} == UNREADABLE
