"""A real Chromium for the tests of the HTML report: the machine's own, driven by playwright, alone and offline."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


def executable() -> str | None:
    """Where a Chromium is; ``None`` where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class NoBrowser(Exception):
    """There is no Chromium."""


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser. Raises NoBrowser where there is none."""
    path = executable()
    if path is None:
        raise NoBrowser("there is no Chromium on PATH; `make browser` installs Debian's")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Opened(NamedTuple):
    """A page, with all that went wrong on it (errors on the console, scripts that failed, dialogs) and what it asked
    for beside itself.
    """

    page: Page
    wrong: list[str]
    asked: list[str]


@contextmanager
def opened(browser: Browser, file: Path, *, anchor: str = "", **options: Any) -> Iterator[Opened]:
    """A file, opened as a reader does. ``options`` are those of playwright's ``new_context``."""
    context = browser.new_context(**options)
    page = context.new_page()
    wrong: list[str] = []
    asked: list[str] = []
    address = file.as_uri()

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    def on_dialog(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def on_request(request: Request) -> None:
        if not request.url.startswith("data:") and request.url.partition("#")[0] != address:
            asked.append(request.url)

    page.on("console", on_console)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", on_dialog)
    page.on("request", on_request)
    try:
        page.goto(address + anchor)
        yield Opened(page, wrong, asked)
    finally:
        context.close()
