"""The provider blocks of a stack: where terraform gets a provider from, and what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from constructs import Construct

from pcs_contract import awscc
from pcs_policies import __version__
from pcs_stacks.cdk import TerraformProvider


class _Provider(TerraformProvider):
    """A provider block; `SOURCE` is where terraform gets it from, `VERSION` which versions fit."""

    TYPE: ClassVar[str]
    SOURCE: ClassVar[str]
    VERSION: ClassVar[str]
    """The command of cdktf refuses to go on without one."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        region: str | None = None,
        profile: str | None = None,
        alias: str | None = None,
        version: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            scope,
            id,
            terraform_resource_type=self.TYPE,
            terraform_generator_metadata={
                "provider_name": self.TYPE,
                "provider_version_constraint": version or self.VERSION,
            },
            terraform_provider_source=self.SOURCE,
        )
        if alias is not None:
            self.alias = alias
        arguments = {"region": region, "profile": profile, "alias": alias, **(settings or {})}
        self._arguments: Final = {name: value for name, value in arguments.items() if value is not None}

    def _synthesize_attributes(self) -> dict[str, Any]:
        return self._arguments

    def _synthesize_hcl_attributes(self) -> dict[str, Any]:
        return self._arguments


class AwsccProvider(_Provider):
    """HashiCorp's awscc, for constructs with `provider="awscc"`.

    - `region`, `profile`: where, and with which credentials; by default as the environment says.
    - `alias`: the name of a second block of the provider.
    - `version`: which versions fit; by default those from the one on that the constructs are checked against.
    - `settings`: further arguments of the block, as terraform spells them.
    """

    TYPE: ClassVar[str] = "awscc"
    SOURCE: ClassVar[str] = "hashicorp/awscc"
    VERSION: ClassVar[str] = f">= {awscc.VERSION}"


class PcsProvider(_Provider):
    """The provider of this project, for constructs with `provider="pcs"` and for scripts that are published.

    - `region`, `profile`: where, and with which credentials; by default as the environment says.
    - `alias`: the name of a second block of the provider.
    - `version`: which versions fit; by default that of this package and later ones.
    - `settings`: further arguments of the block, as terraform spells them.
    """

    TYPE: ClassVar[str] = "pcs"
    SOURCE: ClassVar[str] = "pcsguard/pcs"
    VERSION: ClassVar[str] = f">= {__version__}"
