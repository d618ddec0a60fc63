"""What terms mean: a line each, or a table."""

from collections.abc import Sequence

from nerscope.render.document import Document, records_table
from nerscope.results.explanations import Explanation, all_terms, explain


def glossary_document(terms: Sequence[str] | None, *, text: bool) -> Document:
    """The given terms with their definitions, or all of them.

    >>> list(glossary_document(["support"], text=True).lines)
    ['support: The number of gold mentions.']
    """
    found = [explanation for term in terms or () for explanation in explain(term)]
    explanations = found if terms else [Explanation(*item) for item in all_terms().items()]
    if text:
        return Document(lines=[f"{term}: {meaning}" for term, meaning in explanations])
    records = [{"word": term, "meaning": meaning} for term, meaning in explanations]
    return Document([records_table("Words", records)], records, records)
