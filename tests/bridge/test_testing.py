"""The pytest plugin, as tests of others see it."""

import os
import subprocess
import sys

import boto3
import pytest

from pcs_bridge import testing
from pcs_bridge.endpoint import Delays, Endpoint, ManualClock

fixture = testing.pcs_endpoint.__wrapped__  # type: ignore[attr-defined]

CLUSTER = {
    "clusterName": "hpc",
    "scheduler": {"type": "SLURM", "version": "26.05"},
    "size": "SMALL",
    "networking": {"subnetIds": ["subnet-0123456789abcdef0"]},
}


@pytest.fixture
def users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a developer's machine may have, made before the endpoint is there."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "https://s3.example.com")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAREALREALREALREAL")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "real")
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    boto3.setup_default_session(aws_access_key_id="AKIAREALREALREALREAL", aws_secret_access_key="real")


def test_clients_reach_it(users_own: None, pcs_endpoint: Endpoint) -> None:
    credentials = boto3._get_default_session().get_credentials()
    assert credentials is not None
    assert credentials.access_key == "AKIAIOSFODNN7EXAMPLE"
    assert boto3.client("pcs").meta.endpoint_url == boto3.client("s3").meta.endpoint_url == pcs_endpoint.url
    boto3.client("pcs").create_cluster(**CLUSTER)  # type: ignore[arg-type]
    assert boto3.client("pcs").get_cluster(clusterIdentifier="hpc")["cluster"]["status"] == "ACTIVE"
    assert "AWS_SESSION_TOKEN" not in os.environ


def test_children_reach_it(pcs_endpoint: Endpoint) -> None:
    show = [sys.executable, "-c", "import os; print(os.environ['AWS_ENDPOINT_URL'])"]
    assert subprocess.run(show, capture_output=True, text=True, check=True).stdout.strip() == pcs_endpoint.url


CLOCK = ManualClock()


@pytest.mark.pcs_endpoint(clock=CLOCK, delays=Delays(5, 5, 5), faults="create-fails=1")
def test_options(pcs_endpoint: Endpoint) -> None:
    pcs = boto3.client("pcs")
    pcs.create_cluster(**CLUSTER)  # type: ignore[arg-type]
    assert pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["status"] == "CREATING"
    CLOCK.advance(5)
    assert pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["status"] == "CREATE_FAILED"


def test_nothing_is_left(request: pytest.FixtureRequest) -> None:
    before = dict(os.environ), boto3.DEFAULT_SESSION
    made = pytest.MonkeyPatch()
    running = fixture(request, made)
    next(running)
    assert os.environ != before[0]
    running.close()
    made.undo()
    assert (dict(os.environ), boto3.DEFAULT_SESSION) == before


def test_what_it_costs_who_does_not_use_it() -> None:
    script = (
        "import sys, pytest; before = set(sys.modules); import pcs_bridge.testing; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"pcs_bridge", "pcs_bridge.testing"}


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr("pcs_bridge.endpoint.local._NEEDED", ("boto3", "no_such_module"))
    with pytest.raises(
        pytest.fail.Exception, match=r"^pcs_endpoint needs no_such_module: pip install 'pcsguard\[local\]'$"
    ):
        next(fixture(request, monkeypatch))
