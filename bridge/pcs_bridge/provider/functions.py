"""The functions `provider::pcs::...`, for configurations without a `pcs_lifecycle_script`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Final

from pcs_bridge.plugin.cty import STRING
from pcs_bridge.plugin.diagnostics import Failed
from pcs_bridge.plugin.function import Function, Parameter, WrongArgument
from pcs_bridge.provider.script import content_problems, read_file
from pcs_contract import aws_scripts

_VERSION: Final = re.compile(r"\d+(\.\d+\.\d+|-latest)", re.ASCII)
_REGION: Final = re.compile(r"[a-z]{2}(-[a-z]+)+-\d", re.ASCII)


def script_checksum(path: str) -> str:
    """The SHA-256 of a file in hexadecimal. Raises WrongArgument for a file that can be no script."""
    try:
        body = read_file(path)
    except Failed as unreadable:
        raise WrongArgument(0, _said(unreadable)) from unreadable
    problems = tuple(content_problems(body, ()))
    if problems:
        raise WrongArgument(0, _said(Failed(*problems)))
    return hashlib.sha256(body).hexdigest()


def aws_script(name: str, version: str, region: str) -> str:
    """The location of a script that AWS maintains. Raises WrongArgument."""
    if name not in aws_scripts.SCRIPTS:
        known = ", ".join(sorted(aws_scripts.SCRIPTS))
        raise WrongArgument(0, f"AWS maintains no script of this name that is known here; there are {known}.")
    if not _VERSION.fullmatch(version):
        raise WrongArgument(1, "It has to be a full version, such as 1.0.0, or an alias, such as 1-latest.")
    if not _REGION.fullmatch(region):
        raise WrongArgument(2, "It has to be the name of a Region, such as us-east-1.")
    return aws_scripts.location(name, version, region)


def _said(failed: Failed) -> str:
    return " ".join(f"{problem.summary}. {problem.text}" for problem in failed.diagnostics)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "script_checksum": Function(
        parameters=(Parameter("path", STRING, "The path of the script on this machine."),),
        result=STRING,
        summary="The checksum of a script",
        description="The SHA-256 of a local file in hexadecimal, as `script_source.checksum` takes it. A file that no "
        "node would accept as a script is refused: an empty one, or one of more than 2 MiB.",
        call=script_checksum,
    ),
    "aws_script": Function(
        parameters=(
            Parameter("name", STRING, f"One of {', '.join(f'`{name}`' for name in sorted(aws_scripts.SCRIPTS))}."),
            Parameter("version", STRING, "A full version, such as `1.0.0`, or an alias, such as `1-latest`."),
            Parameter("region", STRING, "The Region of the cluster, such as `us-east-1`."),
        ),
        result=STRING,
        summary="The location of a script that AWS maintains",
        description="The S3 location of a script that AWS maintains, as `script_source.script_location` takes it. "
        "Nothing is looked up. An alias moves with each release, so that no checksum can go with it.",
        call=aws_script,
    ),
}
"""By name."""
