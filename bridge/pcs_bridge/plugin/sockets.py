"""The unix socket that terraform connects to, in a folder that only this user can enter."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

PREFIX: Final = "tf-plugin-"

_LONGEST: Final = 100
"""Bytes of a socket's path: the kernel's limit is 108 on Linux and 104 on macOS, the closing zero included."""


@contextmanager
def private_socket() -> Iterator[str]:
    """Give the path for a socket in a new folder of mode 0700, and remove the folder at the end.

    The folder is what keeps other users out. Verifying terraform's certificate as well would be better, but the TLS
    library inside grpc cannot read the P-521 key that go-plugin makes. Only a SIGKILL of this very process leaves the
    folder behind, with a socket that nobody serves.
    """
    folder = tempfile.mkdtemp(prefix=PREFIX)
    path = os.path.join(folder, "s")
    if len(os.fsencode(path)) > _LONGEST:
        os.rmdir(folder)
        folder = tempfile.mkdtemp(prefix=PREFIX, dir="/tmp")
        path = os.path.join(folder, "s")
    try:
        yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)
