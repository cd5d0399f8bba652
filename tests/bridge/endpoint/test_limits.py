"""Every limit that the contract's shapes state, just inside and just outside, at every place of every request.

The values are written out here by shape; the places come from the contract. A value just inside must not be refused at
its place; one just outside must be refused there, and nowhere else.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from botocore.exceptions import ClientError
from support.pcs import CHECKSUM, CLUSTER, GROUP, PROFILE, SECURITY_GROUP, SUBNET, TEMPLATE, Lab, lab, replaced

from pcs_contract.shapes import Shape, operation, operations

HOST_LABEL = "a" * 63


class Values(NamedTuple):
    """Values of a shape, and how the message about a bad one begins."""

    good: tuple[Any, ...]
    bad: tuple[tuple[Any, str], ...]


def one_of(*values: str) -> Values:
    return Values(
        values, (("", "must be one of"), (values[0].swapcase(), "must be one of"), ("OTHER", "must be one of"))
    )


def text(shortest: int, longest: int, character: str = "a") -> Values:
    bad = [(character * (longest + 1), f"must have at most {longest} character")]
    if shortest:
        bad.append((character * (shortest - 1), f"must have at least {shortest} character"))
    return Values((character * shortest, character * longest), tuple(bad))


def number(least: int, most: int | None) -> Values:
    bad = [(least - 1, f"must be at least {least}")]
    if most is not None:
        bad.append((most + 1, f"must be at most {most}"))
    return Values((least, most if most is not None else 2**31 - 1), tuple(bad))


def pattern(*values: str) -> tuple[tuple[str, str], ...]:
    return tuple((value, "must match") for value in values)


def named(longest: int) -> Values:
    return Values(
        ("abc", "a" * longest, "A-1", "pcs-1"),
        (
            *text(3, longest).bad,
            *pattern("1abc", "a_bc", "pcs_abc", "a bc", "-abc", "abc\n", "abcé"),
        ),
    )


def identifier(longest: int) -> Values:
    return Values(
        ("abc", "a" * longest, "pcs_a", f"pcs_{'a' * 900}"),
        pattern("", "ab", "a" * (longest + 1), "pcs_", "pcs_a-b", "abc\n", "PCS_abc", f"pcs_{'a' * 1000}"),
    )


MODE = one_of("STANDARD", "NONE")
REPAIR = one_of("AUTO", "REPLACE", "ISOLATE", "NONE")
CLUSTER_IDLE = number(1, 10_000_000)
GROUP_IDLE = number(-1, 10_000_000)
PURGE = Values((-1, 1, 10_000), ((-2, "must be at least -1"), (10_001, "must be at most 10000")))
S3_VERSION = text(0, 1024)
SUM = Values(
    ("A" * 64, CHECKSUM),
    (
        (CHECKSUM + "0", "must have at most 64 characters"),
        (CHECKSUM[1:], "must have at least 64 characters"),
        (CHECKSUM[1:] + "g", "must match"),
        (CHECKSUM[1:] + "\n", "must match"),
    ),
)

VALUES: dict[str, Values] = {
    "AccountingMode": MODE,
    "SlurmRestMode": MODE,
    "HealthMonitoringMode": one_of("NONE", "STANDARD"),
    "HealthMonitoringRepairAction": REPAIR,
    "DeepHealthCheckOnStartRepairAction": REPAIR,
    "DeepHealthCheckOnStartProfile": one_of("NONE", "QUICK", "MEDIUM", "LONG"),
    "ExecutionPolicy": one_of("FIRST_BOOT_ONLY", "EVERY_BOOT"),
    "OnError": one_of("TERMINATE", "STOP_SEQUENCE", "CONTINUE"),
    "ScriptCachingPolicy": one_of("CACHE_ONCE", "REFRESH_ON_REBOOT"),
    "PurchaseOption": one_of("ONDEMAND", "SPOT", "CAPACITY_BLOCK", "INTERRUPTIBLE_CAPACITY_RESERVATION"),
    "LaunchTemplateMode": one_of("CUSTOM", "MANAGED"),
    "SpotAllocationStrategy": one_of("lowest-price", "capacity-optimized", "price-capacity-optimized"),
    "NetworkType": one_of("IPV4", "IPV6"),
    "SchedulerType": one_of("SLURM"),
    "Size": one_of("SMALL", "MEDIUM", "LARGE"),
    "JobSubmitPluginType": one_of("STARLARK"),
    "AccountingRequestDefaultPurgeTimeInDaysInteger": PURGE,
    "UpdateAccountingRequestDefaultPurgeTimeInDaysInteger": PURGE,
    "ClusterSlurmConfigurationRequestScaleDownIdleTimeInSecondsInteger": CLUSTER_IDLE,
    "UpdateClusterSlurmConfigurationRequestScaleDownIdleTimeInSecondsInteger": CLUSTER_IDLE,
    "ComputeNodeGroupSlurmConfigurationRequestScaleDownIdleTimeInSecondsInteger": GROUP_IDLE,
    "UpdateComputeNodeGroupSlurmConfigurationRequestScaleDownIdleTimeInSecondsInteger": GROUP_IDLE,
    "ScalingConfigurationRequestMinInstanceCountInteger": number(0, None),
    "ScalingConfigurationRequestMaxInstanceCountInteger": Values((0, 4), ((-1, "must be at least 0"),)),
    "MaxResults": Values((0, 1, 100), ((-1, "must be at least 1"), (101, "must be at most 100"))),
    "SBClientToken": text(8, 100),
    "KeyPairName": text(1, 255),
    "KeyPairNameOrEmpty": text(0, 255),
    "NodeLifecycleScriptArgument": text(0, 256),
    "ScriptSourceS3VersionIdString": S3_VERSION,
    "JobSubmitScriptSourceS3VersionIdString": S3_VERSION,
    "ScriptSourceChecksumString": SUM,
    "JobSubmitScriptSourceChecksumString": SUM,
    "TagKey": text(1, 128),
    "TagValue": text(0, 256),
    "BootstrapId": Values(("a", "a" * 1000), (*text(1, 1000).bad, *pattern("a b", "a\n", "a\tb"))),
    "ClusterName": named(40),
    "ComputeNodeGroupName": named(25),
    "QueueName": named(25),
    "ClusterIdentifier": identifier(41),
    "ComputeNodeGroupIdentifier": identifier(26),
    "QueueIdentifier": identifier(26),
    "AmiId": Values(("ami-0", "ami-abc"), pattern("", "ami-", "ami-A", "xami-0", "ami-0\n", f"ami-{'0' * 1000}")),
    "AmiIdOrEmpty": Values(("", "ami-0"), pattern("ami-", "ami-A", " ", "ami-0 ")),
    "SecurityGroupId": Values(
        ("sg-12345678", f"sg-{'a' * 17}"), pattern("sg-1234567", f"sg-{'a' * 18}", "sg-1234567é", "sg_12345678")
    ),
    "SubnetId": Values(
        ("subnet-12345678", f"subnet-{'a' * 17}"), pattern("subnet-1234567", f"subnet-{'a' * 18}", "sub-12345678")
    ),
    "InstanceProfileArn": Values(
        (
            PROFILE,
            "arn:aws-us-gov:iam::123456789012:instance-profile/aws-pcs/hpc",
            f"arn:aws:iam::123456789012:instance-profile/{'p' * 510}/{'n' * 128}",
        ),
        pattern(
            "",
            "arn:aws:iam::12345678901:instance-profile/hpc",
            "arn:aws:iam::123456789012:role/hpc",
            "arn:aws:iam::123456789012:instance-profile/",
            f"arn:aws:iam::123456789012:instance-profile/{'n' * 129}",
            f"arn:aws:iam::123456789012:instance-profile/{'p' * 511}/n",
            f"arn:aws{'x' * 11}:iam::123456789012:instance-profile/n",
        ),
    ),
    "Arn": Values(
        ("arn:aws:pcs:us-east-1:123456789012:cluster/pcs_a", f"arn:aws:pcs:x:123456789012:{'c' * 982}/a"),
        (
            ("", "must have at least 1 character"),
            (f"arn:aws:pcs:x:123456789012:{'c' * 983}/a", "must have at most 1011 characters"),
            *pattern("arn:aws:s3:::bucket/a", "arn:aws:pcs:x:12345678901:cluster/a", "arn:aws:pcs:x:123456789012:c/A"),
        ),
    ),
    "NodeLifecycleScriptNameString": Values(
        ("a", "a" * 64, "9 a_-"), (*text(1, 64).bad, *pattern(" a", "_a", "-a", "a.sh", "a/b", "a\n", "é"))
    ),
    "JobSubmitPluginNameString": Values(("a", "a" * 64), (*text(1, 64).bad, *pattern("a b", "_a", "a."))),
    "ScriptSourceScriptLocationString": Values(
        (
            "s3://abc/k",
            f"s3://{'a' * 63}/k",
            "s3://abc/k with space?x=1",
            "https://example.com",
            "https://example.com:65535/a?b#c",
            f"https://{HOST_LABEL}.example.{'t' * 63}/",
            f"https://example.com/{'a' * 1004}",
        ),
        (
            ("", "must have at least 1 character"),
            (f"https://example.com/{'a' * 1005}", "must have at most 1024 characters"),
            *pattern(
                "s3://ab/k",
                f"s3://{'a' * 64}/k",
                "s3://abc/",
                "s3://abc",
                "s3://Abc/k",
                "s3://my_bucket/k",
                "s3://arn:aws:s3:us-east-1:123456789012:accesspoint/a/k",
                "http://example.com/x",
                "HTTPS://example.com/x",
                "ftp://example.com/x",
                "https://10.0.0.1/x",
                "https://[2001:db8::1]/x",
                "https://localhost/x",
                "https://user:pw@host.tld/x",
                "https://host.tld/a b",
                "https://host.tld/a\n",
                "https://host.t1/x",
                "https://host.tld:123456/x",
                f"https://{HOST_LABEL}a.example.com/",
                f"https://example.{'t' * 64}/",
            ),
        ),
    ),
    "JobSubmitScriptSourceScriptLocationString": Values(
        ("s3://abc/k", f"s3://abc/{'k' * 1015}"),
        (
            ("", "must have at least 1 character"),
            (f"s3://abc/{'k' * 1016}", "must have at most 1024 characters"),
            *pattern("https://example.com/x", "s3://ab/k", "s3://abc/"),
        ),
    ),
    "NodeLifecycleScriptArguments": Values(([], ["a"] * 20), ((["a"] * 21, "must have at most 20 items"),)),
    "NodeLifecycleScriptList": Values(
        ([{"name": "a", "scriptSource": {"scriptLocation": "s3://abc/k"}}],),
        (
            ([], "must have at least 1 item"),
            ([{"name": "a", "scriptSource": {"scriptLocation": "s3://abc/k"}}] * 21, "must have at most 20 items"),
        ),
    ),
    "JobSubmitPluginList": Values(
        ([],),
        (
            (
                [{"name": "a", "type": "STARLARK", "scriptSource": {"scriptLocation": "s3://abc/k"}}] * 2,
                "must have at most 1 item",
            ),
        ),
    ),
    "SubnetIdList": Values(([SUBNET],), (([], "must have at least 1 item"),)),
    "RequestTagMap": Values(
        ({"k": ""}, {f"k{index}": "" for index in range(200)}),
        (
            ({}, "must have at least 1 entry"),
            ({f"k{index}": "" for index in range(201)}, "must have at most 200 entries"),
        ),
    ),
    "TagKeys": Values(
        (["k"], [f"k{index}" for index in range(200)]),
        (([], "must have at least 1 item"), ([f"k{index}" for index in range(201)], "must have at most 200 items")),
    ),
}

SETTINGS = [{"parameterName": "Weight", "parameterValue": "5"}]
SOURCE = {"scriptLocation": "s3://hpc-scripts/mount.sh", "s3VersionId": "v1", "checksum": CHECKSUM}
FULL_SCRIPT = {
    "name": "mount",
    "scriptSource": SOURCE,
    "arguments": ["a"],
    "onError": "CONTINUE",
    "executionPolicy": "EVERY_BOOT",
}
FULL_SLURM = {
    "scaleDownIdleTimeInSeconds": 900,
    "slurmCustomSettings": SETTINGS,
    "slurmdbdCustomSettings": SETTINGS,
    "cgroupCustomSettings": SETTINGS,
    "accounting": {"mode": "STANDARD", "defaultPurgeTimeInDays": 30},
    "slurmRest": {"mode": "STANDARD"},
    "jobSubmitPlugins": [{"name": "check", "type": "STARLARK", "scriptSource": SOURCE}],
}
TOKEN = "a-client-token"
FULL_GROUP = {
    "subnetIds": [SUBNET],
    "iamInstanceProfileArn": PROFILE,
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 4},
    "customLaunchTemplate": TEMPLATE,
    "launchTemplateMode": "CUSTOM",
    "amiId": "ami-0123456789abcdef0",
    "securityGroupIds": [SECURITY_GROUP],
    "sshKeyName": "hpc-admins",
    "purchaseOption": "SPOT",
    "spotOptions": {"allocationStrategy": "lowest-price"},
    "slurmConfiguration": {
        "scaleDownIdleTimeInSeconds": 60,
        "slurmCustomSettings": SETTINGS,
        "gresCustomSettings": [{"Name": "gpu"}],
    },
    "nodeLifecycleActions": {
        "scriptCachingPolicy": "CACHE_ONCE",
        "stages": {"nodeBootstrapped": [FULL_SCRIPT], "nodeReady": [FULL_SCRIPT]},
    },
    "instanceHealthChecks": {
        "healthMonitoring": {"mode": "STANDARD", "repairAction": "AUTO"},
        "deepHealthChecks": {"onStart": {"profile": "QUICK", "repairAction": "REPLACE"}},
    },
    "clientToken": TOKEN,
}
IN_HPC = {"clusterIdentifier": "hpc"}
WORKERS = {**IN_HPC, "computeNodeGroupIdentifier": "workers"}
BATCH = {**IN_HPC, "queueIdentifier": "batch"}
ARN = "arn:aws:pcs:us-east-1:123456789012:cluster/pcs_0000000000"
QUEUE = {"computeNodeGroupConfigurations": [{"computeNodeGroupId": "pcs_0000000000"}], "clientToken": TOKEN}

FULL: dict[str, dict[str, Any]] = {
    "CreateCluster": {
        **CLUSTER,
        "networking": {**CLUSTER["networking"], "networkType": "IPV4"},
        "slurmConfiguration": FULL_SLURM,
        "tags": {"k": "v"},
        "clientToken": TOKEN,
    },
    "GetCluster": IN_HPC,
    "ListClusters": {"maxResults": 10, "nextToken": "x"},
    "UpdateCluster": {
        **IN_HPC,
        "scheduler": {"version": "26.05"},
        "slurmConfiguration": FULL_SLURM,
        "clientToken": TOKEN,
    },
    "DeleteCluster": {**IN_HPC, "clientToken": TOKEN},
    "CreateComputeNodeGroup": {
        **IN_HPC,
        "computeNodeGroupName": "workers",
        "instanceConfigs": GROUP["instanceConfigs"],
        **FULL_GROUP,
        "tags": {"k": "v"},
    },
    "GetComputeNodeGroup": WORKERS,
    "ListComputeNodeGroups": {**IN_HPC, "maxResults": 10, "nextToken": "x"},
    "UpdateComputeNodeGroup": {**WORKERS, **FULL_GROUP},
    "DeleteComputeNodeGroup": {**WORKERS, "clientToken": TOKEN},
    "CreateQueue": {
        **IN_HPC,
        "queueName": "batch",
        **QUEUE,
        "slurmConfiguration": {"slurmCustomSettings": SETTINGS},
        "tags": {"k": "v"},
    },
    "GetQueue": BATCH,
    "ListQueues": {**IN_HPC, "maxResults": 10, "nextToken": "x"},
    "UpdateQueue": {**BATCH, **QUEUE, "slurmConfiguration": {"slurmCustomSettings": SETTINGS}},
    "DeleteQueue": {**BATCH, "clientToken": TOKEN},
    "TagResource": {"resourceArn": ARN, "tags": {"k": "v"}},
    "UntagResource": {"resourceArn": ARN, "tagKeys": ["k"]},
    "ListTagsForResource": {"resourceArn": ARN},
    "RegisterComputeNodeGroupInstance": {**IN_HPC, "bootstrapId": "pcs_0000000000/i-1"},
}
"""A request of each operation with every member that it may have."""


class Place(NamedTuple):
    """A value of a full request."""

    operation: str
    path: str
    shape: Shape
    required: bool = False


def places(name: str, shape: Shape, value: Any, path: str = "") -> Iterator[Place]:
    for member, part in value.items() if shape.type == "structure" else ():
        below = f"{path}.{member}" if path else member
        yield Place(name, below, shape.members[member], member in shape.required)
        yield from places(name, shape.members[member], part, below)
    if shape.type == "list":
        assert shape.item is not None
        yield Place(name, f"{path}[0]", shape.item)
        yield from places(name, shape.item, value[0], f"{path}[0]")


PLACES = [place for op in operations() for place in places(op.name, op.input, FULL[op.name])]


@pytest.fixture(scope="module", name="limits")
def limits_fixture() -> Iterator[Lab]:
    """One endpoint for the whole table: nothing that it holds matters."""
    with lab(switches={"scaling": "anything"}) as made:
        made.cluster(size="LARGE")
        made.group(scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 1})
        yield made


def test_full_requests_have_every_member() -> None:
    def missing(shape: Shape, value: Any, path: str) -> Iterator[str]:
        for member, part in shape.members.items():
            if member not in value:
                yield f"{path}.{member}"
            else:
                yield from missing(part, value[member], f"{path}.{member}")
        if shape.type == "list" and shape.item is not None:
            yield from missing(shape.item, value[0], f"{path}[]")

    assert [path for op in operations() for path in missing(op.input, FULL[op.name], op.name)] == []


def test_every_limit_of_the_contract_has_values() -> None:
    limited = {place.shape.name for place in PLACES if _is_limited(place.shape)}
    keys = {
        part.name
        for place in PLACES
        if place.shape.type == "map"
        for part in (place.shape.key, place.shape.item)
        if part
    }
    assert limited | {key for key in keys if key != "String"} == set(VALUES)


def test_requests_have_the_types_that_are_checked() -> None:
    assert {place.shape.type for place in PLACES} == {"structure", "list", "map", "string", "integer"}


def _is_limited(shape: Shape) -> bool:
    return any((shape.min is not None, shape.max is not None, shape.pattern, shape.enum))


def _spots() -> Iterator[Place]:
    """The places that have a limit, with the values of maps among them."""
    for place in PLACES:
        if place.shape.name in VALUES:
            yield place
        if place.shape.name == "RequestTagMap":
            assert place.shape.item is not None
            yield Place(place.operation, f"{place.path}.k", place.shape.item)


def _ids(place: Place) -> str:
    return f"{place.operation}-{place.path}"


def _refusal(limits: Lab, place: Place, value: Any) -> tuple[str, list[tuple[str, str]]] | None:
    """The error's code, and the paths and messages of its fields; None when nothing is wrong."""
    try:
        limits.pcs._make_api_call(place.operation, replaced(FULL[place.operation], place.path, value))
    except ClientError as error:
        response: Any = error.response
        fields = [(field["name"], field["message"]) for field in response.get("fieldList", ())]
        return response["Error"]["Code"], fields
    finally:
        limits.settle()
    return None


@pytest.mark.parametrize("place", list(_spots()), ids=_ids)
def test_outside(limits: Lab, place: Place) -> None:
    for value, message in VALUES[place.shape.name].bad:
        refusal = _refusal(limits, place, value)
        assert refusal is not None, value
        code, fields = refusal
        assert (code, [path for path, _ in fields]) == ("ValidationException", [place.path]), value
        assert fields[0][1].startswith(message), value


@pytest.mark.parametrize("place", list(_spots()), ids=_ids)
def test_inside(limits: Lab, place: Place) -> None:
    for value in VALUES[place.shape.name].good:
        refusal = _refusal(limits, place, value)
        # Whether there is such a cluster, or another field has to be different now, is not of interest here.
        assert refusal is None or place.path not in [path for path, _ in refusal[1]], value


@pytest.mark.parametrize(
    ("operation_name", "path"),
    [
        pytest.param(place.operation, place.path, id=f"{place.operation}-{place.path}")
        for place in PLACES
        if place.required
    ],
)
def test_required(limits: Lab, operation_name: str, path: str) -> None:
    for absent in (..., None):
        answer = limits.send(operation_name, replaced(FULL[operation_name], path, absent))
        assert answer.status == 400
        assert answer.json["fieldList"] == [{"name": path, "message": "is required"}]


@pytest.mark.parametrize("operation_name", sorted(FULL))
def test_unknown_members(limits: Lab, operation_name: str) -> None:
    answer = limits.send(operation_name, {**FULL[operation_name], "no": 1})
    assert answer.json["fieldList"] == [
        {"name": "no", "message": f"is not a member of {operation(operation_name).input.name}"}
    ]


WRONG_TYPES = [
    ("clusterIdentifier", 1, "must be a string, not a number"),
    ("clusterIdentifier", ["hpc"], "must be a string, not a list"),
    ("subnetIds", SUBNET, "must be a list, not a string"),
    ("subnetIds[0]", None, "must be a string, not null"),
    ("scalingConfiguration", [], "must be an object, not a list"),
    ("scalingConfiguration.maxInstanceCount", "4", "must be an integer, not a string"),
    ("scalingConfiguration.maxInstanceCount", True, "must be an integer, not a boolean"),
    ("scalingConfiguration.maxInstanceCount", 4.0, "must be an integer, not a number"),
    ("scalingConfiguration.maxInstanceCount", 2**31, "must fit into 32 bits"),
    ("scalingConfiguration.minInstanceCount", -(10**30), "must fit into 32 bits"),
    ("tags", ["k"], "must be a map, not a list"),
    ("nodeLifecycleActions.stages.nodeReady[0].arguments", "a", "must be a list, not a string"),
    ("nodeLifecycleActions.stages.nodeReady[0].arguments[0]", None, "must be a string, not null"),
    ("nodeLifecycleActions.stages.nodeReady[0].onerror", "CONTINUE", "is not a member of NodeLifecycleScript"),
    ("instanceConfigs[0].instancetype", "c7i.large", "is not a member of InstanceConfig"),
]


@pytest.mark.parametrize(("path", "value", "message"), WRONG_TYPES)
def test_types(limits: Lab, path: str, value: Any, message: str) -> None:
    answer = limits.send("CreateComputeNodeGroup", replaced(FULL["CreateComputeNodeGroup"], path, value))
    assert answer.json["fieldList"] == [{"name": path, "message": message}]


def test_several_problems_come_together(limits: Lab) -> None:
    request = {**GROUP, "computeNodeGroupName": "x", "nodeLifecycleActions": {"stages": {"nodeReady": []}}, "no": 1}
    answer = limits.send("CreateComputeNodeGroup", request).json
    assert [field["name"] for field in answer["fieldList"]] == [
        "no",
        "computeNodeGroupName",
        "nodeLifecycleActions.stages.nodeReady",
    ]
    assert answer["message"].endswith("(and 2 more)")


def test_a_list_of_problems_is_bounded(limits: Lab) -> None:
    answer = limits.send("TagResource", {"resourceArn": ARN, "tags": {f"k{index}": 1 for index in range(60)}}).json
    assert len(answer["fieldList"]) == 50


def test_long_values_are_not_repeated(limits: Lab) -> None:
    answer = limits.send("GetCluster", {"clusterIdentifier": "hpc", "x" * 500_000: 1})
    assert len(answer.body) < 1000
