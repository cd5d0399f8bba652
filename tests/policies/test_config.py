"""The configuration: where it is found, what it may say, what comes first, and how errors read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import render
from support.pcsguard_cli import Run, pcsguard

from pcs_policies import config
from pcs_policies.config_keys import BY_NAME, KEYS, PRESETS
from pcs_policies.errors import UsageError
from pcs_policies.rules.fragments import SHA256, actions, script
from pcs_policies.settings import Settings

WARNS = actions(
    ready=[
        script(
            "motd",
            "s3://example-scripts/motd.sh",
            checksum=SHA256,
            onError="CONTINUE",
            executionPolicy="EVERY_BOOT",
        )
    ]
)
"""A group with one warning, PCS104, as far as FEW rules see."""

FEW = ("--select", "PCS101,PCS104")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder below another one, with a plan."""
    working = tmp_path / "stack"
    working.mkdir()
    (working / "plan.json").write_text(json.dumps(render.plan(WARNS)))
    return working


def check(folder: Path, *arguments: str, **env: Any) -> Run:
    return pcsguard("check", "-q", *arguments, "plan.json", cwd=folder, **env)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def load(monkeypatch: pytest.MonkeyPatch, folder: Path, **options: Any) -> config.Configuration:
    monkeypatch.chdir(folder)
    return config.load(**{"environ": {}, **options})


OURS = 'fail-on = "warning"\n'
TABLE = '[tool.pcsguard]\nfail-on = "info"\n'


@pytest.mark.parametrize(
    ("files", "file", "fail_on"),
    [
        pytest.param({}, None, "error", id="none"),
        pytest.param({"pcsguard.toml": OURS}, "pcsguard.toml", "warning", id="here"),
        pytest.param({"../pcsguard.toml": OURS}, "../pcsguard.toml", "warning", id="above"),
        pytest.param({"pyproject.toml": TABLE}, "pyproject.toml", "info", id="pyproject"),
        pytest.param({"pcsguard.toml": OURS, "pyproject.toml": TABLE}, "pcsguard.toml", "warning", id="own-file-first"),
        pytest.param({"../pcsguard.toml": OURS, "pyproject.toml": TABLE}, "pyproject.toml", "info", id="nearest-first"),
        pytest.param(
            {"../pcsguard.toml": OURS, "pyproject.toml": "[project]\nname = 'x'\n"},
            "../pcsguard.toml",
            "warning",
            id="pyproject-without-our-table",
        ),
        pytest.param(
            {"../pcsguard.toml": OURS, "pyproject.toml": "[project]\ndependencies = ['pcsguard']\n"},
            "../pcsguard.toml",
            "warning",
            id="pyproject-that-names-us",
        ),
        pytest.param(
            {"../pcsguard.toml": OURS, "pyproject.toml": "broken = \n"},
            "../pcsguard.toml",
            "warning",
            id="broken-pyproject-of-somebody-else",
        ),
        pytest.param({"../pcsguard.toml": OURS, "pcsguard.toml": ""}, "pcsguard.toml", "error", id="empty-file-counts"),
        pytest.param(
            {"../pcsguard.toml": OURS, "pyproject.toml": "[tool.pcsguard]\n"},
            "pyproject.toml",
            "error",
            id="empty-table-counts",
        ),
        pytest.param({"pcsguard.toml": "\ufeff" + OURS}, "pcsguard.toml", "warning", id="byte-order-mark"),
    ],
)
def test_which_file_is_in_force(
    monkeypatch: pytest.MonkeyPatch, folder: Path, files: dict[str, str], file: str | None, fail_on: str
) -> None:
    write(folder, files)
    found = load(monkeypatch, folder)
    assert (found.file, found.settings.fail_on) == (file, fail_on)


@pytest.mark.parametrize(
    ("arguments", "env", "code"),
    [
        ([], {}, 1),
        (["--fail-on", "error"], {}, 0),
        (["--fail-on", "error"], {"PCSGUARD_FAIL_ON": "info"}, 0),
        ([], {"PCSGUARD_FAIL_ON": "error"}, 0),
        ([], {"PCSGUARD_FAIL_ON": ""}, 1),
        (["--isolated"], {}, 0),
        (["--isolated"], {"PCSGUARD_FAIL_ON": "warning"}, 1),
        (["--isolated"], {"PCSGUARD_CONFIG": "strict.toml"}, 0),
        (["--config", "lax.toml"], {}, 0),
        (["--config", "lax.toml"], {"PCSGUARD_CONFIG": "missing.toml"}, 0),
        ([], {"PCSGUARD_CONFIG": "lax.toml"}, 0),
        ([], {"PCSGUARD_CONFIG": ""}, 1),
        ([], {"PCSGUARD_CONFIG": "missing.toml"}, 2),
        (["--config", "lax.toml", "--isolated"], {}, 2),
        (["--config", "strict.toml"], {}, 1),
        (["--config", "strict.toml"], {"PCSGUARD_PRESET": "baseline"}, 0),
        (["--config", "strict.toml"], {"PCSGUARD_FAIL_ON": "error"}, 0),
        (["--ignore", "PCS104"], {}, 0),
        ([], {"PCSGUARD_IGNORE": "PCS102, PCS104"}, 0),
        ([], {"PCSGUARD_SEVERITY": "PCS104=info"}, 0),
        ([], {"PCSGUARD_SEVERITY": "s3-version-pinned=error", "PCSGUARD_PRESET": "baseline"}, 1),
    ],
)
def test_precedence(folder: Path, arguments: list[str], env: dict[str, str], code: int) -> None:
    write(
        folder,
        {"pcsguard.toml": OURS, "lax.toml": 'fail-on = "never"', "strict.toml": 'preset = "strict"'},
    )
    run = check(folder, *FEW, *arguments, **env)
    assert run.code == code, run.out + run.err


def test_a_flag_can_switch_off_what_the_file_switches_on(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    write(folder, {"pcsguard.toml": "changed-only = true"})
    assert load(monkeypatch, folder).settings.changed_only
    assert not load(monkeypatch, folder, flags={"changed-only": False}).settings.changed_only
    assert check(folder, *FEW, "--no-changed-only").code == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ('preset = "strict"', {"fail_on": "warning"}),
        ('preset = "strict"\nfail-on = "error"', {"fail_on": "error"}),
        ('preset = "baseline"', {"lowest_severity": "error"}),
        ('select = ["PCS1", "logs-first"]', {"select": ("PCS1", "logs-first")}),
        ("ignore = []", {"ignore": ()}),
        ('severity = { PCS104 = "error" }', {"severity": (("PCS104", "error"),)}),
        ('[severity]\nlogs-first = "info"', {"severity": (("logs-first", "info"),)}),
        ('undecided = "ignore"', {"undecided": "ignore"}),
        ('allow-list = ["example-scripts"]', {"allow_list": ("example-scripts",)}),
        ('log-forwarders = ["splunk"]', {"log_forwarders": Settings().log_forwarders | {"splunk"}}),
        ('log-forwarders = ["-log"]', {"log_forwarders": Settings().log_forwarders - {"log"}}),
        (
            'best-effort = ["directory"]\nneeded-before-jobs = ["-directory"]',
            {
                "best_effort": Settings().best_effort | {"directory"},
                "needed_before_jobs": Settings().needed_before_jobs - {"directory"},
            },
        ),
    ],
)
def test_what_a_file_says(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str, expected: dict[str, Any]) -> None:
    write(folder, {"pcsguard.toml": text})
    assert load(monkeypatch, folder).settings == Settings()._replace(**expected)


@pytest.mark.parametrize(
    ("variable", "text", "field", "expected"),
    [
        ("PCSGUARD_SELECT", "PCS1,logs-first", "select", ("PCS1", "logs-first")),
        ("PCSGUARD_SEVERITY", "PCS104=error, PCS202=info", "severity", (("PCS104", "error"), ("PCS202", "info"))),
        ("PCSGUARD_ALLOW_LIST", "example-scripts,*.example.com", "allow_list", ("example-scripts", "*.example.com")),
        ("PCSGUARD_UNDECIDED", "ignore", "undecided", "ignore"),
        *(("PCSGUARD_CHANGED_ONLY", word, "changed_only", True) for word in ("1", "true", "Yes", "ON")),
        *(("PCSGUARD_CHANGED_ONLY", word, "changed_only", False) for word in ("0", "false", "no", "off", "")),
    ],
)
def test_what_a_variable_says(
    monkeypatch: pytest.MonkeyPatch, folder: Path, variable: str, text: str, field: str, expected: Any
) -> None:
    assert getattr(load(monkeypatch, folder, environ={variable: text}).settings, field) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('failon = "error"', "pcsguard.toml: failon is no key of the configuration (did you mean 'fail-on'?)"),
        ("zzz = 1", "pcsguard.toml: zzz is no key of the configuration; there are preset, select, "),
        ("[tool.pcsguard]", "the keys stand at the top of pcsguard.toml, without [tool.pcsguard]"),
        ('fail-on = "warn"', 'pcsguard.toml: fail-on: "warn" is none of error, warning, info, never'),
        ("fail-on = 1", "pcsguard.toml: fail-on: 1 is none of error, warning, info, never"),
        ('preset = "strikt"', "is none of baseline, strict (did you mean 'strict'?)"),
        ('changed-only = "yes"', 'pcsguard.toml: changed-only: "yes" is neither true nor false'),
        ('select = "PCS101"', 'pcsguard.toml: select: "PCS101" is not a list; write ["PCS101"]'),
        ('select = ["PCS101", 2]', "pcsguard.toml: select[1]: 2 is not a text"),
        ('select = ["PCS999"]', "pcsguard.toml: select: there is no rule 'PCS999'"),
        ('ignore = ["checksum-requird"]', "pcsguard.toml: ignore: there is no rule 'checksum-requird' (did you mean"),
        ('severity = { PCS10 = "error" }', "pcsguard.toml: severity: there is no rule 'PCS10'"),
        ('severity = { PCS101 = "fatal" }', 'severity.PCS101: "fatal" is none of error, warning, info'),
        (
            'severity = { PCS101 = "info", checksum-required = "error" }',
            "severity: PCS101 is there twice, once by its id and once by its title",
        ),
        ('severity = "error"', 'pcsguard.toml: severity: "error" is not a table; write severity = { PCS104 ='),
        ('best-effort = ["My-Mount"]', 'best-effort[0]: "My-Mount" is not a word: names are split at everything'),
        ('best-effort = ["mount"]', '"mount" is a word of needed-before-jobs too, and a script has one role; take it'),
        ('select = ["PCS104"]\nignore = ["PCS1"]', "no rule is left to run: select PCS104, ignore PCS1"),
        ('select = ["PCS104"]\npreset = "baseline"', "no rule is left to run: select PCS104, ignore nothing, lowest"),
        ("select = [\n", "pcsguard.toml is not valid TOML: Invalid value (at end of document)"),
        ("\nselect == 1\n", "pcsguard.toml is not valid TOML: Invalid value (at line 2, column 9)"),
        ("a = " + "[" * 100_000, "pcsguard.toml "),
        ('"\\u001b[31m" = 1', "pcsguard.toml: \\x1b[31m is no key"),
    ],
)
def test_an_error_says_where_and_what(folder: Path, text: str, message: str) -> None:
    write(folder, {"pcsguard.toml": text})
    run = check(folder)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
    assert "Traceback" not in run.err
    assert "\x1b" not in run.err


@pytest.mark.parametrize(
    ("files", "env", "message"),
    [
        ({"pyproject.toml": '[tool.pcsguard]\nfailon = "x"'}, {}, "pyproject.toml: tool.pcsguard.failon is no key"),
        ({"pyproject.toml": "tool.pcsguard = 1"}, {}, "pyproject.toml: tool.pcsguard is not a table"),
        ({"pyproject.toml": "[tool.pcsguard"}, {}, "pyproject.toml is not valid TOML"),
        ({}, {"PCSGUARD_FAIL_ON": "fatal"}, 'PCSGUARD_FAIL_ON: "fatal" is none of error, warning, info, never'),
        ({}, {"PCSGUARD_CHANGED_ONLY": "maybe"}, 'PCSGUARD_CHANGED_ONLY: "maybe" is none of 1, true, yes, on, 0'),
        ({}, {"PCSGUARD_SEVERITY": "PCS104"}, 'PCSGUARD_SEVERITY: "PCS104" gives no severity; write PCS104=error'),
        ({}, {"PCSGUARD_SELECT": "PCS999"}, "PCSGUARD_SELECT: there is no rule 'PCS999'"),
        ({}, {"PCSGUARD_CONFIG": "missing.toml"}, "missing.toml cannot be read: No such file or directory"),
        ({}, {"PCSGUARD_CONFIG": "."}, ". cannot be read: Is a directory"),
        ({"pyproject.toml": ""}, {"PCSGUARD_CONFIG": "pyproject.toml"}, "pyproject.toml has no table [tool.pcsguard]"),
    ],
)
def test_an_error_elsewhere(folder: Path, files: dict[str, str], env: dict[str, str], message: str) -> None:
    write(folder, files)
    run = check(folder, **env)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_a_file_that_is_no_text(folder: Path) -> None:
    (folder / "pcsguard.toml").write_bytes(b'fail-on = "\xff"')
    run = check(folder)
    assert run.code == 2
    assert "pcsguard.toml is not UTF-8 text: byte 11" in run.err


def test_a_secret_in_a_wrong_place_is_not_shown(folder: Path) -> None:
    write(folder, {"pcsguard.toml": 'preset = "https://deploy:example-secret@example.com"'})
    run = check(folder)
    assert run.code == 2
    assert "example-secret" not in run.err


def test_the_keys_and_the_settings_are_the_same() -> None:
    fields = {key.field for key in KEYS} - {"preset", "rules"}
    preset_only = {field for preset in PRESETS.values() for field in preset.settings} - fields
    assert fields | preset_only == set(Settings._fields)
    assert set(BY_NAME) == {key.name for key in KEYS}
    assert all(key.name == key.name.lower() and "_" not in key.name for key in KEYS)


RULE = '''\
"""Groups are named."""
from pcs_policies.rules.rule import Severity, failed
ID, TITLE, SEVERITY = "PCS901", "named-groups", Severity.WARNING
def check(group, settings):
    yield failed(group.after.leaf("name"), "a group has to have a name that people know", "give it one")
'''


@pytest.mark.parametrize(
    ("files", "rules", "ids"),
    [
        ({"../pcs901_a.py": RULE}, "pcs901_a.py", ["PCS901"]),
        ({"../rules/pcs901_a.py": RULE}, "rules/pcs901_a.py", ["PCS901"]),
        (
            {
                "../rules/pcs901_a.py": RULE,
                "../rules/pcs900_b.py": RULE.replace("PCS901", "PCS900").replace("named", "called"),
                "../rules/helper.py": "raise RuntimeError",
            },
            "rules",
            ["PCS900", "PCS901"],
        ),
    ],
)
def test_own_rules_are_relative_to_the_file(folder: Path, files: dict[str, str], rules: str, ids: list[str]) -> None:
    write(folder, {**files, "../pcsguard.toml": f'rules = ["{rules}"]\nselect = ["PCS9"]'})
    run = check(folder, "--format", "json")
    assert (run.code, run.err) == (0, "")
    assert [finding["rule"] for finding in run.report["findings"]] == ids


def test_own_rules_from_a_module(folder: Path) -> None:
    write(folder, {"site/own_rule.py": RULE, "pcsguard.toml": 'rules = ["own_rule"]\nfail-on = "warning"'})
    run = check(folder, "--select", "named-groups", PYTHONPATH="site")
    assert (run.code, run.err) == (1, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "rules: there is no Python file "),
        ("import", "cannot be imported: SyntaxError in line 1: "),
        ("raise ValueError('x\\ny')", "cannot be imported: ValueError: x\\x0ay"),
        ("import sys; sys.exit(0)", "cannot be imported: SystemExit"),
        ("import no_such_module", "cannot be imported: ModuleNotFoundError"),
        ("", 'is no rule: its ID is not one of "PCS900" to "PCS999"'),
        (RULE.replace("PCS901", "PCS101"), 'is no rule: its ID is not one of "PCS900" to "PCS999"'),
        (RULE.replace("named-groups", "Named Groups"), "is no rule: its TITLE is not words in lower case"),
        (RULE.replace("named-groups", "logs-first"), "there is another rule logs-first (built in)"),
        (RULE.replace("Severity.WARNING", '"warning"'), "is no rule: its SEVERITY is not Severity.ERROR"),
        (RULE.replace("def check", "def judge"), "is no rule: it has to have either a function `check` or a `fold`"),
        (RULE + "check = 1", "is no rule: its `check` is not a function"),
        (RULE + "fold = 1\ndel check", "is no rule: its `fold` is not a Fold"),
        (RULE + "NEEDS = {'stated', 'luck'}", "is no rule: its NEEDS are not among change, source, stated"),
    ],
)
def test_a_file_that_is_no_rule(folder: Path, text: str | None, message: str) -> None:
    write(folder, {"pcsguard.toml": 'rules = ["pcs901_a.py"]', **({"pcs901_a.py": text} if text is not None else {})})
    run = check(folder)
    assert (run.code, run.out) == (2, "")
    assert "pcsguard.toml: rules: " in run.err
    assert message in run.err
    assert "pcs901_a.py" in run.err
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ('["pcs901_a.py", "pcs901_b.py"]', "pcs901_b.py: there is another rule PCS901 (pcs901_a.py)"),
        ('["no_such_module"]', "there is no module no_such_module; give an installed module, or a file that ends in"),
        ('["empty"]', "the folder empty holds no rule: their files are called pcs9*.py"),
    ],
)
def test_rules_that_cannot_be_taken(folder: Path, rules: str, message: str) -> None:
    write(
        folder,
        {"pcsguard.toml": f"rules = {rules}", "pcs901_a.py": RULE, "pcs901_b.py": RULE, "empty/helper.py": ""},
    )
    run = check(folder)
    assert run.code == 2
    assert message in run.err


def test_no_exec_runs_no_code_of_a_configuration(folder: Path) -> None:
    write(folder, {"pcsguard.toml": 'rules = ["pcs901_a.py"]', "pcs901_a.py": "open('ran', 'w').close()"})
    run = check(folder, "--no-exec")
    assert run.code == 2
    assert "rules of your own are Python code, and --no-exec forbids to run any" in run.err
    assert not (folder / "ran").exists()
    assert check(folder, *FEW, "--no-exec", "--isolated").code == 0


def test_a_message_of_an_own_rule_cannot_drive_a_terminal(folder: Path) -> None:
    rule = RULE.replace("a name that people know", "a name\\x1b[31m that people know")
    write(folder, {"pcsguard.toml": 'rules = ["pcs901_a.py"]', "pcs901_a.py": rule})
    run = check(folder, "--select", "PCS901")
    assert (run.code, "\x1b" in run.out) == (0, False)
    assert "a name\\x1b[31m that people know" in run.out


RAISES = """\
from pcs_policies.rules.rule import Fold, Severity
ID, TITLE, SEVERITY = "PCS901", "raises", Severity.INFO
def fail(*_):
    raise KeyError("s3://example-secret")
"""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("check = fail", f"PCS901 cannot judge {render.ADDRESS}: the rule failed (KeyError, pcs901_a.py:4)"),
        (
            "def check(group, settings): return None",
            f"PCS901 cannot judge {render.ADDRESS}: the rule failed (TypeError",
        ),
        ("fold = Fold(fail, fail)", f"PCS901 cannot judge {render.ADDRESS}: the rule failed (KeyError"),
        (
            "fold = Fold(lambda group, settings: [(group.after, 1)], fail)",
            "PCS901 cannot compare the groups: the rule failed (KeyError, pcs901_a.py:4)",
        ),
    ],
)
def test_a_rule_that_raises_is_something_not_checked(folder: Path, code: str, message: str) -> None:
    own = 'rules = ["pcs901_a.py"]\nselect = ["PCS104", "PCS901"]'
    write(folder, {"pcsguard.toml": own, "pcs901_a.py": RAISES + code})
    run = check(folder, "--format", "json")
    assert run.code == 3
    assert [entry["reason"].startswith(message) for entry in run.report["unchecked"]] == [True]
    assert [finding["rule"] for finding in run.report["findings"]] == ["PCS104"], "the other rules are run"
    assert "example-secret" not in run.out + run.err
    text = check(folder)
    assert message in text.out
    assert "example-secret" not in text.out + text.err


def test_nothing_is_imported_that_a_run_without_a_file_does_not_need(folder: Path) -> None:
    code = "import sys; from pcs_policies.cli.main import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "plan.json"], cwd=folder, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "pcs_policies.config" in loaded
    slow = {"tomllib", "dataclasses", "inspect", "subprocess", "pathlib", "importlib.metadata", "difflib"}
    slow |= {"typing", "base64", "math", "contextlib", "threading", "atexit"}  # the last two: see cli.main.main
    slow |= {"pcs_policies.sources.join", "pcs_policies.sources.folders"}
    heavy = {
        "boto3",
        "botocore",
        "hcl2",
        "yaml",
        "cdktf",
        "cdktn",
        "rich",
        "shtab",
        "jinja2",
        "jsonschema",
        "grpc",
        "msgspec",
        "moto",
    }
    assert not (slow | heavy) & loaded


def test_a_folder_that_is_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="the working folder does not exist any more"):
        config.load(environ={})
