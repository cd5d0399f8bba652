"""Every key of the configuration: one table, from which all else about keys is derived.

Reading, validation, the names of environment variables, the JSON Schema and the reference page all come from
:data:`KEYS`. Defaults stand in :class:`~pcs_policies.settings.Settings`, whose fields the keys are named after.
"""

from collections.abc import Mapping

from pcs_contract.hints import Any
from pcs_contract.record import Record
from pcs_policies.config_values import Kind, Number, OneOf, Path, Severities, Switch, Texts
from pcs_policies.rules.rule import Severity

SEVERITIES = tuple(severity.value for severity in reversed(Severity))


class Preset(Record):
    """A name for several settings at once; keys that are given themselves come before it."""

    about: str
    settings: Mapping[str, Any]


PRESETS: Mapping[str, Preset] = {
    "baseline": Preset("only errors count, other rules are not run", {"lowest_severity": Severity.ERROR.value}),
    "strict": Preset("every rule is run, and warnings fail the run too", {"fail_on": Severity.WARNING.value}),
}


class Key(Record):
    """A key. ``about`` is markdown; ``example`` is what stands behind the equals sign in TOML."""

    name: str
    kind: Kind
    about: str
    example: str

    @property
    def field(self) -> str:
        """The field of the settings that the key sets."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The environment variable that comes before the file."""
        return f"PCSGUARD_{self.field.upper()}"


def _words() -> Texts:
    return Texts(
        "words (lower-case letters and digits), `-` before one takes it out",
        r"-?[a-z0-9]+",
        "a word: names are split at everything that is no letter or digit, so give lower-case letters and digits, "
        "with - in front to take a built-in word out",
    )


_RULE_NAMES = "rule ids (`PCS101`), beginnings of ids (`PCS2`) or titles (`checksum-required`)"
_WORDS = "The words are added to the built-in ones; a word with `-` in front is taken out."

KEYS: tuple[Key, ...] = (
    Key(
        "preset",
        OneOf(*PRESETS),
        "Several settings at once. "
        + " ".join(f"`{name}`: {preset.about}." for name, preset in PRESETS.items())
        + " Other keys come before what a preset says.",
        '"strict"',
    ),
    Key("select", Texts(_RULE_NAMES), "The rules to run; all rules, when the list is empty.", '["PCS1", "PCS201"]'),
    Key("ignore", Texts(_RULE_NAMES), "Rules to leave out, also of those that `select` names.", '["PCS104"]'),
    Key(
        "severity",
        Severities(*SEVERITIES),
        "Severities other than a rule's own. They count wherever a severity does: in reports, for `fail-on` and for "
        "the preset `baseline`.",
        '{ PCS104 = "error", logs-first = "info" }',
    ),
    Key(
        "fail-on",
        OneOf(*SEVERITIES, "never"),
        "The lowest severity of a finding that makes the run fail (exit code 1).",
        '"warning"',
    ),
    Key(
        "undecided",
        OneOf("fail", "ignore"),
        "Whether a rule that the input leaves undecided makes the run fail (exit code 3) when its severity is at or "
        "above `fail-on`. What could not be checked is not fine, so think before you ignore it.",
        '"ignore"',
    ),
    Key("changed-only", Switch(), "Leave out node groups that a plan does not change.", "true"),
    Key(
        "allow-list",
        Texts("hosts (`scripts.example.com`) and buckets (`hpc-scripts`, or `s3://` before a name with dots)"),
        "The only hosts and buckets that scripts may come from (rule PCS106, which is off while the list is empty). "
        "`*` stands for any part of a name.",
        '["example-scripts", "*.example.com"]',
    ),
    Key(
        "needed-before-jobs",
        _words(),
        "Words in a script's name that say: without it, a job finds no storage or no users (rules PCS205 and PCS207). "
        + _WORDS,
        '["scratch", "-directory"]',
    ),
    Key(
        "log-forwarders",
        _words(),
        "Words in a script's name that say: it ships logs off the node (rule PCS208). " + _WORDS,
        '["splunk"]',
    ),
    Key(
        "best-effort",
        _words(),
        "Words in a script's name that say: the node is fine without it (rule PCS206). " + _WORDS,
        '["inventory"]',
    ),
    Key(
        "rules",
        Texts("files, folders or modules"),
        "Rules of your own ([how to write one](writing-rules.md)): Python files, folders (every `pcs9*.py` in them) or "
        "modules. Files and folders are relative to the configuration file.",
        '["policies/pcs901_owner_tag.py"]',
    ),
    Key(
        "waivers",
        Path(),
        "The file of [waivers](waivers.md). Without this key it is `pcsguard-waivers.toml` beside the configuration "
        "file, or else in the working folder, if there is one.",
        '"waivers/hpc.toml"',
    ),
    Key(
        "waiver-days",
        Number(1),
        "How many days from today a [waiver](waivers.md) may last; one that ends later is a finding (rule PCS804).",
        "90",
    ),
    Key(
        "baseline",
        Path(),
        "The file of findings that were there before ([baseline](waivers.md#baseline)) and do not fail the run; "
        "`pcsguard baseline write` makes it. It has nothing to do with the preset of that name.",
        '"pcsguard-baseline.json"',
    ),
)

BY_NAME: Mapping[str, Key] = {key.name: key for key in KEYS}
