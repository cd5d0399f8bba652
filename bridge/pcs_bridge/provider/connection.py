"""What the provider block configures, for all resources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pcs_bridge.plugin.values import Value
from pcs_bridge.provider.client import Client
from pcs_bridge.provider.kinds import Kind
from pcs_bridge.provider.remote import Remote
from pcs_bridge.provider.settings import Settings


class Connection:
    """`client` is called when something first has to be asked: a plan of new resources asks nothing."""

    def __init__(self, settings: Settings, client: Callable[[], Client]) -> None:
        self._settings: Final = settings
        self._client: Final = client

    @property
    def default_tags(self) -> Value:
        """Tags for every resource; Unknown where only apply reveals them."""
        return self._settings.default_tags

    def remote(self, kind: Kind) -> Remote:
        """The resources of a kind. Raises Failed where the AWS configuration does not do."""
        return Remote(kind, self._client())
