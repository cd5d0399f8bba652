"""Inputs with something of everything that a report can tell, for the tests of the formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import render
from support.groups import complete

from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, actions, script

TODAY = "2026-12-01"
RULES = "PCS101,PCS102,PCS104,PCS202,PCS8"
STATED = {"onError": "CONTINUE", "executionPolicy": "EVERY_BOOT"}

BEFORE = complete(
    **actions(
        ready=[
            script("motd", "http://scripts.example.com/motd.sh", checksum=SHA256, **STATED),
            script("tags", "s3://example-scripts/tags.sh", checksum=SHA256, s3VersionId=VERSION, **STATED),
        ]
    )
)
AFTER = complete(
    **actions(
        ready=[
            script("motd", "http://scripts.example.com/motd.sh", checksum=SHA256, **STATED),
            script("tags", "s3://example-scripts/tags.sh", s3VersionId=VERSION, **STATED),
            script("logs", "s3://example-scripts/logs.sh", checksum=UNKNOWN, **STATED),
            script("late", "s3://example-scripts/late.sh", s3VersionId=VERSION, **STATED),
        ]
    )
)
"""Already there: PCS102 of motd. Introduced: PCS101 of tags and late, PCS104 of logs; PCS101 of logs is undecided."""

WAIVERS = """\
# Who may live with what, and until when.
[[waiver]]
rule = "PCS101"
address = "awscc_pcs_compute_node_group.*"
leaf = 'nodeLifecycleActions.stages.nodeReady["tags"].scriptSource.checksum'
owner = "hpc"
reason = "the pipeline that hashes it comes with the next release"
until = 2027-01-31

[[waiver]] # one day over
rule = "PCS101"
address = "awscc_pcs_compute_node_group.hpc"
leaf = 'nodeLifecycleActions.stages.nodeReady["late"].scriptSource.checksum'
owner = "storage"
reason = "it will be gone by then"
until = 2026-11-30

[[waiver]]
rule = "secure-location"
address = "awscc_pcs_compute_node_group.hpc"
leaf = 'nodeLifecycleActions.stages.nodeReady["gone"]'
owner = "hpc"
reason = "it was there once"
until = 2027-01-31

[[waiver]]
rule = "PCS104"
address = "module.elsewhere.*"
owner = "hpc"
reason = "another stack"
until = 2030-01-01
"""

STACK: dict[str, Any] = {
    "//": {"metadata": {"stackName": "site"}},
    "resource": {
        "awscc_pcs_compute_node_group": {
            "gpu": {
                "//": {
                    "metadata": {"path": "site/gpu"},
                    "pcsguard": {
                        "file": "stacks/site.py",
                        "line": 7,
                        "waivers": [
                            {
                                "rules": ["PCS104"],
                                "leaf": 'node_lifecycle_actions.stages.node_ready["mount"]',
                                "owner": "storage",
                                "until": "2027-02-28",
                                "reason": "the bucket has no versions yet",
                            },
                            {"rule": "PCS101", "owner": "storage", "until": "soon", "reason": "x"},
                        ],
                    },
                },
                "name": "gpu",
                "node_lifecycle_actions": {
                    "stages": {
                        "node_ready": [
                            {
                                "name": "mount",
                                "script_source": {"script_location": "s3://example-scripts/mount.sh"},
                                "on_error": "CONTINUE",
                                "execution_policy": "EVERY_BOOT",
                            }
                        ]
                    }
                },
            }
        }
    },
}
"""Source with lines: PCS101 fails at a line, PCS104 is waived beside the code, and one waiver is no good."""


def write(folder: Path) -> None:
    """Write ``plan.json``, ``stack.tf.json``, ``errored.json`` and the file of waivers."""
    (folder / "plan.json").write_text(json.dumps(render.plan(AFTER, before=BEFORE)))
    (folder / "stack.tf.json").write_text(json.dumps(STACK))
    broken = {"format_version": "1.2", "resource_changes": [], "errored": True}
    (folder / "errored.json").write_text(json.dumps(broken))
    (folder / "pcsguard-waivers.toml").write_text(WAIVERS)


INPUTS = ("plan.json", "stack.tf.json", "errored.json")
