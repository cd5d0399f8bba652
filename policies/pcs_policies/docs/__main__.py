"""``python -m pcs_policies.docs``: writes the generated pages of this repository again."""

from __future__ import annotations

import sys
from pathlib import Path

from pcs_policies.docs.pages import RULES_FOLDER, pages

ROOT = Path(__file__).resolve().parents[3]


def main() -> int:
    if not (ROOT / "pyproject.toml").is_file():
        print("the pages are written to the repository of pcsguard, and this is an installed copy", file=sys.stderr)
        return 2
    written = pages()
    folder = ROOT / RULES_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if f"{RULES_FOLDER}/{old.name}" not in written:
            old.unlink()
    for path, text in written.items():
        (ROOT / path).write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(written)} files written below docs/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
