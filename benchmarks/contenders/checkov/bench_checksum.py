"""One custom check, as a team would write it: every script has a checksum."""

from typing import Any

from checkov.common.models.enums import CheckCategories, CheckResult
from checkov.terraform.checks.resource.base_resource_check import BaseResourceCheck


class Checksum(BaseResourceCheck):
    """Passes when each script of both stages has a checksum."""

    def __init__(self) -> None:
        super().__init__(
            name="Scripts have a checksum",
            id="CKV_BENCH_1",
            categories=[CheckCategories.GENERAL_SECURITY],
            supported_resources=["awscc_pcs_compute_node_group"],
        )

    def scan_resource_conf(self, conf: dict[str, Any]) -> CheckResult:
        stages = _first(_first(conf.get("node_lifecycle_actions")).get("stages"))
        for stage in ("node_bootstrapped", "node_ready"):
            for script in stages.get(stage) or []:
                # A null comes as [None].
                if isinstance(script, dict) and _first(script.get("script_source")).get("checksum") in (None, [None]):
                    return CheckResult.FAILED
        return CheckResult.PASSED


def _first(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        value = value[0] if value else {}
    return value if isinstance(value, dict) else {}


check = Checksum()
