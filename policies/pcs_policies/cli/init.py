"""``pcsguard init``: writes a configuration file to begin with, in which every key is explained and none is set."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from textwrap import wrap

from pcs_policies import config
from pcs_policies.cli import arguments
from pcs_policies.config_keys import KEYS, Key
from pcs_policies.errors import OK, UsageError
from pcs_policies.redaction import printable
from pcs_policies.reports import outputs

WIDTH = 100

HEAD = """\
# Configuration of pcsguard. Nothing is set yet: every line is a comment, so all is as it would be without this file.
# Take the mark away from a line to set its key; the value is an example. `pcsguard rules` shows what that does.
"""


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="pcsguard init",
        description=f"Write {config.OWN_FILE} here: every key of the configuration, explained and commented out.",
        epilog="A file that is there already is left alone, unless --force is given.",
        formatter_class=arguments.Help,
        allow_abbrev=False,
    )
    parser.add_argument("--force", action="store_true", help="replace a configuration that is there")
    return parser


def run(parsed: Namespace) -> int:
    path = config.OWN_FILE
    outputs.check(path)
    if not parsed.force and (found := config.nearest_file()) is not None:
        raise UsageError(_reason(path, found.path))
    outputs.write_file(path, lambda out: out.write(text()))
    print(f"{path}: {len(KEYS)} keys, explained; none is set yet")
    return OK


def _reason(path: str, found: str) -> str:
    """Why nothing is written where ``found`` is the configuration in force already."""
    if found == path:
        return f"{path} exists, and was left as it is; --force replaces it"
    return (
        f"{printable(found)} is the configuration here, and {path} would take its place as a whole, so nothing was "
        "written; --force writes it all the same"
    )


def text() -> str:
    """The file."""
    return "\n".join([HEAD, *(line for key in KEYS for line in _key(key))])


def _key(key: Key) -> Iterator[str]:
    yield from (f"# {line}" for line in wrap(_plain(key.about), WIDTH, break_on_hyphens=False))
    yield f"#{key.name} = {key.example}"
    yield ""


def _plain(markdown: str) -> str:
    """Markdown without its links, which lead nowhere from here."""
    return re.sub(r"\[([^]]*)]\([^)]*\)", r"\1", markdown)
