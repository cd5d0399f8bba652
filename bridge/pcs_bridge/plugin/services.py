"""The gRPC services of a plugin: the provider's own, and the four that go-plugin looks for beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import grpc

from pcs_bridge.plugin import tfplugin6_pb2 as pb
from pcs_bridge.plugin.calls import Calls

_EMPTY: Final = b""
"""An Empty message: no fields, no bytes."""

_SERVING: Final = b"\x08\x01"
"""A HealthCheckResponse: field 1 (status) is 1 (SERVING)."""


def provider(calls: Calls) -> grpc.GenericRpcHandler:
    """`tfplugin6.Provider`: every call of the service has the method of the same name, in snake case."""
    service = pb.DESCRIPTOR.services_by_name["Provider"]
    handlers = {}
    for method in service.methods:
        message = getattr(pb, method.name)
        handlers[method.name] = grpc.unary_unary_rpc_method_handler(
            _without_context(calls.guarded(method.name, getattr(calls, snake(method.name)), message.Response)),
            request_deserializer=message.Request.FromString,
            response_serializer=message.Response.SerializeToString,
        )
    return grpc.method_handlers_generic_handler(service.full_name, handlers)


def snake(name: str) -> str:
    """`PlanResourceChange` gives `plan_resource_change`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def go_plugin(end: Callable[[], None]) -> tuple[grpc.GenericRpcHandler, ...]:
    """go-plugin's own services. `end` is called when terraform has no more use for the process.

    Their few messages are empty or constant, so they need no stubs. Output that handlers print does not travel through
    `GRPCStdio`, and there are no further connections for `GRPCBroker`: both streams end at once, which go-plugin takes
    well, while it warns in terraform's log when they are missing.
    """

    def shutdown(_: bytes) -> bytes:
        end()
        return _EMPTY

    def no_messages(*_: Any) -> Iterator[bytes]:
        return iter(())

    return (
        _raw("plugin.GRPCController", "Shutdown", grpc.unary_unary_rpc_method_handler(_without_context(shutdown))),
        _raw("plugin.GRPCStdio", "StreamStdio", grpc.unary_stream_rpc_method_handler(no_messages)),
        _raw("plugin.GRPCBroker", "StartStream", grpc.stream_stream_rpc_method_handler(no_messages)),
        _raw("grpc.health.v1.Health", "Check", grpc.unary_unary_rpc_method_handler(lambda *_: _SERVING)),
    )


def _raw(service: str, method: str, handler: grpc.RpcMethodHandler[Any, Any]) -> grpc.GenericRpcHandler:
    return grpc.method_handlers_generic_handler(service, {method: handler})


def _without_context(function: Callable[[Any], Any]) -> Callable[[Any, grpc.ServicerContext], Any]:
    return lambda request, _: function(request)
