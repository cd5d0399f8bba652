"""Records behave as the named tuples that type checkers take them for."""

import copy
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from pcs_contract.record import Record


class Point(Record):
    x: int
    y: int = 2

    @property
    def sum(self) -> int:
        return self.x + self.y


Untyped: Any = Point
"""What type checkers refuse, they let pass on this."""


class Named(NamedTuple):
    x: int
    y: int = 2


@pytest.mark.parametrize(
    "make",
    [lambda cls: cls(1), lambda cls: cls(x=1, y=2), lambda cls: cls(1, y=2)],
    ids=["default", "named", "mixed"],
)
def test_a_record_is_a_named_tuple(make: Callable[[Any], Any]) -> None:
    record, named = make(Point), make(Named)
    assert record == named == (1, 2)
    assert hash(record) == hash(named)
    assert repr(record) == repr(named).replace("Named", "Point")
    assert (record.x, record.y, record.sum) == (1, 2, 3)
    assert record._asdict() == named._asdict()
    assert record._replace(y=5) == named._replace(y=5)
    assert type(record._replace(y=5)) is Point
    assert (Point._fields, Point._field_defaults) == (Named._fields, Named._field_defaults)
    assert [type(copied) for copied in (copy.copy(record), copy.deepcopy(record))] == [Point, Point]
    match record:
        case Point(x, y):
            assert (x, y) == (1, 2)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: Untyped(), "Point.__new__() missing 1 required positional argument: 'x'"),
        (lambda: Untyped(1, 2, 3), "Point.__new__() takes from 2 to 3 positional arguments but 4 were given"),
        (lambda: Untyped(1, z=3), "Point.__new__() got an unexpected keyword argument 'z'"),
        (lambda: Untyped(1)._replace(z=3), "Point has no field 'z'"),
        (lambda: setattr(Point(1), "x", 3), "can't set attribute"),
        (lambda: setattr(Point(1), "z", 3), "'Point' object has no attribute 'z'"),
    ],
    ids=["missing", "too-many", "unknown", "unknown-replaced", "frozen", "no-new-attributes"],
)
def test_misuse(act: Callable[[], object], message: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
        act()
    assert str(caught.value) == message


def test_the_constructor_is_made_once() -> None:
    class Fresh(Record):
        a: int

    before = Fresh.__new__
    Fresh(1)
    made = Fresh.__new__
    Fresh(2)
    assert before is not made
    assert Fresh.__new__ is made


def test_neither_records_nor_hints_import_typing() -> None:
    code = "import sys, pcs_contract.record, pcs_contract.hints; print('typing' in sys.modules)"
    source = f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}; {code}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
