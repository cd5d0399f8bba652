"""Whatever JSON a client sends: an answer of the model, and never a defect."""

import json
from http import HTTPStatus
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.pcs import CLUSTER, GROUP, SCRIPT, KnowsNothing, check_shape, operation_error, replaced

from pcs_bridge.endpoint.clock import ManualClock
from pcs_bridge.endpoint.service import Service
from pcs_bridge.endpoint.store import MemoryStore
from pcs_bridge.endpoint.switches import DEFAULTS
from pcs_contract.shapes import Shape, operation, operations

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=8), parts, max_size=3),
    max_leaves=8,
)


def values(shape: Shape) -> st.SearchStrategy[Any]:
    """Values that often fit a shape, and often nearly."""
    if shape.type == "structure":
        optional = {name: values(member) for name, member in shape.members.items() if name not in shape.required}
        required = {name: values(member) for name, member in shape.members.items() if name in shape.required}
        return st.fixed_dictionaries(required, optional=optional)
    if shape.type == "list":
        assert shape.item is not None
        return st.lists(values(shape.item), max_size=3)
    if shape.type == "map":
        assert shape.item is not None
        return st.dictionaries(st.text(max_size=8), values(shape.item), max_size=3)
    if shape.enum:
        return st.sampled_from(shape.enum)
    if shape.type == "integer":
        return st.integers(-2, 3)
    return st.sampled_from(
        ["hpc", "workers", "batch", "pcs_0", "ami-0", "sg-12345678", "subnet-12345678", "s3://abc/x", ""]
    )


REQUESTS = st.sampled_from([op.name for op in operations()]).flatmap(
    lambda name: st.tuples(st.just(name), values(operation(name).input) | JSON)
)


def ask(service: Service, name: str, parameters: Any) -> None:
    target = f"AWSParallelComputingService.{name}"
    body = json.dumps(parameters).encode()
    answer = service.answer("POST", target, "application/x-amz-json-1.0", body, "us-east-1")
    said = json.loads(answer.body)
    if answer.status == HTTPStatus.OK:
        check_shape(operation(name).output, said, name, set())
        return
    assert answer.status == HTTPStatus.BAD_REQUEST, (name, parameters, said)
    code = said.pop("__type")
    if code != "InvalidToken":
        check_shape(operation_error(name, code), said, name, set())


@settings(max_examples=80, database=None)
@given(requests=st.lists(REQUESTS, min_size=1, max_size=6), more=JSON)
def test_any_request(requests: list[tuple[str, Any]], more: Any) -> None:
    clock = ManualClock()
    service = Service(MemoryStore(), clock, DEFAULTS, KnowsNothing())
    group = {**GROUP, "nodeLifecycleActions": {"stages": {"nodeReady": [SCRIPT]}}}
    for name, parameters in (("CreateCluster", dict(CLUSTER)), ("CreateComputeNodeGroup", group), *requests):
        ask(service, name, parameters)
        clock.advance(1)
    ask(service, "CreateComputeNodeGroup", replaced(group, "nodeLifecycleActions.stages.nodeReady[0]", more))
