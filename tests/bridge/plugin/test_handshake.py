"""The first words between terraform and a plugin."""

import pytest

from pcs_bridge.plugin import handshake

STARTED = {handshake.COOKIE_NAME: handshake.COOKIE_VALUE, handshake.VERSIONS_NAME: "5,6"}


@pytest.mark.parametrize("versions", ["6", "5,6", "6,5", " 5, 6 ", "4,5,6,7"])
def test_a_terraform_that_speaks_the_protocol_is_served(versions: str) -> None:
    handshake.check({**STARTED, handshake.VERSIONS_NAME: versions})


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({}, "terraform starts it"),
        ({**STARTED, handshake.COOKIE_NAME: "other"}, "terraform starts it"),
        ({**STARTED, handshake.VERSIONS_NAME: "4,5"}, r"protocol 6, and this terraform speaks 4, 5\."),
        ({**STARTED, handshake.VERSIONS_NAME: ""}, r"speaks none that it names\."),
        ({**STARTED, handshake.VERSIONS_NAME: "66"}, r"speaks 66\."),
    ],
)
def test_anybody_else_is_told_what_to_do(environ: dict[str, str], message: str) -> None:
    with pytest.raises(handshake.Refused, match=message):
        handshake.check(environ)


@pytest.mark.parametrize(
    ("certificate", "line"),
    [
        (None, "1|6|unix|/tmp/x/s|grpc|"),
        (b"certificate", "1|6|unix|/tmp/x/s|grpc|Y2VydGlmaWNhdGU"),
    ],
)
def test_the_line(certificate: bytes | None, line: str) -> None:
    assert handshake.line("/tmp/x/s", certificate) == line


@pytest.mark.parametrize(("environ", "tls"), [({}, False), ({handshake.CLIENT_CERTIFICATE_NAME: "PEM"}, True)])
def test_tls_is_used_when_terraform_sends_a_certificate(environ: dict[str, str], tls: bool) -> None:
    assert handshake.wants_tls(environ) is tls
