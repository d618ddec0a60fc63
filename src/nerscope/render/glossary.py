"""What words mean: a line each, or a table."""

from collections.abc import Sequence

from nerscope.render.document import Document, table_of
from nerscope.results.glossary import GLOSSARY, explained


def glossary_document(terms: Sequence[str] | None, *, text: bool) -> Document:
    """The words that were asked for, or all of them.

    >>> list(glossary_document(["recall"], text=True).lines)
    ['recall: Right mentions over gold ones.']
    """
    lines = [explained(term) for term in terms or GLOSSARY]
    if text:
        return Document(lines=lines)
    parts = [line.partition(": ") for line in lines]
    records = [{"word": word, "meaning": meaning} for word, _, meaning in parts]
    return Document([table_of("Words", records)], records, records)
