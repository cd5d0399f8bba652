"""`pcsguard provider install`, and the launcher that it writes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support import terraform
from support.pcsguard_cli import pcsguard
from support.terraform import Terraform

from pcs_bridge.plugin import handshake
from pcs_bridge.provider import install
from pcs_policies import __version__

CONFIGURATION = """
terraform {
  required_providers {
    pcs = {
      source = "pcsguard/pcs"
    }
  }
}
"""


def launcher(folder: Path, host: str = "registry.terraform.io") -> Path:
    name = f"terraform-provider-pcs_v{__version__}"
    return folder / host / "pcsguard" / "pcs" / __version__ / install.platform() / name


def test_into_the_folder_that_terraform_looks_into(tmp_path: Path) -> None:
    terraform.require()
    done = pcsguard("provider", "install", cwd=tmp_path, HOME=str(tmp_path))
    assert done.code == 0, done.err
    assert f'source  = "pcsguard/pcs"\n      version = "{__version__}"' in done.out
    written = [launcher(tmp_path / ".terraform.d/plugins", host) for host in install.HOSTS]
    assert done.err.splitlines() == [f"wrote {path}" for path in written]
    configuration = tmp_path / "empty.rc"
    configuration.write_text("disable_checkpoint = true\n")
    run = Terraform(tmp_path / "work", tmp_path, configuration=configuration)
    run.write(CONFIGURATION)
    run.init()
    lock = (run.folder / ".terraform.lock.hcl").read_text()
    run.run("validate").ok()

    # Once more, with another Python: what is locked stays the same.
    python = written[0].parent.parent / "python"
    python.write_text("/another/python\n")
    assert pcsguard("provider", "install", cwd=tmp_path, HOME=str(tmp_path)).code == 0
    run.init()
    assert (run.folder / ".terraform.lock.hcl").read_text() == lock
    assert python.read_text() != "/another/python\n"


def test_into_a_mirror_with_the_configuration_for_it(tmp_path: Path) -> None:
    terraform.require()
    mirror = tmp_path / "a ${mirrör}"
    done = pcsguard("provider", "install", "--mirror", "a ${mirrör}", cwd=tmp_path)
    assert done.code == 0, done.err
    configuration = tmp_path / "terraform.rc"
    configuration.write_text(done.out)
    assert f'path    = "{mirror}"' in done.out
    run = Terraform(tmp_path / "work", tmp_path, configuration=configuration)
    run.write(CONFIGURATION)
    run.init()
    assert [path.name for path in launcher(mirror).parent.iterdir()] == [launcher(mirror).name]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = pcsguard("provider", "install", "--mirror", "file/mirror", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith("pcsguard: the provider cannot be written to ")
    assert "Not a directory" in done.err
    assert pcsguard("provider", cwd=tmp_path).code == 2


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return install.write(tmp_path / "plugins")[0]


def started(program: Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program], cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=60
    )


def test_the_launcher_works_from_any_folder_and_by_a_link(program: Path, tmp_path: Path) -> None:
    """Also from one whose files are called like modules of the provider."""
    for name in ("grpc.py", "json.py", "pcs_bridge.py", "boto3.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')\n")
    link = tmp_path / "linked"
    link.symlink_to(program.parent)
    for path in (program, link / program.name):
        done = started(path, tmp_path, **{handshake.COOKIE_NAME: ""})
        assert (done.returncode, done.stderr.splitlines()[0]) == (1, FIRST_LINE)


FIRST_LINE = "This program is a Terraform provider: terraform starts it, and it does nothing by itself."


@pytest.mark.parametrize("left", ["/gone/python", None])
def test_a_python_that_is_gone_is_told(program: Path, tmp_path: Path, left: str | None) -> None:
    python = program.parent.parent / "python"
    python.unlink()
    if left:
        python.write_text(f"{left}\n")
    done = started(program, tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"The Python of this provider is gone ({left or 'unknown'}): run 'pcsguard provider install' again.\n"
    )
    shutil.rmtree(tmp_path / "plugins")
