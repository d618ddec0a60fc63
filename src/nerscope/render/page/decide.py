"""A page on which people decide about places in gold, as one HTML file."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from nerscope.errors import UsageError
from nerscope.render.document import Table
from nerscope.render.page.decide_schema import (
    DecideKind,
    DecidePage,
    DecideSpan,
    DecideTable,
)
from nerscope.render.page.html import filled_page
from nerscope.version import VERSION

MOST_ITEMS = 20_000  # more would make the page slow
_TEMPLATE = "decide.html"
_LONGEST = 300  # characters of a neighbouring sentence


def decide_html(page: DecidePage) -> str:
    """The page as one file, which loads nothing from elsewhere."""
    return filled_page(_TEMPLATE, page)


def new_page(kind: DecideKind, title: str, names: Sequence[str]) -> DecidePage:
    """A page with nothing to decide yet."""
    return {
        "title": title,
        "date": date.today().isoformat(),
        "version": VERSION,
        "kind": kind,
        "names": list(names),
        "types": [],
        "nested": False,
        "summary": [],
        "tables": [],
        "notes": [],
        "commands": [],
        "sentences": [],
        "items": [],
        "groups": [],
        "sample": [],
    }


def require_texts(are_known: bool) -> None:
    """Refuse to make a page without texts."""
    if not are_known:
        raise UsageError(
            "report",
            "the texts were left out, and nothing can be decided without them",
            "leave out --no-text, or texts=False in Python",
        )


def shown_spans(spans: Iterable[Sequence[Any]]) -> list[DecideSpan]:
    """Mentions as plain data, in order and each once."""
    return [
        {"start": start, "end": end, "type": kind}
        for start, end, kind in sorted({tuple(span) for span in spans})
    ]


def shown_table(table: Table) -> DecideTable:
    """A table as texts; a column of names without a header gets one."""
    return {
        "title": table.title,
        "header": [name or "name" for name in table.header],
        "rows": [[table.shown(cell) for cell in row] for row in table.rows],
        "notes": list(table.all_notes),
    }


def frequent_types(types: Iterable[str]) -> list[str]:
    """Each type once, the most frequent first."""
    return [name for name, _ in Counter(types).most_common()]


def neighbour_text(tokens: Sequence[str] | None, *, at_end: bool) -> str:
    """A neighbouring sentence; of a long one, the part at the end or at the beginning."""
    text = " ".join(tokens or ())
    if len(text) <= _LONGEST:
        return text
    return f"… {text[-_LONGEST:]}" if at_end else f"{text[:_LONGEST]} …"


def glued_tokens(gaps: Sequence[str] | None) -> list[int] | None:
    """The tokens with no blank before them, where the blanks are known."""
    return None if gaps is None else [at for at, gap in enumerate(gaps) if at and not gap]


def is_in_memory(names: Iterable[str]) -> bool:
    """Whether data have no file that a command could name, as in "<gold>"."""
    return any(name.startswith("<") for name in names)
