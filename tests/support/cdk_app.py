"""Runs apps of the constructs, as ``cdktf synth`` does: a process with the app's folder as working folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import pytest

Toolkit = Literal["cdktf", "cdktn"]
TOOLKITS: tuple[Toolkit, ...] = get_args(Toolkit)

QUIET = {
    # jsii tells of every Node that is past its end of life, in a banner that is no business of these tests.
    "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20",
    "CHECKPOINT_DISABLE": "1",
}


class Run(NamedTuple):
    """A finished app. `out` is the folder that it was told to synthesize to."""

    code: int
    stdout: str
    stderr: str
    out: Path

    def ok(self) -> Run:
        """The run itself. Raises AssertionError, with what the app said, when it failed."""
        assert self.code == 0, self.stderr
        return self

    def stack(self, name: str = "hpc") -> dict[str, Any]:
        """A synthesized stack."""
        document: dict[str, Any] = json.loads((self.out / "stacks" / name / "cdk.tf.json").read_text(encoding="utf-8"))
        return document


def require_node() -> None:
    """Skip the test where there is no Node, which the toolkits run in."""
    if shutil.which("node") is None:
        pytest.skip("node is not on PATH; the constructs need Node 20 or newer")


def run(app: Path, *arguments: str, out: Path, toolkit: Toolkit | None = None, **env: str) -> Run:
    """Run an app; nothing of the caller's own settings reaches it."""
    require_node()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PCSGUARD_", "CDKTF_", "JSII_"))}
    chosen = {} if toolkit is None else {"PCSGUARD_CDK": toolkit}
    done = subprocess.run(
        [sys.executable, app.name, *arguments],
        cwd=app.parent,
        env={**kept, **QUIET, "CDKTF_OUTDIR": str(out), **chosen, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return Run(done.returncode, done.stdout, done.stderr, out)
