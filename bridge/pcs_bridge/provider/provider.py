"""The provider: its block, its resource types, and the connection that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from botocore.exceptions import BotoCoreError

from pcs_bridge.plugin.diagnostics import Diagnostic, Failed, error
from pcs_bridge.plugin.once import Once
from pcs_bridge.plugin.provider import Call, Provider, Resource
from pcs_bridge.plugin.values import Object
from pcs_bridge.provider import checks, kinds, settings
from pcs_bridge.provider.client import Client
from pcs_bridge.provider.connection import Connection
from pcs_bridge.provider.failures import sentence
from pcs_bridge.provider.managed import Managed
from pcs_bridge.provider.settings import Settings


class PcsProvider(Provider):
    """The provider `pcs`."""

    schema = settings.SCHEMA

    def __init__(self) -> None:
        self._connection: Connection | None = None
        self.resources: Mapping[str, Resource] = {
            kinds.NODE_GROUP.type_name: Managed(kinds.NODE_GROUP, checks.group_problems, self._connected),
        }

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        return settings.problems(config)

    def configure(self, config: Object, call: Call) -> None:
        chosen = settings.settings(config)
        self._connection = Connection(chosen, Once(lambda: _client(chosen)))

    def _connected(self) -> Connection:
        if self._connection is None:
            raise ValueError("terraform has not configured the provider")
        return self._connection


def _client(chosen: Settings) -> Client:
    for name in chosen.undecided:
        raise Failed(
            error(
                f"The {name} of the provider is not known yet",
                "The provider block depends on what only apply reveals, but AWS PCS has to be asked now, about "
                "resources that exist already. Give it a known value, or apply what it depends on first "
                "(terraform apply -target=ADDRESS).",
            )
        )
    try:
        return Client(settings.boto3_client(chosen), chosen.max_retries)
    except (BotoCoreError, ValueError) as failure:  # boto3 says of an endpoint that is no URL: ValueError
        raise Failed(
            error(
                "The AWS configuration is not enough",
                f"{sentence(failure)} Set the Region and the credentials in the provider block, in the environment "
                "(AWS_REGION, AWS_PROFILE, ...) or in the AWS configuration files.",
            )
        ) from failure
