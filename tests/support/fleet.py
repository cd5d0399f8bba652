"""A plan of many node groups, some of which run the same scripts."""

from __future__ import annotations

import copy
from typing import Any

from support import render
from support.groups import complete

from pcs_policies.rules.fragments import SHA256, VERSION, actions, script

S3 = "s3://example-scripts/"


def fleet(size: int, *, alike: int = 2) -> dict[str, Any]:
    """Groups ``g0``, ``g1`` and so on, which are about to be updated: ten scripts each, of which ``alike`` groups in a
    row run the same ones; the others are at other locations.
    """
    document = render.plan(_group(), before=_group(checksum=SHA256))
    (resource,), (configured,) = document["resource_changes"], document["configuration"]["root_module"]["resources"]
    document["resource_changes"] = [_renamed(resource, number, number // alike) for number in range(size)]
    document["configuration"]["root_module"]["resources"] = [_renamed(configured, n, n // alike) for n in range(size)]
    return document


def _group(**last: str) -> dict[str, Any]:
    pinned = {"s3VersionId": VERSION, "onError": "CONTINUE", "executionPolicy": "EVERY_BOOT"}
    scripts = [script(f"step-{n}", f"{S3}0/step-{n}.sh", checksum=SHA256, **pinned) for n in range(9)]
    scripts.append(script("last", f"{S3}0/last.sh", **pinned, **last))
    return complete(**actions(bootstrapped=scripts[:6], ready=scripts[6:]))


def _renamed(resource: dict[str, Any], number: int, boot: int) -> dict[str, Any]:
    made = copy.deepcopy(resource)
    made |= {"address": f"{render.AWSCC}.g{number}", "name": f"g{number}"}
    _replace(made, f"{S3}0/", f"{S3}{boot}/")
    return made


def _replace(value: Any, old: str, new: str) -> None:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        if isinstance(item, str):
            value[key] = item.replace(old, new)
        elif isinstance(item, dict | list):
            _replace(item, old, new)
