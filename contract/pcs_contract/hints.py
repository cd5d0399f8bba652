"""What annotations take from ``typing``, without importing it: that and what it imports are 3 ms of a start.

Type checkers see ``typing``; at run time these stand in for it, as nothing looks at them. For the modules that every
``pcsguard check`` imports; all others import ``typing`` itself.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, Literal, NoReturn, Protocol, TextIO, TypeVar
else:

    class _Hint:
        """A name in an annotation, or in an alias of a type."""

        def __class_getitem__(cls, _parameters):
            return cls

    Any = Final = Literal = NoReturn = TextIO = _Hint

    class Protocol:
        """The base of classes that only describe."""

    def TypeVar(_name):  # noqa: N802 - the name that it stands in for
        return _Hint


__all__ = ["TYPE_CHECKING", "Any", "Final", "Literal", "NoReturn", "Protocol", "TextIO", "TypeVar"]
