"""The first words between terraform and a plugin: environment variables one way, one line on stdout the other.

Source: the behaviour of go-plugin, which terraform uses to start its plugins.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final

COOKIE_NAME: Final = "TF_PLUGIN_MAGIC_COOKIE"
COOKIE_VALUE: Final = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
"""The same for every Terraform provider in the world: it tells "started by terraform" from "started by hand"."""

GO_PLUGIN_VERSION: Final = 1
"""Version of the handshake itself."""

PROTOCOL: Final = 6
"""The version of Terraform's plugin protocol that this package speaks."""

VERSIONS_NAME: Final = "PLUGIN_PROTOCOL_VERSIONS"
CLIENT_CERTIFICATE_NAME: Final = "PLUGIN_CLIENT_CERT"


class Refused(Exception):
    """The process was not started by a terraform that can use it. The text is for whoever started it."""


def check(environ: Mapping[str, str]) -> None:
    """Raise Refused unless a terraform that speaks protocol 6 started this process."""
    if environ.get(COOKIE_NAME) != COOKIE_VALUE:
        raise Refused(
            "This program is a Terraform provider: terraform starts it, and it does nothing by itself.\n"
            "Name it under required_providers in a Terraform configuration, then run `terraform init`."
        )
    # Terraform before 0.12 sends no list; it cannot speak protocol 6 either.
    versions = [version.strip() for version in environ.get(VERSIONS_NAME, "").split(",")]
    if str(PROTOCOL) not in versions:
        offered = ", ".join(version for version in versions if version) or "none that it names"
        raise Refused(
            f"This provider speaks plugin protocol {PROTOCOL}, and this terraform speaks {offered}.\n"
            "Terraform 1.0 and newer speak it."
        )


def wants_tls(environ: Mapping[str, str]) -> bool:
    """Whether terraform expects TLS: it does when it sends its own certificate."""
    return bool(environ.get(CLIENT_CERTIFICATE_NAME))


def line(socket: str, certificate: bytes | None) -> str:
    """The line that tells terraform where to connect: `1|6|unix|PATH|grpc|CERTIFICATE`.

    `certificate` is DER, or None without TLS; it is written as base64 without padding, which go-plugin refuses.
    """
    encoded = "" if certificate is None else base64.b64encode(certificate).decode().rstrip("=")
    return f"{GO_PLUGIN_VERSION}|{PROTOCOL}|unix|{socket}|grpc|{encoded}"
