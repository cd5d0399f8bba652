"""Tags, timeouts and the provider block, by themselves."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pcs_bridge.plugin.values import UNKNOWN
from pcs_bridge.provider import settings, tags, timeouts
from pcs_bridge.provider.access import Access
from pcs_bridge.provider.settings import Settings

MERGED: dict[str, tuple[Any, Any, Any]] = {
    "none at all": (None, {}, {}),
    "own come first": ({"Team": "a"}, {"Team": "b", "Cost": "1"}, {"Team": "a", "Cost": "1"}),
    "own are unknown": (UNKNOWN, {"Cost": "1"}, UNKNOWN),
    "those of the provider are unknown": ({"Team": "a"}, UNKNOWN, UNKNOWN),
    "one is unknown": ({"Team": UNKNOWN}, {"Cost": "1"}, {"Team": UNKNOWN, "Cost": "1"}),
    "one is null": ({"Team": None}, {}, {}),
}


@pytest.mark.parametrize("case", MERGED)
def test_merged_tags(case: str) -> None:
    own, defaults, merged = MERGED[case]
    assert tags.merged(own, defaults) == merged


def test_the_difference_of_tags() -> None:
    assert tags.difference({"a": "1", "b": "2", "c": "3"}, {"b": "2", "c": "4", "d": "5"}) == (
        {"c": "4", "d": "5"},
        ["a"],
    )


# own and all tags before, those of the provider, those there are now: own tags after
READ: dict[str, tuple[Any, Any, Any, dict[str, str], Any]] = {
    "nothing": (None, {}, {}, {}, None),
    "an empty map stays one": ({}, {}, {}, {}, {}),
    "as they were": ({"a": "1"}, {"a": "1", "c": "1"}, {"c": "1"}, {"a": "1", "c": "1"}, {"a": "1"}),
    "a changed one": ({"a": "1"}, {"a": "1"}, {}, {"a": "2"}, {"a": "2"}),
    "a removed one": ({"a": "1"}, {"a": "1"}, {}, {}, None),
    "a stranger": (None, {}, {}, {"x": "1"}, {"x": "1"}),
    "one that the provider gives now": (None, {}, {"c": "1"}, {"c": "1"}, None),
    "one that the provider gave once": (None, {"c": "1"}, {}, {"c": "1"}, None),
    "one of the provider's, changed": (None, {"c": "1"}, {"c": "1"}, {"c": "2"}, None),
    "AWS's own": (None, {}, {}, {"aws:pcs:cluster": "x"}, None),
    "a null": ({"a": None}, {}, {}, {}, {"a": None}),
    "unknown ones of the provider": (None, {}, UNKNOWN, {"x": "1"}, {"x": "1"}),
}


@pytest.mark.parametrize("case", READ)
def test_tags_that_are_read(case: str) -> None:
    own, everything, defaults, now, after = READ[case]
    read = tags.read({"tags": own, "tags_all": everything}, defaults, now)
    assert read["tags"] == after
    assert read["tags_all"] == {key: value for key, value in now.items() if not key.startswith("aws:")}


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("30m", 1800), ("1h30m", 5400), ("1h0m1s", 3601), (None, 3600)]
)
def test_deadlines(monkeypatch: pytest.MonkeyPatch, text: str | None, seconds: int) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    assert timeouts.deadline({"timeouts": {"create": text}}, "create") == 1000 + seconds
    assert timeouts.deadline({"timeouts": None}, "delete") == 1000 + 3600


@pytest.mark.parametrize("text", ["", "0s", "30", "30 m", "-1m", "1m1h", "1.5h", "m", "1d", "999999h", "٣m"])
def test_what_is_no_duration(text: str) -> None:
    ((path, summary),) = [
        (one.path, one.summary) for one in timeouts.problems({"timeouts": {"create": text, "delete": UNKNOWN}})
    ]
    assert (path, summary) == (("timeouts", "create"), "The timeout is no duration")


@pytest.mark.parametrize(
    ("region", "environ", "used"),
    [
        ("eu-west-1", {"AWS_REGION": "us-west-2"}, "eu-west-1"),
        (None, {"AWS_REGION": "us-west-2", "AWS_DEFAULT_REGION": "us-east-2"}, "us-west-2"),
        (None, {"AWS_REGION": "", "AWS_DEFAULT_REGION": "us-east-2"}, "us-east-2"),
    ],
    ids=["of the block", "of AWS_REGION", "of boto3"],
)
def test_the_region(monkeypatch: pytest.MonkeyPatch, region: str | None, environ: dict[str, str], used: str) -> None:
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert Access(Settings(region=region)).s3().meta.region_name == used


def test_settings() -> None:
    assert settings.settings({}) == Settings()
    config = {"region": "eu-west-1", "max_retries": 0, "default_tags": {"tags": {"Cost": "1"}}}
    assert settings.settings(config) == Settings(region="eu-west-1", max_retries=0, default_tags={"Cost": "1"})
    later = settings.settings({"region": UNKNOWN, "default_tags": UNKNOWN, "endpoint": UNKNOWN})
    assert (later.region, later.default_tags, later.undecided) == (None, UNKNOWN, ("region", "endpoint"))
    assert list(settings.problems(config)) == []
    assert list(settings.problems({"region": UNKNOWN, "max_retries": UNKNOWN})) == []
