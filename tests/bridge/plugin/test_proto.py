"""The generated messages: up to date with their source, and loadable with every protobuf that is allowed."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "bridge" / "pcs_bridge" / "plugin"


def test_the_oldest_protobuf_allowed_is_not_older_than_the_generator() -> None:
    generated = (PLUGIN / "tfplugin6_pb2.py").read_text(encoding="utf-8")
    version = re.search(r"^# Protobuf Python Version: ([\d.]+)$", generated, re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    bound = re.search(r"protobuf>=([\d.]+),", " ".join(extras["provider"]))
    assert version
    assert bound
    assert _numbers(version[1]) <= _numbers(bound[1])


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def test_messages_are_what_make_proto_generates(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed: make setup")
    source = PLUGIN.relative_to(ROOT / "bridge") / "tfplugin6.proto"
    command = ["-m", "grpc_tools.protoc", "--proto_path=.", f"--python_out={tmp_path}", f"--pyi_out={tmp_path}"]
    subprocess.run([sys.executable, *command, str(source)], cwd=ROOT / "bridge", check=True)
    for name in ("tfplugin6_pb2.py", "tfplugin6_pb2.pyi"):
        made = (tmp_path / source).with_name(name).read_text(encoding="utf-8")
        assert made == (PLUGIN / name).read_text(encoding="utf-8"), "run `make proto`"
