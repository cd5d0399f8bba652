"""Files as shells and editors leave them: encodings, and errors that say what is wrong."""

from __future__ import annotations

import json

import pytest

from pcs_policies.errors import InputError
from pcs_policies.sources import text

DOCUMENT = {"name": "é \U0001f680"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings(encoding: str) -> None:
    data = json.dumps(DOCUMENT, ensure_ascii=False).encode(encoding)
    assert text.parse(text.decode(data)) == DOCUMENT


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_as_powershell_writes_it(encoding: str) -> None:
    data = ("\ufeff" + json.dumps(DOCUMENT)).encode(encoding)
    assert text.parse(text.decode(data)) == DOCUMENT


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty; the command that should have written it probably failed"),
        (b" \n", "the file is empty; the command that should have written it probably failed"),
        (
            b'{"a": [1,',
            "the file is not valid JSON: line 1, column 10: it ends too early, so it was probably cut off",
        ),
        (b'{"a" 1}', "the file is not valid JSON: line 1, column 6: expecting ':' delimiter"),
        (b"{} {}", "the file is not valid JSON: line 1, column 4: extra data"),
        (b'{"a": "\xff"}', "the file is no UTF-8 text: byte 7 (invalid start byte)"),
        (b"\xff\xfe{", "the file is no UTF-16 text: byte 2 (truncated data)"),
        (b"[" * 100_000, "the file nests too deep to be a plan, a state or a template"),
    ],
)
def test_what_is_no_json(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        text.parse(text.decode(data))
    assert str(error.value).startswith(message)
