"""What a script is for, by the words of its name and, where those tell nothing, of its file."""

from __future__ import annotations

from typing import Any

import pytest

from pcs_contract import aws_scripts
from pcs_policies.document import Expression, Script, Stated, Template, build
from pcs_policies.rules.fragments import actions, script
from pcs_policies.rules.roles import Role, can_tell, role
from pcs_policies.settings import Settings

NEEDED, LOGS, OPTIONAL = Role.NEEDED_BEFORE_JOBS, Role.LOG_FORWARDER, Role.BEST_EFFORT


def of(name: Any, location: Any = "s3://example-scripts/setup.sh", **rest: Any) -> Script:
    tree = actions(ready=[script(name, location)])
    document = build(
        address="g", resource_type="pcs_compute_node_group", spelling="api", after=tree, stated=Stated.YES, **rest
    )
    return document.scripts()[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mount-home", NEEDED),
        ("Mount_EFS", NEEDED),
        ("efs", NEEDED),
        ("join-domain", NEEDED),
        ("mount-logs", NEEDED),
        ("mount-metrics-volume", NEEDED),
        ("log-mounts", LOGS),
        ("cloudwatch-logs", LOGS),
        ("efs-logs", LOGS),
        ("motd", OPTIONAL),
        ("tag-efs-client", OPTIONAL),
        ("lustre-exporter", OPTIONAL),
        ("nfs-monitoring", OPTIONAL),
        ("prometheus-nfs-check", OPTIONAL),
        ("unmounted", None),
        ("prepare-node", None),
    ],
)
def test_by_the_name(name: str, expected: Role | None) -> None:
    assert role(of(name), Settings()) is expected


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("s3://example-scripts/logs/mount-efs.sh", NEEDED),
        ("s3://mount-efs/setup.sh", None),
        ("https://example.com/motd.sh?mount=efs", OPTIONAL),
        (Template(("s3://", None, "/mount-efs.sh")), NEEDED),
        (Template(("s3://mount-efs/", None)), None),
        (Expression("local.location"), None),
    ],
)
def test_by_the_file(location: Any, expected: Role | None) -> None:
    assert role(of("step 1", location), Settings()) is expected
    assert role(of("motd", location), Settings()) is OPTIONAL, "the name comes first"


@pytest.mark.parametrize("name", aws_scripts.SCRIPTS)
def test_of_what_aws_maintains(name: str) -> None:
    location = aws_scripts.location(name, aws_scripts.RELEASE, "eu-west-1")
    expected = LOGS if name == "configure-cloudwatch-logs" else NEEDED
    assert role(of(name), Settings()) is expected
    assert role(of("step 1", location), Settings()) is expected


def test_nothing_is_read_from_what_is_sensitive() -> None:
    hidden = actions(ready=[{"name": True, "scriptSource": True}])
    secret = of("mount-home", "s3://example-scripts/mount-efs.sh", sensitive=hidden)
    assert role(secret, Settings()) is None
    assert not can_tell(secret)


def test_the_words_are_settings() -> None:
    words = Settings(needed_before_jobs=frozenset({"scratch"}))
    assert role(of("scratch"), words) is NEEDED
    assert role(of("mount-home"), words) is None
