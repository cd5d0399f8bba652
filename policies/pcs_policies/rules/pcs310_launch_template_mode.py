"""The members that describe instances fit the launch template mode.

What it checks
    With `launchTemplateMode` CUSTOM, stated or by default, there is a `customLaunchTemplate`. With MANAGED there is
    none, and there are an `amiId` and `securityGroupIds`. Where the provider has no such mode, a group that exists
    already is not judged: its mode cannot be seen.

Why
    PCS refuses any other combination, in the middle of an apply; no schema expresses the rule.

Fix
    Add what the mode needs and leave out what belongs to the other. The change of an existing group takes the mode and
    its members in one update.

Sources
    PCS API reference, CreateComputeNodeGroup.launchTemplateMode (CUSTOM by default), customLaunchTemplate, amiId and
    securityGroupIds.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Change, List, NodeGroup
from pcs_policies.rules.fragments import UNKNOWN, Fragment, Tree
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS310"
TITLE = "launch-template-mode"
SEVERITY = Severity.ERROR

TEMPLATE = {"id": "lt-0123456789abcdef0", "version": "1"}


def _managed(**members: object) -> Tree:
    whole = {"amiId": "ami-0123456789abcdef0", "securityGroupIds": ["sg-0123456789abcdef0"], **members}
    return {"launchTemplateMode": "MANAGED", **{key: value for key, value in whole.items() if value is not None}}


GOOD = (
    Fragment("custom, by default", {"customLaunchTemplate": TEMPLATE}),
    Fragment("custom, stated", {"launchTemplateMode": "CUSTOM", "customLaunchTemplate": TEMPLATE}),
    Fragment("a template that is a reference", {"customLaunchTemplate": UNKNOWN}),
    Fragment("managed", _managed()),
    Fragment("managed, with references", _managed(amiId=UNKNOWN, securityGroupIds=UNKNOWN)),
)
BAD = (
    Fragment("custom without a template, by default", {}, ("customLaunchTemplate",)),
    Fragment("custom without a template, stated", {"launchTemplateMode": "CUSTOM"}, ("customLaunchTemplate",)),
    Fragment("managed with a template", _managed(customLaunchTemplate=TEMPLATE), ("customLaunchTemplate",)),
    Fragment("managed without an AMI", _managed(amiId=None), ("amiId",)),
    Fragment("managed with an empty AMI", _managed(amiId=""), ("amiId",)),
    Fragment("managed without security groups", _managed(securityGroupIds=None), ("securityGroupIds",)),
    Fragment("managed with no security group in the list", _managed(securityGroupIds=[]), ("securityGroupIds",)),
)
UNDECIDED = (Fragment("a mode that is a reference", {"launchTemplateMode": UNKNOWN}, ("launchTemplateMode",)),)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    mode = group.after.leaf("launchTemplateMode")
    template = group.after.child("customLaunchTemplate")
    if mode.value == "MANAGED":
        if template.absent:
            yield passed(template)
        else:
            yield failed(
                template,
                "launchTemplateMode is MANAGED and customLaunchTemplate is set: the API refuses the two together",
                "leave customLaunchTemplate out, or use CUSTOM",
            )
        for name in ("amiId", "securityGroupIds"):
            node = group.after.child(name)
            empty = isinstance(node, List) and node.known and not node.items
            if node.absent or empty or getattr(node, "value", None) == "":
                yield failed(
                    node,
                    f"launchTemplateMode is MANAGED and {name} is not set: the API requires it in that mode",
                    f"set {name}",
                )
            else:
                yield passed(node)
    elif mode.value == "CUSTOM":
        if not template.absent:
            yield passed(template)
        elif not mode.outside or group.change in (Change.CREATE, Change.REPLACE):
            yield failed(
                template,
                "launchTemplateMode is CUSTOM, which it is by default, and there is no customLaunchTemplate: the API "
                "refuses the request",
                "set customLaunchTemplate",
            )
    elif not mode.known:
        yield undecided(mode, "which launch template members are needed is known only after apply, with the mode")
