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
    (parsed,) = trees(_tree(scan.skeleton[block.start : block.end], scan.clean, block.start))
    return next(child for child in trees(parsed) if child.data == "body")


BEFORE = len("x=")
"""Characters before an expression when it is parsed: offsets in its tree count from there."""


def parse_expression(skeleton: str, clean: str, start: int = 0) -> Tree:
    """The tree of an expression, which begins at ``start`` in ``clean``. Raises as :func:`parse`."""
    (attribute,) = trees(_tree(f"x={skeleton}\n", clean, start - BEFORE))
    _, expression = trees(attribute)
    return expression


def _tree(text: str, clean: str, start: int) -> Tree:
    """The tree of the body that a text is; ``start`` is where it stands in ``clean``."""
    hcl2 = _library()
    from lark.exceptions import LarkError

    try:
        (body,) = trees(hcl2.parses_to_tree(text))
    except LarkError as error:
        offset = max(start + (getattr(error, "pos_in_stream", None) or 0), 0)
        raise SyntaxProblem(offset, f"{word(clean, offset)} is not what may stand here") from None
    return body


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
