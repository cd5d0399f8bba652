"""What stands only in AWS's text fits the contract: fields exist, values are allowed, sources are named."""

import pytest

from pcs_contract import prose, shapes

SOURCES = ("PCS API reference, ", "PCS user guide, ", "CloudFormation schema, ")


@pytest.mark.parametrize("fact", prose.DEFAULT_FACTS, ids=lambda fact: fact.path)
def test_defaults_are_values_that_the_field_allows(fact: prose.Default) -> None:
    assert fact.value in shapes.group_field(fact.path).enum
    assert fact.source.startswith(SOURCES)
    if fact.only_when is not None:
        path, values = fact.only_when
        assert set(values) <= set(shapes.group_field(path).enum)


def test_defaults_by_hand() -> None:
    script = {"onError": "TERMINATE", "executionPolicy": "FIRST_BOOT_ONLY"}
    assert {
        "nodeLifecycleActions.scriptCachingPolicy": "CACHE_ONCE",
        **{
            f"nodeLifecycleActions.stages.{stage}[].{member}": value
            for stage in ("nodeBootstrapped", "nodeReady")
            for member, value in script.items()
        },
        "purchaseOption": "ONDEMAND",
        "launchTemplateMode": "CUSTOM",
        "spotOptions.allocationStrategy": "price-capacity-optimized",
        "instanceHealthChecks.healthMonitoring.repairAction": "AUTO",
        "instanceHealthChecks.deepHealthChecks.onStart.repairAction": "AUTO",
    } == prose.DEFAULTS


def test_create_only_fields_are_not_in_the_update_request() -> None:
    update = shapes.shape("UpdateComputeNodeGroupRequest")
    assert set(prose.CREATE_ONLY) == {"name", "clusterId", "instanceConfigs"}
    assert all(source.startswith(SOURCES) for source in prose.CREATE_ONLY.values())
    for name in prose.CREATE_ONLY:
        # The update names the cluster too, but to find the group: it does not move it.
        assert name == "clusterId" or shapes.REQUEST_NAMES.get(name, name) not in update.members


@pytest.mark.parametrize("rule", prose.CROSS_FIELD_RULES, ids=lambda rule: rule.id)
def test_cross_field_rules_speak_of_fields_that_exist(rule: prose.CrossFieldRule) -> None:
    for path in rule.fields:
        shapes.group_field(path)
    assert rule.statement.endswith(".")
    assert rule.source.startswith(SOURCES)


def test_cross_field_rule_ids_are_unique() -> None:
    ids = [rule.id for rule in prose.CROSS_FIELD_RULES]
    assert len(ids) == len(set(ids))


def test_cluster_sizes_are_those_of_the_api() -> None:
    assert set(prose.CLUSTER_SIZES) == set(shapes.shape("Size").enum)
    assert [limit.value for limit in prose.CLUSTER_SIZES.values()] == [32, 512, 2048]


@pytest.mark.parametrize(
    ("limit", "value", "unit"),
    [
        (prose.SCRIPT_SIZE, 2_097_152, "bytes"),
        (prose.DOWNLOAD_TRIES, 3, "tries"),
        (prose.DOWNLOAD_BACKOFF, 17, "seconds"),
        (prose.JOIN_WINDOW, 30, "minutes"),
        (prose.LONG_STEP, 5, "minutes"),
    ],
)
def test_limits(limit: prose.Limit, value: int, unit: str) -> None:
    assert (limit.value, limit.unit) == (value, unit)
    assert limit.source.startswith(SOURCES)


def test_scripts_see_six_variables() -> None:
    assert set(prose.ENVIRONMENT) == {
        "PCS_CLUSTER_ID",
        "PCS_CLUSTER_NAME",
        "PCS_COMPUTE_NODE_GROUP_ID",
        "PCS_COMPUTE_NODE_GROUP_NAME",
        "PCS_NODE_ID",
        "PCS_IS_FIRST_BOOT",
    }
