"""Fixtures that every folder of tests shares."""

import difflib
import os
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more about the machine, and what else it does, than about the code.
settings.register_profile("pcsguard", deadline=None)
settings.load_profile("pcsguard")

ROOT = Path(__file__).resolve().parent.parent

pytest_plugins = ["pcs_bridge.testing"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-snapshots",
        action="store_true",
        help="write the golden files instead of comparing with them",
    )


class Snapshot:
    """Compares text with a golden file in the folder ``snapshots`` beside the test."""

    def __init__(self, folder: Path, *, update: bool) -> None:
        self._folder = folder
        self._update = update

    def __call__(self, text: str, name: str) -> None:
        """Fail unless ``text`` is what the golden file ``name`` holds, to the last byte."""
        golden = self._folder / name
        if self._update:
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_bytes(text.encode())
            return
        shown = os.path.relpath(golden, ROOT)
        if not golden.exists():
            pytest.fail(f"{shown} does not exist; `make snapshots` writes it", pytrace=False)
        expected = golden.read_bytes().decode()
        if text != expected:
            diff = difflib.unified_diff(_lines(expected), _lines(text), shown, "this run", lineterm="")
            hint = "If the new text is right: `make snapshots`, then review the diff."
            pytest.fail("\n".join((*diff, hint)), pytrace=False)


def _lines(text: str) -> list[str]:
    # Split at \n only and mark what a terminal hides, or texts could differ without a visible difference.
    return [line.replace("\r", "␍") for line in text.split("\n")]


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Snapshot:
    update = bool(request.config.getoption("--update-snapshots"))
    return Snapshot(request.path.parent / "snapshots", update=update)


@pytest.fixture(scope="session")
def corpus_dir() -> Path:
    """Public plans, templates and cdktf output, kept beside the repository because others own them."""
    return _shared_folder("corpus", "PCSGUARD_CORPUS")


@pytest.fixture(scope="session")
def plans_dir() -> Path:
    """Real Terraform plans of compute node groups, in many situations."""
    return _shared_folder("plans", "PCSGUARD_PLANS")


def _shared_folder(name: str, variable: str) -> Path:
    folder = Path(os.environ.get(variable) or ROOT.parent / "shared" / name)
    if not folder.is_dir():
        pytest.skip(f"there is no {name} at {folder}; set {variable} to a folder of them")
    return folder
