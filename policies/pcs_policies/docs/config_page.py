"""The page about the configuration: where it is read from, and every key."""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.config_keys import KEYS, Key
from pcs_policies.docs import markdown, toml
from pcs_policies.settings import Settings

INTRODUCTION = """\
pcsguard needs no configuration. To change what it does, write a `pcsguard.toml`, or a table `[tool.pcsguard]` in
`pyproject.toml`, with the keys of this page; `pcsguard init` writes a file to begin with. The command, the Terraform
provider, the constructs and the checkov checks read the same file.

## Which file

The first file that is found upwards from the working folder, in each folder `pcsguard.toml` before `pyproject.toml`. A
`pyproject.toml` without our table is passed over, an empty `pcsguard.toml` is not: it says that all is default.
`--config FILE` or `PCSGUARD_CONFIG` name the file instead; `--isolated` uses none. `pcsguard rules` tells which file is
in force and what it does to the rules.

A file that cannot be read, an unknown key and a value that makes no sense end the run with exit code 2, before anything
is checked. [`pcsguard.schema.json`](pcsguard.schema.json) is a JSON Schema for editors, of the whole of a
`pcsguard.toml` and of the table in `pyproject.toml`.

## What comes first

1. flags of the command (`--fail-on warning`)
2. environment variables (`PCSGUARD_FAIL_ON=warning`); an empty one counts as not set
3. the file
4. the [preset](#preset)
5. the default

A list or table that is given replaces the one of a later source as a whole. In environment variables, commas stand
between the items of a list (`PCSGUARD_IGNORE=PCS104,PCS202`, `PCSGUARD_SEVERITY=PCS104=error,PCS202=info`), a switch is
`1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`, and paths are relative to the working folder.
"""

SECURITY = """\
## Rules of your own are code

`rules` makes pcsguard import Python code. Where others can change the configuration, as in a pull request from a fork,
give `--no-exec` (a configuration with `rules` is then refused, exit code 2) or `--isolated`.
"""


def page() -> str:
    return markdown.document(_parts())


def _parts() -> Iterator[str]:
    yield markdown.generated("policies/pcs_policies/config_keys.py and docs/config_page.py beside it")
    yield "# Configuration\n"
    yield INTRODUCTION
    yield "## Example\n"
    yield "Every key once, to show how it is written:\n"
    yield markdown.code("toml", "".join(f"{key.name} = {key.example}\n" for key in KEYS))
    yield "In `pyproject.toml` the same lines stand below `[tool.pcsguard]`.\n"
    yield "## Keys\n"
    for key in KEYS:
        yield from _key(key)
    yield SECURITY


def _key(key: Key) -> Iterator[str]:
    yield f"### {key.name}\n"
    yield markdown.paragraph(key.about)
    yield markdown.paragraph(f"- value: {key.kind.about}\n- default: {_default(key)}\n- environment: `{key.variable}`")


def _default(key: Key) -> str:
    default = getattr(Settings(), key.field, None)
    if default is None:
        return "none"
    if isinstance(default, frozenset):
        return "the built-in words " + ", ".join(f"`{word}`" for word in sorted(default))
    if default == ():
        return "empty"
    return f"`{toml.value(default)}`"
