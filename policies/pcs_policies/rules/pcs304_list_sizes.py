"""Lists have as many entries as the API takes.

What it checks
    A stage, where it is given, has 1 to 20 scripts; a script has at most 20 arguments, a group at most 200 tags. Where
    `stages` is given, it has at least one stage.

Why
    PCS refuses the request, in the middle of an apply. An empty list of scripts is no way to remove them:
    CloudFormation refuses it, awscc refuses it at plan time or leaves it out. Without any stage nothing runs, and no
    page of AWS says that it removes the scripts of an existing group.

Fix
    Leave out a stage that has no scripts. Merge scripts, or move work into the image, where there are too many.

Sources
    PCS API reference, NodeLifecycleStages, NodeLifecycleScript.arguments and CreateComputeNodeGroup.tags (array and
    map members). terraform-provider-awscc (empty lists are left out of what is sent).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract.shapes import Shape
from pcs_contract.spelling import FieldSpec
from pcs_policies.document import STAGES, List, Node, NodeGroup, Object
from pcs_policies.rules.contract_limits import constrained, subject
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS304"
TITLE = "list-sizes"
SEVERITY = Severity.ERROR

LOCATION = "https://scripts.example.com/setup.sh"
STAGE = "nodeLifecycleActions.stages.nodeReady"


def _scripts(count: int) -> list[Tree]:
    return [script(f"step {index}", LOCATION, checksum=SHA256) for index in range(count)]


def _arguments(count: int) -> Tree:
    return actions(ready=[script("setup", LOCATION, checksum=SHA256, arguments=["x"] * count)])


GOOD = (
    Fragment("20 scripts", actions(bootstrapped=_scripts(20), ready=_scripts(20))),
    Fragment("20 arguments", _arguments(20)),
    Fragment("no arguments", _arguments(0)),
    Fragment("a stage that is a reference", actions(ready=UNKNOWN)),
    Fragment("no tags", {"tags": {}}),
)
BAD = (
    Fragment("21 scripts", actions(ready=_scripts(21)), (STAGE,)),
    Fragment("an empty stage", actions(ready=[]), (STAGE,)),
    Fragment("no stage", actions(), ("nodeLifecycleActions.stages",)),
    Fragment("21 arguments", _arguments(21), (at("ready", 0, "arguments"),)),
    Fragment("201 tags", {"tags": {f"tag{index}": "x" for index in range(201)}}, ("tags",)),
)
UNDECIDED: tuple[Fragment, ...] = ()


def _size_of(path: str, spec: FieldSpec) -> Shape | None:
    bounded = spec.kind in ("list", "map") and (spec.shape.min or spec.shape.max)
    return spec.shape if bounded else None


_sized = constrained(_size_of)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    stages = group.actions.object("stages")
    if stages.known and not stages.unset and all(stages.child(stage).absent for stage in STAGES):
        yield failed(
            stages,
            "nodeLifecycleActions has no stage, so nothing runs; AWS does not say that this removes existing scripts",
            "add a stage with scripts, or leave nodeLifecycleActions out",
        )
    for node, shape in _sized(group):
        size = _size(node)
        if size is None:
            continue
        # Clients leave an empty map out, but an empty stage is sent, or refused before that.
        if size < (shape.min or 0) and isinstance(node, List):
            yield failed(
                node,
                f"{subject(group, node)} is an empty list: the API takes {_range(shape)} entries and refuses the "
                "request",
                "leave it out, or give it an entry",
            )
        elif shape.max is not None and size > shape.max:
            yield failed(
                node,
                f"{subject(group, node)} has {size} entries: the API takes {_range(shape)} and refuses the request",
                f"leave {_range(shape)}",
            )
        else:
            yield passed(node)


def _size(node: Node) -> int | None:
    if not node.known:
        return None
    if isinstance(node, List):
        return len(node.items)
    return len(node.fields) if isinstance(node, Object) else None


def _range(shape: Shape) -> str:
    return f"{shape.min} to {shape.max}" if shape.min else f"at most {shape.max}"
