"""The data of a page on which people decide: what Python writes and `web/src/decide` reads.

`make page` writes `web/src/decide-data.ts` from these classes. The page serves two commands: on the
page of `agree`, people choose among annotators; on that of `audit`, between gold and a proposal.
"""

from typing import Literal, TypedDict

DecideKind = Literal["agreement", "audit"]


class DecideSpan(TypedDict):
    """A mention of a sentence: its tokens, half-open and counted from 0, and its type."""

    start: int
    end: int
    type: str


class DecideSentence(TypedDict):
    """A sentence with something to decide, and the text around it."""

    file: str  # as decisions name it; never an absolute path
    sentence: int  # from 0, in the order of the file
    place: str  # the line or the record, for people
    tokens: list[str]
    glued: list[int] | None  # where known: tokens with no blank before them
    before: str
    after: str
    gold: list[DecideSpan]  # of two or more annotators, what all of them have


class DecideOption(TypedDict):
    """One annotation of a place, and whose it is; annotators that agree are together."""

    names: list[str]
    spans: list[DecideSpan]


class DecideItem(TypedDict):
    """A place to decide on: the option that is chosen replaces its mentions of gold."""

    sentence: int  # its index among the sentences on the page
    start: int
    end: int
    kind: str
    current: list[DecideSpan]  # the mentions of gold that an option replaces
    options: list[DecideOption]  # of an audit, gold and the proposal; none if a place is broken
    score: float | None  # of an audit: the probability that gold is wrong
    reasons: list[str]
    group: int | None  # the index of its group


class DecideGroup(TypedDict):
    """Suspects with the same correction of the same text."""

    kind: str
    gold: str
    proposed: str
    score: float
    items: list[int]


class DecideTable(TypedDict):
    """A table of numbers, as the terminal shows it."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str]


class DecidePage(TypedDict):
    """All that the page shows."""

    title: str
    date: str  # YYYY-MM-DD
    version: str
    kind: DecideKind
    names: list[str]  # annotators or systems
    types: list[str]  # the most frequent first
    nested: bool  # whether mentions may overlap
    summary: list[str]  # sentences on all of it
    tables: list[DecideTable]
    notes: list[str]
    commands: list[str]
    sentences: list[DecideSentence]
    items: list[DecideItem]
    groups: list[DecideGroup]  # with two or more suspects
    sample: list[int]  # sentences to judge in random order, for scores under doubt
