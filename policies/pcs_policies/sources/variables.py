"""Values that somebody gave for the variables of a configuration, beside those in files that terraform finds itself."""

from __future__ import annotations

from collections.abc import Mapping

from pcs_contract.hints import Any
from pcs_contract.record import Record


class Assignment(Record):
    """``--var NAME=VALUE``; the value is read as terraform reads it, by the type of the variable."""

    name: str
    text: str


class VariableFile(Record):
    """``--var-file FILE``: a ``.tfvars`` file, or ``.tfvars.json``."""

    path: str


class Variables(Record):
    """What is given for the variables of a root module.

    Of several values for one variable the last one counts. ``planned`` are those that a plan was made with, as in its
    JSON, and come before all others.
    """

    given: tuple[Assignment | VariableFile, ...] = ()
    planned: Mapping[str, Any] = {}


NONE_GIVEN = Variables()
