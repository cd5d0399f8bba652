"""The join of a plan with the source that it was made from.

A plan does not tell a member that was left out from one that a reference gives: awscc shows both as "known after
apply". The source does, and it has the lines that a person opens. Groups are matched by their address without instance
keys, scripts by their position, and whatever is literal in the source must be what the plan has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from pcs_contract.hints import Any
from pcs_contract.record import Record
from pcs_policies.errors import InputError, UsageError
from pcs_policies.redaction import printable
from pcs_policies.sources import text, tf_json
from pcs_policies.sources.kinds import HCL
from pcs_policies.sources.reading import Json, Reading, mapping
from pcs_policies.sources.variables import NONE_GIVEN, Variables
from pcs_policies.sources.written import Written, differences, documents

CDK_STACK = "cdk.tf.json"
CDK_MANIFEST = "manifest.json"

Key = tuple[str, ...]
"""``(module names..., type, name)`` of a group."""

COMPARED = ("name", "cluster_id", "node_lifecycle_actions")
"""Members whose literals must agree. Providers sort some of the others."""


class Source(Record):
    """What the source of a plan writes down. ``explicit``: a person named it, so what it lacks is a problem."""

    path: str
    groups: Mapping[Key, Written]
    problems: tuple[str, ...]
    remote_modules: frozenset[tuple[str, ...]]
    explicit: bool
    files: tuple[str, ...] = ()
    """All files that were read, those of local modules included."""
    instances: Mapping[str, Written] | None = None
    """The groups by address, where the source tells the instances of ``count`` and ``for_each`` apart."""
    evaluate: Callable[[Mapping[str, Any]], Source] | None = None
    """The same source with other values for the variables of its root module."""

    def planned(self, variables: object) -> Source:
        """The source with the values of variables that a plan was made with, as they are in its JSON."""
        if self.evaluate is None or not isinstance(variables, dict) or not variables:
            return self
        given = {name: entry.get("value") for name, entry in variables.items() if isinstance(entry, dict)}
        return self.evaluate(given)

    def find(self, key: Key, after: object, address: str = "") -> Written | str | None:
        """The source of a group; or why it cannot be used; or ``None``, where nobody expects it to be here.

        Where the instance at ``address`` is known, it tells more than what all instances have in common.
        """
        written = (self.instances or {}).get(address) or self.groups.get(key)
        if written is None:
            return self._missing(key) if self.explicit else None
        planned = after if isinstance(after, dict) else {}
        for member in COMPARED:
            for path in differences(written.values.get(member), planned.get(member), member):
                return (
                    f"{printable(path)} is something else in {printable(written.file)} than in the plan, so the plan "
                    "was made from another source, or the source was changed since; plan again"
                )
        return written

    def _missing(self, key: Key) -> str:
        modules = key[:-2]
        if any(modules[: len(remote)] == remote for remote in self.remote_modules):
            return (
                f"module {'.'.join(modules)} comes from elsewhere, so {printable(self.path)} does not show its source"
            )
        return f"it is not in {printable(self.path)}; give the folder that the plan was made in, with --source"


def open_source(path: str, *, explicit: bool, variables: Variables = NONE_GIVEN) -> Source:
    """Open a folder of ``.tf`` files, a ``cdktf.out``, a stack in it, or a single file.

    ``variables`` are for the root module of terraform's own syntax.

    Raises :class:`~pcs_policies.errors.InputError` for what is no source, and
    :class:`~pcs_policies.errors.UsageError` where reading it needs an extra that is not installed.
    """
    if not os.path.exists(path):
        raise InputError("there is no such file or folder; give the folder that terraform ran in, or cdktf.out")
    if os.path.isdir(path):
        stack = cdk_stack(path)
        if stack is not None:
            return _of_json(stack, path, explicit)
        if not any(name.endswith((".tf", ".tf.json")) for name in os.listdir(path)):
            raise InputError(
                f"the source {printable(path)} holds neither .tf files nor a {CDK_STACK}; give the folder that "
                "terraform ran in, or cdktf.out"
            )
        return _of_folder(path, explicit, variables)
    if path.endswith(".json"):
        return _of_json(path, path, explicit)
    return _of_folder(path, explicit, variables)


def as_input(source: Source) -> Reading:
    """The source alone as an input: what can be told without a plan."""
    groups = source.groups if source.instances is None else source.instances
    return Reading(kind=HCL, groups=documents(groups.values(), HCL.spelling), problems=source.problems)


def implicit_source(folder: str, *, hcl: bool, variables: Variables = NONE_GIVEN) -> Source | None:
    """The source that lies beside a plan: a cdktf stack, or with ``hcl`` also ``.tf`` files. ``None`` without one."""
    try:
        names = os.listdir(folder)
        if CDK_STACK in names or (hcl and any(name.endswith((".tf", ".tf.json")) for name in names)):
            return open_source(folder, explicit=False, variables=variables)
    except (OSError, InputError, UsageError):  # nobody asked for it
        pass
    return None


def cdk_stack(folder: str) -> str | None:
    """The ``cdk.tf.json`` of a stack folder, or of a ``cdktf.out`` with one stack; ``None`` for other folders.

    Raises :class:`~pcs_policies.errors.InputError` for a ``cdktf.out`` with several stacks, of which any may be meant.
    """
    own = os.path.join(folder, CDK_STACK)
    if os.path.isfile(own):
        return own
    stacks = cdk_stacks(folder)
    if len(stacks) > 1:
        raise InputError(
            f"{printable(folder)} holds {len(stacks)} stacks; give the one that was planned, such as "
            f"{printable(os.path.dirname(stacks[0]))}"
        )
    return stacks[0] if stacks else None


def cdk_stacks(folder: str) -> list[str]:
    """The ``cdk.tf.json`` of each stack of a ``cdktf.out``; empty for other folders."""
    inside = os.path.join(folder, "stacks")
    if not os.path.isfile(os.path.join(folder, CDK_MANIFEST)) or not os.path.isdir(inside):
        return []
    found = (os.path.join(inside, name, CDK_STACK) for name in sorted(os.listdir(inside)))
    return [path for path in found if os.path.isfile(path)]


def _of_json(file: str, path: str, explicit: bool) -> Source:
    try:
        document: Json = mapping(text.parse(text.decode(text.read(file))), "the file")
        groups = tf_json.written(document, file)
    except InputError as error:
        raise InputError(f"the source {printable(file)} cannot be used: {error}") from None
    return Source(path, {_key(group): group for group in groups}, (), frozenset(), explicit, (file,))


def _of_folder(path: str, explicit: bool, variables: Variables) -> Source:
    from pcs_policies.sources import hcl  # needs python-hcl2, which takes its time to import

    source = hcl.read_folder(path, variables=variables) if os.path.isdir(path) else hcl.read_file(path, variables)
    return Source(
        path,
        {_key(group): group for group in source.blocks},
        source.problems,
        frozenset(source.remote_modules),
        explicit,
        source.files,
        {group.address: group for group in source.groups},
        lambda planned: _of_folder(path, explicit, variables._replace(planned=planned)),
    )


def _key(group: Written) -> Key:
    return (*group.modules, group.type, group.name)
