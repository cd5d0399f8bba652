"""Clients and environments that reach this endpoint, and nothing of the user's own AWS configuration."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import botocore.session

REGION: Final = "us-east-1"
KEY_ID: Final = "AKIAIOSFODNN7EXAMPLE"
SECRET_KEY: Final = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
"""AWS's own example credentials: no signature is verified, but clients insist on signing."""


def environment(url: str) -> dict[str, str]:
    """The variables that point any AWS SDK, the AWS CLI and Terraform to the endpoint at `url`."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": KEY_ID,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


UNSET: Final = (
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
)
"""Variables that a child must not inherit: with them it would use real credentials, or an address of its own."""


def points_elsewhere(name: str) -> bool:
    """Whether a variable would lead a client away from the endpoint, such as `AWS_ENDPOINT_URL_S3`."""
    return name in UNSET or name.startswith("AWS_ENDPOINT_URL_")


@cache
def isolated_session() -> botocore.session.Session:
    """The session without profiles and configuration files: one, since each reads the service models anew."""
    import botocore.session

    return botocore.session.Session(
        session_vars={
            "profile": (None, None, None, None),
            "config_file": (None, None, os.devnull, None),
            "credentials_file": (None, None, os.devnull, None),
        }
    )


def client(service: str, region: str, url: str, options: dict[str, Any]) -> Any:
    """A boto3 client for the endpoint at `url`; `options` are boto3's."""
    with _making:
        untyped: Any = _boto3_session().client
        return untyped(
            service,
            region_name=region,
            endpoint_url=url,
            aws_access_key_id=KEY_ID,
            aws_secret_access_key=SECRET_KEY,
            **options,
        )


_making: Final = threading.Lock()
"""Clients are for many threads, but a session makes one at a time (boto3's guide, multithreading)."""


@cache
def _boto3_session() -> Any:
    import boto3

    return boto3.Session(botocore_session=isolated_session())
