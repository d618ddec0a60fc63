"""What docs/integrations.md shows for spaCy, run with spaCy."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"
BLOCKS = re.findall(r"(?s)```python needs=spacy\n(.*?)```", PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("block", BLOCKS, ids=["nlp.evaluate"])
def test_the_examples_hold(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, str(PAGE), "exec"), {"__name__": "__example__"})
