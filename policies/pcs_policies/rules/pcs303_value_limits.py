"""Texts and numbers are within the limits of the API.

What it checks
    The length and the pattern of names, checksums, version ids, arguments, ARNs, ids and tags, and the range of counts
    and times, are those of the API. The pattern of script locations is the business of PCS102; of them only the length
    counts here. What only apply reveals is left to the API, which refuses it in the open.

Why
    CloudFormation, awscc and boto3 check only some of these limits. PCS refuses the request, in the middle of an
    apply.

Fix
    Use a value of the form that the finding tells. To leave a member out on a condition, use `null`, not an empty
    text.

Sources
    PCS API reference (length constraints, patterns and valid ranges of each member); the limits of
    UpdateComputeNodeGroup where that takes an empty text to remove a value.
"""

import re
from collections.abc import Iterator
from functools import cache

from pcs_contract.record import Record
from pcs_contract.shapes import Shape, shape
from pcs_contract.spelling import FieldSpec
from pcs_policies.document import Change, Leaf, NodeGroup, Object, Template
from pcs_policies.redaction import quote, show
from pcs_policies.rules.contract_limits import THROUGH_CLOUDFORMATION, constrained, subject
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS303"
TITLE = "value-limits"
SEVERITY = Severity.ERROR

S3 = "s3://example-scripts/motd.sh"


def _named(name: object) -> Tree:
    return actions(ready=[script(name, S3, checksum=SHA256)])


def _script(**members: object) -> Tree:
    return actions(ready=[script("motd", S3, **members)])


GOOD = (
    Fragment("a script", _script(checksum=SHA256, s3VersionId=VERSION, arguments=["--text", ""])),
    Fragment("a checksum in upper case", _script(checksum=SHA256.upper())),
    Fragment("a name with spaces", _named("Message of the day_2-b")),
    Fragment("a reference", _script(checksum=UNKNOWN)),
    Fragment("the longest group name", {"name": "c" * 25, "tags": {"team": ""}}),
    Fragment("bounds of scaling", {"scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 0}}),
    Fragment("the group's own idle time", {"slurmConfiguration": {"scaleDownIdleTimeInSeconds": 600}}),
)
BAD = (
    Fragment("a short group name", {"name": "ab"}, ("name",)),
    Fragment("a long group name", {"name": "c" * 26}, ("name",)),
    Fragment("a group name with an underscore", {"name": "hpc_nodes"}, ("name",)),
    Fragment("a group name with the prefix of ids", {"name": "pcs_nodes"}, ("name",)),
    Fragment("an empty script name", _named(""), (at("ready", 0, "name"),)),
    Fragment("a long script name", _named("x" * 65), (at("ready", 0, "name"),)),
    Fragment("a script name with a dot", _named("motd.sh"), (at("ready", 0, "name"),)),
    Fragment("a checksum that is too short", _script(checksum=SHA256[:40]), (at("ready", 0, "scriptSource.checksum"),)),
    Fragment(
        "a checksum in base64",
        _script(checksum="n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="),
        (at("ready", 0, "scriptSource.checksum"),),
    ),
    Fragment("an empty checksum", _script(checksum=""), (at("ready", 0, "scriptSource.checksum"),)),
    Fragment("a long version id", _script(s3VersionId="v" * 1025), (at("ready", 0, "scriptSource.s3VersionId"),)),
    Fragment(
        "a long location",
        actions(ready=[script("motd", S3 + "x" * 1000)]),
        (at("ready", 0, "scriptSource.scriptLocation"),),
    ),
    Fragment("a long argument", _script(arguments=["a", "b" * 257]), (at("ready", 0, "arguments[1]"),)),
    Fragment("the name of a cluster that cannot be", {"clusterId": "my_cluster"}, ("clusterId",)),
    Fragment(
        "the ARN of a role",
        {"iamInstanceProfileArn": "arn:aws:iam::123456789012:role/AWSPCS-compute"},
        ("iamInstanceProfileArn",),
    ),
    Fragment("an empty AMI", {"amiId": ""}, ("amiId",)),
    Fragment(
        "a negative count",
        {"scalingConfiguration": {"minInstanceCount": -1, "maxInstanceCount": 8}},
        ("scalingConfiguration.minInstanceCount",),
    ),
    Fragment(
        "an idle time below -1",
        {"slurmConfiguration": {"scaleDownIdleTimeInSeconds": -2}},
        ("slurmConfiguration.scaleDownIdleTimeInSeconds",),
    ),
    Fragment("a long tag", {"tags": {"team": "x" * 257}}, ("tags.team",)),
    Fragment("a long tag name", {"tags": {"t" * 129: "x"}}, ("tags." + "t" * 129,)),
)
UNDECIDED: tuple[Fragment, ...] = ()


class Limit(Record):
    """The limits of a text, a number, or (of a map) of its keys."""

    min: int | None
    max: int | None
    pattern: str | None
    when_updating: "Limit | None" = None
    """Limits that an update takes as well."""

    @classmethod
    def of(cls, shape: Shape) -> "Limit | None":
        limit = cls(shape.min, shape.max, shape.pattern)
        return None if limit == (None, None, None, None) else limit

    def takes(self, text: str) -> bool:
        return self.takes_number(len(text)) and (
            self.pattern is None or _compiled(self.pattern).fullmatch(text) is not None
        )

    def takes_number(self, number: int) -> bool:
        return (self.min is None or number >= self.min) and (self.max is None or number <= self.max)

    @property
    def bounds(self) -> str:
        """``3 to 25``, ``exactly 64``, ``at most 1024``; empty without bounds."""
        if self.max is None:
            return f"at least {self.min}" if self.min is not None else ""
        if self.min == self.max:
            return f"exactly {self.max}"
        return f"{self.min} to {self.max}" if self.min else f"at most {self.max}"

    @property
    def form(self) -> str:
        """What a text has to be."""
        length = f"{self.bounds} characters" if self.bounds else "a value"
        return (
            f"{length} that match {self.pattern}"
            if self.pattern and self.bounds
            else (f"a value that matches {self.pattern}" if self.pattern else length)
        )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


updates = shape("UpdateComputeNodeGroupRequest").members


def _limit_of(path: str, spec: FieldSpec) -> Limit | None:
    if spec.kind == "map":
        return Limit.of(spec.shape.key) if spec.shape.key else None
    if spec.kind not in ("string", "integer"):
        return None
    limit = Limit.of(spec.shape)
    if path.endswith(".scriptLocation"):
        return Limit(None, spec.shape.max, None)
    if limit is not None and path in updates and updates[path] is not spec.shape:
        return limit._replace(when_updating=Limit.of(updates[path]))
    return limit


_limits = constrained(_limit_of)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    # CloudFormation has one pattern for both; of other inputs not each tells a request to create from an update.
    creates = group.change in (Change.CREATE, Change.REPLACE) or group.resource_type in THROUGH_CLOUDFORMATION
    for node, limit in _limits(group):
        if isinstance(node, Leaf):
            value = node.value
            if isinstance(value, str):
                if limit.takes(value) or (not creates and limit.when_updating and limit.when_updating.takes(value)):
                    yield passed(node)
                else:
                    yield _refused(group, node, limit, len(value))
            elif isinstance(value, int):
                yield _number(group, node, limit)
            elif isinstance(value, Template) and limit.max is not None:
                literal = sum(len(part) for part in value.parts if part)
                if literal > limit.max:
                    yield _refused(group, node, limit, literal)
        elif isinstance(node, Object):
            yield from _keys(node, limit)


def _number(group: NodeGroup, leaf: Leaf, limit: Limit) -> Verdict:
    assert leaf.number is not None
    if limit.takes_number(leaf.number):
        return passed(leaf)
    return failed(
        leaf,
        f"{subject(group, leaf)} is {show(leaf)}: the API refuses the request, as it takes {limit.bounds}",
        f"use {limit.bounds}",
    )


def _refused(group: NodeGroup, leaf: Leaf, limit: Limit, length: int) -> Verdict:
    how_long = f" ({length} characters)" if limit.bounds and not leaf.sensitive else ""
    return failed(
        leaf,
        f"{subject(group, leaf)} is {show(leaf)}{how_long}: the API refuses it when the group is applied",
        f"use {limit.form}",
    )


def _keys(node: Object, limit: Limit) -> Iterator[Verdict]:
    for key, value in node.fields.items():
        if not limit.takes(key):
            yield failed(
                value,
                f"the name {quote(key)} in {node.path} has {len(key)} characters: the API refuses it",
                f"use a name of {limit.form}",
            )
