"""Terraform's calls: what a provider raises becomes diagnostics, and what exists is never forgotten."""

from __future__ import annotations

import io
from typing import Any

import pytest

from pcs_bridge.plugin import tfplugin6_pb2 as pb
from pcs_bridge.plugin.calls import Calls
from pcs_bridge.plugin.cty import STRING
from pcs_bridge.plugin.diagnostics import Failed, error, warning
from pcs_bridge.plugin.function import Function, Parameter, WrongArgument
from pcs_bridge.plugin.logs import Level, Logger
from pcs_bridge.plugin.provider import Call, Provider, Resource
from pcs_bridge.plugin.schema import Attribute, Attributes, Schema
from pcs_bridge.plugin.services import snake
from pcs_bridge.plugin.values import Object
from pcs_bridge.plugin.wire import read_object, read_value, write_object, write_value

SECRET = "example-secret-value"
SCHEMA = Schema(
    Attributes((Attribute("id", STRING, computed=True, keeps_prior=True), Attribute("name", STRING, optional=True))),
    version=2,
)
PRIOR = {"id": "g-1", "name": "old"}


class Scripted(Resource):
    """Does what a test says: returns its outcome, or raises it."""

    schema = SCHEMA

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome

    def _do(self, call: Call) -> Any:
        call.warn(warning("Careful"))
        call.private = b"note"
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    def create(self, planned: Object, config: Object, call: Call) -> Object:
        created: Object = self._do(call)
        return created

    def update(self, prior: Object, planned: Object, config: Object, call: Call) -> Object:
        updated: Object = self._do(call)
        return updated

    def delete(self, prior: Object, call: Call) -> None:
        self._do(call)

    def read(self, state: Object, call: Call) -> Object | None:
        found: Object | None = self._do(call)
        return found

    def upgrade(self, version: int, state: Any) -> Any:
        return {**state, "name": f"{state['title']} of {version}"}


class OneType(Provider):
    def __init__(self, resource: Resource) -> None:
        self.resources = {"thing": resource}


def calls(outcome: Any, log: io.StringIO | None = None) -> Calls:
    return Calls(lambda: OneType(Scripted(outcome)), Logger(Level.TRACE, log or io.StringIO()))


def value(state: Object | None) -> pb.DynamicValue:
    return write_object(state, SCHEMA.type)


def apply(outcome: Any, prior: Object | None, planned: Object | None) -> tuple[Object | None, list[str]]:
    """The recorded state, and the summaries of the diagnostics."""
    made = calls(outcome)
    request = pb.ApplyResourceChange.Request(
        type_name="thing", prior_state=value(prior), planned_state=value(planned), config=value(planned)
    )
    answer = made.guarded("Apply", made.apply_resource_change, pb.ApplyResourceChange.Response)(request)
    assert answer.private == b"note"
    return read_object(answer.new_state, SCHEMA.type), [diagnostic.summary for diagnostic in answer.diagnostics]


NEW = {"id": "g-1", "name": "new"}


@pytest.mark.parametrize(
    ("outcome", "prior", "planned", "recorded", "summaries"),
    [
        pytest.param(NEW, None, NEW, NEW, ["Careful"], id="create"),
        pytest.param(NEW, PRIOR, NEW, NEW, ["Careful"], id="update"),
        pytest.param(None, PRIOR, None, None, ["Careful"], id="delete"),
        pytest.param(Failed(error("No")), None, NEW, None, ["Careful", "No"], id="create-fails"),
        pytest.param(Failed(error("No"), state=NEW), None, NEW, NEW, ["Careful", "No"], id="create-half-made"),
        pytest.param(Failed(error("No")), PRIOR, NEW, PRIOR, ["Careful", "No"], id="update-fails"),
        pytest.param(Failed(error("No")), PRIOR, None, PRIOR, ["Careful", "No"], id="delete-fails"),
        pytest.param(OSError(SECRET), PRIOR, NEW, PRIOR, ["Careful", "bug OSError"], id="update-bug"),
        pytest.param(OSError(SECRET), PRIOR, None, PRIOR, ["Careful", "bug OSError"], id="delete-bug"),
        pytest.param(
            {"id": "g-1", "name": 7}, None, NEW, {"id": "g-1", "name": None}, ["Careful", "bug WrongValue"],
            id="create-returns-a-wrong-value",
        ),
        pytest.param(
            Failed(error("No"), state={"id": "g-1", "nmae": "x"}), PRIOR, NEW, {"id": "g-1", "name": None},
            ["Careful", "No", "bug WrongValue"], id="failure-carries-a-wrong-state",
        ),
    ],
)  # fmt: skip
def test_apply(outcome: Any, prior: Any, planned: Any, recorded: Any, summaries: list[str]) -> None:
    state, found = apply(outcome, prior, planned)
    assert state == recorded
    assert [_short(summary) for summary in found] == summaries


def _short(summary: str) -> str:
    return f"bug {summary.split('(')[1].split(',')[0]}" if "has a bug" in summary else summary


def test_a_bug_is_one_diagnostic_with_an_id_that_the_log_knows_and_no_value() -> None:
    log = io.StringIO()
    made = calls(RuntimeError(SECRET), log)
    request = pb.ReadResource.Request(type_name="thing", current_state=value(PRIOR))
    answer = made.guarded("ReadResource", made.read_resource, pb.ReadResource.Response)(request)
    (diagnostic,) = answer.diagnostics
    identifier = diagnostic.summary.rpartition(" ")[2].rstrip(")")
    assert f'"id": "{identifier}"' in log.getvalue()
    assert "test_calls.py" in log.getvalue()
    assert SECRET not in log.getvalue() + str(answer)
    assert "Traceback" not in str(answer)


def test_a_resource_that_is_gone_is_read_as_null() -> None:
    answer = calls(None).read_resource(pb.ReadResource.Request(type_name="thing", current_state=value(PRIOR)))
    assert read_object(answer.new_state, SCHEMA.type) is None


def test_a_destroy_is_planned_as_null() -> None:
    request = pb.PlanResourceChange.Request(type_name="thing", prior_state=value(PRIOR), config=value(None))
    answer = calls(None).plan_resource_change(request)
    assert read_object(answer.planned_state, SCHEMA.type) is None


@pytest.mark.parametrize(
    ("version", "stored", "state"),
    [
        (2, b'{"id": "g-1", "name": "a", "gone": [1]}', {"id": "g-1", "name": "a"}),
        (1, b'{"id": "g-1", "title": "a"}', {"id": "g-1", "name": "a of 1"}),
    ],
)
def test_a_stored_state_is_brought_up_to_date(version: int, stored: bytes, state: Object) -> None:
    request = pb.UpgradeResourceState.Request(type_name="thing", version=version, raw_state=pb.RawState(json=stored))
    answer = calls(None).upgrade_resource_state(request)
    assert read_object(answer.upgraded_state, SCHEMA.type) == state


@pytest.mark.parametrize(
    ("call", "request_", "summary"),
    [
        ("ReadResource", {"type_name": "other"}, "Unknown resource type"),
        ("ReadDataSource", {"type_name": "thing"}, "Unknown data source"),
        ("UpgradeResourceState", {"type_name": "thing", "version": 3, "raw_state": {"json": b"{}"}}, "The state is"),
        ("UpgradeResourceState", {"type_name": "thing", "raw_state": {"flatmap": {"id": "x"}}}, "The state is too old"),
        ("ImportResourceState", {"type_name": "thing", "id": "x"}, "Import is not possible"),
        ("MoveResourceState", {"target_type_name": "thing", "source_state": {"json": b"{}"}}, "The resource cannot"),
        ("ReadResource", {"type_name": "thing", "current_state": {"msgpack": b"\xc1"}}, "The provider has a bug"),
        ("ReadResource", {"type_name": "thing"}, "The provider has a bug (ValueError"),
    ],
)  # fmt: skip
def test_every_refusal_is_a_diagnostic(call: str, request_: dict[str, Any], summary: str) -> None:
    made, message = calls(None), getattr(pb, call)
    answer = made.guarded(call, getattr(made, snake(call)), message.Response)(message.Request(**request_))
    (diagnostic,) = answer.diagnostics
    assert diagnostic.summary.startswith(summary)
    assert diagnostic.severity == pb.Diagnostic.ERROR


def test_every_call_of_the_service_has_a_method_and_nothing_else_does() -> None:
    methods = {snake(method.name) for method in pb.DESCRIPTOR.services_by_name["Provider"].methods}
    public = {name for name in vars(Calls) if not name.startswith("_")}
    assert public == methods | {"cancel", "guarded"}


def test_stop_provider_is_seen_by_handlers() -> None:
    seen: list[bool] = []

    class Watching(Scripted):
        def read(self, state: Object, call: Call) -> Object | None:
            seen.append(call.cancelled.is_set())
            return state

    made = Calls(lambda: OneType(Watching(None)), Logger())
    request = pb.ReadResource.Request(type_name="thing", current_state=value(PRIOR))
    made.read_resource(request)
    made.stop_provider(pb.StopProvider.Request())
    made.read_resource(request)
    assert seen == [False, True]


def test_functions() -> None:
    def double(text: str) -> str:
        if text == "bug":
            raise ValueError(SECRET)
        if not text:
            raise WrongArgument(0, "It must not be empty.")
        return text * 2

    class OneFunction(Provider):
        def __init__(self) -> None:
            parameter = Parameter("text", STRING, "A text.")
            self.functions = {"double": Function((parameter,), STRING, "Doubles", "Doubles it.", double)}

    made = Calls(OneFunction, Logger(Level.TRACE, io.StringIO()))
    declared = made.get_functions(pb.GetFunctions.Request()).functions["double"]
    assert declared == made.get_provider_schema(pb.GetProviderSchema.Request()).functions["double"]
    assert [metadata.name for metadata in made.get_metadata(pb.GetMetadata.Request()).functions] == ["double"]
    assert [(parameter.name, parameter.type) for parameter in declared.parameters] == [("text", b'"string"')]
    assert declared.result.type == b'"string"'

    def called(text: str, name: str = "double") -> pb.CallFunction.Response:
        return made.call_function(pb.CallFunction.Request(name=name, arguments=[write_value(text, STRING)]))

    assert read_value(called("a").result, STRING) == "aa"
    wrong = called("").error
    assert (wrong.text, wrong.function_argument) == ("It must not be empty", 0)
    assert called("a", "triple").error.text == "This provider has no function triple"
    bug = called("bug").error
    assert "The provider has a bug (ValueError" in bug.text
    assert SECRET not in bug.text
    assert not bug.HasField("function_argument")
