"""HCL at the literal level: values as terraform computes them, exact places, modules, and files that cannot be read."""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import terraform

from pcs_policies.document import Expression, Template
from pcs_policies.errors import InputError, UsageError
from pcs_policies.rules import hcl_example
from pcs_policies.sources.hcl import HclSource, read_file, read_folder
from pcs_policies.sources.written import Position, Written, document

GROUP = "awscc_pcs_compute_node_group"
REMEDY = "; what is around it is not checked until `terraform validate` accepts the file"

Read = Callable[..., HclSource]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads files, given by their names (``__`` for a slash, ``_tf`` for the suffix), as one root module."""
    monkeypatch.chdir(tmp_path)

    def read(**files: str | bytes) -> HclSource:
        for name, content in files.items():
            path = Path(name.replace("__", "/").replace("_json", ".json").replace("_tf", ".tf"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_folder(".")

    return read


def group(members: str, name: str = "hpc") -> str:
    return f'resource "{GROUP}" "{name}" {{\n{members}\n}}\n'


def only(source: HclSource) -> Written:
    """The one group of a source that is fully read."""
    assert source.problems == ()
    (found,) = source.groups
    return found


# Values. What is no literal is not here: everything in these tables is compared with terraform as well.

LITERALS: list[tuple[str, Any]] = [
    ("1", 1),
    ("-5", -5),
    ("- 5", -5),
    ("-0", 0),
    ("007", 7),
    ("5.0", 5),
    ("1.50", 1.5),
    ("-0.5", -0.5),
    ("1e3", 1000),
    ("2E+2", 200),
    ("1.5e-3", 0.0015),
    ("123456789012345678901234567890", 123456789012345678901234567890),
    ("true", True),
    ("false", False),
    ("null", None),
    ("(((1)))", 1),
    ('(\n"x"\n)', "x"),
    ("-(5)", -5),
    ("[]", []),
    ("[1, 2]", [1, 2]),
    ("[\n1,\n2,\n]", [1, 2]),
    ("[1, /* a\n b */ 2, # x\n 3]", [1, 2, 3]),
    ("{}", {}),
    ('{a : 1, "b" : 2}', {"a": 1, "b": 2}),
    ("{\n  a = 1 // one\n  b = 2\n}", {"a": 1, "b": 2}),
    ("{ a = 1 /* x\n */ , b = 2 }", {"a": 1, "b": 2}),
    ("{a = 1, a = 2}", {"a": 2}),
    (
        '{1 = "a", 1.50 = "b", true = "c", null = "d", "q r" = 1, ("p") = 2, if = 3, for = 4, in = 5, a-b = 6}',
        {"1": "a", "1.5": "b", "true": "c", "null": "d", "q r": 1, "p": 2, "if": 3, "for": 4, "in": 5, "a-b": 6},
    ),
    ("{é = 1}", {"é": 1}),
    ('[{ a = ["b"] }, { a = [] }]', [{"a": ["b"]}, {"a": []}]),
    ('""', ""),
    (r'"a\tb\nc\r\"d\\e"', 'a\tb\nc\r"d\\e'),
    (r'"\u00e9\U0001F600"', "é\U0001f600"),
    ('"e\u0301"', "é"),  # NFC
    ('"a\tb # no comment // nor /* this */"', "a\tb # no comment // nor /* this */"),
    ('"$ $$ $a 100% %% %a }{"', "$ $$ $a 100% %% %a }{"),
    ('"$${ "', "${ "),
    ('"$$${x}"', "$${x}"),
    ('"$$$${x}"', "$$${x}"),
    ('"%%%{a}"', "%%{a}"),
    ('"$${a} %%{ if x }"', "${a} %{ if x }"),
    ("<<EOT\nEOT\n", ""),
    ("<<EOT\nhello\nEOT  \n", "hello\n"),
    ("<<EOT\n  x\n   EOT\n", "  x\n"),
    ("<<E-1\nx\nE-1\n", "x\n"),
    ("<<E\nE1\n E x\nE\n", "E1\n E x\n"),
    ("<<E\na\r\nb\r\nE\r\n", "a\r\nb\r\n"),
    ('<<EOT\na\\n$${b} %%{c} "q"\nEOT\n', 'a\\n${b} %{c} "q"\n'),
    ("<<-EOT\n    a\n\n  \n      b\n    EOT\n", "a\n\n  \n  b\n"),
    ("<<-EOT\n\t\ta\n\t  b\n\tEOT\n", "a\n b\n"),
    ("<<-EOT\n\n    \n    a\n  EOT\n", "\n    \na\n"),
    ("<<-EOT\n    $${a}\n      b\n    EOT\n", "${a}\n  b\n"),
    ("[\n<<A\nx\nA\n, <<B\ny\nB\n]", ["x\n", "y\n"]),
]


@pytest.mark.parametrize(("text", "value"), LITERALS)
def test_literals(read: Read, text: str, value: Any) -> None:
    found = only(read(main_tf=group(f"  value = {text}\n  last = 1"))).values
    assert found == {"value": value, "last": 1}
    assert type(found["value"]) is type(value)


# With what `var.v` ("<1>"), `var.w` ("<2>") and `var.yes` (true) make of it in terraform.
TEMPLATES: list[tuple[str, Template | Expression]] = [
    ('"s3://${var.v}/x.sh"', Template(("s3://", None, "/x.sh"))),
    ('"${var.v}${var.w}"', Template((None, None))),
    (r'"\t${var.v}$${x}\n"', Template(("\t", None, "${x}\n"))),
    ('"a ${upper("b}${var.v}")} d"', Template(("a ", None, " d"))),
    ('"a ${lookup({ b = "}" }, "b", var.v)}${var.v} d"', Template(("a }", None, " d"))),
    ('"$${a ${lower(var.v)}}"', Template(("${a ", None, "}"))),
    ('"s3://b/%{ if var.yes }a%{ else }b%{ endif }/c"', Template(("s3://b/", None, "/c"))),
    ('"%{ for i in [1, 2] }%{ if var.yes }x${i}%{ endif }%{ endfor }"', Template((None, None))),
    ('"a${~ var.v ~}b"', Template(("a", None, "b"))),
    ('"a  ${~ var.v ~}  b"', Expression('"a ${~ var.v ~} b"')),
    (r'"a\t${~ var.v}"', Expression(r'"a\t${~ var.v}"')),
    ('"${var.v}"', Expression("var.v")),
    ('"${~ var.v ~}"', Expression("var.v")),
    ("<<E\n${var.v}\nE\n", Template((None, "\n"))),
    ("<<-E\n    a ${var.v}\n  ${var.w}\n    E\n", Template(("  a ", None, "\n", None, "\n"))),
    ('<<-E\n    a ${join(var.v, [<<F\nE\nF\n, "b"])}\n   c\n E\n', Template((" a ", None, "\nc\n"))),
    (
        "<<-E\n    %{ if var.yes }\n      a\n    %{ endif }\n    b\n    E\n",
        Template((None, "\nb\n")),
    ),
]


@pytest.mark.parametrize(("text", "value"), TEMPLATES)
def test_templates(read: Read, text: str, value: Any) -> None:
    assert only(read(main_tf=group(f"  value = {text}"))).values == {"value": value}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("var.x", "var.x"),
        ("local.a[0].b", "local.a[0].b"),
        ("(var.x)", "var.x"),
        ("var.x ? 1 : null", "var.x ? 1 : null"),
        ("length(var.x) -1", "length(var.x) -1"),
        ("-var.x", "-var.x"),
        ("!var.x", "!var.x"),
        ("1 + var.x # two", "1 + var.x"),
        ("1 + var.x\n", "1 + var.x"),
        ("[for x in var.y :\n  upper(x)]", "[for x in var.y : upper(x)]"),
        ("{ for k, v in var.y : k => v if v != null }", "{ for k, v in var.y : k => v if v != null }"),
        ('{ (var.k) = 1, b = "c" }', '{ (var.k) = 1, b = "c" }'),
        ('{ "${var.k}-x" = 1 }', '{ "${var.k}-x" = 1 }'),
        ("{ a.b = 1 }", "{ a.b = 1 }"),
        ('merge(var.x,\n    # why\n    { b = "$${c}" })', 'merge(var.x, { b = "$${c}" })'),
        ("provider::aws::arn_parse(var.x)", "provider::aws::arn_parse(var.x)"),
        ("aws_s3_object.script[*].version_id", "aws_s3_object.script[*].version_id"),
        ("[var.é]", [Expression("var.é")]),
        ("1e999999999", "1e999999999"),
        ("1e-999999999", "1e-999999999"),
        (f"join({'var.x, ' * 40}null)", f"join({'var.x, ' * 26}v... null ..."),
        (f"join({'var.x, ' * 40}1)", f"join({'var.x, ' * 27}var..."),
    ],
)
def test_expressions_and_their_text(read: Read, text: str, shown: Any) -> None:
    value = Expression(shown) if isinstance(shown, str) else shown
    found = only(read(main_tf=group(f"  value = {text}\n  last = 1"))).values
    assert found == {"value": value, "last": 1}
    if isinstance(value, Expression):
        assert len(value.text) <= 200
        assert value.may_be_null == ("null" in text)


@pytest.mark.parametrize(
    ("members", "values"),
    [
        ("scaling {\n min = 1\n}", {"scaling": {"min": 1}}),
        ("a {\n b {\n c = 1\n }\n}", {"a": {"b": {"c": 1}}}),
        ("a { b = 1 }\na { b = 2 }", {"a": [{"b": 1}, {"b": 2}]}),
        ('dynamic "a" {\n for_each = []\n}', {"a": Expression('dynamic "a" { for_each = [] }')}),
        ('a {\n dynamic "b" {\n }\n c = 1\n}', {"a": {"b": Expression('dynamic "b" { }'), "c": 1}}),
        ('a { x = 1 }\ndynamic "a" {}', {"a": Expression("a { x = 1 }")}),
        ("for_each = var.x\nprovider = aws.x\ndepends_on = [a.b]\nname = 1", {"name": 1}),
        ('lifecycle {\n ignore_changes = all\n}\nprovisioner "local-exec" {\n}\ntimeouts { create = "1h" }', {}),
        ("a = { count = 1, lifecycle = {} }", {"a": {"count": 1, "lifecycle": {}}}),
    ],
)
def test_blocks_and_what_is_terraforms_own(read: Read, members: str, values: Any) -> None:
    found = only(read(main_tf=group(members)))
    assert found.values == values
    assert {path.partition(".")[0].partition("[")[0] for path in found.positions} == {"", *values}


@pytest.mark.parametrize(
    ("members", "exists"),
    [
        ("count = 0", False),
        ("count = (0)", False),
        ('count = "0"', False),
        ("for_each = {}", False),
        ("count = 1", True),
        ("count = var.on ? 1 : 0", True),
        ("for_each = var.groups", True),
    ],
)
def test_groups_that_are_counted_out(read: Read, members: str, exists: bool) -> None:
    source = read(main_tf=group(members))
    assert source.problems == ()
    assert len(source.groups) == exists
    source = read(main_tf=f'module "m" {{\nsource = "./m"\n{members}\n}}', m__main_tf=group(""))
    assert len(source.groups) == exists


# Places

REALISTIC = """\
# The nodes of the site.
locals { x = 1 }

resource "awscc_pcs_compute_node_group" "hpc" {
  cluster_id = awscc_pcs_cluster.hpc.cluster_id
  tags       = { Name = "hpc", "cost centre" = "7" }

  scaling_configuration = { min_instance_count : 0, max_instance_count : 4 }
  node_lifecycle_actions = {
    stages = {
      node_bootstrapped = [{
        name          = "mount"
        script_source = { script_location = "s3://é/${var.x}.sh", checksum = local.sum }
        arguments     = ["-a", <<-EOT
          b
          EOT
        , /* c */ "d"]
      }]
      node_ready = [
        var.first,
        {
          name = "motd"
          "on_error" = (
            "CONTINUE"
          )
        },
      ]
    }
  }
  spot_options { allocation_strategy = "x" }
}
"""

ACTIONS = "node_lifecycle_actions"
BOOT, READY = f"{ACTIONS}.stages.node_bootstrapped", f"{ACTIONS}.stages.node_ready"
PLACES = {
    "": (4, 1),
    "cluster_id": (5, 3),
    "tags": (6, 3),
    "tags.Name": (6, 18),
    "tags.cost centre": (6, 32),
    "scaling_configuration": (8, 3),
    "scaling_configuration.min_instance_count": (8, 29),
    "scaling_configuration.max_instance_count": (8, 53),
    ACTIONS: (9, 3),
    f"{ACTIONS}.stages": (10, 5),
    BOOT: (11, 7),
    f"{BOOT}[0]": (11, 28),
    f"{BOOT}[0].name": (12, 9),
    f"{BOOT}[0].script_source": (13, 9),
    f"{BOOT}[0].script_source.script_location": (13, 27),
    f"{BOOT}[0].script_source.checksum": (13, 67),
    f"{BOOT}[0].arguments": (14, 9),
    f"{BOOT}[0].arguments[0]": (14, 26),
    f"{BOOT}[0].arguments[1]": (14, 32),
    f"{BOOT}[0].arguments[2]": (17, 19),
    READY: (19, 7),
    f"{READY}[0]": (20, 9),
    f"{READY}[1]": (21, 9),
    f"{READY}[1].name": (22, 11),
    f"{READY}[1].on_error": (23, 11),
    "spot_options": (30, 3),
    "spot_options.allocation_strategy": (30, 18),
}


@pytest.mark.parametrize("prepare", ["plain", "crlf", "bom", "crlf and bom", "after another block"])
def test_places(read: Read, prepare: str) -> None:
    text, shift = REALISTIC, 0
    if prepare == "after another block":
        text, shift = group('x = <<E\n"${\n1}\nE\n', "first") + text, 7
    if "crlf" in prepare:
        text = text.replace("\n", "\r\n")
    if "bom" in prepare:
        text = "\ufeff" + text
    source = read(main_tf=text)
    assert source.problems == ()
    found = source.groups[-1]
    assert found.positions == {path: Position(line + shift, column) for path, (line, column) in PLACES.items()}
    assert found.values[ACTIONS]["stages"]["node_ready"][1] == {"name": "motd", "on_error": "CONTINUE"}
    origin = document(found, "terraform").origins("nodeLifecycleActions.stages.nodeBootstrapped[0].onError")
    assert origin[:3] == ("./main.tf", 11 + shift, 28)


# Modules and files


def call(name: str, source: str, more: str = "") -> str:
    return f'module "{name}" {{\n  source = "{source}"\n{more}}}\n'


def test_local_modules_are_followed(read: Read) -> None:
    source = read(
        main_tf=call("a", "./a") + call("again", "./a") + group(""),
        a__x_tf=call("b", "../b"),
        b__x_tf=group("", "inner"),
        b__more__unused_tf=group("", "unused"),
        b__main_tf_json="{}",
    )
    assert source.problems == ()
    assert [found.address for found in source.groups] == [
        f"{GROUP}.hpc",
        f"module.a.module.b.{GROUP}.inner",
        f"module.again.module.b.{GROUP}.inner",
    ]
    assert {found.file for found in source.groups} == {"./main.tf", "b/x.tf"}
    assert source.files == ("./main.tf", "a/x.tf", "b/x.tf", "b/main.tf.json")


def test_a_folder_that_something_else_calls(read: Read) -> None:
    read(main_tf=group("") + call("far", "example/site/aws"))
    source = read_folder(".", ("outer",))
    assert [found.modules for found in source.groups] == [("outer",)]
    assert source.remote_modules == (("outer", "far"),)


@pytest.mark.parametrize(
    "source",
    ["hashicorp/consul/aws", "git::https://example.com/x.git", "/srv/modules/x", "${var.x}", "..", "mod"],
)
def test_modules_elsewhere(read: Read, source: str) -> None:
    found = read(main_tf=call("m", source) + call("n", "./n"), n__x_tf=call("o", "example/x/aws"), mod__x_tf=group(""))
    assert found == HclSource(files=("./main.tf", "n/x.tf"), remote_modules=(("m",), ("n", "o")))


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"main_tf": call("m", "./no")}, './main.tf:1:1: module "m" is to be in "./no", where there is no folder'),
        ({"main_tf": 'module "m" {}'}, './main.tf:1:1: module "m" has no source, so nothing of it is checked'),
        (
            {"main_tf": call("m", "./a"), "a__x_tf": "\n" + call("n", "../a/../a")},
            'a/x.tf:2:1: module "n" calls itself by way of "../a/../a"; terraform refuses that',
        ),
        (
            {"main_tf": call("m", "./a"), "a__x_tf": call("n", "../")},
            'a/x.tf:1:1: module "n" calls itself by way of "../"; terraform refuses that',
        ),
        (
            {"main_tf": call("m", "./a"), "a__x_tf": group("x"), "a__y_tf": group("")},
            f'a/x.tf:3:1: "}}" is not what may stand here{REMEDY}',
        ),
    ],
)
def test_modules_that_cannot_be_followed(read: Read, files: dict[str, str], problem: str) -> None:
    source = read(**{**files, "good_tf": group("", "good")})
    assert source.problems == (problem,)
    assert source.groups[0].name == "good"


def test_module_calls_that_double_in_every_step_end(read: Read) -> None:
    files = {f"m{n}__x_tf": call("a", f"../m{n + 1}") + call("b", f"../m{n + 1}") for n in range(30)}
    source = read(main_tf=call("m", "./m0"), m30__x_tf=group(""), **files)
    assert len(source.problems) <= 2 * 30
    assert "more than 1000 module calls, or 50 inside of each other" in source.problems[0]


def test_module_calls_inside_of_each_other_end(read: Read) -> None:
    files = {f"m{n}__x_tf": call("a", f"../m{n + 1}") for n in range(400)}
    source = read(main_tf=call("m", "./m0"), **files)
    assert len(source.problems) == 1


def test_override_files_are_merged_as_terraform_does(read: Read) -> None:
    source = read(
        main_tf=group('name = "a"\ntags = { x = 1, y = 2 }\nscaling { min = 1 }\ncluster_id = "c"'),
        b_override_tf=group("tags = { z = 3 }\nscaling { max = 2 }"),
        override_tf=group('name = "b"\n'),
    )
    found = only(source)
    assert found.values == {"name": "b", "tags": {"z": 3}, "scaling": {"max": 2}, "cluster_id": "c"}
    assert found.positions == {"": (1, 1), "cluster_id": (5, 1)}
    assert read(z_override_tf=group("count = 0")).groups == ()


def test_overrides_of_nothing_and_what_is_there_twice(read: Read) -> None:
    source = read(a_tf=group("x = 1"), b_tf=group("x = 2"), override_tf=group("", "other"))
    assert [found.values for found in source.groups] == [{"x": 1}]
    assert source.problems == (
        f'./b.tf:1:1: resource "{GROUP}.hpc" is there twice; only the one at ./a.tf:1:1 is checked',
        f'./override.tf:1:1: this overrides resource "{GROUP}.other", which no other file of "." has',
    )


def test_a_file_by_itself(read: Read) -> None:
    read(override_tf=group("") + call("m", "./m"), m__main_tf=group(""))
    source = read_file("override.tf")
    assert [found.address for found in source.groups] == [f"{GROUP}.hpc"]
    assert source.files == ("override.tf",)
    assert source.problems == ()


def test_files_that_say_nothing_are_not_parsed(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hcl2", None)  # importing it fails
    source = read(
        empty_tf="",
        broken_tf='resource "aws_instance" "x" {',
        refers_tf="locals { x = module.y.z }",
        other_tf='# module "x"\ndata "awscc_pcs_compute_node_group" "x" {}\nresource "x_pcs_compute_node_group" "y" {}',
        main_tofu=group(""),
    )
    assert source.problems == ()
    assert source.groups == ()


def test_what_is_no_file(read: Read, tmp_path: Path) -> None:
    (tmp_path / "folder.tf").mkdir()
    (tmp_path / "gone.tf").symlink_to("nowhere.tf")
    (tmp_path / ".#lock.tf").symlink_to("user@host.1")
    (tmp_path / ".hidden.tf").write_text(group("", "hidden"))
    (tmp_path / "outside").write_text(group(""))
    (tmp_path / "linked.tf").symlink_to("outside")
    (tmp_path / "self").symlink_to(".")
    source = read(main_tf=call("m", "./self"))
    assert [found.file for found in source.groups] == ["./linked.tf"]
    assert source.problems == (
        "./gone.tf: the file cannot be read: No such file or directory",
        './main.tf:1:1: module "m" calls itself by way of "./self"; terraform refuses that',
    )


def test_a_folder_that_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^the folder .* cannot be read: No such file or directory$"):
        read_folder(str(tmp_path / "nowhere"))
    assert read_file(str(tmp_path)).problems == (f"{tmp_path}: the file cannot be read: Is a directory",)


# What cannot be read


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        (group("  x = = 1"), "2:7", '"=" is not what may stand here'),
        (group("  x ="), "2:6", "the end of the line is not what may stand here"),
        (group("  x = 1\n  y 1"), "3:5", '"1" is not what may stand here'),
        (group('  x = "a" "b"'), "2:11", "a string is not what may stand here"),
        (group("  x = [1 2]"), "2:10", '"2" is not what may stand here'),
        (group("  x = 1 €"), "2:9", '"€" is not what may stand here'),
        (group('  x = "a'), "2:7", "a string that begins here does not end on its line"),
        (group("").rstrip()[:-1] + '  x = "', "3:7", "a string that begins here does not end on its line"),
        (group('  x = "a${b"'), "2:12", "a string that begins here does not end on its line"),
        (group("  x = [1"), "3:1", '"}" has no opening counterpart; "[" is open'),
        (group("  x = 1 }"), "3:1", '"}" has no opening counterpart'),
        (group("  x = {"), "1:47", '"{" that begins here never ends'),
        (group("  /* x"), "2:3", "a comment that begins here never ends"),
        (group("  x = <<EOT\n a"), "2:7", 'a heredoc that begins here has no line "EOT" that ends it'),
        (group("  x = <<EOT\n a") + "EOT", "2:7", 'a heredoc that begins here has no line "EOT" that ends it'),
        (group(r'  x = "ab\qc"'), "2:10", "a backslash that begins no escape sequence of HCL"),
        (group(r'  x = "\ud800"'), "2:8", "a backslash that begins no escape sequence of HCL"),
        (group(r'  x = "\U00110000"'), "2:8", "a backslash that begins no escape sequence of HCL"),
        (group(r'  x = "\u00"'), "2:8", "a backslash that begins no escape sequence of HCL"),
        (group('  x = "%{ if a }b"'), "2:7", "a template with a directive that never ends"),
        (group('  x = "a%{ endif }b"'), "2:9", "a template directive that opens or closes nothing"),
        (group("  x = 1\n  x = 2"), "3:3", '"x" is set a second time'),
        (group("  x {}\n  x = 2"), "3:3", '"x" is set a second time'),
        (group("  x = 2\n  x {}"), "3:3", '"x" is set a second time'),
        (group(f"  x = {'[' * 2000}{']' * 2000}"), "1:1", "a block that nests too deep to be read"),
        (group(f"  x = {'(' * 2000}1{')' * 2000}"), "1:1", "a block that nests too deep to be read"),
        (group(f"  x = {'-(' * 900}1{')' * 900}"), "1:1", "a block that nests too deep to be read"),
        ("x = 1\n" + group(""), "1:1", '"x" is where only a block may begin'),
        ("# no\n  ?" + group(""), "2:3", '"?" is where only a block may begin'),
        (group("") + "\n stray\n", "5:2", '"stray" is where only a block may begin'),
    ],
)
def test_syntax_errors(read: Read, text: str, place: str, what: str) -> None:
    source = read(main_tf=text, other_tf=group("", "other"))
    assert source.problems == (f"./main.tf:{place}: {what}{REMEDY}",)
    assert source.groups[-1].name == "other"


def test_an_error_in_one_block_costs_that_block(read: Read) -> None:
    source = read(main_tf=group("", "a") + group("x = ", "b") + group("", "c") + group('x = "', "d") + group("", "e"))
    assert [found.name for found in source.groups] == ["a", "c"]
    assert [problem.partition(" ")[0] for problem in source.problems] == ["./main.tf:5:5:", "./main.tf:11:5:"]


def test_not_every_problem_of_a_file_is_told(read: Read) -> None:
    problems = read(main_tf="x = {}\n" * 50_000 + group("")).problems
    assert len(problems) == 11
    assert problems[-1] == "./main.tf: there are 49990 more such problems in this file"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (group("").encode("utf-16"), "the file is UTF-16, and terraform reads UTF-8 only: save it as that"),
        (
            group("").encode("utf-16-le"),
            "the file is UTF-16 or no text at all, and terraform reads UTF-8 only: save it as that",
        ),
        (
            group('\n x = "é"').encode("latin-1"),
            "line 3 is no UTF-8 text (invalid continuation byte): save the file as UTF-8",
        ),
    ],
)
def test_files_in_another_encoding(read: Read, data: bytes, problem: str) -> None:
    source = read(main_tf=data, other_tf=group("", "other"))
    assert source.problems == (f"./main.tf: {problem}",)
    assert [found.name for found in source.groups] == ["other"]


@pytest.mark.parametrize(
    "text",
    [
        group('  x = "' + "$%{ " * 50_000),
        group('  x = "' + "\\\\" * 50_000),
        group("  x = <<EOT\n" + "a \n" * 50_000),
        group('  x = "' + '${"' * 50_000),
        group("  x = " + "{" * 100_000),
        group("  x = " + "- " * 50_000 + "1"),
        'resource "a" "b" {}\n' * 20_000 + group("x = 1"),
        " " * 200_000 + group("x = 1"),
        "a" + " a" * 100_000 + group("x = 1"),
    ],
    ids=range(9),
)
def test_hostile_files_take_bounded_time(read: Read, text: str) -> None:
    began = time.monotonic()
    read(main_tf=text)
    assert time.monotonic() - began < 5


def test_control_characters_in_names_do_not_reach_the_terminal(read: Read) -> None:
    source = read(main_tf=call("m\x1b[2J", "./no\x1b"))
    assert source.problems == ('./main.tf:1:1: module "m\\x1b[2J" is to be in "./no\\x1b", where there is no folder',)


def test_without_python_hcl2(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hcl2", None)
    with pytest.raises(UsageError) as error:
        read(main_tf=group(""))
    assert (
        str(error.value) == "reading .tf files needs python-hcl2, which is not installed: pip install 'pcsguard[hcl]'"
    )


def test_with_the_fork_that_checkov_brings(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hcl2", ModuleType("hcl2"))
    with pytest.raises(UsageError, match=r"as checkov brings it \(bc-python-hcl2\): in an environment without checkov"):
        read(main_tf=group(""))


# Against hypothesis and against terraform

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(["${x}", "%{x}", "$${", "%%"])
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=20
)


def rendered(value: Any) -> str:
    """A value as HCL."""
    if isinstance(value, str):
        return hcl_example.string(value)
    if isinstance(value, list):
        return "[\n" + "".join(f"{rendered(item)},\n" for item in value) + "]"
    if isinstance(value, dict):
        return "{\n" + "".join(f"{rendered(key)} = {rendered(item)}\n" for key, item in value.items()) + "}"
    return json.dumps(value)


def normal(value: Any) -> Any:
    """A value with its texts in the form that terraform gives them."""
    if isinstance(value, list):
        return [normal(item) for item in value]
    if isinstance(value, dict):
        return {normal(key): normal(item) for key, item in value.items()}
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


@given(VALUES)
def test_any_value_is_read_back(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "main.tf").write_text(group(f"x = {rendered(value)}"), encoding="utf-8", newline="")
        assert only(read_folder(folder)).values == {"x": normal(value)}


PIECES = [*'\\"${}%~[]()=#/* \n\tae1<-é', "<<E\n", "\nE\n", "%{if ", "%{endif}", "//"]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_is_read_or_a_problem(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "main.tf").write_text(group(f"x = {text}"), encoding="utf-8", newline="")
        source = read_folder(folder)
    assert source.groups or source.problems
    for found in source.groups:
        document(found, "terraform")


def nested(chance: random.Random, depth: int) -> Any:
    """A random value such as hypothesis makes, but the same in every run, as terraform is asked once."""
    kind = chance.randrange(8 if depth else 5)
    if kind >= 6:
        return {"".join(chance.choices("ab.-$% é{", k=3)): nested(chance, depth - 1) for _ in range(3)}
    if kind == 5:
        return [nested(chance, depth - 1) for _ in range(3)]
    text = "".join(chance.choices('ab$%{}"\\\n\t\u0301\U0001f600\x7f #/', k=12))
    return (None, chance.random() < 0.5, chance.randrange(-(10**6), 10**6), text, chance.randrange(1000) / 8)[kind]


def test_terraform_gives_the_same_values(tmp_path: Path) -> None:
    terraform.require()
    chance = random.Random(5)
    texts = [text for text, _ in (*LITERALS, *TEMPLATES)] + [rendered(nested(chance, 4)) for _ in range(60)]
    run = terraform.Terraform(tmp_path / "run", tmp_path / "home")
    run.write('variable "v" { default = "<1>" }\nvariable "w" { default = "<2>" }\nvariable "yes" { default = true }\n')
    for index, text in enumerate(texts):
        # Carriage returns are meant to stay.
        resource = f'resource "terraform_data" "x{index:03}" {{\n  input = {text}\n}}\n'
        (run.folder / f"x{index:03}.tf").write_bytes(resource.encode())
        (run.folder / f"x{index:03}.read").write_bytes(group(f"  input = {text}").encode())
    run.init()
    changes = run.plan()["resource_changes"]
    assert len(changes) == len(texts)
    for change in changes:
        ours = only(read_file(str(run.folder / f"{change['name']}.read"))).values["input"]
        theirs = change["change"]["after"].get("input")
        text = texts[int(change["name"][1:])]
        if isinstance(ours, Template):
            pattern = "".join(".*" if part is None else re.escape(part) for part in ours.parts)
            assert re.fullmatch(pattern, theirs, re.DOTALL), text
        elif not isinstance(ours, Expression):
            assert ours == theirs, text
            assert isinstance(ours, bool) == isinstance(theirs, bool), text
