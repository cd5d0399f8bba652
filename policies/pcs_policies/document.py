"""The one model that every rule sees: a compute node group, leaf by leaf.

Whatever the input was (a terraform plan, HCL, CloudFormation, an API response), names in a document are those of
the API's ``ComputeNodeGroup`` shape plus ``tags``. Every node carries two independent facts:

* its *state*: what is known of the value (:class:`State`), and on what *basis*;
* whether the author of the configuration *stated* it (:class:`Stated`).

The difference matters: a plan may show ``onError: TERMINATE`` because somebody chose it, because nobody did and
the API default applies, or because the provider carried an old value over. :func:`build` is the only code that
makes documents; every reader calls it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from itertools import count

from pcs_contract import spelling as names
from pcs_contract.hints import TYPE_CHECKING, Any, TypeVar
from pcs_contract.record import Record
from pcs_contract.spelling import FieldSpec, Spelling

if TYPE_CHECKING:
    from pcs_policies.sources.written import InlineWaiver

T = TypeVar("T")

STAGES = ("nodeBootstrapped", "nodeReady")
"""Stage keys in the order in which a node runs them (user guide, node lifecycle actions overview)."""


class State(Enum):
    """What is known of a value."""

    __hash__ = object.__hash__  # by identity, as members are compared; Enum hashes the name, in Python

    KNOWN = "known"
    PARTLY = "partly"  # a template: its literal parts are known (see Template)
    UNKNOWN = "unknown"
    ABSENT = "absent"


class Stated(Enum):
    """Whether the author of the configuration wrote the value down."""

    __hash__ = object.__hash__  # by identity, as members are compared; Enum hashes the name, in Python

    YES = "yes"
    NO = "no"
    MAYBE = "maybe"


class Basis(Enum):
    """Where a value comes from."""

    __hash__ = object.__hash__  # by identity, as members are compared; Enum hashes the name, in Python

    CONFIGURATION = "configuration"
    API_DEFAULT = "api-default"  # nothing was said; the API's documented default is the effective value
    PRIOR_STATE = "prior-state"  # nothing was said; the provider carried the value of its state over
    PROVIDER = "provider"  # nothing was said; the provider made a value up that is neither of the two


class Change(Enum):
    """What a plan is about to do with a group; ``NONE`` for inputs that describe no change."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    FORGET = "forget"
    NO_OP = "no-op"
    READ = "read"
    NONE = "none"


class Missing(Enum):
    """What a key that an input does not have means, in the ``missing`` argument of :func:`build`."""

    NOT_SET = "nobody set it"
    NOT_JUDGED = "the provider's schema lacks it: terraform writes every key that a provider knows"
    NOT_JUDGED_AT_TOP = "the input is about other members of the group; within those it was not set"


class Below(Enum):
    """A statedness for a whole subtree, in the ``stated`` argument of :func:`build`."""

    MAYBE = "stated itself; of what lies below nothing is told"


class Template(Record):
    """A value of which only parts are known: ``None`` stands for each unresolved part."""

    parts: tuple[str | None, ...]

    @property
    def prefix(self) -> str:
        """The literal text before the first unresolved part."""
        return self.parts[0] or "" if self.parts else ""

    def __str__(self) -> str:
        return "".join("${...}" if part is None else part for part in self.parts)


class Expression(Record):
    """A value that an expression gives: nothing of it is known, only how it was written.

    ``nullable``: what it refers to mentions ``null``, even if its own text does not.
    """

    text: str
    nullable: bool = False

    @property
    def may_be_null(self) -> bool:
        """Whether the expression mentions ``null`` (``AWS::NoValue`` in CloudFormation), which leaves a member out."""
        return self.nullable or re.search(r"\bnull\b|AWS::NoValue", self.text) is not None


class Origin(Record):
    """Where a leaf was written: what a person opens to change it. Lines and columns count from 1."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    construct: str | None = None
    pointer: str | None = None


class Stranger(Record):
    """A key that somebody wrote where a node group has no such member. ``path`` is the canonical path around it."""

    path: str
    key: str


class MalformedGroup(ValueError):
    """A node group whose shape is not the contract's, so that it cannot be judged."""

    def __init__(self, path: str, expected: str, found: object) -> None:
        super().__init__(f"{path or 'the resource'} should be {expected} but is {_type_name(found)}")
        self.path = path


class Node:
    """One place in a document: a value, or an object or list of further nodes.

    ``path`` is the canonical leaf path (``nodeLifecycleActions.stages.nodeReady[0].name``); ``outside`` marks a
    place that the provider's schema does not have and that is therefore not judged.
    """

    __slots__ = ("basis", "outside", "path", "sensitive", "spec", "state", "stated")

    def __init__(
        self,
        spec: FieldSpec,
        path: str,
        state: State,
        stated: Stated,
        basis: Basis | None,
        sensitive: bool,
        outside: bool = False,
    ) -> None:
        self.spec = spec
        self.path = path
        self.state = state
        self.stated = stated
        self.basis = basis
        self.sensitive = sensitive
        self.outside = outside

    @property
    def known(self) -> bool:
        return self.state is State.KNOWN

    @property
    def absent(self) -> bool:
        return self.state is State.ABSENT

    @property
    def unknown(self) -> bool:
        return self.state is State.UNKNOWN

    @property
    def unset(self) -> bool:
        """The author did not write it."""
        return self.stated is Stated.NO

    @property
    def deferred(self) -> bool:
        """The author wrote it, but its value is known only after apply."""
        return self.state is State.UNKNOWN and self.stated is Stated.YES

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path} {self.state.value}, stated {self.stated.value}>"


class Leaf(Node):
    """A single value: ``str``, ``int`` or ``bool`` when KNOWN, a :class:`Template` when PARTLY, else ``None``."""

    __slots__ = ("value",)

    def __init__(
        self,
        spec: FieldSpec,
        path: str,
        state: State,
        value: Any,
        stated: Stated,
        basis: Basis | None = None,
        sensitive: bool = False,
        outside: bool = False,
    ) -> None:
        self.spec = spec
        self.path = path
        self.state = state
        self.value = value
        self.stated = stated
        self.basis = basis
        self.sensitive = sensitive
        self.outside = outside

    @property
    def text(self) -> str | None:
        """The value of a KNOWN string, else ``None``."""
        return self.value if self.state is State.KNOWN and isinstance(self.value, str) else None

    @property
    def number(self) -> int | None:
        """The value of a KNOWN integer, else ``None``."""
        return self.value if self.state is State.KNOWN and isinstance(self.value, int) else None


class Object(Node):
    """Named members. Members of an object that is not KNOWN share its state."""

    __slots__ = ("derived", "fields")
    fields: dict[str, Node]
    derived: dict[Any, Any]
    """What was worked out of lifecycle actions, which groups share: made once, kept by whoever it is for."""

    def child(self, name: str) -> Node:
        """The member ``name`` (canonical); KeyError when the contract has no such member."""
        found = self.fields.get(name)
        if found is not None:
            return found
        for field in self.spec.fields:
            if field.name == name:
                return _hollow(field, f"{self.path}.{name}" if self.path else name, self)
        raise KeyError(f"{self.path or 'a compute node group'} has no member {name!r}")

    def leaf(self, name: str) -> Leaf:
        node = self.child(name)
        assert isinstance(node, Leaf), f"{node.path} is not a single value"
        return node

    def object(self, name: str) -> Object:
        node = self.child(name)
        assert isinstance(node, Object), f"{node.path} is not an object"
        return node

    def list(self, name: str) -> List:
        node = self.child(name)
        assert isinstance(node, List), f"{node.path} is not a list"
        return node


class List(Node):
    """Ordered items; empty unless KNOWN."""

    __slots__ = ("items",)
    items: list[Node]


class Script:
    """A lifecycle script: the nodes that rules ask for most, by name."""

    __slots__ = (
        "_likeness",
        "_nodes",
        "arguments",
        "checksum",
        "execution_policy",
        "index",
        "location",
        "name",
        "node",
        "on_error",
        "source",
        "stage",
        "version",
    )

    def __init__(self, stage: str, index: int, node: Object) -> None:
        source = node.object("scriptSource")
        self._likeness: int | None = None
        self._nodes: tuple[Node, ...] | None = None
        self.stage = stage
        self.index = index
        self.node = node
        self.source = source
        self.name = node.leaf("name")
        self.location = source.leaf("scriptLocation")
        self.version = source.leaf("s3VersionId")
        self.checksum = source.leaf("checksum")
        self.arguments = node.list("arguments")
        self.on_error = node.leaf("onError")
        self.execution_policy = node.leaf("executionPolicy")

    def inherits(self, leaf: Leaf) -> bool:
        """Whether a value that this script's author did not write was carried over from prior state.

        Providers align list elements by index, so the value may have been a neighbour's. Where the script as a
        whole was carried over, its members belong together and nothing is inherited in this sense.
        """
        return leaf.basis is Basis.PRIOR_STATE and self.node.stated is not Stated.NO

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes of the script, in an order that is the same for scripts that are alike."""
        if self._nodes is None:
            self._nodes = (
                self.node,
                self.name,
                self.source,
                self.location,
                self.version,
                self.checksum,
                self.on_error,
                self.execution_policy,
                self.arguments,
                *self.arguments.items,
            )
        return self._nodes

    @property
    def likeness(self) -> int:
        """A number that this script shares with those that are like it in stage, position and every fact."""
        if self._likeness is None:
            self._likeness = _likeness_of((self.stage, self.index, *map(_facts, self.nodes)))
        return self._likeness


_NUMBERS = count()
_LIKENESSES: dict[tuple[Any, ...], int] = {}
_MOST_LIKENESSES = 4096
"""Scripts that are told apart before all are forgotten: any input ends in bounded memory."""


def _likeness_of(facts: tuple[Any, ...]) -> int:
    known = _LIKENESSES.get(facts)
    if known is None:
        if len(_LIKENESSES) >= _MOST_LIKENESSES:
            _LIKENESSES.clear()
        known = _LIKENESSES[facts] = next(_NUMBERS)
    return known


def _facts(node: Node) -> tuple[Any, ...]:
    value = node.value if isinstance(node, Leaf) else None
    return (node.state, value, node.stated, node.basis, node.sensitive, node.outside)


class NodeGroup:
    """A compute node group of one input, with its change.

    ``before`` is the group before the change; ``None`` when there was none or the input does not tell.
    """

    __slots__ = (
        "_nodes",
        "_seen",
        "address",
        "after",
        "before",
        "change",
        "origins",
        "previous_address",
        "resource_type",
        "spelling",
        "strangers",
        "waivers",
    )

    def __init__(
        self,
        *,
        address: str,
        resource_type: str,
        change: Change,
        after: Object,
        before: Object | None,
        spelling: Spelling,
        origins: Callable[[str], Origin],
        previous_address: str | None,
        strangers: tuple[Stranger, ...] = (),
        waivers: tuple[InlineWaiver, ...] = (),
    ) -> None:
        self.address = address
        self.resource_type = resource_type
        self.change = change
        self.after = after
        self.before = before
        self.spelling = spelling
        self.origins = origins
        self.previous_address = previous_address
        self.strangers = strangers
        self.waivers = waivers
        self._nodes: list[Node] | None = None
        self._seen: Seen | None = None

    def as_before(self) -> NodeGroup | None:
        """The group as it was before the change, as a document of its own."""
        if self.before is None:
            return None
        return NodeGroup(
            address=self.address,
            resource_type=self.resource_type,
            change=Change.NONE,
            after=self.before,
            before=None,
            spelling=self.spelling,
            origins=self.origins,
            previous_address=None,
        )

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the document but for the lifecycle actions, an object or list before what it holds."""
        if self._nodes is None:
            self._nodes = [self.after]
            for name, member in self.after.fields.items():
                if name != ACTIONS:
                    _gather(member, self._nodes)
        return self._nodes

    @property
    def actions(self) -> Object:
        return self.after.object(ACTIONS)

    def of_actions(self, make: Callable[[Object], T]) -> T:
        """What ``make`` makes of the lifecycle actions, made once for all groups that share them."""
        actions = self.actions
        derived: dict[Any, Any] | None = getattr(actions, "derived", None)
        if derived is None:
            derived = actions.derived = {}
        if make not in derived:
            derived[make] = make(actions)
        made: T = derived[make]
        return made

    def stage(self, name: str) -> List:
        return self.actions.object("stages").list(name)

    def scripts(self, stage: str | None = None) -> tuple[Script, ...]:
        """The visible scripts in boot order, of one stage or of both."""
        scripts = (self._seen or self._look())[0]
        return scripts if stage is None else tuple([s for s in scripts if s.stage == stage])

    def unseen(self, stage: str | None = None) -> list[Node]:
        """Places of which only after apply is known which scripts they hold (of one stage, or of both)."""
        unseen = (self._seen or self._look())[1]
        return [node for where, node in unseen if stage is None or where is None or where == stage] if unseen else []

    def _look(self) -> Seen:
        self._seen = self.of_actions(_look)
        return self._seen


Seen = tuple[tuple[Script, ...], tuple[tuple[str | None, Node], ...]]
"""The scripts of lifecycle actions, and what may hold more, with its stage where it is in one."""


def _look(actions: Object) -> Seen:
    stages = actions.object("stages")
    if actions.unknown or stages.unknown:
        return (), ((None, actions if actions.unknown else stages),)
    scripts: list[Script] = []
    unseen: list[tuple[str | None, Node]] = []
    for name in STAGES:
        stage = stages.list(name)
        if stage.unknown:
            unseen.append((name, stage))
        for index, item in enumerate(stage.items):
            if isinstance(item, Object) and item.known:
                scripts.append(Script(name, index, item))
            elif item.unknown:
                unseen.append((name, item))
    return tuple(scripts), tuple(unseen)


def nodes_of(node: Node) -> list[Node]:
    """``node`` and all nodes below it, an object or list before what it holds."""
    found: list[Node] = []
    _gather(node, found)
    return found


def _gather(node: Node, into: list[Node]) -> None:
    into.append(node)
    if node.__class__ is Object:
        for member in node.fields.values():
            if member.__class__ is Leaf:
                into.append(member)
            else:
                _gather(member, into)
    elif node.__class__ is List:
        for item in node.items:
            _gather(item, into)


def build(
    *,
    address: str,
    resource_type: str,
    spelling: Spelling,
    after: object,
    before: object = None,
    unknown: object = None,
    sensitive: object = None,
    before_sensitive: object = None,
    stated: object = Stated.MAYBE,
    change: Change = Change.NONE,
    origins: Callable[[str], Origin] = lambda _: Origin(),
    previous_address: str | None = None,
    strangers: tuple[Stranger, ...] = (),
    waivers: tuple[InlineWaiver, ...] = (),
    missing: Missing = Missing.NOT_SET,
) -> NodeGroup:
    """Make a document from values spelled the way ``spelling`` spells them.

    ``unknown`` and ``sensitive`` mirror ``after``; ``True`` marks a place and all below it. ``stated`` is a
    :class:`Stated` for the whole tree, or mirrors ``after``: a mapping lists the keys that the author wrote, any
    other value but ``None`` was written, ``None`` was not; :data:`Below.MAYBE` and :class:`Stated` stand for a
    subtree. Values may be a :class:`Template` or an :class:`Expression`. Raises :class:`MalformedGroup` where a
    value has another shape than the contract's.
    """
    spec = names.structure(spelling)
    walk = _Builder(missing)
    root = walk.object(spec, "", after, unknown, sensitive, stated, before, Stated.YES, Basis.CONFIGURATION)

    earlier = None
    if isinstance(before, dict):
        maybe = Stated.MAYBE
        earlier = walk.object(spec, "", before, None, before_sensitive, maybe, None, maybe, Basis.CONFIGURATION)
    return NodeGroup(
        address=address,
        resource_type=resource_type,
        change=change,
        after=root,
        before=earlier,
        spelling=spelling,
        origins=origins,
        previous_address=previous_address,
        strangers=strangers,
        waivers=waivers,
    )


_MISSING: Any = object()
KNOWN, YES, CONFIGURATION = State.KNOWN, Stated.YES, Basis.CONFIGURATION  # looked up once, not for every leaf


ACTIONS = "nodeLifecycleActions"
_SHARED: dict[tuple[FieldSpec, Missing, str], Node] = {}
_MOST_SHARED = 64
"""Lifecycle actions that are kept to be shared: a fleet has a few, and a plan of many keeps little memory."""


class _Builder:
    """The walk over the contract's fields and the input's five parallel trees, side by side.

    The trees always come in the same order: the value (``_MISSING`` where the input has no such key), what of it is
    unknown, what is sensitive, what was stated, and the value before. The walk is the hot path of a run.
    """

    def __init__(self, missing: Missing) -> None:
        self.missing = missing

    def node(
        self, spec: FieldSpec, path: str, value: Any, unknown: Any, sensitive: Any, stated: Any, prior: Any
    ) -> Node:
        if stated is None:
            here = Stated.NO
        elif isinstance(stated, Stated):
            here = stated
        else:
            here = Stated.MAYBE if isinstance(stated, Expression) and stated.may_be_null else Stated.YES
        outside = False
        if value is _MISSING:
            if self.missing is not Missing.NOT_SET:
                said = unknown or not (stated is None or isinstance(stated, Stated | Below))
                outside = not said and (self.missing is Missing.NOT_JUDGED or "." not in path)
            value = None
        if unknown is True:
            if here is not Stated.NO:
                return _empty(spec, path, State.UNKNOWN, here, sensitive is True, outside)
            value = None  # nobody stated it and the provider has yet to fill it in: the API's default applies
        default = spec.default
        if value is None:
            # An explicit null is "leave it out" in every input language.
            if default is not None:
                return Leaf(spec, path, State.KNOWN, default, Stated.NO, Basis.API_DEFAULT, sensitive is True, outside)
            return _empty(spec, path, State.ABSENT, Stated.NO, sensitive is True, outside)
        basis = Basis.CONFIGURATION
        if here is Stated.NO:  # so where does the value come from?
            if default is not None and value == default:
                basis = Basis.API_DEFAULT
            else:
                basis = Basis.PRIOR_STATE if value == prior else Basis.PROVIDER
        if value.__class__ is Expression:
            return _empty(spec, path, State.UNKNOWN, here, sensitive is True, outside)
        kind = spec.kind
        if kind == "string" and value.__class__ is str:
            return Leaf(spec, path, State.KNOWN, value, here, basis, sensitive is True)
        if kind == "object":
            return self.object(spec, path, value, unknown, sensitive, stated, prior, here, basis)
        if kind == "list":
            return self.list(spec, path, value, unknown, sensitive, stated, prior, here, basis)
        if kind == "map":
            return self.map(spec, path, value, unknown, sensitive, stated, prior, here, basis)
        if isinstance(value, Template):
            return Leaf(spec, path, State.PARTLY, value, here, basis, sensitive is True)
        return Leaf(spec, path, State.KNOWN, _scalar(kind, path, value), here, basis, sensitive is True)

    def object(
        self,
        spec: FieldSpec,
        path: str,
        value: Any,
        unknown: Any,
        sensitive: Any,
        stated: Any,
        prior: Any,
        here: Stated,
        basis: Basis,
    ) -> Object:
        if not isinstance(value, dict):
            raise MalformedGroup(path, "an object", value)
        node = Object(spec, path, State.KNOWN, here, basis, sensitive is True)
        fields: dict[str, Node] = {}
        node.fields = fields
        unknown_of, sensitive_of, stated_of, prior_of = _members(unknown, sensitive, stated, prior)
        prefix = f"{path}." if path else ""
        value_of = value.get
        for field in spec.fields:
            key = field.written
            if field.also_written and key not in value:
                key = next((alias for alias in field.also_written if alias in value), key)
            name = field.name
            found = value_of(key, _MISSING)
            said = stated_of(key)
            # Most leaves are texts that somebody wrote; for those the general way is too long.
            if found.__class__ is str and said.__class__ is str and field.kind == "string" and not unknown_of(key):
                fields[name] = Leaf(field, prefix + name, KNOWN, found, YES, CONFIGURATION, sensitive_of(key) is True)
            elif name == ACTIONS and not path:
                fields[name] = self.actions(field, found, unknown_of(key), sensitive_of(key), said, prior_of(key))
            else:
                fields[name] = self.node(
                    field, prefix + name, found, unknown_of(key), sensitive_of(key), said, prior_of(key)
                )
        return node

    def actions(self, spec: FieldSpec, *trees: Any) -> Node:
        """The lifecycle actions, which the groups of a fleet share: made once as long as all five trees are the same.

        Nodes never change and do not know their group, so several documents can hold the same ones.
        """
        key = (spec, self.missing, repr(trees))
        node = _SHARED.get(key)
        if node is None:
            if len(_SHARED) >= _MOST_SHARED:
                _SHARED.clear()
            node = _SHARED[key] = self.node(spec, ACTIONS, *trees)
        return node

    def list(
        self,
        spec: FieldSpec,
        path: str,
        value: Any,
        unknown: Any,
        sensitive: Any,
        stated: Any,
        prior: Any,
        here: Stated,
        basis: Basis,
    ) -> List:
        if not isinstance(value, list):
            raise MalformedGroup(path, "a list", value)
        assert spec.item is not None, f"the contract's list {path} has no item shape"
        below = None if isinstance(stated, list) else _below(stated)
        node = List(spec, path, State.KNOWN, here, basis, sensitive is True)
        node.items = [
            self.node(
                spec.item,
                f"{path}[{index}]",
                item,
                _at(unknown, index),
                _at(sensitive, index) if isinstance(sensitive, list) else sensitive,
                _at(stated, index) if isinstance(stated, list) else below,
                _at(prior, index),
            )
            for index, item in enumerate(value)
        ]
        return node

    def map(
        self,
        spec: FieldSpec,
        path: str,
        value: Any,
        unknown: Any,
        sensitive: Any,
        stated: Any,
        prior: Any,
        here: Stated,
        basis: Basis,
    ) -> Object:
        if not isinstance(value, dict):
            raise MalformedGroup(path, "a map", value)
        assert spec.item is not None, f"the contract's map {path} has no value shape"
        node = Object(spec, path, State.KNOWN, here, basis, sensitive is True)
        unknown_of, sensitive_of, stated_of, prior_of = _members(unknown, sensitive, stated, prior)
        node.fields = {
            key: self.node(
                spec.item, f"{path}.{key}", item, unknown_of(key), sensitive_of(key), stated_of(key), prior_of(key)
            )
            for key, item in value.items()
        }
        return node


_Lookup = Callable[[Any], Any]
_NOTHING: dict[Any, Any] = {}


def _members(unknown: Any, sensitive: Any, stated: Any, prior: Any) -> tuple[_Lookup, _Lookup, _Lookup, _Lookup]:
    """How to look up what four of the trees say of a member: of an object, or of all of its members at once."""
    below = _below(stated)
    return (
        unknown.get if isinstance(unknown, dict) else _NOTHING.get,
        sensitive.get if isinstance(sensitive, dict) else lambda _: sensitive,
        stated.get if isinstance(stated, dict) else lambda _: below,
        prior.get if isinstance(prior, dict) else _NOTHING.get,
    )


def _empty(spec: FieldSpec, path: str, state: State, stated: Stated, sensitive: bool, outside: bool) -> Node:
    """A node of the right class that holds nothing."""
    if spec.kind in ("object", "map"):
        node = Object(spec, path, state, stated, None, sensitive, outside)
        node.fields = {}
        return node
    if spec.kind == "list":
        items = List(spec, path, state, stated, None, sensitive, outside)
        items.items = []
        return items
    return Leaf(spec, path, state, None, stated, None, sensitive, outside)


def _hollow(spec: FieldSpec, path: str, parent: Object) -> Node:
    """A member of an object that is absent (then it is absent too) or unknown (then nothing is told of it)."""
    stated = Stated.NO if parent.state is State.ABSENT else Stated.MAYBE
    return _empty(spec, path, parent.state, stated, parent.sensitive, parent.outside)


def _below(stated: Any) -> Any:
    """What the statedness of an object or list says of the members of which it says nothing by name."""
    if stated is Below.MAYBE or isinstance(stated, Expression):
        return Stated.MAYBE
    if isinstance(stated, Stated):
        return stated
    return Stated.YES if stated is not None else None


def _at(items: Any, index: int) -> Any:
    return items[index] if isinstance(items, list) and index < len(items) else None


def _scalar(kind: str, path: str, value: Any) -> str | int | bool:
    """A value in the contract's type; terraform converts between strings, numbers and booleans likewise."""
    if kind == "integer":
        if isinstance(value, bool):
            raise MalformedGroup(path, "a whole number", value)
        if isinstance(value, int):
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, str) and value.lstrip("-").isdecimal() and len(value) < 20:
            return int(value)
        raise MalformedGroup(path, "a whole number", value)
    if kind == "boolean":
        if isinstance(value, bool):
            return value
        raise MalformedGroup(path, "true or false", value)
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise MalformedGroup(path, "a string", value)


def _type_name(value: object) -> str:
    """A JSON word for the type of a value; never the value itself, which may be a secret."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return f"a string of {len(value)} characters"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else type(value).__name__
