"""The certificate that is put together by hand: others must read it as what it claims to be."""

import datetime
import ssl
import time
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID

from pcs_bridge.plugin.certificate import Credentials, fresh


@pytest.fixture(scope="module")
def credentials() -> Credentials:
    return fresh()


def test_it_is_for_localhost_and_signed_by_its_own_key(credentials: Credentials) -> None:
    certificate = x509.load_pem_x509_certificate(credentials.certificate)
    certificate.verify_directly_issued_by(certificate)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    assert list(usage) == [ExtendedKeyUsageOID.SERVER_AUTH]
    assert certificate.version is x509.Version.v3
    assert x509.load_der_x509_certificate(credentials.der) == certificate


def test_the_key_is_the_one_in_the_certificate(credentials: Credentials) -> None:
    key = load_pem_private_key(credentials.key, None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert isinstance(key.curve, ec.SECP256R1)
    certificate = x509.load_der_x509_certificate(credentials.der)
    assert key.public_key() == certificate.public_key()


@pytest.mark.parametrize("year", [2026, 2049, 2050, 2101])
def test_it_is_valid_now_and_not_for_long(year: int) -> None:
    now = datetime.datetime(year, 12, 15, tzinfo=datetime.UTC)
    certificate = x509.load_der_x509_certificate(fresh(now.timestamp()).der)
    assert certificate.not_valid_before_utc == now - datetime.timedelta(hours=1)
    assert certificate.not_valid_after_utc == now + datetime.timedelta(days=30)


def test_every_start_has_a_key_and_serial_number_of_its_own(credentials: Credentials) -> None:
    other = fresh()
    assert other.key != credentials.key
    serials = {x509.load_der_x509_certificate(made.der).serial_number for made in (other, credentials)}
    assert len(serials) == 2


def test_many_keys_are_well_formed() -> None:
    # Leading zeros in coordinates, key or serial number are rare, and where hand-written DER goes wrong.
    for _ in range(300):
        made = fresh()
        x509.load_der_x509_certificate(made.der)
        load_pem_private_key(made.key, None)


def test_a_client_that_trusts_only_it_connects(credentials: Credentials, tmp_path: Path) -> None:
    chain = tmp_path / "chain.pem"
    chain.write_bytes(credentials.certificate + credentials.key)
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(chain)
    client_side = ssl.create_default_context(cadata=credentials.der)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_side.wrap_bio(to_client, to_server, server_hostname="localhost")
    server = server_side.wrap_bio(to_server, to_client, server_side=True)
    deadline = time.monotonic() + 10
    done: set[ssl.SSLObject] = set()
    while len(done) < 2:
        assert time.monotonic() < deadline
        for side in (client, server):
            try:
                side.do_handshake()
                done.add(side)
            except ssl.SSLWantReadError:
                continue
    assert client.version() == "TLSv1.3"
