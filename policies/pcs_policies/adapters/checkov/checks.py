"""One check of checkov for each rule that a single resource can decide, made from the table of rules."""

from __future__ import annotations

import inspect
import logging
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from checkov.cloudformation.checks.resource.registry import cfn_registry
from checkov.common.bridgecrew.severities import Severities
from checkov.common.models.enums import CheckCategories, CheckResult
from checkov.terraform.checks.resource.base_resource_check import BaseResourceCheck
from checkov.terraform.context_parsers.registry import parser_registry

from pcs_policies import config
from pcs_policies.adapters.checkov import process, verdict
from pcs_policies.adapters.checkov.hcl_sensitive import Call
from pcs_policies.adapters.checkov.normalise import Resource, Seen, normalise
from pcs_policies.adapters.checkov.verdict import Verdict
from pcs_policies.errors import UsageError
from pcs_policies.rules.doc import parse
from pcs_policies.rules.rule import Severity
from pcs_policies.rules.table import Rule
from pcs_policies.settings import Settings
from pcs_policies.sources.kinds import CLOUDFORMATION_TYPE, TERRAFORM_TYPES

TYPES = (*TERRAFORM_TYPES, CLOUDFORMATION_TYPE)

SEVERITIES: Mapping[Severity, str] = {Severity.ERROR: "HIGH", Severity.WARNING: "MEDIUM", Severity.INFO: "LOW"}
"""Severity of a rule -> the name of checkov's."""

CATEGORIES: Mapping[str, CheckCategories] = {
    "PCS107": CheckCategories.SECRETS,
    "PCS108": CheckCategories.SECRETS,
    "PCS1": CheckCategories.SUPPLY_CHAIN,
    "PCS2": CheckCategories.BACKUP_AND_RECOVERY,
    "PCS3": CheckCategories.CONVENTION,
    "PCS4": CheckCategories.CONVENTION,
}
"""First characters of a rule's id -> category; general security for all others."""

GUIDE = "https://docs.aws.amazon.com/pcs/latest/userguide/"
API = "https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateComputeNodeGroup.html"

RESULTS = {None: CheckResult.UNKNOWN, True: CheckResult.PASSED, False: CheckResult.FAILED}
"""What checkov does with an unknown result is to leave it out, which is right for a group that does not exist."""

INPUT_ID = "CKV_PCS_000"
"""The check that fails where an input could not be checked as a whole; no rule has that number."""


def register(cloned: Path | None = None) -> None:
    """Make the checks, which registers them. ``cloned`` is a folder of which nothing is judged.

    Raises :class:`~pcs_policies.errors.UsageError` for a configuration that makes no sense.
    """
    process.spare()
    configuration = config.load()
    look = _Look(cloned)
    _InputCheck(look)
    for rule in configuration.rules():
        if verdict.applies(rule):
            _RuleCheck(rule, configuration.settings, look)


def check_id(rule: str) -> str:
    """``PCS101`` -> ``CKV_PCS_101``."""
    return f"CKV_{rule[:3]}_{rule[3:]}"


def guideline(rule: Rule) -> str:
    """The page of AWS's documentation that the rule's own names first."""
    sections = parse(rule.module.__doc__).sections
    sources = [" ".join(section.paragraphs) for section in sections if section.heading == "Sources"]
    page = re.search(r"PCS user guide, ([a-z][\w-]*)", " ".join(sources))
    return f"{GUIDE}{page[1]}.html" if page else API


class _Look:
    """The resource that checks are asked about, read once for all of them."""

    def __init__(self, cloned: Path | None) -> None:
        self._cloned = cloned
        self._conf: Any = None
        self._seen: Seen | None = None
        self._context: Any = None
        self._texts: _Texts = {}

    def at(self, conf: dict[str, Any], entity_path: str, type_: str) -> Seen | None:
        """The resource with that ``conf``; ``None`` for one that was cloned together with the checks."""
        if conf is not self._conf:
            name = entity_path.rpartition(f":{type_}:")[2]
            path, calls = _place()
            if self._cloned is not None and self._cloned in Path(path).resolve().parents:
                self._seen = None
            else:
                self._seen = normalise(Resource(type_, name, conf, path, self._text(conf, type_, name, path), calls))
            self._conf = conf
        return self._seen

    def _text(self, conf: dict[str, Any], type_: str, name: str, path: str) -> str | None:
        """The block of a resource in Terraform's own syntax, which checkov keeps to show it."""
        if parser_registry.definitions_context is not self._context:
            self._context = parser_registry.definitions_context
            self._texts = _blocks(self._context)
        return self._texts.get((path, type_, name.partition("[")[0], conf.get("__start_line__", 0)))


def _place() -> tuple[str, tuple[Call, ...]]:
    """The file that checkov is at, and the module calls that lead there, the last one first.

    It tells a check what is below the folder that it scans, but not which that is; its runners have the whole path.
    """
    frame = inspect.currentframe()
    while frame is not None:
        for name in ("full_file_path", "file_abs_path"):
            found = frame.f_locals.get(name)
            if found is not None:
                return str(getattr(found, "file_path", found)), tuple(_calls(found))
        frame = frame.f_back
    raise UsageError("this version of checkov does not tell where a resource is")


def _calls(key: Any) -> Iterator[Call]:
    """The module calls in checkov's key of a file."""
    call = getattr(key, "tf_source_modules", None)
    while call is not None:
        yield call.path, call.name
        call = call.nested_tf_module


_Texts = dict[tuple[str, str, str, int], str]
"""Path, type, name and line of a node group -> its block."""


def _blocks(context: Mapping[Any, Mapping[str, Any]]) -> _Texts:
    found: _Texts = {}
    for file, blocks in context.items():
        for type_ in TERRAFORM_TYPES:
            for name, block in blocks.get("resource", {}).get(type_, {}).items():
                text = "".join(line for _, line in block.get("code_lines", ()))
                found[file.file_path, type_, name.partition("[")[0], block.get("start_line", 0)] = text
    return found


class _Check(BaseResourceCheck):
    """A check on node groups in all frameworks."""

    def __init__(self, look: _Look, **about: Any) -> None:
        super().__init__(supported_resources=TYPES, **about)
        cfn_registry.register(self)
        self._look = look
        self._watched = bool(os.environ.get("PCSGUARD_DEBUG"))  # then what goes wrong is raised, for checkov to tell

    def judge(self, seen: Seen) -> Verdict:
        raise NotImplementedError

    def run(
        self,
        scanned_file: str,
        entity_configuration: dict[str, Any],
        entity_name: str,
        entity_type: str,
        skip_info: Any,
    ) -> Any:
        """As checkov's own, which words a message on every result, less the message where nobody sees it."""
        if skip_info or self._watched or self.logger.isEnabledFor(logging.DEBUG):
            return super().run(scanned_file, entity_configuration, entity_name, entity_type, skip_info)
        self.entity_path = f"{scanned_file}:{entity_type}:{entity_name}"
        result = self.scan_entity_conf(entity_configuration, entity_type)
        return {"result": result, "evaluated_keys": self.evaluated_keys}

    def scan_entity_conf(self, conf: dict[str, Any], entity_type: str) -> CheckResult:
        """In place of what terraform's and CloudFormation's checks do with ``conf`` before they look at it."""
        self.entity_type = entity_type
        found = verdict.NOTHING
        if conf.get("count") != [0]:
            try:
                seen = self._look.at(conf, self.entity_path, entity_type)
                if seen is not None:
                    found = self.judge(seen)
            except Exception as error:  # checkov would leave the check out of its results, as if there were nothing
                if self._watched:
                    raise
                found = Verdict(False, (f"not judged: a defect of pcsguard ({type(error).__name__})",))
        self.details = list(found.details)
        self.evaluated_keys = list(found.keys)
        return RESULTS[found.passed]

    def scan_resource_conf(self, conf: dict[str, Any]) -> CheckResult:
        raise NotImplementedError  # scan_entity_conf does not call it


class _RuleCheck(_Check):
    """A rule."""

    def __init__(self, rule: Rule, settings: Settings, look: _Look) -> None:
        summary = parse(rule.module.__doc__).summary.rstrip(".")
        super().__init__(
            look,
            name=f"{rule.title}: {summary}" if summary else rule.title,
            id=check_id(rule.id),
            categories=[_category(rule.id)],
            guideline=guideline(rule),
        )
        self.severity = Severities[SEVERITIES[rule.severity]]
        self._rule = rule
        self._settings = settings

    def judge(self, seen: Seen) -> Verdict:
        return verdict.of_rule(self._rule, seen, self._settings)


class _InputCheck(_Check):
    """Whether pcsguard could check the input."""

    def __init__(self, look: _Look) -> None:
        super().__init__(
            look,
            name="input-checked: pcsguard can check all of the input",
            id=INPUT_ID,
            categories=[CheckCategories.GENERAL_SECURITY],
            guideline=API,
        )
        self.severity = Severities[SEVERITIES[Severity.ERROR]]

    def judge(self, seen: Seen) -> Verdict:
        return verdict.of_input(seen)


def _category(rule: str) -> CheckCategories:
    found = (category for start, category in CATEGORIES.items() if rule.startswith(start))
    return next(found, CheckCategories.GENERAL_SECURITY)
