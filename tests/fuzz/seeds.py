"""Writes the seeds of the fuzzer: every fragment of every rule, as a plan and as a state. ``seeds.py FOLDER``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from support import render

from pcs_policies.rules.table import RULES


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for rule in RULES:
        fragments = (*rule.module.GOOD, *rule.module.BAD, *rule.module.UNDECIDED)
        for number, fragment in enumerate(fragments):
            documents = {"plan": render.planned(fragment)}
            if fragment.before is None and render.is_known(fragment.group):
                documents["state"] = render.state(fragment.group)
            for kind, document in documents.items():
                text = json.dumps(document, separators=(",", ":"))
                (folder / f"{rule.id}-{number}-{kind}.json").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
