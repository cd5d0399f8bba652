"""The vocabulary of the GOOD, BAD and UNDECIDED fragments that every rule file carries.

A fragment is a part of a node group in the API's names: just what the rule looks at. Documentation shows it as
HCL, and the tests turn it into every kind of input that can carry it.
"""

from pcs_contract.hints import Any
from pcs_contract.record import Record
from pcs_policies.document import Change
from pcs_policies.settings import Settings

UNKNOWN: Any = "${known.after.apply}"
"""Stands in a fragment for a value that a reference gives and that only apply reveals."""

KEPT: Any = "${kept.from.prior.state}"
"""Stands in a fragment with a ``before`` for a value that the author left out and the provider carries over."""

SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
"""A plausible checksum (of the text ``test``)."""

VERSION = "3HL4kqtJvjVBH40Nrjfkd"
"""A plausible S3 version id."""

Tree = dict[str, Any]


class Fragment(Record):
    """A case of a rule: ``at`` lists the places (canonical leaf paths) that get the verdict, all of them.

    ``change`` is what a plan does with the group: by default it makes the group, or updates what was ``before``.
    ``settings`` are those of a run that shows it, for rules that do nothing unless they are configured.
    """

    title: str
    group: Tree
    at: tuple[str, ...] = ()
    before: Tree | None = None
    change: Change | None = None
    settings: Settings = Settings()


def script(name: Any, location: Any, **members: Any) -> Tree:
    """A script; ``checksum`` and ``s3VersionId`` are put beside the location, other members beside the name."""
    source = {"scriptLocation": location}
    source.update({key: members.pop(key) for key in ("s3VersionId", "checksum") if key in members})
    return {"name": name, "scriptSource": source, **members}


def actions(bootstrapped: Any = None, ready: Any = None, caching: Any = None) -> Tree:
    """A node group that has these scripts; ``None`` leaves a member out."""
    stages = {"nodeBootstrapped": bootstrapped, "nodeReady": ready}
    value: Tree = {"stages": {key: scripts for key, scripts in stages.items() if scripts is not None}}
    if caching is not None:
        value["scriptCachingPolicy"] = caching
    return {"nodeLifecycleActions": value}


def at(stage: str, index: int, member: str = "") -> str:
    """The path of a script, or of a member of it."""
    short = {"bootstrapped": "nodeBootstrapped", "ready": "nodeReady"}[stage]
    path = f"nodeLifecycleActions.stages.{short}[{index}]"
    return f"{path}.{member}" if member else path
