"""The configuration of pcsguard, for the command, the provider and checkov alike.

A setting is taken from the first of these that gives it: a flag, an environment variable (``PCSGUARD_FAIL_ON``), the
configuration file, the preset, the default. A list or table replaces the one of a later source as a whole. The file
is the nearest ``pcsguard.toml``, or ``pyproject.toml`` with a table ``[tool.pcsguard]``, upwards from the working
folder; ``--config`` or ``PCSGUARD_CONFIG`` name another one. What keys there are stands in
:mod:`pcs_policies.config_keys`.
"""

import os
from collections.abc import Mapping

from pcs_contract.hints import Any
from pcs_contract.record import Record
from pcs_policies.config_keys import BY_NAME, KEYS, PRESETS
from pcs_policies.config_values import Wrong
from pcs_policies.errors import UsageError, nearest
from pcs_policies.redaction import printable
from pcs_policies.rules import table
from pcs_policies.rules.table import Rule
from pcs_policies.settings import Settings

VARIABLE = "PCSGUARD_CONFIG"
OWN_FILE, SHARED_FILE = "pcsguard.toml", "pyproject.toml"
WAIVERS = "pcsguard-waivers.toml"
"""Where waivers stand, beside the configuration file or in the working folder, unless something else is said."""


class Configuration(Record):
    """What is in force: the settings, the user's own rules, and the file they come from, if any.

    ``isolated`` tells that no file was to be looked for.
    """

    settings: Settings
    own: tuple[Rule, ...]
    file: str | None
    isolated: bool = False

    def rules(self) -> tuple[Rule, ...]:
        """The rules to run (see :func:`~pcs_policies.rules.table.chosen`)."""
        return table.chosen(self.settings, self.own)

    def waiver_file(self) -> str | None:
        """The file of waivers to use, if any: the named one, whether it exists or not, or one that is found."""
        if self.settings.waivers is not None or self.isolated:
            return self.settings.waivers
        beside = os.path.join(os.path.dirname(self.file), WAIVERS) if self.file else WAIVERS
        return next((path for path in (beside, WAIVERS) if os.path.isfile(path)), None)

    def new_waiver_file(self) -> str:
        """Where a waiver is written: the file in use, or else a new one beside the configuration file."""
        folder = os.path.dirname(self.file) if self.file else ""
        return self.waiver_file() or os.path.join(folder, WAIVERS)


class File(Record):
    """A configuration file. ``prefix`` is put before its keys in messages."""

    path: str
    prefix: str
    values: Mapping[str, Any]


class Given(Record):
    """A value of a key, where it comes from (``pcsguard.toml: fail-on``), and the folder that paths are relative to."""

    value: Any
    where: str
    folder: str


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    file: str | None = None,
    isolated: bool = False,
    environ: Mapping[str, str] | None = None,
    may_execute: bool = True,
) -> Configuration:
    """The configuration of a run.

    ``flags`` maps keys to values of flags, ``None`` for one that is not given. ``file`` is the one to use; without
    it, the nearest one is looked for. ``isolated`` uses no file. With ``may_execute`` off, a configuration that names
    rules of the user's own, which are Python code, is refused. Raises :class:`UsageError` for what cannot be read or
    makes no sense; nothing is ignored silently.
    """
    variables = os.environ if environ is None else environ
    found = None if isolated else _file(file or variables.get(VARIABLE) or None)
    given = {**(_of_file(found) if found else {}), **_of_environment(variables), **_of_flags(flags or {})}
    own = _own_rules(given.get("rules"), may_execute)
    settings = _settings(given)
    _check_names(given, table.RULES + table.WAIVER_RULES + own)
    return Configuration(settings, own, found.path if found else None, isolated)


def _of_flags(flags: Mapping[str, Any]) -> dict[str, Given]:
    return {name: Given(value, "", ".") for name, value in flags.items() if value is not None}


def _of_environment(variables: Mapping[str, str]) -> dict[str, Given]:
    """The settings of the environment; an empty variable counts as not set."""
    given = {}
    for key in KEYS:
        text = variables.get(key.variable)
        if text:
            try:
                given[key.name] = Given(key.kind.parse(text), key.variable, ".")
            except Wrong as wrong:
                raise UsageError(f"{key.variable}{printable(wrong.below)}: {wrong}") from None
    return given


def _of_file(file: File) -> dict[str, Given]:
    given = {}
    folder = os.path.dirname(file.path)
    for name, value in file.values.items():
        where = f"{printable(file.path)}: {file.prefix}{printable(name)}"
        key = BY_NAME.get(name)
        if key is None:
            raise UsageError(f"{where} is no key of the configuration{_hint(name, file)}")
        try:
            given[name] = Given(key.kind.read(value), where, folder)
        except Wrong as wrong:
            raise UsageError(f"{where}{printable(wrong.below)}: {wrong}") from None
    return given


def _hint(name: str, file: File) -> str:
    if name == "tool" and not file.prefix:
        return f"; the keys stand at the top of {OWN_FILE}, without [tool.pcsguard]"
    return nearest(name, BY_NAME) or f"; there are {', '.join(BY_NAME)}"


def _settings(given: Mapping[str, Given]) -> Settings:
    preset = given.get("preset")
    values: dict[str, Any] = dict(PRESETS[preset.value].settings) if preset else {}
    for name, entry in given.items():
        field = BY_NAME[name].field
        if name in _WORDS:
            values[field] = _with_words(getattr(Settings(), field), entry.value)
        elif name in _PATHS:
            values[field] = os.path.normpath(os.path.join(entry.folder, entry.value))
        elif field in Settings._fields:
            values[field] = entry.value
    settings = Settings(**values)
    _check_words(settings, given)
    return settings


_PATHS = ("waivers", "baseline")
"""Keys whose value is a file, relative to the configuration file."""

_WORDS = ("needed-before-jobs", "log-forwarders", "best-effort")
"""Keys whose words are added to the built-in ones; a word has one role, so it is in one list only."""


def _with_words(words: frozenset[str], changes: tuple[str, ...]) -> frozenset[str]:
    out = {word[1:] for word in changes if word.startswith("-")}
    return (words - out) | {word for word in changes if not word.startswith("-")}


def _check_words(settings: Settings, given: Mapping[str, Given]) -> None:
    for name in _WORDS:
        for other in _WORDS:
            shared = getattr(settings, BY_NAME[name].field) & getattr(settings, BY_NAME[other].field)
            if name != other and name in given and shared:
                word = min(shared)
                raise UsageError(
                    f'{given[name].where}: "{word}" is a word of {other} too, and a script has one role; '
                    f'take it out there: {other} = ["-{word}"]'
                )


def _own_rules(given: Given | None, may_execute: bool) -> tuple[Rule, ...]:
    if given is None or not given.value:
        return ()
    if not may_execute:
        raise UsageError(
            f"{given.where}: rules of your own are Python code, and --no-exec forbids to run any; "
            "leave one of the two out (--isolated uses no configuration file)"
        )
    from pcs_policies.rules import own

    try:
        return own.load(given.value, given.folder)
    except UsageError as error:
        raise UsageError(f"{given.where}: {error}") from None


def _check_names(given: Mapping[str, Given], rules: tuple[Rule, ...]) -> None:
    """Raises :class:`UsageError`, saying where it stands, for a name of a rule that does not exist."""
    for key in ("select", "ignore", "severity"):
        entry = given.get(key)
        if entry is None:
            continue
        try:
            if key == "severity":
                named = [table.find(name, rules).id for name, _ in entry.value]
                twice = next((rule for rule in named if named.count(rule) > 1), None)
                if twice:
                    raise UsageError(f"{twice} is there twice, once by its id and once by its title; leave one out")
            else:
                table.check_names(entry.value, rules)
        except UsageError as error:
            raise UsageError(f"{entry.where}: {error}" if entry.where else str(error)) from None


def _file(named: str | None) -> File | None:
    """The configuration file to use: the named one, or else the nearest one, if any."""
    if named is None:
        return nearest_file()
    file = _read(named)
    if file is None:
        raise UsageError(f"{printable(named)} has no table [tool.pcsguard]")
    return file


def nearest_file() -> File | None:
    """The first file upwards from the working folder that has our table; ``pcsguard.toml`` is all ours."""
    try:
        folder = os.getcwd()
    except OSError:
        raise UsageError("the working folder does not exist any more; change to one that does") from None
    while True:
        for name in (OWN_FILE, SHARED_FILE):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                file = _read(os.path.relpath(path))
                if file is not None:
                    return file
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _read(path: str) -> File | None:
    """A configuration file; ``None`` for a ``pyproject.toml`` without our table."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise UsageError(f"{printable(path)} cannot be read: {error.strerror or type(error).__name__}") from None
    shared = os.path.basename(path) == SHARED_FILE
    if shared and b"pcsguard" not in data:
        return None  # spares most projects the parser
    document = _parse(data, path)
    if not shared:
        return File(path, "", document)
    tool = document.get("tool")
    values = tool.get("pcsguard") if isinstance(tool, dict) else None
    if values is None:
        return None
    if not isinstance(values, dict):
        raise UsageError(f"{printable(path)}: tool.pcsguard is not a table; write [tool.pcsguard]")
    return File(path, "tool.pcsguard.", values)


def _parse(data: bytes, path: str) -> dict[str, Any]:
    import tomllib  # here, not above: most runs have no file, and it is what start-up would feel

    try:
        return tomllib.loads(data.decode("utf-8-sig"))  # editors on Windows write a byte order mark
    except UnicodeDecodeError as error:
        raise UsageError(f"{printable(path)} is not UTF-8 text: byte {error.start} ({error.reason})") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{printable(path)} is not valid TOML: {printable(str(error))}") from None
    except RecursionError:
        raise UsageError(f"{printable(path)} nests too deep to be a configuration") from None
