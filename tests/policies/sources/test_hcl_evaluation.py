"""HCL evaluated: every value is the one that the real terraform gives, or it is unknown."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support import terraform

from pcs_policies.document import Expression, Stated, Template
from pcs_policies.errors import UsageError
from pcs_policies.sources.hcl import HclSource, read_folder, types
from pcs_policies.sources.variables import Assignment, VariableFile, Variables
from pcs_policies.sources.written import Written, document

GROUP = "awscc_pcs_compute_node_group"

Read = Callable[..., HclSource]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads files, given by their names, as one root module; ``main`` is its ``main.tf``."""
    monkeypatch.chdir(tmp_path)

    def read(main: str, files: dict[str, str] | None = None, variables: Variables | None = None) -> HclSource:
        for name, content in {"main.tf": main, **(files or {})}.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return read_folder(".", variables=variables or Variables())

    return read


def group(members: str, name: str = "hpc") -> str:
    return f'resource "{GROUP}" "{name}" {{\n{members}\n}}\n'


def values(source: HclSource) -> dict[str, Any]:
    """The values of the one group of a source that is fully read."""
    assert source.problems == ()
    (found,) = source.groups
    return found.values


# Expressions, as terraform has them

CONFIGURATION = """
resource "terraform_data" "unknown" {}

variable "text" { default = "abc" }
variable "number" { default = 3 }
variable "yes" { default = true }
variable "none" { default = null }
variable "typed" {
  type = object({
    a = string, b = optional(number, 7), c = optional(list(string))
    d = optional(object({ e = optional(bool, true) }), {})
  })
  default = { a = 1 }
}
variable "texts" {
  type    = list(string)
  default = ["b", 1, true]
}
variable "set" {
  type    = set(string)
  default = ["b", "a", "b", "é"]
}
variable "map" {
  type    = map(number)
  default = { b = "1", a = 2 }
}
variable "maps" {
  type    = map(object({ size = number, tags = optional(map(string), {}) }))
  default = { z = { size = "4" }, y = { size = 2, tags = { k = 1 } } }
}
variable "anything" {
  type    = list(any)
  default = [1, "a"]
}
variable "numbers" {
  type    = tuple([string, number])
  default = [1, "2"]
}

locals {
  unknown = terraform_data.unknown.id
  list    = ["x", "y", "z"]
  object  = { a = 1, b = "two", c = [true, null], "d e" = { f = "g" } }
  deep    = [{ a = { b = [1, 2] } }, { a = { b = [3] } }]
  chain   = "${local.middle}/c"
  middle  = "${var.text}/b"
  scripts = [
    { name = "mount", on_error = null },
    { name = "motd", on_error = "CONTINUE" },
  ]
}

module "child" {
  source = "./m"
  text   = var.text
}
module "many" {
  source = "./m"
  count  = 2
  text   = "n${count.index}"
}
module "each" {
  source   = "./m"
  for_each = toset(["a", "b"])
  text     = each.key
}
"""

FILES = {
    "m/m.tf": """
variable "text" { type = string }
variable "more" { default = ["p", "q"] }
output "text" { value = upper(var.text) }
output "structure" { value = { list = var.more } }
output "path" { value = path.module }
""",
    "data.txt": "hello é\n",
    "data.tftpl": "Hi ${name}!\n%{ for i in items }- ${i}\n%{ endfor }end $${x}\n",
}

KNOWN = [
    line
    for line in r"""
var.text
local.chain
local.object
local.object.a
local.object["b"]
local.object["d e"].f
local.object.c[0]
local.list.1
local.deep[*].a.b[0]
local.deep.*.a.b
local.deep[*].a.b[*]
local.deep.*.a[0]
(local.deep[*].a)[1].b
var.none[*]
var.text[*]
local.scripts[*].name
var.set[*]
var.typed
var.texts
var.set
var.map
var.maps
var.anything
var.numbers
var.maps["z"].size
var.none
1 + 2 * 3
(1 + 2) * 3
7 / 7
8 / 2 / 2
-7 % 3
7 % -3
10 - 3 - 2
-var.number
- 5 + 1
"5" + 1
"2" * "3"
!var.yes
!"false"
1 < 2
1.5 < 1.25
"10" > 9
2 >= 2
1 == 1.0
1 == "1"
"a" == "a"
"a" != "b"
null == null
var.none == null
var.text == null
[1, 2] == [1, 2]
[1, 2] == [1, "2"]
{ a = 1 } == { a = 1 }
tolist(["a"]) == ["a"]
tolist(["a"]) == tolist(["a"])
var.yes && false
var.yes || false
"true" && true
true ? 1 : 2
false ? 1 : "b"
true ? 1 : "b"
true ? true : "b"
true ? null : "b"
false ? 1 : null
"true" ? "yes" : "no"
true ? [] : ["a"]
true ? [1] : []
true ? [1, "a"] : []
true ? [1, true] : ["x"]
true ? { a = 1 } : {}
true ? { a = 1 } : { b = "x" }
true ? { a = 1, b = 2 } : { a = "x", b = "y" }
true ? { a = 1, b = null } : { a = "x", b = "y" }
true ? [{ a = 1 }, { a = 2, b = 3 }] : []
true ? [{ a = 1 }, { a = 2 }] : []
true ? local.scripts : []
true ? tolist(["b", "a"]) : ["c"]
true ? toset(["b", "a"]) : ["c"]
false ? toset(["b", "a"]) : ["c", "c", "a"]
true ? { x = [1] } : { x = ["a", "b"] }
true ? { x = 1 } : tomap({ y = "a" })
true ? "a" : local.unknown
length(local.list) > 3 ? local.list[3] : "none"
length(local.list) > 2 ? local.list[2] : "none"
length(local.list) > 3 ? local.list[3] : 5
true ? [for s in local.scripts : s.name] : null
var.none == null ? "default" : var.none
var.none != null ? var.none : ["default"]
[for s in local.list : upper(s)]
[for i, s in local.list : "${i}-${s}"]
[for k, v in local.object : k]
[for k, v in var.map : "${k}=${v}"]
[for v in var.set : v]
[for i, v in var.set : i]
[for s in local.list : s if s != "y"]
[for s in local.scripts : merge(s, { x = 1 }) if s.on_error == null]
{ for s in local.scripts : s.name => s.on_error }
{ for i, s in local.list : s => i }
{ for i, s in local.list : i => s }
{ for s in ["a1", "a2", "b1"] : substr(s, 0, 1) => s... }
{ for k, v in var.maps : k => v.tags if v.size > 3 }
[for a in [1, 2] : [for b in [3, 4] : a * b]]
[for s in [] : s]
{ for s in [] : s => s }
"a${1}b${true}c${1.5}"
"${1.50}"
"${1}"
"${"x"}"
"${local.list[0]}"
"a-${"b-${"c"}"}"
"%{ if var.yes }yes%{ else }no%{ endif }"
"%{ if !var.yes }yes%{ endif }"
"%{ for s in local.list }<${s}>%{ endfor }"
"%{ for i, s in local.list }%{ if i != 1 }${i}${s}%{ endif }%{ endfor }"
"x%{ for s in [] }y%{ endfor }z"
"$${x} %%{y} ${"z"}"
{ (var.text) = 1 }
{ "${var.text}-x" = 1 }
{ (1) = 2 }
{ (true) = 2 }
[1, "a", null, [true], { b = null }]
path.module
path.root
"${path.module}/x"
lower("ABC")
upper("abc")
title("hello wORLD foo_bar a-b")
strrev("abc")
trimspace("  a b \n")
chomp("a\r\n\n")
chomp("a")
trim("xxaxbxx", "x")
trim("?!hello?!", "!?")
trimprefix("helloworld", "hello")
trimsuffix("helloworld", "world")
replace("a.b.c", ".", "-")
replace("aaa", "aa", "b")
split(",", "a,b,,c")
split(",", "")
split(", ", "a, b")
join(",", ["a", "b"])
join(",", [])
join("-", ["a"], ["b", 1])
join("", [true, 1.5])
substr("hello", 1, 3)
substr("hello", -3, -1)
substr("hello", 0, 100)
substr("hello", 10, 1)
substr("hello", 2, 0)
indent(2, "a\nb\n\nc")
startswith("abc", "ab")
endswith("abc", "ab")
strcontains("abc", "b")
format("%s-%d-%v-%%", "a", 5, true)
format("%03d", 7)
format("%03d", -7)
format("%s", 1.5)
format("%v", "x")
format("no verbs")
format("%d", "12")
format("%s %s", true, 12345678901234567890)
abs(-5)
ceil(1.2)
ceil(-1.2)
floor(1.7)
floor(-1.7)
signum(-3)
max(1, 5, 3)
max([1, 2]...)
min(1.5, "1")
pow(2, 10)
parseint("ff", 16)
parseint("-101", 2)
sum([1, 2, 3])
sum(["1", 2])
range(3)
range(1, 4)
range(4, 1)
range(1, 8, 3)
range(5, 1, -2)
range(0)
range(-2)
length("hello")
length([1, null])
length({ a = 1 })
length(var.set)
length([local.unknown])
concat(["a"], ["b", 1])
concat([], [])
concat(tolist(["a"]), tolist([1]))
concat(var.texts, ["x"])
concat(tolist([1]), tolist([2]))
merge({ a = 1 }, { b = 2 }, { a = 3 })
merge({ a = 1 }, null)
merge({}, var.map)
merge(var.map, { c = "x" })
merge(var.map, var.map)
merge()
tolist(["b", 1])
tolist([])
tolist(var.set)
tolist(null)
tolist([{ a = 1 }, { a = "b" }])
toset(["b", "a", "b"])
toset([3, 10, 2])
toset([1, "a"])
toset([true, false])
toset([])
toset(["Z", "a", "é", "z", ""])
tomap({ a = 1, b = "x" })
tomap({})
tostring(1)
tostring(true)
tostring(null)
tostring(1e3)
tostring(0.000001)
tonumber("12.50")
tonumber("1e3")
tobool("true")
tobool("0")
keys({ b = 1, a = 2 })
keys(var.map)
values({ b = 1, a = "x" })
values(var.map)
lookup({ a = 1 }, "a", 5)
lookup({ a = 1 }, "b", 5)
lookup(var.map, "zzz", "9")
lookup(var.map, "a")
element(["a", "b"], 3)
element(var.texts, 1)
one([])
one(["a"])
one(toset(["a"]))
contains(["a", "b"], "b")
contains(["a", "b"], "c")
contains(var.set, "a")
index(["a", "b"], "b")
distinct(["a", "b", "a"])
distinct([1, "1"])
flatten([["a", ["b"]], [], "c", [{ d = [1] }]])
flatten([])
flatten([var.texts, var.set])
coalesce("", "b")
coalesce(null, 1)
coalesce(null, "", "x")
coalesce(1, "x")
coalescelist([], ["a"])
reverse([1, 2, 3])
reverse(var.texts)
slice(["a", "b", "c"], 1, 3)
slice(var.texts, 0, 1)
chunklist(["a", "b", "c"], 2)
zipmap(["b", "a"], [1, "x"])
zipmap(["a"], var.texts == null ? [] : tolist([1]))
compact(["a", "", null, "b"])
setunion(["a", "c"], ["b"])
setintersection(["a", "c"], ["c", "d"])
setsubtract(["a", "c"], ["c"])
sort(["b", "a", "B", "é"])
alltrue([true, "true"])
alltrue([])
anytrue([false, true])
anytrue([])
jsonencode({ b = [1, null, true, "x\ny"], a = "<&>", c = 1.5 })
jsonencode("é\"\\")
jsonencode(var.set)
jsondecode("{\"a\": [1, 2.5, null, true], \"b\": {}}")
jsondecode("\"x\"")
base64encode("héllo")
base64decode("aGk=")
md5("a")
sha1("a")
sha256("é")
sha512("a")
base64sha256("a")
base64sha512("a")
urlencode("a b/ü~_-.*")
basename("a/b.txt")
dirname("a/b.txt")
dirname("b.txt")
dirname("/a")
file("data.txt")
filesha256("data.txt")
filesha256("${path.module}/data.txt")
filesha1("data.txt")
filesha512("data.txt")
filemd5("data.txt")
filebase64("data.txt")
filebase64sha256("data.txt")
filebase64sha512("data.txt")
fileexists("data.txt")
fileexists("nowhere.txt")
templatefile("data.tftpl", { name = "x", items = ["a", "b"] })
try(local.object.zzz, "fallback")
try(local.object.a, "fallback")
try(local.list[7], local.list[1])
can(local.object.zzz)
can(local.object.a)
sensitive("a") == "a" ? 1 : 2
nonsensitive("a")
{ a = { b = local.scripts[0] } }
[for k, g in { a = { n = 1 }, b = { n = 2 } } : { key = k, n = g.n + 1 }]
merge([for i in range(2) : { "k${i}" = i }]...)
toset([for s in local.scripts : s.name])
{ for s in toset(["b", "a"]) : s => { name = s } }
flatten([for k, v in var.maps : [for t in keys(v.tags) : "${k}-${t}"]])
var.yes ? { a = "x", b = local.unknown } : null
module.child.text
module.child.structure.list[1]
module.many[1].text
module.many[*].text
module.each["b"].text
module.child.path
""".splitlines()
    if line
]
"""Expressions that are known, one a line."""

UNKNOWN = [
    line
    for line in r"""
local.unknown
"${local.unknown}-x"
{ a = local.unknown, b = [local.unknown, 1] }
false && (local.unknown == "x")
true || (local.unknown == "x")
local.unknown == "x" ? 1 : 2
local.unknown == null
[for s in [local.unknown, "a"] : s if s == "a"]
{ for s in [local.unknown, "a"] : s => 1 }
join(",", ["a", local.unknown])
format("%s-%s", "a", local.unknown)
upper(local.unknown)
try(local.unknown, "x")
try([local.unknown], "x")
can(local.unknown)
toset(["a", local.unknown])
concat([local.unknown], ["a"])
merge({ a = local.unknown }, { b = 1 })
lookup({ a = 1, b = local.unknown }, "b", "z")
true ? 1 : local.unknown
true ? [3, 1] : [local.unknown]
true ? ["b", "a"] : toset([local.unknown])
0.1 + 0.2
1 / 3
"${1 / 3}"
pow(2, 0.5)
"é" == "e\u0301"
upper("ß")
length("e\u0301\r\n")
replace("a1", "/[0-9]/", "")
regex("[a-z]+", "abc1")
formatlist("%s!", ["a"])
cidrsubnet("10.0.0.0/8", 8, 1)
yamldecode("a: 1")
timestamp()
format("%5s|%q", "a", "b")
setproduct(["a"], ["b"])
terraform.workspace
path.cwd
tolist([{ a = 1 }, { b = "x" }])
true ? { a = null } : { b = 1 }
toset([{ b = 1 }, { a = 2 }])
"a  ${~ var.text ~}  b"
123456789012345678901234567890 * 123456789012345678901234567890
1e400
false ? "%{ if [1] }y%{ endif }" : 1 == 2
""".splitlines()
    if line
]
"""Expressions that are unknown here, in whole or in part, or that terraform may or may not tell."""


REFUSED = [
    line
    for line in r"""
local.object.zzz
local.list[9]
local.list["a"]
local.text.x
upper(null)
upper("a", "b")
"x" + 1
1 / 0
5 % 0
!"x"
"a${null}b"
"a${[1]}b"
[for x in null : x]
{ for x in [1, 2] : "same" => x }
{ (null) = 1 }
true ? [1] : { a = 1 }
true ? 1 : false
null ? 1 : 2
nowhere()
provider::aws::arn_parse("x")
var.nowhere
local.nowhere
module.nowhere.x
module.child.nowhere
module.child[0].text
module.each["zzz"].text
each.key
self.id
element(["a"], -1)
element([], 0)
index(["a"], "b")
merge({}, ["a"])
concat("a")
slice(["a"], 1, 9)
range(1e9)
range()
format("%s")
format("a", "b")
format("%d", "x")
jsondecode("{")
jsondecode("[1, NaN]")
base64decode("!")
parseint("zz", 10)
coalesce(null, "")
one(["a", "b"])
file("nowhere.txt")
file("../../../../../../../../../etc/passwd")
file("/etc/passwd")
file("~/x")
file("m")
templatefile("nowhere", {})
lookup({}, "a")
tobool("yes")
tonumber("0x10")
sum([])
zipmap(["a"], [])
sensitive()
local
var
""".splitlines()
    if line
]
"""Expressions that terraform refuses here, or that nobody should follow: unknown."""


def ask(folder: Path, home: Path, texts: list[str], configuration: str = CONFIGURATION) -> list[tuple[Any, Any]]:
    """What terraform gives for expressions, and for each what of it is unknown. Those it refuses are not allowed."""
    run = terraform.Terraform(folder, home)
    run.write(configuration)
    for name, content in FILES.items():
        run.write(content, name)
    for index, text in enumerate(texts):
        run.write(f'resource "terraform_data" "x{index:04}" {{\n  input = {text}\n}}\n', f"x{index:04}.tf")
    run.init()
    changes = {change["name"]: change["change"] for change in run.plan()["resource_changes"]}
    asked = [changes[f"x{index:04}"] for index in range(len(texts))]
    for path in folder.glob("x*.tf"):
        path.unlink()
    return [(change["after"].get("input"), change["after_unknown"].get("input")) for change in asked]


def ours(folder: Path, texts: list[str]) -> list[Any]:
    """What we give for them, in the same folder."""
    (folder / "ours.tf").write_text(
        "".join(group(f"  input = {text}", f"x{index:04}") for index, text in enumerate(texts)), encoding="utf-8"
    )
    source = read_folder(str(folder))
    assert source.problems == ()
    assert len(source.groups) == len(texts)
    return [found.values["input"] for found in source.groups]


def agrees(mine: Any, theirs: Any, unknown: Any) -> bool:
    """Whether a value is terraform's, as far as it is known on both sides."""
    if isinstance(mine, Expression) or unknown is True:
        return True
    if isinstance(mine, Template):
        return isinstance(theirs, str) and theirs.startswith(mine.parts[0] or "")
    if isinstance(mine, dict):
        mark = unknown if isinstance(unknown, dict) else {}
        return (
            isinstance(theirs, dict)
            and mine.keys() == theirs.keys() | mark.keys()
            and all(agrees(value, theirs.get(key), mark.get(key)) for key, value in mine.items())
        )
    if isinstance(mine, list):
        marks = unknown if isinstance(unknown, list) else [None] * len(mine)
        return (
            isinstance(theirs, list)
            and len(mine) == len(theirs)
            and all(agrees(value, other, mark) for value, other, mark in zip(mine, theirs, marks, strict=True))
        )
    return bool(mine == theirs) and isinstance(mine, bool) == isinstance(theirs, bool)


def whole(value: Any) -> bool:
    """Whether all of a value is known."""
    return types.known(value)


def test_terraform_gives_the_same_values(tmp_path: Path) -> None:
    terraform.require()
    asked = ask(tmp_path / "run", tmp_path / "home", [*KNOWN, *UNKNOWN])
    found = ours(tmp_path / "run", [*KNOWN, *UNKNOWN])
    for text, mine, (theirs, unknown) in zip([*KNOWN, *UNKNOWN], found, asked, strict=True):
        assert agrees(mine, theirs, unknown), f"{text}: {mine!r} here, {theirs!r} in terraform"
    assert [
        text for text, mine in zip(KNOWN, found, strict=False) if not whole(mine) and "local.unknown" not in text
    ] == []


def test_what_is_refused_is_unknown(tmp_path: Path) -> None:
    for name, content in {"base.tf": CONFIGURATION, **FILES}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    for text, mine in zip(REFUSED, ours(tmp_path, REFUSED), strict=True):
        assert isinstance(mine, Expression), text
        assert mine.text == text


# Generated configurations, planned by terraform

NAMES = ["a", "b", "c"]
WORDS = (
    st.sampled_from(["x", "a b", "", "1", "true", "é", "${", "-"]).map(json.dumps).map(lambda t: t.replace("${", "$${"))
)
SCALARS = st.sampled_from(["1", "0", "2.5", "-3", "true", "false", "null"]) | WORDS


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions made of others."""
    several = st.lists(inner, max_size=3)
    name = st.sampled_from(NAMES)
    members = st.dictionaries(name, inner, max_size=3).map(
        lambda found: "{ " + ", ".join(f"{key} = {text}" for key, text in found.items()) + " }"
    )
    unary = st.sampled_from(
        "[{0}] ({0}) {0}[*] tolist([{0}]) toset([{0}]) tostring({0}) length({0}) keys({0}) values({0}) jsonencode({0}) "
        'flatten([{0}]) try({0},null) can({0}) !{0} -{0} "${{{0}}}" "<${{{0}}}>" [{0}]... '.split()
    ).filter(lambda form: "..." not in form)
    binary = st.sampled_from(
        [
            "{0} == {1}",
            "{0} != {1}",
            "{0} && {1}",
            "{0} || {1}",
            "{0} + {1}",
            "{0} * {1}",
            "{0} < {1}",
            "{0} % {1}",
            "[{0}, {1}]",
            "concat([{0}], [{1}])",
            "merge({{ a = {0} }}, {{ b = {1} }})",
            "coalesce({0}, {1})",
            "try({0}.a, {1})",
            "try({0}[0], {1})",
            'lookup({{ a = {0} }}, "a", {1})',
            "contains([{0}], {1})",
            "{{ for k, v in {{ a = {0}, b = {1} }} : k => v }}",
            "[for v in [{0}, {1}] : v if v != null]",
            '{{ for i, v in [{0}, {1}] : "k${{i}}" => v }}',
            'join("-", [{0}, {1}])',
            'format("%s-%s", {0}, {1})',
            '"${{{0}}}${{{1}}}"',
            "tolist([{0}, {1}])",
            "toset([{0}, {1}])",
            "tomap({{ a = {0}, b = {1} }})",
            "[{{ a = {0} }}, {{ a = {1} }}][*].a",
            "distinct([{0}, {1}])",
            'zipmap(["a", "b"], [{0}, {1}])',
            '"%{{ if {0} }}yes%{{ else }}${{{1}}}%{{ endif }}"',
        ]
    )
    conditional = st.tuples(inner, inner, inner).map(lambda it: f"({it[0]} ? {it[1]} : {it[2]})")
    chosen = st.tuples(st.booleans(), inner, inner).map(lambda it: f"({str(it[0]).lower()} ? {it[1]} : {it[2]})")
    return st.one_of(
        several.map(lambda items: f"[{', '.join(items)}]"),
        members,
        st.tuples(unary, inner).map(lambda pair: pair[0].format(f"({pair[1]})")),
        st.tuples(binary, inner, inner).map(lambda it: "(" + it[0].format(f"({it[1]})", f"({it[2]})") + ")"),
        conditional,
        chosen,
    )


LEAVES = SCALARS | st.sampled_from(
    [*(f"var.{name}" for name in NAMES), *(f"local.{name}" for name in NAMES), "module.m.out", "local.unknown"]
)
EXPRESSIONS = st.recursive(LEAVES, compound, max_leaves=8)


def draw(count: int) -> list[str]:
    """Expressions that hypothesis makes, the same in every run.

    Terraform is asked about all of them at once: one at a time would take an hour.
    """
    found: dict[str, None] = {}

    @settings(max_examples=count, database=None, derandomize=True, phases=[Phase.generate])
    @given(EXPRESSIONS)
    def collect(text: str) -> None:
        found[text] = None

    collect()
    return list(found)


VARIABLES = [
    ("any", "null"),
    ("any", '[1, "a"]'),
    ("any", "{ a = 1, b = [true] }"),
    ("string", "5"),
    ("string", "null"),
    ("number", '"7"'),
    ("bool", '"true"'),
    ("list(string)", "[1, true]"),
    ("list(any)", "[]"),
    ("list(any)", '[{ a = 1 }, { a = "x" }]'),
    ("set(string)", '["b", "a", "b"]'),
    ("set(number)", '[10, "9"]'),
    ("map(string)", "{ a = 1, b = true }"),
    ("map(any)", "{}"),
    ('object({ a = optional(string, "d"), b = optional(list(number)) })', "{}"),
    ('object({ a = optional(string, "d") })', "{ a = null, z = 1 }"),
    ("tuple([string, any])", "[1, null]"),
    ("list(object({ a = any, b = optional(bool, true) }))", "[{ a = 1 }]"),
]


def configuration(chance: random.Random) -> str:
    """Variables, locals and a module; the arguments of the module are expressions too."""
    chosen = {name: chance.choice(VARIABLES) for name in NAMES}
    variables = "".join(
        f'variable "{name}" {{\n  type    = {of}\n  default = {default}\n}}\n' for name, (of, default) in chosen.items()
    )
    first, second = chance.choice(VARIABLES), chance.choice(["var.a", "[var.b]", "{ x = var.c }", "local.unknown"])
    return f"""
resource "terraform_data" "unknown" {{}}
{variables}
locals {{
  unknown = terraform_data.unknown.id
  a       = {{ a = var.a, b = var.b }}
  b       = [for name in ["x", "y"] : {{ name = name, value = var.c }}]
  c       = {first[1]}
}}
module "m" {{
  source = "./generated"
  in     = {second}
}}
"""


GENERATED = """
variable "in" { nullable = false }
variable "other" { default = [1] }
output "out" { value = { given = var.in, other = concat(var.other, ["x"]) } }
"""

SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_configurations(tmp_path: Path, seed: int) -> None:
    """Never another value than terraform's. What terraform refuses is left out, all of a run at once."""
    terraform.require()
    chance = random.Random(seed)
    texts = chance.sample(draw(1500), 250)
    run = terraform.Terraform(tmp_path / "run", tmp_path / "home")
    (tmp_path / "run" / "generated").mkdir(parents=True)
    run.write(GENERATED, "generated/main.tf")
    run.write(configuration(chance))
    asked = dict(enumerate(texts))
    for index, text in asked.items():
        run.write(f'resource "terraform_data" "x{index:04}" {{\n  input = {text}\n}}\n', f"x{index:04}.tf")
    run.init()
    while (planned := run.run("plan", "-out=plan")).code != 0:
        refused = {int(index) for index in re.findall(r"on x(\d{4})\.tf", planned.err)}
        assert refused, planned.err[:2000]
        for index in refused & asked.keys():
            del asked[index]
            (run.folder / f"x{index:04}.tf").unlink()
    changes = {change["name"]: change["change"] for change in run.show("plan")["resource_changes"]}
    for path in run.folder.glob("x*.tf"):
        path.unlink()
    found = ours(run.folder, list(asked.values()))
    told = 0
    for (index, text), mine in zip(asked.items(), found, strict=True):
        change = changes[f"x{index:04}"]
        theirs, unknown = change["after"].get("input"), change["after_unknown"].get("input")
        assert agrees(mine, theirs, unknown), f"{text}: {mine!r} here, {theirs!r} ({unknown}) in terraform"
        told += whole(mine)
    assert told > len(asked) / 2  # a reader that knows nothing would pass, too


# Variables of the root module


@pytest.mark.parametrize(
    ("files", "given", "environment", "value"),
    [
        ({}, (), None, "default"),
        ({}, (), "env", "env"),
        ({"terraform.tfvars": 'x = "tfvars"'}, (), "env", "tfvars"),
        ({"terraform.tfvars": 'x = "tfvars"', "terraform.tfvars.json": '{"x": "json"}'}, (), None, "json"),
        ({"terraform.tfvars": 'x = "1"', "a.auto.tfvars": 'x = "a"', "b.auto.tfvars": 'x = "b"'}, (), None, "b"),
        ({"b.auto.tfvars.json": '{"x": "json"}', "a.auto.tfvars": 'x = "a"'}, (), None, "json"),
        ({"other.tfvars": 'x = "other"'}, (), None, "default"),
        ({"other.tfvars": 'x = "other"'}, (VariableFile("other.tfvars"),), None, "other"),
        ({"other.tfvars": 'x = "other"'}, (VariableFile("other.tfvars"), Assignment("x", "given")), None, "given"),
        ({"other.tfvars": 'x = "other"'}, (Assignment("x", "given"), VariableFile("other.tfvars")), None, "other"),
        ({"other.json": '{"x": "${1 + 1}"}'}, (VariableFile("other.json"),), None, "2"),
        ({"a.auto.tfvars": "y = {\n  x = 1\n}\n# x = 2\nx = 5"}, (), None, "5"),
        ({"a.auto.tfvars": "\ufeffx = <<E\nline\nE\n"}, (), None, "line\n"),
    ],
)
def test_where_the_value_of_a_variable_comes_from(
    read: Read,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    given: tuple[Assignment | VariableFile, ...],
    environment: str | None,
    value: str,
) -> None:
    if environment is not None:
        monkeypatch.setenv("TF_VAR_x", environment)
    main = 'variable "x" {\n  type = string\n  default = "default"\n}\n' + group("value = var.x")
    assert values(read(main, files, Variables(given))) == {"value": value}


@pytest.mark.parametrize(
    ("declared", "text", "value"),
    [
        ("", "[1]", "[1]"),
        ("type = string", "5", "5"),
        ("type = number", "5", 5),
        ("type = bool", "true", True),
        ("type = list(number)", '["1", 2]', [1, 2]),
        ("type = map(any)", "{ a = 1 }", {"a": 1}),
        ("nullable = false\n default = 1\n type = list(string)", "null", ["1"]),
        ("type = list(string)\n default = []", "null", None),
        ("type = list(string)", "a b", Expression("var.x")),
        ("type = nothing(string)", "5", Expression("var.x")),
    ],
)
def test_given_texts_are_read_by_the_type_of_their_variable(read: Read, declared: str, text: str, value: Any) -> None:
    main = f'variable "x" {{\n {declared}\n}}\n' + group("value = var.x")
    if "default = 1" in declared:
        main = main.replace("default = 1", "default = [1]")
    assert values(read(main, variables=Variables((Assignment("x", text),)))) == {"value": value}


def test_a_file_of_variables_that_cannot_be_read_leaves_them_unknown(read: Read) -> None:
    source = read('variable "x" { default = 1 }\n' + group("value = var.x"), {"a.auto.tfvars": 'x = "'})
    assert source.groups[0].values == {"value": Expression("var.x")}
    (problem,) = source.problems
    assert problem.startswith("./a.auto.tfvars:1:5: a string that begins here does not end on its line")
    source = read('variable "x" { default = 1 }\n' + group("value = var.x"), {"a.auto.tfvars": "x = = 1\n"})
    assert source.groups[0].values == {"value": Expression("var.x")}
    assert source.problems[0].startswith("./a.auto.tfvars:1:5: ")
    with pytest.raises(UsageError, match=r'^--var-file "none\.tfvars": there is no such file$'):
        read(group(""), variables=Variables((VariableFile("none.tfvars"),)))


def test_variables_that_are_not_given_are_unknown(read: Read) -> None:
    main = 'variable "x" { type = string }\n' + group('value = var.x\nother = "a-${var.x}"\nlist = ["${var.x}"]')
    found = values(read(main))
    assert found == {"value": Expression("var.x"), "other": Template(("a-", None)), "list": [Expression("var.x")]}


# What is stated


@pytest.mark.parametrize(
    ("expression", "state"),
    [
        ("var.checksum", Stated.NO),
        ("local.checksum", Stated.NO),
        ("try(var.checksum, null)", Stated.NO),
        ('var.on ? "abc" : null', Stated.YES),
        ('var.unknown ? "abc" : null', Stated.MAYBE),
        ("local.maybe", Stated.MAYBE),
        ("{ a = local.maybe }.a", Stated.MAYBE),
        ("var.unknown", Stated.YES),
        ("upper(local.maybe)", Stated.YES),
    ],
)
def test_what_is_stated(read: Read, expression: str, state: Stated) -> None:
    main = """
variable "checksum" { default = null }
variable "on" { default = true }
variable "unknown" {}
locals {
  checksum = var.checksum
  maybe    = var.unknown ? "abc" : null
}
"""
    script = f'{{ name = "x", script_source = {{ script_location = "s3://b/x", checksum = {expression} }} }}'
    source = read(main + group(f"node_lifecycle_actions = {{ stages = {{ node_ready = [{script}] }} }}"))
    assert source.problems == ()
    (seen,) = document(source.groups[0], "terraform").scripts()
    assert seen.checksum.stated is state


# Instances


def test_instances_have_addresses_with_keys(read: Read) -> None:
    main = """
variable "names" { default = ["b", "a"] }
module "site" {
  source   = "./site"
  for_each = { north = 2, "so\\"uth" = 0 }
  count_of = each.value
  label    = each.key
}
"""
    site = 'variable "count_of" {}\nvariable "label" {}\n' + group(
        'count = var.count_of\nname = "${var.label}-${count.index}"'
    )
    source = read(
        main + group("for_each = toset(var.names)\nname = each.key", "each") + group("count = 0", "none"),
        {"site/main.tf": site},
    )
    assert source.problems == ()
    assert {found.address: found.values["name"] for found in source.groups} == {
        f'{GROUP}.each["a"]': "a",
        f'{GROUP}.each["b"]': "b",
        f'module.site["north"].{GROUP}.hpc[0]': "north-0",
        f'module.site["north"].{GROUP}.hpc[1]': "north-1",
    }
    assert [(found.address, found.values.get("name")) for found in source.blocks] == [
        (f"{GROUP}.each", Expression("each.key")),
        (f"{GROUP}.none", None),
        (f"module.site.{GROUP}.hpc", Template((None, "-", None))),
    ]


@pytest.mark.parametrize(
    "member",
    [
        "count = var.unknown",
        "count = -1",
        "count = 1e9",
        "count = null",
        'for_each = ["a"]',
        "for_each = toset([var.unknown])",
    ],
)
def test_instances_that_are_not_known(read: Read, member: str) -> None:
    source = read('variable "unknown" {}\n' + group(f'{member}\nname = "x"\nindex = count.index'))
    assert [found.address for found in source.groups] == [f"{GROUP}.hpc"]
    assert source.groups[0].values == {"name": "x", "index": Expression("count.index")}
    assert source.groups == source.blocks


# The join


def test_a_plan_is_joined_with_the_instances_and_the_variables_it_was_made_with(read: Read) -> None:
    from pcs_policies.sources.join import open_source

    read(
        'variable "names" {}\nvariable "site" { default = "north" }\n'
        + group('for_each = var.names\nname = "${var.site}-${each.key}"')
    )
    source = open_source(".", explicit=True)
    key = (GROUP, "hpc")
    plain = source.find(key, {"name": "south-a"}, f'{GROUP}.hpc["a"]')
    assert isinstance(plain, str)
    assert "is something else" in plain
    source = source.planned({"names": {"value": {"a": 1, "b": 2}}, "site": {"value": "south"}})
    found = source.find(key, {"name": "south-a"}, f'{GROUP}.hpc["a"]')
    assert isinstance(found, Written)
    assert found.values["name"] == "south-a"
    assert isinstance(source.find(key, {"name": "south-b"}, f'{GROUP}.hpc["a"]'), str)
    other = source.find(key, {"name": "south-z"}, f'{GROUP}.hpc["z"]')  # not among those that are known
    assert isinstance(other, Written)
    assert other.values["name"] == Template(("south-", None))
    assert source.groups[key] == other


# JSON


def test_json_files_are_evaluated_with_the_others(read: Read) -> None:
    document = {
        "variable": {"site": {"type": "string", "default": "${no template}"}},
        "locals": [{"location": "s3://${local.bucket}/${var.site}.sh", "list": ["${1 + 1}", "$${x}"]}],
        "module": {"inner": {"source": "./inner", "given": "${local.list[0]}"}},
        "resource": {
            GROUP: {"json": {"count": "${length(local.list)}", "name": "n${count.index}", "of": "${var.site}"}}
        },
    }
    source = read(
        'locals {\n  bucket = "b"\n}\n' + group("value = local.location\nlist = local.list\nout = module.inner.out"),
        {
            "more.tf.json": json.dumps(document),
            "inner/main.tf": 'variable "given" {}\noutput "out" { value = var.given }\n' + group("value = var.given"),
        },
    )
    assert source.problems == ()
    assert {found.address: found.values for found in source.groups} == {
        f"{GROUP}.hpc": {"value": "s3://b/${no template}.sh", "list": [2, "${x}"], "out": 2},
        f"{GROUP}.json[0]": {"name": "n0", "of": "${no template}"},
        f"{GROUP}.json[1]": {"name": "n1", "of": "${no template}"},
        f"module.inner.{GROUP}.hpc": {"value": 2},
    }


def test_a_json_file_that_cannot_be_read_is_told(read: Read) -> None:
    source = read(group(""), {"x.tf.json": "{"})
    assert source.problems == (
        "./x.tf.json: the file is not valid JSON: line 1, column 2: it ends too early, so it was probably cut off",
    )


# Override files, and a file by itself


def test_override_files_change_variables_locals_and_calls(read: Read) -> None:
    source = read(
        'variable "x" { default = 1 }\nlocals {\n  y = 1\n  z = 1\n}\nmodule "m" {\n  source = "./m"\n  in = 1\n}\n'
        + group("value = [var.x, local.y, local.z]"),
        {
            "override.tf": 'variable "x" { default = 2 }\nlocals { y = 2 }\nmodule "m" { in = 2 }\n',
            "m/main.tf": 'variable "in" {}\n' + group("value = var.in", "inner"),
        },
    )
    assert source.problems == ()
    assert [found.values["value"] for found in source.groups] == [[2, 2, 1], 2]


def test_a_file_by_itself_is_evaluated_in_its_folder(read: Read) -> None:
    from pcs_policies.sources.hcl import read_file

    read(
        group("value = [var.x, local.y]"),
        {
            "other.tf": 'variable "x" { default = 1 }\nlocals { y = 1 }\n' + group("", "other"),
            "terraform.tfvars": "x = 2",
        },
    )
    source = read_file("main.tf")
    assert values(source) == {"value": [2, 1]}
    assert source.files == ("main.tf",)


# Everything ends


@pytest.mark.parametrize(
    "main",
    [
        "locals { x = local.x }",
        "locals {\n  x = [local.y]\n  y = [local.x]\n}",
        'locals { x = "${local.x}${local.x}" }',
        'locals { x = module.a.out }\nmodule "a" {\n  source = "./a"\n  in = module.a.out\n}',
        'locals { x = module.a.out }\nmodule "a" {\n  source = "./a"\n  count = length(module.a)\n  in = 1\n}',
        "locals {\n  l0 = 1\n" + "".join(f"  l{i + 1} = local.l{i}\n" for i in range(3000)) + "  x = local.l3000\n}",
        'locals {\n  l0 = "xxxxxxxxxx"\n'
        + "".join(f'  l{i + 1} = "${{local.l{i}}}${{local.l{i}}}"\n' for i in range(60))
        + "  x = local.l60\n}",
        "locals {\n  l0 = [1]\n"
        + "".join(f"  l{i + 1} = [local.l{i}, local.l{i}]\n" for i in range(60))
        + "  x = local.l60\n}",
        "locals {\n  l = range(1000)\n  x = [for a in local.l : [for b in local.l : [for c in local.l : a * b]]]\n}",
        "locals {\n  l0 = range(1000)\n"
        + "".join(f"  l{i + 1} = flatten([local.l{i}, local.l{i}])\n" for i in range(30))
        + "  x = length(local.l30)\n}",
        (
            "locals {\n  l = range(1000)\n"
            '  x = "%{for a in local.l}%{for b in local.l}%{for c in local.l}%{ endfor }%{ endfor }%{endfor}"\n}'
        ),
        "locals { x = range(1e9) }",
        'locals { x = format("%0999999999d", 1) }',
        'locals { x = indent(1e9, "\\n\\n") }',
        'locals { x = join(join("", [for a in range(1000) : "0123456789"]), [for a in range(1000) : "0123456789"]) }',
        'locals {\n  l = join("", [for a in range(1000) : "aaaaa"])\n  x = replace(local.l, "a", local.l)\n}',
        "locals { x = pow(9, pow(9, pow(9, 9))) }",
        "locals {\n  l0 = 9\n"
        + "".join(f"  l{i + 1} = local.l{i} * local.l{i}\n" for i in range(60))
        + "  x = local.l60\n}",
        "locals { x = " + "[" * 300 + "]" * 300 + " }",
        "locals { x = " + '"${' * 200 + "1" + '}"' * 200 + " }",
        'locals { x = jsondecode(join("", [for a in range(1000) : "["])) }',
        'locals { x = templatefile("self.tftpl", {}) }',
    ],
    ids=range(22),
)
def test_hostile_expressions_end_and_are_unknown(read: Read, main: str) -> None:
    files = {
        "a/main.tf": 'variable "in" {}\noutput "out" { value = var.in }\n',
        "self.tftpl": '${templatefile("self.tftpl", {})}',
    }
    began = time.monotonic()
    source = read(main + "\n" + group("value = local.x"), files)
    assert time.monotonic() - began < 10
    found = source.groups[0].values["value"]
    assert not whole(found) or main.startswith('locals { x = "${"') or "[[[" in main


# Waivers in comments

WAIVED = """\
# pcsguard:ignore PCS402 owner=hpc until=2027-01-31 reason="always on: the queue is never empty"
resource "awscc_pcs_compute_node_group" "hpc" {
  name = "x" // pcsguard:ignore PCS301,PCS302 owner=a.b@example.com
  /* pcsguard:ignore PCS104 PCS105 reason="two
     lines are no reason" */
  # pcsguard:ignore PCS104 until=tomorrow
  # and a word about it
  node_lifecycle_actions = {
    stages = { # pcsguard:ignore PCS2*
      node_ready = [
        # pcsguard:ignore PCS201
        {
          name = "mount" # pcsguard:ignored by nobody
          arguments = ["a",
            "b", #pcsguard:ignore PCS108 owner="the team"
          ]
        } # pcsguard:ignore PCS101
      ]
    }
  }
  text = "# pcsguard:ignore PCS999"
}
# speaks of pcsguard:ignore PCS104 only
# pcsguard:ignore PCS104
locals {}
"""


def test_waivers_in_comments(read: Read) -> None:
    source = read(WAIVED)
    stages = "node_lifecycle_actions.stages"
    (found,) = source.groups
    assert [(w.line, w.path, w.rules, w.owner, w.until, w.reason) for w in found.waivers] == [
        (1, "", ("PCS402",), "hpc", "2027-01-31", "always on: the queue is never empty"),
        (3, "name", ("PCS301", "PCS302"), "a.b@example.com", None, None),
        (6, "node_lifecycle_actions", ("PCS104",), None, "tomorrow", None),
        (9, stages, ("PCS2*",), None, None, None),
        (11, f"{stages}.node_ready[0]", ("PCS201",), None, None, None),
        (15, f"{stages}.node_ready[0].arguments[1]", ("PCS108",), "the team", None, None),
    ]
    assert {waiver.file for waiver in found.waivers} == {"./main.tf"}
    assert document(found, "terraform").waivers == found.waivers
    assert [problem.split(": ")[0] for problem in source.problems] == [
        "./main.tf:4:3",
        "./main.tf:13:26",
        "./main.tf:17:11",
        "./main.tf:24:1",
    ]
    assert "stands beside no member of a node group" in source.problems[3]


@pytest.mark.parametrize(
    ("comment", "problem"),
    [
        ("ignore", "this waiver names no rule"),
        ("ignore owner=x", "this waiver names no rule"),
        ("ignore PCS104 why=x", 'but has "why=x"'),
        ("ignore PCS104 owner=x owner=y", 'but has "owner=y"'),
        ('ignore PCS104 reason="x', 'but has "reason="x"'),
        ("skip PCS104", 'but begins with "skip"'),
    ],
)
def test_waivers_that_cannot_be_read(read: Read, comment: str, problem: str) -> None:
    source = read(group(f"name = 1 # pcsguard:{comment}"))
    assert source.groups[0].waivers == ()
    (told,) = source.problems
    assert told.startswith("./main.tf:2:10: ")
    assert problem in told
