"""A plugin's process as terraform sees it: the handshake, the connection, and every way to end."""

from __future__ import annotations

import base64
import os
import shutil
import signal
import ssl
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from support.processes import eventually
from support.standin.provider import StandIn

from pcs_bridge.plugin import handshake
from pcs_bridge.plugin import tfplugin6_pb2 as pb
from pcs_bridge.plugin.wire import write_object

TESTS = Path(__file__).resolve().parents[2]
TYPE = "awscc_pcs_compute_node_group"
STARTED_BY_TERRAFORM = {
    handshake.COOKIE_NAME: handshake.COOKIE_VALUE,
    handshake.VERSIONS_NAME: "6",
    handshake.CLIENT_CERTIFICATE_NAME: "a certificate",
}


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder for temporary files with a short path, since a socket's path may not be long."""
    folder = Path(tempfile.mkdtemp(prefix="t-"))
    yield folder
    shutil.rmtree(folder)


class Plugin:
    """A running stand-in, started the way terraform does."""

    def __init__(self, temporary: Path, **environ: str) -> None:
        self.temporary = temporary
        self.process = subprocess.Popen(
            [sys.executable, "-m", "support.standin", TYPE],
            env={**os.environ, "PYTHONPATH": str(TESTS), "TMPDIR": str(temporary), **STARTED_BY_TERRAFORM, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.fields = self.process.stdout.readline().strip().split("|")

    @property
    def folder(self) -> Path:
        return Path(self.fields[3]).parent

    def channel(self) -> grpc.Channel:
        der = base64.b64decode(self.fields[5] + "=" * (-len(self.fields[5]) % 4))
        trusted = grpc.ssl_channel_credentials(ssl.DER_cert_to_PEM_cert(der).encode())
        options = [("grpc.ssl_target_name_override", "localhost"), ("grpc.max_send_message_length", -1)]
        return grpc.secure_channel(f"unix:{self.fields[3]}", trusted, options)

    def leaves_nothing(self) -> bool:
        """Whether it ends well, and soon, without a trace."""
        code = self.process.wait(60)
        _, complaints = self.process.communicate()
        return (code, complaints, list(self.temporary.iterdir())) == (0, "", [])


@pytest.fixture
def plugin(temporary: Path) -> Iterator[Plugin]:
    running = Plugin(temporary)
    yield running
    running.process.kill()
    running.process.communicate()


def go_plugin(channel: grpc.Channel, method: str) -> bytes:
    """Call one of go-plugin's services, whose requests are empty."""
    answer: bytes = channel.unary_unary(f"/{method}", bytes, bytes)(b"", timeout=60)
    return answer


def call(channel: grpc.Channel, name: str, request: object) -> object:
    message = getattr(pb, name)
    method = channel.unary_unary(
        f"/tfplugin6.Provider/{name}",
        request_serializer=message.Request.SerializeToString,
        response_deserializer=message.Response.FromString,
    )
    response: object = method(request, timeout=60)
    return response


def test_the_socket_is_in_a_folder_that_only_its_user_can_enter(plugin: Plugin) -> None:
    assert plugin.fields[:3] == ["1", "6", "unix"]
    assert plugin.fields[4] == "grpc"
    assert stat.S_IMODE(plugin.folder.stat().st_mode) == 0o700
    assert [stat.S_ISSOCK(path.stat().st_mode) for path in plugin.folder.iterdir()] == [True]
    assert plugin.folder.parent == plugin.temporary


def test_terraform_finds_what_go_plugin_looks_for_and_can_end_it(plugin: Plugin) -> None:
    with plugin.channel() as channel:
        assert go_plugin(channel, "grpc.health.v1.Health/Check") == b"\x08\x01"
        assert list(channel.unary_stream("/plugin.GRPCStdio/StreamStdio", bytes, bytes)(b"", timeout=60)) == []
        assert list(channel.stream_stream("/plugin.GRPCBroker/StartStream", bytes, bytes)(iter(()), timeout=60)) == []
        schema = call(channel, "GetProviderSchema", pb.GetProviderSchema.Request())
        assert isinstance(schema, pb.GetProviderSchema.Response)
        assert set(schema.resource_schemas) == {TYPE}
        assert go_plugin(channel, "plugin.GRPCController/Shutdown") == b""
    assert plugin.leaves_nothing()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it(plugin: Plugin, number: signal.Signals) -> None:
    plugin.process.send_signal(number)
    assert plugin.leaves_nothing()


def test_it_ends_when_terraform_is_gone_but_not_by_an_interrupt(plugin: Plugin) -> None:
    plugin.process.send_signal(signal.SIGINT)
    with plugin.channel() as channel:
        assert go_plugin(channel, "grpc.health.v1.Health/Check") == b"\x08\x01"
    assert plugin.process.stdout
    plugin.process.stdout.close()  # as the kernel does it for a terraform that dies
    assert plugin.process.wait(60) == 0
    assert list(plugin.temporary.iterdir()) == []


def test_it_ends_although_a_handler_waits(plugin: Plugin) -> None:
    with plugin.channel() as channel, ThreadPoolExecutor() as pool:
        waiting = pool.submit(call, channel, "ApplyResourceChange", slow_create())
        assert not eventually(waiting.done, seconds=0.3)
        plugin.process.send_signal(signal.SIGTERM)
        assert plugin.leaves_nothing()
        waiting.exception(60)


def test_a_request_to_stop_is_heard_while_many_handlers_wait(plugin: Plugin) -> None:
    with plugin.channel() as channel, ThreadPoolExecutor(100) as pool:
        waiting = [pool.submit(call, channel, "ApplyResourceChange", slow_create()) for _ in range(100)]
        assert not eventually(lambda: any(future.done() for future in waiting), seconds=0.5)
        call(channel, "StopProvider", pb.StopProvider.Request())
        answers = [future.result(60) for future in waiting]
    summaries = {diagnostic.summary for answer in answers for diagnostic in answer.diagnostics}  # type: ignore[attr-defined]
    assert summaries == {"Interrupted"}


def slow_create() -> pb.ApplyResourceChange.Request:
    type_ = StandIn(TYPE, "computed").resources[TYPE].schema.type
    planned = write_object({"name": "slow", "cluster_id": "pcs_example123"}, type_)
    return pb.ApplyResourceChange.Request(
        type_name=TYPE, prior_state=write_object(None, type_), planned_state=planned, config=planned
    )


def test_large_messages_pass(plugin: Plugin) -> None:
    type_ = StandIn(TYPE, "computed").resources[TYPE].schema.type
    config = write_object({"tags": {"a": "x" * 20_000_000}}, type_)
    with plugin.channel() as channel:
        request = pb.ValidateResourceConfig.Request(type_name=TYPE, config=config)
        assert call(channel, "ValidateResourceConfig", request) == pb.ValidateResourceConfig.Response()


def test_without_tls_there_is_no_certificate(temporary: Path) -> None:
    plain = Plugin(temporary, **{handshake.CLIENT_CERTIFICATE_NAME: ""})
    assert plain.fields[5] == ""
    with grpc.insecure_channel(f"unix:{plain.fields[3]}") as channel:
        go_plugin(channel, "plugin.GRPCController/Shutdown")
    assert plain.leaves_nothing()


def test_a_long_temporary_folder_is_gone_around(temporary: Path) -> None:
    long = temporary / ("long" * 30)
    long.mkdir()
    with_detour = Plugin(temporary, TMPDIR=str(long))
    folder = with_detour.folder
    assert len(with_detour.fields[3]) < 100
    with_detour.process.terminate()
    with_detour.process.communicate(timeout=60)
    assert not folder.exists()
    assert list(long.iterdir()) == []


def test_a_provider_that_cannot_be_made_is_a_diagnostic(temporary: Path) -> None:
    broken = Plugin(temporary, STANDIN_FLAVOUR="nonsense")
    with broken.channel() as channel:
        answer = call(channel, "GetProviderSchema", pb.GetProviderSchema.Request())
    assert isinstance(answer, pb.GetProviderSchema.Response)
    assert [diagnostic.summary.partition(",")[0] for diagnostic in answer.diagnostics] == [
        "The provider has a bug (ValueError"
    ]
    broken.process.terminate()
    assert broken.leaves_nothing()


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({handshake.COOKIE_NAME: ""}, "This program is a Terraform provider"),
        ({handshake.VERSIONS_NAME: "5"}, "This provider speaks plugin protocol 6"),
    ],
)
def test_a_start_by_anybody_else_ends_with_a_sentence(temporary: Path, environ: dict[str, str], message: str) -> None:
    refused = Plugin(temporary, **environ)
    out, err = refused.process.communicate(timeout=60)
    assert refused.process.returncode == 1
    assert err.startswith(message)
    assert (out, refused.fields) == ("", [""])
    assert "Traceback" not in err
