"""As many checks as ``EMPTY_CHECKS`` says, which look at nothing and pass: what a custom check costs in itself.

With ``EMPTY_CHECKS_SPARE`` they spare checkov what our checks do (pcs_policies/adapters/checkov/process.py).
"""

import os
import sys
from pathlib import Path
from typing import Any

from checkov.cloudformation.checks.resource.registry import cfn_registry
from checkov.common.models.enums import CheckCategories, CheckResult
from checkov.terraform.checks.resource.base_resource_check import BaseResourceCheck


class Empty(BaseResourceCheck):
    """Passes."""

    def __init__(self, number: int) -> None:
        super().__init__(
            name=f"Nothing {number}",
            id=f"CKV_BENCH_{number}",
            categories=[CheckCategories.GENERAL_SECURITY],
            supported_resources=["awscc_pcs_compute_node_group", "AWS::PCS::ComputeNodeGroup"],
        )
        cfn_registry.register(self)

    def scan_entity_conf(self, _conf: dict[str, Any], _entity_type: str) -> CheckResult:
        return CheckResult.PASSED

    def scan_resource_conf(self, _conf: dict[str, Any]) -> CheckResult:
        raise NotImplementedError


if os.environ.get("EMPTY_CHECKS_SPARE"):
    top = Path(__file__).resolve().parents[3]
    sys.path[:0] = [str(top / "policies"), str(top / "contract")]
    from pcs_policies.adapters.checkov import process

    process.spare()

for number in range(int(os.environ["EMPTY_CHECKS"])):
    Empty(number)
