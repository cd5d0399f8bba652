"""Clients of AWS's services, as the provider block says. Credentials come through boto3's own chain only."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from botocore.exceptions import BotoCoreError

from pcs_bridge.plugin.diagnostics import Failed, error
from pcs_bridge.plugin.once import Once
from pcs_bridge.provider.client import Client
from pcs_bridge.provider.failures import sentence
from pcs_bridge.provider.settings import Role, Settings
from pcs_policies import __version__

CONNECTIONS: Final = 50
"""`terraform apply -parallelism` is 10 by default; more calls than this wait for one another."""


class Access:
    """What the resources ask AWS with. Nothing is looked up or asked before the first client is needed.

    Both clients raise Failed where the configuration does not do; threads may share them.
    """

    def __init__(self, settings: Settings) -> None:
        session: Final = Once(lambda: _session(settings))
        self.pcs: Final[Callable[[], Client]] = Once(lambda: _told(settings, lambda: _pcs(settings, session())))
        self.s3: Final[Callable[[], Any]] = Once(lambda: _told(settings, lambda: _s3(settings, session())))


def _told(settings: Settings, make: Callable[[], Any]) -> Any:
    for name in settings.undecided:
        raise Failed(
            error(
                f"The {name} of the provider is not known yet",
                "The provider block depends on what only apply reveals, but AWS has to be asked now, about resources "
                "that exist already. Give it a known value, or apply what it depends on first (terraform apply "
                "-target=ADDRESS).",
            )
        )
    try:
        return make()
    except (BotoCoreError, ValueError) as failure:  # boto3 says of an endpoint that is no URL: ValueError
        raise Failed(
            error(
                "The AWS configuration is not enough",
                f"{sentence(failure)} Set the Region and the credentials in the provider block, in the environment "
                "(AWS_REGION, AWS_PROFILE, ...) or in the AWS configuration files.",
            )
        ) from failure


def _pcs(settings: Settings, session: Any) -> Client:
    from botocore.config import Config

    config = Config(
        # The contract has been asked before, and knows more.
        parameter_validation=False,
        # `Client` repeats calls itself.
        retries={"total_max_attempts": 1},
        max_pool_connections=CONNECTIONS,
        user_agent_extra=f"pcsguard/{__version__}",
    )
    return Client(session.client("pcs", endpoint_url=settings.endpoint, config=config), settings.max_retries)


def _s3(settings: Settings, session: Any) -> Any:
    from botocore.config import Config

    config = Config(
        retries={"total_max_attempts": settings.max_retries + 1, "mode": "standard"},
        max_pool_connections=CONNECTIONS,
        user_agent_extra=f"pcsguard/{__version__}",
    )
    return session.client("s3", endpoint_url=settings.s3_endpoint, config=config)


def _session(settings: Settings) -> Any:
    import boto3

    # Other SDKs, and terraform's aws provider, heed this variable; boto3 knows AWS_DEFAULT_REGION only.
    region = settings.region or os.environ.get("AWS_REGION") or None
    session: Any = boto3.Session(profile_name=settings.profile, region_name=region)
    return session if settings.role is None else _assumed(session, settings.role, settings.profile)


def _assumed(session: Any, role: Role, profile: str | None) -> Any:
    """A session with the credentials of a role, which are renewed for as long as terraform runs."""
    import boto3
    from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials
    from botocore.exceptions import NoCredentialsError
    from botocore.session import Session

    source = session.get_credentials()
    if source is None:
        raise NoCredentialsError

    def client(service: str, **options: Any) -> Any:
        # The Region of the provider: AWS recommends the regional endpoints of STS.
        return session.client(service, **options)

    fetcher = AssumeRoleCredentialFetcher(client, source, role.arn, dict(role.request))
    inner: Any = Session(profile=profile)
    # botocore has no public way to give a session credentials that are renewed.
    inner._credentials = DeferredRefreshableCredentials(fetcher.fetch_credentials, "assume-role")
    return boto3.Session(botocore_session=inner, region_name=session.region_name)
