"""Node groups as somebody wrote them down: what source readers find, and what a plan is joined with.

Reading source gives, beside the values, what no plan carries: which members the author wrote, and where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pcs_contract import spelling as names
from pcs_contract.hints import Any
from pcs_contract.record import Record
from pcs_contract.spelling import FieldSpec, Spelling
from pcs_policies.document import Change, Expression, MalformedGroup, NodeGroup, Origin, Stranger, Template, build
from pcs_policies.sources.kinds import CLOUDFORMATION_TYPE
from pcs_policies.sources.reading import Removed, Unreadable

Json = dict[str, Any]


class Position(Record):
    """Where a value begins in its file; line and column count from 1."""

    line: int
    column: int


class InlineWaiver(Record):
    """A waiver that stands in the source itself, as it was written; nobody has judged yet whether it is any good.

    ``rules`` are the ids that it names, and ``until`` is the text of a date. ``path`` is what it stands on: a path as
    written (as in :attr:`Written.positions`), empty for the group itself.
    """

    rules: tuple[str, ...]
    owner: str | None
    until: str | None
    reason: str | None
    path: str
    file: str
    line: int


class Written(Record):
    """A node group of some source.

    ``values`` are spelled as written and hold :class:`~pcs_policies.document.Template` and
    :class:`~pcs_policies.document.Expression` where they are no literals. ``positions`` maps paths as written
    (``node_lifecycle_actions.stages.node_ready[0].on_error``; empty for the group itself) to where they stand.
    ``modules`` names the modules that the group is in, outermost first. ``python`` maps paths in the same form
    to the lines of the program that made them, for generated source; then it has one for the group itself.
    """

    type: str
    name: str
    values: Json
    file: str
    positions: Mapping[str, Position] = {}
    modules: tuple[str, ...] = ()
    construct: str | None = None
    python: Mapping[str, tuple[str, int]] = {}
    waivers: tuple[InlineWaiver, ...] = ()
    sensitive: Any = None
    """Mirrors ``values``, as in :func:`~pcs_policies.document.build`."""
    keys: tuple[int | str | None, ...] = ()
    """The instance keys of the modules and of the group, where it is one of several; empty where it is not."""

    @property
    def address(self) -> str:
        """The address: ``module.site["a"].awscc_pcs_compute_node_group.hpc[0]``, without the instance keys that are
        not known; in CloudFormation the logical id.
        """
        if self.type == CLOUDFORMATION_TYPE:
            return self.name
        names = [*(f"module.{name}" for name in self.modules), f"{self.type}.{self.name}"]
        keys = self.keys or (None,) * len(names)
        return ".".join(name + _bracketed(key) for name, key in zip(names, keys, strict=True))

    def origin(self, path: str, spelling: Spelling) -> Origin:
        """Where the value at a canonical path stands, or the nearest thing around it that does."""
        written = names.written(path, spelling) if path else ""
        if self.python:  # what a person edits
            file, line = self.python[_nearest(written, self.python)]
            return Origin(file=file, line=line, construct=self.construct)
        at = self.positions.get(_nearest(written, self.positions))
        return Origin(self.file, at.line if at else None, at.column if at else None, self.construct)


def _bracketed(key: int | str | None) -> str:
    """An instance key as it stands in an address: ``[0]`` or ``["a"]``."""
    if not isinstance(key, str):
        return "" if key is None else f"[{key}]"
    return f'["{re.sub(_UNQUOTED, lambda match: _QUOTED.get(match.group(), match.group()), key)}"]'


_QUOTED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "${": "$${", "%{": "%%{"}
_UNQUOTED = r'[\\"\n\r\t]|[$%]\{'


def document(written: Written, spelling: Spelling) -> NodeGroup:
    """The node group that the source alone tells of. Raises :class:`~pcs_policies.document.MalformedGroup`."""
    return build(
        address=written.address,
        resource_type=written.type,
        spelling=spelling,
        after=written.values,
        sensitive=written.sensitive,
        stated=written.values,
        origins=lambda path: written.origin(path, spelling),
        strangers=tuple(strangers(written.values, spelling)),
        change=Change.NONE,
        waivers=written.waivers,
    )


def documents(found: Iterable[Written], spelling: Spelling) -> Iterator[NodeGroup | Unreadable | Removed]:
    """The documents of what a source reader found; one that cannot be made is told."""
    for entry in found:
        try:
            yield document(entry, spelling)
        except MalformedGroup as error:
            yield Unreadable(entry.address, str(error))


def strangers(values: Json, spelling: Spelling) -> Iterator[Stranger]:
    """The keys in and below ``values`` that a node group does not have."""
    return _strangers(names.structure(spelling), values, "")


def _strangers(spec: FieldSpec, value: Any, path: str) -> Iterator[Stranger]:
    if spec.kind == "object" and isinstance(value, dict):
        fields = {key: field for field in spec.fields for key in (field.written, *field.also_written)}
        for key, member in value.items():
            field = fields.get(key)
            if field is None:
                yield Stranger(path, key)
            else:
                yield from _strangers(field, member, f"{path}.{field.name}" if path else field.name)
    elif spec.item is not None and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strangers(spec.item, item, f"{path}[{index}]")


def _nearest(path: str, known: Mapping[str, Any]) -> str:
    """The path, or the nearest around it that is known; empty where there is none."""
    while path and path not in known:
        path = _around(path)
    return path


def _around(path: str) -> str:
    """The path of what holds the thing at ``path``: without its last name or index."""
    if path.endswith("]"):
        return path[: path.rindex("[")]
    return path.rpartition(".")[0]


def differences(written: Any, planned: Any, path: str = "") -> Iterator[str]:
    """The places where a literal of the source is not what the plan has: then they do not belong together.

    What is an expression in the source, or absent on either side, says nothing. Terraform converts numbers and
    booleans to text and back, so they are compared as text.
    """
    if written is None or planned is None or isinstance(written, Expression):
        return
    if isinstance(written, Template):
        text = str(planned)
        literal = [part for part in written.parts if part is not None]
        if written.parts[0] is not None and not text.startswith(literal[0]):
            yield path
        return
    if isinstance(written, dict) and isinstance(planned, dict):
        for key, value in written.items():
            if key in planned:
                yield from differences(value, planned[key], f"{path}.{key}" if path else key)
    elif isinstance(written, list) and isinstance(planned, list):
        if len(written) != len(planned) and not any(isinstance(item, Expression) for item in written):
            yield path
            return
        for index, (left, right) in enumerate(zip(written, planned, strict=False)):
            yield from differences(left, right, f"{path}[{index}]")
    elif _text(written) != _text(planned):
        yield path


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
