"""The provider block: where PCS is, who asks, and what all resources have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pcs_bridge.plugin import cty
from pcs_bridge.plugin.diagnostics import Diagnostic, error
from pcs_bridge.plugin.schema import Attribute, Attributes, Nested, Nesting, Schema
from pcs_bridge.plugin.values import UNKNOWN, Object, Unknown, Value, wholly_known
from pcs_bridge.provider.durations import seconds

MAX_RETRIES: Final = 25

SCHEMA: Final = Schema(
    Attributes(
        (
            Attribute(
                "region",
                cty.STRING,
                optional=True,
                description="The AWS Region; without it that of the AWS configuration (`AWS_REGION`, the profile).",
            ),
            Attribute(
                "profile",
                cty.STRING,
                optional=True,
                description="A profile of the AWS configuration files; without it credentials are looked for as usual.",
            ),
            Attribute(
                "endpoint",
                cty.STRING,
                optional=True,
                description="The URL of another PCS endpoint, such as that of `pcsguard local`. `AWS_ENDPOINT_URL` "
                "and `AWS_ENDPOINT_URL_PCS` work too.",
            ),
            Attribute(
                "s3_endpoint",
                cty.STRING,
                optional=True,
                description="The URL of another S3 endpoint, for `pcs_lifecycle_script`. `AWS_ENDPOINT_URL` and "
                "`AWS_ENDPOINT_URL_S3` work too.",
            ),
            Attribute(
                "assume_role",
                Nested(
                    Nesting.SINGLE,
                    Attributes(
                        (
                            Attribute("role_arn", cty.STRING, required=True, description="The ARN of the role."),
                            Attribute(
                                "session_name",
                                cty.STRING,
                                optional=True,
                                description="The name of the session, as CloudTrail shows it; `pcsguard` without it.",
                            ),
                            Attribute(
                                "external_id",
                                cty.STRING,
                                optional=True,
                                description="What the role's trust policy may ask of other accounts.",
                            ),
                            Attribute(
                                "duration",
                                cty.STRING,
                                optional=True,
                                description="For how long credentials hold before they are renewed, such as `15m` or "
                                "`1h`; AWS takes an hour without it.",
                            ),
                        )
                    ),
                ),
                optional=True,
                description="A role to take on, with the credentials that are found as usual.",
            ),
            Attribute(
                "max_retries",
                cty.NUMBER,
                optional=True,
                description=f"How often a call is repeated that is throttled or fails in AWS; `{MAX_RETRIES}` without "
                "it.",
            ),
            Attribute(
                "policy",
                cty.STRING,
                optional=True,
                description="What the rules of pcsguard do when terraform plans a compute node group: `warn` says what "
                "they find, `enforce` stops the plan as well, `off`, which holds without it, runs none. The settings "
                "are those of `pcsguard.toml`.",
            ),
            Attribute(
                "default_tags",
                Nested(
                    Nesting.SINGLE,
                    Attributes((Attribute("tags", cty.MapOf(cty.STRING), optional=True, description="The tags."),)),
                ),
                optional=True,
                description="Tags for every resource; `tags` of a resource come before them.",
            ),
        )
    ),
    description="AWS Parallel Computing Service (PCS): clusters, compute node groups with node lifecycle actions, "
    "queues, and the scripts of these actions.",
)


POLICIES: Final = ("off", "warn", "enforce")
_TEXTS: Final = ("region", "profile", "endpoint", "s3_endpoint")
_ROLE: Final = "assume_role"

SHORTEST_ROLE: Final = 15 * 60.0
LONGEST_ROLE: Final = 12 * 60 * 60.0
"""Seconds (AWS STS API reference, AssumeRole.DurationSeconds)."""


@dataclass(frozen=True)
class Role:
    """A role to take on; `request` are the other members of an AssumeRole."""

    arn: str
    request: Mapping[str, Any]


@dataclass(frozen=True)
class Settings:
    """What the provider block says; None where it says nothing."""

    region: str | None = None
    profile: str | None = None
    endpoint: str | None = None
    s3_endpoint: str | None = None
    role: Role | None = None
    max_retries: int = MAX_RETRIES
    default_tags: Value = field(default_factory=dict)
    """A map, or Unknown while terraform plans."""
    policy: str = "off"
    """One of POLICIES."""
    undecided: tuple[str, ...] = ()
    """Attributes whose value only apply reveals, and without which PCS cannot be asked."""


def settings(config: Object) -> Settings:
    """The settings of a provider block."""
    tags = config.get("default_tags")
    if isinstance(tags, dict):
        tags = tags.get("tags")
    named = {name: config.get(name) for name in _TEXTS}
    role = config.get(_ROLE)
    retries, policy = config.get("max_retries"), config.get("policy")
    return Settings(
        **{name: value for name, value in named.items() if isinstance(value, str)},
        role=_role(role) if isinstance(role, dict) and wholly_known(role) else None,
        max_retries=retries if isinstance(retries, int) else MAX_RETRIES,
        policy=policy if isinstance(policy, str) else "off",
        default_tags=UNKNOWN if isinstance(tags, Unknown) else dict(tags or {}),
        undecided=tuple(name for name, value in {**named, _ROLE: role}.items() if not wholly_known(value)),
    )


def _role(block: Object) -> Role:
    duration = block.get("duration")
    request = {
        "RoleSessionName": block.get("session_name") or "pcsguard",
        "ExternalId": block.get("external_id"),
        "DurationSeconds": None if duration is None else int(seconds(duration)),
    }
    return Role(block["role_arn"], {name: value for name, value in request.items() if value is not None})


def problems(config: Object) -> Iterator[Diagnostic]:
    """What is wrong with a provider block, as far as it is known."""
    for name in _TEXTS:
        if config.get(name) == "":
            yield error(
                f"The {name} is empty", "Leave it out, or set it to null, to take AWS's configuration.", (name,)
            )
    for name in ("endpoint", "s3_endpoint"):
        endpoint = config.get(name)
        if isinstance(endpoint, str) and endpoint and not endpoint.startswith(("http://", "https://")):
            yield error("The endpoint is no URL", "It has to begin with https:// or http://.", (name,))
    policy = config.get("policy")
    if isinstance(policy, str) and policy not in POLICIES:
        yield error("There is no such policy", f"It has to be one of {', '.join(POLICIES)}.", ("policy",))
    role = config.get(_ROLE)
    if isinstance(role, dict):
        yield from _role_problems(role)
    retries = config.get("max_retries")
    if retries is not None and not isinstance(retries, Unknown) and not (isinstance(retries, int) and retries >= 0):
        yield error("max_retries is no number of tries", "It has to be a whole number of 0 or more.", ("max_retries",))


def _role_problems(role: Object) -> Iterator[Diagnostic]:
    arn, duration = role.get("role_arn"), role.get("duration")
    if isinstance(arn, str) and not arn.startswith("arn:"):
        yield error("The role has no ARN", "It looks like arn:aws:iam::123456789012:role/NAME.", (_ROLE, "role_arn"))
    if isinstance(duration, str) and not SHORTEST_ROLE <= seconds(duration) <= LONGEST_ROLE:
        yield error(
            "The duration of the role is none",
            "It has to be between 15m and 12h, written as hours, minutes and seconds: `1h30m`.",
            (_ROLE, "duration"),
        )
