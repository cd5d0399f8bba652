"""Coverage-guided fuzzing of the whole check: ``make fuzz`` runs it for a while, a crash is a defect.

The target reads any bytes as a file that somebody hands to ``pcsguard check``, in one piece and in parts. It holds
pcsguard to what it promises: documents or a reason, the same either way, no exception, no rule that stumbles,
nothing unprintable in the text report.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from typing import Any

import atheris

with atheris.instrument_imports(include=["pcs_contract", "pcs_policies"]):
    from pcs_policies.document import NodeGroup
    from pcs_policies.engine import check_group, exit_code
    from pcs_policies.errors import InputError
    from pcs_policies.findings import Finding, Result
    from pcs_policies.reports import json as json_report
    from pcs_policies.reports import text as text_report
    from pcs_policies.rules.table import RULES
    from pcs_policies.settings import Settings

    # Those that a run imports when it comes to need them.
    from pcs_policies.sources import api_json, cloudformation, large, tf_json  # noqa: F401
    from pcs_policies.sources.detect import open_document


SETTINGS = Settings()
COUNTS = Counter[str]()


def outcome(data: bytes, large: int) -> tuple[str, list[Any]]:
    said: list[Any] = []
    try:
        for group in open_document(data, "input", large=large).groups:
            if isinstance(group, NodeGroup):
                said += check_group(group, RULES, SETTINGS, "input")
            else:
                said.append(group)
    except InputError as error:
        return str(error), said
    return "", said


def target(data: bytes) -> None:
    error, said = outcome(data, sys.maxsize)
    other, parts = outcome(data, 0)
    if "ambiguous" not in error:  # which in parts is told only of what can change a verdict
        assert bool(error) == bool(other), f"in one piece: {error!r}; in parts: {other!r}"
        assert error or said == parts, "the same document gives other verdicts in parts"
    findings = tuple(entry for entry in said if isinstance(entry, Finding))
    result = Result((), findings, (), (), (), COUNTS, exit_code((f.severity for f in findings), (), False, SETTINGS))
    shown, machine = io.StringIO(), io.StringIO()
    text_report.write(result, SETTINGS, shown)
    json_report.write(result, SETTINGS, machine)
    assert all(line.isprintable() for line in shown.getvalue().split("\n")), "unprintable text"


def main() -> None:
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
