"""A new user's first stack: an empty folder, and what the README says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import cdk_app
from support.cdk_app import TOOLKITS, Toolkit
from support.pcsguard_cli import check_json

ROOT = Path(__file__).resolve().parents[2]


def block(language: str, text: str) -> str:
    """The one block of code in that language in a section."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(found)


def section(page: str, title: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.split(r"^## ", text.partition(f"\n## {title}\n")[2], flags=re.MULTILINE)[0]


CDKTF = section("README.md", "Use it with cdktf")
PROGRAM = block("python", CDKTF)
SAID = block("text", CDKTF)


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_the_first_stack(toolkit: Toolkit, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    out = tmp_path / "cdktf.out"
    main.write_text(PROGRAM.replace("from cdktf", f"from {toolkit}"), encoding="utf-8")
    refused = cdk_app.run(main, out=out)
    assert refused.code == 1
    assert refused.stderr.endswith(SAID)
    assert not list(out.rglob("*.tf.json"))

    (wrong,) = re.findall(r"main\.py:(\d+):", SAID)
    lines = main.read_text(encoding="utf-8").split("\n")
    del lines[int(wrong) - 1]
    main.write_text("\n".join(lines), encoding="utf-8")
    (group,) = cdk_app.run(main, out=out).ok().stack()["resource"]["awscc_pcs_compute_node_group"].values()
    assert group["node_lifecycle_actions"]["stages"]["node_ready"][0]["on_error"] == "CONTINUE"

    checked = check_json("cdktf.out", cwd=tmp_path)
    assert checked.code == 0, checked.out
    assert checked.places() == {
        "awscc_pcs_compute_node_group.compute": [
            "PCS104 nodeLifecycleActions.stages.nodeReady[0].scriptSource.s3VersionId"
        ]
    }
    (finding,) = checked.report["findings"]
    origin = finding["origin"]
    assert (origin["file"], origin["line"], origin["construct"]) == ("main.py", 9, "hpc/compute")


def test_the_stack_of_the_page_about_constructs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "constructs.md").read_text(encoding="utf-8")
    program, aspect, waiver = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    head, synth = program.rsplit("app.synth()", 1)
    main = tmp_path / "main.py"
    main.write_text(f"{head}\n{aspect}\n{waiver}\napp.synth(){synth}", encoding="utf-8")
    ran = cdk_app.run(main, out=tmp_path / "cdktf.out").ok()
    (group,) = ran.stack()["resource"]["awscc_pcs_compute_node_group"].values()
    assert [entry["rule"] for entry in group["//"]["pcsguard"]["waivers"]] == ["PCS104"]
    assert check_json("cdktf.out", cwd=tmp_path).code == 0
