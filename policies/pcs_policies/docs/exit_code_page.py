"""The page about exit codes."""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.docs import markdown
from pcs_policies.errors import EXIT_CODES

AFTER = """\
The highest of 2, 3, 1, 0 wins where several are due. **"Could not check" is never 0**: a plan that cannot be read, that
terraform marks as errored or incomplete, or that leaves an error undecided, is no plan without errors. Signals end a
run with 130 (Ctrl-C), 143 (SIGTERM) and 141 (a reader that went away).

A valid input without any node group is 0, and the report says so: count the groups, if there must be some.

## What moves them

| to have | give |
|---|---|
| warnings fail the run as well | `--fail-on warning`, or `preset = "strict"` |
| findings shown, and no finding fail the run | `--fail-on never`; what could not be read is still 3 |
| undecided rules pass | `--undecided ignore`; better give the [source](inputs/index.md#a-plan-and-its-source) |
| a finding that you live with pass | a [waiver](waivers.md) |
| what is there today pass, and what comes fail | a [baseline](waivers.md#baseline) |

## In a script

```sh
code=0
pcsguard check plan.json --source . || code=$?
case "$code" in
  0) echo "apply it" ;;
  1) echo "mend it, or waive it" ;;
  *) echo "nothing was decided: $code" ;;
esac
```

`pcsguard waive`, `baseline`, `show`, `rules`, `explain` and `init` use the same codes, without 1.
"""


def page() -> str:
    return markdown.document(_parts())


def _parts() -> Iterator[str]:
    yield markdown.generated("policies/pcs_policies/errors.py and docs/exit_code_page.py beside it")
    yield "# Exit codes\n"
    yield markdown.table(("code", "meaning"), ((str(code), meaning) for code, meaning in EXIT_CODES))
    yield AFTER
