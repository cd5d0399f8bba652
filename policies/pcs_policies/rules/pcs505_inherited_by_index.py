"""No script has taken over the settings of the script that stood at its position.

What it checks
    The checksum, version, arguments, `onError` and `executionPolicy` of a script whose position had a script of
    another name before: none of them is left out of the configuration and filled by the plan with the other script's
    value. (Of the same script, it is a removal that does not happen: PCS503. To the rule that a checksum is stated,
    PCS101, it counts as none in either case.) Where the configuration has references, a checksum or version that both
    scripts have at different locations cannot be decided.

Why
    Providers align list elements by position. A script that is inserted at the top gets what was left out from the one
    that stood there, and each one after it from its neighbour: a foreign checksum makes the download fail and, by
    default, terminates the node; foreign arguments and a foreign `onError` do worse quietly.

Fix
    State all five on every script; then positions do not matter.

Sources
    terraform-plugin-framework issues 709, 717 and 1197 (values aligned by list position). terraform-provider-awscc
    (UseStateForUnknown inside of list elements).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Basis, Leaf, NodeGroup, Stated
from pcs_policies.redaction import label, show
from pcs_policies.rules.changes import inheritable, is_empty, predecessors
from pcs_policies.rules.contract_limits import subject
from pcs_policies.rules.fragments import KEPT, SHA256, UNKNOWN, VERSION, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS505"
TITLE = "inherited-by-index"
SEVERITY = Severity.ERROR
NEEDS = frozenset({"change", "stated"})

S3 = "s3://example-scripts/setup.sh"
OTHER = "s3://example-scripts/network.sh"

_before = actions(
    bootstrapped=[
        script("setup", S3, checksum=SHA256, s3VersionId=VERSION, arguments=["--all"], onError="CONTINUE"),
    ]
)

GOOD = (
    Fragment("a new group", actions(bootstrapped=[script("network", OTHER)])),
    Fragment(
        "all stated",
        actions(bootstrapped=[script("network", OTHER, checksum="0" * 63 + "1", onError="CONTINUE", arguments=["-v"])]),
        before=_before,
    ),
    Fragment("the same script", actions(bootstrapped=[script("setup", S3, checksum=KEPT)]), before=_before),
    Fragment(
        "the default, which holds anyway",
        actions(bootstrapped=[script("network", OTHER, executionPolicy=KEPT)]),
        before=_before,
    ),
    Fragment(
        "a script that was renamed, and a reference",
        actions(bootstrapped=[script("prepare", S3, checksum=SHA256, onError=UNKNOWN)]),
        before=_before,
    ),
)
BAD = (
    Fragment(
        "a script inserted at the top",
        actions(
            bootstrapped=[
                script("network", OTHER, checksum=KEPT, s3VersionId=KEPT, arguments=KEPT, onError=KEPT),
                script("setup", S3, checksum=SHA256, s3VersionId=VERSION, arguments=["--all"], onError="CONTINUE"),
            ]
        ),
        (
            at("bootstrapped", 0, "scriptSource.checksum"),
            at("bootstrapped", 0, "scriptSource.s3VersionId"),
            at("bootstrapped", 0, "arguments"),
            at("bootstrapped", 0, "onError"),
        ),
        before=_before,
    ),
)
UNDECIDED = (
    Fragment(
        "another location with the same checksum, and a reference",
        actions(bootstrapped=[script("network", OTHER, checksum=SHA256, onError=UNKNOWN)]),
        (at("bootstrapped", 0, "scriptSource.checksum"),),
        before=_before,
    ),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    for entry, earlier in predecessors(group):
        for node in inheritable(entry):
            if node.unset and node.basis is Basis.PRIOR_STATE and not is_empty(node):
                value = show(node) if isinstance(node, Leaf) else "the values"
                yield failed(
                    node,
                    f"{subject(group, node)} is not in the configuration: the plan gives it {value} of "
                    f"{label(earlier)}, which stood at this position",
                    "state it; a script that states all five does not depend on its position",
                )
            elif node.stated is not Stated.MAYBE:
                yield passed(node)
        if entry.location.text is None or entry.location.text == earlier.location.text:
            continue
        for pin, other in ((entry.checksum, earlier.checksum), (entry.version, earlier.version)):
            if pin.text and pin.text == other.text and pin.stated is Stated.MAYBE:
                yield undecided(
                    pin,
                    f"{subject(group, pin)} is that of {label(earlier)}, which stood at this position, at another "
                    "location: whether the configuration states it cannot be told",
                )
