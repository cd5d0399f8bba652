"""What terraform's plan and state JSON have in common."""

from __future__ import annotations

import re
from collections.abc import Callable

from pcs_contract import spelling as names
from pcs_contract.hints import TYPE_CHECKING
from pcs_policies.document import Origin
from pcs_policies.errors import InputError

if TYPE_CHECKING:
    from pcs_policies.sources.written import Written

NEWEST_MAJOR = 1
"""Newest major version of the JSON output format (https://developer.hashicorp.com/terraform/internals/json-format);
a newer minor version only adds members, a newer major one may change their meaning."""

META_ARGUMENTS = frozenset(
    {"count", "for_each", "provider", "depends_on", "lifecycle", "provisioner", "connection", "timeouts"}
)
"""What terraform itself takes from a resource block; the rest is the provider's
(https://developer.hashicorp.com/terraform/language/meta-arguments). `timeouts` is the provider's, and by custom not
about the resource."""

_MODULE = r'module\.(?P<name>[^.\["]+)(?:\["(?:[^"\\]|\\.)*"\]|\[\d+\])?\.?'


def check_format(version: object, what: str) -> None:
    """Raises :class:`InputError` for a format version whose meaning is not known."""
    if not isinstance(version, str) or not re.fullmatch(r"\d{1,6}\.\d{1,6}(\..*)?", version):
        raise InputError(f"the {what} has no format_version that terraform writes, such as 1.2")
    if int(version.split(".")[0]) > NEWEST_MAJOR:
        raise InputError(
            f"the {what} has format version {version[:20]}, newer than {NEWEST_MAJOR}.x, which this version of "
            "pcsguard reads: its members may mean something else; look for a newer pcsguard"
        )


def module_path(address: str) -> tuple[str, ...]:
    """The names of the modules in a module address, instance keys left out.

    ``module.outer[1].module.inner["a.b"]`` gives ``("outer", "inner")``.
    """
    return tuple(match.group("name") for match in re.finditer(_MODULE, address)) if address else ()


def origins(file: str, pointer: str, written: Written | None = None) -> Callable[[str], Origin]:
    """Where the leaves of a group stand: in its source, if known, and in ``file``, by a JSON pointer (RFC 6901)."""

    def origin(path: str) -> Origin:
        tail = re.sub(r"\[(\d+)\]", r".\1", names.written(path, "terraform") if path else "")
        where = Origin(file=file) if written is None else written.origin(path, "terraform")
        return where._replace(pointer=pointer + ("/" + tail.replace(".", "/") if tail else ""))

    return origin
