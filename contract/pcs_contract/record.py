"""Records: named tuples that cost nothing before they are used.

``typing.NamedTuple`` compiles the constructor of every class when the class is made: a tenth of a millisecond each, for
about 60 classes at every start of ``pcsguard check``, most of which a run never fills. A :class:`Record` makes its
constructor when the first one is made, out of code that all classes of as many fields share, and is a ``NamedTuple`` in
every other respect; to a type checker it is one.
"""

from pcs_contract.hints import TYPE_CHECKING

__all__ = ["Record"]

if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:
    from _collections import _tuplegetter
    from functools import cache
    from types import FunctionType

    @cache
    def _constructor(count):
        """The code of a constructor of that many fields."""
        fields = ", ".join(f"a{position}" for position in range(count))
        return eval(f"lambda _cls, {fields}: _new(_cls, ({fields},))").__code__

    class _RecordType(type):
        """Makes a field of every annotation of a class."""

        def __new__(meta, name, bases, namespace):
            if fields := tuple(namespace.get("__annotations__", ())):
                namespace["_fields"] = namespace["__match_args__"] = fields
                namespace["_field_defaults"] = {field: namespace[field] for field in fields if field in namespace}
                for position, field in enumerate(fields):
                    namespace[field] = _tuplegetter(position, field)
            namespace["__slots__"] = ()
            return super().__new__(meta, name, bases, namespace)

    class Record(tuple, metaclass=_RecordType):
        """A named tuple: ``class Point(Record): x: int; y: int = 0``."""

        def __new__(cls, *values, **named):
            code = _constructor(len(cls._fields)).replace(
                co_varnames=("_cls", *cls._fields),
                co_qualname=f"{cls.__qualname__}.__new__",  # what an error calls it when an argument is missing
            )
            constructor = FunctionType(code, {"_new": tuple.__new__}, "__new__", tuple(cls._field_defaults.values()))
            cls.__new__ = staticmethod(constructor)
            return constructor(cls, *values, **named)

        _make = classmethod(tuple.__new__)

        def _replace(self, /, **changes):
            replaced = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(map(repr, changes))}")
            return replaced

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

        def __getnewargs__(self):
            return tuple(self)
