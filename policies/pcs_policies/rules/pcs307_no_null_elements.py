"""No list has a null in it.

What it checks
    No element of `arguments`, of a stage, of `subnetIds`, `instanceConfigs` or another list is `null`.

Why
    The API has no null: providers drop such an element without a word. Later arguments shift to the left, so a script
    that runs as root takes `$2` for `$1`; a script that was meant to run is not there.

Fix
    Leave the element out of the list (`compact` and `for` expressions do that), or pass an empty text where the
    position matters: arguments may be empty.

Sources
    PCS API reference, NodeLifecycleScript.arguments (0 to 256 characters). terraform-provider-awscc (the translation
    to Cloud Control skips null elements).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract.spelling import FieldSpec
from pcs_policies.document import List, NodeGroup
from pcs_policies.rules.contract_limits import constrained, subject
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS307"
TITLE = "no-null-elements"
SEVERITY = Severity.ERROR

LOCATION = "https://scripts.example.com/mount.sh"


def _arguments(*values: object) -> Tree:
    return actions(bootstrapped=[script("data", LOCATION, checksum=SHA256, arguments=list(values))])


GOOD = (
    Fragment("arguments", _arguments("--target", "/data")),
    Fragment("an empty argument", _arguments("", "/data")),
    Fragment("an argument that is a reference", _arguments(UNKNOWN, "/data")),
)
BAD = (
    Fragment("a null argument", _arguments(None, "/data"), (at("bootstrapped", 0, "arguments[0]"),)),
    Fragment(
        "a null script",
        actions(bootstrapped=[None, script("data", LOCATION, checksum=SHA256)]),
        (at("bootstrapped", 0),),
    ),
    Fragment("a null subnet", {"subnetIds": ["subnet-0123456789abcdef0", None]}, ("subnetIds[1]",)),
)
UNDECIDED: tuple[Fragment, ...] = ()


def _called(path: str, spec: FieldSpec) -> str | None:
    return spec.name or "list" if spec.kind == "list" else None


_lists = constrained(_called)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    for node, name in _lists(group):
        assert isinstance(node, List)
        for item in node.items:
            if not item.absent:
                yield passed(item)
            elif name == "arguments":
                yield failed(
                    item,
                    f"{subject(group, item)} is null: it is dropped, and the script takes the next argument in its "
                    "place",
                    "leave it out, or pass an empty text to keep the positions",
                )
            else:
                yield failed(
                    item, f"{subject(group, item)} is null: it is dropped without a word", "leave it out of the list"
                )
