"""Makes the plans that tests and examples read, through the real terraform and the stand-in provider.

``python tools/make_fixture_plans.py [NAME ...]`` writes tests/fixtures/plans/ and examples/plans/ again, or the named
ones only. A plan that differs from the one on disk in its timestamp only is left alone.

A case is a table entry: the configurations to apply, one after the other, and the one to plan in the end.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.standin.schema import Flavour  # noqa: E402
from support.terraform import Terraform  # noqa: E402

FIXTURES = ROOT / "tests" / "fixtures" / "plans"
EXAMPLES = ROOT / "examples"

CHECKSUM_LOGS = "5d2a8f0c3b1e4796a8c7d6e5f4031221b0a9f8e7d6c5b4a3928170605f4e3d2c"
CHECKSUM_MOUNT = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
CHECKSUM_MOTD = "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13"
SECRET = "example-secret-value"


class Case(NamedTuple):
    """``steps`` are configurations, each a file's text by its name; all but the last are applied."""

    file: Path
    flavour: Flavour
    steps: tuple[dict[str, str], ...]


def script(name: str, location: str, **members: str | None) -> str:
    """A script as HCL. ``checksum`` and ``s3_version_id`` go into its source; values are HCL expressions."""
    source = {"script_location": location}
    for member in ("checksum", "s3_version_id"):
        if value := members.pop(member, None):
            source[member] = value
    return _object({"name": f'"{name}"', "script_source": _object(source), **members})


def logs(**members: str | None) -> str:
    location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/configure-cloudwatch-logs-v1.0.0.sh"
    return script("configure-cloudwatch-logs", f'"{location}"', **members)


def mount(**members: str | None) -> str:
    """A mount with all members stated, but for those given as None."""
    location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-efs-v1.0.0.sh"
    stated: dict[str, str | None] = {
        "checksum": f'"{CHECKSUM_MOUNT}"',
        "s3_version_id": '"L4kqtJlcpXroDTDmpUMLUo.ZR2uNdCWn"',
        "arguments": '["--file-system-id", "fs-0a1b2c3d4e5f60718", "--mount-point", "/home"]',
        "on_error": '"TERMINATE"',
        "execution_policy": '"EVERY_BOOT"',
    }
    merged = {key: value for key, value in (stated | members).items() if value is not None}
    return script("mount-efs", f'"{location}"', **merged)


def motd(**members: str | None) -> str:
    stated: dict[str, str | None] = {"checksum": f'"{CHECKSUM_MOTD}"', "on_error": '"CONTINUE"'}
    merged = {key: value for key, value in (stated | members).items() if value is not None}
    return script("motd", '"https://scripts.example.com/motd.sh"', **merged)


def actions(bootstrapped: Iterable[str] = (), ready: Iterable[str] = ()) -> str:
    """``node_lifecycle_actions`` as HCL; a stage without scripts is left out."""
    stages = {"node_bootstrapped": list(bootstrapped), "node_ready": list(ready)}
    written = {stage: "[\n" + ",\n".join(scripts) + ",\n]" for stage, scripts in stages.items() if scripts}
    return _object({"stages": _object(written)})


def group(
    lifecycle_actions: str | None = None,
    *,
    resource_type: str = "awscc_pcs_compute_node_group",
    header: str = "",
    **more: str,
) -> str:
    """A resource block with the attributes that every group needs."""
    attributes = {
        "name": '"compute"',
        "cluster_id": '"pcs_example123"',
        "iam_instance_profile_arn": '"arn:aws:iam::123456789012:instance-profile/aws-pcs/AWSPCS-compute"',
        "custom_launch_template": '{ template_id = "lt-0a1b2c3d4e5f60718", version = "3" }',
        "instance_configs": '[{ instance_type = "hpc7a.96xlarge" }]',
        "scaling_configuration": "{ min_instance_count = 0, max_instance_count = 16 }",
        "subnet_ids": '["subnet-0a1b2c3d4e5f60718"]',
        **({} if lifecycle_actions is None else {"node_lifecycle_actions": lifecycle_actions}),
        **more,
    }
    lines = "".join(f"{name} = {value}\n" for name, value in attributes.items() if value != "null")
    return f'resource "{resource_type}" "compute" {{\n{header}{lines}}}\n'


def _object(members: Mapping[str, object]) -> str:
    return "{\n" + "".join(f"{name} = {value}\n" for name, value in members.items()) + "}"


def root(*blocks: str) -> dict[str, str]:
    """A configuration of one file."""
    return {"main.tf": "".join((REQUIRED_PROVIDERS, *blocks))}


REQUIRED_PROVIDERS = """
terraform {
  required_providers {
    awscc = { source = "hashicorp/awscc" }
    pcs   = { source = "pcsguard/pcs" }
  }
}
"""

GROUPS_VARIABLE = """
variable "groups" { type = map(object({ max = number, checksum = optional(string) })) }
"""

FULL = actions([logs(checksum=f'"{CHECKSUM_LOGS}"', on_error='"CONTINUE"'), mount()], [motd()])

# Each in both flavours. What a case is about stands in tests/fixtures/plans/README.md.
CASES: dict[str, tuple[dict[str, str], ...]] = {
    "create_unset_members": (
        root(group(actions([mount(checksum=None, s3_version_id=None, on_error=None, execution_policy=None)]))),
    ),
    "block_removed": (root(group(FULL)), root(group())),
    "checksum_removed": (
        root(group(actions([mount()]))),
        root(group(actions([mount(checksum=None)]))),
    ),
    "on_error_removed": (
        root(group(actions([], [motd()]))),
        root(group(actions([], [motd(on_error=None)]))),
    ),
    "script_inserted": (
        root(group(actions([mount()]))),
        root(group(actions([logs(), mount()]))),
    ),
    "unknown_reference": (
        root(
            'resource "terraform_data" "published" { input = "made by apply" }\n',
            group(
                actions(
                    [mount(checksum="sha256(terraform_data.published.id)", s3_version_id="terraform_data.published.id")]
                )
            ),
        ),
    ),
    "module_for_each": (
        {
            "main.tf": REQUIRED_PROVIDERS
            + 'module "hpc" {\n  source = "./hpc"\n  groups = {\n    "a.b/c" = { max = 4 }\n'
            + f'    gpu     = {{ max = 2, checksum = "{CHECKSUM_MOUNT}" }}\n  }}\n}}\n',
            "hpc/main.tf": REQUIRED_PROVIDERS
            + GROUPS_VARIABLE
            + group(
                actions([mount(checksum="each.value.checksum")]),
                header="for_each = var.groups\n",
                name='"group-${length(each.key)}"',
                scaling_configuration="{ min_instance_count = 0, max_instance_count = each.value.max }",
            ),
        },
    ),
    "sensitive_argument": (
        root(
            f'variable "token" {{\n  sensitive = true\n  default = "{SECRET}"\n}}\n',
            group(actions([mount(), motd(arguments='["--token", var.token]')])),
        ),
    ),
    "name_changed": (root(group(FULL)), root(group(FULL, name='"renamed"'))),
}

OURS = "pcs_compute_node_group"

# Of this project's own resource type, which has fields that awscc lacks and nothing computed.
OUR_CASES: dict[str, tuple[dict[str, str], ...]] = {
    "all_fields": (
        root(
            group(
                FULL,
                resource_type=OURS,
                launch_template_mode='"MANAGED"',
                custom_launch_template="null",
                ami_id='"ami-0a1b2c3d4e5f60718"',
                security_group_ids='["sg-0a1b2c3d4e5f60718"]',
                ssh_key_name='"operators"',
                purchase_option='"SPOT"',
                spot_options='{ allocation_strategy = "capacity-optimized" }',
                slurm_configuration="{ scale_down_idle_time_in_seconds = -1 }",
                instance_health_checks='{ health_monitoring = { mode = "STANDARD", repair_action = "REPLACE" } }',
                tags='{ Owner = "hpc-platform" }',
            )
        ),
    ),
    "moved_from_awscc": (
        root(group(FULL)),
        root(
            group(FULL, resource_type=OURS),
            f"moved {{\n  from = awscc_pcs_compute_node_group.compute\n  to   = {OURS}.compute\n}}\n",
        ),
    ),
}

# The folders of examples/terraform that a plan of examples/plans comes from.
EXAMPLE_CASES = {"good": ("good",), "bad": ("bad",), "change": ("change-before", "change")}


def cases() -> Iterator[Case]:
    flavours: tuple[Flavour, ...] = ("computed", "plain")
    for name, steps in CASES.items():
        for flavour in flavours:
            yield Case(FIXTURES / f"{flavour}_{name}.json", flavour, steps)
    for name, steps in OUR_CASES.items():
        yield Case(FIXTURES / f"pcs_{name}.json", "plain", steps)
    for name, folders in EXAMPLE_CASES.items():
        texts = [(EXAMPLES / "terraform" / folder / "main.tf").read_text(encoding="utf-8") for folder in folders]
        yield Case(EXAMPLES / "plans" / f"{name}.json", "computed", tuple({"main.tf": text} for text in texts))


def make(case: Case) -> bool:
    """Run terraform for one case; whether that changed the file."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        terraform = Terraform(folder / "configuration", folder / "home", flavour=case.flavour)
        for number, step in enumerate(case.steps, start=1):
            for file, text in step.items():
                terraform.write(text, file)
            terraform.init()
            if number < len(case.steps):
                terraform.apply()
        plan = terraform.plan()
    if case.file.exists() and timeless(json.loads(case.file.read_bytes())) == timeless(plan):
        return False
    case.file.parent.mkdir(parents=True, exist_ok=True)
    case.file.write_text(json.dumps(plan, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return True


def timeless(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan without the moment at which it was made."""
    return {key: value for key, value in plan.items() if key != "timestamp"}


def main(names: list[str]) -> int:
    chosen = [case for case in cases() if not names or case.file.stem in names]
    if unknown := set(names) - {case.file.stem for case in chosen}:
        print(f"no such plan: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(max_workers=4) as pool:
        for case, changed in zip(chosen, pool.map(make, chosen), strict=True):
            print(f"{'wrote' if changed else 'same '} {case.file.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
