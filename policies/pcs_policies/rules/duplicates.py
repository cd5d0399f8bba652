"""Which scripts have, or may have, the name of another one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from pcs_policies.document import Leaf, Script, Template


def namesakes(
    scripts: Iterable[Script], others: Iterable[Script] | None = None
) -> Iterator[tuple[Script, Script | None, Script | None]]:
    """For each script with a name, the script that has the same one and a script that may turn out to have it.

    Looks among ``others``; without them, among the scripts that stand before it in ``scripts``.
    """
    known: dict[str, Script] = {}
    open_: list[Script] = []

    def remember(script: Script) -> None:
        if script.name.text is not None:
            known.setdefault(script.name.text, script)
        elif not script.name.absent:
            open_.append(script)

    for other in others or ():
        remember(other)
    for script in scripts:
        if script.name.absent:
            continue
        same = None if script.name.text is None else known.get(script.name.text)
        candidates = open_ if script.name.text is not None else [*known.values(), *open_]
        maybe = None if same else next((c for c in candidates if may_equal(script.name, c.name)), None)
        yield script, same, maybe
        if others is None:
            remember(script)


def may_equal(one: Leaf, other: Leaf) -> bool:
    """Whether two names, of which at least one is not known in full, can be the same in the end."""
    if isinstance(one.value, Template) and isinstance(other.value, Template):
        first, second = one.value.parts, other.value.parts
        return _nested(str.startswith, first[0], second[0]) and _nested(str.endswith, first[-1], second[-1])
    if isinstance(other.value, Template):
        one, other = other, one
    if isinstance(one.value, Template) and other.text is not None:
        pattern = "".join(".*" if part is None else re.escape(part) for part in one.value.parts)
        return re.fullmatch(pattern, other.text, re.DOTALL) is not None
    return True


def _nested(test: Callable[[str, str], bool], one: str | None, other: str | None) -> bool:
    return one is None or other is None or test(one, other) or test(other, one)
