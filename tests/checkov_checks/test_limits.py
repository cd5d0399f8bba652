"""The table of differences is what it says it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import checkov
from support.checkov import VERSIONS, Version
from support.checkov_limits import LIMITS, SCRIPT, Limit, source, table

from pcs_policies.document import NodeGroup
from pcs_policies.settings import Settings


def test_each_difference_is_real_and_whole(tmp_path: Path) -> None:
    for index, limit in enumerate(LIMITS):
        folder = tmp_path / f"limit{index}"
        folder.mkdir()
        (folder / "main.tf").write_text(source(limit), encoding="utf-8")
    said = checkov.scan("-d", ".", "--framework", "terraform", cwd=tmp_path)
    found = checkov.differences(said, checkov.pcsguard(tmp_path))
    assert found == {(f"/limit{index}/main.tf", "hpc"): limit.checks for index, limit in enumerate(LIMITS)}


def test_the_documentation_has_the_table() -> None:
    assert table() in (checkov.ROOT / "docs" / "checkov.md").read_text(encoding="utf-8")


SENSITIVE = """
variable "word" {
  default   = "hello"
  sensitive = true
}
variable "open" {
  default   = "hello"
  sensitive = false
}
variable "given" {
  default = "hello"
}
locals {
  direct   = var.word
  indirect = "x-${local.direct}"
  in_a_map = { word = var.word }
  plain    = var.open
}
"""

ARGUMENTS = {
    "var.word": "FAILED",
    '"--word=${var.word}"': "FAILED",
    "local.direct": "FAILED",
    "local.indirect": "FAILED",
    "local.in_a_map.word": "FAILED",
    'sensitive("hello")': "FAILED",
    "var.given": "FAILED",  # by the module that is called with something sensitive
    "var.open": "PASSED",
    "local.plain": "PASSED",
    '"var.word"': "PASSED",
}
"""An argument of a script -> whether it is found to be sensitive, as it is shown in the logs and the console of AWS."""


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_sensitive_is_found_by_whatever_way_it_comes(version: Version, tmp_path: Path) -> None:
    calls = [
        f'module "{name}" {{\n  source = "./inner"\n  given  = {value}\n}}\n'
        for name, value in (("secret", "local.indirect"), ("plain", "local.plain"))
    ]
    (tmp_path / "main.tf").write_text(SENSITIVE + "".join(calls), encoding="utf-8")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "variables.tf").write_text(SENSITIVE, encoding="utf-8")
    for index, argument in enumerate(ARGUMENTS):
        ready = "[" + SCRIPT % f"\n          arguments        = [{argument}]" + "]"
        text = source(Limit("", "", ready, "", {})).replace('"hpc"', f'"g{index}"', 1)
        (tmp_path / "inner" / f"g{index}.tf").write_text(text, encoding="utf-8")
    said = checkov.scan("-d", ".", "--framework", "terraform", cwd=tmp_path, version=version)
    found = {name: results["CKV_PCS_108"] for (_, name), results in said.items()}
    expected = {f"module.secret.g{index}": word for index, word in enumerate(ARGUMENTS.values())}
    open_ = {**ARGUMENTS, "var.given": "PASSED"}
    expected |= {f"module.plain.g{index}": word for index, word in enumerate(open_.values())}
    assert found == expected
    reading = checkov.reading_of(tmp_path / "main.tf")
    own = {
        checkov.name_of(group.address): checkov.results_of(group, reading, Settings())["CKV_PCS_108"]
        for group in reading.groups
        if isinstance(group, NodeGroup)
    }
    assert found == own
