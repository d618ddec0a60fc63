"""Facets of metadata: what the records of gold say about themselves, such as `meta.genre`."""

from nerscope.corpus.arrays import Objects
from nerscope.facets.facet import FACETS, Category, View

PREFIX = "meta."
NO_VALUE = "(none)"  # the level of mentions in records without a value


def metadata_key(facet: str) -> str | None:
    """The key of a facet of metadata; None for other facets.

    >>> metadata_key("meta.genre"), metadata_key("tmr")
    ('genre', None)
    """
    return facet.removeprefix(PREFIX) if facet.startswith(PREFIX) else None


def _facet(name: str) -> Category:
    key = name.removeprefix(PREFIX)

    def values(view: View) -> list[str]:
        corpus = view.sentences.corpus
        column: Objects | None = None if corpus.records is None else corpus.records.meta.get(key)
        if column is None:
            return [NO_VALUE] * len(view.mentions)
        return [NO_VALUE if value is None else value for value in column[view.sentence].tolist()]

    return Category(
        name,
        values,
        title=f"Metadata: {key}",
        phrase=f"{key} of the text",
        definition=f"The value of {key!r} in the metadata of the record.",
    )


FACETS.add_family(PREFIX, _facet)
