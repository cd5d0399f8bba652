"""`python -m pcs_stacks.docs`: writes docs/constructs.md and the schema of the lock file again, from the code."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pcs_contract import aws_scripts
from pcs_contract.shapes import Shape, shape
from pcs_contract.spelling import snake
from pcs_policies.docs import markdown
from pcs_policies.rules.table import RULES
from pcs_stacks import lock, policy, providers, scripts
from pcs_stacks.cluster import Cluster, JobSubmitPlugin
from pcs_stacks.compute_node_group import ComputeNodeGroup, LaunchTemplate
from pcs_stacks.queue import Queue
from pcs_stacks.resource import PcsResource
from pcs_stacks.scripts import LifecycleScript, NodeLifecycle

ROOT: Final = Path(__file__).resolve().parents[2]

INTRODUCTION = """\
The package `pcs_stacks` has constructs for [cdktf](https://developer.hashicorp.com/terraform/cdktf) 0.21 and its
successor cdktn 0.24, in Python. They write `awscc_pcs_*` resources, or those of the provider `pcs`; and they refuse
what would be a mistake, with the path of the construct and the line of your program.

```python
from cdktf import App, TerraformStack

from pcs_stacks import AwsccProvider, Cluster, ComputeNodeGroup, LaunchTemplate, LifecycleScript, NodeLifecycle, Queue

app = App()
stack = TerraformStack(app, "hpc")
AwsccProvider(stack, "awscc", region="us-east-1")

subnets = ["subnet-0123456789abcdef0"]
cluster = Cluster(stack, "cluster", name="hpc", size="SMALL", slurm_version="25.05", subnet_ids=subnets)
home = LifecycleScript.aws(
    "mount-efs",
    "1.0.0",
    "us-east-1",
    checksum="5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
    file_system_id="fs-0123456789abcdef0",
    mount_point="/home",
)
compute = ComputeNodeGroup(
    stack,
    "compute",
    name="compute",
    cluster=cluster,
    subnet_ids=subnets,
    iam_instance_profile_arn="arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc",
    instance_types=["c7i.48xlarge"],
    min_instance_count=0,
    max_instance_count=16,
    launch_template=LaunchTemplate(id="lt-0123456789abcdef0", version="1"),
    node_lifecycle=NodeLifecycle(bootstrapped=[home]),
)
Queue(stack, "queue", name="batch", cluster=cluster, compute_node_groups=[compute])
app.synth()
```

Install with `pip install 'pcsguard[cdktf]'` or `'pcsguard[cdktn]'`; both need Node 20 or newer. Where both are
installed, the one that the program has imported is used, else cdktf; `PCSGUARD_CDK=cdktn` decides it. An app that
takes `App`, `TerraformStack` and the like from `pcs_stacks.cdk` runs on either. jsii prints a banner on a Node that is
past its end of life; a newer Node, or `JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION=20`, silences it.

Any value may be a token: an attribute of another resource, a variable, a `${...}`. Nothing is decided by what is in
one; what only apply reveals is checked in the plan. As everywhere in cdktf, `$${` in a text stands for `${`.

## What is refused, what is found

When a construct is made, it raises `ConstructError` for what it can never mean: what the provider lacks, what PCS
refuses, what nodes cannot run, and what would run unverified. `on_error`, `execution_policy`, `script_caching_policy`
and the checksum are always written out, so that no default and no neighbour decides them. These are the rules:

{never}
When the app is synthesized, all other rules run on each group, with the configuration, the waivers and the baseline
that `pcsguard check` uses in that folder ([configuration.md](configuration.md)). What fails a check fails the
synthesis; the rest becomes annotations, which the cdktf command prints. What is undecided, and what compares groups
with each other (PCS109), is left to the check of the output and of the plan.

`PolicyAspect` does the same for node groups that other code makes, raw `TerraformResource`s and generated bindings:

```python
from pcs_stacks import PolicyAspect

PolicyAspect(app)  # right before app.synth(), when all stacks are there
```

Each resource notes under `//` of its JSON which file and line made it, and where its attributes and scripts were
written. `pcsguard check` reads that, from `cdktf.out` and from a plan that is joined with it, so that a finding names
the line to change. Files are named relative to the folder of `cdktf.json`.

`add_override` still changes anything; then all rules run on what comes of it.

## Waivers

```python
from pcs_stacks import waive

waive(compute, "PCS104", owner="hpc-platform", until="2027-01-31", reason="the bucket is versioned next month")
```

{waive}
[waivers.md](waivers.md) tells what a waiver covers. What a construct refuses when it is made cannot be waived.
"""

SCRIPTS = """\
## Scripts

A `LifecycleScript` is a value: groups share it. All but the first argument are keyword arguments, and each way to make
one takes these as well:

{behaviour}
"""

LOCK = f"""\
## The lock file

`{lock.FILE}` holds what a pipeline published, so that the app need not know it:

```json
{{
  "version": 1,
  "scripts": {{
    "mount-home": {{
      "script_location": "s3://example-scripts/mount-home.sh",
      "s3_version_id": "3sL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY",
      "checksum": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    }}
  }}
}}
```

`s3_version_id` may be left out. [pcs-scripts.lock.schema.json](pcs-scripts.lock.schema.json) is its JSON Schema.
"""


def pages() -> dict[str, str]:
    """Path, relative to the repository -> text."""
    return {
        "docs/constructs.md": markdown.document(_parts()),
        "docs/pcs-scripts.lock.schema.json": json.dumps(lock.json_schema_of_file(), indent=2) + "\n",
    }


def _parts() -> Iterator[str]:
    yield markdown.generated("stacks/pcs_stacks/docs.py and the docstrings of the constructs")
    yield "# Constructs\n"
    never = ", ".join(f"[{rule.id}](rules/{rule.id}.md)" for rule in RULES if rule.id in policy.NEVER)
    text = INTRODUCTION.replace("{never}", markdown.paragraph(never))
    yield text.replace("{waive}", markdown.paragraph(_list(policy.waive)))
    yield "## Resources\n"
    for kind in (Cluster, ComputeNodeGroup, Queue):
        yield from _resource(kind)
    for value in (LaunchTemplate, JobSubmitPlugin, NodeLifecycle):
        yield from _value(value)
    yield SCRIPTS.replace("{behaviour}\n", markdown.paragraph(_list(scripts.Behaviour)))
    for way in ("from_file", "s3", "https", "from_lock", "aws"):
        yield from _way(way)
    yield from _flags()
    yield LOCK
    yield "## Provider blocks\n"
    for block in (providers.AwsccProvider, providers.PcsProvider):
        yield from _value(block)


def _resource(kind: type[PcsResource]) -> Iterator[str]:
    lead, props = described(kind)
    yield f"### {kind.__name__}\n"
    yield markdown.paragraph(f"{lead} `awscc_{kind.TYPE}` or `{kind.TYPE}`.")
    root = shape(kind.REQUEST)
    rows = []
    for name, parameter in _keywords(kind.__init__).items():
        path = kind.PROPS.get(name, "")
        limits = _limits(root, path, kind.MEMBERS) if path else ""
        rows.append((_named(name, parameter), _type(parameter), props[name], f"`{path}`" if path else "", limits))
    yield markdown.table(("property", "type", "what it is", "attribute", "PCS takes"), rows)
    yield "A property in bold has to be given.\n"


def _value(kind: type) -> Iterator[str]:
    lead, props = described(kind)
    yield f"### {kind.__name__}\n"
    yield markdown.paragraph(lead)
    yield markdown.paragraph("\n".join(f"- `{name}`: {text}" for name, text in props.items()))


def _way(name: str) -> Iterator[str]:
    lead, props = described(getattr(LifecycleScript, name))
    yield f"### LifecycleScript.{name}\n"
    yield markdown.paragraph(lead)
    yield markdown.paragraph("\n".join(f"- `{name}`: {text}" for name, text in props.items()))


def _flags() -> Iterator[str]:
    rows = [
        (f"`{spec.name}`", f"`{_word(flag.name)}`", flag.value.replace("-", " "), _default(flag))
        for spec in aws_scripts.SCRIPTS.values()
        for flag in spec.flags
    ]
    yield markdown.table(("script", "flag", "value", "default"), rows)


def _default(flag: aws_scripts.Flag) -> str:
    if flag.required:
        return "has to be given"
    return f"`{flag.default}`" if flag.default is not None else ""


def _word(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def described(thing: type | Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """What a docstring says: its first paragraph, and of each name that it lists."""
    lead, _, rest = (inspect.getdoc(thing) or "").partition("\n\n")
    said: dict[str, str] = {}
    for item in re.findall(r"^- (.*(?:\n  .*)*)", rest, re.MULTILINE):
        names, _, text = " ".join(item.split()).partition(": ")
        for name in names.split(", "):
            said[name.strip("`")] = text
    return " ".join(lead.split()), said


def _list(thing: type | Callable[..., Any]) -> str:
    return "\n".join(f"- `{name}`: {text}" for name, text in described(thing)[1].items())


def _keywords(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    parameters = inspect.signature(function).parameters
    return {name: entry for name, entry in parameters.items() if entry.kind is inspect.Parameter.KEYWORD_ONLY}


def _named(name: str, parameter: inspect.Parameter) -> str:
    return f"**`{name}`**" if parameter.default is inspect.Parameter.empty else f"`{name}`"


def _type(parameter: inspect.Parameter) -> str:
    text = str(parameter.annotation).removesuffix(" | None")
    return f"`{text}`"


def _limits(root: Shape, path: str, irregular: Mapping[str, str]) -> str:
    """What the contract says of the values of an attribute, in words."""
    here = root
    for step in path.split("."):
        members = {snake(name): name for name in here.members}
        here = here.members[irregular.get(step, members.get(step, step))]
        irregular = {}
    if here.enum:
        return ", ".join(f"`{value}`" for value in here.enum)
    unit = {"string": "characters", "list": "entries", "map": "entries"}.get(here.type, "")
    if here.min is None and here.max is None:
        return ""
    bounds = f"{here.min} to {here.max}" if here.max is not None else f"{here.min} or more"
    return f"{bounds} {unit}".strip()


def main() -> int:
    if not (ROOT / "pyproject.toml").is_file():
        print("the pages are written to the repository of pcsguard, and this is an installed copy", file=sys.stderr)
        return 2
    for path, text in pages().items():
        (ROOT / path).write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(pages())} files about the constructs written below docs/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
