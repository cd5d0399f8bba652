"""python-hcl2, imported when the first block is parsed, and kept from what it cannot read.

Used is its raw parse tree: the rules of its grammar (``attribute``, ``object_elem``, ...) with their offsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pcs_policies.errors import UsageError
from pcs_policies.sources.hcl.scan import Block, Scan, SyntaxProblem, word

Tree = Any
"""A ``lark.Tree``: ``data`` is the rule, ``children`` are trees and tokens, ``meta`` says where it stands."""

INSTALL = "pip install 'pcsguard[hcl]'"


def parse(scan: Scan, block: Block) -> Tree:
    """The tree of a block's body; offsets in it count from where the block starts.

    Raises :class:`~pcs_policies.sources.hcl.scan.SyntaxProblem`, and :class:`~pcs_policies.errors.UsageError` where
    python-hcl2 is not installed.
    """
    hcl2 = _library()
    from lark.exceptions import LarkError

    try:
        tree = hcl2.parses_to_tree(scan.skeleton[block.start : block.end])
    except LarkError as error:
        offset = block.start + (getattr(error, "pos_in_stream", None) or 0)
        raise SyntaxProblem(offset, f"{word(scan.clean, offset)} is not what may stand here") from None
    (body,) = trees(tree)
    (parsed,) = trees(body)
    return next(child for child in trees(parsed) if child.data == "body")


def trees(tree: Tree) -> Iterator[Tree]:
    """The children of a tree that are trees themselves, without those of line ends."""
    return (child for child in tree.children if hasattr(child, "data") and child.data != "new_line_or_comment")


def _library() -> ModuleType:
    try:
        import hcl2
    except ImportError:
        raise UsageError(f"reading .tf files needs python-hcl2, which is not installed: {INSTALL}") from None
    if not hasattr(hcl2, "parses_to_tree"):
        raise UsageError(
            "reading .tf files needs python-hcl2 8, but the module hcl2 here is another one, as checkov brings it "
            f"(bc-python-hcl2): in an environment without checkov, {INSTALL}"
        )
    return hcl2
