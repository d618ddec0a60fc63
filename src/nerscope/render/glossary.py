"""What terms mean: a line each, or a table."""

from collections.abc import Sequence

from nerscope.render.document import Document, records_table
from nerscope.results.explanations import Explanation, all_terms, explain_words


def glossary_document(terms: Sequence[str] | None, *, text: bool) -> Document:
    """The given terms with their definitions, or all of them.

    >>> list(glossary_document(["support"], text=True).lines)
    ['support: The number of gold mentions.']
    """
    every = [Explanation(*item) for item in all_terms().items()]
    explanations = explain_words(terms) if terms else every
    if text:
        return Document(lines=[f"{term}: {meaning}" for term, meaning in explanations])
    records = [{"word": term, "meaning": meaning} for term, meaning in explanations]
    return Document([records_table("Words", records)], records, records)
