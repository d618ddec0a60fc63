"""What the site has besides docs/: the project's own texts, the Python reference, and a report."""

import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from website import api  # noqa: E402  the path comes first
from website.text import (  # noqa: E402
    API,
    TEXTS,
    for_site,
    linked,
    notebook_page,
    slug,
    with_reference,
)

PAGES = ROOT / "website" / "pages"  # of the site alone
REPORT = "demo/report.html"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name headings as GitHub does, and put the Python reference into the navigation."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    entries = api.entries()
    pages = [{"Overview": f"{API}/index.md"}]
    pages += [{api.TITLES[package]: f"{API}/{package}.md"} for package in entries]
    config.nav = with_reference(config.nav, pages)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made here."""
    entries = api.entries()
    made = {page: _text(source) for page, source in TEXTS.items()}
    made |= {path.name: path.read_text(encoding="utf-8") for path in PAGES.iterdir()}
    made |= {f"{API}/{package}.md": api.page(package, names) for package, names in entries.items()}
    made |= {f"{API}/index.md": api.overview(entries)}
    made |= {f"project/{name}": _text(name) for name in outside()}
    made |= {REPORT: report()}
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


@cache
def outside() -> list[str]:
    """Files of the project, besides pages, that pages lead to: the site has copies."""
    sources = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    leads = {
        target
        for source in [*sources, *TEXTS.values()]
        for target in linked((ROOT / source).read_text(encoding="utf-8"), source)
        if not target.startswith("docs/") and target not in TEXTS.values()
    }
    return sorted(target for target in leads if (ROOT / target).is_file())


def _text(name: str) -> str:
    stored = (ROOT / name).read_text(encoding="utf-8")
    return notebook_page(stored) if name.endswith(".ipynb") else stored


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to where things are on the site."""
    return for_site(markdown, page.file.src_uri, TEXTS, outside())


def report() -> str:
    """The report on the demonstration data, as `nerscope demo` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "nerscope", "demo", "demo"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return (Path(folder) / "demo" / "report.html").read_text(encoding="utf-8")
