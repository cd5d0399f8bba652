"""Node groups in Terraform configuration (HCL), at the literal level: what is written down, and exactly where.

The data flows through one module each::

    folder.py    files, override files, local modules      -> HclSource
    values.py    the parse tree of one block               -> values and positions
    library.py   the skeleton of one block, python-hcl2    -> parse tree
    templates.py quoted strings and heredocs               -> str, Template or Expression
    scan.py      the text of one file                      -> its top-level blocks, strings, skeleton

The scan comes first for three reasons. It takes linear time, whatever the input; it finds the few blocks that matter,
and only those are parsed; and it replaces what is inside of strings, heredocs and comments by filler of the same
length, the *skeleton*, so that python-hcl2 sees structure only: its reading of templates differs from terraform's
(``$${``, the last newline of a heredoc), and some of it takes exponential time. Offsets stay the same throughout.

What needs evaluation stays an :class:`~pcs_policies.document.Expression` with its text; nothing is guessed.
"""

from pcs_policies.sources.hcl.folder import HclSource, read_file, read_folder

__all__ = ["HclSource", "read_file", "read_folder"]
