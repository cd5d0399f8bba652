"""What the API would refuse of a resource for which there are no rules, going by the contract's shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pcs_contract.limits import UNKNOWN, problems
from pcs_contract.shapes import Shape, shape
from pcs_contract.spelling import snake
from pcs_stacks.errors import Mistake
from pcs_stacks.lines import Line
from pcs_stacks.resource import nearest_line
from pcs_stacks.tokens import is_known


def mistakes(
    request: str, names: Mapping[str, str], attributes: Mapping[str, Any], places: Mapping[str, Line]
) -> Iterator[Mistake]:
    """What is wrong with attributes as the parameters of a request, such as `CreateClusterRequest`.

    `names` maps attributes to members of the request whose names do not follow from them. What only apply reveals is
    passed over.
    """
    root = shape(request)
    irregular = {member: attribute for attribute, member in names.items()}
    for problem in problems(root, _as_request(root, attributes, irregular)):
        first, *rest = problem.path.split(".")
        path = ".".join((irregular.get(first, snake(first)), *map(snake, rest)))
        yield Mistake(nearest_line(places, path), f"{path} {problem.message}; PCS refuses anything else")


def _as_request(shape: Shape, value: Any, irregular: Mapping[str, str]) -> Any:
    """A value in the API's names; `irregular` are those of the outermost members."""
    if not is_known(value) and not isinstance(value, dict | list):
        return UNKNOWN
    if shape.type == "structure" and isinstance(value, dict):
        written = {irregular.get(name, snake(name)): name for name in shape.members}
        return {written[name]: _as_request(shape.members[written[name]], member, {}) for name, member in value.items()}
    item = shape.item
    if item is not None and isinstance(value, list):
        return [_as_request(item, each, {}) for each in value]
    if item is not None and isinstance(value, dict):
        return {key: _as_request(item, each, {}) for key, each in value.items()}
    return value
