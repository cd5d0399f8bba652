"""Log lines: go-plugin's form, terraform's levels, nobody's secrets."""

import io
import json
import re

import pytest

from pcs_bridge.plugin.logs import Level, Logger, frames, level_of


@pytest.mark.parametrize(
    ("environ", "level"),
    [
        ({}, Level.OFF),
        ({"TF_LOG": ""}, Level.OFF),
        ({"TF_LOG": "off"}, Level.OFF),
        ({"TF_LOG": "debug"}, Level.DEBUG),
        ({"TF_LOG": "JSON"}, Level.TRACE),
        ({"TF_LOG": "nonsense"}, Level.TRACE),
        ({"TF_LOG": "TRACE", "TF_LOG_PROVIDER": "ERROR"}, Level.ERROR),
        ({"TF_LOG_PROVIDER": "INFO"}, Level.INFO),
    ],
)
def test_level(environ: dict[str, str], level: Level) -> None:
    assert level_of(environ) is level


def test_line() -> None:
    stream = io.StringIO()
    Logger(Level.DEBUG, stream).debug("call", call="ReadResource", milliseconds=1.5)
    line = json.loads(stream.getvalue())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", line.pop("@timestamp"))
    assert line == {
        "@level": "debug",
        "@message": "call",
        "@module": "provider",
        "call": "ReadResource",
        "milliseconds": 1.5,
    }


def test_lower_levels_are_silent() -> None:
    stream = io.StringIO()
    log = Logger(Level.WARN, stream)
    log.trace("a")
    log.debug("b")
    log.info("c")
    log.warn("d")
    log.error("e")
    assert [json.loads(line)["@message"] for line in stream.getvalue().splitlines()] == ["d", "e"]


def test_long_facts_are_cut_below_what_go_plugin_reads_as_one_line() -> None:
    stream = io.StringIO()
    Logger(Level.TRACE, stream).info("a", frames="é" * 100_000)
    assert len(stream.getvalue()) < 64 * 1024


def test_a_stream_that_is_gone_is_no_failure() -> None:
    stream = io.StringIO()
    stream.close()
    Logger(Level.TRACE, stream).info("a")


def test_frames_name_places_but_quote_nothing() -> None:
    secret = "example-secret-value"
    try:
        try:
            raise KeyError(secret)
        except KeyError as cause:
            raise RuntimeError(f"cannot use {secret}") from cause
    except RuntimeError as error:
        text = frames(error)
    assert re.fullmatch(r"RuntimeError at \S*test_logs\.py:\d+ test_\w+; caused by KeyError at \S+:\d+ test_\w+", text)
