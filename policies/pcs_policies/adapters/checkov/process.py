"""What checkov's process need not do while it works through the results of our checks.

There is one result per rule and node group, and what checkov does for each of them is most of what the checks cost.
docs/decisions/0005-less-work-per-result-in-checkov.md says why it is done here.
"""

from __future__ import annotations

import gc
import logging
import sys

from checkov.common.bridgecrew.platform_integration import bc_integration


def spare() -> None:
    """Leave out what nobody asked for. Nothing that checkov shows or writes changes."""
    _log_what_is_shown()
    _keep_out_of_collections()


def _log_what_is_shown() -> None:
    """Have no messages made that are below the level of every handler.

    checkov formats all of level DEBUG, five for each result, and keeps them in memory for its ``--support`` alone.
    """
    theirs = sys.modules.get("checkov.logging_init")  # not there where a program uses checkov as a library
    if theirs is None or bc_integration.support_flag_enabled:
        return
    root = logging.getLogger()
    shown = [handler.level for handler in root.handlers if getattr(handler, "stream", None) is not theirs.log_stream]
    root.setLevel(max(root.level, min(shown, default=root.level)))


def _keep_out_of_collections() -> None:
    """Have the garbage collector pass over what exists by now: checkov itself, which stays to the end anyway.

    The results are many objects, each some hundred of which make the collector look for garbage. Only the first time
    in a process: what a program keeps of earlier scans may become garbage yet.
    """
    if not gc.get_freeze_count():
        gc.freeze()
