"""What the provider block configures, for all resources."""

from __future__ import annotations

from typing import Any, Final

from pcs_bridge.plugin.values import Value
from pcs_bridge.provider.access import Access
from pcs_bridge.provider.kinds import Kind
from pcs_bridge.provider.policy import Policy
from pcs_bridge.provider.remote import Remote
from pcs_bridge.provider.settings import Settings


class Connection:
    """Nobody is asked before there is something to ask: a plan of new resources needs no credentials."""

    def __init__(self, settings: Settings, access: Access) -> None:
        self._settings: Final = settings
        self._access: Final = access
        self.policy: Final = None if settings.policy == "off" else Policy(enforced=settings.policy == "enforce")
        """What judges the groups of a plan; None for nothing."""

    @property
    def default_tags(self) -> Value:
        """Tags for every resource; Unknown where only apply reveals them."""
        return self._settings.default_tags

    def remote(self, kind: Kind) -> Remote:
        """The resources of a kind. Raises Failed where the AWS configuration does not do."""
        return Remote(kind, self._access.pcs())

    def s3(self) -> Any:
        """A boto3 client for S3. Raises Failed where the AWS configuration does not do."""
        return self._access.s3()
