"""The limits of the API, written by hand and compared with the contract; and how paths are resolved."""

import subprocess
import sys

import pytest

from pcs_contract import shapes

SCRIPT = "nodeLifecycleActions.stages.nodeReady[]"

# Path, type, smallest, largest, pattern or enum: as in the API reference.
CONSTRAINTS = [
    ("name", "string", 3, 25, "(?!pcs_)^[A-Za-z][A-Za-z0-9-]+"),
    ("clusterId", "string", None, None, "(pcs_[a-zA-Z0-9]+|[A-Za-z][A-Za-z0-9-]{2,40})"),
    ("amiId", "string", None, None, "ami-[a-z0-9]+"),
    ("subnetIds", "list", None, None, None),
    ("securityGroupIds[]", "string", None, None, r"sg-\w{8,17}"),
    ("sshKeyName", "string", 1, 255, None),
    ("instanceConfigs", "list", None, None, None),
    ("scalingConfiguration.minInstanceCount", "integer", 0, None, None),
    ("scalingConfiguration.maxInstanceCount", "integer", 0, None, None),
    ("slurmConfiguration.scaleDownIdleTimeInSeconds", "integer", -1, 10_000_000, None),
    ("launchTemplateMode", "string", None, None, ("CUSTOM", "MANAGED")),
    (
        "purchaseOption",
        "string",
        None,
        None,
        ("ONDEMAND", "SPOT", "CAPACITY_BLOCK", "INTERRUPTIBLE_CAPACITY_RESERVATION"),
    ),
    (
        "spotOptions.allocationStrategy",
        "string",
        None,
        None,
        ("lowest-price", "capacity-optimized", "price-capacity-optimized"),
    ),
    ("tags", "map", 1, 200, None),
    ("tags.Name", "string", 0, 256, None),
    ("nodeLifecycleActions.scriptCachingPolicy", "string", None, None, ("CACHE_ONCE", "REFRESH_ON_REBOOT")),
    ("nodeLifecycleActions.stages.nodeBootstrapped", "list", 1, 20, None),
    ("nodeLifecycleActions.stages.nodeReady", "list", 1, 20, None),
    (f"{SCRIPT}.name", "string", 1, 64, "[A-Za-z0-9][A-Za-z0-9 _-]*"),
    (f"{SCRIPT}.scriptSource.s3VersionId", "string", 0, 1024, None),
    (f"{SCRIPT}.scriptSource.checksum", "string", 64, 64, "[a-fA-F0-9]{64}"),
    (f"{SCRIPT}.arguments", "list", 0, 20, None),
    (f"{SCRIPT}.arguments[]", "string", 0, 256, None),
    (f"{SCRIPT}.onError", "string", None, None, ("TERMINATE", "STOP_SEQUENCE", "CONTINUE")),
    (f"{SCRIPT}.executionPolicy", "string", None, None, ("FIRST_BOOT_ONLY", "EVERY_BOOT")),
    ("instanceHealthChecks.healthMonitoring.mode", "string", None, None, ("NONE", "STANDARD")),
    (
        "instanceHealthChecks.deepHealthChecks.onStart.profile",
        "string",
        None,
        None,
        ("NONE", "QUICK", "MEDIUM", "LONG"),
    ),
]


@pytest.mark.parametrize(
    ("path", "kind", "smallest", "largest", "allowed"), CONSTRAINTS, ids=[row[0] for row in CONSTRAINTS]
)
def test_constraints(
    path: str, kind: str, smallest: int | None, largest: int | None, allowed: str | tuple[str, ...] | None
) -> None:
    shape = shapes.group_field(path)
    assert (shape.type, shape.min, shape.max) == (kind, smallest, largest)
    assert (shape.pattern or shape.enum or None) == allowed


def test_the_location_is_limited_in_length() -> None:
    shape = shapes.group_field(f"{SCRIPT}.scriptSource.scriptLocation")
    assert (shape.min, shape.max) == (1, 1024)


@pytest.mark.parametrize(
    ("path", "required"),
    [
        (
            "",
            {
                "name",
                "clusterId",
                "subnetIds",
                "iamInstanceProfileArn",
                "scalingConfiguration",
                "instanceConfigs",
            },
        ),
        ("customLaunchTemplate", {"id", "version"}),
        ("nodeLifecycleActions", {"stages"}),
        ("nodeLifecycleActions.stages", set()),
        (SCRIPT, {"name", "scriptSource"}),
        (f"{SCRIPT}.scriptSource", {"scriptLocation"}),
        # Required in AWS's text, not in the model: see prose.CROSS_FIELD_RULES.
        ("instanceHealthChecks.healthMonitoring", set()),
    ],
)
def test_required_members(path: str, required: set[str]) -> None:
    shape = shapes.group_field(path) if path else shapes.group()
    assert shape.required == required


def test_both_stages_create_and_update_have_the_same_scripts() -> None:
    expected = shapes.shape("NodeLifecycleScript")
    for root in ("CreateComputeNodeGroupRequest", "UpdateComputeNodeGroupRequest", "ComputeNodeGroup"):
        for stage in ("nodeBootstrapped", "nodeReady"):
            assert shapes.field(f"nodeLifecycleActions.stages.{stage}[]", root) is expected


@pytest.mark.parametrize(
    ("request_name", "pattern", "smallest"),
    [
        ("CreateComputeNodeGroupRequest", "ami-[a-z0-9]+", 1),
        ("UpdateComputeNodeGroupRequest", "(ami-[a-z0-9]+)?", 0),
    ],
)
def test_only_an_update_may_clear_values(request_name: str, pattern: str, smallest: int) -> None:
    assert shapes.field("amiId", request_name).pattern == pattern
    assert shapes.field("sshKeyName", request_name).min == smallest


def test_fields_that_only_pcs_sets() -> None:
    assert shapes.read_only() == {"arn", "createdAt", "errorInfo", "id", "modifiedAt", "status"}


def test_the_group_is_the_response_and_tags() -> None:
    assert set(shapes.group().members) == {*shapes.shape("ComputeNodeGroup").members, "tags"}


def test_there_are_nineteen_operations_that_know_their_errors() -> None:
    operations = {operation.name: operation for operation in shapes.operations()}
    assert len(operations) == 19
    create = operations["CreateComputeNodeGroup"]
    assert create.idempotent
    assert not create.readonly
    assert create.input.idempotency_tokens == {"clientToken"}
    assert len(create.errors) == 7
    assert all(error.exception for operation in operations.values() for error in operation.errors)
    registration = operations["RegisterComputeNodeGroupInstance"]
    assert [error.name for error in registration.errors] == [
        "AccessDeniedException",
        "InternalServerException",
    ]
    assert registration.output.members["sharedSecret"].sensitive
    assert {name for name, operation in operations.items() if operation.pagination} == {
        "ListClusters",
        "ListComputeNodeGroups",
        "ListQueues",
    }


def test_errors_say_whose_fault_they_are() -> None:
    server, throttling = shapes.shape("InternalServerException"), shapes.shape("ThrottlingException")
    assert (server.fault, server.retryable) == (True, True)
    assert (throttling.fault, throttling.retryable) == (False, True)
    assert not shapes.shape("ValidationException").retryable


@pytest.mark.parametrize("index", ["[3]", "[]", '["mount home"]', ""])
def test_a_list_may_be_indexed_or_not(index: str) -> None:
    path = f"nodeLifecycleActions.stages.nodeReady{index}.scriptSource.checksum"
    assert shapes.field(path).name == "ScriptSourceChecksumString"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("tags.Name", "TagValue"),
        ("tags.a.dotted[key", "TagValue"),
        ('tags["Name"]', "TagValue"),
        ("slurmConfiguration.gresCustomSettings[0].Gres", "String"),
        ("slurmConfiguration.gresCustomSettings.Gres", "String"),
        ("nodeLifecycleActions.stages.nodeReady", "NodeLifecycleScriptList"),
        ("nodeLifecycleActions.stages.nodeReady[0]", "NodeLifecycleScript"),
    ],
)
def test_maps_lists_and_their_elements(path: str, name: str) -> None:
    assert shapes.field(path).name == name


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nodeLifecycleActions.stages.nodeRedy", "nodeReady"),
        ("computeNodeGroupNam", "computeNodeGroupName"),
        ("amiId.x", "no field in AmiId"),
        ("amiId[0]", "no elements"),
    ],
)
def test_an_unknown_field_names_the_nearest(path: str, message: str) -> None:
    with pytest.raises(KeyError, match=message):
        shapes.field(path)


@pytest.mark.parametrize(
    "path", [".name", "a.", "amiId..b", "nodeLifecycleActions.stages.nodeReady[0", "subnetIds[0]x"]
)
def test_a_malformed_path_is_an_error_of_its_own(path: str) -> None:
    with pytest.raises(ValueError, match="position"):
        shapes.field(path)


def test_unknown_shapes_and_operations_name_the_nearest() -> None:
    with pytest.raises(KeyError, match="ScriptSource"):
        shapes.shape("ScriptSorce")
    with pytest.raises(KeyError, match="CreateCluster"):
        shapes.operation("CreateClustr")


@pytest.mark.parametrize("module", ["shapes", "prose", "spelling", "aws_scripts", "json_schema"])
def test_importing_reads_nothing_and_loads_nothing_heavy(module: str) -> None:
    heavy = (
        "dataclasses",
        "inspect",
        "json",
        "pathlib",
        "difflib",
        "importlib.resources",
        "importlib.metadata",
    )
    code = f"import sys, pcs_contract.{module}; print([name for name in {heavy!r} if name in sys.modules])"
    # -I and -S: what site-packages load on their own account does not count.
    source = f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}; {code}"
    result = subprocess.run([sys.executable, "-I", "-S", "-c", source], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
