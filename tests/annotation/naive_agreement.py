"""Agreement between annotators from the definitions, one token and one mention at a time."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, NamedTuple

Span = tuple[int, int, str]
Project = Mapping[str, Mapping[str, Sequence[Span]]]  # annotator -> text -> mentions
Lengths = Mapping[str, int]  # tokens of each text


def f1(first: Iterable[tuple[Any, ...]], second: Iterable[tuple[Any, ...]]) -> float | None:
    a, b = set(first), set(second)
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else None


class Chosen(NamedTuple):
    """Which mentions count: of a type, or of some lengths."""

    type: str | None = None
    lengths: tuple[int, ...] = ()


EVERY = Chosen()


def chosen_mentions(
    project: Project, name: str, texts: Iterable[str], chosen: Chosen
) -> set[tuple[Any, ...]]:
    return {
        (text, *span)
        for text in texts
        for span in project[name][text]
        if chosen.type in (None, span[2])
        and (not chosen.lengths or span[1] - span[0] in chosen.lengths)
    }


def shared(project: Project, *names: str) -> list[str]:
    texts = [set(project[name]) for name in names]
    return sorted(set.intersection(*texts))


def pair_f1(project: Project, a: str, b: str, chosen: Chosen = EVERY) -> float | None:
    texts = shared(project, a, b)
    return f1(*(chosen_mentions(project, name, texts, chosen) for name in (a, b)))


def mean_f1(project: Project, chosen: Chosen = EVERY) -> float | None:
    values = [pair_f1(project, a, b, chosen) for a, b in combinations(project, 2)]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def token_class(mentions: Sequence[Span], token: int) -> str:
    """The type of the outermost mention: the longest, then the first, then by type."""
    around = [span for span in mentions if span[0] <= token < span[1]]
    around.sort(key=lambda span: (span[0] - span[1], span[0], span[2]))
    return around[0][2] if around else "O"


Units = list[dict[str, str]]  # for each token, the class by annotator


def units(project: Project, lengths: Lengths, names: Sequence[str], annotated: bool) -> Units:
    """The tokens that some of the annotators have seen, each with their classes."""
    found = []
    for text, size in lengths.items():
        for token in range(size):
            classes = {
                name: token_class(project[name][text], token)
                for name in names
                if text in project[name]
            }
            if classes and (not annotated or set(classes.values()) != {"O"}):
                found.append(classes)
    return found


def cohen(pairs: Sequence[tuple[str, str]]) -> float | None:
    n = len(pairs)
    if not n:
        return None
    observed = sum(a == b for a, b in pairs) / n
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(first[kind] * second[kind] for kind in first) / n**2
    return None if math.isclose(chance, 1) else (observed - chance) / (1 - chance)


def fleiss(ratings: Sequence[Sequence[str]]) -> float | None:
    if not ratings:
        return None
    m = len(ratings[0])
    agreed = [
        sum(a == b for a, b in permutations(classes, 2)) / (m * (m - 1)) for classes in ratings
    ]
    shares = Counter(kind for classes in ratings for kind in classes)
    total = m * len(ratings)
    chance = sum((count / total) ** 2 for count in shares.values())
    observed = sum(agreed) / len(ratings)
    return None if math.isclose(chance, 1) else (observed - chance) / (1 - chance)


def alpha(ratings: Sequence[Sequence[str]]) -> float | None:
    """From the coincidence matrix, as in Krippendorff's description."""
    coincidences: Counter[tuple[str, str]] = Counter()
    for classes in ratings:
        if len(classes) > 1:
            for pair in permutations(range(len(classes)), 2):
                a, b = (classes[at] for at in pair)
                coincidences[a, b] += 1 / (len(classes) - 1)  # type: ignore[assignment]
    totals: Counter[str] = Counter()
    for (a, _), count in coincidences.items():
        totals[a] += count
    n = sum(totals.values())
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b)
    if not expected:
        return None
    observed = sum(count for (a, b), count in coincidences.items() if a != b)
    return 1 - (n - 1) * observed / expected


def coefficients(
    project: Project, lengths: Lengths, annotated: bool
) -> dict[tuple[str, str | None, str | None], float | None]:
    """Every coefficient by measure and pair of annotators."""
    names, suffix = list(project), "_annotated" if annotated else ""
    values: dict[tuple[str, str | None, str | None], float | None] = {}
    for a, b in combinations(names, 2):
        both = [unit for unit in units(project, lengths, (a, b), annotated) if len(unit) == 2]
        values["cohen_kappa" + suffix, a, b] = cohen([(unit[a], unit[b]) for unit in both])
    every = units(project, lengths, names, annotated)
    complete = [list(unit.values()) for unit in every if len(unit) == len(names)]
    values["fleiss_kappa" + suffix, None, None] = fleiss(complete)
    values["krippendorff_alpha" + suffix, None, None] = alpha(
        [list(unit.values()) for unit in every]
    )
    return values
