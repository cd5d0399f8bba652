"""The integrity rules beyond their own fragments: templates, marks, inherited pins, several groups, hidden values."""

from __future__ import annotations

import secrets
import string
from typing import Any

import pytest
from support.verdicts import outcomes, verdicts

from pcs_contract import aws_scripts
from pcs_policies.document import Expression, NodeGroup, Stated, Template, build
from pcs_policies.redaction import quote
from pcs_policies.rules import table
from pcs_policies.rules.fragments import SHA256, VERSION, Tree, actions, at, script
from pcs_policies.rules.locations import Location, taken_apart
from pcs_policies.rules.pcs103_checksum_plausible import EMPTY
from pcs_policies.rules.rule import Outcome, Verdict
from pcs_policies.rules.secrets import looks_random
from pcs_policies.settings import Settings

S3 = "s3://example-scripts/setup.sh"
ALIAS = aws_scripts.location("mount-efs", "1-latest", "eu-west-1")
DEFERRED = Expression("aws_s3_object.setup.source")
DEFAULTS = Settings()
SECRET = "hunter2-hunter2"
PASS, FAIL, UNDECIDED = Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED


def one(location: Any = S3, **members: Any) -> Tree:
    return actions(ready=[script("setup", location, **members)])


def group(tree: Tree, address: str = "group.hpc", **rest: Any) -> NodeGroup:
    given = {"stated": Stated.YES, **rest}
    return build(address=address, resource_type="pcs_compute_node_group", spelling="api", after=tree, **given)


def said(rule: str, document: NodeGroup, settings: Settings = DEFAULTS) -> list[Verdict]:
    return verdicts(table.find(rule), document, settings)


def outcome(rule: str, document: NodeGroup, settings: Settings = DEFAULTS) -> set[Outcome]:
    return {verdict.outcome for verdict in said(rule, document, settings)}


def gap(*parts: str | None) -> Template:
    return Template(parts)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        # nothing of the path is open
        (gap("s3://", None, "/setup.sh"), PASS),
        (gap("s3://", None, "/setup-latest.sh"), FAIL),
        (gap("https://", None, "/main/setup.sh"), FAIL),
        (gap("s3://aws-pcs-repo-", None, "/aws-pcs-node-lifecycle-scripts/mount-efs-v1.0.0.sh"), PASS),
        (gap("s3://aws-pcs-repo-", None, "/aws-pcs-node-lifecycle-scripts/mount-efs-v1-latest.sh"), FAIL),
        # the open part may be a branch or an alias
        (gap(None, "/setup.sh"), UNDECIDED),
        (gap("s3://example-scripts/", None, "/setup.sh"), UNDECIDED),
        (gap("https://raw.githubusercontent.com/example/scripts/", None, "/setup.sh"), UNDECIDED),
        (gap("s3://aws-pcs-repo-x/aws-pcs-node-lifecycle-scripts/mount-efs-v", None, ".sh"), UNDECIDED),
        # or lies where it makes no difference
        (gap(None, "/latest/setup.sh"), FAIL),
        (gap("https://raw.githubusercontent.com/example/scripts/v1.2.0/", None, "/setup.sh"), PASS),
        (gap(f"https://git.example.com/{'0a' * 20}/", None, "/setup.sh"), PASS),
    ],
)
def test_mutable_location_of_a_template(location: Template, expected: Outcome) -> None:
    assert outcome("PCS105", group(one(location))) == {expected}
    assert outcome("PCS105", group(one(location, checksum=DEFERRED))) == {PASS}
    wanted = expected if "main" not in str(location) else PASS  # PCS110 is about aliases only
    assert outcome("PCS110", group(one(location, checksum=DEFERRED))) == {wanted}
    assert outcome("PCS110", group(one(location, checksum=DEFERRED, s3VersionId=DEFERRED))) == {PASS}


@pytest.mark.parametrize(
    ("location", "moves"),
    [
        ("https://raw.githubusercontent.com/example/scripts/refs/tags/main/setup.sh", False),
        ("https://raw.githubusercontent.com/example/scripts/0a1b2c3/setup.sh", False),
        ("https://raw.githubusercontent.com/example/scripts/release-2024.1/setup.sh", False),
        ("https://raw.githubusercontent.com/example/scripts/v3/setup.sh", False),
        ("https://raw.githubusercontent.com/example/scripts/HEAD/setup.sh", True),
        ("https://github.com/example/scripts/raw/dev/setup.sh", True),
        ("https://github.com/example/scripts/raw/refs/heads/dev/setup.sh", True),
        ("https://github.com/example/scripts/releases/download/v1.0.0/setup.sh", False),
        ("https://git.example.com/hpc/scripts/-/raw/v1.0/setup.sh", False),
        ("https://git.example.com/hpc/scripts/refs/heads/dev/setup.sh", True),
        ("https://aws-hpc-recipes.s3.us-east-1.amazonaws.com/main/recipes/pcs-scripts/motd/assets/motd.sh", True),
        ("s3://example-scripts/latest.sh", True),
        ("s3://example-scripts/setup-LATEST.sh", True),
        ("s3://example-scripts/latest-setup.sh", False),
        ("s3://example-scripts/maintenance/main.sh", False),
        ("s3://latest/setup.sh", False),
        ("https://latest.example.com/setup.sh?branch=main", False),
    ],
)
def test_what_moves(location: str, moves: bool) -> None:
    assert outcome("PCS105", group(one(location))) == {FAIL if moves else PASS}


@pytest.mark.parametrize("member", ["checksum", "s3VersionId"])
def test_an_inherited_pin_does_not_pin(member: str) -> None:
    tree = one(ALIAS, **{member: SHA256})
    inherited = group(tree, before=tree, stated=one(ALIAS))
    assert outcome("PCS105", inherited) == {FAIL}
    assert outcome("PCS110", inherited) == {PASS}


def test_a_pin_that_is_empty_does_not_pin() -> None:
    assert outcome("PCS105", group(one(ALIAS, checksum=""))) == {FAIL}


@pytest.mark.parametrize(
    ("location", "allowed", "expected"),
    [
        (gap("s3://hpc-scripts/", None), ("hpc-scripts",), PASS),
        (gap("s3://other/", None), ("hpc-scripts",), FAIL),
        (gap("https://example.com/", None), ("example.com",), PASS),
        (gap("https://example.com", None, "/x.sh"), ("example.com",), UNDECIDED),
        (gap("https://", None, ".example.com/x.sh"), ("*.example.com",), UNDECIDED),
        (gap("https://scripts.", None, "/x.sh"), ("scripts.*",), UNDECIDED),
        (gap(None, "/x.sh"), ("hpc-scripts",), UNDECIDED),
        (gap("s3://", None, "/x.sh"), ("*",), PASS),
        (gap("s3://aws-pcs-repo-", None, "/x.sh"), ("aws-pcs-repo-*",), PASS),
        (gap("s3://aws-pcs-repo-", None, "/x.sh"), ("aws-pcs-repo-eu-west-1",), UNDECIDED),
        (gap("s3://aws-pcs-repo-", None, "/x.sh"), ("aws-*-repo-*",), UNDECIDED),
        (gap("https://s3.amazonaws.com/", None, "/x.sh"), ("hpc-scripts",), UNDECIDED),
        ("https://Example.com./x.sh", ("example.COM",), PASS),
        ("https://example.com:8443/x.sh", ("example.com:8443",), PASS),
        ("https://example.com:444/x.sh", ("example.com:8443",), FAIL),
        ("https://example.com/x.sh", ("example.com:8443",), FAIL),
        ("https://example.com\\@example.net/x.sh", ("example.com",), FAIL),
        ("https://example.net\\.example.com/x.sh", ("*.example.com",), FAIL),
        ("https://example.com%2eexample.net/x.sh", ("example.com*",), FAIL),
        ("https://example.com:pw@example.net/x.sh", ("example.com",), FAIL),
        ("https://example.com", ("example.com",), PASS),
        ("https://s3-1.eu-west-1.elb.amazonaws.com/hpc-scripts/x.sh", ("hpc-scripts",), FAIL),
        ("https://s3.eu-west-1.amazonaws.com/x/x.sh", ("s3.eu-west-1.amazonaws.com",), FAIL),
        ("https://a.b.s3.dualstack.eu-west-1.amazonaws.com/x.sh", ("s3://a.b",), PASS),
        ("s3://HPC-Scripts/x.sh", ("hpc-scripts",), PASS),
        ("motd.sh", ("hpc-scripts",), None),
    ],
)
def test_trusted_location(location: Any, allowed: tuple[str, ...], expected: Outcome | None) -> None:
    found = outcome("PCS106", group(one(location)), Settings(allow_list=allowed))
    assert found == ({expected} if expected else set())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://b/k?x#y", Location("s3", "b", "", "/k?x#y", "")),
        ("https://u:p@Host.example.com:8443/a/b?x=1#f", Location("https", "host.example.com", "8443", "/a/b", "x=1")),
        ("https://h.example.com?x", Location("https", "h.example.com", "", "", "x")),
        ("setup.sh", None),
    ],
)
def test_a_location_taken_apart(text: str, expected: Location | None) -> None:
    assert taken_apart(text) == expected


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (gap("https://", None, ":", None, "@example.com/x.sh"), FAIL),
        (gap("https://example.com/x.sh?token=", None), FAIL),
        (gap("https://example.com/x.sh?", None), UNDECIDED),
        (gap("https://example.com/x.sh?a=1&", None, "=2"), UNDECIDED),
        (gap("https://example.com/x.sh?versionId=", None), PASS),
        (gap("https://", None, "/x.sh"), PASS),
        (gap("s3://", None, "/", None), PASS),
        (gap(None, "/x.sh"), UNDECIDED),
        ("https://user:p@ss@example.com/x.sh", FAIL),
        ("https://@example.com/x.sh", PASS),
        ("https://example.com/x.sh?key=setup.sh&page=2", PASS),
        ("s3://b/" + "x" * 20_000, PASS),
    ],
)
def test_secret_in_location(location: Any, expected: Outcome) -> None:
    assert outcome("PCS107", group(one(location))) == {expected}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--password", DEFERRED], {1: UNDECIDED}),
        (["--password", gap("x-", None)], {1: UNDECIDED}),
        ([gap("--password=", None)], {0: UNDECIDED}),
        (["--file-system-id", DEFERRED], {}),
        ([gap("ldap://admin:", None, "@ldap.example.com")], {0: FAIL}),
        (["--token", None, "example"], {2: FAIL}),
        (["--token", "https://hpc:example@example.com"], {1: FAIL}),
        (["--user hpc --password example"], {0: FAIL}),
        (["--user hpc --password /hpc/ldap"], {}),
        (["--password=", "--verbose"], {}),
        (["password"], {}),
        (["--max-token", "4096"], {}),
        (["token=example", "--password", "--verbose"], {0: FAIL}),
        (["https://example.com/x?access_token=example"], {0: FAIL}),
        (["dGhpcyBpcyBzb21lIHRleHQgaW4gYmFzZTY0IQ=="], {}),
        (["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ6d1Kx9Qm2Rv7Lw4Tz8Bn3 hpc"], {}),
    ],
)
def test_secret_in_argument(arguments: list[Any], expected: dict[int, Outcome]) -> None:
    found = said("PCS108", group(one(arguments=arguments)))
    wanted = {at("ready", 0, f"arguments[{index}]"): outcome for index, outcome in expected.items()}
    assert {v.node.path: v.outcome for v in found if v.outcome is not PASS} == wanted


def test_arguments_that_are_a_reference_are_undecided_unless_they_may_have_been_left_out() -> None:
    assert outcome("PCS108", group(one(arguments=DEFERRED))) == {UNDECIDED}
    assert outcome("PCS108", group(one(arguments=DEFERRED), stated=Stated.MAYBE)) == set()


@pytest.mark.parametrize("value", [SECRET, DEFERRED, gap("x", None), "arn:aws:ssm:eu-west-1:123456789012:parameter/x"])
def test_a_marked_argument_fails_unread(value: Any) -> None:
    marks = actions(ready=[{"arguments": [False, True]}])
    found = outcomes(table.find("PCS108"), group(one(arguments=["-v", value]), sensitive=marks), Settings())
    assert found == {"fail": {at("ready", 0, "arguments[1]")}, "undecided": set()}


def test_marked_arguments_that_are_a_reference_fail() -> None:
    marks = actions(ready=[{"arguments": True}])
    (verdict,) = said("PCS108", group(one(arguments=DEFERRED), sensitive=marks))
    assert verdict.outcome is FAIL
    assert verdict.message.startswith('the arguments of nodeReady script "setup" are marked as sensitive')


@pytest.mark.parametrize(
    "tree",
    [
        one(f"https://deploy:{SECRET}@example.com/x.sh?X-Amz-Signature={SECRET}&sig={SECRET}"),
        one(arguments=[f"--password={SECRET}", "--token", SECRET, f"ldap://admin:{SECRET}@example.com"]),
        one(aws_scripts.location("mount-efs", "1.0.0", "eu-west-1"), arguments=[f"--password={SECRET}", "-x", "y"]),
    ],
)
def test_a_message_tells_kind_and_length_but_no_value(tree: Tree) -> None:
    settings = Settings(allow_list=("example.org",))
    texts = [f"{v.message} {v.remedy}" for rule in table.RULES for v in said(rule.id, group(tree), settings)]
    assert any(f"{len(SECRET)} characters" in text for text in texts)
    assert not any(SECRET in text for text in texts)


def test_a_marked_location_is_not_told() -> None:
    tree = one(f"https://{SECRET}.example.com/{SECRET}-latest.sh", checksum=EMPTY, arguments=["x"])
    settings = Settings(allow_list=("example.org",))
    document = group(tree, sensitive=actions(ready=[{"scriptSource": True}]))
    for rule in ("PCS103", "PCS105", "PCS106", "PCS107", "PCS109", "PCS110", "PCS207", "PCS209"):
        for verdict in said(rule, document, settings):
            assert SECRET not in verdict.message + verdict.remedy
            assert "empty input" not in verdict.message


def test_quoted_command_lines_hide_passwords() -> None:
    assert quote("--user hpc --bind-password example x") == '"--user hpc --bind-password *** x"'
    assert quote("DB_PASSWORD=example") == '"DB_PASSWORD=***"'
    assert quote("--secret-arn arn:x --password-file /x") == '"--secret-arn arn:x --password-file /x"'


def test_drawn_keys_are_told_from_names() -> None:
    letters = string.ascii_letters + string.digits
    drawn = ["".join(secrets.choice(letters) for _ in range(40)) for _ in range(500)]
    assert sum(map(looks_random, drawn)) > 450


@pytest.mark.parametrize(
    "text",
    [
        "fs-0123456789abcdef0",
        "sg-0123456789ABCDEF0123",
        "MyClusterConfig2024ProductionV2",
        "hpcstack-LogGroupF5B46931-QwErTy12AsDf",
        "Data/Sets2/ImageNet2012/train",
        "/opt/Amazon/OpenMPI5/lib64/Xy",
        "nvidia-driver-550.54.15",
        "OpenMPI-5.0.3-GCC-13.2.0-CUDA-12.4.0",
        "S3BucketForHpcScripts20240101",
        "0b9f6a1e-4c1d-4c55-9c7e-3f1f2a8f0d11",
        SHA256,
        SHA256.upper(),
    ],
)
def test_names_and_ids_are_no_keys(text: str) -> None:
    assert not looks_random(text)


def over_a_run(*groups: NodeGroup) -> list[tuple[str, str]]:
    """The address and message of each finding of PCS109."""
    fold = table.find("PCS109").fold
    assert fold is not None
    places = [(document.address, value) for document in groups for _, value in fold.collect(document, Settings())]
    found = fold.judge([value for _, value in places], Settings())
    return [(places[position][0], message) for position, message, _ in found]


def checked(address: str, checksum: Any, location: Any = S3, **rest: Any) -> NodeGroup:
    return group(one(location, checksum=checksum), address, **rest)


A, B, C = SHA256, "b" * 63 + "0", "c" * 63 + "0"


def test_groups_that_disagree_name_each_other() -> None:
    found = over_a_run(checked("g.a", A), checked("g.b", B), checked("g.c", A), checked("g.d", A, "s3://other/x.sh"))
    text = f'nodeReady script "setup" takes "{S3}" with a checksum other than in '
    why = ": what lies there fits one of them at most"
    assert found == [
        ("g.a", f'{text}"g.b"{why}'),
        ("g.b", f'{text}"g.a" and "g.c"{why}'),
        ("g.c", f'{text}"g.b"{why}'),
    ]


def test_two_groups_are_named_and_the_others_counted() -> None:
    found = dict(over_a_run(*(checked(f"g.{n}", A) for n in range(5)), checked("g.x", B), checked("g.y", C)))
    assert 'in "g.0", "g.1" and 4 more groups:' in found["g.x"]
    assert 'in "g.0", "g.1" and 4 more groups:' in found["g.y"]
    assert 'in "g.x" and "g.y":' in found["g.0"]
    assert len(found) == 7


def test_a_group_that_disagrees_with_itself_and_with_others() -> None:
    both = group(actions([script("a", S3, checksum=A)], [script("b", S3, checksum=B)]), "g.a")
    found = over_a_run(both, checked("g.b", B))
    assert [address for address, _ in found] == ["g.a", "g.a", "g.b"]
    assert "other than elsewhere in this group and in " in found[0][1]
    assert "other than elsewhere in this group:" in found[1][1]
    assert 'other than in "g.a":' in found[2][1]


def test_versions_that_differ_are_named_with_their_checksums() -> None:
    first = group(one(checksum=A, s3VersionId=VERSION), "g.a")
    second = group(one(checksum=B, s3VersionId=VERSION[::-1]), "g.b")
    assert [message.partition(" with ")[2] for _, message in over_a_run(first, second)] == [
        f'a checksum and an S3 version other than in "{other}": they run different content under one name'
        for other in ("g.b", "g.a")
    ]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(checked("g.a", B), id="the same address in another input"),
        pytest.param(checked("g.b", A.upper()), id="the same checksum in capitals"),
        pytest.param(checked("g.b", DEFERRED), id="a reference"),
        pytest.param(checked("g.b", None), id="no checksum"),
        pytest.param(checked("g.b", B, gap("s3://", None, "/setup.sh")), id="a template"),
        pytest.param(checked("g.b", B, stated=one(), before=one(checksum=B)), id="inherited"),
    ],
)
def test_groups_that_do_not_disagree(other: NodeGroup) -> None:
    assert over_a_run(checked("g.a", A), other) == []


def test_a_run_of_many_groups_that_all_disagree_is_judged_in_time() -> None:
    found = over_a_run(*(checked(f"g.{n}", f"{n:064x}") for n in range(3000)))
    assert len(found) == 3000
    assert 'in "g.0", "g.1" and 2997 more groups' in found[-1][1]
