"""CloudFormation: what functions come to, where things stand, and files that are hostile, broken or something else."""

from __future__ import annotations

import json
import re
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st
from support.pcsguard_cli import check_json, pcsguard

from pcs_policies.document import Expression, NodeGroup, Origin, State, Stated, Template
from pcs_policies.errors import InputError, UsageError
from pcs_policies.sources import cloudformation
from pcs_policies.sources.cloudformation import library, yaml_text
from pcs_policies.sources.cloudformation.parameters import Parameters
from pcs_policies.sources.cloudformation.values import NOTHING, Body, Scope
from pcs_policies.sources.detect import open_document
from pcs_policies.sources.given import Given
from pcs_policies.sources.reading import Reading, Unreadable
from pcs_policies.sources.written import InlineWaiver

TYPE = "AWS::PCS::ComputeNodeGroup"

HEADER = """\
AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  Text: {Type: String, Default: abc}
  Open: {Type: String}
  Count: {Type: Number, Default: 4}
  Names: {Type: CommaDelimitedList, Default: "a, b,c"}
  Subnets: {Type: "List<AWS::EC2::Subnet::Id>"}
  Stored: {Type: "AWS::SSM::Parameter::Value<String>", Default: /the/name}
  Secret: {Type: String, NoEcho: true, Default: hunter2}
  Switch: {Type: String, Default: "true"}
Mappings:
  Sizes:
    small: {type: c7i.large, count: 2}
    "123456789012": {type: c7i.xlarge, list: [x, y]}
Conditions:
  Always: !Equals [a, a]
  Never: !Not [!Condition Always]
  Switched: !Equals [!Ref Switch, true]
  Maybe: !Equals [!Ref Open, x]
  MaybeNot: !Not [!Condition Maybe]
  YesAndNo: !And [!Condition Always, !Condition Never]
  NoAndMaybe: !And [!Condition Never, !Condition Maybe]
  YesOrMaybe: !Or [!Condition Always, !Condition Maybe]
  Lists: !Equals [!Join ["", !Ref Names], abc]
  Itself: !Not [!Condition Itself]
  Broken: !Equals [a]
"""

SCOPE = yaml_text.parse(HEADER)


def scope(**values: str) -> Scope:
    return Scope(Parameters(SCOPE["Parameters"], Given(values)), SCOPE["Mappings"], SCOPE["Conditions"])


def value(text: str, **values: str) -> Any:
    """What the value of a property comes to."""
    return Body(scope(**values)).value(yaml_text.parse(text))


def read(text: str, file: str = "t.yaml", **values: str) -> Reading:
    return open_document(text.encode(), file, given=Given(values))


def groups(text: str, **values: str) -> list[NodeGroup]:
    found = list(read(text, **values).groups)
    assert all(isinstance(group, NodeGroup) for group in found), found
    return [group for group in found if isinstance(group, NodeGroup)]


def template(properties: str, *, header: str = HEADER, resource: str = "") -> str:
    """A template with one node group; ``properties`` are lines without indentation."""
    body = "".join(f"      {line}\n" for line in properties.splitlines())
    more = "".join(f"    {line}\n" for line in resource.splitlines())
    return f"{header}Resources:\n  Hpc:\n    Type: {TYPE}\n{more}    Properties:\n{body}"


# Functions.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("12", 12),
        ("0o12", "0o12"),
        ("010", 8),  # YAML 1.1, and CloudFormation
        ("1.10", "1.10"),
        ("2027-01-31", "2027-01-31"),
        ("'12'", "12"),
        ("yes", True),
        ("'yes'", "yes"),
        ("~", None),
        ("!!str 12", "12"),
        ("0x_", "0x_"),
        ("1" * 64, "1" * 64),
        ("!Ref Text", "abc"),
        ("!Ref Open", Expression("Open")),
        ("!Ref Count", "4"),
        ("!Ref Names", ["a", "b", "c"]),
        ("!Ref Subnets", Expression("Subnets")),
        ("!Ref Stored", Expression("Stored")),
        ("!Ref AWS::Region", Expression("AWS::Region")),
        ("!Ref AWS::NoValue", NOTHING),
        ("!Ref Bucket", Expression("!Ref Bucket")),
        ("{Ref: Text}", "abc"),
        ("{Ref: Text, Other: 1}", {"Ref": "Text", "Other": 1}),
        ("!GetAtt Bucket.Arn", Expression("!GetAtt Bucket Arn")),
        ("!GetAtt [Stack, Outputs.Id]", Expression("!GetAtt Stack Outputs.Id")),
        ("!Sub s3://${Text}/x", "s3://abc/x"),
        ("!Sub s3://${Open}/x", Template(("s3://", None, "/x"))),
        ("!Sub ${Bucket.Arn}/${Text}", Template((None, "/abc"))),
        ("!Sub ${Open}", Expression("Open")),
        ("!Sub ${!Literal}-${ Text }", "${Literal}-abc"),
        ("!Sub ['${a}${b}${Text}', {a: 1, b: !Ref Open}]", Template(("1", None, "abc"))),
        ("!Sub ['${Text}', {Text: own}]", "own"),
        ("!Sub ${Names}", Expression("!Sub ${Names}")),
        ("!Sub [x]", Expression("!Sub x")),
        ("!Sub '{{resolve:ssm:${Text}}}'", Expression("{{resolve:ssm:abc}}")),
        ("!Sub 'a{{resolve:ssm:${Open}}}b'", Template(("a", None))),
        ("!Join ['-', [a, !Ref Text, 1, true]]", "a-abc-1-true"),
        ("!Join ['-', [a, !Ref Open]]", Template(("a-", None))),
        ("!Join ['', [a, !Ref AWS::NoValue, b]]", "ab"),
        ("!Join [',', !Ref Names]", "a,b,c"),
        ("!Join [',', !Ref Subnets]", Expression("!Join , !Ref Subnets")),
        ("!Join ['', [a, !If [Maybe, b, !Ref AWS::NoValue]]]", Expression),
        ("!Select [1, [a, b]]", "b"),
        ("!Select ['0', !Ref Names]", "a"),
        ("!Select [0, !Split ['/', '10.0.0.0/16']]", "10.0.0.0"),
        ("!Select [0, [!If [Maybe, a, !Ref AWS::NoValue], b]]", Expression),
        ("!Select [5, [a]]", Expression("!Select 5 [...]")),
        ("!Select [!Ref Open, [a]]", Expression("!Select !Ref Open [...]")),
        ("!Split [',', !Ref Open]", Expression("!Split , !Ref Open")),
        ("!Split [',', 'a,b']", ["a", "b"]),
        ("!FindInMap [Sizes, small, type]", "c7i.large"),
        ("!FindInMap [Sizes, small, count]", 2),
        ("!FindInMap [Sizes, 123456789012, list]", ["x", "y"]),
        ("!FindInMap [Sizes, !Ref Text, type]", Expression("!FindInMap Sizes !Ref Text type")),
        ("!FindInMap [Sizes, !Ref Open, type]", Expression("!FindInMap Sizes !Ref Open type")),
        ("!FindInMap [Sizes, tiny, type, {DefaultValue: !Ref Text}]", "abc"),
        ("!If [Always, a, b]", "a"),
        ("!If [Never, a, b]", "b"),
        ("!If [Switched, a, b]", "a"),
        ("!If [YesAndNo, a, b]", "b"),
        ("!If [NoAndMaybe, a, b]", "b"),
        ("!If [YesOrMaybe, a, b]", "a"),
        ("!If [Lists, a, b]", "a"),
        ("!If [Maybe, a, b]", Expression("!If Maybe a b")),
        ("!If [MaybeNot, a, a]", "a"),
        ("!If [Itself, a, b]", Expression("!If Itself a b")),
        ("!If [Broken, a, b]", Expression("!If Broken a b")),
        ("!If [Missing, a, b]", Expression("!If Missing a b")),
        ("!If [Maybe, {a: 1, b: 2}, {a: 1, b: 3}]", {"a": 1, "b": Expression("!If Maybe {...} {...}")}),
        ("!If [Maybe, [a, b], [a, c]]", ["a", Expression("!If Maybe [...] [...]")]),
        ("!If [Maybe, 1, '1']", Expression("!If Maybe 1 1")),
        ("!If [Maybe, !Ref AWS::NoValue, !Ref AWS::NoValue]", NOTHING),
        ("!If [Maybe]", Expression("!If Maybe")),
        ("[a, !If [Never, b, !Ref AWS::NoValue], c]", ["a", "c"]),
        ("{a: !Ref AWS::NoValue, b: 1}", {"b": 1}),
        ("!Base64 x", Expression("!Base64 x")),
        ("!ImportValue x", Expression("!ImportValue x")),
        ("!Transform {Name: AWS::Include}", Expression("!Transform {...}")),
        ("{a: 1, 'Fn::Transform': {Name: AWS::Include}}", Expression("Fn::Transform")),
        ("{'Fn::ForEach::X': [a, [b], {}]}", Expression("Fn::Transform")),
        ("'{{resolve:ssm:name}}'", Expression("{{resolve:ssm:name}}")),
        ("s3://{{resolve:ssm:bucket:1}}/x", Template(("s3://", None, "/x"))),
    ],
)  # fmt: skip
def test_values(text: str, expected: Any) -> None:
    found = value(text)
    if expected is Expression:
        assert isinstance(found, Expression)
    else:
        assert found == expected
        assert type(found) is type(expected) or isinstance(found, dict | list)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("!Ref Open", {"Open": "given"}, "given"),
        ("!Ref Text", {"Text": "given"}, "given"),
        ("!Ref Names", {"Names": "x,y"}, ["x", "y"]),
        ("!Sub ${AWS::Region}", {"AWS::Region": "eu-west-1"}, "eu-west-1"),
        ("!Ref Stored", {"Stored": "/other/name"}, Expression("Stored")),
        ("!If [Maybe, a, b]", {"Open": "x"}, "a"),
        ("!If [Maybe, a, b]", {"Open": "y"}, "b"),
        ("!If [Switched, a, b]", {"Switch": "false"}, "b"),
    ],
)
def test_values_with_given_parameters(text: str, values: dict[str, str], expected: Any) -> None:
    assert value(text, **values) == expected


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("!If [Maybe, a, !Ref AWS::NoValue]", True),
        ("!If [Maybe, !Ref AWS::NoValue, a]", True),
        ("!If [Maybe, !If [MaybeNot, a, !Ref AWS::NoValue], b]", True),
        ("!If [Maybe, a, b]", False),
        ("!If [Maybe, a, !If [Never, !Ref AWS::NoValue, b]]", False),
        (f"!If [Maybe, {'x' * 300}, !Ref AWS::NoValue]", True),
        ("!Ref Open", False),
    ],
)
def test_what_may_be_left_out_may_not_be_stated(text: str, left_out: bool) -> None:
    (group,) = groups(template(f"Name: {text}"))
    assert group.after.leaf("name").state is State.UNKNOWN
    assert group.after.leaf("name").stated is (Stated.MAYBE if left_out else Stated.YES)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("!Ref Secret", True),
        ("!Sub x-${Secret}", True),
        ("!Join ['', [a, !Ref Secret]]", True),
        ("!If [Maybe, !Ref Secret, x]", True),
        ("!If [Never, !Ref Secret, x]", False),
        ("'{{resolve:secretsmanager:x:SecretString:y}}'", True),
        ("'{{resolve:ssm-secure:x}}'", True),
        ("'{{resolve:ssm:x}}'", False),
        ("!Sub '{{resolve:secretsmanager:${Text}}}'", True),
        ("!Ref Text", False),
    ],
)
def test_sensitive_values_are_marked(text: str, secret: bool) -> None:
    (group,) = groups(template(f"Tags:\n  a: {text}\n  b: x"))
    tags = group.after.object("tags")
    assert (tags.fields["a"].sensitive, tags.fields["b"].sensitive) == (secret, False)


@pytest.mark.parametrize(("store", "code"), [("secretsmanager", 1), ("ssm-secure", 1), ("ssm", 0)])
def test_a_secret_that_cloudformation_fetches_into_an_argument_is_published_by_it(store: str, code: int) -> None:
    arguments = f"[--file, '{{{{resolve:{store}:/hpc/ldap}}}}']"
    text = template(f"NodeLifecycleActions: {{Stages: {{NodeReady: [{{Name: x, Arguments: {arguments}}}]}}}}")
    run = check_json("-", "--select", "PCS108", stdin=text.encode())
    assert (run.code, len(run.report["findings"])) == (code, code)


def test_no_output_holds_the_value_of_a_secret_parameter(tmp_path: Path) -> None:
    script = "Name: x\n          Arguments: [--password, !Ref Secret]"
    text = template(f"NodeLifecycleActions:\n  Stages:\n    NodeReady:\n    - {script}")
    (tmp_path / "t.yaml").write_text(text)
    for run in (check_json(tmp_path / "t.yaml"), pcsguard("show", tmp_path / "t.yaml")):
        assert "hunter2" not in run.out + run.err


# Groups, and where they stand.

LIFECYCLE = """\
Name: hpc
NodeLifecycleActions:
  Stages:
    NodeReady:
      - !If [Never, {Name: gone}, !Ref "AWS::NoValue"]
      - Name: motd
        ScriptSource:
          ScriptLocation: !Sub s3://${Open}/motd.sh
        OnError: !If
          - Maybe
          - CONTINUE
          - CONTINUE
"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ("", 38, 5),
        ("name", 40, 7),
        ("nodeLifecycleActions.stages.nodeReady[0]", 45, 15),
        ("nodeLifecycleActions.stages.nodeReady[0].scriptSource.scriptLocation", 47, 17),
        ("nodeLifecycleActions.stages.nodeReady[0].scriptSource.checksum", 46, 15),
        ("nodeLifecycleActions.stages.nodeReady[0].onError", 48, 15),
    ],
)
def test_places_in_yaml(path: str, line: int, column: int) -> None:
    text = template(LIFECYCLE)
    (group,) = groups(text)
    assert group.address == "Hpc"
    first = text.splitlines().index("  Hpc:") + 1
    assert group.origins(path) == Origin(file="t.yaml", line=line - 37 + first, column=column)


def test_places_in_json() -> None:
    text = json.dumps(
        {
            "AWSTemplateFormatVersion": "2010-09-09",
            "Outputs": {"a": {"Value": "}{\"\\"}},
            "Resources": {
                "Other": {"Type": "AWS::S3::Bucket", "Properties": {"Name": ["x", {}]}},
                "Hpc": {
                    "Type": TYPE,
                    "Metadata": {"aws:cdk:path": "Site/Hpc"},
                    "Properties": {"Name": "hpc", "SubnetIds": ["a", {"Ref": "B"}], "Tags": {}},
                },
            },
        },
        indent=1,
    )  # fmt: skip
    (group,) = open_document(text.encode(), "t.json").groups
    assert isinstance(group, NodeGroup)
    lines = text.splitlines()

    def at(path: str) -> str:
        origin = group.origins(path)
        assert origin.line is not None
        assert origin.column is not None
        assert origin.construct == "Site/Hpc"
        return lines[origin.line - 1][origin.column - 1 :]

    assert at("name") == '"Name": "hpc",'
    assert at("subnetIds[1]") == "{"
    assert at("tags") == '"Tags": {}'
    assert at("") == "{"


def test_yaml_and_json_mean_the_same() -> None:
    text = template(LIFECYCLE)
    (of_yaml,) = groups(text)
    (of_json,) = groups(json.dumps(yaml_text.parse(text)))
    for group in (of_yaml, of_json):
        (script,) = group.scripts()
        assert script.location.value == Template(("s3://", None, "/motd.sh"))
        assert (script.on_error.value, script.on_error.stated) == ("CONTINUE", Stated.YES)


@pytest.mark.parametrize(
    ("condition", "addresses"), [("Always", ["Hpc"]), ("Never", []), ("Maybe", ["Hpc"]), ("Missing", ["Hpc"])]
)
def test_a_group_under_a_condition(condition: str, addresses: list[str]) -> None:
    found = groups(template("Name: hpc", resource=f"Condition: {condition}"))
    assert [group.address for group in found] == addresses


def test_members_that_a_group_does_not_have_are_told() -> None:
    (group,) = groups(template("Nmae: hpc"))
    assert group.strangers == (("", "Nmae"),)


def test_a_malformed_group_is_told() -> None:
    (found,) = read(template("NodeLifecycleActions: 7")).groups
    assert found == Unreadable("Hpc", "nodeLifecycleActions should be an object but is a number")


WAIVERS = """\
Metadata:
  pcsguard:
    ignore:
      - {rules: [PCS101, PCS104], owner: ana, until: 2027-01-31, reason: a test, path: "NodeLifecycleActions"}
      - rule: PCS2
      - PCS301
"""


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_waivers_in_metadata(form: str) -> None:
    text = template("Name: hpc", resource=WAIVERS)
    if form == "json":
        text = json.dumps(yaml_text.parse(text))
    (group,) = groups(text)
    first = 1 if form == "json" else text.splitlines().index("      ignore:".replace("      ", "        ")) + 2
    step = 0 if form == "json" else 1
    path = "NodeLifecycleActions"
    assert group.waivers == (
        InlineWaiver(("PCS101", "PCS104"), "ana", "2027-01-31", "a test", path, "t.yaml", first),
        InlineWaiver(("PCS2",), None, None, None, "", "t.yaml", first + step),
        InlineWaiver(("PCS301",), None, None, None, "", "t.yaml", first + 2 * step),
    )


# YAML as people and tools write it, and as an attacker does.


def test_anchors_aliases_and_merge_keys() -> None:
    text = """\
base: &base {a: 1, b: 2}
two: &two [x]
merged: {<<: *base, b: 3, c: *two}
first: {b: 3, <<: [{z: 1}, *base]}
"""
    assert yaml_text.parse(text) == {
        "base": {"a": 1, "b": 2},
        "two": ["x"],
        "merged": {"a": 1, "b": 3, "c": ["x"]},
        "first": {"b": 3, "z": 1, "a": 1},
    }


def test_a_merged_member_stands_where_it_was_written() -> None:
    properties = "<<: &base\n  Name: hpc\nAmiId: ami-1"
    (group,) = groups(template(properties))
    (plain,) = groups(template("Name: hpc"))
    assert group.origins("name").line == (plain.origins("name").line or 0) + 1


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, r"line \d, column \d+: the file comes to more than 500,000 values, aliases followed"),
        ("a: &a\n" + "b: {<<: [" + ",".join(["*a"] * 9) + "]}", "line 2, column 5: the merge key << takes an object"),
        ("a: &a [*a]", "line 1, column 8: the alias \"a\" stands for something that holds it"),
        ("a: *b", "line 1, column 4: the alias \"b\" stands for nothing that comes before it"),
        ("Resources:\n  A: 1\n  B: 2\n  A: 3", r'line 4, column 3: "A" is set a second time \(first in line 2\)'),
        ("Resources:\n\tA: 1", "the file is not valid YAML: line 2, column 1: a tab, but YAML indents with spaces"),
        ("Resources: [", "the file is not valid YAML: line [12], column 1"),
        ("Resources: 'x", "the file is not valid YAML: line 1, column 1[124]: "),
        ("Resources: \x01", "the file is not valid YAML: "),
        ("Resources: !Sbu x", r'column 12: the tag "!Sbu" is none that CloudFormation knows; did you mean !Sub\?'),
        ("Resources: !!binary aGk=", 'column 12: the tag "!!binary" is none that CloudFormation knows'),
        ("Resources: !!python/object:os.system {}", 'the tag "!!python/object:os.system" is none'),
        ("Resources: !<tag:x,1:y> z", 'the tag "tag:x,1:y" is none'),
        ("Resources:\n  ? [a]\n  : b", "line 2, column 5: an object or a list stands for a key"),
        ("Resources:\n  !Ref a: b", 'line 2, column 3: the key "a" has a tag'),
        ("Resources: {}\n---\nResources: {}", "line 2, column 1: a second document begins"),
        ("Resources: " + "[" * 101, r"the file nests deeper than 100 levels"),
        ("Resources: " + "[" * 200_000, r"the file nests (deeper than 100 levels|too deep)"),
        ("Resources:\n" + "  x: y\n" * 400_000, r"the file has 2,800,011 characters, too many for a template"),
        ("Resources:\n" + "# x\n" * 3_000_000, r"the file has 12,000,011 characters, too many for a template"),
        ("AWSTemplateFormatVersion: 1\nResources: {A: 1}", 'line 2, column 13: the resource "A" has no Type'),
        ("AWSTemplateFormatVersion: 1\nResources: [a]", "line 2, column 1: Resources should be an object"),
        ("AWSTemplateFormatVersion: 1\nResources: {}\nParameters: x", "line 3, column 1: Parameters should be an"),
        ("services:\n  web: {}\nversion: 3", r'this is YAML \(an object with "services", "version"\), but no Cloud'),
        ("---\n- a\n", r"this is YAML \(a list\), but no CloudFormation template"),
        ("--- text", r"this is YAML \(a single value\), but no"),
        ("---\n", r"this is YAML \(nothing\), but no"),
    ],
)  # fmt: skip
def test_what_is_no_template_is_told_in_bounded_time(text: str, message: str) -> None:
    started = time.monotonic()
    with pytest.raises(InputError, match=message):
        list(read(text).groups)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("library_parser", ["libyaml", "python"])
def test_both_parsers_of_pyyaml_give_the_same(library_parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import yaml

    if library_parser == "python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    (group,) = groups(template(LIFECYCLE))
    assert group.origins("nodeLifecycleActions.stages.nodeReady[0].onError").column == 15
    with pytest.raises(InputError, match="line 2, column 1: a tab"):
        yaml_text.parse("a:\n\tb: 1")


def test_the_largest_template_is_read_in_bounded_time() -> None:
    bucket = "  B{}:\n    Type: AWS::S3::Bucket\n    Properties: {{Tags: [{{Key: a, Value: !Sub 'x-${{Text}}'}}]}}\n"
    text = template("Name: hpc")
    index = 0
    while len(text) < 1_000_000:
        text += bucket.format(index)
        index += 1
    started = time.monotonic()
    (group,) = groups(text)
    assert time.monotonic() - started < 10
    assert group.after.leaf("name").text == "hpc"


def test_a_large_json_template_is_read_too() -> None:
    resources: dict[str, Any] = {f"B{index}": {"Type": "AWS::S3::Bucket"} for index in range(100_000)}
    resources["Hpc"] = {"Type": TYPE, "Properties": {"Name": "hpc"}}
    text = json.dumps({"Resources": resources}, indent=2)
    assert len(text) > 4_000_000
    started = time.monotonic()
    (group,) = groups(text)
    assert time.monotonic() - started < 10
    assert group.origins("name").line == text[: text.index('"Name"')].count("\n") + 1


def test_json_that_nests_too_deep_is_told() -> None:
    deep = "[" * 700 + "]" * 700
    text = f'{{"Resources": {{"Hpc": {{"Type": "{TYPE}", "Properties": {{"Name": {deep}}}}}}}}}'
    with pytest.raises(InputError, match="nests too deep"):
        list(read(text).groups)


@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom"])
def test_encodings(name: str) -> None:
    text = template("Name: hpc")
    data = b"\xff\xfe" + text.encode("utf-16-le") if name.endswith("bom") else text.encode(name)
    (group,) = open_document(data, "t.yaml").groups
    assert isinstance(group, NodeGroup)
    assert group.origins("name").column == 7


@pytest.mark.parametrize(
    "data", [b"Resources: \xff\xfe", b"\x89PNG\r\n\x1a\n\x00", b"Resources:\x00", b"\xff\xfeR\x00:"]
)
def test_binary_is_told(data: bytes) -> None:
    with pytest.raises(InputError):
        list(open_document(data, "t.yaml").groups)


@given_any(st.text(alphabet="ab:- \n\t[]{}&*!<>|'\"#,?%@`~0\x00é", max_size=60))
def test_any_text_gives_a_value_or_a_reason(text: str) -> None:
    with suppress(InputError):
        yaml_text.parse(text)


def test_without_the_extra_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    library._scalars.cache_clear()
    with pytest.raises(UsageError, match=r"needs PyYAML, which is not installed: pip install 'pcsguard\[cfn\]'"):
        read(template("Name: hpc"))
    assert len(groups(json.dumps({"Resources": {"Hpc": {"Type": TYPE, "Properties": {}}}}))) == 1


# What is not followed is told.


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Transform: AWS::LanguageExtensions\nResources: {}", None),
        ("Transform: [AWS::Serverless-2016-10-31]\nResources: {}", None),
        ("Transform: [OurMacro]\nResources: {}", 'line 1, column 1: "OurMacro" transforms the template'),
        ("Transform: {Name: AWS::Include}\nResources: {}", "line 1, column 1: a macro transforms"),
        (
            f"Resources:\n  Fn::ForEach::Each: [x, [a], {{'G${{x}}': {{Type: {TYPE}}}}}]\n  B: {{Type: A::B}}",
            'line 2, column 3: "Fn::ForEach::Each" makes node groups',
        ),
        ("Resources:\n  Fn::ForEach::Each: [x, [a], {'B${x}': {Type: A::B}}]\n  B: {Type: A::B}", None),
        (template("Fn::Transform: {Name: AWS::Include}"), r'line \d+, column 3: Fn::Transform in "Hpc" may make'),
        (template("Tags: {'Fn::ForEach::X': []}"), r'line \d+, column 3: Fn::ForEach::X in "Hpc" may make anything'),
        ("Resources: {S: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: 'https://x/y'}}}", None),
        ("Resources: {S: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: !Ref X}}}", None),
    ],
)
def test_what_is_not_followed_is_told(text: str, problem: str | None) -> None:
    problems = open_document(text.encode(), "t.yaml", kind="cloudformation").problems
    if problem is None:
        assert problems == ()
    else:
        assert len(problems) == 1
        assert re.match(problem, problems[0])


def test_a_transform_of_aws_shows_in_the_title() -> None:
    reading = read(f"Transform: AWS::Serverless-2016-10-31\n{template('Name: hpc')}")
    assert reading.kind.title == "CloudFormation template (as written, without AWS::Serverless-2016-10-31)"
    assert reading.problems == ()


NESTING = "Resources:\n" + "".join(
    f"  S{index}:\n    Type: AWS::CloudFormation::Stack\n    Properties: {{TemplateURL: {url}}}\n"
    for index, url in enumerate(["./inner/groups.yaml", "inner/groups.yaml", "inner/buckets.yaml", "https://x/y.yaml"])
)


def test_nested_stacks_are_told_once_and_only_where_nobody_checks_them(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "outer.yaml").write_text(NESTING)
    (tmp_path / "inner" / "groups.yaml").write_text(template("Name: hpc"))
    (tmp_path / "inner" / "buckets.yaml").write_text("Resources: {B: {Type: AWS::S3::Bucket}}")
    alone = check_json(tmp_path / "outer.yaml")
    assert [entry["reason"] for entry in alone.report["unchecked"]] == [
        f"nested stacks are not followed: check {tmp_path}/inner/groups.yaml too, or the folder that holds all of them"
    ]
    assert alone.code == 3
    assert check_json(tmp_path).report["unchecked"] == []


# The command.


def test_a_folder_with_templates_and_other_yaml(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(template("Name: hpc"))
    (tmp_path / "b.template").write_text(json.dumps({"Resources": {"Hpc": {"Type": TYPE, "Properties": {}}}}))
    (tmp_path / "c.json").write_text(json.dumps({"Resources": {"Hpc": {"Type": TYPE, "Properties": {}}}}))
    (tmp_path / "compose.yml").write_text("services: {}\n")
    (tmp_path / "broken.yaml").write_text("services: [\n")
    (tmp_path / "broken-template.yaml").write_text(f"Resources:\n  Hpc: {{Type: {TYPE}\n")
    (tmp_path / "schema.json").write_text(json.dumps({"typeName": TYPE, "properties": {}}))
    run = check_json(tmp_path)
    assert [(Path(entry["path"]).name, entry["groups"]) for entry in run.report["inputs"]] == [
        ("a.yaml", 1),
        ("b.template", 1),
        ("broken-template.yaml", 0),
        ("c.json", 1),
    ]
    assert run.code == 3
    skipped = pcsguard("check", tmp_path).out
    assert f"{tmp_path}/compose.yml: skipped, it is no CloudFormation template\n" in skipped
    assert f"{tmp_path}/schema.json: skipped, this is the schema of a resource type" in skipped


def test_parameters_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(template("AmiId: !Ref Open\nName: !If [Maybe, pcs_x, hpc]"))
    undecided = check_json(path, "--select", "PCS303")
    assert undecided.places() == {"Hpc": []} or undecided.report["findings"] == []
    decided = check_json(path, "--select", "PCS303", "--parameter", "Open=x")
    assert decided.places() == {"Hpc": ["PCS303 amiId", "PCS303 name"]}


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["--parameter", "Opne=x"], 3, "no template has a parameter 'Opne'"),
        (["--parameter", "Open"], 2, "--parameter takes NAME=VALUE, not 'Open'"),
        (["--parameter", "=x"], 2, "--parameter takes NAME=VALUE, not '=x'"),
        (["--parameter", "Open=x", "--parameter", "Open=y"], 2, "--parameter Open is given twice"),
    ],
)
def test_wrong_parameters(tmp_path: Path, arguments: list[str], code: int, text: str) -> None:
    (tmp_path / "t.yaml").write_text(template("Name: hpc"))
    run = pcsguard("check", "--select", "PCS101", tmp_path / "t.yaml", *arguments)
    assert run.code == code
    assert text in run.out + run.err


def test_a_kind_that_is_said() -> None:
    text = "# no version, and no resource that says what it is\nResources: {}\n"
    assert check_json("-", stdin=text.encode()).code == 3
    said = check_json("-", "--kind", "cloudformation", stdin=text.encode())
    assert (said.code, said.report["inputs"][0]["kind"]) == (0, "cloudformation")
    assert check_json("-", "--kind", "cloudformation", stdin=b'{"Resources": {}}').code == 0


def test_standard_input() -> None:
    assert check_json("-", stdin=template("Name: hpc").encode()).report["inputs"][0]["kind"] == "cloudformation"


def test_terraform_syntax_and_templates_are_not_mistaken_for_each_other(tmp_path: Path) -> None:
    code = "Code: |\n  data = {\n    'a': 1}\n  resource {"
    (tmp_path / "t.yaml").write_text(template(f"Name: hpc\n{code}"))
    heredoc = 'resource "aws_cloudformation_stack" "s" {\n  template_body = <<EOT\nResources:\n  A: {}\nEOT\n}\n'
    (tmp_path / "main.tf").write_text(f"# Resources: of ours\n{heredoc}")
    kinds = [check_json(tmp_path / name).report["inputs"][0]["kind"] for name in ("t.yaml", "main.tf")]
    assert kinds == ["cloudformation", "hcl"]


# The corpus.

GOLDEN = Path(__file__).parent / "golden" / "cfn-cluster-byovpc.txt"
"""Written by hand from AWS's documentation, before anything was compared: no command updates it."""


def test_every_template_of_the_corpus_is_read(corpus_dir: Path) -> None:
    found = {}
    for path in sorted((corpus_dir / "cfn").iterdir()):
        run = check_json(path)
        assert "Traceback" not in run.err
        found[path.name.rpartition("__")[2]] = (run.report["inputs"][0]["kind"], run.report["summary"]["groups"])
    assert found == {
        "cluster-byovpc.yaml": ("cloudformation", 2),
        "autoupdate-pcs-nodegroups-on-ami-change.cfn.yaml": ("cloudformation", 0),
        "pcs-isolated-cluster.yaml": ("cloudformation", 2),
        "cluster.cfn.yaml": ("cloudformation", 2),
        "add-cng-p5.yaml": ("cloudformation", 1),
        "add-cng.yaml": ("cloudformation", 1),
        "cluster.yaml": ("cloudformation", 0),
        "AWS_PCS_Cluster.json": (None, 0),
        "AWS_PCS_ComputeNodeGroup.json": (None, 0),
        "AWS_PCS_Queue.json": (None, 0),
    }


def test_findings_on_the_corpus_are_those_made_by_hand(corpus_dir: Path) -> None:
    (path,) = (corpus_dir / "cfn").glob("*cluster-byovpc.yaml")
    report = check_json(path).report
    found = {
        f"{entry['address']} {entry['verdict']} {entry['rule']} {entry['path']} {entry['origin']['line']}"
        for entry in report["findings"] + report["undecided"]
    }
    golden = GOLDEN.read_text(encoding="utf-8").splitlines()
    assert found == {line for line in golden if not line.startswith("#")}
    assert cloudformation.may_be(path.read_bytes())
