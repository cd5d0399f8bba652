"""What the resources of PCS have in common: a type of each provider, attributes, and the line that made them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal

from constructs import Construct

from pcs_contract import awscc
from pcs_stacks.cdk import TerraformResource, check_scope
from pcs_stacks.errors import ConstructError, Mistake
from pcs_stacks.lines import Call, Line, here
from pcs_stacks.tokens import is_list_token, is_map_token, readable

Provider = Literal["awscc", "pcs"]
"""HashiCorp's awscc, or the provider of this project, which has what awscc lacks."""

PREFIXES: Final[Mapping[str, str]] = {"awscc": "awscc_", "pcs": ""}

NOTE: Final = "pcsguard"
"""Where under `//` of a resource its line of Python and its waivers stand."""

_INDEX: Final = re.compile(r"\.(\d+)(?=\.|$)")
"""A position in a list, in the path of an override."""


class PcsResource(TerraformResource):
    """A resource of PCS in the spelling of awscc, which both providers share.

    `TYPE` is its type without the provider's prefix. `PROPS` maps each property to the path of its attribute.
    `REQUEST` is the request of the API that makes it, and `MEMBERS` maps attributes to members of that request whose
    names do not follow from them.
    """

    TYPE: ClassVar[str]
    PROPS: ClassVar[Mapping[str, str]]
    REQUEST: ClassVar[str]
    MEMBERS: ClassVar[Mapping[str, str]]

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        provider: Provider,
        values: Mapping[str, Any],
        call: Call,
        places: Mapping[str, Line] | None = None,
    ) -> None:
        """Check the values of the properties, and make the resource.

        `call` is the user's, and `places` are the lines of attributes that were written elsewhere. Raises
        ConstructError.
        """
        check_scope(scope)
        written = {self.PROPS[name]: call.keywords[name] for name in values if name in call.keywords}
        self.pcs_provider: Final[Provider] = provider
        """The provider whose resource this is."""
        self._places: Final = {"": call.line, **written, **(places or {})}
        self._notes = _notes(self._places)
        mistakes = list(_wrong_provider(provider, call) or self._mistakes(readable(self._nested(values))))
        if mistakes:
            raise ConstructError(_path(scope, id), mistakes)
        self.overridden = False
        """Whether something else is synthesized than the properties say."""
        super().__init__(
            scope,
            id,
            terraform_resource_type=self._resource_type,
            # By this the toolkit tells that the block of the provider is missing.
            terraform_generator_metadata={"provider_name": provider},
        )
        self._attributes = self._nested(values)

    @property
    def arn(self) -> str:
        """The ARN, a token."""
        return self.get_string_attribute("arn")

    @property
    def _resource_type(self) -> str:
        return PREFIXES[self.pcs_provider] + self.TYPE

    def _mistakes(self, attributes: dict[str, Any]) -> Iterator[Mistake]:
        """What is wrong with the attributes: here, that the provider lacks them."""
        if self.pcs_provider == "awscc":
            for path in awscc.lacking(self._resource_type, attributes):
                yield Mistake(
                    nearest_line(self._places, path),
                    f"{self._resource_type} of awscc {awscc.VERSION} has no {path}",
                    'leave it out, or give provider="pcs"',
                )

    def _nested(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes that hold these values of properties; what was not given is left out."""
        attributes: dict[str, Any] = {}
        for name, value in values.items():
            if value is not None:
                *around, last = self.PROPS[name].split(".")
                here = attributes
                for step in around:
                    here = here.setdefault(step, {})
                here[last] = given(value)
        return attributes

    def add_override(self, path: str, value: Any) -> None:
        """Override an attribute in what is synthesized, whatever the properties say."""
        self.overridden = True
        super().add_override(path, value)
        if not path.startswith("//"):
            self._places[_INDEX.sub(r"[\1]", path)] = here().line
            self._notes = _notes(self._places)

    def terraform_document(self) -> dict[str, Any]:
        """What `to_terraform` gives of a resource that is not overridden, without asking the toolkit for it."""
        return {"resource": {self._resource_type: {self.friendly_unique_id: self._synthesize_attributes()}}}

    def _synthesize_attributes(self) -> dict[str, Any]:
        return {**self._notes, **self._attributes}

    def _synthesize_hcl_attributes(self) -> dict[str, Any]:
        return self._attributes


def each(member: str, values: Sequence[Any], of: Callable[[Any], Any] | None = None) -> list[dict[str, Any]] | str:
    """Objects with one member: how the API lists instance types and groups. A text is no list, and stays one.

    Raises TypeError for a list of which not even the length is known.
    """
    if isinstance(values, str):
        return values
    if is_list_token(values):
        raise TypeError(f"each {member} is written by itself, and how many this list has is known only after apply")
    return [{member: value if of is None else of(value)} for value in values]


def custom_settings(settings: Mapping[str, str] | None) -> list[dict[str, str]] | None:
    """Settings of Slurm as the API lists them. Raises TypeError for a map of which not even the names are known."""
    if settings is None:
        return None
    if is_map_token(settings):
        raise TypeError("settings are listed by name, and the names of this map are known only after apply")
    return [{"parameter_name": name, "parameter_value": value} for name, value in settings.items()]


def _notes(places: Mapping[str, Line]) -> dict[str, Any]:
    return {"//": {NOTE: note(places)}}


def note(places: Mapping[str, Line]) -> dict[str, Any]:
    """The lines of attributes as `pcsguard check` reads them: each that is not the line of what is around it."""
    own = places[""]
    told = {"": own}
    for path in sorted(places, key=len):
        if nearest_line(told, path) != places[path]:
            told[path] = places[path]
    said = {path: line.line if line.file == own.file else str(line) for path, line in told.items() if path}
    return {"file": own.file, "line": own.line, **({"places": said} if said else {})}


def nearest_line(places: Mapping[str, Line], path: str) -> Line:
    """The line of an attribute, or of the nearest thing around it that has one."""
    while path not in places:
        path = path.rpartition("[" if path.endswith("]") else ".")[0]
    return places[path]


def given(value: Any) -> Any:
    """A value without members that were not given. None in a list stays: whoever wrote it is told."""
    if isinstance(value, Mapping):
        return {name: given(member) for name, member in value.items() if member is not None}
    return [given(item) for item in value] if isinstance(value, Sequence) and not isinstance(value, str) else value


def _wrong_provider(provider: str, call: Call) -> list[Mistake]:
    if provider in PREFIXES:
        return []
    words = " or ".join(map(repr, PREFIXES))
    return [Mistake(call.of("provider"), f"there is no provider {provider!r} here", f"use {words}")]


def _path(scope: Construct, id: str) -> str:
    """The path that a construct would have."""
    around = scope.node.path
    return f"{around}/{id}" if around else id
