"""Health checks are complete and free of contradictions.

What it checks
    `instanceHealthChecks` names at least one of `healthMonitoring` and `deepHealthChecks`. `healthMonitoring` states
    its `mode`, `deepHealthChecks` its `onStart` with a `profile`. There is no `repairAction` beside NONE. A `profile`
    other than NONE goes with instance types that have NVIDIA GPUs.

Why
    These rules stand in AWS's text only: no member is required in the API's model, so every client lets them pass, and
    PCS refuses the request in the middle of an apply. An update replaces all health checks, so a half that is left out
    is switched off.

Fix
    State the mode, or the profile, of each half that is there, and leave `repairAction` out where it is NONE.

Sources
    PCS API reference, CreateComputeNodeGroup.instanceHealthChecks, HealthMonitoring and DeepHealthCheckOnStart. EC2
    user guide for instance types, naming conventions (families with GPUs).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract.prose import DEFAULTS
from pcs_policies.document import Leaf, NodeGroup, Object, Stated
from pcs_policies.redaction import show
from pcs_policies.rules.accelerated import has_nvidia_gpus
from pcs_policies.rules.fragments import UNKNOWN, Fragment, Tree
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS312"
TITLE = "health-checks"
SEVERITY = Severity.ERROR

MODE = "instanceHealthChecks.healthMonitoring.mode"
ON_START = "instanceHealthChecks.deepHealthChecks.onStart"


def _monitoring(**members: object) -> Tree:
    return {"instanceHealthChecks": {"healthMonitoring": members}}


def _deep(*types: object, **members: object) -> Tree:
    configs = [{"instanceType": name} for name in types]
    return {"instanceHealthChecks": {"deepHealthChecks": {"onStart": members}}, "instanceConfigs": configs}


GOOD = (
    Fragment("no health checks", {}),
    Fragment("monitoring", _monitoring(mode="STANDARD", repairAction="ISOLATE")),
    Fragment("monitoring with the default repair", _monitoring(mode="STANDARD")),
    Fragment("no monitoring", _monitoring(mode="NONE")),
    Fragment("deep checks", _deep("p5.48xlarge", profile="QUICK", repairAction="REPLACE")),
    Fragment("no deep checks", _deep("c7i.large", profile="NONE")),
)
BAD = (
    Fragment("neither half", {"instanceHealthChecks": {}}, ("instanceHealthChecks",)),
    Fragment("no mode", _monitoring(repairAction="AUTO"), (MODE,)),
    Fragment(
        "a repair of nothing",
        _monitoring(mode="NONE", repairAction="REPLACE"),
        ("instanceHealthChecks.healthMonitoring.repairAction",),
    ),
    Fragment("deep checks of nothing", {"instanceHealthChecks": {"deepHealthChecks": {}}}, (ON_START,)),
    Fragment("no profile", _deep("p5.48xlarge", repairAction="REPLACE"), (f"{ON_START}.profile",)),
    Fragment(
        "a repair without deep checks",
        _deep("p5.48xlarge", profile="NONE", repairAction="REPLACE"),
        (f"{ON_START}.repairAction",),
    ),
    Fragment("no GPUs to check", _deep("c7i.large", profile="LONG"), (f"{ON_START}.profile",)),
    Fragment("GPUs of another maker", _deep("g4ad.xlarge", profile="QUICK"), (f"{ON_START}.profile",)),
)
UNDECIDED = (
    Fragment("health checks that are a reference", {"instanceHealthChecks": UNKNOWN}, ("instanceHealthChecks",)),
    Fragment("a mode that is a reference", _monitoring(mode=UNKNOWN, repairAction="ISOLATE"), (MODE,)),
    Fragment("instance types that are references", _deep(UNKNOWN, profile="QUICK"), (f"{ON_START}.profile",)),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    checks = group.after.object("instanceHealthChecks")
    if checks.unknown:
        yield undecided(checks, "whether the health checks are complete is known only after apply")
    if not checks.known:
        return
    monitoring, deep = checks.object("healthMonitoring"), checks.object("deepHealthChecks")
    if monitoring.absent and deep.absent:
        yield failed(
            checks,
            "instanceHealthChecks names neither healthMonitoring nor deepHealthChecks: the API refuses it",
            "add a half, or leave instanceHealthChecks out",
        )
    if monitoring.known:
        yield from _half("healthMonitoring", monitoring.leaf("mode"), monitoring.leaf("repairAction"))
    if deep.known:
        on_start = deep.object("onStart")
        if on_start.absent:
            yield failed(on_start, "deepHealthChecks has no onStart: the API refuses it", "add onStart with a profile")
        elif on_start.known:
            profile = on_start.leaf("profile")
            yield from _half("deepHealthChecks.onStart", profile, on_start.leaf("repairAction"))
            yield from _fits_instances(group.after, profile)


def _half(name: str, switch: Leaf, repair: Leaf) -> Iterator[Verdict]:
    """The verdicts on a half: ``switch`` turns it on, ``repair`` tells what follows."""
    what = switch.path.rsplit(".", 1)[-1]
    if switch.absent:
        yield failed(switch, f"{name} has no {what}, which has no default: the API refuses it", f"state {what}")
        return
    # Where it cannot be told who wrote the default, nobody is taken to have: the service does not echo it.
    given = repair.stated is Stated.YES or repair.value != DEFAULTS[repair.path]
    if switch.value == "NONE" and given and (repair.known or repair.deferred):
        yield failed(
            repair,
            f"{name} has {what} NONE and repairAction {show(repair)}: the API refuses the two together",
            "leave repairAction out",
        )
    elif not switch.known and given and not repair.absent:
        yield undecided(switch, f"whether {name} may have a repairAction is known only after apply")
    else:
        yield passed(switch)


def _fits_instances(after: Object, profile: Leaf) -> Iterator[Verdict]:
    if not profile.known or profile.value == "NONE":
        return
    configs = after.list("instanceConfigs")
    types = [item.leaf("instanceType") for item in configs.items if isinstance(item, Object)]
    without = next((leaf for leaf in types if leaf.text is not None and not has_nvidia_gpus(leaf.text)), None)
    if without:
        yield failed(
            profile,
            f"deepHealthChecks has profile {show(profile)} and the group has {show(without)}, which has no NVIDIA "
            "GPUs: the API refuses the two together",
            "use profile NONE, or leave deepHealthChecks out",
        )
    elif configs.unknown or any(not leaf.known and not leaf.absent for leaf in types):
        yield undecided(profile, "whether the instances have NVIDIA GPUs to check is known only after apply")
