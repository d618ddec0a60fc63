"""The data of a document, as strict JSON."""

from nerscope.render.document import OUTPUTS, Document, OutputFormat, as_json


def json_text(document: Document) -> str:
    """Everything that was computed."""
    if document.results is not None:
        return document.results.to_json(document.data)
    return as_json(document.data)


OUTPUTS.add(
    "json",
    OutputFormat(json_text, "JSON", "JSON", "Everything that was computed, as strict JSON."),
    built_in=True,
    rank=50,
)
