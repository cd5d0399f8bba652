"""The constructs need Node, and start it when they are imported: once in each process of the tests."""

from __future__ import annotations

import os
import shutil

from support.cdk_app import QUIET

os.environ.update(QUIET)
collect_ignore_glob = [] if shutil.which("node") else ["test_*.py"]
