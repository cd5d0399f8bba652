"""Rules that a user brings: Python files or modules with the anatomy of the rule files here, and ids PCS9xx.

A rule is a module with ``ID``, ``TITLE``, ``SEVERITY`` and ``check`` (or ``fold``), and optionally ``NEEDS``, a
docstring and fragments, which `pcsguard explain` shows (see :mod:`pcs_policies.rules.rule`).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from types import ModuleType

from pcs_policies.errors import UsageError
from pcs_policies.redaction import printable
from pcs_policies.rules.rule import Fold, Severity
from pcs_policies.rules.table import RULES, Rule, rule_of
from pcs_policies.sources.kinds import KINDS

NEEDS = frozenset[str]().union(*(kind.carries for kind in KINDS))
"""What a rule may need of an input (see :class:`~pcs_policies.rules.table.Rule`)."""


def load(references: Iterable[str], folder: str) -> tuple[Rule, ...]:
    """The rules of files (``.py``, relative to ``folder``), of folders (their ``pcs9*.py``) and of modules.

    Raises :class:`UsageError`, naming the file, for what cannot be imported, is no rule, or takes the id or title of
    another rule.
    """
    rules: list[Rule] = []
    owner = {word: "built in" for rule in RULES for word in (rule.id, rule.title)}
    for reference in references:
        for module, where in _modules(reference, folder):
            problem = next(_problems(module), None)
            if problem:
                raise UsageError(f"{printable(where)} is no rule: {problem}")
            rule = rule_of(module)._replace(needs=frozenset(getattr(module, "NEEDS", ())))
            for word in (rule.id, rule.title):
                if word in owner:
                    raise UsageError(f"{printable(where)}: there is another rule {word} ({printable(owner[word])})")
                owner[word] = where
            rules.append(rule)
    return tuple(sorted(rules, key=lambda rule: rule.id))


def _modules(reference: str, folder: str) -> Iterator[tuple[ModuleType, str]]:
    """The modules that a reference stands for, each with how to call it in a message."""
    path = os.path.join(folder, reference)
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if re.fullmatch(r"pcs9\w*\.py", name))
        if not names:
            raise UsageError(f"the folder {printable(reference)} holds no rule: their files are called pcs9*.py")
        for name in names:
            yield _of_file(os.path.join(path, name)), os.path.join(reference, name)
    elif reference.endswith(".py") or "/" in reference or os.sep in reference:
        yield _of_file(path), reference
    else:
        yield _imported(reference, reference, lambda: import_module(reference)), reference


def _of_file(path: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    # Two folders may have files of one name, and each is a module of its own.
    name = "pcsguard_own_" + re.sub(r"\W", "_", os.path.abspath(path))
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise UsageError(f"there is no Python file {printable(path)}")
    module = module_from_spec(spec)
    loader = spec.loader

    def execute() -> ModuleType:
        sys.modules[name] = module  # before it runs: code in it may look its own module up
        try:
            loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module

    return _imported(name, path, execute)


def _imported(name: str, where: str, load: Callable[[], ModuleType]) -> ModuleType:
    try:
        return load()
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and error.name and name.startswith(error.name):
            raise UsageError(
                f"there is no module {printable(where)}; give an installed module, or a file that ends in .py"
            ) from None
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise UsageError(
            f"{printable(where)} cannot be imported: {type(error).__name__}{line}: {printable(str(error))[:300]}"
        ) from None


def _problems(module: ModuleType) -> Iterator[str]:
    """What keeps a module from being a rule."""
    rule_id, title = getattr(module, "ID", None), getattr(module, "TITLE", None)
    if not isinstance(rule_id, str) or not re.fullmatch(r"PCS9[0-9]{2}", rule_id):
        yield 'its ID is not one of "PCS900" to "PCS999", which are kept for rules of your own'
    if not isinstance(title, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", title):
        yield 'its TITLE is not words in lower case with dashes between them, such as "owner-tag"'
    if not isinstance(getattr(module, "SEVERITY", None), Severity):
        yield "its SEVERITY is not Severity.ERROR, Severity.WARNING or Severity.INFO"
    check, fold = getattr(module, "check", None), getattr(module, "fold", None)
    if (check is None) == (fold is None):
        yield "it has to have either a function `check` or a `fold`"
    if check is not None and not callable(check):
        yield "its `check` is not a function"
    if fold is not None and not isinstance(fold, Fold):
        yield "its `fold` is not a Fold"
    needs: object = getattr(module, "NEEDS", frozenset[str]())
    if not isinstance(needs, set | frozenset | tuple | list) or not NEEDS.issuperset(needs):
        yield f"its NEEDS are not among {', '.join(sorted(NEEDS))}"
