"""Flags that commands share, and how flags become settings.

A flag that is not given is ``None``, so that the environment and the configuration file are asked next.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, HelpFormatter, Namespace
from collections.abc import Iterator

from pcs_contract.hints import TYPE_CHECKING, Any
from pcs_policies import config
from pcs_policies.config import Configuration
from pcs_policies.config_keys import BY_NAME
from pcs_policies.config_values import OneOf
from pcs_policies.errors import InputError, UsageError
from pcs_policies.rules.table import every
from pcs_policies.sources.given import Given
from pcs_policies.sources.inputs import Opened, Options, open_inputs
from pcs_policies.sources.kinds import KINDS
from pcs_policies.sources.variables import Assignment, VariableFile, Variables
from pcs_policies.terminal import Progress, columns

if TYPE_CHECKING:
    from argparse import _ActionsContainer

    from pcs_policies.baseline import Baseline
    from pcs_policies.waivers.entry import Waiver

NO_EXEC = "never run other code: neither terraform, to read a binary plan, nor rules of your own"


class Help(HelpFormatter):
    """Help as wide as the terminal; a text with line breaks of its own keeps them."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=columns() - 2)  # argparse would import shutil for it, at every start

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


def add_inputs(parser: ArgumentParser) -> None:
    """Add the inputs and the flags that say how to read them."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a plan (JSON or binary), a state, terraform or cdktf source, a CloudFormation template, JSON of the PCS "
        "API, or a folder with any of these; - is standard input",
    )
    reading = parser.add_argument_group("reading")
    reading.add_argument(
        "--source",
        metavar="PATH",
        help="what the plans were made from: a folder of .tf files, or cdktf.out; decides what a plan leaves open, and "
        "gives findings a line (found by itself beside a binary plan, and in a cdktf stack folder)",
    )
    reading.add_argument("--kind", choices=[kind.id for kind in KINDS], help="take the inputs for this kind")
    reading.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the CloudFormation templates, such as AWS::Region=eu-west-1; others have their default, "
        "or are not known (may be repeated)",
    )
    reading.add_argument(
        "--var",
        action="append",
        type=_assignment,
        dest="variables",
        default=[],
        metavar="NAME=VALUE",
        help="a variable of terraform's root module, as for `terraform plan -var` (may be repeated)",
    )
    reading.add_argument(
        "--var-file",
        action="append",
        type=VariableFile,
        dest="variables",
        metavar="FILE",
        help="a file of variables, as for `terraform plan -var-file`; those that terraform loads by itself are read "
        "anyway (may be repeated)",
    )
    reading.add_argument("--no-exec", action="store_true", help=NO_EXEC)


def read(parsed: Namespace, configuration: Configuration) -> list[str]:
    """The files and folders that a run reads, none of which a report may overwrite; without the baseline."""
    variables = [given.path for given in parsed.variables if isinstance(given, VariableFile)]
    others = (parsed.source, configuration.file, configuration.waiver_file())
    return [*parsed.paths, *variables, *(path for path in others if path is not None)]


def inputs(parsed: Namespace) -> Iterator[Opened]:
    """The inputs, opened one by one."""
    source, failed = None, None
    variables = Variables(tuple(parsed.variables))
    if parsed.source is not None:
        from pcs_policies.sources.join import open_source

        try:
            source = open_source(parsed.source, explicit=True, variables=variables)
        except InputError as error:
            failed = Opened(parsed.source, None, str(error))
    given = Given(_parameters(parsed.parameter))
    options = Options(parsed.kind, source, may_execute=not parsed.no_exec, given=given, variables=variables)
    with Progress(sys.stderr) as progress:
        yield from open_inputs(parsed.paths, options, progress)
    if failed is not None:
        yield failed
    for name in given.unused():
        yield Opened("--parameter", None, f"no template has a parameter {name!r}; mend the name, or leave it out")


def _assignment(text: str) -> Assignment:
    name, equals, value = text.partition("=")
    if not name.strip() or not equals:
        raise ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return Assignment(name.strip(), value)


def _parameters(given: list[str]) -> dict[str, str]:
    """The parameters by name. Raises :class:`~pcs_policies.errors.UsageError`."""
    values: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"--parameter takes NAME=VALUE, not {text!r}")
        if name in values:
            raise UsageError(f"--parameter {name} is given twice")
        values[name] = value
    return values


def add_configuration(parser: ArgumentParser) -> None:
    """Add the flags that choose the configuration file."""
    group = parser.add_argument_group(
        "configuration", "the nearest pcsguard.toml, or pyproject.toml with [tool.pcsguard], upwards from here"
    )
    which = group.add_mutually_exclusive_group()
    which.add_argument("--config", metavar="FILE", help="use this configuration file (or set PCSGUARD_CONFIG)")
    which.add_argument("--isolated", action="store_true", help="use no configuration file")


def add_settings(parser: ArgumentParser) -> None:
    """Add the flags that come before the environment and the configuration file."""
    choice = parser.add_argument_group("which rules")
    names = "(ids, beginnings of ids or titles)"
    choice.add_argument("--select", action="append", metavar="RULES", help=f"check only these rules {names}")
    choice.add_argument("--ignore", action="append", metavar="RULES", help=f"leave these rules out {names}")
    choice.add_argument(
        "--changed-only",
        action=BooleanOptionalAction,
        default=None,
        help="leave out groups that the plan does not change",
    )
    outcome = parser.add_argument_group("what fails the run")
    outcome.add_argument(
        "--fail-on", choices=_choices("fail-on"), help="lowest severity that fails the run (default: error)"
    )
    outcome.add_argument(
        "--undecided",
        choices=_choices("undecided"),
        help="whether a rule that the input leaves undecided fails the run (default: fail)",
    )


def add_waivers(parser: _ActionsContainer) -> None:
    """Add the flag that names the file of waivers."""
    parser.add_argument(
        "--waivers",
        metavar="FILE",
        help=f"the file of waivers (default: {config.WAIVERS} beside the configuration file or here)",
    )


def waivers(configuration: Configuration) -> tuple[Waiver, ...]:
    """The waivers of the file in use, if any. Raises :class:`~pcs_policies.errors.UsageError`."""
    file = configuration.waiver_file()
    if file is None:
        return ()
    from pcs_policies.waivers import toml_file  # imports a parser; most runs have no such file

    return toml_file.read(file, every(configuration.settings, configuration.own))


def baseline(configuration: Configuration) -> Baseline | None:
    """The baseline to compare with, if any. Raises :class:`~pcs_policies.errors.UsageError`."""
    if configuration.settings.baseline is None:
        return None
    from pcs_policies.baseline import read

    return read(configuration.settings.baseline)


_SETTINGS = ("select", "ignore", "changed-only", "fail-on", "undecided", "waivers", "baseline")
"""Keys that have a flag."""


def configuration(arguments: Namespace) -> Configuration:
    """The configuration in force. Raises :class:`~pcs_policies.errors.UsageError`."""
    return config.load(
        {name: _value(getattr(arguments, BY_NAME[name].field, None)) for name in _SETTINGS},
        file=arguments.config,
        isolated=arguments.isolated,
        may_execute=not getattr(arguments, "no_exec", False),
    )


def _value(given: Any) -> Any:
    """The value of a flag; one that can be repeated takes names with commas between them."""
    if isinstance(given, list):
        return tuple(name.strip() for value in given for name in value.split(",") if name.strip())
    return given


def _choices(key: str) -> tuple[str, ...]:
    kind = BY_NAME[key].kind
    assert isinstance(kind, OneOf), f"{key} has no fixed words"
    return kind.allowed
