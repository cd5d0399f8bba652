"""Takes the pictures of docs/images/: the HTML report of the example of a change, and of a fleet of 500 groups.

``python tools/take_pictures.py`` runs the real command and the machine's own Chromium; fonts are those of the machine.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.browser import NoBrowser, launched, opened  # noqa: E402
from support.fleet import fleet  # noqa: E402
from support.pcsguard_cli import pcsguard  # noqa: E402

IMAGES = ROOT / "docs" / "images"
EXAMPLE = ("examples/plans/change.json", "--source", "examples/terraform/change")


class Picture(NamedTuple):
    """A picture of what ``pcsguard check`` makes of ``inputs``; ``size`` is in pixels."""

    file: str
    inputs: tuple[str, ...]
    size: tuple[int, int]
    colours: str


def pictures(folder: Path) -> tuple[Picture, ...]:
    """The pictures; what is to be checked and is nowhere on disk is written into ``folder``."""
    plan = folder / "fleet.json"
    plan.write_text(json.dumps(fleet(500, alike=40)), encoding="utf-8")
    return (
        Picture("report.png", EXAMPLE, (1080, 1260), "light"),
        Picture("report-fleet.png", (str(plan),), (1080, 860), "dark"),
    )


def main() -> int:
    IMAGES.mkdir(exist_ok=True)
    try:
        with tempfile.TemporaryDirectory() as temporary, launched() as browser:
            folder = Path(temporary)
            for picture in pictures(folder):
                pcsguard("check", *picture.inputs, "--format", f"html={folder / 'page.html'}", cwd=ROOT)
                width, height = picture.size
                options: dict[str, Any] = {"viewport": {"width": width, "height": height}}
                with opened(browser, folder / "page.html", color_scheme=picture.colours, **options) as (page, _, _):
                    page.screenshot(path=IMAGES / picture.file)
                print(f"took {picture.file}")
    except NoBrowser as missing:
        print(missing, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
