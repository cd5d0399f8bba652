"""From what checkov hands to a check to the node group, whatever framework found it.

checkov's four shapes of one resource each lose something: what a plan leaves open, items of lists, the order of
strings, text that looks like a boolean. So the group comes from pcsguard's own reader of the file, wherever that can
read it beside checkov, and is what ``pcsguard check`` sees. Only Terraform's own syntax is left, for which pcsguard
needs a library that checkov shuts out: there the values are checkov's, held against the text of the block.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from pcs_policies.adapters.checkov import hcl_conf, hcl_sensitive, hcl_text
from pcs_policies.document import MalformedGroup, NodeGroup
from pcs_policies.errors import InputError, UsageError
from pcs_policies.sources import detect, written
from pcs_policies.sources.kinds import CDKTF, CLOUDFORMATION, CLOUDFORMATION_TYPE, HCL, PLAN, Kind
from pcs_policies.sources.reading import Removed, Unjoined, Unreadable


class Resource(NamedTuple):
    """A resource as checkov found it: its type and name, its ``conf``, and the path of its file.

    ``text`` is the resource block in Terraform's own syntax, as far as checkov knows it; ``calls`` are the module calls
    that lead to it, the last one first.
    """

    type: str
    name: str
    conf: dict[str, Any]
    path: str
    text: str | None = None
    calls: tuple[hcl_sensitive.Call, ...] = ()


class Seen(NamedTuple):
    """A resource as pcsguard sees it.

    ``group`` is ``None`` for one that does not exist (``count = 0``, a condition that does not hold), and
    :class:`~pcs_policies.sources.reading.Unreadable` for one that cannot be judged. ``problems`` say what keeps the
    input around it from being checked as a whole.
    """

    kind: Kind
    group: NodeGroup | Unreadable | None
    problems: tuple[str, ...] = ()


PLANNED = frozenset({"__change_actions__", "__file__"})
"""What checkov marks a planned resource with: the first where the plan says what happens to it, the second in later
versions always."""


def kind_of(resource: Resource) -> Kind:
    """The kind of input that a resource is from, which checkov tells by the marks it leaves."""
    if resource.type == CLOUDFORMATION_TYPE:
        return CLOUDFORMATION
    if not PLANNED.isdisjoint(resource.conf):
        return PLAN
    return CDKTF if "__startline__" in resource.conf else HCL


def normalise(resource: Resource) -> Seen:
    """The node group of a resource. Nothing that an input can hold raises."""
    kind = kind_of(resource)
    try:
        return _READERS[kind](resource)
    except MalformedGroup as error:
        return Seen(kind, Unreadable(resource.name, str(error)))
    except (InputError, UsageError) as error:
        return Seen(kind, Unreadable(resource.name, f"pcsguard cannot read its file: {error}"))


def _planned(resource: Resource) -> Seen:
    return _in_file(PLAN, resource.path, str(resource.conf.get("__address__")))


def _templated(resource: Resource) -> Seen:
    return _in_file(CLOUDFORMATION, resource.path, resource.name)


def _in_terraform_json(resource: Resource) -> Seen:
    return _in_file(CDKTF, resource.path, f"{resource.type}.{resource.name}")


def _in_terraform(resource: Resource) -> Seen:
    text = None if resource.text is None else hcl_text.read(resource.text)
    if text is None:
        return Seen(HCL, Unreadable(resource.name, "checkov does not show the text of its block"))
    found = written.Written(resource.type, resource.name, hcl_conf.values(resource.conf, text), resource.path)
    sensitive = hcl_sensitive.names(resource.path, resource.calls)
    if sensitive or "sensitive" in (resource.text or ""):
        found = found._replace(sensitive=hcl_sensitive.marks(text, sensitive))
    return Seen(HCL, written.document(found, HCL.spelling))


_READERS = {PLAN: _planned, CLOUDFORMATION: _templated, CDKTF: _in_terraform_json, HCL: _in_terraform}


class _File(NamedTuple):
    """A file that pcsguard read: its groups by address, and its problems."""

    groups: dict[str, NodeGroup | Unreadable | None]
    problems: tuple[str, ...]


def _in_file(kind: Kind, path: str, address: str) -> Seen:
    """The group with that address. Of a template, one whose condition does not hold is not there; a plan tells."""
    file = _file(kind.id, path)
    missing = Unreadable(address, "pcsguard does not find it in the file") if kind is PLAN else None
    return Seen(kind, file.groups.get(address, missing), file.problems)


@lru_cache(maxsize=4)  # checkov goes through a file's resources one after the other
def _file(kind: str, path: str) -> _File:
    reading = detect.open_input(path, kind)
    groups: dict[str, NodeGroup | Unreadable | None] = {}
    problems = list(reading.problems)
    for entry in reading.groups:
        if isinstance(entry, Unjoined):
            problems.append(f"{entry.address} is judged by the plan alone: {entry.reason}")
        else:
            groups[entry.address] = None if isinstance(entry, Removed) else entry
    return _File(groups, tuple(problems))
