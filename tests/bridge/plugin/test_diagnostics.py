"""Diagnostics: the path is in the message's structure and in its text."""

from pcs_bridge.plugin import tfplugin6_pb2 as pb
from pcs_bridge.plugin.diagnostics import error, has_error, warning
from pcs_bridge.plugin.paths import Key
from pcs_bridge.plugin.wire import write_diagnostics

PATH = ("stages", "node_ready", 2, "tags", Key("a b"))


def test_every_kind_of_step_is_written() -> None:
    (message,) = write_diagnostics([error("No checksum", "Add one.", PATH)])
    assert [(step.WhichOneof("selector"), str(step).strip()) for step in message.attribute.steps] == [
        ("attribute_name", 'attribute_name: "stages"'),
        ("attribute_name", 'attribute_name: "node_ready"'),
        ("element_key_int", "element_key_int: 2"),
        ("attribute_name", 'attribute_name: "tags"'),
        ("element_key_string", 'element_key_string: "a b"'),
    ]
    assert message.severity == pb.Diagnostic.ERROR
    assert (message.summary, message.detail) == ("No checksum", 'stages.node_ready[2].tags["a b"]: Add one.')


def test_without_a_path_there_is_none() -> None:
    (message,) = write_diagnostics([warning("Slow", "It takes a while.")])
    assert not message.HasField("attribute")
    assert (message.severity, message.detail) == (pb.Diagnostic.WARNING, "It takes a while.")


def test_a_path_without_detail_is_the_detail() -> None:
    assert warning("Slow", "", ("name",)).text == "name"


def test_errors_stop_and_warnings_do_not() -> None:
    assert has_error([warning("a"), error("b")])
    assert not has_error([warning("a")])
