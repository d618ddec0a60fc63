"""What the documentation shows is what the commands print."""

from pathlib import Path

import pytest
from tests.project import sessions


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    sessions.run("nerscope demo nerscope-demo", folder)
    return folder / "nerscope-demo"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in sessions.PAGES if sessions.blocks_of(page)],
    ids=lambda page: str(page.relative_to(sessions.ROOT)),
)
def test_sessions_show_what_is_printed(page: Path, demo: Path, tmp_path: Path) -> None:
    differences = list(sessions.differences(page, sessions.prepared(demo, tmp_path, page)))
    assert not differences, "\n".join(differences)


@pytest.mark.parametrize(
    ("shown", "printed", "fit"),
    [
        ("a\nb", "a\nb", True),
        ("a\nb", "a\nc", False),
        ("a\n…\nd", "a\nb\nc\nd", True),
        ("a …", "a b c", True),
        ("a\n…\nd", "a\nb\nc", False),
    ],
)
def test_an_elision_stands_for_anything(shown: str, printed: str, fit: bool) -> None:
    assert sessions.fits(shown, printed) is fit
