"""A pytest plugin with AWS PCS for a test, and nothing of the real one within reach.

    # the conftest.py at the root of the tests
    pytest_plugins = ["pcs_bridge.testing"]

It is no entry point: that would load it, and claim its names, in every run of pytest of whoever has pcsguard installed.
For the same reason it imports nothing before a test asks for the fixture.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pcs_bridge.endpoint import Endpoint

_MARK = "pcs_endpoint"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"{_MARK}(**options): how pcs_endpoint runs; the options of pcs_bridge.endpoint.running"
    )


@pytest.fixture
def pcs_endpoint(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A local AWS PCS, with S3, IAM, EC2 and STS beside it, to which all AWS clients of the test and its children go.

    Operations take no time unless the mark `pcs_endpoint(delays=...)` says so; it takes all options of `running`.
    """
    from pcs_bridge.endpoint import Delays, local, sessions

    try:
        local.check_installed()
    except ModuleNotFoundError as missing:
        pytest.fail(f"pcs_endpoint needs {missing.name}: pip install 'pcsguard[local]'", pytrace=False)
    mark = request.node.get_closest_marker(_MARK)
    options = {} if mark is None else mark.kwargs
    with local.running(**{"delays": Delays(0, 0, 0), **options}) as endpoint:
        for name in filter(sessions.points_elsewhere, list(os.environ)):
            monkeypatch.delenv(name)
        for name, value in endpoint.environment.items():
            monkeypatch.setenv(name, value)
        # The session behind boto3.client() keeps the credentials that it found first.
        monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
        yield endpoint
