"""A mirror of the provider for the session, and workspaces of their own for each test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import terraform
from support.pcs_terraform import Workspace, hpc_endpoint, write_mirror

from pcs_bridge.endpoint import Endpoint

Make = Callable[..., Workspace]


@pytest.fixture(scope="session")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mirror(tmp_path_factory.mktemp("mirror"))


@pytest.fixture
def workspace(mirror: Path) -> Iterator[Make]:
    """Makes a workspace for an endpoint: `workspace(endpoint, TF_LOG="TRACE")`."""
    terraform.require()
    folder = Path(tempfile.mkdtemp(prefix="t-"))  # short: sockets lie below it
    temporary = folder / "tmp"
    temporary.mkdir()

    def make(endpoint: Endpoint, **env: str) -> Workspace:
        made = Workspace(folder, mirror, endpoint, {"TMPDIR": str(temporary), **env})
        made.configure()
        made.init()
        return made

    yield make
    assert list(temporary.iterdir()) == []
    shutil.rmtree(folder)


@pytest.fixture
def tf(workspace: Make) -> Iterator[Workspace]:
    """A workspace with an endpoint of its own."""
    with hpc_endpoint() as endpoint:
        yield workspace(endpoint)
