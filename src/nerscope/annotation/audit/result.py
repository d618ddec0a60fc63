"""The result of an audit: suspects, groups, and what they mean for the scores of systems."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from nerscope.annotation.apply import AppliedLog, apply_decisions
from nerscope.annotation.audit.doubt import Doubt, propose_sample, scores_in_doubt
from nerscope.annotation.audit.material import Material
from nerscope.annotation.audit.suspects import BROKEN, AuditSentence, Suspect, SuspectGroup
from nerscope.annotation.decisions import Decision, Span, read_decisions
from nerscope.errors import UsageError
from nerscope.formats.source import SourceNote
from nerscope.results.files import write_text
from nerscope.results.rows import ResultRow, plain_row

if TYPE_CHECKING:
    import pandas

    from nerscope.render.page.html import ReportPage

Judged = str | os.PathLike[str] | Sequence[Decision] | None


@dataclass(frozen=True, slots=True, eq=False)
class AuditedSystem(ResultRow):
    """A source of evidence: a system or a recipe, and its mean F1 against gold.

    `warning` says why it may have been trained on the audited gold.
    """

    system: str
    recipe: bool
    runs: int
    f1: float
    weight: float
    warning: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """The suspects of an audit, the highest score first.

    `groups` joins suspects with the same correction of the same text. `sentences` are those with
    suspects; without texts, they have no tokens. `slips` is the estimated number of random errors
    in gold, and `expected` the sum of all scores. `doubt` has what judged sentences, or bounds, say
    about the scores of systems; None without systems.

    >>> from nerscope import audit
    >>> gold, system = ([(["Ada", "left"], [label, "O"])] for label in ("B-LOC", "B-PER"))
    >>> [suspect.kind for suspect in audit(gold, {"bert": system}).rows]
    ['type']
    """

    suspects: Sequence[Suspect]
    groups: Sequence[SuspectGroup]
    sentences: Sequence[AuditSentence]
    systems: Sequence[AuditedSystem]
    n_sentences: int
    n_mentions: int
    slips: float
    settings: dict[str, Any]
    losses: Sequence[SourceNote]
    warnings: Sequence[str]
    doubt: Doubt | None = None
    material: Material | None = field(default=None, repr=False)  # None if the files are gone

    @property
    def rows(self) -> Sequence[Suspect]:
        """The suspects, as other results call their rows."""
        return self.suspects

    @property
    def expected(self) -> float:
        """The expected number of wrong places among the suspects."""
        return float(sum(suspect.score for suspect in self.suspects))

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data for JSON."""
        return {
            "suspects": [suspect.as_dict() for suspect in self.suspects],
            "groups": [group.as_dict() for group in self.groups],
            "sentences": [sentence.as_dict() for sentence in self.sentences],
            "systems": [plain_row(system) for system in self.systems],
            "n_sentences": self.n_sentences,
            "n_mentions": self.n_mentions,
            "slips": self.slips,
            "expected": self.expected,
            "doubt": None if self.doubt is None else self.doubt.as_dict(),
            "settings": self.settings,
            "losses": list(self.losses),
            "warnings": list(self.warnings),
        }

    def to_pandas(self) -> "pandas.DataFrame":
        """The suspects as a pandas data frame, a row for each."""
        import pandas

        columns = list(Suspect.__dataclass_fields__)
        return pandas.DataFrame([suspect.as_dict() for suspect in self.suspects], columns=columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything as JSON."""
        write_text(path, audit_json(self))

    def decisions(self, suspects: Iterable[Suspect], by: str | None = None) -> list[Decision]:
        """Decisions that accept the proposals of some suspects, one per sentence."""
        chosen: dict[tuple[str, int], list[Suspect]] = {}
        for suspect in suspects:
            if suspect.kind != BROKEN:
                chosen.setdefault((suspect.file, suspect.sentence), []).append(suspect)
        by_place = {(each.file, each.sentence): each for each in self.sentences}
        return [_accepted(by_place[place], some, by) for place, some in chosen.items()]

    def apply(
        self,
        decisions: str | os.PathLike[str] | Sequence[Decision],
        output: str | os.PathLike[str] | None = None,
        *,
        dry_run: bool = False,
    ) -> AppliedLog:
        """Write gold with the chosen mentions; see `apply_decisions`.

        `decisions` is a file with decisions, or what `decisions()` returns.
        """
        return apply_decisions(
            self.audited_files().files[0], _read(decisions), output, dry_run=dry_run
        )

    def judge(self, judged: Judged) -> "Audit":
        """The same audit with scores corrected by decisions about judged sentences.

        The judged sentences of each range of scores must be drawn at random, as `sample` does.
        With None, the scores of suspects alone say how far the scores of systems could move.
        """
        if all(system.recipe for system in self.systems):
            return self
        decisions = None if judged is None else _read(judged)
        seed = self.settings["seed"]
        doubt = scores_in_doubt(self.audited_files(), self.suspects, decisions, seed)
        return replace(self, doubt=doubt)

    def sample(self, n: int, seed: int = 1) -> list[Decision]:
        """Sentences to judge: decisions that confirm gold, for a person to check and correct.

        More of them are drawn where errors are likely; `judge` takes that into account.
        """
        material = self.audited_files()
        chosen = propose_sample(material, self.suspects, n, seed)
        return [material.confirmed(at) for at in chosen]

    def report(self, path: str | os.PathLike[str] | None = None) -> "ReportPage | None":
        """Write a page on which people accept proposals, keep gold, or correct it.

        It is one HTML file; without a path, it is shown in a notebook.
        """
        from nerscope.render.page.decide_audit import audit_report

        page = audit_report(self)
        if path is None:
            return page
        write_text(path, page.html)
        return None

    def audited_files(self) -> Material:
        """What the audit has read."""
        if self.material is None:
            raise UsageError("audit", "the audited files are not in memory", "run the audit again")
        return self.material


def _read(given: str | os.PathLike[str] | Sequence[Decision]) -> Sequence[Decision]:
    return read_decisions(given) if isinstance(given, str | os.PathLike) else given


def _accepted(sentence: AuditSentence, suspects: Sequence[Suspect], by: str | None) -> Decision:
    removed = {span for suspect in suspects for span in suspect.gold}
    added = {span for suspect in suspects for span in suspect.proposed}
    chosen: set[Span] = (set(sentence.gold) - removed) | added
    text = " ".join(sentence.tokens)
    place = sentence.file, sentence.sentence
    return Decision(*place, text, tuple(sentence.gold), tuple(sorted(chosen)), by)


def audit_json(audit: Audit) -> str:
    """An audit as strict JSON."""
    import json

    data = audit.as_dict()
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1, default=plain_row) + "\n"
