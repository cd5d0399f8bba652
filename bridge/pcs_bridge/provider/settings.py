"""The provider block: where PCS is, who asks, and what all resources have in common."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pcs_bridge.plugin import cty
from pcs_bridge.plugin.diagnostics import Diagnostic, error
from pcs_bridge.plugin.schema import Attribute, Attributes, Nested, Nesting, Schema
from pcs_bridge.plugin.values import UNKNOWN, Object, Unknown, Value
from pcs_policies import __version__

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
                "max_retries",
                cty.NUMBER,
                optional=True,
                description=f"How often a call is repeated that is throttled or fails in AWS; `{MAX_RETRIES}` without "
                "it.",
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
    description="AWS Parallel Computing Service (PCS): compute node groups with node lifecycle actions.",
)


@dataclass(frozen=True)
class Settings:
    """What the provider block says; None where it says nothing."""

    region: str | None = None
    profile: str | None = None
    endpoint: str | None = None
    max_retries: int = MAX_RETRIES
    default_tags: Value = field(default_factory=dict)
    """A map, or Unknown while terraform plans."""
    undecided: tuple[str, ...] = ()
    """Attributes whose value only apply reveals, and without which PCS cannot be asked."""


def settings(config: Object) -> Settings:
    """The settings of a provider block."""
    tags = config.get("default_tags")
    if isinstance(tags, dict):
        tags = tags.get("tags")
    named = {name: config.get(name) for name in ("region", "profile", "endpoint")}
    retries = config.get("max_retries")
    return Settings(
        **{name: value for name, value in named.items() if isinstance(value, str)},
        max_retries=retries if isinstance(retries, int) else MAX_RETRIES,
        default_tags=UNKNOWN if isinstance(tags, Unknown) else dict(tags or {}),
        undecided=tuple(name for name, value in named.items() if isinstance(value, Unknown)),
    )


def problems(config: Object) -> Iterator[Diagnostic]:
    """What is wrong with a provider block, as far as it is known."""
    for name in ("region", "profile", "endpoint"):
        if config.get(name) == "":
            yield error(
                f"The {name} is empty", "Leave it out, or set it to null, to take AWS's configuration.", (name,)
            )
    endpoint = config.get("endpoint")
    if isinstance(endpoint, str) and endpoint and not endpoint.startswith(("http://", "https://")):
        yield error("The endpoint is no URL", "It has to begin with https:// or http://.", ("endpoint",))
    retries = config.get("max_retries")
    if retries is not None and not isinstance(retries, Unknown) and not (isinstance(retries, int) and retries >= 0):
        yield error("max_retries is no number of tries", "It has to be a whole number of 0 or more.", ("max_retries",))


def boto3_client(chosen: Settings) -> Any:
    """A boto3 client for PCS. Raises botocore's BotoCoreError: no Region, no such profile."""
    import boto3
    from botocore.config import Config

    # Other SDKs, and terraform's aws provider, heed this variable; boto3 knows AWS_DEFAULT_REGION only.
    region = chosen.region or os.environ.get("AWS_REGION") or None
    session: Any = boto3.Session(profile_name=chosen.profile, region_name=region)
    return session.client(
        "pcs",
        endpoint_url=chosen.endpoint,
        config=Config(
            # The contract has been asked before, and knows more.
            parameter_validation=False,
            retries={"total_max_attempts": 1},
            # `terraform apply -parallelism` is 10 by default; more calls than this wait for one another.
            max_pool_connections=50,
            user_agent_extra=f"pcsguard/{__version__}",
        ),
    )
