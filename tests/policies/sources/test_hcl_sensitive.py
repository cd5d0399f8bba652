"""What terraform marks as sensitive is marked where its source is read, by whatever way it comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcs_policies.cli.main import run
from pcs_policies.sources.hcl.folder import read_folder

SECRET = "hunter2"

VARIABLES = f"""
variable "secret" {{
  type      = string
  sensitive = true
  default   = "{SECRET}"
}}
variable "later" {{ sensitive = true }}
variable "config" {{
  sensitive = true
  default   = {{ name = "{SECRET}" }}
}}
variable "open" {{ default = "open" }}
variable "stated" {{
  sensitive = false
  default   = "stated"
}}
locals {{
  direct   = var.secret
  indirect = "x-${{local.direct}}"
  other    = var.open
}}
module "child" {{
  source = "./child"
  given  = var.secret
}}
"""

CHILD = """
variable "given" {}
output "given" { value = var.given }
output "marked" {
  sensitive = true
  value     = "marked"
}
output "open" { value = "open" }
"""

EXPRESSIONS = {
    "var.secret": True,
    "var.later": True,
    "var.config.name": True,
    "local.direct": True,
    "local.indirect": True,
    '"a-${var.secret}"': True,
    "(var.secret)": True,
    "upper(var.secret)": True,
    'join("-", [for c in [var.secret] : c])': True,
    'var.secret == "x" ? "a" : "b"': True,
    'try(var.secret, "x")': True,
    'sensitive("x")': True,
    "module.child.given": True,
    "module.child.marked": True,
    "var.open": False,
    "var.stated": False,
    "local.other": False,
    "module.child.open": False,
    "nonsensitive(var.secret)": False,
    '"literal"': False,
}


def group(arguments: str, more: str = "") -> str:
    return f"""
resource "awscc_pcs_compute_node_group" "hpc" {{
  {more}
  node_lifecycle_actions = {{ stages = {{ node_ready = [{{ arguments = {arguments} }}] }} }}
}}
"""


def marks(folder: Path, text: str) -> list[object]:
    """The marks of the arguments, group by group; ``None`` where nothing is marked."""
    (folder / "main.tf").write_text(VARIABLES + text)
    (folder / "child").mkdir()
    (folder / "child" / "main.tf").write_text(CHILD)
    found = read_folder(str(folder))
    assert found.problems == ()
    return [
        written.sensitive and written.sensitive["node_lifecycle_actions"]["stages"]["node_ready"][0]["arguments"]
        for written in found.groups
    ]


@pytest.mark.parametrize(("expression", "marked"), EXPRESSIONS.items(), ids=EXPRESSIONS)
def test_expressions(tmp_path: Path, expression: str, marked: bool) -> None:
    assert marks(tmp_path, group(f'["first", {expression}, "last"]')) == [[False, True, False] if marked else None]


def test_asked_for_again(tmp_path: Path) -> None:
    """What is computed once is marked each time."""
    assert marks(tmp_path, group("[local.indirect, var.open, local.indirect]")) == [[True, False, True]]


def test_whole_list(tmp_path: Path) -> None:
    assert marks(tmp_path, group("[for c in [var.secret] : c]")) == [True]


@pytest.mark.parametrize(
    ("for_each", "expected"),
    [
        ("{ a = var.secret }", [[True, False]]),
        ('{ a = "open" }', [None]),
        ("toset([var.secret])", [None]),  # terraform refuses it; nothing is told of the keys
    ],
)
def test_for_each(tmp_path: Path, for_each: str, expected: list[object]) -> None:
    found = marks(tmp_path, group('[each.value, "x"]', f"for_each = {for_each}"))
    assert found == expected


@pytest.mark.parametrize("steps", range(1, 60))
def test_a_secret_stays_one_when_the_steps_run_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """However far the evaluation comes, a value that it found is marked."""
    monkeypatch.setattr("pcs_policies.sources.hcl.evaluate.MOST_STEPS", steps)
    (tmp_path / "main.tf").write_text(VARIABLES.split("module")[0] + group("[var.secret, local.indirect]"))
    (found,) = read_folder(str(tmp_path)).groups
    if SECRET in repr(found.values):
        (script,) = found.values["node_lifecycle_actions"]["stages"]["node_ready"]
        (marked,) = found.sensitive["node_lifecycle_actions"]["stages"]["node_ready"]
        pairs = zip(script["arguments"], marked["arguments"], strict=True)
        assert all(mark for value, mark in pairs if SECRET in repr(value))


COMMANDS = (
    ("check", "--format", "text", "--format", "json=out.json"),
    ("check", "--format", "sarif"),
    ("check", "--format", "markdown"),
    ("check", "--format", "github"),
    ("check", "--format", "gitlab"),
    ("check", "--format", "junit"),
    ("show",),
    ("show", "--format", "json"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "source"
    source.mkdir()
    (source / "child").mkdir()
    (source / "child" / "main.tf").write_text(CHILD)
    (source / "main.tf").write_text(
        VARIABLES
        + """
resource "awscc_pcs_compute_node_group" "hpc" {
  name            = var.secret
  purchase_option = var.secret
  node_lifecycle_actions = { stages = { node_ready = [{
    script_name   = local.indirect
    on_error      = var.secret
    script_source = { script_location = "http://example.com/${var.secret}/a.sh", checksum = module.child.given }
    arguments     = [var.secret]
  }] } }
}
"""
    )
    run([*command, "source"])
    said = "".join(capfd.readouterr()) + "".join(file.read_text() for file in tmp_path.glob("*.json"))
    assert said
    assert SECRET not in said
