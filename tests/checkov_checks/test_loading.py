"""The checks are found from a clone, a git address and an installation; where they are not, the scan ends."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support import checkov
from support.checkov import FRAMEWORKS, ROOT, VERSIONS, Version
from support.groups import complete

from pcs_policies.rules.fragments import SHA256, UNKNOWN, actions, script

LOCATION = "https://example.com/motd.sh"
GROUPS = {
    "pass": complete(**actions(ready=[script("motd", LOCATION, checksum=SHA256, onError="CONTINUE")])),
    "fail": complete(**actions(ready=[script("motd", LOCATION)])),
    "open": complete(**actions(ready=[script("motd", LOCATION, checksum=UNKNOWN, onError=UNKNOWN)])),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the same groups for each framework."""
    folder = tmp_path / "project"
    for framework in FRAMEWORKS:
        checkov.write(folder / framework, GROUPS, framework)
    return folder


@pytest.mark.parametrize("version", VERSIONS)
def test_the_oldest_and_the_newest_checkov_say_the_same(version: Version, project: Path) -> None:
    said = checkov.scan("-d", ".", cwd=project, version=version)
    assert checkov.differences(said, checkov.pcsguard(project)) == {}
    failed = {name for (_, name), results in said.items() if results["CKV_PCS_101"] == "FAILED"}
    assert failed == {"fail", "open"}


def committed(folder: Path) -> Path:
    """This repository as it is now, in a git repository of its own."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    who = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("version", VERSIONS)
def test_from_a_git_address(version: Version, project: Path, tmp_path: Path) -> None:
    """The whole repository is given to checkov; the clone lies in the folder that is scanned."""
    address = f"file://{committed(tmp_path / 'repository')}"
    done = checkov.run(
        *("-d", ".", "--framework", "terraform", "cloudformation", "--external-checks-git", address, "-c", "CKV_PCS_*"),
        cwd=project,
        checks=None,
        version=version,
    )
    assert "Traceback" not in done.stderr
    assert "[ERROR" not in done.stderr
    assert "Cannot load" not in done.stderr
    expected = {
        key: said
        for key, said in checkov.pcsguard(project).items()
        if key[0].endswith((".tf", "template.yaml", "template.json"))
    }
    assert checkov.differences(checkov.results(done.stdout), expected) == {}
    assert sorted(path.name for path in project.iterdir()) == sorted(FRAMEWORKS)


def test_from_an_installation(project: Path, tmp_path: Path) -> None:
    """A wheel, installed beside checkov without anything else."""
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    beside = checkov.command("checkov").parent
    subprocess.run([beside / "python", "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    packages = tmp_path / "env" / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    shutil.unpack_archive(wheel, packages, "zip")
    (packages / "checkov.pth").write_text(str(next((beside.parent / "lib").glob("python*/site-packages"))))
    python = tmp_path / "env" / "bin" / "python"
    command = "from pcs_policies.cli.main import run; raise SystemExit(run(['checkov-dir']))"
    told = subprocess.run([python, "-c", command], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert told.stdout.strip() == str(packages / "checkov_checks")
    done = subprocess.run(
        [python, beside / "checkov", *OPTIONS, "--external-checks-dir", told.stdout.strip()],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    expected = {
        ("/main.tf", name): said
        for (file, name), said in checkov.pcsguard(project).items()
        if file == "/terraform/main.tf"
    }
    assert checkov.differences(checkov.results(done.stdout), expected) == {}


OPTIONS = ("-f", "terraform/main.tf", "-c", "CKV_PCS_*", "--skip-download", "--compact")

BROKEN = "pcsguard: the checks cannot be loaded, so nothing was checked: "


@pytest.mark.parametrize(("frameworks", "codes"), [(["terraform"], {3}), (["terraform", "terraform_json"], {3, -15})])
def test_without_the_packages_the_scan_ends(
    frameworks: list[str], codes: set[int], project: Path, tmp_path: Path
) -> None:
    """Checkov itself would go on without the checks, and exit 0."""
    alone = tmp_path / "alone" / "checkov_checks"
    shutil.copytree(checkov.CHECKS, alone)
    done = checkov.run("-d", ".", "--framework", *frameworks, cwd=project, checks=alone)
    assert done.returncode in codes
    assert BROKEN + "No module named 'pcs_" in done.stderr


def test_a_wrong_configuration_ends_the_scan(project: Path) -> None:
    (project / "pcsguard.toml").write_text('fail_on = "error"\n')
    done = checkov.run("-d", "terraform", "--framework", "terraform", cwd=project)
    assert done.returncode == 3
    assert f"{BROKEN}pcsguard.toml: fail_on is no key of the configuration" in done.stderr


def test_the_configuration_holds(project: Path) -> None:
    (project / "rules").mkdir()
    shutil.copy(ROOT / "examples" / "own_rules" / "pcs901_https_from_our_mirror.py", project / "rules")
    (project / "pcsguard.toml").write_text(
        'select = ["PCS101", "PCS104", "PCS901"]\nundecided = "ignore"\n'
        'rules = ["rules/pcs901_https_from_our_mirror.py"]\n'
        'severity = { PCS101 = "info" }\n'
    )
    done = checkov.run("-d", "terraform", "--framework", "terraform", "-o", "json", "-c", "CKV_PCS_*", cwd=project)
    assert done.returncode == 1, done.stderr
    found = checkov.records(done)
    assert {record["check_id"] for record in found} == {checkov.INPUT, "CKV_PCS_101", "CKV_PCS_104", "CKV_PCS_901"}
    assert {record["severity"] for record in found if record["check_id"] == "CKV_PCS_101"} == {"LOW"}
    failed = {
        record["resource"].rpartition(".")[2]
        for record in found
        if record["check_id"] == "CKV_PCS_101" and record["check_result"]["result"] == "FAILED"
    }
    assert failed == {"fail"}
