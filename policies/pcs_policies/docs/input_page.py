"""The page about inputs: each kind, what it tells, and how it is read."""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.docs import markdown
from pcs_policies.docs.rule_page import NEEDS
from pcs_policies.sources.kinds import CLOUDFORMATION_TYPE, KINDS, TERRAFORM_TYPES, Kind

INTRODUCTION = f"""\
`pcsguard check` takes any number of files and folders, and `-` for standard input. What a file is, is told from its
content, never from its name; `--kind` forces it. A folder is walked: plans, states, cdktf stacks, folders of `.tf`
files and templates in it are checked, and what is none of these is passed over. `.terraform`, `.git`, `node_modules`
and `.venv` are left out.

A node group is a `{TERRAFORM_TYPES[0]}`, a `{TERRAFORM_TYPES[1]}`
or an `{CLOUDFORMATION_TYPE}`. Everything else in an input is left alone. Text is UTF-8, or UTF-16 as
PowerShell writes it. Nothing is sent anywhere. Other code is run for two things only: terraform, to show a binary plan,
and rules of your own, which are Python; `--no-exec` refuses both.
"""

JOIN = """\
## A plan and its source

A plan does not tell a member that was left out from one that a reference gives: both are "known after apply". With the
source that it was made from, pcsguard knows which of the two it is, and findings carry the file and line that a person
opens:

```sh
pcsguard check plan.json --source .          # a folder of .tf files
pcsguard check plan.json --source cdktf.out  # what cdktf synth wrote
```

Beside a binary plan, and in the folder of a cdktf stack, the source is found without the flag.

## Variables and parameters

Source is evaluated as far as its values are in it. `--var NAME=VALUE` and `--var-file FILE` give terraform's variables
as `terraform plan` takes them, and the files that terraform loads by itself are read; `--parameter NAME=VALUE` gives a
parameter of a CloudFormation template. What is not known stays unknown, and is never guessed.
"""


def page() -> str:
    return markdown.document(_parts())


def _parts() -> Iterator[str]:
    yield markdown.generated("policies/pcs_policies/sources/kinds.py and docs/input_page.py beside it")
    yield "# Inputs\n"
    yield INTRODUCTION
    yield markdown.table(
        ("kind", "what it is", "made by", "of a reference it tells"),
        ((f"`{kind.id}`", kind.title, kind.made_by, kind.references.value) for kind in KINDS),
    )
    yield "## What each kind can be judged by\n"
    yield markdown.paragraph(
        "A rule may need to know more than values: it then judges the kinds that tell, and leaves the others alone. "
        "[The list of rules](../rules/index.md) says which rule needs what."
    )
    needs = sorted({need for kind in KINDS for need in kind.carries})
    yield markdown.table(("kind", *(f"`{need}`" for need in needs)), (_carried(kind, needs) for kind in KINDS))
    yield "\n".join(f"- `{need}`: a rule that {NEEDS[need]}" for need in needs) + "\n"
    yield JOIN
    yield "CloudFormation has a linter of AWS's own: [cfn-lint and pcsguard](cfn-lint.md) compares the two.\n"


def _carried(kind: Kind, needs: list[str]) -> tuple[str, ...]:
    return f"`{kind.id}`", *("yes" if need in kind.carries else "" for need in needs)
