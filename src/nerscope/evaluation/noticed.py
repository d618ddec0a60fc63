"""What is odd about outputs beside gold and beside each other: noticed, and said in notes."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from nerscope.corpus.corpus import ReadingNotes
from nerscope.corpus.schemes import Scheme
from nerscope.errors import AlignmentError, plural
from nerscope.evaluation.settings import Settings
from nerscope.formats.notes import SourceNote, make_note
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.ledger import Units

_NAMED = 5  # types that a note names
_FEW_TOKENS = 20  # of so few, all may be spelt otherwise
_BY_CHANCE = 10  # so few mentions may all be right


def refuse_other_sentences(name: str, reading: ReadingNotes, n_tokens: int) -> None:
    """Refuse an output most of whose tokens are not those of gold, even if they may differ."""
    if 2 * reading.differing_tokens > n_tokens and n_tokens >= _FEW_TOKENS:
        raise AlignmentError(
            f"{name}:{reading.first_differing_line}",
            f"{reading.differing_tokens} of {plural(n_tokens, 'token')} differ from gold, "
            "so it is shuffled, or the output for another file",
            "give the output for this gold file, in its order",
        )


def different_scheme(
    name: str, reading: ReadingNotes, schemes: tuple[Scheme, Scheme]
) -> Iterator[SourceNote]:
    """A note if an output (second of the schemes) is written in another scheme than gold."""
    gold, own = schemes
    if gold.name == own.name:
        return
    strange = _strange(reading, gold, own)
    count = sum(times for times, _ in strange)
    if count > 2 * sum(fault.times for fault in reading.transitions.faults(own)):
        message = (
            f"its labels are {own.name}, those of gold {gold.name}: "
            "label accuracy compares labels of two schemes"
        )
        lines = [min(line for _, line in strange)]
        yield make_note(name, "different schemes", count, lines, message)


def _strange(reading: ReadingNotes, gold: Scheme, own: Scheme) -> list[tuple[int, int]]:
    """What gold's scheme does not know: how often each occurs, and on which line first."""
    if own.must_close and not gold.must_close:
        places = reading.transitions.label_places()
        return [place for text, place in places.items() if text[:1] in own.letters[2:]]
    return [(fault.times, fault.first_line) for fault in reading.transitions.faults(gold)]


def foreign_types(name: str, evidence: Evidence, run: int) -> Iterator[SourceNote]:
    """A note if an output has types that gold does not have, with the map that may mend it."""
    ledger, size = evidence.overall, len(evidence.types)
    known, found = (
        np.bincount(units.type, units.weight, size)
        for units in (ledger.gold, ledger.runs[run].pred)
    )
    gold, own = (set(np.flatnonzero(counts).tolist()) for counts in (known, found))
    foreign = sorted(own - gold, key=lambda kind: (-found[kind], kind))
    if not foreign:
        return
    count = int(found[foreign].sum())
    names = [evidence.types[kind] for kind in foreign[:_NAMED]]
    unused = [evidence.types[kind] for kind in sorted(gold - own)]
    pairs = {kind: _like(kind, unused) for kind in names}
    maps = " ".join(f"--map {kind}={other}" for kind, other in pairs.items() if other)
    hint = f"; {maps} if they mean the same" if maps else ""
    more = " …" if len(foreign) > _NAMED else ""
    types = f"types that gold does not have ({', '.join(names)}{more})"
    yield make_note(
        name, "foreign types", count, [], f"{plural(count, 'mention')} of {types}{hint}"
    )


def unused_names(settings: Settings, written: Collection[str]) -> Iterator[SourceNote]:
    """A note for types that are to be renamed or dropped, and that nobody has."""
    counted = {settings.map.get(name, name) for name in written}
    said = [("map", name, written) for name in settings.map]
    said += [("drop", name, counted) for name in settings.drop]
    for option, name, known in said:
        if name not in known:
            yield make_note(option, "names without use", 0, [], f"no file has the type {name}")


def nested(name: str, flat: bool) -> Iterator[SourceNote]:
    """A note if tokens have no single label, so that what divides tokens cannot be had."""
    if not flat:
        message = "mentions overlap or have holes: what divides tokens is left out, and accuracy"
        yield make_note(name, "overlapping mentions", 0, [], message)


def _like(kind: str, known: Sequence[str]) -> str | None:
    """The known type whose name holds this one, is held by it, or is close to it."""
    lowered = {name.lower(): name for name in known}
    word = kind.lower()
    for other, name in lowered.items():
        if other and word and (other in word or word in other):
            return name
    import difflib  # needed only when something is odd

    close = difflib.get_close_matches(word, lowered, n=1)
    return lowered[close[0]] if close else None


def identical_outputs(
    evidence: Evidence, meant: Collection[tuple[str, str]] = ()
) -> Iterator[SourceNote]:
    """A note for each run that predicts the very mentions of an earlier run, or of gold, unless it
    is meant to.
    """
    ledger = evidence.overall
    earlier: list[tuple[str, Units, Any]] = []  # whose they are, mentions, how many are right
    if len(ledger.gold) >= _BY_CHANCE:
        earlier.append(("gold", ledger.gold, ledger.gold.weight))
    for (system, number), output in zip(evidence.runs, ledger.runs, strict=True):
        own = f"run {number} of {system}"
        # Of a group of mentions, it must also be the same ones that are right.
        right = None if evidence.folded is None else output.pred_credit["exact"]
        alike = (
            name
            for name, units, credit in earlier
            if _same(units, output.pred) and (right is None or np.array_equal(credit, right))
        )
        known = next(alike, None)
        earlier.append((own, output.pred, right))
        if known is not None and (system, number) not in meant:
            place = f"{evidence.dataset}: {own}"
            weight = output.pred.weight
            count = len(output.pred) if weight is None else int(weight.sum())
            message = f"identical to {known} ({plural(count, 'mention')}): is one file given twice?"
            yield make_note(place, "identical outputs", count, [], message)


def _same(one: Units, other: Units) -> bool:
    """Whether all mentions stand in the same places and have the same types."""
    if len(one) != len(other):
        return False
    names = ("type", "start", "length", "sentence", "weight")
    pairs = ((getattr(one, name), getattr(other, name)) for name in names)
    return all(np.array_equal(a, b) for a, b in pairs)  # also if neither has the column
