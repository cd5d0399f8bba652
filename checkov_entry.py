"""Makes this repository as a whole safe to give to checkov's ``--external-checks-git``.

checkov executes every Python file that has an ``__init__.py`` beside it, as a module named after the file alone: our
``reports/json.py`` would take the place of Python's ``json``. It also takes every YAML and JSON file for a check of its
own, and puts every folder on the search path. It begins in the top folder, so this file is the first to be executed;
it sees to it that of all the rest only ``policies/checkov_checks`` is.

docs/decisions/0004-one-entry-for-checkov.md says why it is done here.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from checkov.common.checks.base_check_registry import BaseCheckRegistry
from checkov.common.checks_infra.registry import Registry

TOP = os.path.dirname(os.path.realpath(__file__))
CHECKS = os.path.join(TOP, "policies", "checkov_checks")


def _ours(folder: str) -> bool:
    return os.path.join(os.path.realpath(folder), "").startswith(os.path.join(TOP, ""))


def _guard() -> None:
    may_load = BaseCheckRegistry._directory_has_init_py
    load_graph_checks = Registry.load_external_checks

    def directory_has_init_py(folder: str) -> bool:
        """Asked of every folder, right after it was put on the search path."""
        if not _ours(folder):
            return may_load(folder)
        while folder in sys.path:
            sys.path.remove(folder)
        return os.path.realpath(folder) == CHECKS

    def load_external_checks(registry: Any, folder: str) -> None:
        if not _ours(folder):
            load_graph_checks(registry, folder)

    BaseCheckRegistry._directory_has_init_py = staticmethod(directory_has_init_py)
    Registry.load_external_checks = load_external_checks


if BaseCheckRegistry._directory_has_init_py.__module__ != __name__:  # checkov loads everything once for each framework
    _guard()
while TOP in sys.path:
    sys.path.remove(TOP)
