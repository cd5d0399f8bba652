"""The file of waivers: ``pcsguard-waivers.toml``, with one table ``[[waiver]]`` for each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from pcs_contract.spelling import canonical
from pcs_policies.config_values import shown as shown_value
from pcs_policies.errors import UsageError, nearest
from pcs_policies.redaction import printable, quote
from pcs_policies.rules.table import Rule, find
from pcs_policies.waivers.entry import Waiver, parse_date, says_nothing, shown

KEYS = ("rule", "address", "leaf", "owner", "reason", "until")
OPTIONAL = frozenset({"leaf"})

_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*(?:waiver|\"waiver\"|'waiver')[ \t]*\]\]", re.MULTILINE)


def read(path: str, rules: Iterable[Rule]) -> tuple[Waiver, ...]:
    """The waivers of a file, which may name any of ``rules`` by id or title.

    Raises :class:`~pcs_policies.errors.UsageError` for a file that cannot be read and for a waiver that is not whole:
    somebody relies on it, so it is not passed over.
    """
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise UsageError(f"{printable(path)} cannot be read: {error.strerror or type(error).__name__}") from None
    return parse(data, path, rules)


def parse(data: bytes, path: str, rules: Iterable[Rule]) -> tuple[Waiver, ...]:
    """The waivers of the content of a file. Raises as :func:`read` does."""
    text, document = _document(data, path)
    for key in document:
        if key != "waiver":
            what = f"{printable(key)} is no key of a file of waivers{nearest(key, ['waiver'])}"
            raise UsageError(f"{printable(path)}: {what}; write [[waiver]]")
    entries = document.get("waiver", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError(f"{printable(path)}: waiver is not a list of tables; write [[waiver]] above each")
    lines = _lines(text, len(entries))
    known = tuple(rules)
    return tuple(_waiver(entry, path, line, known) for entry, line in zip(entries, lines, strict=True))


def _document(data: bytes, path: str) -> tuple[str, dict[str, Any]]:
    try:
        text = data.decode("utf-8-sig")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise UsageError(f"{printable(path)} is not UTF-8 text: byte {error.start} ({error.reason})") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{printable(path)} is not valid TOML: {printable(str(error))}") from None
    except RecursionError:
        raise UsageError(f"{printable(path)} nests too deep to be a file of waivers") from None


def _lines(text: str, count: int) -> list[int | None]:
    """The line of each waiver; ``None`` where the headers do not tell (waivers may be written in other ways)."""
    starts = [match.start() for match in _HEADER.finditer(text)]
    if len(starts) != count:
        return [None] * count
    return [text.count("\n", 0, start) + 1 for start in starts]


def _waiver(entry: Mapping[str, Any], path: str, line: int | None, rules: tuple[Rule, ...]) -> Waiver:
    where = printable(path) if line is None else f"{printable(path)}:{line}"
    for key in entry:
        if key not in KEYS:
            raise UsageError(f"{where}: {printable(key)} is no key of a waiver{nearest(key, KEYS)}")
    for key in KEYS:
        if key not in entry and key not in OPTIONAL:
            raise UsageError(f"{where}: the waiver has no {key}; it needs rule, address, owner, reason and until")
    texts = {key: _text(entry.get(key, ""), f"{where}: {key}", key) for key in KEYS if key != "until"}
    try:
        rule = find(texts["rule"], rules)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    if rule.waiver is not None:
        raise UsageError(f"{where}: {rule.id} is about waivers themselves and cannot be waived; mend the waiver")
    if says_nothing(texts["address"]):
        raise UsageError(
            f"{where}: the address {shown_value(texts['address'])} fits every group, and a waiver is about one that "
            "somebody has looked at; write more of the address"
        )
    if not _is_place(texts["leaf"]):
        raise UsageError(
            f"{where}: {quote(texts['leaf'])} is no place in a node group; a leaf is written in the API's names, with "
            "the script's name for its position, and `pcsguard waive list` prints it"
        )
    return Waiver(
        rule=rule.id,
        address=texts["address"],
        leaf=texts["leaf"],
        owner=shown(texts["owner"]),
        reason=shown(texts["reason"]),
        until=_date(entry["until"], f"{where}: until"),
        file=path,
        line=line,
    )


def _is_place(leaf: str) -> bool:
    try:
        return not leaf or canonical(leaf, "api") is not None
    except ValueError:
        return False


def _text(value: Any, where: str, key: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{where} is {shown_value(value)}, not a text")
    if not value.strip() and key not in OPTIONAL:
        raise UsageError(f"{where} is empty; a waiver without it tells nobody why it is there")
    return value


def _date(value: Any, where: str) -> date:
    if isinstance(value, str):
        value = parse_date(value) or value
    if isinstance(value, datetime):
        raise UsageError(f"{where} is a date with a time; write the last day only, like 2027-01-31")
    if not isinstance(value, date):
        raise UsageError(f"{where} is {shown_value(value)}, not a date; write the last day, like 2027-01-31")
    return value
