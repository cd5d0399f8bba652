"""The client token of a Create, by which a run takes up what the one before it was killed in.

Such a run leaves a resource that terraform does not know. The next one asks for the same with the same token, and is
answered with that resource, where it would conflict with its name.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def of_create(kind: str, request: Mapping[str, Any]) -> str:
    """The token for a request: another one for every other kind of resource, request and state."""
    asked = json.dumps([kind, request, *_state()], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


def _state() -> tuple[str, str, Any]:
    """What tells the state of this run from all others: working folder, workspace, and the settings of its backend.

    Terraform tells providers none of it; it runs them in its working folder, and notes there what `terraform init` and
    `terraform workspace` have chosen.
    """
    data = Path(os.environ.get("TF_DATA_DIR") or ".terraform")
    workspace = os.environ.get("TF_WORKSPACE") or _read(data / "environment").strip()
    try:
        backend = json.loads(_read(data / "terraform.tfstate"))["backend"]["config"]
    except (ValueError, KeyError, TypeError):
        backend = None
    return os.getcwd(), workspace, backend


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
