"""Notes on the input: changes in reading, outputs that do not fit gold, unused settings."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nerscope.corpus.corpus import ReadingNotes
from nerscope.corpus.lexicon import TrainingData
from nerscope.corpus.schemes import Scheme
from nerscope.errors import AlignmentError, plural
from nerscope.evaluation.task import Settings, Task
from nerscope.formats.source import LabelStyle, SourceNote, make_note, notes_of_files
from nerscope.scoring.evidence import Evidence, Units
from nerscope.scoring.matching import EXACT

_MAX_NAMED_TYPES = 5  # per note
_MIN_TOKENS = 20  # with fewer tokens, a majority may differ without any mistake
_MIN_PART = 3  # letters: shorter names are part of many words
_MIN_SIMILARITY = 0.7  # of two names; PER and PRT have 0.67
_MIN_MENTIONS = 10  # with fewer mentions, an output may equal gold by chance


def notes_on_reading(
    task: Task,
    training: TrainingData | None,
    reading_notes: Sequence[Mapping[str, ReadingNotes]],
    schemes: Sequence[Scheme],
) -> list[SourceNote]:
    """Notes on content that was changed in reading, such as repaired labels.

    `reading_notes` (by file) and `schemes` are those of gold, then of each run.
    """
    settings = task.settings
    names = [source.name for source in task.sources]
    sides = list(zip(names, reading_notes, schemes, strict=True))
    if task.train is not None and training is not None:
        sides.insert(0, (task.train.name, training.notes_by_file, training.scheme))
    notes: dict[str, SourceNote] = {}
    for name, by_file, scheme in sides:
        if not settings.texts:
            by_file = {file: reading.without_items() for file, reading in by_file.items()}
        for note in notes_of_files(name, by_file, scheme, settings.repair):
            # The same file may be read twice, for example as gold and as training data.
            notes.setdefault(f"{name}\n{note['message']}", note)
    return list(notes.values())


def notes_on_outputs(
    task: Task,
    evidence: Evidence,
    reading_notes: Sequence[ReadingNotes],
    schemes: Sequence[Scheme],
    label_styles: Sequence[LabelStyle],
) -> Iterator[SourceNote]:
    """Notes on types that no file has, on nested mentions, and on outputs that do not fit gold."""
    yield from unused_types(task.settings, task.coding.labels.types)
    yield from two_label_columns(task)
    for source, style in zip(task.sources, label_styles, strict=True):
        yield from nested_mentions(source.name, style.flat)
    for index, run in enumerate(task.runs):
        name, side = run.source.name, index + 1  # side 0 is gold
        if task.gold.always_flat and run.source.always_flat:
            yield from different_scheme(name, reading_notes[side], (schemes[0], schemes[side]))
        yield from foreign_types(name, evidence, index)


def two_label_columns(task: Task) -> Iterator[SourceNote]:
    """A note if gold seems to be a file of gold and predicted labels, whose last column is read."""
    file = task.gold.column_file
    column = None if file is None else file.gold_before_last()
    if column is not None:
        name = task.gold.name
        message = (
            "two label columns with the same types; the last one is taken as gold. "
            f"Fix: {name}::label={column} if the column before it is gold, "
            f"or label={column}+{column + 1} if they are layers of gold"
        )
        yield make_note(name, "gold column", 0, [], message)


def refuse_other_sentences(name: str, reading: ReadingNotes, n_tokens: int) -> None:
    """Raise an error if most tokens of an output differ from gold, even with tokens=any."""
    if 2 * reading.differing_tokens > n_tokens and n_tokens >= _MIN_TOKENS:
        raise AlignmentError(
            f"{name}:{reading.first_differing_line}",
            f"{reading.differing_tokens} of {plural(n_tokens, 'token')} differ from gold, "
            "so the output is shuffled or belongs to another file",
            "give the output for this gold file, in the same order",
        )


def different_scheme(
    name: str, reading: ReadingNotes, schemes: tuple[Scheme, Scheme]
) -> Iterator[SourceNote]:
    """A note if the scheme of an output differs from that of gold; `schemes` are gold, output."""
    gold, output = schemes
    if gold.name == output.name:
        return
    strange = _strange_labels(reading, gold, output)
    count = sum(times for times, _ in strange)
    # Real outputs have faults in both schemes. The scheme is clear only if the labels violate the
    # scheme of gold more than twice as often as their own.
    if count > 2 * sum(fault.times for fault in reading.transitions.faults(output)):
        message = (
            f"the labels are {output.name}, but those of gold are {gold.name}: "
            "label accuracy compares different schemes"
        )
        lines = [min(line for _, line in strange)]
        yield make_note(name, "different schemes", count, lines, message)


def _strange_labels(reading: ReadingNotes, gold: Scheme, output: Scheme) -> list[tuple[int, int]]:
    """The count and first line of each label or transition that is invalid in the gold scheme."""
    if output.must_close and not gold.must_close:
        places = reading.transitions.label_places()
        return [place for text, place in places.items() if text[:1] in output.letters[2:]]
    return [(fault.times, fault.first_line) for fault in reading.transitions.faults(gold)]


def foreign_types(name: str, evidence: Evidence, run: int) -> Iterator[SourceNote]:
    """A note if an output has types that are not in gold, with a map to similar types."""
    gold_counts, output_counts = evidence.overall.type_counts(run)
    in_gold, in_output = (
        set(np.flatnonzero(counts).tolist()) for counts in (gold_counts, output_counts)
    )
    foreign = sorted(in_output - in_gold, key=lambda kind: (-output_counts[kind], kind))
    if not foreign:
        return
    count = int(output_counts[foreign].sum())
    names = [evidence.types[kind] for kind in foreign[:_MAX_NAMED_TYPES]]
    known, unused = (
        [evidence.types[kind] for kind in sorted(kinds)] for kinds in (in_gold, in_gold - in_output)
    )
    pairs = {kind: _similar_type(kind, known, unused) for kind in names}
    maps = " ".join(f"--map {kind}={other}" for kind, other in pairs.items() if other)
    hint = f"; {maps} if they mean the same" if maps else ""
    more = " …" if len(foreign) > _MAX_NAMED_TYPES else ""
    types = f"types that gold does not have ({', '.join(names)}{more})"
    yield make_note(
        name, "foreign types", count, [], f"{plural(count, 'mention')} of {types}{hint}"
    )


def unused_types(settings: Settings, written: Collection[str]) -> Iterator[SourceNote]:
    """A note for each type in `map` or `drop` that is not in any file."""
    counted = {settings.map.get(name, name) for name in written}
    options = [(f"--map {name}={new}", name, written) for name, new in settings.map.items()]
    options += [(f"--drop {name}", name, counted) for name in settings.drop]
    for option, name, known in options:
        if name not in known:
            yield make_note(option, "names without use", 0, [], f"no file has the type {name}")


def nested_mentions(name: str, flat: bool) -> Iterator[SourceNote]:
    """A note if mentions overlap, because tokens then have no single label."""
    if not flat:
        message = "mentions overlap or are discontinuous: token facets and accuracy are left out"
        yield make_note(name, "overlapping mentions", 0, [], message)


def _similar_type(kind: str, known: Sequence[str], unused: Sequence[str]) -> str | None:
    """The known type whose name contains this one or is part of it, or the most similar unused one.

    `unused` are the known types that the output does not have.
    """
    word = kind.lower()
    for name in known:
        other = name.lower()
        is_part = min(len(other), len(word)) >= _MIN_PART and (other in word or word in other)
        if other == word or is_part:
            return name
    import difflib  # rarely needed

    lowered = {name.lower(): name for name in unused}
    close = difflib.get_close_matches(word, lowered, n=1, cutoff=_MIN_SIMILARITY)
    return lowered[close[0]] if close else None


def identical_outputs(
    evidence: Evidence, intended: Collection[tuple[str, str]] = ()
) -> Iterator[SourceNote]:
    """A note for each run with exactly the mentions of an earlier run, or of gold.

    `intended` are runs (system, number) that repeat an earlier run on purpose.
    """
    ledger = evidence.overall
    earlier: list[tuple[str, Units, Any]] = []  # name, mentions, credit
    if len(ledger.gold) >= _MIN_MENTIONS:
        earlier.append(("gold", ledger.gold, ledger.gold.weight))
    for (system, number), output in zip(evidence.runs, ledger.runs, strict=True):
        run_name = f"run {number} of {system}"
        # Folded evidence has groups of mentions: two runs are identical only if they also have
        # the same credit in each group.
        right = None if evidence.folded is None else output.pred_credit[EXACT]
        twins = (
            name
            for name, units, credit in earlier
            if _same_mentions(units, output.pred)
            and (right is None or np.array_equal(credit, right))
        )
        twin = next(twins, None)
        earlier.append((run_name, output.pred, right))
        if twin is not None and (system, number) not in intended:
            place = f"{evidence.dataset}: {run_name}"
            weight = output.pred.weight
            count = len(output.pred) if weight is None else int(weight.sum())
            mentions = plural(count, "mention")
            message = f"identical to {twin} ({mentions}): check that no file is given twice"
            yield make_note(place, "identical outputs", count, [], message)


def _same_mentions(units: Units, others: Units) -> bool:
    if len(units) != len(others):
        return False
    names = ("type", "start", "length", "sentence", "weight")
    pairs = ((getattr(units, name), getattr(others, name)) for name in names)
    return all(np.array_equal(a, b) for a, b in pairs)  # two missing columns (None) are equal
