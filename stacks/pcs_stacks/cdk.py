"""The construct library under the constructs: cdktf, or its successor cdktn. Nothing else here imports either.

Which one is decided once, when this module is imported, by the first of these that decides it:

1. the environment variable `PCSGUARD_CDK`: `cdktf` or `cdktn`;
2. the program has imported one of them already;
3. what is installed, cdktf before cdktn.

Both have the same names, so an app that imports them from here (`from pcs_stacks.cdk import App, TerraformStack`) runs
on either.
"""

from __future__ import annotations

import os
import shutil
import sys
from importlib import import_module, util
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from constructs import Construct

VARIABLE: Final = "PCSGUARD_CDK"
TOOLKITS: Final = ("cdktf", "cdktn")


def chosen() -> str:
    """The name of the toolkit to use. Raises ImportError, saying what to do, where there is none."""
    wanted = os.environ.get(VARIABLE)
    if wanted:
        if wanted not in TOOLKITS:
            raise ImportError(f"{VARIABLE} is {wanted!r}; set it to {' or '.join(TOOLKITS)}, or leave it out")
        candidates: tuple[str, ...] = (wanted,)
    else:
        candidates = tuple(name for name in TOOLKITS if name in sys.modules) or TOOLKITS
    for name in candidates:
        if util.find_spec(name) is not None:
            return name
    raise ImportError(
        f"the constructs need {' or '.join(candidates)}, which is not installed: "
        f"pip install 'pcsguard[{candidates[0]}]'"
    )


def require_node() -> None:
    """Raises ImportError where there is no Node, in which both toolkits run by way of jsii."""
    node = os.environ.get("JSII_NODE", "node")
    if shutil.which(node) is None:
        raise ImportError(f"the constructs need Node 20 or newer, and there is no {node} on PATH")


NAME: Final = chosen()
require_node()


def check_scope(scope: Construct) -> None:
    """Raises TypeError for a construct of the other toolkit, which fails later and says something else."""
    for name in TOOLKITS:
        stack = getattr(sys.modules.get(name), "TerraformStack", None)
        if name != NAME and stack is not None and any(isinstance(around, stack) for around in scope.node.scopes):
            raise TypeError(
                f"the stack is one of {name}, and the constructs use {NAME}: import {name} before pcs_stacks, or set "
                f"{VARIABLE}={name}"
            )


if TYPE_CHECKING:
    from cdktf import (
        Annotations,
        App,
        Aspects,
        AssetType,
        HttpBackend,
        IAspect,
        S3Backend,
        TerraformAsset,
        TerraformOutput,
        TerraformProvider,
        TerraformResource,
        TerraformStack,
    )
else:
    _toolkit: Any = import_module(NAME)
    Annotations = _toolkit.Annotations
    App = _toolkit.App
    Aspects = _toolkit.Aspects
    AssetType = _toolkit.AssetType
    HttpBackend = _toolkit.HttpBackend
    IAspect = _toolkit.IAspect
    S3Backend = _toolkit.S3Backend
    TerraformAsset = _toolkit.TerraformAsset
    TerraformOutput = _toolkit.TerraformOutput
    TerraformProvider = _toolkit.TerraformProvider
    TerraformResource = _toolkit.TerraformResource
    TerraformStack = _toolkit.TerraformStack

__all__ = [
    "NAME",
    "Annotations",
    "App",
    "Aspects",
    "AssetType",
    "HttpBackend",
    "IAspect",
    "S3Backend",
    "TerraformAsset",
    "TerraformOutput",
    "TerraformProvider",
    "TerraformResource",
    "TerraformStack",
    "check_scope",
]
