"""Which toolkit is used, and that nothing of it is left behind."""

from __future__ import annotations

import importlib.util
import os
import sys
import uuid
from pathlib import Path
from types import ModuleType

import pytest
from support import cdk_app, processes

from pcs_stacks import cdk


@pytest.mark.parametrize(
    ("variable", "imported", "installed", "chosen"),
    [
        ("", (), ("cdktf", "cdktn"), "cdktf"),
        ("", (), ("cdktn",), "cdktn"),
        ("", ("cdktn",), ("cdktf", "cdktn"), "cdktn"),
        ("", ("cdktf", "cdktn"), ("cdktf", "cdktn"), "cdktf"),
        ("cdktn", ("cdktf",), ("cdktf", "cdktn"), "cdktn"),
        ("cdktn", (), ("cdktf",), "the constructs need cdktn, which is not installed: pip install 'pcsguard[cdktn]'"),
        ("", (), (), "the constructs need cdktf or cdktn, which is not installed: pip install 'pcsguard[cdktf]'"),
        ("cdk", (), ("cdktf",), "PCSGUARD_CDK is 'cdk'; set it to cdktf or cdktn, or leave it out"),
    ],
)
def test_which_one(
    variable: str,
    imported: tuple[str, ...],
    installed: tuple[str, ...],
    chosen: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PCSGUARD_CDK", variable)
    for name in cdk.TOOLKITS:
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in imported:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name if name in installed else None)
    if chosen in cdk.TOOLKITS:
        assert cdk.chosen() == chosen
    else:
        with pytest.raises(ImportError) as error:
            cdk.chosen()
        assert str(error.value) == chosen


@pytest.mark.parametrize(
    ("before", "path", "said"),
    [
        (
            "sys.modules.update(dict.fromkeys(['cdktf', 'cdktn', 'constructs', 'jsii']))",
            None,
            "ImportError: the constructs need cdktf or cdktn, which is not installed: pip install 'pcsguard[cdktf]'",
        ),
        ("", "", "ImportError: the constructs need Node 20 or newer, and there is no node on PATH"),
    ],
    ids=["no toolkit", "no node"],
)
def test_what_is_missing_is_said(before: str, path: str | None, said: str, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    main.write_text(f"import sys\n{before}\nimport pcs_stacks\n", encoding="utf-8")
    ran = cdk_app.run(main, out=tmp_path, PATH=os.environ["PATH"] if path is None else path)
    assert (ran.code, ran.stderr.rstrip("\n").rpartition("\n")[2]) == (1, said)


PROGRAM = """\
import os, signal, sys
from pcs_stacks.cdk import NAME, App
App(outdir=os.environ["CDKTF_OUTDIR"]).synth()
print(NAME)
if sys.argv[1] == "killed":
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)
raise SystemExit({"ends": 0, "fails": 3}[sys.argv[1]])
"""


@pytest.mark.parametrize(("way", "code"), [("ends", 0), ("fails", 3), ("killed", -9)])
def test_no_process_of_node_is_left(way: str, code: int, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    main.write_text(PROGRAM, encoding="utf-8")
    mark = uuid.uuid4().hex
    ran = cdk_app.run(main, way, out=tmp_path / "out", toolkit="cdktn", MARK=mark)
    assert (ran.code, ran.stdout) == (code, "cdktn\n")
    assert processes.eventually(lambda: not processes.with_variable("MARK", mark))
