"""The data of a document, as strict JSON."""

from nerscope.errors import CONTROL
from nerscope.render.document import OUTPUTS, Document, OutputFormat, as_json


def json_text(document: Document) -> str:
    """Everything that was computed."""
    if document.results is not None:
        return document.results.to_json(document.data)
    return as_json(document.data)


def _escape(text: str) -> str:
    """Write control characters as JSON escapes them, so that the data remain what they are."""
    return CONTROL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


OUTPUTS.add(
    "json",
    OutputFormat(
        json_text,
        "JSON",
        "JSON",
        "Everything that was computed, as strict JSON.",
        escape=_escape,
    ),
    built_in=True,
    rank=50,
)
