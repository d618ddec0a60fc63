"""The notebook runs, shows what it says, and is stored as others expect it."""

from pathlib import Path

import pytest
from tests.project.notebook import TOUR, code_cells, read, run, shown
from website.text import notebook_page


def test_the_tour_shows_what_its_cells_print(
    tmp_path: Path, registries: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a change of output: make sessions."""
    monkeypatch.setenv("COLUMNS", "100")
    notebook = read(TOUR)
    assert run(notebook, tmp_path) == [shown(cell) for cell in code_cells(notebook)]
    assert (tmp_path / "page.html").stat().st_size > 100_000


def test_the_tour_is_stored_whole_and_names_no_machine() -> None:
    notebook = read(TOUR)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["cells"][0]["source"][0].startswith("# ")
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert not [cell for cell in code_cells(notebook) if "/" in shown(cell)]
    assert TOUR.stat().st_size < 20_000


def test_the_tour_is_a_page_of_the_site() -> None:
    page = notebook_page(TOUR.read_text(encoding="utf-8"))
    assert page.startswith("# A tour of nerscope\n")
    assert page.count("```python\n") == len(code_cells(read(TOUR)))
    assert "```text\nshapes is better than words" in page
