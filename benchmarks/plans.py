"""Plans for the benchmark: as terraform writes them, of any size, the same on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]


class Size(NamedTuple):
    """How many node groups and other resources a plan has."""

    name: str
    groups: int
    others: int


SIZES = (
    Size("small", 10, 0),
    Size("medium", 2_000, 8_000),
    Size("large", 2_000, 18_000),
    Size("groups", 10_000, 0),
)
"""The large plan has about 100 MB."""


def write(size: Size, path: Path) -> None:
    """Write the plan of ``size`` piece by piece, so that this process stays small."""
    with path.open("w", encoding="utf-8") as out:
        out.write('{"format_version":"1.2","terraform_version":"1.11.4","planned_values":{"root_module":{"resources":[')
        _join(out, (_planned(resource) for resource in _resources(size)))
        out.write(']}},"resource_changes":[')
        _join(out, (_changed(resource) for resource in _resources(size)))
        out.write('],"configuration":{"root_module":{"resources":[')
        _join(out, (_configured(resource) for resource in _resources(size)))
        out.write(']}},"timestamp":"2026-12-01T00:00:00Z","applyable":true,"complete":true,"errored":false}\n')


def _join(out: Any, values: Iterator[Json]) -> None:
    for index, value in enumerate(values):
        out.write(("," if index else "") + json.dumps(value, separators=(",", ":")))


def _resources(size: Size) -> Iterator[tuple[Json, Json]]:
    """Identity and values of each resource; node groups lie among the others as they do in a real plan."""
    every = max(1, size.others // size.groups) if size.groups else 0
    others = 0
    for index in range(size.groups):
        yield _identity("awscc_pcs_compute_node_group", f"g{index}"), _group(index)
        for _ in range(every if size.others else 0):
            if others < size.others:
                yield _identity("aws_ssm_parameter", f"p{others}"), _other(others)
                others += 1
    while others < size.others:
        yield _identity("aws_ssm_parameter", f"p{others}"), _other(others)
        others += 1


def _identity(kind: str, name: str) -> Json:
    provider = "registry.terraform.io/hashicorp/" + kind.partition("_")[0]
    return {"address": f"{kind}.{name}", "mode": "managed", "type": kind, "name": name, "provider_name": provider}


def _planned(resource: tuple[Json, Json]) -> Json:
    identity, values = resource
    return {**identity, "schema_version": 0, "values": values, "sensitive_values": {}}


def _changed(resource: tuple[Json, Json]) -> Json:
    identity, values = resource
    change = {
        "actions": ["create"],
        "before": None,
        "after": values,
        "after_unknown": {"arn": True, "id": True},
        "before_sensitive": False,
        "after_sensitive": {},
    }
    return {**identity, "change": change}


def _configured(resource: tuple[Json, Json]) -> Json:
    identity, values = resource
    stated = {key: {"constant_value": value} for key, value in values.items() if value is not None}
    return {**identity, "provider_config_key": "aws", "expressions": stated, "schema_version": 0}


def _other(index: int) -> Json:
    """The attributes of an EC2 instance, as many and as deep as the aws provider plans them."""
    numbers = {f"attribute_{number}": f"value {number} of {index}" for number in range(24)}
    switches = {f"option_{number}": number % 3 == 0 for number in range(12)}
    return {
        "ami": "ami-0123456789abcdef0",
        "instance_type": "m7i.large",
        "subnet_id": f"subnet-{index:017x}",
        "vpc_security_group_ids": ["sg-0123456789abcdef0", "sg-0123456789abcdef1"],
        "root_block_device": [{"volume_size": 100, "volume_type": "gp3", "encrypted": True, "tags": {"n": str(index)}}],
        "metadata_options": [{"http_tokens": "required", "http_put_response_hop_limit": 1}],
        "user_data": None,
        **numbers,
        **switches,
        "tags": {"project": "hpc", "index": str(index)},
    }


def _group(index: int) -> Json:
    """A node group that no rule complains of."""
    bucket = "s3://aws-pcs-repo-eu-west-1/aws-pcs-node-lifecycle-scripts"

    def script(name: str, file: str, arguments: list[str], on_error: str) -> Json:
        return {
            "name": name,
            "script_source": {
                "script_location": f"{bucket}/{file}-v1.0.0.sh",
                "checksum": hashlib.sha256(file.encode()).hexdigest(),
                "s3_version_id": "3HL4kqtJvjVBH40Nrjfkd",
            },
            "arguments": arguments,
            "on_error": on_error,
            "execution_policy": "EVERY_BOOT",
        }

    return {
        "ami_id": "ami-0123456789abcdef0",
        "cluster_id": "pcs_example123",
        "custom_launch_template": {"template_id": "lt-0123456789abcdef0", "version": "1"},
        "iam_instance_profile_arn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc",
        "instance_configs": [{"instance_type": "c7i.48xlarge"}],
        "name": f"g{index}-compute",
        "node_lifecycle_actions": {
            "script_caching_policy": "CACHE_ONCE",
            "stages": {
                "node_bootstrapped": [
                    script("cloudwatch-logs", "configure-cloudwatch-logs", [], "CONTINUE"),
                    script(
                        "mount-home",
                        "mount-efs",
                        ["--file-system-id", "fs-0123456789abcdef0", "--mount-point", "/home"],
                        "TERMINATE",
                    ),
                ],
                "node_ready": None,
            },
        },
        "purchase_option": "ONDEMAND",
        "scaling_configuration": {"min_instance_count": 0, "max_instance_count": 16},
        "slurm_configuration": None,
        "spot_options": None,
        "subnet_ids": ["subnet-0123456789abcdef0"],
        "tags": {"project": "hpc"},
    }
