"""Binary plan files, read through ``terraform show -json`` on a pipe, so that nobody has to write secrets to disk."""

from __future__ import annotations

import os
import shutil
import subprocess

from pcs_policies.errors import InputError
from pcs_policies.redaction import mask, printable


def folder_of(path: str) -> str:
    """The folder that a plan was most probably made in: its own where that is initialised, else the working folder."""
    folder = os.path.dirname(os.path.abspath(path))
    return folder if os.path.isdir(os.path.join(folder, ".terraform")) else os.getcwd()


def show(path: str, *, may_execute: bool) -> bytes:
    """The JSON of a binary plan file. Raises :class:`~pcs_policies.errors.InputError`.

    terraform needs the providers of the plan, so it runs in :func:`folder_of` the plan.
    """
    instead = "give the output of `terraform show -json PLANFILE` instead"
    if path == "-":
        raise InputError(f"this is a binary plan file, which cannot be read from standard input; {instead}")
    if not may_execute:
        raise InputError(
            f"this is a binary plan file, which only terraform can read, and --no-exec forbids it; {instead}"
        )
    terraform = shutil.which("terraform") or shutil.which("tofu")
    if terraform is None:
        raise InputError(f"this is a binary plan file, and there is no terraform on PATH to read it with; {instead}")
    done = subprocess.run(
        [terraform, "show", "-json", "-no-color", os.path.abspath(path)],
        cwd=folder_of(path),
        env={**os.environ, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:500]
        raise InputError(
            f"`terraform show -json` cannot read this plan file (exit code {done.returncode}): {printable(mask(said))}"
        )
    return done.stdout
