"""The parameters of a template: what is known of their values, and which of them are secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcs_policies.document import Expression
from pcs_policies.sources.given import Given

PSEUDO = frozenset(
    f"AWS::{name}" for name in "AccountId NotificationARNs NoValue Partition Region StackId StackName URLSuffix".split()
)
"""Parameters that CloudFormation sets itself (user guide, pseudo parameters)."""


class Parameters:
    """What the parameters of one template stand for."""

    def __init__(self, declared: Mapping[str, Any], given: Given) -> None:
        self._values: dict[str, Any] = {}
        self._secret: set[str] = set()
        for name, declaration in declared.items():
            said = declaration if isinstance(declaration, dict) else {}
            self._values[name] = _value(name, said, given.find(name))
            if str(said.get("NoEcho", "")).lower() == "true":
                self._secret.add(name)
        for name in PSEUDO:
            value = given.find(name)
            self._values[name] = Expression(name) if value is None else value

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def is_secret(self, name: str) -> bool:
        """Whether CloudFormation itself never shows the value (NoEcho)."""
        return name in self._secret


def _value(name: str, declaration: Mapping[str, Any], given: str | None) -> Any:
    """A text, a list of texts, or an expression where no value is known."""
    kind = str(declaration.get("Type", "String"))
    value = declaration.get("Default") if given is None else given
    # Of these the value is the name of an entry in Parameter Store, and the parameter stands for what is stored there.
    if value is None or kind.startswith("AWS::SSM::Parameter::Value<") or isinstance(value, dict | list):
        return Expression(name)
    text = as_text(value)
    if kind == "CommaDelimitedList" or kind.startswith("List<"):
        return [part.strip() for part in text.split(",")]
    return text


def as_text(value: Any) -> str:
    """A scalar as CloudFormation passes it on."""
    return str(value).lower() if isinstance(value, bool) else str(value)
