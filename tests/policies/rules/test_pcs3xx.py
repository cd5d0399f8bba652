"""The contract rules beyond their own fragments: what they say, what they leave alone, and where limits come from."""

from __future__ import annotations

from typing import Any

import pytest
from support import render
from support.verdicts import outcomes, verdicts

from pcs_contract import shapes, spelling
from pcs_policies import engine
from pcs_policies.document import Change, NodeGroup, Stated, Template, build
from pcs_policies.rules import table
from pcs_policies.rules.contract_limits import constrained
from pcs_policies.rules.fragments import SHA256, VERSION, actions, at, script
from pcs_policies.rules.rule import Outcome, Verdict
from pcs_policies.settings import Settings
from pcs_policies.sources import plan
from pcs_policies.sources.kinds import CDKTF, HCL, PLAN, STATE

S3 = "s3://example-scripts/setup.sh"
WEB = "https://scripts.example.com/setup.sh"
SECRET = "hunter2-hunter2"


def group(tree: dict[str, Any], resource_type: str = "pcs_compute_node_group", **rest: Any) -> NodeGroup:
    return build(
        address="group.hpc", resource_type=resource_type, spelling="api", after=tree, **{"stated": Stated.YES, **rest}
    )


def found(rule: str, document: NodeGroup) -> dict[str, set[str]]:
    return outcomes(table.find(rule), document, Settings())


def failures(rule: str, document: NodeGroup) -> list[Verdict]:
    return [v for v in verdicts(table.find(rule), document, Settings()) if v.outcome is Outcome.FAIL]


def failing(rule: str, document: NodeGroup) -> set[str]:
    return found(rule, document)["fail"]


def one_script(**members: Any) -> dict[str, Any]:
    return actions(ready=[script(members.pop("name", "setup"), members.pop("location", S3), **members)])


@pytest.mark.parametrize(
    ("rule", "tree", "message", "remedy"),
    [
        ("PCS301", {}, "the group has no clusterId: the API requires it and refuses the request", "set clusterId"),
        (
            "PCS302",
            one_script(onError="terminate"),
            'onError of nodeReady script "setup" is "terminate", which the API does not know: it refuses the request',
            "use TERMINATE (or STOP_SEQUENCE, CONTINUE)",
        ),
        (
            "PCS302",
            {"spotOptions": {"allocationStrategy": "CAPACITY_OPTIMIZED"}},
            (
                'spotOptions.allocationStrategy is "CAPACITY_OPTIMIZED", which the API does not know: it refuses the '
                "request"
            ),
            "use capacity-optimized (or lowest-price, price-capacity-optimized)",
        ),
        (
            "PCS303",
            one_script(checksum="abc"),
            (
                'checksum of nodeReady script "setup" is "abc" (3 characters): the API refuses it when the group is '
                "applied"
            ),
            "use exactly 64 characters that match [a-fA-F0-9]{64}",
        ),
        (
            "PCS303",
            {"scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": -4}},
            "scalingConfiguration.maxInstanceCount is -4: the API refuses the request, as it takes at least 0",
            "use at least 0",
        ),
        (
            "PCS304",
            actions(ready=[]),
            (
                "nodeLifecycleActions.stages.nodeReady is an empty list: the API takes 1 to 20 entries and refuses "
                "the request"
            ),
            "leave it out, or give it an entry",
        ),
        (
            "PCS307",
            one_script(arguments=["a", None]),
            (
                'arguments[1] of nodeReady script "setup" is null: it is dropped, and the script takes the next '
                "argument in its place"
            ),
            "leave it out, or pass an empty text to keep the positions",
        ),
    ],
)
def test_message_and_remedy(rule: str, tree: dict[str, Any], message: str, remedy: str) -> None:
    verdict = failures(rule, group(tree))[0]
    assert (verdict.message, verdict.remedy) == (message, remedy)


@pytest.mark.parametrize(
    ("rule", "tree"),
    [
        ("PCS302", one_script(onError=SECRET)),
        ("PCS302", one_script(onError="CONTINU")),
        ("PCS303", one_script(name=SECRET + "!", checksum=SECRET)),
        ("PCS303", {"name": "x" * 23 + SECRET}),
        ("PCS305", actions(ready=[script(SECRET, S3), script(SECRET, S3)])),
        ("PCS308", one_script(location=f"{WEB}?{SECRET}", s3VersionId=VERSION)),
        ("PCS309", one_script(location=f"{S3}?versionId={SECRET}")),
        ("PCS311", {"customLaunchTemplate": {"id": f"pcs-{SECRET}-do-not-delete", "version": "1"}}),
    ],
)
def test_sensitive_values_are_not_shown_nor_hinted_at(rule: str, tree: dict[str, Any]) -> None:
    texts = [verdict.message + verdict.remedy for verdict in failures(rule, group(tree, sensitive=True))]
    assert texts
    for text in texts:
        assert SECRET not in text
        assert "use CONTINUE" not in text, "the nearest value would tell the secret one"
        assert "characters)" not in text


@pytest.mark.parametrize(
    ("rule", "tree", "fails", "undecided"),
    [
        ("PCS302", one_script(onError=Template(("CONT", None))), (), ()),
        ("PCS302", one_script(onError=Template(("RE", None))), (at("ready", 0, "onError"),), ()),
        ("PCS303", one_script(name=Template(("x" * 64, None))), (), ()),
        ("PCS303", one_script(name=Template(("x" * 40, None, "y" * 40))), (at("ready", 0, "name"),), ()),
        ("PCS308", one_script(location=Template(("https://", None)), s3VersionId="v"),
         (at("ready", 0, "scriptSource.s3VersionId"),), ()),
        ("PCS308", one_script(location=Template(("s3://", None)), s3VersionId="v"), (), ()),
        ("PCS308", one_script(location=Template((None, "/a.sh")), s3VersionId="v"),
         (), (at("ready", 0, "scriptSource.s3VersionId"),)),
        ("PCS309", one_script(location=Template(("s3://s3.", None, ".amazonaws.com/", None))),
         (at("ready", 0, "scriptSource.scriptLocation"),), ()),
        ("PCS309", one_script(location=Template(("s3://", None, "/a.sh?versionId=", None))),
         (at("ready", 0, "scriptSource.scriptLocation"),), ()),
        ("PCS309", one_script(location=Template(("s3://", None, "/a.sh"))), (), ()),
        ("PCS311", {"customLaunchTemplate": {"id": Template(("pcs-", None, "-do-not-delete")), "version": "1"}},
         ("customLaunchTemplate.id",), ()),
        ("PCS305", actions(ready=[script("mount", S3), script(Template(("log-", None)), S3)]), (), ()),
        ("PCS305", actions(ready=[script("log-a", S3), script(Template(("log-", None)), S3)]),
         (), (at("ready", 1, "name"),)),
        ("PCS305", actions(ready=[script(Template((None, "-a")), S3), script(Template((None, "-b")), S3)]), (), ()),
        ("PCS305", actions(ready=[script(Template(("a", None)), S3), script(Template((None, "b")), S3)]),
         (), (at("ready", 1, "name"),)),
    ],
)  # fmt: skip
def test_templates_are_judged_by_their_literal_parts(
    rule: str, tree: dict[str, Any], fails: tuple[str, ...], undecided: tuple[str, ...]
) -> None:
    assert found(rule, group(tree)) == {"fail": set(fails), "undecided": set(undecided)}


@pytest.mark.parametrize(
    ("resource_type", "change", "value", "fails"),
    [
        ("pcs_compute_node_group", Change.UPDATE, "", False),
        ("pcs_compute_node_group", Change.NO_OP, "", False),
        ("pcs_compute_node_group", Change.NONE, "", False),
        ("pcs_compute_node_group", Change.CREATE, "", True),
        ("pcs_compute_node_group", Change.UPDATE, "AMI", True),
        ("awscc_pcs_compute_node_group", Change.UPDATE, "", True),
        ("awscc_pcs_compute_node_group", Change.NONE, "", True),
    ],
)
def test_an_empty_ami_is_a_removal_where_an_update_can_carry_it(
    resource_type: str, change: Change, value: str, fails: bool
) -> None:
    assert failing("PCS303", group({"amiId": value}, resource_type, change=change)) == ({"amiId"} if fails else set())


@pytest.mark.parametrize(
    ("resource_type", "required"),
    [
        ("pcs_compute_node_group", True),
        ("", True),
        ("awscc_pcs_compute_node_group", False),
        ("AWS::PCS::ComputeNodeGroup", False),
    ],
)
def test_the_name_is_required_where_nothing_makes_one_up(resource_type: str, required: bool) -> None:
    assert ("name" in failing("PCS301", group({}, resource_type))) is required


@pytest.mark.parametrize("member", ["checksum", "s3VersionId"])
def test_a_line_feed_at_the_end_is_no_match(member: str) -> None:
    document = group(one_script(name="setup\n", checksum=SHA256 + "\n"))
    assert failing("PCS303", document) == {at("ready", 0, "name"), at("ready", 0, "scriptSource.checksum")}


def test_digits_of_other_scripts_are_no_match() -> None:
    assert failing("PCS303", group({"iamInstanceProfileArn": "arn:aws:iam::\u066123456789012:instance-profile/x"}))


def test_what_pcs_sets_by_itself_is_not_judged() -> None:
    places = constrained(lambda path, spec: spec.name or None)
    read_only = {"id": "?", "arn": "?", "status": "ODD", "errorInfo": [{"code": "x", "message": None}]}
    document = group({"name": "compute", **read_only})
    assert {node.path for node, _ in places(document)}.isdisjoint(read_only)


def test_every_limit_of_the_contract_is_judged() -> None:
    """The search comes to each field that the contract limits, by whatever way the field is nested."""
    limited = {path for path, shape in _fields("", shapes.group()) if shape.enum or shape.pattern or shape.max}
    reached: set[str] = set()

    def note(path: str, spec: spelling.FieldSpec) -> None:
        if spec.shape.enum or spec.shape.pattern or spec.shape.max:
            reached.add(path)

    constrained(note)(group({}))
    assert reached == limited


def _fields(path: str, shape: shapes.Shape) -> list[tuple[str, shapes.Shape]]:
    found = [(path, shape)]
    for name, member in shape.members.items():
        if path or name not in shapes.read_only():
            found += _fields(f"{path}.{name}" if path else name, member)
    if shape.item is not None:
        found += _fields(f"{path}[]", shape.item)
    return found


def plan_without_mode(change: Change) -> NodeGroup:
    """A plan of a provider that has no launch template mode, of a group without a template."""
    document = render.plan({"name": "compute"}, before={"name": "compute"}, change=change)
    del document["resource_changes"][0]["change"]["after"]["launch_template_mode"]
    (found,) = plan.read(document, "plan.json").groups
    assert isinstance(found, NodeGroup)
    return found


@pytest.mark.parametrize(
    ("change", "fails"), [(Change.UPDATE, False), (Change.NO_OP, False), (Change.CREATE, True), (Change.REPLACE, True)]
)
def test_a_group_whose_mode_cannot_be_seen_may_be_managed(change: Change, fails: bool) -> None:
    assert failing("PCS310", plan_without_mode(change)) == ({"customLaunchTemplate"} if fails else set())


@pytest.mark.parametrize(
    ("profile", "instance", "fails"),
    [
        ("QUICK", "p5.48xlarge", False),
        ("QUICK", "g5g.xlarge", False),
        ("QUICK", "gr6.4xlarge", False),
        ("QUICK", "g4dn.xlarge", False),
        ("QUICK", "g4ad.xlarge", True),
        ("QUICK", "trn2.48xlarge", True),
        ("NONE", "trn2.48xlarge", False),
    ],
)
def test_deep_checks_need_nvidia_gpus(profile: str, instance: str, fails: bool) -> None:
    checks = {"deepHealthChecks": {"onStart": {"profile": profile}}}
    document = group({"instanceHealthChecks": checks, "instanceConfigs": [{"instanceType": instance}]})
    path = "instanceHealthChecks.deepHealthChecks.onStart.profile"
    assert failing("PCS312", document) == ({path} if fails else set())


@pytest.mark.parametrize(
    ("resource_type", "fails"),
    [
        ("awscc_pcs_compute_node_group", {"securityGroupIds", "sshKeyName", "launchTemplateMode"}),
        ("AWS::PCS::ComputeNodeGroup", {"securityGroupIds", "sshKeyName"}),
        ("pcs_compute_node_group", set()),
        ("", set()),
    ],
)
def test_members_that_a_provider_lacks(resource_type: str, fails: set[str]) -> None:
    tree = {"securityGroupIds": ["sg-0123456789abcdef0"], "sshKeyName": "ops", "launchTemplateMode": "CUSTOM"}
    stated = dict.fromkeys(tree, Stated.YES)
    assert failing("PCS315", group(tree, resource_type, stated=stated)) == fails


def test_only_source_can_show_what_a_provider_lacks() -> None:
    needs = table.find("PCS315").needs
    assert [needs <= kind.carries for kind in (HCL, CDKTF, PLAN, STATE)] == [True, True, False, False]


@pytest.mark.parametrize("resource_type", ["pcs_compute_node_group", ""])
def test_limits_of_cloudformation_hold_there_only(resource_type: str) -> None:
    idle = {"slurmConfiguration": {"scaleDownIdleTimeInSeconds": -1}}
    assert failing("PCS314", group(idle, resource_type)) == set()
    assert failing("PCS303", group(idle, resource_type)) == set()


@pytest.mark.parametrize("rule", ["PCS305", "PCS306", "PCS303", "PCS304", "PCS309"])
def test_a_thousand_scripts_do_not_take_long(rule: str) -> None:
    scripts = [script(f"step {index % 500}", "s3://" + "s3-" * 300 + "/x", checksum="a" * 9) for index in range(1000)]
    document = group(actions(bootstrapped=scripts, ready=scripts))
    assert list(engine.judge(document, table.find(rule), Settings()))
