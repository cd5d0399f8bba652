"""One table of names for the fields of a compute node group: in the API, CloudFormation and Terraform.

Canonical names are those of the API's ComputeNodeGroup response, plus `tags` (see `shapes.group`). The other
spellings follow from them by rule (`NodeReady`, `node_ready`); the few that do not are listed in IRREGULAR
and ALIASES. The Terraform spelling serves both `awscc_pcs_compute_node_group` and `pcs_compute_node_group`,
so that a group can move from one provider to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from pcs_contract import paths
from pcs_contract.hints import Final, Literal
from pcs_contract.prose import DEFAULTS
from pcs_contract.record import Record
from pcs_contract.shapes import REQUEST_NAMES, Shape, group

Spelling = Literal["api", "cloudformation", "terraform"]
Kind = Literal["object", "list", "map", "string", "integer", "boolean", "timestamp"]

SPELLINGS: Final[tuple[Spelling, ...]] = ("api", "cloudformation", "terraform")

IRREGULAR: Final[Mapping[Spelling, Mapping[str, str]]] = {
    "api": {},
    "cloudformation": {"customLaunchTemplate.id": "TemplateId"},
    # In awscc `id` is the resource's identifier, the ARN, so the group's own id had to give way.
    "terraform": {"customLaunchTemplate.id": "template_id", "id": "compute_node_group_id"},
}
"""Canonical path -> name as written, where the rule does not give it."""

ALIASES: Final[Mapping[Spelling, Mapping[str, tuple[str, ...]]]] = {
    "api": {name: (alias,) for name, alias in REQUEST_NAMES.items()},
    "cloudformation": {},
    "terraform": {"arn": ("id",)},
}
"""Canonical path -> further names that are read as the same field but never written."""

LACKING: Final[Mapping[str, frozenset[str]]] = {
    # Bindings generated from awscc 1.106.0.
    "awscc_pcs_compute_node_group": frozenset(
        {"instanceHealthChecks", "launchTemplateMode", "securityGroupIds", "sshKeyName"}
    ),
    "pcs_compute_node_group": frozenset(),
    # Resource schema of 2026-10-20. The newest reference page has LaunchTemplateMode although the schema has
    # not: see DISPUTED.
    "AWS::PCS::ComputeNodeGroup": frozenset({"instanceHealthChecks", "securityGroupIds", "sshKeyName"}),
}
"""Resource type -> canonical top-level fields that the API can set and this resource type can not."""

DISPUTED: Final[Mapping[str, frozenset[str]]] = {
    "AWS::PCS::ComputeNodeGroup": frozenset({"launchTemplateMode"}),
}
"""Resource type -> canonical top-level fields on which AWS's schema and reference page disagree."""

API_ONLY: Final = frozenset({"createdAt", "modifiedAt"})
"""Canonical top-level fields that neither CloudFormation nor awscc exposes."""


class FieldSpec:
    """One field of a compute node group in one spelling, with all below it.

    `name` is canonical and `written` is the key in the input; both are empty for the root and for elements.
    A field may also stand under one of `also_written`. `fields` are an object's fields, `item` is what a
    list or map holds. `default` is the value that PCS takes when the field is left out. `shape` is the
    constraining shape.
    """

    __slots__ = ("also_written", "default", "fields", "item", "kind", "name", "shape", "written")

    def __init__(
        self,
        name: str,
        written: str,
        kind: Kind,
        shape: Shape,
        *,
        also_written: tuple[str, ...] = (),
        fields: tuple[FieldSpec, ...] = (),
        item: FieldSpec | None = None,
        default: str | int | None = None,
    ) -> None:
        self.name: Final = name
        self.written: Final = written
        self.kind: Final[Kind] = kind
        self.shape: Final = shape
        self.also_written: Final = also_written
        self.fields: Final = fields
        self.item: Final = item
        self.default: Final = default

    def __repr__(self) -> str:
        return f"<FieldSpec {self.name or '(element)'} as {self.written!r} ({self.kind})>"


def pascal(name: str) -> str:
    """Return a camelCase name as CloudFormation writes it: `s3VersionId` gives `S3VersionId`."""
    return name[:1].upper() + name[1:]


def snake(name: str) -> str:
    """Return a camelCase name as Terraform writes it: `s3VersionId` gives `s3_version_id`."""
    pieces: list[str] = []
    for at, letter in enumerate(name):
        starts_word = letter.isupper() and (not name[at - 1 : at].isupper() or name[at + 1 : at + 2].islower())
        pieces.append("_" + letter.lower() if at and starts_word else letter.lower())
    return "".join(pieces)


class Names(Record):
    """How fields are written: `irregular` and `aliases` by canonical path, all else by the rule."""

    irregular: Mapping[str, str]
    aliases: Mapping[str, tuple[str, ...]]
    rule: Callable[[str], str]

    def written(self, path: str, name: str) -> str:
        """How the field `name` at a canonical path (lists marked by `[]`) is written."""
        return self.irregular.get(path) or self.rule(name)


_NAMES: Final[Mapping[Spelling, Names]] = {
    "api": Names(IRREGULAR["api"], ALIASES["api"], str),
    "cloudformation": Names(IRREGULAR["cloudformation"], ALIASES["cloudformation"], pascal),
    "terraform": Names(IRREGULAR["terraform"], ALIASES["terraform"], snake),
}


@cache
def structure(spelling: Spelling) -> FieldSpec:
    """Return the compute node group in that spelling, as a tree to walk an input document with.

    The tree holds every field of the group, also those that one provider lacks (see LACKING). Equal calls
    return the same tree.
    """
    return tree(group(), _NAMES[spelling], DEFAULTS)


def tree(shape: Shape, names: Names, defaults: Mapping[str, str | int]) -> FieldSpec:
    """Return the fields of a resource as a tree. `defaults` are by canonical path, lists marked by `[]`."""
    return _spec("", "", "", shape, names, defaults)


def _spec(
    name: str, written: str, path: str, shape: Shape, names: Names, defaults: Mapping[str, str | int]
) -> FieldSpec:
    below = path + "." if path else ""
    return FieldSpec(
        name,
        written,
        _KINDS[shape.type],
        shape,
        also_written=names.aliases.get(path, ()),
        fields=tuple(
            _spec(member, names.written(below + member, member), below + member, child, names, defaults)
            for member, child in shape.members.items()
        ),
        item=None if shape.item is None else _spec("", "", path + "[]", shape.item, names, defaults),
        default=defaults.get(path),
    )


_KINDS: Final[Mapping[str, Kind]] = {
    "structure": "object",
    "list": "list",
    "map": "map",
    "string": "string",
    "integer": "integer",
    "boolean": "boolean",
    "timestamp": "timestamp",
}


def written_name(path: str, name: str, spelling: Spelling) -> str:
    """Return how the field `name` at a canonical path (lists marked by `[]`) is written."""
    return _NAMES[spelling].written(path, name)


@lru_cache(maxsize=8192)  # a run asks for the same few paths, group after group
def written(path: str, spelling: Spelling) -> str:
    """Return a canonical path as the input writes it.

    Selectors (`[0]`, `[]`, `["mount"]`) and map keys are kept as they are:
    `nodeLifecycleActions.stages.nodeReady[0].onError` gives
    `node_lifecycle_actions.stages.node_ready[0].on_error`, `tags.Name` gives `tags.Name`. Raises KeyError
    for a field that a group does not have, ValueError for a malformed path.
    """
    translated = _translate(path, structure(spelling), _by_name, lambda spec: spec.written)
    if translated is None:
        raise KeyError(f"a compute node group has no field {path!r}")
    return translated


def canonical(path: str, spelling: Spelling) -> str | None:
    """Return the canonical path of a path as written, aliases included; None when a group has no such field.

    Raises ValueError for a malformed path.
    """
    return _translate(path, structure(spelling), _by_written, lambda spec: spec.name)


def _by_name(spec: FieldSpec, name: str) -> FieldSpec | None:
    return next((child for child in spec.fields if child.name == name), None)


def _by_written(spec: FieldSpec, name: str) -> FieldSpec | None:
    return next((child for child in spec.fields if child.written == name or name in child.also_written), None)


def _translate(
    path: str,
    spec: FieldSpec,
    find: Callable[[FieldSpec, str], FieldSpec | None],
    name_of: Callable[[FieldSpec], str],
) -> str | None:
    """Walk `path` down from `spec`; None when a name is not found."""
    pieces: list[str] = []
    here, rest = spec, path
    while rest:
        while here.kind == "list" and here.item is not None:
            here = here.item
        if here.kind == "map":
            pieces.append(rest)  # the group has maps of plain values only: what is left is one key
            break
        name, brackets, rest = paths.take(rest)
        child = find(here, name)
        if child is None:
            return None
        here = child
        for _ in range(paths.depth(brackets)):
            if here.item is None:
                return None
            here = here.item
        pieces.append(name_of(child) + brackets)
    return ".".join(pieces)
