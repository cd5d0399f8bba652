"""Node groups in Terraform configuration (HCL and ``.tf.json``): their values, and exactly where they are.

The data flows through one module each::

    folder.py       the walk over a module and those that it calls      -> HclSource
    waivers.py      comments                                            -> waivers and what they stand on
    values.py       the parse tree of a node group                      -> members and positions
    modules.py      a module as it is called; count and for_each        -> where references lead, instances
    root.py         tfvars, the environment, the command line           -> values of root variables
    constraints.py  ``type = ...``                                      -> Type
    evaluate.py     an expression in a scope                            -> Value
    functions.py    terraform's pure functions                          -> Value
    types.py        types, conversions, the type in common
    expressions.py  a parse tree                                        -> our own expressions
    json_syntax.py  JSON                                                -> the same expressions
    templates.py    quoted strings and heredocs                         -> text and expressions
    files.py        files, override files, what is defined where        -> blocks and members, by need
    library.py      the skeleton of a block or member, python-hcl2      -> parse tree
    scan.py         the text of one file                                -> its blocks, strings, skeleton

The scan comes first for three reasons. It takes linear time, whatever the input; it finds the few blocks that matter,
and only those are parsed; and it replaces what is inside of strings, heredocs and comments by filler of the same
length, the *skeleton*, so that python-hcl2 sees structure only: its reading of templates differs from terraform's
(``$${``, the last newline of a heredoc), and some of it takes exponential time. Offsets stay the same throughout.

A value is the one that terraform has while it plans, or it is not known: an
:class:`~pcs_policies.document.Expression` with its text, or a :class:`~pcs_policies.document.Template` with the parts
that are known. Nothing is guessed.
"""

from pcs_policies.sources.hcl.folder import HclSource, read_file, read_folder

__all__ = ["HclSource", "read_file", "read_folder"]
