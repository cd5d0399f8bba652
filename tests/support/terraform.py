"""Runs the real terraform in a folder, with providers of a mirror and nothing of the machine's own settings."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from support.standin.provider import TYPES
from support.standin.schema import Flavour

from pcs_bridge.provider.install import write_plugin

TESTS = Path(__file__).resolve().parent.parent
VERSION = "1.0.0"

Json = dict[str, Any]


class Run(NamedTuple):
    """A finished command."""

    code: int
    out: str
    err: str

    def ok(self) -> Run:
        """The run itself. Raises AssertionError, with what terraform said, when it failed."""
        assert self.code == 0, f"exit code {self.code}\n{self.out}\n{self.err}"
        return self


class NoTerraform(Exception):
    """There is no terraform to run."""


def executable() -> str:
    """Where terraform is. Raises NoTerraform."""
    found = shutil.which("terraform")
    if found is None:
        raise NoTerraform("terraform is not on PATH; these tests run against the real one (1.11 or newer)")
    return found


def require() -> None:
    """Skip the test where there is no terraform. ``PCSGUARD_REQUIRE_TERRAFORM=1``, for CI, makes that a failure."""
    try:
        executable()
    except NoTerraform as missing:
        import pytest  # not at the top: tools/ use this module too

        if os.environ.get("PCSGUARD_REQUIRE_TERRAFORM") == "1":
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(str(missing))


class Terraform:
    """terraform in one folder.

    ``home`` gets the mirror of the stand-ins and the private CLI configuration, unless there is a ``configuration``
    that names other providers; ``flavour`` is the stand-in's. ``env`` adds to the few variables that terraform sees.
    """

    def __init__(
        self,
        folder: Path,
        home: Path,
        *,
        flavour: Flavour = "computed",
        env: Mapping[str, str] | None = None,
        configuration: Path | None = None,
    ) -> None:
        self.folder = folder
        self._command = executable()
        # Providers inherit this: nothing of the caller's own AWS, terraform or proxy settings may get there.
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG", "PYTHONPATH") if name in os.environ}
        self.env = {
            **kept,
            "HOME": str(home),
            "CHECKPOINT_DISABLE": "1",
            "TF_CLI_CONFIG_FILE": str(configuration or install(home)),
            "TF_IN_AUTOMATION": "1",
            "TF_INPUT": "0",
            "STANDIN_FLAVOUR": flavour,
            **(env or {}),
        }
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, text: str, name: str = "main.tf") -> None:
        """Write a file of the configuration."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")

    def command(self, subcommand: str, *arguments: str) -> list[str]:
        """The command line, without colour."""
        colour = [] if subcommand == "providers schema" else ["-no-color"]  # which does not know the flag
        return [self._command, *subcommand.split(), *colour, *arguments]

    def run(self, subcommand: str, *arguments: str) -> Run:
        """Run a subcommand, such as ``plan`` or ``providers schema``, to its end, whatever its exit code."""
        done = subprocess.run(
            self.command(subcommand, *arguments),
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    def applying(self) -> subprocess.Popen[str]:
        """An apply that goes on, in a process group of its own: to be interrupted as from a terminal."""
        return subprocess.Popen(
            self.command("apply", "-auto-approve"),
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def init(self) -> None:
        self.run("init").ok()

    def apply(self, *plan: str) -> None:
        """Apply a saved plan, or what is configured now."""
        self.run("apply", "-auto-approve", *plan).ok()

    def plan(self, *arguments: str, file: str = "plan.tfplan") -> Json:
        """Plan, and return the plan as JSON."""
        self.run("plan", f"-out={file}", *arguments).ok()
        return self.show(file)

    def show(self, *arguments: str) -> Json:
        """The state, or the plan in a file, as JSON."""
        document: Json = json.loads(self.run("show", "-json", *arguments).ok().out)
        return document

    def exit_code_of_plan(self) -> int:
        """0: nothing to do; 2: changes. Raises AssertionError when planning failed."""
        done = self.run("plan", "-detailed-exitcode")
        assert done.code in (0, 2), done.out + done.err
        return done.code


def install(home: Path) -> Path:
    """Put the stand-ins into a mirror below ``home``; return the CLI configuration that uses it."""
    mirror = home / "mirror"
    for source, resource_type in TYPES.items():
        write_launcher(mirror, source, ["-m", "support.standin", resource_type])
    configuration = home / "terraform.rc"
    path = json.dumps(str(mirror))
    configuration.write_text(
        f"disable_checkpoint = true\nprovider_installation {{\n  filesystem_mirror {{\n    path = {path}\n  }}\n}}\n",
        encoding="utf-8",
    )
    return configuration


def write_launcher(mirror: Path, source: str, arguments: list[str]) -> Path:
    """Write the program that terraform will start for a provider: this Python, with these arguments."""
    lines = (
        "#!/bin/sh",
        # The stand-in lives below tests/, which is not installed.
        f'PYTHONPATH={shlex.quote(str(TESTS))}${{PYTHONPATH:+":$PYTHONPATH"}}',
        "export PYTHONPATH",
        f'exec {shlex.join((sys.executable, *arguments))} "$@"',
    )
    return write_plugin(mirror, source, VERSION, "\n".join(lines) + "\n")
