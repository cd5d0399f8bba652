"""The rules in an app: when a group is made, when the app is synthesized, and what is waived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

import jsii
from constructs import IConstruct, IValidation

from pcs_contract.record import Record
from pcs_policies import config, engine
from pcs_policies.baseline import Baseline
from pcs_policies.baseline import read as read_baseline
from pcs_policies.config import Configuration
from pcs_policies.document import MalformedGroup, Origin
from pcs_policies.errors import InputError, UsageError
from pcs_policies.findings import Finding, Unchecked
from pcs_policies.rules.rule import Outcome
from pcs_policies.rules.table import ENFORCED, Rule, every, find
from pcs_policies.settings import Settings
from pcs_policies.sources import tf_json, written
from pcs_policies.sources.inputs import Opened
from pcs_policies.sources.join import CDK_STACK
from pcs_policies.sources.kinds import CDKTF, TERRAFORM_TYPES
from pcs_policies.waivers import toml_file
from pcs_policies.waivers.entry import Waiver, parse_date
from pcs_stacks.cdk import Annotations, Aspects, IAspect, TerraformResource, TerraformStack
from pcs_stacks.errors import ConstructError, Mistake
from pcs_stacks.lines import Line, here
from pcs_stacks.resource import PcsResource
from pcs_stacks.tokens import readable

NEVER: Final = ENFORCED | {"PCS101", "PCS103", "PCS110", "PCS201", "PCS209", "PCS309", "PCS311", "PCS314"}
"""Rules that no construct breaks, whatever the configuration and the waivers say: what PCS refuses, what nodes cannot
run, and what runs unverified. For an exception there are raw resources."""


_DEFAULTS: Final = Settings()
"""One object, by which rules remember what they said of a script that groups share."""


def mistakes(resource_type: str, attributes: Mapping[str, Any], line: Line) -> Iterator[Mistake]:
    """What is wrong with the attributes of a node group, lines under `//` among them, that is made on a line."""
    (entry,) = tf_json.written({"resource": {resource_type: {"group": attributes}}}, CDK_STACK)
    try:
        group = written.document(entry, CDKTF.spelling)
    except MalformedGroup as malformed:
        yield Mistake(_line(entry.origin(malformed.path, CDKTF.spelling)) or line, str(malformed))
        return
    for said in engine.check_group(group, _never(), _DEFAULTS, CDK_STACK):
        if isinstance(said, Unchecked):
            yield Mistake(line, said.reason)
        elif said.verdict == Outcome.FAIL.value:
            yield Mistake(_line(said.place.origin) or line, f"{said.message} ({said.rule} {said.title})", said.remedy)


@cache
def _never() -> tuple[Rule, ...]:
    return tuple(rule for rule in every(_DEFAULTS) if rule.id in NEVER)


class Policy(Record):
    """The configuration that is in force in the app's folder, as `pcsguard check` would use it there."""

    configuration: Configuration
    rules: tuple[Rule, ...]
    left: tuple[Rule, ...]
    """The rules less those that a construct has held since it was made."""
    waivers: tuple[Waiver, ...]
    baseline: Baseline | None


@cache
def _policy() -> Policy:
    """The policy in force in the working folder, read once. Raises UsageError."""
    configuration = config.load()
    file = configuration.waiver_file()
    settings = configuration.settings
    # What is wrong with the waivers themselves shows in a run over all groups only.
    rules = tuple(rule for rule in configuration.rules() if rule.waiver is None)
    return Policy(
        configuration,
        rules,
        tuple(rule for rule in rules if rule.id not in NEVER),
        toml_file.read(file, every(settings, configuration.own)) if file is not None else (),
        read_baseline(settings.baseline) if settings.baseline is not None else None,
    )


@jsii.implements(IValidation)
class PolicyValidation:
    """Runs the rules on a node group when the app is synthesized.

    Findings that count in `pcsguard check`, with the same configuration, end the synthesis; others are annotations of
    the construct. What stays undecided is left to the check of the plan.
    """

    def __init__(self, group: TerraformResource) -> None:
        self._group = group

    def validate(self) -> list[str]:
        """The errors: one text a finding, with its line."""
        try:
            policy = _policy()
            document, rules = self._group.to_terraform, policy.rules
            if isinstance(self._group, PcsResource) and not self._group.overridden:
                document, rules = self._group.terraform_document, policy.left
            result = engine.run(
                [Opened(CDK_STACK, tf_json.read(readable(document()), CDK_STACK))],
                rules,
                policy.configuration.settings,
                waivers=policy.waivers,
                baseline=policy.baseline,
            )
        except (UsageError, InputError) as error:
            return [f"the rules could not be run: {error}"]
        errors = [f"could not be checked: {unchecked.reason}" for unchecked in result.unchecked]
        for finding in result.findings:
            if not finding.counts:
                continue
            if engine.matters(finding.severity, policy.configuration.settings):
                errors.append(_told(finding))
            else:
                Annotations.of(self._group).add_warning(_told(finding))
        return errors


_VALIDATED: WeakSet[IConstruct] = WeakSet()


def validate_at_synth(group: TerraformResource) -> None:
    """Have the rules run on a node group when the app is synthesized, once."""
    if group not in _VALIDATED:
        _VALIDATED.add(group)
        group.node.add_validation(PolicyValidation(group))


@jsii.implements(IAspect)
class PolicyAspect:
    """Has the rules run on every node group of an app or a stack, whoever made it: `PolicyAspect(app)`.

    The groups of `pcs_stacks` are checked anyway; this covers raw `TerraformResource`s and generated bindings too. The
    toolkits invoke the aspects of stacks only, so it adds itself to each stack that is there; of one that is made
    later, the synthesis tells that it was not checked.
    """

    def __init__(self, scope: IConstruct) -> None:
        stacks = _stacks(scope)
        for construct in stacks or [scope]:
            Aspects.of(construct).add(self)
        scope.node.add_validation(_AllStacksCovered(scope, stacks))

    def visit(self, node: IConstruct) -> None:
        """Called by the toolkit for each construct."""
        if isinstance(node, TerraformResource) and node.terraform_resource_type in TERRAFORM_TYPES:
            validate_at_synth(node)


def _stacks(scope: IConstruct) -> list[IConstruct]:
    return [construct for construct in scope.node.find_all() if isinstance(construct, TerraformStack)]


@jsii.implements(IValidation)
class _AllStacksCovered:
    """Ends a synthesis with stacks that an aspect came too early for."""

    def __init__(self, scope: IConstruct, covered: list[IConstruct]) -> None:
        self._scope = scope
        self._covered = covered

    def validate(self) -> list[str]:
        """The errors: one a stack."""
        return [
            f"the stack {stack.node.path} was made after PolicyAspect, so its node groups were not checked; make the "
            "aspect right before app.synth()"
            for stack in _stacks(self._scope)
            if stack not in self._covered
        ]


_WAIVERS: WeakKeyDictionary[IConstruct, list[dict[str, Any]]] = WeakKeyDictionary()


def waive(
    construct: TerraformResource, rule: str, *, owner: str, until: date | str, reason: str, leaf: str | None = None
) -> None:
    """Live with what a rule finds in a node group, until a day: a waiver beside the code.

    - `construct`: a `ComputeNodeGroup`, or a raw resource of a node group.
    - `rule`: its id or title.
    - `owner`: who answers for it.
    - `until`: the last day, a date or a text like `2027-01-31`.
    - `reason`: why it is acceptable.
    - `leaf`: the place, with script names for positions:
      `nodeLifecycleActions.stages.nodeReady["motd"].scriptSource.s3VersionId`. Without it, the waiver covers the one
      place at which the rule finds something, and none if there are several.

    What a construct refuses when it is made cannot be waived. Raises ConstructError.
    """
    call = here()
    said = {"rule": rule, "owner": owner, "until": str(until), "reason": reason, "leaf": leaf}
    wrong = list(_wrong_waiver(construct, said))
    if wrong:
        raise ConstructError(construct.node.path, [Mistake(call.line, f"this waiver {what}") for what in wrong])
    waivers = _WAIVERS.setdefault(construct, [])
    entry = {key: value for key, value in said.items() if value is not None}
    waivers.append({**entry, "file": call.line.file, "line": call.line.line})
    construct.add_override("//.pcsguard.waivers", waivers)


def _wrong_waiver(construct: TerraformResource, said: Mapping[str, str | None]) -> Iterator[str]:
    if construct.terraform_resource_type not in TERRAFORM_TYPES:
        yield f"is for {construct.terraform_resource_type}, and rules judge node groups only"
    yield from (f"has no {key}" for key in ("owner", "reason") if not (said[key] or "").strip())
    if parse_date(said["until"] or "") is None:
        yield f"ends on {said['until']!r}, which is no date; write the last day, like 2027-01-31"
    try:
        named = find(said["rule"] or "", every(_DEFAULTS, _policy().configuration.own))
    except UsageError as error:
        yield f"names no rule: {error}"
    else:
        if named.id in NEVER and isinstance(construct, PcsResource):
            yield f"is about {named.id}, which the constructs never break; use a raw TerraformResource for an exception"


def _told(finding: Finding) -> str:
    """A finding on one line."""
    line = _line(finding.place.origin)
    where = f"{line}: " if line is not None else ""
    path = finding.place.path_as_written or "the group"
    remedy = f"; fix: {finding.remedy}" if finding.remedy else ""
    return f"{where}{finding.severity.value} {finding.rule} {finding.title} {path}: {finding.message}{remedy}"


def _line(origin: Origin) -> Line | None:
    return Line(origin.file, origin.line) if origin.file is not None and origin.line is not None else None
