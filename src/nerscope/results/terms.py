"""The words of facets, levels, metrics and matches, and of cells, which are made of them.

Each carries its words where it is registered. They are looked up here by the names that rows hold,
so that results can be read without the plug-ins that made them: a name that is not registered
stands for itself.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nerscope.corpus.units import ALL, TYPE
from nerscope.errors import NerscopeError, plural_of
from nerscope.facets.buckets import range_phrase
from nerscope.facets.facet import FACETS, attribute_named
from nerscope.registry import FactoryRegistry
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.matching import MATCHES, TOKEN_MATCH_WORDS, USUAL_MATCHES, Match
from nerscope.scoring.metrics import ERROR_SHARE, F1, METRICS, Metric
from nerscope.stats.chance import ANNOTATED as ANNOTATED
from nerscope.stats.chance import COHEN as COHEN
from nerscope.stats.chance import FLEISS as FLEISS
from nerscope.stats.chance import coefficient_words


class Wording(NamedTuple):
    """How texts speak of a thing."""

    name: str  # as rows hold it: "tmr", "f(beta=2)"
    title: str  # in headings
    phrase: str  # within sentences
    definition: str = ""  # a sentence or two; empty if nothing is registered


def facet_words(facet: str) -> Wording:
    """The words of a facet.

    >>> facet_words("eLen").phrase, facet_words("a-plug-in").title
    ('mention length (tokens)', 'a-plug-in')
    """
    if facet == ALL:
        return Wording(ALL, "All", "all mentions")
    if facet not in FACETS:
        return Wording(facet, facet, facet)
    entry = FACETS[facet]
    title = " ".join(entry.title.split()) or facet
    unit = f" ({plural_of(entry.noun)})" if entry.noun else ""
    return Wording(facet, title, (entry.phrase or title) + unit, entry.definition)


def level_words(facet: str, level: str, interval: str = "") -> Wording:
    """The words of a level; of a bucket, given the interval that the results have for it.

    >>> level_words("tmr", "unseen-tokens").phrase
    'mentions whose text is new'
    >>> level_words("eLen", "XL", "> 3").phrase
    '4 tokens or more'
    """
    if facet not in FACETS:
        return Wording(level, level, range_phrase(interval) if interval else level)
    entry = FACETS[facet]
    known = entry.level(level, interval)
    phrase, definition = (known.phrase, known.definition) if known else ("", "")
    return Wording(level, level, phrase or level, definition)


class CellWords(NamedTuple):
    """A cell, that is, some units and perhaps a type, in plain words and as a code."""

    phrase: str
    code: str  # "" where the phrase says all


def cell_words(facet: str, level: str, type: str | None = None, interval: str = "") -> CellWords:
    """The words of a cell; of a bucket, given the interval that the results have for it.

    >>> cell_words("tmr", "unseen-tokens", "ORG")
    CellWords(phrase='mentions whose text is new, type ORG', code='tmr=unseen-tokens ORG')
    >>> cell_words("eLen", "XL", interval="> 3")
    CellWords(phrase='mention length: 4 tokens or more', code='eLen=XL')
    >>> cell_words("all", "all", "ORG").phrase, cell_words("eLen=XL & type=ORG", "in").phrase
    ('type ORG', 'eLen=XL & type=ORG')
    """
    if facet in (ALL, TYPE):
        name = level if facet == TYPE else type
        return CellWords(facet_words(ALL).phrase if name is None else f"type {name}", "")
    phrase = _level_phrase(facet, level, interval)
    code = facet + ("" if level == ALL else f"={level}")
    if type is None:
        return CellWords(phrase, code)
    return CellWords(f"{phrase}, type {type}", f"{code} {type}")


def number_words(
    facet: str, level: str, type: str | None, match: str, metric: str, interval: str = ""
) -> CellWords:
    """The words of a number: its metric, and the cell that it is measured on.

    >>> number_words("tmr", "unseen-tokens", None, "exact", "recall")
    CellWords(phrase='recall on mentions whose text is new', code='tmr=unseen-tokens')
    >>> number_words("all", "all", None, "overlap", "f1").phrase
    'overlap F1'
    >>> number_words("hard", "score", None, "bilou", "hardeval").code
    'hardeval'
    """
    words = metric_words(metric)
    made = _made(METRICS, metric)
    if isinstance(made, Metric) and made.is_over_levels and metric != ERROR_SHARE:
        return CellWords(words.phrase, metric)
    title = words.title if match in USUAL_MATCHES else f"{match} {words.title}"
    if facet == ALL and type is None:
        return CellWords(title, "")
    cell = cell_words(facet, level, type, interval)
    link = "by" if interval and attribute_phrase(facet) else "on"  # by mention length: 3 tokens
    return CellWords(f"{title} {link} {cell.phrase}", cell.code)


def _level_phrase(facet: str, level: str, interval: str) -> str:
    if level in _SUBSET_LEVELS:  # an expression that a user wrote, such as eLen=XL & type=ORG
        return facet if level == _SUBSET_LEVELS[0] else f"not ({facet})"
    divider = facet.partition("&")[0].strip()
    phrase = level_words(divider, level, interval).phrase
    if divider != facet:
        return f"{phrase}, where {facet.partition('&')[2].strip()}"
    if attribute := attribute_phrase(facet):  # "4 tokens or more" alone would not say of what
        return f"{attribute}: {phrase}"
    return phrase if facet in FACETS or interval else f"{facet}: {phrase}"


def attribute_phrase(facet: str) -> str:
    """What the buckets of an attribute are buckets of; "" if the facet has levels of its own."""
    if facet not in FACETS or attribute_named(facet) is None:
        return ""
    return FACETS[facet].phrase or facet_words(facet).title


def short_phrase(facet: str) -> str:
    """An attribute in few words; "" if the facet has levels of its own.

    >>> short_phrase("eCon"), short_phrase("tmr")
    ('mention consistency', '')
    """
    attribute = attribute_named(facet) if facet in FACETS else None
    return "" if attribute is None else attribute.short or attribute_phrase(facet)


_SUBSET_LEVELS = ("in", "out")
Ranges = Mapping[tuple[str, str, str], str]  # by dataset, facet and level


def bucket_ranges(parts: Sequence[Evidence]) -> Ranges:
    """The interval of every bucket, as results store it."""
    return {
        (part.dataset, facet, level): interval
        for part in parts
        for facet, edges in part.signature.edges.items()
        for level, interval in edges.ranges.items()
    }


def metric_words(metric: str) -> Wording:
    """The words of a metric, which may have options.

    >>> metric_words("ter").title, metric_words("macro_f1").title, metric_words("f(beta=2)").phrase
    ('token error rate', 'macro F1', 'F score with beta 2')
    """
    made = _made(METRICS, metric)
    title = (made.title if made else "") or metric.replace("_", " ").replace(F1, "F1")
    return _wording(metric, title, made)


def agreement_words() -> dict[str, Wording]:
    """The words of the coefficients of agreement, by name.

    >>> agreement_words()["fleiss_kappa"].title
    "Fleiss' κ over tokens"
    """
    return {words.name: Wording(*words) for words in coefficient_words()}


def match_words(match: str) -> Wording:
    """The words of a match, of mentions or of tokens, which may have options.

    >>> match_words("overlap(credit=1)").phrase, match_words("bilou").phrase
    ('same type, overlapping', 'BILOU label')
    """
    if match in TOKEN_MATCH_WORDS:
        return Wording(match, match, *TOKEN_MATCH_WORDS[match])
    return _wording(match, match, _made(MATCHES, match))


def _made(
    registry: "FactoryRegistry[Metric] | FactoryRegistry[Match]", text: str
) -> Metric | Match | None:
    try:
        return registry.make(text) if text.partition("(")[0] in registry else None
    except NerscopeError:  # a maker that needs options is no reason to stop
        return None


def _wording(name: str, title: str, thing: Metric | Match | None) -> Wording:
    if thing is None:
        return Wording(name, title, title)
    return Wording(name, title, thing.phrase or title, thing.definition)


# What the keys of the signature mean.
SETTING_WORDS = {
    "scheme": "The tagging schemes of gold and systems, each once.",
    "match": "The matches of all mentions together.",
    "average": "How numbers without a prefix are averaged over types.",
    "repair": "How invalid labels are read.",
    "ter": "The labels that token error rates compare, and how they are repaired.",
    "buckets": "How the edges of buckets are placed, and the number of buckets.",
    "zero_division": "The value of 0/0.",
    "case": "fold: facets ignore case when they compare tokens with training.",
    "map": "Types that are renamed or dropped.",
    "answers": "How strings of a language model are located in the text.",
    "resample": "The clusters of intervals.",
    "version": "The version of nerscope.",
}
