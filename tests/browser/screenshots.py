"""Pictures of the demonstration's report, for the documentation.

`make screenshots` writes them to docs/report.
"""

import os
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import ViewportSize, sync_playwright
from tests.browser.conftest import FLAGS, ROOT, demo_report

PLACES = {
    "summary": "#/summary",
    "errors": "#/errors?system=crf-gazetteer",
    "groups": "#/errors?view=groups&group=surface",
    "compare": "#/compare?a=crf-gazetteer&b=crf-words",
    "where": "#/where",
    "review": "#/errors?view=review",
}
_SIZE = ViewportSize(width=1280, height=800)


def take(target: Path) -> None:
    """One picture for each place."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = demo_report(Path(folder))
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        page = browser.new_page(viewport=_SIZE)
        for name, place in PLACES.items():
            page.goto("about:blank")
            page.goto(report.as_uri() + place)
            page.wait_for_timeout(500)  # until charts are drawn
            picture = target / f"{name}.png"
            page.screenshot(path=picture)
            with Image.open(picture) as drawn:
                drawn.convert("RGB").quantize(256).save(picture, optimize=True)
        browser.close()


if __name__ == "__main__":
    take(ROOT / "docs" / "report")
