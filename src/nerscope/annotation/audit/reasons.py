"""The reasons for a suspect, in plain words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.annotation.audit.evidence import OUTSIDE, Case, Counts, Evidence
from nerscope.annotation.audit.material import Material, Output, systems_in_words

MOST_REASONS = 3
_LEAST_STRENGTH = 0.3  # in nats; weaker counts are no reason


class _Reason(NamedTuple):
    strength: float
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class ReasonWriter:
    """Writes the reasons of cases; without `with_words`, no words of the data appear in them."""

    material: Material
    evidence: Evidence
    with_words: bool

    def write(self, number: int, case: Case) -> tuple[str, ...]:
        """Up to three reasons for a case, the strongest first."""
        reasons = [*self._votes(case), *self._counts(number)]
        ranked = sorted(reasons, key=lambda reason: -reason.strength)
        texts = dict.fromkeys(reason.text for reason in ranked)
        return tuple(texts)[:MOST_REASONS]

    def _votes(self, case: Case) -> Iterator[_Reason]:
        outputs, answers = self.material.outputs, case.place.answers
        systems = [
            _Vote(output.system, answer == case.proposal, answer == case.place.gold)
            for output, answer in zip(outputs, answers, strict=True)
            if not output.is_recipe
        ]
        if any(vote.agrees for vote in systems):
            yield _Reason(4 * case.lead, f"{_supporters(systems)} {self._statement(case)}")
        for output, answer in zip(outputs, answers, strict=True):
            if output.is_recipe and answer == case.proposal:
                who = f"{output.system}, trained without this document, says"
                text = f"{who} {self._statement(case)}{_chance(case, outputs)}"
                yield _Reason(3 * (case.support - case.defence), text)

    def _statement(self, case: Case) -> str:
        """What the outputs with the proposal say: only a type if nothing else differs."""
        types, proposal, gold = self.material.types, case.proposal, case.place.gold
        if not proposal:
            return "there is no mention here"
        if len(proposal) == len(gold) == 1 and proposal[0][:2] == gold[0][:2]:
            return types[proposal[0][2]]
        named = [f"{self._text(start, end)} is {types[kind]}" for start, end, kind in proposal]
        return " and ".join(named)

    def _text(self, start: int, end: int) -> str:
        words = self.material.gold.corpus.words_at(slice(start, end))
        if not self.with_words:
            return "1 token" if end - start == 1 else f"{end - start} tokens"
        return f"'{' '.join(words)}'"

    def _counts(self, number: int) -> Iterator[_Reason]:
        """What other occurrences of the same text say."""
        changes, usage = self.evidence.changes, self.evidence.usage
        low, high = np.searchsorted(changes.case, [number, number + 1]).tolist()
        sources: list[tuple[float, str, Counts]] = [
            (1.0, "elsewhere", usage.anywhere),
            (1.5, "in the same document", usage.document),
        ]
        is_added = (changes.proposed[low:high] != OUTSIDE).any()
        for at in range(low, high):
            twin = int(usage.twin_token[at])
            if twin >= 0 and (changes.proposed[at] != OUTSIDE) == is_added:
                line = self.material.gold.corpus.lines[twin]
                label = self._label(int(changes.proposed[at]), "labelled ")
                text = f"the same sentence is {label} in line {line}"
                yield _Reason(4 + float(usage.twins.log_ratio[at]), text)
            for factor, where, counts in sources:
                strength = factor * float(counts.log_ratio[at])
                # In a small corpus, all other occurrences may be in the same document.
                repeats = counts is usage.anywhere and counts.total[at] == usage.document.total[at]
                if strength > _LEAST_STRENGTH and counts.total[at] and not repeats:
                    yield _Reason(strength, self._share(at, where, counts))

    def _share(self, at: int, where: str, counts: Counts) -> str:
        changes = self.evidence.changes
        text = self._text(int(changes.start[at]), int(changes.end[at]))
        label = self._label(int(changes.proposed[at]))
        n, total = int(counts.proposed[at]), int(counts.total[at])
        times = "the only time" if n == total == 1 else f"{n:,} of {total:,} times"
        return f"{where}, {text} is {label} {times}"

    def _label(self, kind: int, verb: str = "") -> str:
        return "not annotated" if kind == OUTSIDE else f"{verb}{self.material.types[kind]}"


class _Vote(NamedTuple):
    """Whether one run of a system agrees with the proposal, or with gold."""

    system: str
    agrees: bool
    defends: bool


def _supporters(votes: Sequence[_Vote]) -> str:
    """Who supports the proposal, with the verb.

    >>> _supporters([_Vote("flair", True, False), _Vote("elmo", True, False)])
    'flair and elmo both say'
    >>> _supporters([_Vote("flair", True, False), _Vote("elmo", False, True)])
    'flair (but not elmo) says'
    """
    names = list(dict.fromkeys(vote.system for vote in votes))
    agree = [vote.system for vote in votes if vote.agrees]
    if len(names) < len(votes):
        return f"{len(agree)} of {len(votes)} runs say"
    if len(agree) == len(votes):
        who = systems_in_words(names)
        return f"{'all ' if len(names) > 3 else ''}{who} " + (
            "both say" if len(names) == 2 else "say" if len(names) > 1 else "says"
        )
    against = [vote.system for vote in votes if vote.defends]
    but = f" (but not {against[0]})" if len(against) == 1 else ""
    who = f"{len(agree)} of {len(votes)} systems" if len(agree) > 3 else systems_in_words(agree)
    return f"{who}{but} {'say' if len(agree) > 1 else 'says'}"


def _chance(case: Case, outputs: Sequence[Output]) -> str:
    """How probable gold is to a recipe, if it is the only output."""
    if len(outputs) > 1 or outputs[0].probabilities is None:
        return ""
    chance = 100 * case.defence
    shown = f"{chance:.0f} %" if chance >= 1 else "less than 1 %"
    return f" (it gives gold {shown})"
