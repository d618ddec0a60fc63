"""The data of a report page: what Python writes and `web/src` reads.

`make page` writes `web/src/page-data.ts` from these classes, so both sides have one definition.
Fractions stay fractions; undefined is null. A system's several runs are averaged unless a field
says otherwise.
"""

from collections.abc import Mapping
from typing import Literal, TypedDict

Columns = Mapping[str, object]
"""Rows by column; a column of texts holds distinct texts (`of`) and indices into them (`at`)."""

Verdict = Literal["better", "worse", "no clear difference", "not tested"]  # of A against B
Severity = Literal["warning", "note"]


class PageLink(TypedDict):
    """A place on the page: a section, and the choices of its address."""

    section: str
    chosen: dict[str, str | list[str]]


class PageMetric(TypedDict):
    title: str
    better: int  # 1: higher is better, -1: lower is better, 0: neither
    fraction: bool
    about: str


class PageLevel(TypedDict):
    name: str  # the code, as in "unseen-any"
    phrase: str  # plain words
    about: str
    codes: list[int]


class PageFacet(TypedDict):
    name: str
    title: str
    about: str
    unit: str  # mention, token, or token inside a mention
    bucketed: bool
    needsTrain: bool
    levels: list[PageLevel]
    metrics: dict[str, list[str]]  # by match, the leading metric first
    byType: bool


class PageKind(TypedDict):
    """A kind of error of the summaries, and the detailed outcomes that it counts."""

    name: str
    title: str
    about: str
    outcomes: list[str]


class SpanColumns(TypedDict):
    """One gold mention or prediction per row; a hallucinated one has length 0 and a text."""

    sentence: list[int]  # its index among the sentences on the page
    start: list[int]
    length: list[int]
    type: list[int]
    gold: list[int]
    text: dict[str, str]  # by index: the predicted text where it is not that of the tokens


class PageTokens(TypedDict):
    """The tokens of one token unit that some run labels wrong, one per row."""

    unit: str
    sentence: list[int]
    position: list[int]  # in the sentence, from 0; -1 if unknown
    codes: dict[str, list[int]]  # by facet
    wrong: list[str]  # one string per run, with one digit per token


class PageSentences(TypedDict):
    """The sentences on the page: all of them, or a seeded sample that is stratified by error."""

    total: int  # in the data
    wrong: int  # of them, with an error in some run
    wrongKept: int
    sampled: bool  # whether some sentences with errors are not on the page
    number: list[int]  # in the data, from 1
    line: list[int] | None
    place: list[str] | None  # where lines do not exist: the name of the record
    document: list[int]  # the number of the document of each sentence
    text: list[str | list[str]] | None  # tokens, joined by blanks unless one contains a blank
    glued: list[list[int]] | None  # where known: tokens with no blank before them
    spans: SpanColumns
    codes: dict[str, list[int]]  # of spans, by facet
    outcomes: list[str]  # by run, one character per span: index in `outcomes`, or "."
    mates: list[list[list[int]]]  # by run, pairs [gold span, predicted span] of unequal spans
    tokens: list[PageTokens]


class PageAnswers(TypedDict):
    """What a system that answers in text (a language model) gave, on one dataset and run."""

    system: str
    run: str
    answers: int | None
    unreadable: int
    cutOff: int
    malformed: int  # mentions without a text or a type
    repeated: int  # mentions that are named more often than they occur
    foreignTypes: int  # predicted mentions of types that gold does not have
    hallucinated: int
    predicted: int  # all predicted mentions, with the hallucinated ones
    topHallucinated: list[list[str | int]]  # pairs of text and count
    f1: float | None
    f1Without: float | None  # without mentions that do not fit the text


class PageDataset(TypedDict):
    name: str
    file: str  # never an absolute path
    types: list[str]
    runs: list[list[str]]  # pairs of system and run
    documents: int | None
    tokens: int | None
    mentions: int
    folded: bool
    resample: str  # what intervals are over: document, sentence, block
    ranges: dict[str, dict[str, str]]  # by facet and level: the plain range of the bucket
    sentences: PageSentences
    answers: list[PageAnswers]


class PageVerdict(TypedDict):
    """Is A better than B: the one verdict that page and command line share.

    `dataset` is null for the answer over all datasets. `p` stands alone, `pCorrected` is corrected
    for `k` pairs; the interval is the one that the verdict rests on.
    """

    dataset: str | None
    a: str
    b: str
    metric: str
    aValue: float | None
    bValue: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    pCorrected: float | None
    k: int
    verdict: Verdict
    sentence: str  # as `compare` prints it
    about: str  # outputs or recipes
    detectable: float | None  # the difference that this test set detects with 80 % power
    runsA: int
    runsB: int
    untested: str | None


class PageRank(TypedDict):
    """The place of a system in the ranking of a dataset; null: by the mean over datasets."""

    dataset: str | None
    system: str
    place: int  # from 1, best first
    groups: str  # systems that share a letter do not differ significantly


class PageForgiven(TypedDict):
    """F1 of a system if boundaries are forgiven: any overlap with the same type, full credit."""

    dataset: str
    system: str
    f1: float | None


class PageGain(TypedDict):
    """F1 after every error of a kind is replaced by its gold mention, minus F1."""

    dataset: str
    system: str
    kind: str
    errors: float  # per run
    gain: float | None


class PageFinding(TypedDict):
    """One of the things to know; the rule that chose it, and where to read on."""

    rule: str
    scope: (
        str | None
    )  # the choice of dataset that it is shown for; null: all datasets, or the only one
    dataset: str | None
    system: str | None
    text: str  # at most 20 words
    n: int | None
    link: PageLink | None


class PageCaveat(TypedDict):
    """Something that limits what the numbers mean."""

    rule: str
    text: str


class PageNote(TypedDict):
    text: str
    severity: Severity
    file: str | None


class PageSetting(TypedDict):
    """One entry of the signature."""

    dataset: str | None  # null if equal for all
    name: str
    value: str
    about: str


class PageComparison(TypedDict):
    settings: dict[str, str]
    verdicts: list[PageVerdict]
    ranking: list[PageRank]
    rows: Columns  # differences by type and by level, with families "types" and "where"
    overDatasets: list[dict[str, object]]
    changes: Columns  # dataset, a, b, kindA, kindB, type, n: gold mentions by kind in A and in B
    notes: list[str]


class PageSide(TypedDict):
    start: int
    end: int
    type: str
    text: str | None


class PagePair(TypedDict):
    """A pair with partial credit, to be judged good or bad."""

    dataset: str
    sentence: int
    gold: PageSide
    predicted: PageSide
    systems: dict[str, dict[str, float]]
    judgement: str


class PageData(TypedDict):
    """All that a page shows."""

    version: str
    title: str
    date: str  # YYYY-MM-DD
    signature: str
    settings: list[PageSetting]
    notes: list[PageNote]
    commands: list[str]  # that reproduce or continue, to be pasted
    citations: list[str]
    train: bool  # whether training data were given
    systems: list[str]
    datasets: list[PageDataset]
    facets: list[PageFacet]
    metrics: dict[str, PageMetric]
    matches: dict[str, str]
    outcomes: list[str]  # detailed kinds, "correct" first
    kinds: list[PageKind]  # the summary kinds
    glossary: dict[str, str]
    rows: Columns  # means over runs with intervals
    runScores: Columns  # dataset, system, run, precision, recall, f1: exact match of each run
    errors: Columns  # dataset, system, run, gold, predicted, outcome, n: a pair counts once
    gains: list[PageGain]
    forgiven: list[PageForgiven]
    findings: list[PageFinding]
    caveats: list[PageCaveat]
    comparison: PageComparison | None
    diagnosis: dict[str, list[dict[str, object]]] | None
    pairs: list[PagePair]
