"""What the properties of a resource come to: intrinsic functions evaluated as far as the template tells.

A text of which parts are known is a :class:`~pcs_policies.document.Template`; what only the stack will tell is an
:class:`~pcs_policies.document.Expression`. A function that CloudFormation would refuse is an expression as well: that
complaint is CloudFormation's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pcs_policies.document import Expression, Template
from pcs_policies.sources.cloudformation.conditions import Conditions
from pcs_policies.sources.cloudformation.marked import place_of
from pcs_policies.sources.cloudformation.parameters import Parameters, as_text
from pcs_policies.sources.written import Position


class _Nothing:
    def __repr__(self) -> str:
        return "AWS::NoValue"


NOTHING = _Nothing()
"""What ``AWS::NoValue`` comes to: the member or item is left out."""

LEFT_OUT = "AWS::NoValue"

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_DYNAMIC = re.compile(r"\{\{resolve:[^{}]*\}\}")
_SECRET_STORES = frozenset({"secretsmanager", "ssm-secure"})
"""What a dynamic reference may fetch that is a secret (CloudFormation user guide, dynamic references)."""


class Body:
    """The evaluation of one resource's properties. ``positions`` and ``sensitive`` fill while values are asked for.

    Paths are those of the result, as written (``NodeLifecycleActions.Stages.NodeReady[0].Name``): an item that
    ``AWS::NoValue`` leaves out counts no more.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.positions: dict[str, Position] = {}
        self.sensitive: set[str] = set()

    def value(self, raw: Any, path: str = "") -> Any:
        """The value of a place; :data:`NOTHING` where it is left out."""
        function = function_of(raw)
        if function is not None:
            if function[0] == "Fn::If":
                return self._if(raw, function[1], path)
            if self.scope.mentions_secret(raw):
                self.sensitive.add(path)
            return self.scope.value(raw)
        if isinstance(raw, dict):
            if any(key == "Fn::Transform" or key.startswith("Fn::ForEach::") for key in raw):
                return Expression("Fn::Transform")  # a macro may make anything of the object around it
            return self._object(raw, path)
        if isinstance(raw, list):
            return self._list(raw, path)
        if isinstance(raw, str):
            if _fetches_secret(raw):
                self.sensitive.add(path)
            return dynamic(raw)
        return raw

    def _object(self, raw: Mapping[str, Any], path: str) -> dict[str, Any]:
        values = {}
        for key, member in raw.items():
            below = f"{path}.{key}" if path else key
            self._note(below, place_of(raw, key))
            value = self.value(member, below)
            if value is not NOTHING:
                values[key] = value
        return values

    def _list(self, raw: list[Any], path: str) -> list[Any]:
        items: list[Any] = []
        for index, item in enumerate(raw):
            below = f"{path}[{len(items)}]"
            self._note(below, place_of(raw, index))
            value = self.value(item, below)
            if value is not NOTHING:
                items.append(value)
        return items

    def _if(self, raw: Any, argument: Any, path: str) -> Any:
        if not isinstance(argument, list) or len(argument) != 3:
            return Expression(text_of(raw))
        name, yes, no = argument
        holds = self.scope.conditions.holds(name)
        if holds is not None:
            return self.value(yes if holds else no, path)
        # The first branch comes last, so that its places are kept where both branches have one.
        second = self.value(no, path)
        return merged(self.value(yes, path), second, text_of(raw))

    def _note(self, path: str, place: Position | None) -> None:
        if place is not None:
            self.positions[path] = place


class Scope:
    """What functions refer to: the parameters, mappings and conditions of a template."""

    def __init__(self, parameters: Parameters, mappings: Mapping[str, Any], conditions: Mapping[str, Any]) -> None:
        self.parameters = parameters
        self.mappings = mappings
        self.conditions = Conditions(conditions, self.value)

    def value(self, raw: Any) -> Any:
        """The value of something inside of a function, where places do not matter."""
        function = function_of(raw)
        if function is None:
            if isinstance(raw, dict):
                members = ((key, self.value(member)) for key, member in raw.items())
                return {key: member for key, member in members if member is not NOTHING}
            if isinstance(raw, list):
                items = (self.value(item) for item in raw)
                return [item for item in items if item is not NOTHING]
            return dynamic(raw) if isinstance(raw, str) else raw
        name, argument = function
        evaluate = _FUNCTIONS.get(name)
        found = evaluate(self, argument) if evaluate else None
        return Expression(text_of(raw)) if found is None else found

    def mentions_secret(self, raw: Any) -> bool:
        """Whether a function has a NoEcho parameter or a reference to a secret store anywhere inside."""
        if isinstance(raw, dict):
            name = raw.get("Ref")
            if isinstance(name, str) and self.parameters.is_secret(name):
                return True
            return any(map(self.mentions_secret, raw.values()))
        if isinstance(raw, list):
            return any(map(self.mentions_secret, raw))
        if isinstance(raw, str):
            return any(map(self.parameters.is_secret, _VARIABLE.findall(raw))) or _fetches_secret(raw)
        return False

    def reference(self, name: object) -> Any:
        """What ``Ref`` gives: a parameter's value, or something of a resource that only the stack will tell."""
        if name == LEFT_OUT:
            return NOTHING
        return self.parameters[name] if isinstance(name, str) and name in self.parameters else None

    def substituted(self, argument: Any) -> Any:
        """``Fn::Sub``, with or without variables of its own."""
        own: Any = {}
        if isinstance(argument, list) and len(argument) == 2:
            argument, own = argument
        if not isinstance(argument, str) or not isinstance(own, dict):
            return None
        parts: list[Any] = []
        end = 0
        for match in _VARIABLE.finditer(argument):
            name = match[1].strip()
            parts.append(argument[end : match.start()])
            if name.startswith("!"):
                parts.append(f"${{{name[1:]}}}")
            else:
                found = self.value(own[name]) if name in own else self.reference(name)
                parts.append(Expression(name) if found is None else found)
            end = match.end()
        return looked_up(joined([*parts, argument[end:]]))

    def join(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) != 2 or not isinstance(argument[0], str):
            return None
        items = self.value(argument[1])
        if not isinstance(items, list) or any(_may_be_left_out(item) for item in items):
            return None
        parts: list[Any] = []
        for item in items:
            parts += [argument[0], item] if parts else ["", item]
        return looked_up(joined(parts))

    def select(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) != 2:
            return None
        index, items = self.value(argument[0]), self.value(argument[1])
        number = int(index) if isinstance(index, int | str) and re.fullmatch(r"\d{1,6}", str(index)) else None
        if number is None or not isinstance(items, list) or number >= len(items):
            return None
        if any(_may_be_left_out(item) for item in items[: number + 1]):
            return None
        return items[number]

    def split(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) != 2 or not isinstance(argument[0], str):
            return None
        text = self.value(argument[1])
        return list(text.split(argument[0])) if isinstance(text, str) and argument[0] else None

    def in_map(self, argument: Any) -> Any:
        """``Fn::FindInMap``, with the default value of the language extensions."""
        if not isinstance(argument, list) or not 3 <= len(argument) <= 4:
            return None
        keys = [self.value(key) for key in argument[:3]]
        found: Any = self.mappings
        for key in keys:
            if isinstance(key, Expression | Template | dict | list) or key is None:
                return None
            found = found.get(as_text(key)) if isinstance(found, dict) else None
        if found is None and len(argument) == 4 and isinstance(argument[3], dict):
            return self.value(argument[3].get("DefaultValue"))
        return dynamic(found) if isinstance(found, str) else found

    def choice(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) != 3:
            return None
        holds = self.conditions.holds(argument[0])
        if holds is None:
            return merged(self.value(argument[1]), self.value(argument[2]), text_of({"Fn::If": argument}))
        return self.value(argument[1] if holds else argument[2])


_FUNCTIONS: dict[str, Callable[[Scope, Any], Any]] = {
    "Ref": Scope.reference,
    "Fn::Sub": Scope.substituted,
    "Fn::Join": Scope.join,
    "Fn::Select": Scope.select,
    "Fn::Split": Scope.split,
    "Fn::FindInMap": Scope.in_map,
    "Fn::If": Scope.choice,
}
"""Functions whose value a template can tell; any other is known when the stack is made."""


def function_of(raw: Any) -> tuple[str, Any] | None:
    """Name and argument of an intrinsic function: an object with that one member."""
    if isinstance(raw, dict) and len(raw) == 1:
        ((name, argument),) = raw.items()
        if name == "Ref" or (name.startswith("Fn::") and not name.startswith("Fn::ForEach::")):
            return name, argument
    return None


def dynamic(text: str) -> str | Template | Expression:
    """A text with dynamic references (``{{resolve:ssm:name}}``), which CloudFormation looks up at deployment."""
    if "{{resolve:" not in text:
        return text
    found = list(_DYNAMIC.finditer(text))
    parts: list[Any] = []
    end = 0
    for match in found:
        parts += [text[end : match.start()], Expression(match[0])]
        end = match.end()
    value: str | Template | Expression = joined([*parts, text[end:]])
    return value


def looked_up(value: Any) -> Any:
    """What a function has put together, which may be a dynamic reference only now."""
    if isinstance(value, str):
        return dynamic(value)
    if isinstance(value, Template):
        for index, part in enumerate(value.parts):
            before, opened, _ = (part or "").partition("{{resolve:")
            if opened:  # where it ends cannot be told
                return joined([Template((*value.parts[:index], before, None))])
    return value


def _fetches_secret(text: str) -> bool:
    return "{{resolve:" in text and not _SECRET_STORES.isdisjoint(re.findall(r"\{\{resolve:([\w-]+)", text))


def joined(parts: Sequence[Any]) -> Any:
    """Texts, templates and expressions as one; ``None`` where one of them is no text."""
    pieces: list[str | None] = []
    for part in parts:
        if isinstance(part, Expression):
            pieces.append(None)
        elif isinstance(part, Template):
            pieces += part.parts
        elif part is None or part is NOTHING or isinstance(part, dict | list):
            return None
        else:
            pieces.append(as_text(part))
    merged_pieces: list[str | None] = []
    for piece in pieces:
        if piece is not None and merged_pieces and merged_pieces[-1] is not None:
            merged_pieces[-1] += piece
        elif piece is None or piece:
            merged_pieces.append(piece)
    if None not in merged_pieces:
        return "".join(piece for piece in merged_pieces if piece)
    if merged_pieces == [None]:
        return next((part for part in parts if isinstance(part, Expression)), Template((None,)))
    return Template(tuple(merged_pieces))


def merged(yes: Any, no: Any, text: str) -> Any:
    """What both branches of a choice come to that is not known: what they agree on is known all the same."""
    if yes is NOTHING and no is NOTHING:
        return NOTHING
    if yes is NOTHING or no is NOTHING:
        return Expression(text if LEFT_OUT in text else f"{text} {LEFT_OUT}")
    if isinstance(yes, dict) and isinstance(no, dict):
        keys = dict.fromkeys((*yes, *no))
        return {key: merged(yes.get(key, NOTHING), no.get(key, NOTHING), text) for key in keys}
    if isinstance(yes, list) and isinstance(no, list) and len(yes) == len(no):
        return [merged(left, right, text) for left, right in zip(yes, no, strict=True)]
    if type(yes) is type(no) and yes == no:
        return yes
    if _may_be_left_out(yes) or _may_be_left_out(no):
        return merged(NOTHING, yes, text)
    return Expression(text.replace(LEFT_OUT, "..."))


def _may_be_left_out(item: Any) -> bool:
    return isinstance(item, Expression) and LEFT_OUT in item.text


def text_of(raw: Any) -> str:
    """How a function is written, in short."""
    if isinstance(raw, str):
        return raw
    function = function_of(raw)
    if function is None:
        return "[...]" if isinstance(raw, list) else "{...}" if isinstance(raw, dict) else as_text(raw)
    name, argument = function
    parts = argument if isinstance(argument, list) else [argument]
    text = f"!{name.removeprefix('Fn::')} {' '.join(text_of(part) for part in parts[:LONGEST])}"
    if len(text) > LONGEST:
        return f"{text[:LONGEST]}..." + (f" {LEFT_OUT}" if LEFT_OUT in text[LONGEST:] else "")
    return text


LONGEST = 200
"""Characters of a function that are kept."""
