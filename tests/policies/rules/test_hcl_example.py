"""Fragments as HCL: what terraform itself would write, and text that means just what the fragment says."""

from __future__ import annotations

import shutil
import subprocess
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from pcs_contract import spelling
from pcs_policies.document import Template
from pcs_policies.rules.fragments import KEPT, SHA256, UNKNOWN, VERSION, actions, script
from pcs_policies.rules.hcl_example import hcl, resource_type, string
from pcs_policies.rules.table import RULES, Rule

EVERY_SHAPE = {
    "name": "hpc",
    "tags": {"Name": "hpc", "cost center": '100% "sure" ${x} %{y}'},
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 4},
    "subnetIds": ["subnet-1", UNKNOWN],
    "clusterId": UNKNOWN,
    "purchaseOption": None,
    "amiId": KEPT,
    "instanceConfigs": [],
    **actions(
        bootstrapped=[
            script("mount", Template(("s3://", None, "/mount.sh")), s3VersionId=UNKNOWN, checksum=UNKNOWN),
            script("two\nlines", "s3://example-scripts/a\\b.sh", checksum=SHA256, s3VersionId=VERSION, arguments=[]),
        ],
        ready=UNKNOWN,
        caching="CACHE_ONCE",
    ),
}

SHOWN = f"""\
resource "awscc_pcs_compute_node_group" "hpc" {{
  name = "hpc"
  tags = {{
    Name          = "hpc"
    "cost center" = "100% \\"sure\\" $${{x}} %%{{y}}"
  }}
  scaling_configuration = {{
    min_instance_count = 0
    max_instance_count = 4
  }}
  subnet_ids       = ["subnet-1", var.subnet_id]
  cluster_id       = awscc_pcs_cluster.hpc.cluster_id
  purchase_option  = null
  instance_configs = []
  node_lifecycle_actions = {{
    stages = {{
      node_bootstrapped = [
        {{
          name = "mount"
          script_source = {{
            script_location = "s3://${{var.script_location}}/mount.sh"
            s3_version_id   = aws_s3_object.script.version_id
            checksum        = var.checksum
          }}
        }},
        {{
          name = "two\\nlines"
          script_source = {{
            script_location = "s3://example-scripts/a\\\\b.sh"
            s3_version_id   = "{VERSION}"
            checksum        = "{SHA256}"
          }}
          arguments = []
        }},
      ]
      node_ready = var.node_ready
    }}
    script_caching_policy = "CACHE_ONCE"
  }}
}}
"""


def test_every_shape() -> None:
    assert hcl(EVERY_SHAPE) == SHOWN


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ({"name": "hpc"}, "awscc_pcs_compute_node_group"),
        *(
            ({name: None}, "pcs_compute_node_group")
            for name in sorted(spelling.LACKING["awscc_pcs_compute_node_group"])
        ),
    ],
)
def test_the_resource_type_has_the_fields(group: dict[str, Any], expected: str) -> None:
    assert resource_type(group) == expected
    assert hcl(group).startswith(f'resource "{expected}" "hpc" {{\n')


def trees(rule: Rule) -> list[Any]:
    """All that the fragments of a rule hold."""
    fragments = (*rule.module.GOOD, *rule.module.BAD, *rule.module.UNDECIDED)
    return [tree for fragment in fragments for tree in (fragment.group, fragment.before) if tree is not None]


@pytest.fixture
def terraform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The command, with an empty configuration of its own."""
    command = shutil.which("terraform")
    if command is None:
        pytest.skip("there is no terraform on PATH to compare the formatting with")
    empty = tmp_path / "terraformrc"
    empty.touch()
    monkeypatch.setenv("TF_CLI_CONFIG_FILE", str(empty))
    monkeypatch.setenv("CHECKPOINT_DISABLE", "1")
    return command


def test_terraform_fmt_has_nothing_to_change(terraform: str, tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    folder.mkdir()
    for number, tree in enumerate((EVERY_SHAPE, *(tree for rule in RULES for tree in trees(rule)))):
        (folder / f"{number}.tf").write_text(hcl(tree))
    done = subprocess.run(
        [terraform, "fmt", "-check", "-diff", "-no-color", str(folder)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


STRINGS = [
    "plain",
    'a "quoted" \\ word',
    "two\nlines\tand a tab\r",
    "${a} %{b} $${c} $$${d} %%{e} $ { % {",
    "$",
    "${",
    "\x1b[31mred\x7f",
    "right to left \u202e and an emoji \U0001f600 and a tag \U000e0041",
]


def test_terraform_reads_strings_back(terraform: str, tmp_path: Path) -> None:
    encoded = ", ".join(f'textencodebase64({string(text)}, "UTF-8")' for text in STRINGS)
    expression = f'join(",", [{encoded}])\n'
    done = subprocess.run(
        [terraform, "console"], input=expression, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert [b64decode(item).decode() for item in done.stdout.strip('"\n').split(",")] == STRINGS, done.stderr


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_python_hcl2_parses_it(rule: Rule) -> None:
    hcl2 = pytest.importorskip("hcl2", reason="python-hcl2 (extra hcl) is not installed")
    parsed = hcl2.loads("".join(map(hcl, trees(rule))))
    types = [next(iter(resource)).strip('"') for resource in parsed["resource"]]
    assert types == [resource_type(tree) for tree in trees(rule)]
