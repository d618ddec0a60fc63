"""Agreement between annotators: typed rows, and the object that holds and saves them."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nerscope.corpus.units import ALL
from nerscope.errors import FormatError, InputError, UsageError
from nerscope.formats.source import SourceNote, note_lines, summed_notes
from nerscope.results.rows import ResultRow, plain_row
from nerscope.scoring.metrics import F1
from nerscope.version import VERSION

if TYPE_CHECKING:
    import pandas

    from nerscope.annotation.texts import AnnotatedTexts
    from nerscope.render.page.html import ReportPage

MISSING, TYPE, BOUNDARY, BOTH = "missing", "type", "boundary", "type and boundary"
KINDS = (MISSING, TYPE, BOUNDARY, BOTH)
FORMAT = 1  # of saved files; increased if an older program would misread it
_MARK = "nerscope_agreement"
_FACTS = (
    "facets",
    "clusters",
    "text_unit",
    "texts",
    "shared_by_all",
    "files",
)  # beside real settings
_HEAD = 200  # bytes that show what a file holds
_FIX = "give a file that agree -o wrote"
Span = tuple[int, int, str]  # first token, the one after the last, type
Row = TypeVar("Row", bound=ResultRow)


@dataclass(frozen=True, slots=True, eq=False)
class AgreementScore(ResultRow):
    """One number and its conditions.

    `a` and `b` are annotators. Both are None where all annotators count. Of a system, `b` is the
    system, and `a` is None for the mean over annotators.
    """

    a: str | None
    b: str | None
    measure: str
    unit: str
    facet: str
    level: str
    type: str | None
    match: str | None
    value: float | None  # None: undefined
    low: float | None
    high: float | None
    n: int  # mentions of both sides, or tokens


@dataclass(frozen=True, slots=True, eq=False)
class SharedTexts(ResultRow):
    """The number of texts that two annotators have both annotated."""

    a: str
    b: str
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Deviation(ResultRow):
    """How far an annotator differs: mean F1 with the others, and mean F1 among the others.

    `difference` is the first minus the second: negative if the others agree better among
    themselves. It is None with fewer than three annotators.
    """

    annotator: str
    with_others: float | None
    among_others: float | None
    difference: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Ceiling(ResultRow):
    """A system beside the annotators: its mean F1 against each, and theirs among themselves."""

    system: str
    value: float | None
    annotators: float | None
    difference: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, eq=False)
class TypeConfusion(ResultRow):
    """How often one annotator has type `type_a` where another has `type_b`; None: no mention."""

    a: str
    b: str
    type_a: str | None
    type_b: str | None
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedSentence(ResultRow):
    """A sentence with the mentions of everyone who has annotated it."""

    sentence: int  # from 0, in the order of the texts
    id: str | None  # of its text
    text: int  # the number of its text, from 0
    place: str
    tokens: list[str] | None  # None if texts are left out
    mentions: dict[str, list[Span]]  # by annotator, and by system


@dataclass(frozen=True, slots=True, eq=False)
class Disagreement(ResultRow):
    """A part of a sentence that its annotators have annotated differently."""

    sentence: int
    start: int  # in tokens of the sentence
    end: int
    kind: str
    mentions: dict[str, list[Span]]  # by annotator; empty lists where mentions are missing


@dataclass(frozen=True, slots=True, eq=False)
class GoldSummary(ResultRow):
    """How gold was made from annotations."""

    texts: int
    texts_left_out: int  # with fewer annotators than a majority needs
    mentions: int
    decided: int  # sentences with a decision
    by_majority: int  # disagreements
    no_majority: int  # disagreements of three annotators or more that were left out
    undecided: int  # disagreements of two annotators that were left out
    notes: list[str] = field(default_factory=list)  # on decisions, and what the format cannot hold


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well annotators agree, and where they do not.

    >>> import nerscope as ns
    >>> ann = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> ben = [(["Ada", "met", "Bob"], ["B-PER", "O", "O"])]
    >>> agreement = ns.agree({"ann": ann, "ben": ben})
    >>> agreement.value("f1"), agreement.disagreements[0].kind
    (0.6666666666666666, 'missing')
    """

    rows: list[AgreementScore]
    texts: dict[str, int]  # by annotator: the number of texts
    shared: list[SharedTexts]
    deviations: list[Deviation] = field(default_factory=list)
    ceiling: list[Ceiling] = field(default_factory=list)
    confusion: list[TypeConfusion] = field(default_factory=list)
    sentences: list[AnnotatedSentence] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    losses: list[SourceNote] = field(default_factory=list)
    # The annotated texts themselves, from which gold is made; they are not saved.
    annotated: "AnnotatedTexts | None" = field(default=None, repr=False, compare=False)

    @property
    def annotators(self) -> list[str]:
        """The names of the annotators."""
        return list(self.texts)

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return [row.system for row in self.ceiling]

    @property
    def signature(self) -> str:
        """All settings that affect a number, in one line."""
        kept = {key: value for key, value in self.settings.items() if key not in _FACTS}
        return "|".join([*(f"{key}:{value}" for key, value in kept.items()), f"v{VERSION}"])

    def score(
        self,
        measure: str = F1,
        a: str | None = None,
        b: str | None = None,
        *,
        facet: str = ALL,
        level: str = ALL,
        type: str | None = None,
        match: str | None = None,
    ) -> AgreementScore | None:
        """The row of a number; None if there is none. The default match is the first of the rows.

        Without `a` and `b`, it is the number of all annotators.
        """
        if match is None and measure == F1:
            match = next((row.match for row in self.rows if row.measure == F1), None)
        wanted = (a, b, measure, facet, level, type, match)
        for row in self.rows:
            key = (row.a, row.b, row.measure, row.facet, row.level, row.type, row.match)
            if key in (wanted, (b, a, *wanted[2:])):
                return row
        return None

    def value(self, measure: str = F1, a: str | None = None, b: str | None = None) -> float | None:
        """A number over all mentions or tokens; without `a` and `b`, of all annotators."""
        row = self.score(measure, a, b)
        return None if row is None else row.value

    def majority(self, target: str | os.PathLike[str] | None) -> GoldSummary:
        """Write the mentions that more than half of a text's annotators have.

        Texts with fewer than three annotators are left out. The ending of `target` is the format;
        with None, nothing is written.
        """
        from nerscope.annotation.gold import write_majority

        return write_majority(self._given_texts(), target)

    def apply(
        self,
        decisions: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        target: str | os.PathLike[str] | None,
    ) -> GoldSummary:
        """Write adjudicated gold: what all annotators have, and decisions on the other sentences.

        Without a decision, disagreements of three annotators or more are settled by majority, and
        those of two are left out. The ending of `target` is the format; with None, nothing is
        written.
        """
        from nerscope.annotation.gold import write_adjudicated

        return write_adjudicated(self._given_texts(), decisions, target)

    def report(self, path: str | os.PathLike[str] | None = None) -> "ReportPage | None":
        """Write a page on which people decide about disagreements.

        It is one HTML file; without a path, it is shown in a notebook.
        """
        from nerscope.render.page.decide_agreement import agreement_report
        from nerscope.results.files import write_text

        page = agreement_report(self)
        if path is None:
            return page
        write_text(path, page.html)
        return None

    def _given_texts(self) -> "AnnotatedTexts":
        if self.annotated is None:
            raise UsageError(
                "agreement",
                "it was loaded from a file, which does not hold the annotated files",
                "measure it again: ns.agree(…), or nerscope agree A B",
            )
        return self.annotated

    def notes(self) -> list[str]:
        """Notes on the files, one line per file and kind."""
        return note_lines(self.losses)

    def short_notes(self) -> list[str]:
        """The notes in one line per kind, summed over files."""
        return summed_notes(self.losses)

    def to_pandas(self) -> "pandas.DataFrame":
        """The rows as a pandas data frame."""
        import pandas

        return pandas.DataFrame([row.as_dict() for row in self.rows])

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, as in JSON."""
        return {
            "nerscope": VERSION,
            _MARK: FORMAT,
            "signature": self.signature,
            **{name: getattr(self, name) for name in _saved_fields()},
        }

    def to_json(self) -> str:
        """Everything as strict JSON; undefined numbers are null."""
        return (
            json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False, default=plain_row)
            + "\n"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that `Agreement.load` and `nerscope show` read."""
        from nerscope.results.files import write_text

        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Agreement":
        """Read a file that `save` or `agree -o` wrote."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            fact = getattr(error, "strerror", None) or error
            raise InputError(str(path), f"it cannot be read ({fact})", _FIX) from None
        return cls.from_json(text, str(path))

    @classmethod
    def from_json(cls, text: str, name: str = "<memory>") -> "Agreement":
        """The agreement in a text that `to_json` made."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(name, f"it is not JSON ({error})", _FIX) from None
        if not isinstance(data, dict) or _MARK not in data:
            raise FormatError(name, "it holds no agreement of annotators", _FIX)
        if data[_MARK] != FORMAT:
            raise FormatError(
                name,
                f"its format is {data[_MARK]!r}, this version reads {FORMAT}",
                "pip install --upgrade nerscope",
            )
        try:
            return cls(**{name: _loaded(name, data[name]) for name in _saved_fields()})
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(name, f"it is damaged ({error})", _FIX) from None


def _saved_fields() -> list[str]:
    return [item.name for item in fields(Agreement) if item.name != "annotated"]


_ROW_TYPES: Mapping[str, type[ResultRow]] = {
    "rows": AgreementScore,
    "shared": SharedTexts,
    "deviations": Deviation,
    "ceiling": Ceiling,
    "confusion": TypeConfusion,
    "sentences": AnnotatedSentence,
    "disagreements": Disagreement,
}


def _loaded(name: str, value: Any) -> Any:
    """A field of an agreement from its JSON."""
    if name not in _ROW_TYPES:
        return value
    return [_row(_ROW_TYPES[name], item) for item in value]


def _row(kind: type[Row], item: Mapping[str, Any]) -> Row:
    plain = dict(item)
    if "mentions" in plain:
        plain["mentions"] = {
            name: [(start, end, label) for start, end, label in spans]
            for name, spans in plain["mentions"].items()
        }
    return kind(**plain)


def is_agreement_file(path: str) -> bool:
    """Whether a file begins as a saved agreement does; no if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return f'"{_MARK}"'.encode() in stream.read(_HEAD)
    except (OSError, ValueError):
        return False
