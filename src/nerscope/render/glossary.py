"""What terms mean: a line each, or a table."""

from collections.abc import Sequence

from nerscope.render.document import Document, records_table
from nerscope.results.terms import all_terms, explain_term


def glossary_document(terms: Sequence[str] | None, *, text: bool) -> Document:
    """The given terms with their definitions, or all of them.

    >>> list(glossary_document(["recall"], text=True).lines)
    ['recall: Right mentions over gold ones.']
    """
    definitions = dict(map(explain_term, terms)) if terms else all_terms()
    if text:
        return Document(lines=[f"{term}: {meaning}" for term, meaning in definitions.items()])
    records = [{"word": term, "meaning": meaning} for term, meaning in definitions.items()]
    return Document([records_table("Words", records)], records, records)
