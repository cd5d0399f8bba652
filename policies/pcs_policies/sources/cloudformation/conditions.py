"""The conditions of a template: true, false, or not known before the stack is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pcs_policies.document import Expression, Template
from pcs_policies.sources.cloudformation.parameters import as_text


class Conditions:
    """Evaluates each condition once. ``value`` gives the value of what an ``Fn::Equals`` compares."""

    def __init__(self, declared: Mapping[str, Any], value: Callable[[Any], Any]) -> None:
        self._declared = declared
        self._value = value
        self._known: dict[str, bool | None] = {}

    def holds(self, name: object) -> bool | None:
        """Whether a condition holds; ``None`` where that is not known, or there is no such condition."""
        if not isinstance(name, str) or name not in self._declared:
            return None
        if name not in self._known:
            self._known[name] = None  # what a condition that refers to itself comes to
            self._known[name] = self._evaluate(self._declared[name])
        return self._known[name]

    def _evaluate(self, condition: Any) -> bool | None:
        if not isinstance(condition, dict) or len(condition) != 1:
            return None
        ((function, argument),) = condition.items()
        if function == "Condition":
            return self.holds(argument)
        if not isinstance(argument, list):
            return None
        if function == "Fn::Equals" and len(argument) == 2:
            return _equal(self._value(argument[0]), self._value(argument[1]))
        parts = [self._evaluate(part) for part in argument]
        if function == "Fn::Not" and len(parts) == 1:
            return None if parts[0] is None else not parts[0]
        if function == "Fn::And":
            return False if False in parts else None if None in parts else True
        if function == "Fn::Or":
            return True if True in parts else None if None in parts else False
        return None


def _equal(left: Any, right: Any) -> bool | None:
    """Whether two values are equal, as CloudFormation compares: by their text."""
    if not _known(left) or not _known(right):
        return None
    if isinstance(left, list | dict) or isinstance(right, list | dict):
        return bool(left == right)
    return as_text(left) == as_text(right)


def _known(value: Any) -> bool:
    if isinstance(value, Expression | Template) or value is None:
        return False
    if isinstance(value, dict):
        return all(map(_known, value.values()))
    return all(map(_known, value)) if isinstance(value, list) else True
