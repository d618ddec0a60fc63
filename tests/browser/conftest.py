"""A real browser that opens reports, in which no error and no request goes unnoticed."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    ViewportSize,
    sync_playwright,
)

import nerscope as ns

ROOT = Path(__file__).resolve().parents[2]
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
Open = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert path, "there is no chromium: `make test-browser` installs it, or set CHROMIUM"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield opened
        opened.close()


class Watched:
    """Opens pages, and remembers whatever must not happen in them."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: list[BrowserContext] = []
        self.faults: list[str] = []

    def open(self, path: Path, place: str = "", **options: Any) -> Page:
        size = ViewportSize(width=options.pop("width", 1200), height=options.pop("height", 900))
        context = self.browser.new_context(viewport=size, accept_downloads=True, **options)
        self.contexts.append(context)
        context.on("request", self._requested)
        page = context.new_page()
        page.on("console", lambda said: self.faults.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))
        page.goto(path.as_uri() + place)
        page.wait_for_selector("h2, iframe")
        return page

    def _requested(self, request: Request) -> None:
        if not request.url.startswith(("file:", "blob:", "data:")):
            self.faults.append(f"request: {request.url}")


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    watched = Watched(browser)
    yield watched.open
    for context in watched.contexts:
        context.close()
    assert watched.faults == []


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_report(tmp_path_factory.mktemp("reports"))


def demo_report(folder: Path) -> Path:
    """The report on the demonstration data, written to a folder."""
    with contextlib.chdir(ROOT / "src" / "nerscope"):  # pages show the names of files
        systems: dict[str, list[str]] = {}
        for path in sorted(Path("demo/systems").glob("*.conll")):
            systems.setdefault(path.name.split(".")[0], []).append(str(path))
        results = ns.evaluate("demo/test.conll", systems, train="demo/train.conll", dataset="demo")
    target = folder / "demo.html"
    results.report(target)
    return target
