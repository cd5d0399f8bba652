"""Whatever an input holds: documents or a reason, the same in one piece and in parts, and never a crash of a rule."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import render

from pcs_policies import boot
from pcs_policies.document import NodeGroup
from pcs_policies.engine import check_group
from pcs_policies.errors import InputError
from pcs_policies.findings import Finding
from pcs_policies.rules.fragments import SHA256, VERSION, actions, script
from pcs_policies.rules.table import RULES
from pcs_policies.settings import Settings
from pcs_policies.sources.detect import open_document

FOUND = Path(__file__).parent.parent / "fuzz" / "found"

GROUP = {
    "name": "hpc",
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 4},
    "tags": {"project": "hpc"},
    **actions(
        bootstrapped=[script("mount", "s3://example-scripts/mount.sh", checksum=SHA256, arguments=["--fs", "x"])],
        ready=[script("motd", "https://scripts.example.com/motd.sh", s3VersionId=VERSION, onError="CONTINUE")],
        caching="REFRESH_ON_REBOOT",
    ),
}
PLANS = [render.plan(GROUP), render.plan(GROUP, flavour="computed"), render.plan(GROUP, before=GROUP)]
STATE = render.state(GROUP)

WORDS = st.sampled_from(
    [
        *("create", "update", "no-op", "CONTINUE", "TERMINATE", "EVERY_BOOT", "", "motd", "cloudwatch-logs", "mount"),
        *("s3://b/k", "s3://abc/k?versionId=1", "https://u:p@h.example.com/x-v1-latest.sh", "http://x", "\x1b[2J"),
        *("--password", "--password=x", "AKIAIOSFODNN7EXAMPLE", "0" * 64, "x" * 2000, "é", "\ud800", "${var.x}"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.copy(document)
    changed[path[0]] = replaced(document[path[0]], path[1:], value)
    return changed


@st.composite
def mutants(draw: st.DrawFn) -> Any:
    """A plan or a state with up to three of its values replaced by anything."""
    document = draw(st.sampled_from([*PLANS, STATE]))
    for _ in range(draw(st.integers(1, 3))):
        document = replaced(document, draw(st.sampled_from(list(places(document)))), draw(VALUES))
    return document


def outcome(data: bytes, large: int) -> list[Any] | str:
    """The verdicts on all that can be read and what is shown of it, or the reason why nothing can."""
    said: list[Any] = []
    try:
        for group in open_document(data, "input.json", large=large).groups:
            if isinstance(group, NodeGroup):
                said += [_plain(entry) for entry in check_group(group, RULES, Settings(), "input.json")]
                said.append(boot.view(group))
            else:
                said.append(group)
    except InputError as error:
        return str(error)
    return said


def _plain(entry: Any) -> Any:
    assert isinstance(entry, Finding), f"a rule crashed: {entry}"
    assert all(line.isprintable() for line in (entry.message, entry.remedy)), "messages are safe to print"
    return entry


@given(mutants())
def test_a_document_gives_the_same_in_one_piece_and_in_parts(document: Any) -> None:
    data = json.dumps(document).encode()
    whole, parts = outcome(data, 1 << 40), outcome(data, 0)
    if isinstance(whole, str) or isinstance(parts, str):
        assert isinstance(whole, str) == isinstance(parts, str)
    else:
        assert parts == whole


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_a_reason(data: bytes) -> None:
    for large in (0, 1 << 40):
        with pytest.raises(InputError):
            open_document(data, "input.json", large=large)


@given(st.data())
def test_a_cut_or_spliced_text_is_never_read_as_something_else(data: st.DataObject) -> None:
    text = json.dumps(data.draw(st.sampled_from([*PLANS, STATE]))).encode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    spliced = text[:start] + data.draw(st.binary(max_size=4)) + text[end:]
    whole, parts = outcome(spliced, 1 << 40), outcome(spliced, 0)
    if "ambiguous" in whole:
        return  # in parts that is told only of what can change a verdict
    assert isinstance(whole, str) == isinstance(parts, str)
    if not isinstance(whole, str):
        assert parts == whole


@pytest.mark.parametrize("found", sorted(FOUND.iterdir()), ids=lambda path: path.stem)
def test_what_fuzzing_has_found(found: Path) -> None:
    data = found.read_bytes()
    for large in (0, 1 << 40):
        outcome(data, large)
