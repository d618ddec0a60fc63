"""The page as one file: the template with its data inside."""

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from nerscope.render.page.data import RESULTS_FILE as RESULTS_FILE
from nerscope.render.page.data import page_data
from nerscope.results.judgements import JudgedFile
from nerscope.results.results import Results
from nerscope.results.rows import plain_row

_TEMPLATE = "report.html"
_PLACE = "NERSCOPE_DATA"
_HEIGHT = 720  # pixels in a notebook


class ReportPage:
    """A report that a notebook shows inline; `html` is the whole page."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="nerscope report" '
            f'style="width:100%;height:{_HEIGHT}px;border:1px solid #ccc"></iframe>'
        )


def page_html(results: Results, judges: Sequence[JudgedFile] = (), file: str = RESULTS_FILE) -> str:
    """The report on results as one page, which loads nothing from elsewhere.

    `file` is where the results are saved, for commands to paste.
    """
    return filled_page(_TEMPLATE, page_data(results, judges, file))


def filled_page(template: str, data: Any) -> str:
    """A template of `render/assets` with data inside."""
    text = (files("nerscope.render") / "assets" / template).read_text(encoding="utf-8")
    return text.replace(_PLACE, embedded(data), 1)


def embedded(data: Any) -> str:
    """Data as JSON that cannot end the element it stands in, nor break the encoding of the page.

    >>> embedded({"type": "</script>"})
    '{"type":"\\\\u003c/script>"}'
    """
    text = json.dumps(
        data, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain_row
    )
    # Half a character, which no encoding has, is written as JSON writes it: \\udc80.
    # "</script>" in the data would end the element; JSON may write < as \u003c everywhere.
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return whole.replace("<", "\\u003c")
