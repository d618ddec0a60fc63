"""How long a report takes to write, open and filter, and how large it is.

    python benchmarks/page.py results.json [more.json …]

Needs chromium; times are the best of several, in one run.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from playwright.sync_api import Browser, sync_playwright

import nerscope as ns

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_TIMES = 5
_FILTER = """async () => {
    const field = document.querySelector("input[type=search]");
    const times = [];
    for (const words of ["a", "an", "the", "of", ""]) {
        const start = performance.now();
        field.value = words;
        field.dispatchEvent(new Event("input", {bubbles: true}));
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        times.push(performance.now() - start);
    }
    return Math.max(...times);
}"""


def best(action: Callable[[], object], times: int = _TIMES) -> float:
    """The shortest time of several, in seconds."""
    seconds = []
    for _ in range(times):
        start = perf_counter()
        action()
        seconds.append(perf_counter() - start)
    return min(seconds)


def measure(browser: Browser, path: Path, folder: Path) -> None:
    """Print what a report on some results costs."""
    results, page_path = ns.Results.load(path), folder / "page.html"
    start = perf_counter()
    results.report(page_path)
    writing = perf_counter() - start
    if writing < 3:
        writing = min(writing, best(lambda: results.report(page_path)))
    page = browser.new_page()

    def opened() -> None:
        page.goto("about:blank")
        page.goto(page_path.as_uri())
        page.wait_for_selector("figure svg a")

    opening = best(opened)
    page.goto(page_path.as_uri() + "#/errors?outcome=error")
    page.wait_for_selector("ol.sentences > li")
    filtering = min(page.evaluate(_FILTER) for _ in range(_TIMES))
    size = page_path.stat().st_size / 1e6
    print(
        f"{path.name}: written in {writing:.2f} s, {size:.2f} MB, opened in {opening:.2f} s, "
        f"slowest filter {filtering:.0f} ms"
    )
    page.close()


def main() -> None:
    """Measure the reports on all results that are named."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        for name in sys.argv[1:]:
            measure(browser, Path(name), Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
