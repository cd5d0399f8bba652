"""The values that the variables of a root module have: from the command line, the environment and ``.tfvars`` files.

Later sources win, in terraform's order
(https://developer.hashicorp.com/terraform/language/values/variables#variable-definition-precedence): the environment
(``TF_VAR_name``), ``terraform.tfvars``, ``terraform.tfvars.json``, ``*.auto.tfvars`` and ``*.auto.tfvars.json`` by
name, and what is given on the command line, in its order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from pcs_policies.errors import InputError, UsageError
from pcs_policies.redaction import printable, quote
from pcs_policies.sources.hcl import json_syntax
from pcs_policies.sources.hcl.evaluate import Evaluator, Nowhere
from pcs_policies.sources.hcl.expressions import parsed
from pcs_policies.sources.hcl.files import Definition, Text, members
from pcs_policies.sources.hcl.functions import of_json
from pcs_policies.sources.hcl.scan import SyntaxProblem
from pcs_policies.sources.hcl.types import STRING, Type, Undecided, Value
from pcs_policies.sources.reading import Json
from pcs_policies.sources.variables import Assignment, VariableFile, Variables

ENVIRONMENT = "TF_VAR_"

_Find = Callable[[str, Type], Value | None]
"""The value that one source has for a variable of a type."""


class RootValues:
    """The values for the variables of a root module. ``problems`` tell of files that could not be read."""

    def __init__(self, files: list[str], variables: Variables, evaluator: Evaluator) -> None:
        """Raises :class:`~pcs_policies.errors.UsageError` for a file that somebody named and that is not there."""
        self._evaluator = evaluator
        self._planned = variables.planned
        self._texts: list[Text] = []
        self._problems: list[str] = []
        ordered = sorted(files, key=lambda path: (not os.path.basename(path).startswith("terraform."), path))
        self._sources: list[_Find] = [self._in_environment, *map(self._file, ordered)]
        for entry in variables.given:
            if isinstance(entry, VariableFile):
                if not os.path.isfile(entry.path):
                    raise UsageError(f"--var-file {quote(entry.path)}: there is no such file")
                self._sources.append(self._file(entry.path))
            else:
                self._sources.append(self._assigned(entry))

    def find(self, name: str, of: Type) -> Value | None:
        """The value for a variable, not yet of its type; ``None`` if nobody gave one.

        Raises :class:`~pcs_policies.sources.hcl.types.Undecided`.
        """
        if name in self._planned:
            return of_json(self._planned[name])
        for source in reversed(self._sources):
            value: Value | None = source(name, of)
            if value is not None:
                return value
        return None

    def problems(self) -> Iterator[str]:
        yield from self._problems
        for text in self._texts:
            yield from text.told()

    def _in_environment(self, name: str, of: Type) -> Value | None:
        text = os.environ.get(ENVIRONMENT + name)
        return None if text is None else self._typed(text, of)

    def _assigned(self, entry: Assignment) -> _Find:
        return lambda name, of: self._typed(entry.text, of) if name == entry.name else None

    def _typed(self, text: str, of: Type) -> Value:
        """The value of a text: it is one for a simple type, and else an expression."""
        if of.kind in ("string", "number", "bool", "any"):
            return Value(STRING, text)
        try:
            return self._evaluator.value(parsed(text), Nowhere(), {})
        except SyntaxProblem:
            raise Undecided from None

    def _file(self, path: str) -> _Find:
        if path.endswith(".json"):
            return self._json_file(path)
        text = Text(path)
        self._texts.append(text)
        definition: Definition | None = None

        def find(name: str, of: Type) -> Value | None:
            nonlocal definition
            if text.unreadable:
                raise Undecided
            if name.encode() not in text.data:
                return None
            if definition is None:
                # To the scan, a file that is not made of blocks is full of problems.
                scanned = text.scan
                text.problems[:] = [problem for problem in text.problems if not problem.stray]
                definition = Definition(text, None, members(scanned, 0, len(scanned.text)))
            if text.problems or text.unreadable:
                raise Undecided  # it may say anything
            node = definition.member(name)
            return None if node is None else self._evaluator.value(node, Nowhere(), {})

        return find

    def _json_file(self, path: str) -> _Find:
        document: Json | None
        try:
            document = json_syntax.variables(path)
        except InputError as error:
            self._problems.append(f"{printable(path)}: {error}")
            document = None

        def find(name: str, of: Type) -> Value | None:
            if document is None:
                raise Undecided
            if name not in document:
                return None
            return self._evaluator.value(json_syntax.node(document[name]), Nowhere(), {})

        return find
