"""Find the place of a decision in gold; a decision whose sentence has changed is refused."""

import json
from collections.abc import Iterable, Sequence
from itertools import accumulate, takewhile

from nerscope.annotation.decisions import Decision, Span, shown_text
from nerscope.annotation.editing import Change, Gold, spelt_span
from nerscope.errors import InputError, plural

_AGAIN = "decide on this sentence again, or remove the item"
_CONTEXT = 2  # tokens shown before the first one that differs


def located(decision: Decision, gold: Gold) -> Change | None:
    """What the decision changes; None if it was applied before."""
    if decision.sentence >= len(gold.corpus):
        has = plural(len(gold.corpus), "sentence")
        raise _stale(decision, f"{gold.name} has {has}, and no sentence {decision.sentence}", gold)
    words = gold.corpus.words(decision.sentence)
    if _letters(decision.text) != _letters(" ".join(words)):
        now = f"sentence {decision.sentence} of {gold.name} is now {shown_text(' '.join(words))}"
        raise _stale(decision, f"{now}, not {shown_text(decision.text)}", gold)
    old = words if decision.text == " ".join(words) else decision.text.split()
    if old == words:
        _check_range(decision, len(words))
    elif any(span.end > len(old) for span in (*decision.gold, *decision.chosen)):
        raise _other_tokens(decision, words, gold)
    current = gold.spans(decision.sentence)
    now_at = _characters(current, words)
    if now_at == _characters(decision.chosen, old) and decision.changes:
        return None
    if now_at != _characters(decision.gold, old):
        if old != words:
            raise _other_tokens(decision, words, gold)
        raise InputError(
            decision.source,
            f"it is stale: sentence {decision.sentence} of {gold.name} now has "
            f"{_spelt(current)}, not {_spelt(decision.gold)}",
            _AGAIN,
        )
    return Change.of(decision, current, _moved(decision, old, words, gold), gold)


def notes_on_tokens(decisions: Iterable[Decision], gold: Gold) -> list[str]:
    """A note on located decisions whose text has other tokens than the file."""
    places = [
        decision.source
        for decision in decisions
        if decision.text != (text := " ".join(gold.corpus.words(decision.sentence)))
        and decision.text.split() != text.split()
    ]
    if not places:
        return []
    texts = plural(len(places), "text")
    return [
        f"{places[0]}: {texts} with other tokens than {gold.name}; spans count those of the text"
    ]


def _other_tokens(decision: Decision, words: Sequence[str], gold: Gold) -> InputError:
    """The error for spans that do not fit the tokens of the file as the text divides them."""
    old = decision.text.split()
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, words, strict=False)))
    first = max(same - _CONTEXT, 0)
    before = "… " if first else ""
    sides = [shown_text(before + " ".join(side[first:])) for side in (old, words)]
    return InputError(
        decision.source,
        f"its text has other tokens than sentence {decision.sentence} of {gold.name}: {sides[0]}, "
        f"not {sides[1]}",
        f'"text": {json.dumps(" ".join(words), ensure_ascii=False)}, if the spans count its '
        f"tokens; or {_AGAIN}",
    )


def _stale(decision: Decision, now: str, gold: Gold) -> InputError:
    """The error for a text that is not at its place, with its new place if that is clear."""
    wanted = _letters(decision.text)
    places = [
        number
        for number in range(len(gold.corpus))
        if _letters(" ".join(gold.corpus.words(number))) == wanted
    ]
    moved = f'"sentence": {places[0]}, where this text is now; or ' if len(places) == 1 else ""
    return InputError(decision.source, f"it is stale: {now}", moved + _AGAIN)


def _letters(text: str) -> str:
    """A text without blanks, which differ between tools."""
    return "".join(text.split())


def _check_range(decision: Decision, size: int) -> None:
    for key in ("gold", "chosen"):
        spans: Sequence[Span] = getattr(decision, key)
        for span in spans:
            if span.end > size:
                raise InputError(
                    decision.source,
                    f"the mention from {span.start} to {span.end} of {key} is outside the "
                    f"{plural(size, 'token')} of its sentence",
                    "count tokens from 0; the end is the index after the last token",
                )


def _edges(words: Sequence[str]) -> list[int]:
    """The offsets at which words begin, and the end, in a text without blanks."""
    return [0, *accumulate(len(_letters(word)) for word in words)]


def _characters(spans: Iterable[Span], words: Sequence[str]) -> set[Span]:
    """Mentions in characters without blanks: the same for any division into tokens."""
    edges = _edges(words)
    return {Span(edges[span.start], edges[span.end], span.type) for span in spans}


def _moved(
    decision: Decision, old: Sequence[str], words: Sequence[str], gold: Gold
) -> tuple[Span, ...]:
    """The chosen mentions in the tokens of the file, if these are divided in another way."""
    if list(old) == list(words):
        return decision.chosen
    places = {edge: index for index, edge in enumerate(_edges(words))}
    chosen = _characters(decision.chosen, old)
    if any(edge not in places for span in chosen for edge in span[:2]):
        raise _other_tokens(decision, words, gold)
    return tuple(sorted(Span(places[start], places[end], kind) for start, end, kind in chosen))


def _spelt(spans: Iterable[Span]) -> str:
    return ", ".join(map(spelt_span, sorted(spans))) or "no mentions"
