"""The provider block: where the calls go, and with whose credentials."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from pcs_bridge.plugin.diagnostics import Failed
from pcs_bridge.plugin.paths import dotted
from pcs_bridge.plugin.values import UNKNOWN
from pcs_bridge.provider import settings
from pcs_bridge.provider.access import Access
from pcs_bridge.provider.settings import Settings

ROLE = "arn:aws:iam::123456789012:role/hpc"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the machine's own AWS configuration."""
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")


class Sts:
    """Answers AssumeRole, and notes what it was asked, and what others were asked with its credentials."""

    def __init__(self) -> None:
        self.asked: list[dict[str, list[str]]] = []
        self.signed_by: list[str] = []
        notes = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                notes.signed_by.append(self.headers["Authorization"].partition("Credential=")[2].partition("/")[0])
                if self.headers.get("X-Amz-Target"):
                    answer = json.dumps({"clusters": []}).encode()
                else:
                    notes.asked.append(parse_qs(body))
                    answer = ANSWER.encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> Sts:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


ANSWER = """<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASIAEXAMPLE</AccessKeyId><SecretAccessKey>example</SecretAccessKey><SessionToken>token</SessionToken>
<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"""


def test_a_role_is_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    block = {"role_arn": ROLE, "session_name": None, "external_id": "x-1", "duration": "30m"}
    with Sts() as sts:
        monkeypatch.setenv("AWS_ENDPOINT_URL", sts.url)
        access = Access(settings.settings({"region": "eu-west-1", "assume_role": block}))
        assert sts.asked == []  # nobody is asked before there is something to ask
        for _ in range(2):
            assert access.pcs()._boto3.list_clusters()["clusters"] == []
    (asked,) = sts.asked
    assert {name: values[0] for name, values in asked.items() if name != "Version"} == {
        "Action": "AssumeRole",
        "RoleArn": ROLE,
        "RoleSessionName": "pcsguard",
        "ExternalId": "x-1",
        "DurationSeconds": "1800",
    }
    assert sts.signed_by == ["AKIDEXAMPLE", "ASIAEXAMPLE", "ASIAEXAMPLE"]


def test_endpoints_and_tries() -> None:
    endpoints = {"endpoint": "https://pcs.example.com", "s3_endpoint": "https://s3.example.com"}
    chosen = settings.settings({"region": "eu-west-1", **endpoints, "max_retries": 2})
    access = Access(chosen)
    s3 = access.s3()
    assert (s3.meta.endpoint_url, s3.meta.region_name) == ("https://s3.example.com", "eu-west-1")
    assert s3.meta.config.retries["total_max_attempts"] == 3
    assert access.pcs()._boto3.meta.endpoint_url == "https://pcs.example.com"
    assert access.s3() is s3


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (Settings(), "You must specify a region."),
        (Settings(profile="none"), "The config profile (none) could not be found."),
        (
            settings.settings({"region": "eu-west-1", "assume_role": {"role_arn": UNKNOWN}}),
            "The assume_role of the provider is not known yet",
        ),
        (settings.settings({"region": UNKNOWN}), "The region of the provider is not known yet"),
    ],
    ids=["region", "profile", "role", "unknown region"],
)
def test_what_does_not_do_is_told_by_whoever_needs_it(chosen: Settings, said: str) -> None:
    access = Access(chosen)
    for client in (access.pcs, access.s3):
        if client is access.s3 and chosen == Settings():
            continue  # S3 has one address for all Regions
        with pytest.raises(Failed) as failed:
            client()
        (problem,) = failed.value.diagnostics
        assert said in f"{problem.summary} {problem.text}"


def test_a_role_needs_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(Failed) as failed:
        Access(settings.settings({"region": "eu-west-1", "assume_role": {"role_arn": ROLE}})).pcs()
    assert "Unable to locate credentials." in failed.value.diagnostics[0].text


@pytest.mark.parametrize(
    ("config", "places"),
    [
        ({"s3_endpoint": "s3.example.com"}, ["s3_endpoint"]),
        ({"s3_endpoint": ""}, ["s3_endpoint"]),
        ({"policy": "loud"}, ["policy"]),
        ({"policy": UNKNOWN, "assume_role": UNKNOWN}, []),
        ({"assume_role": {"role_arn": "hpc", "duration": "10m"}}, ["assume_role.role_arn", "assume_role.duration"]),
        ({"assume_role": {"role_arn": ROLE, "duration": "13h"}}, ["assume_role.duration"]),
        ({"assume_role": {"role_arn": ROLE, "duration": "12h"}}, []),
        ({"assume_role": {"role_arn": UNKNOWN, "duration": UNKNOWN}}, []),
    ],
)
def test_problems_of_a_block(config: dict[str, Any], places: list[str]) -> None:
    assert [dotted(problem.path) for problem in settings.problems(config)] == places
