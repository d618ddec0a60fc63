"""Suspects: places where gold is probably wrong, and groups of suspects with the same mistake."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nerscope.annotation.decisions import Span
from nerscope.results.rows import ResultRow

BROKEN = "broken"


@dataclass(frozen=True, slots=True, eq=False)
class Suspect(ResultRow):
    """A place where gold is probably wrong.

    - `file`, `line`, `sentence`: where it is; `sentence` counts from 0 in the order of the file.
    - `gold`, `proposed`: the mentions of gold that the proposal removes, and those it adds. Spans
      are tokens of the sentence, half-open.
    - `kind`: "type", "boundary", "missing", "spurious", or "broken" (a sentence or a token is cut
      wrongly; there is no proposal).
    - `score`: the estimated probability that gold is wrong here.
    - `reasons`: up to three, the strongest first.
    - `group`: the number of the group; suspects of a group are the same mistake in the same text.
    """

    file: str
    line: int
    sentence: int
    gold: tuple[Span, ...]
    proposed: tuple[Span, ...]
    kind: str
    score: float
    reasons: tuple[str, ...]
    group: int

    def as_dict(self) -> dict[str, Any]:
        """The suspect as a JSON object."""
        row = ResultRow.as_dict(self)
        spans = {key: [span._asdict() for span in row[key]] for key in ("gold", "proposed")}
        return {**row, **spans, "reasons": list(self.reasons)}


@dataclass(frozen=True, slots=True, eq=False)
class SuspectGroup(ResultRow):
    """Suspects with the same correction of the same text: usually one decision.

    `score` is the largest score of the suspects, and `suspects` are their positions in the list.
    `gold` and `proposed` describe the correction, as in "China/PER" and "China/LOC".
    """

    group: int
    kind: str
    gold: str
    proposed: str
    score: float
    n: int
    suspects: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """The group as a JSON object."""
        return {**ResultRow.as_dict(self), "suspects": list(self.suspects)}


@dataclass(frozen=True, slots=True, eq=False)
class AuditSentence(ResultRow):
    """A sentence with suspects: its tokens and the mentions of gold."""

    file: str
    sentence: int
    line: int
    score: float  # the largest of its suspects
    tokens: tuple[str, ...]
    gold: tuple[Span, ...]

    def as_dict(self) -> dict[str, Any]:
        """The sentence as a JSON object."""
        spans = [span._asdict() for span in self.gold]
        return {**ResultRow.as_dict(self), "tokens": list(self.tokens), "gold": spans}


def spelt(spans: Sequence[Span], tokens: Sequence[str]) -> str:
    """Mentions in words; a dash if there is none.

    >>> spelt([Span(0, 2, "LOC")], ["New", "York"]), spelt([], ["New"])
    ('New York/LOC', '–')
    """
    return " ".join(f"{' '.join(tokens[start:end])}/{kind}" for start, end, kind in spans) or "–"
