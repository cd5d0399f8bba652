"""A cluster: the Slurm controller that PCS runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from constructs import Construct

from pcs_stacks import requests
from pcs_stacks.errors import Mistake
from pcs_stacks.lines import here
from pcs_stacks.resource import PcsResource, Provider, custom_settings


@dataclass(frozen=True, kw_only=True)
class JobSubmitPlugin:
    """A Starlark script in S3 that Slurm's controller runs when a job is submitted.

    - `name`: 1 to 64 letters, digits, `_` and `-`.
    - `location`: `s3://BUCKET/KEY`.
    - `checksum`: the SHA-256 of the script.
    - `s3_version_id`: the version of the object.
    """

    name: str
    location: str
    checksum: str
    s3_version_id: str | None = None

    def written(self) -> dict[str, Any]:
        """The plugin as an element of the attribute."""
        source = {"script_location": self.location, "checksum": self.checksum, "s3_version_id": self.s3_version_id}
        return {"name": self.name, "type": "STARLARK", "script_source": source}


class Cluster(PcsResource):
    """A cluster.

    - `name`: unique in the account and Region.
    - `size`: `SMALL` (32 nodes), `MEDIUM` (512) or `LARGE` (2048), over all of its node groups.
    - `slurm_version`: such as `25.05`.
    - `subnet_ids`: the one subnet that the controller is reached in.
    - `security_group_ids`: those of the controller's network interface.
    - `network_type`: `IPV4` by default.
    - `accounting`: whether Slurm keeps accounting records.
    - `accounting_purge_time_in_days`: how long it keeps them; -1, the default, is for ever.
    - `slurm_rest`: whether Slurm's REST API is on.
    - `scale_down_idle_time_in_seconds`: how long an idle node is kept.
    - `slurm_settings`, `cgroup_settings`, `slurmdbd_settings`: settings of `slurm.conf`, `cgroup.conf` and
      `slurmdbd.conf`, by name.
    - `job_submit_plugin`: what the controller runs when a job is submitted.
    - `tags`: tags of the cluster.
    - `provider`: `awscc` (the default) or `pcs`.
    """

    TYPE: ClassVar[str] = "pcs_cluster"
    REQUEST: ClassVar[str] = "CreateClusterRequest"
    MEMBERS: ClassVar[Mapping[str, str]] = {"name": "clusterName"}
    PROPS: ClassVar[Mapping[str, str]] = {
        "name": "name",
        "size": "size",
        "slurm_version": "scheduler",
        "subnet_ids": "networking.subnet_ids",
        "security_group_ids": "networking.security_group_ids",
        "network_type": "networking.network_type",
        "accounting": "slurm_configuration.accounting.mode",
        "accounting_purge_time_in_days": "slurm_configuration.accounting.default_purge_time_in_days",
        "slurm_rest": "slurm_configuration.slurm_rest.mode",
        "scale_down_idle_time_in_seconds": "slurm_configuration.scale_down_idle_time_in_seconds",
        "slurm_settings": "slurm_configuration.slurm_custom_settings",
        "cgroup_settings": "slurm_configuration.cgroup_custom_settings",
        "slurmdbd_settings": "slurm_configuration.slurmdbd_custom_settings",
        "job_submit_plugin": "slurm_configuration.job_submit_plugins",
        "tags": "tags",
    }

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        name: str,
        size: Literal["SMALL", "MEDIUM", "LARGE"],
        slurm_version: str,
        subnet_ids: Sequence[str],
        security_group_ids: Sequence[str] | None = None,
        network_type: Literal["IPV4", "IPV6"] | None = None,
        accounting: Literal["STANDARD", "NONE"] | None = None,
        accounting_purge_time_in_days: int | None = None,
        slurm_rest: Literal["STANDARD", "NONE"] | None = None,
        scale_down_idle_time_in_seconds: int | None = None,
        slurm_settings: Mapping[str, str] | None = None,
        cgroup_settings: Mapping[str, str] | None = None,
        slurmdbd_settings: Mapping[str, str] | None = None,
        job_submit_plugin: JobSubmitPlugin | None = None,
        tags: Mapping[str, str] | None = None,
        provider: Provider = "awscc",
    ) -> None:
        super().__init__(
            scope,
            id,
            provider=provider,
            call=here(),
            values={
                "name": name,
                "size": size,
                "slurm_version": {"type": "SLURM", "version": slurm_version},
                "subnet_ids": subnet_ids,
                "security_group_ids": security_group_ids,
                "network_type": network_type,
                "accounting": accounting,
                "accounting_purge_time_in_days": accounting_purge_time_in_days,
                "slurm_rest": slurm_rest,
                "scale_down_idle_time_in_seconds": scale_down_idle_time_in_seconds,
                "slurm_settings": custom_settings(slurm_settings),
                "cgroup_settings": custom_settings(cgroup_settings),
                "slurmdbd_settings": custom_settings(slurmdbd_settings),
                "job_submit_plugin": None if job_submit_plugin is None else [job_submit_plugin.written()],
                "tags": tags,
            },
        )

    @property
    def cluster_id(self) -> str:
        """The id that PCS gives the cluster, a token."""
        return self.get_string_attribute("cluster_id")

    def _mistakes(self, attributes: dict[str, Any]) -> Iterator[Mistake]:
        yield from super()._mistakes(attributes)
        yield from requests.mistakes(self.REQUEST, self.MEMBERS, attributes, self._places)


def cluster_id_of(cluster: Cluster | str) -> str:
    """The id of a cluster, which may be given as such."""
    return cluster.cluster_id if isinstance(cluster, Cluster) else cluster


def provider_of(cluster: Cluster | str) -> Provider:
    """The provider of what belongs to a cluster, unless something else is said."""
    return cluster.pcs_provider if isinstance(cluster, Cluster) else "awscc"
