"""An endpoint for each test: to start one takes a millisecond."""

from collections.abc import Iterator

import pytest
from support.pcs import Lab, lab


@pytest.fixture(name="lab")
def lab_fixture() -> Iterator[Lab]:
    with lab() as made:
        yield made


@pytest.fixture
def cluster(lab: Lab) -> Lab:
    """A lab with a cluster `hpc`."""
    lab.cluster()
    return lab
