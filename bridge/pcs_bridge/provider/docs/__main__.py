"""`python -m pcs_bridge.provider.docs`: writes the generated pages of docs/provider/ again."""

from __future__ import annotations

import sys

from pcs_bridge.provider.docs.example import ROOT
from pcs_bridge.provider.docs.pages import FOLDER, pages


def main() -> int:
    if not (ROOT / "pyproject.toml").is_file():
        print("the pages are written to the repository of pcsguard, and this is an installed copy", file=sys.stderr)
        return 2
    written = pages()
    for old in (ROOT / FOLDER).rglob("*.md"):
        if str(old.relative_to(ROOT)) not in written:
            old.unlink()
    for name, text in written.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(written)} files written below {FOLDER}/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
