"""Runs the shell steps of a composite action as GitHub's runner does, with a runner's files and variables.

From docs.github.com, "Metadata syntax for GitHub Actions" and "Workflow syntax": expressions are replaced in ``env``
before a step starts, ``shell: bash`` is ``bash --noprofile --norc -eo pipefail FILE``, a step that fails keeps those
behind it from running, and a step passes values on through the file in ``GITHUB_OUTPUT``.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*}}")


class Ended(NamedTuple):
    """An action that has run: the exit code of its last shell step, what it printed, what it left behind."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


class Action:
    """A composite action. ``temp`` is the runner's folder for temporary files."""

    def __init__(self, folder: Path, temp: Path) -> None:
        self.folder = folder
        self.text: dict[str, Any] = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))
        self.temp = temp
        self.steps: dict[str, dict[str, str]] = {}
        """Outputs of the steps that have run, by their id."""

    @property
    def scripts(self) -> list[str]:
        return [step["run"] for step in self.text["runs"]["steps"] if "run" in step]

    def run(self, workspace: Path, inputs: Mapping[str, str], **env: str) -> Ended:
        """Run the shell steps that have no outputs yet, with the action's defaults for inputs that are not given."""
        known = self.text["inputs"]
        assert set(inputs) <= set(known)
        given = {name: inputs.get(name, fact.get("default")) for name, fact in known.items()}
        missing = [name for name, value in given.items() if value is None]
        assert not missing, f"required inputs: {missing}"
        summary = self.temp / "summary.md"
        summary.touch()
        code, log = 0, ""
        for step in self.text["runs"]["steps"]:
            if "run" in step and step["id"] not in self.steps:
                done = self._step(step, given, workspace, summary, env)
                code, log = done.returncode, log + done.stdout + done.stderr
                if code:
                    break
        outputs = {name: self._filled(fact["value"], given) for name, fact in self.text["outputs"].items()}
        return Ended(code, log, outputs, summary.read_text(encoding="utf-8"))

    def _step(
        self, step: Mapping[str, Any], inputs: Mapping[str, Any], workspace: Path, summary: Path, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        assert step["shell"] == "bash"
        script, out = self.temp / f"{step['id']}.sh", self.temp / f"{step['id']}.out"
        script.write_text(step["run"], encoding="utf-8")
        out.touch()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PCSGUARD_", "GITHUB_"))}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=workspace,
            env={
                **clean,
                "GITHUB_ACTION_PATH": str(self.folder),
                "GITHUB_OUTPUT": str(out),
                "GITHUB_STEP_SUMMARY": str(summary),
                "GITHUB_WORKSPACE": str(workspace),
                "RUNNER_TEMP": str(self.temp),
                **env,
                **{name: self._filled(value, inputs) for name, value in step.get("env", {}).items()},
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        self.steps[step["id"]] = dict(line.split("=", 1) for line in out.read_text(encoding="utf-8").splitlines())
        return done

    def _filled(self, text: str, inputs: Mapping[str, Any]) -> str:
        """A text with its expressions replaced; there are only inputs and outputs of steps."""

        def value(found: re.Match[str]) -> str:
            context, *path = found[1].split(".")
            if context == "inputs":
                return str(inputs[path[0]])
            assert (context, path[1]) == ("steps", "outputs"), found[0]
            return self.steps.get(path[0], {}).get(path[2], "")

        return _EXPRESSION.sub(value, text)
