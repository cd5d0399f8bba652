"""What each of terraform's calls means for a provider."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from decimal import Decimal
from threading import Event
from typing import Any, Final

from pcs_bridge.plugin import tfplugin6_pb2 as pb
from pcs_bridge.plugin import values
from pcs_bridge.plugin.diagnostics import Diagnostic, Failed, error
from pcs_bridge.plugin.function import WrongArgument
from pcs_bridge.plugin.logs import Logger, frames
from pcs_bridge.plugin.provider import Call, DataSource, MovedFrom, Provider, Resource
from pcs_bridge.plugin.schema import Schema
from pcs_bridge.plugin.values import Object, WrongValue
from pcs_bridge.plugin.wire import (
    read_object,
    read_value,
    write_diagnostics,
    write_function,
    write_object,
    write_path,
    write_schema,
    write_value,
)


class Calls:
    """Terraform's calls, one method each: a request in, a response out, never an exception but a bug's.

    `provider` is called when the first call needs it. Methods run in several threads at once.
    """

    def __init__(self, provider: Callable[[], Provider], log: Logger) -> None:
        self._provider: Final = provider
        self._log: Final = log
        self._cancelled: Final = Event()

    def cancel(self) -> None:
        """Ask every handler that waits to end early."""
        self._cancelled.set()

    # About the provider itself.

    def get_metadata(self, request: pb.GetMetadata.Request) -> pb.GetMetadata.Response:
        provider = self._provider()
        return pb.GetMetadata.Response(
            server_capabilities=_capabilities(),
            resources=[pb.GetMetadata.ResourceMetadata(type_name=name) for name in provider.resources],
            data_sources=[pb.GetMetadata.DataSourceMetadata(type_name=name) for name in provider.data_sources],
            functions=[pb.GetMetadata.FunctionMetadata(name=name) for name in provider.functions],
        )

    def get_provider_schema(self, request: pb.GetProviderSchema.Request) -> pb.GetProviderSchema.Response:
        provider = self._provider()
        return pb.GetProviderSchema.Response(
            provider=write_schema(provider.schema),
            resource_schemas={name: write_schema(resource.schema) for name, resource in provider.resources.items()},
            data_source_schemas={name: write_schema(source.schema) for name, source in provider.data_sources.items()},
            functions=_functions(provider),
            server_capabilities=_capabilities(),
        )

    def get_resource_identity_schemas(
        self, request: pb.GetResourceIdentitySchemas.Request
    ) -> pb.GetResourceIdentitySchemas.Response:
        return pb.GetResourceIdentitySchemas.Response()

    def get_functions(self, request: pb.GetFunctions.Request) -> pb.GetFunctions.Response:
        return pb.GetFunctions.Response(functions=_functions(self._provider()))

    # Before there is a plan.

    def validate_provider_config(
        self, request: pb.ValidateProviderConfig.Request
    ) -> pb.ValidateProviderConfig.Response:
        provider = self._provider()
        config = _present(request.config, provider.schema)
        return pb.ValidateProviderConfig.Response(diagnostics=write_diagnostics(provider.validate(config)))

    def validate_resource_config(
        self, request: pb.ValidateResourceConfig.Request
    ) -> pb.ValidateResourceConfig.Response:
        resource = self._resource(request.type_name)
        config = _present(request.config, resource.schema)
        return pb.ValidateResourceConfig.Response(diagnostics=write_diagnostics(resource.validate(config)))

    def validate_data_resource_config(
        self, request: pb.ValidateDataResourceConfig.Request
    ) -> pb.ValidateDataResourceConfig.Response:
        source = self._data_source(request.type_name)
        config = _present(request.config, source.schema)
        return pb.ValidateDataResourceConfig.Response(diagnostics=write_diagnostics(source.validate(config)))

    def configure_provider(self, request: pb.ConfigureProvider.Request) -> pb.ConfigureProvider.Response:
        provider, call = self._provider(), self._call()
        self._log.debug("configuring", terraform_version=request.terraform_version)
        provider.configure(_present(request.config, provider.schema), call)
        return pb.ConfigureProvider.Response(diagnostics=write_diagnostics(call.diagnostics))

    # The life of a resource.

    def upgrade_resource_state(self, request: pb.UpgradeResourceState.Request) -> pb.UpgradeResourceState.Response:
        schema = self._resource(request.type_name).schema
        stored = _stored(request.raw_state)
        if request.version > schema.version:
            raise Failed(
                error(
                    "The state is newer than this provider",
                    f"It was written under schema version {request.version} of {request.type_name}, and this provider "
                    f"knows versions up to {schema.version}. Use the provider's version that wrote it, or a newer one.",
                )
            )
        if request.version < schema.version:
            stored = dict(self._resource(request.type_name).upgrade(request.version, stored))
        state = values.from_stored(stored, schema.type)
        return pb.UpgradeResourceState.Response(upgraded_state=write_object(state, schema.type))

    def read_resource(self, request: pb.ReadResource.Request) -> pb.ReadResource.Response:
        resource, call = self._resource(request.type_name), self._call(request.private)
        current = read_object(request.current_state, resource.schema.type)
        state = None if current is None else resource.read(current, call)
        return pb.ReadResource.Response(
            new_state=write_object(state, resource.schema.type),
            private=call.private,
            diagnostics=write_diagnostics(call.diagnostics),
        )

    def plan_resource_change(self, request: pb.PlanResourceChange.Request) -> pb.PlanResourceChange.Response:
        resource = self._resource(request.type_name)
        call = self._call(request.prior_private, request.planned_private)
        type_ = resource.schema.type
        prior, config = read_object(request.prior_state, type_), read_object(request.config, type_)
        planned = None
        if config is not None:
            planned = resource.plan(config, prior, call)
        elif prior is not None:
            resource.plan_delete(prior, call)
        return pb.PlanResourceChange.Response(
            planned_state=write_object(None if planned is None else planned.state, type_),
            requires_replace=[] if planned is None else [write_path(path) for path in planned.replace],
            planned_private=call.private,
            diagnostics=write_diagnostics(call.diagnostics),
        )

    def apply_resource_change(self, request: pb.ApplyResourceChange.Request) -> pb.ApplyResourceChange.Response:
        resource, call = self._resource(request.type_name), self._call(request.planned_private)
        try:
            new_state = self._recorded(self._applied(request, resource, call), resource.schema, call)
        except Exception as failure:
            call.diagnostics.extend(self._reasons(failure))
            # An answer without a state would tell terraform that the resource is gone.
            new_state = request.prior_state
            if isinstance(failure, Failed) and failure.state is not None:
                new_state = self._recorded(failure.state, resource.schema, call)
        return pb.ApplyResourceChange.Response(
            new_state=new_state, private=call.private, diagnostics=write_diagnostics(call.diagnostics)
        )

    def _applied(self, request: pb.ApplyResourceChange.Request, resource: Resource, call: Call) -> Object | None:
        type_ = resource.schema.type
        prior, planned = read_object(request.prior_state, type_), read_object(request.planned_state, type_)
        if planned is None:
            if prior is not None:
                resource.delete(prior, call)
            return None
        config = _present(request.config, resource.schema)
        if prior is None:
            return resource.create(planned, config, call)
        return resource.update(prior, planned, config, call)

    def _recorded(self, state: Object | None, schema: Schema, call: Call) -> pb.DynamicValue:
        """The state for terraform to record. What exists must not be forgotten because one attribute is wrong."""
        try:
            return write_object(state, schema.type)
        except WrongValue as wrong:
            call.diagnostics.extend(self._reasons(wrong))
            return write_object(_fitting(state or {}, schema), schema.type)

    def import_resource_state(self, request: pb.ImportResourceState.Request) -> pb.ImportResourceState.Response:
        resource, call = self._resource(request.type_name), self._call()
        state = resource.import_(request.id, call)
        imported = pb.ImportResourceState.ImportedResource(
            type_name=request.type_name, state=write_object(state, resource.schema.type), private=call.private
        )
        return pb.ImportResourceState.Response(
            imported_resources=[imported], diagnostics=write_diagnostics(call.diagnostics)
        )

    def move_resource_state(self, request: pb.MoveResourceState.Request) -> pb.MoveResourceState.Response:
        resource, call = self._resource(request.target_type_name), self._call()
        source = MovedFrom(
            provider=request.source_provider_address,
            resource_type=request.source_type_name,
            schema_version=request.source_schema_version,
            state=_stored(request.source_state),
        )
        state = resource.move(source, call)
        if state is None:
            raise Failed(
                error(
                    "The resource cannot be moved",
                    f"{request.target_type_name} cannot take over a {source.resource_type} of {source.provider}. "
                    "Remove the `moved` block, or name a resource type that can be moved.",
                )
            )
        return pb.MoveResourceState.Response(
            target_state=write_object(state, resource.schema.type),
            target_private=call.private,
            diagnostics=write_diagnostics(call.diagnostics),
        )

    def read_data_source(self, request: pb.ReadDataSource.Request) -> pb.ReadDataSource.Response:
        source, call = self._data_source(request.type_name), self._call()
        state = source.read(_present(request.config, source.schema), call)
        return pb.ReadDataSource.Response(
            state=write_object(state, source.schema.type), diagnostics=write_diagnostics(call.diagnostics)
        )

    def call_function(self, request: pb.CallFunction.Request) -> pb.CallFunction.Response:
        function = self._provider().functions.get(request.name)
        if function is None:
            return _refused_call(f"This provider has no function {request.name}.")
        try:
            arguments = [
                read_value(argument, parameter.type)
                for argument, parameter in zip(request.arguments, function.parameters, strict=True)
            ]
            return pb.CallFunction.Response(result=write_value(function.call(*arguments), function.result))
        except WrongArgument as wrong:
            return _refused_call(str(wrong), wrong.position)
        except Exception as failure:
            return _refused_call(" ".join(reason.summary + ". " + reason.text for reason in self._reasons(failure)))

    def stop_provider(self, request: pb.StopProvider.Request) -> pb.StopProvider.Response:
        self._log.info("terraform asks to stop")
        self.cancel()
        return pb.StopProvider.Response()

    # What they share.

    def guarded(self, name: str, method: Callable[[Any], Any], response: type[Any]) -> Callable[[Any], Any]:
        """Return `method` so that whatever it raises becomes diagnostics of an empty `response`."""

        def guarded(request: Any) -> Any:
            started = time.perf_counter()
            try:
                return method(request)
            except Exception as failure:
                return response(diagnostics=write_diagnostics(self._reasons(failure)))
            finally:
                milliseconds = round((time.perf_counter() - started) * 1000, 1)
                self._log.debug("call", call=name, type=getattr(request, "type_name", ""), milliseconds=milliseconds)

        return guarded

    def _reasons(self, failure: Exception) -> Iterable[Diagnostic]:
        if isinstance(failure, Failed) and failure.diagnostics:
            return failure.diagnostics
        identifier = os.urandom(4).hex()
        self._log.error("a handler raised an exception", id=identifier, frames=frames(failure))
        # The text of a WrongValue names a path and two types, no value: that much may be said of a bug.
        what = f"{failure}. " if isinstance(failure, WrongValue) else ""
        return (
            error(
                f"The provider has a bug ({type(failure).__name__}, id {identifier})",
                f"{what}Run the command again with TF_LOG_PROVIDER=ERROR: the log then has a line with this id or, "
                "after the new run, its own, that says where it happened. Please report it with that line; it holds "
                "no values of your configuration.",
            ),
        )

    def _call(self, private: bytes = b"", reviewed: bytes = b"") -> Call:
        return Call(cancelled=self._cancelled, log=self._log, private=private, reviewed=reviewed)

    def _resource(self, name: str) -> Resource:
        resource = self._provider().resources.get(name)
        if resource is None:
            raise Failed(error("Unknown resource type", f"This provider has no resource type {name}."))
        return resource

    def _data_source(self, name: str) -> DataSource:
        source = self._provider().data_sources.get(name)
        if source is None:
            raise Failed(error("Unknown data source", f"This provider has no data source {name}."))
        return source


def _capabilities() -> pb.ServerCapabilities:
    return pb.ServerCapabilities(
        plan_destroy=True,
        # Terraform keeps the schema for as long as it runs instead of asking every process that it starts.
        get_provider_schema_optional=True,
        move_resource_state=True,
    )


def _functions(provider: Provider) -> dict[str, pb.Function]:
    return {name: write_function(function) for name, function in provider.functions.items()}


def _refused_call(text: str, position: int | None = None) -> pb.CallFunction.Response:
    # Terraform puts a full stop behind it.
    return pb.CallFunction.Response(error=pb.FunctionError(text=text.rstrip("."), function_argument=position))


def _present(message: pb.DynamicValue, schema: Schema) -> Object:
    value = read_object(message, schema.type)
    if value is None:
        raise ValueError("terraform sent null for a configuration")
    return value


def _fitting(state: Object, schema: Schema) -> Object:
    """The attributes whose values fit the schema."""
    fitting = {}
    for name, attribute in schema.attributes.items():
        with suppress(WrongValue):
            values.to_msgpack(state.get(name), attribute.type)
            fitting[name] = state.get(name)
    return fitting


def _stored(raw: pb.RawState) -> dict[str, Any]:
    if not raw.json:
        raise Failed(
            error(
                "The state is too old",
                "Terraform 0.11 or older wrote it. Bring it up to date with the terraform versions in between.",
            )
        )
    stored = json.loads(raw.json, parse_float=Decimal)
    if not isinstance(stored, dict):
        raise ValueError("the stored state is not an object")
    return stored
