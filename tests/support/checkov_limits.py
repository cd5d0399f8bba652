"""Where checkov and pcsguard do not say the same of the same file, and why: all of it, and all of it checkov's limits.

docs/checkov.md shows this table; tests run both on every entry.
"""

from __future__ import annotations

import re
from typing import NamedTuple

SCRIPT = """{
          name             = "motd"
          on_error         = "CONTINUE"
          execution_policy = "FIRST_BOOT_ONLY"%s
          script_source = {
            script_location = "https://example.com/motd.sh"
            checksum        = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
          }
        }"""


class Limit(NamedTuple):
    """A difference. ``ready`` is the expression for the scripts of nodeReady, ``more`` what else is in the file.

    ``checks`` are all on which the two differ: check -> (checkov's result, pcsguard's).
    """

    title: str
    reason: str
    ready: str
    more: str
    checks: dict[str, tuple[str, str]]


FAILS = ("FAILED", "PASSED")
"""checkov fails what pcsguard passes, as the check says that it cannot decide."""

LIMITS: tuple[Limit, ...] = (
    Limit(
        "a function, a condition or a `for` expression",
        "checkov evaluates some of them wrongly (a `for` expression comes to an empty list), so none is believed",
        f'[for name in ["motd"] : {SCRIPT % ""}]',
        "",
        dict.fromkeys(
            (
                "CKV_PCS_101 CKV_PCS_102 CKV_PCS_103 CKV_PCS_104 CKV_PCS_105 CKV_PCS_107 CKV_PCS_108 CKV_PCS_110 "
                "CKV_PCS_201 CKV_PCS_202 CKV_PCS_207 CKV_PCS_208 CKV_PCS_209 CKV_PCS_305 CKV_PCS_308 CKV_PCS_309"
            ).split(),
            FAILS,
        ),
    ),
    Limit(
        "a list of strings from a variable or local",
        "checkov puts it into alphabetical order, and the order of arguments matters",
        "[" + SCRIPT % "\n          arguments        = local.arguments" + "]",
        'locals {\n  arguments = ["--text", "hello"]\n}\n',
        dict.fromkeys(["CKV_PCS_108"], FAILS),
    ),
    Limit(
        "an empty value from a variable or local",
        "checkov shows a variable without a value as empty too",
        "[" + SCRIPT % "\n          arguments        = var.arguments" + "]",
        'variable "arguments" {\n  default = []\n}\n',
        dict.fromkeys(["CKV_PCS_108"], FAILS),
    ),
    Limit(
        "a variable without a default",
        "checkov shows one that is null in the same way",
        "[" + re.sub('"9f86[0-9a-f]+"', "var.checksum", SCRIPT) % "" + "]",
        'variable "checksum" {\n  type = string\n}\n',
        dict.fromkeys(["CKV_PCS_101"], FAILS),
    ),
)


def source(limit: Limit) -> str:
    """The file of an entry."""
    return f"""{limit.more}
resource "awscc_pcs_compute_node_group" "hpc" {{
  name                     = "compute"
  cluster_id               = "pcs_example123"
  subnet_ids               = ["subnet-0123456789abcdef0"]
  iam_instance_profile_arn = "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc"
  instance_configs         = [{{ instance_type = "c7i.large" }}]
  custom_launch_template   = {{ template_id = "lt-0123456789abcdef0", version = "1" }}
  scaling_configuration    = {{ min_instance_count = 0, max_instance_count = 4 }}
  node_lifecycle_actions = {{
    stages = {{
      node_ready = {limit.ready}
    }}
  }}
}}
"""


def table() -> str:
    """The table of docs/checkov.md."""
    rows = []
    for limit in LIMITS:
        said = {
            " and ".join(f"{who} {word.lower()}" for who, word in zip(("checkov", "pcsguard"), pair, strict=True))
            for pair in limit.checks.values()
        }
        rows.append(f"| {limit.title} | {limit.reason} | {', '.join(sorted(said))} |")
    return "\n".join(["| in Terraform's own syntax | why | what differs |", "|---|---|---|", *rows])
