"""Test data of any size: gold labels, the outputs of two systems, and training data beside them.

    python benchmarks/generated.py 100000000 [--documents]

Words follow Zipf's law over 200,000 of them, so that new ones get rarer until all were met.
Mentions come from two lists: one of 50,000 surfaces that training data draw from as well, and one
of 20,000 that only test data have. Systems err in a tenth of the mentions and more: they miss
some, mistake the type or a boundary, and find some where there are none; more so in the second
list. Blocks of a million tokens are drawn from seeds of their own, so no two are alike, the same
size gives the same bytes, and a file of whole millions is the head of every longer one.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from common import DATA

Ints = npt.NDArray[np.int64]
Lines = npt.NDArray[np.object_]

WORDS, NAMES = 200_000, 30_000
SHARED, ONLY_IN_TEST = 50_000, 20_000  # surfaces
BREAK, DOCUMENT = WORDS + NAMES, WORDS + NAMES + 1  # lines that are no tokens
TYPES = ("PER", "ORG", "LOC", "MISC")
LABELS = ("O", *(f"{prefix}-{name}" for name in TYPES for prefix in "BI"))
BLOCK = 1_000_000  # tokens
TRAINING = 1_000_000
SENTENCES_A_DOCUMENT = 25
MENTION_SHARE = 0.06  # of words and mentions together
NEW_SHARE = 0.12  # of the mentions of test data: from the second list
OTHER_TYPE_SHARE = 0.03  # of mentions: not of the type that the list says


@dataclass(frozen=True)
class System:
    """How often a system errs, by kind: as shares of mentions."""

    name: str
    missed: float
    mistyped: float
    shifted: float
    spurious: float
    if_new: float = 3.0  # times as often in the second list


SYSTEMS = (
    System("a", missed=0.02, mistyped=0.02, shifted=0.02, spurious=0.02),
    System("b", missed=0.03, mistyped=0.02, shifted=0.025, spurious=0.025),
)


class Names(NamedTuple):
    """Surfaces, one after the other: the tokens of each begin at its offset."""

    tokens: Ints
    offsets: Ints
    types: Ints


class Block(NamedTuple):
    """Some sentences: tokens and breaks, one a line, and where gold mentions are among them."""

    tokens: Ints
    starts: Ints
    ends: Ints
    types: Ints
    is_new: npt.NDArray[np.bool_]


class Files(NamedTuple):
    """Where generated data are."""

    train: Path
    gold: Path
    systems: dict[str, Path]


def spelling(number: int, syllables: Sequence[str]) -> str:
    """A word of its own for every number; small numbers have short ones.

    >>> [spelling(number, ["ba", "ce"]) for number in range(4)]
    ['ba', 'ce', 'baba', 'bace']
    """
    word = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, len(syllables))
        word = syllables[rest] + word
    return word


@cache
def table_of_lines() -> Lines:
    """The line of every token with every label, as bytes; a break is a line as well."""
    syllables = [*(consonant + vowel for vowel in "aeiou" for consonant in "tnsrlkmd"), "zé"]
    words = [",", ".", *(spelling(number, syllables) for number in range(WORDS - 2))]
    names = [spelling(number, syllables).capitalize() for number in range(NAMES)]
    lines = [f"{token} {label}\n".encode() for token in [*words, *names] for label in LABELS]
    lines += [b"\n"] * len(LABELS) + [b"-DOCSTART- O\n\n"] * len(LABELS)
    return np.array(lines, dtype=object)


@cache
def by_zipf(size: int, exponent: float) -> Ints:
    """Numbers below `size`, each as often as Zipf's law has it, to draw from."""
    shares = np.cumsum(np.arange(1, size + 1) ** -exponent)
    places = (np.arange(1 << 22) + 0.5) / (1 << 22)
    return np.searchsorted(shares / shares[-1], places).astype(np.int64)


def draw_ranks(draw: np.random.Generator, size: int, exponent: float, number: int) -> Ints:
    """So many numbers below `size`."""
    table = by_zipf(size, exponent)
    ranks: Ints = table[draw.integers(0, len(table), number)]
    return ranks


@cache
def names() -> Names:
    """Both lists of surfaces, the shared one first. One token in ten is a common word."""
    draw = np.random.default_rng(0)
    count = SHARED + ONLY_IN_TEST
    lengths = draw.choice([1, 2, 3, 4], count, p=[0.5, 0.35, 0.1, 0.05])
    tokens = WORDS + draw_ranks(draw, NAMES, 0.6, lengths.sum())
    is_common = draw.random(len(tokens)) < 0.1
    tokens[is_common] = draw_ranks(draw, 1000, 1.0, is_common.sum())
    types = draw.choice(len(TYPES), count, p=[0.35, 0.3, 0.25, 0.1])
    return Names(tokens, np.concatenate([[0], np.cumsum(lengths)]), types)


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Whole numbers from each start on, as many as its length says, one range after the other.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    first = np.cumsum(lengths) - lengths
    numbers: Ints = np.arange(lengths.sum()) + np.repeat(starts - first, lengths)
    return numbers


def block(draw: np.random.Generator, tokens: int, new_share: float, documents: bool) -> Block:
    """About so many tokens in whole sentences."""
    known = names()
    breaks = lines_after(draw, tokens, documents)
    is_mention = draw.random(len(breaks)) < MENTION_SHARE
    which, is_new = mentions_drawn(draw, is_mention.sum(), new_share)
    lengths = np.ones(len(breaks), dtype=np.int64)
    lengths[is_mention] = known.offsets[which + 1] - known.offsets[which]
    ends = np.cumsum(lengths + breaks) - breaks
    starts = ends - lengths

    lines = np.empty(ends[-1] + breaks[-1], dtype=np.int64)
    lines[starts[~is_mention]] = outside(draw, len(breaks) - len(which))
    first, last = starts[is_mention], ends[is_mention]
    lines[ranges(first, last - first)] = known.tokens[ranges(known.offsets[which], last - first)]
    lines[ends[breaks > 0]] = BREAK
    lines[ends[breaks > 1] + 1] = DOCUMENT
    return Block(lines, first, last, types_of(draw, which), is_new)


def lines_after(draw: np.random.Generator, tokens: int, documents: bool) -> Ints:
    """For each word or mention, how many lines follow that are no tokens. Some sentences are short,
    few are long, and a mention has 1.7 tokens; so these make about so many tokens.
    """
    number = int(tokens / 15.1)
    ends = np.cumsum(np.clip(draw.gamma(3.0, 5.0, number).astype(np.int64), 1, 80))
    breaks = np.zeros(ends[-1], dtype=np.int64)
    breaks[ends - 1] = 1
    if documents:
        breaks[ends[SENTENCES_A_DOCUMENT - 1 :: SENTENCES_A_DOCUMENT] - 1] = 2
    return breaks


def mentions_drawn(
    draw: np.random.Generator, number: int, new_share: float
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Which surfaces, and whether they are of the second list."""
    is_new = draw.random(number) < new_share
    which = draw_ranks(draw, SHARED, 0.8, number)
    which[is_new] = SHARED + draw_ranks(draw, ONLY_IN_TEST, 0.3, is_new.sum())
    return which, is_new


def types_of(draw: np.random.Generator, which: Ints) -> Ints:
    """Nearly always the type that the list says."""
    types = names().types[which]
    is_other = draw.random(len(types)) < OTHER_TYPE_SHARE
    types[is_other] = draw.integers(0, len(TYPES), is_other.sum())
    return types


def outside(draw: np.random.Generator, number: int) -> Ints:
    """Words outside mentions: one in a hundred is such as names are made of."""
    words = draw_ranks(draw, WORDS, 1.0, number)
    is_name = draw.random(number) < 0.01
    words[is_name] = WORDS + draw_ranks(draw, NAMES, 0.6, is_name.sum())
    return words


def label_spans(size: int, starts: Ints, ends: Ints, types: Ints) -> Ints:
    """The number of the label of each line."""
    labels = np.zeros(size, dtype=np.int64)
    labels[ranges(starts, ends - starts)] = np.repeat(2 + 2 * types, ends - starts)
    labels[starts] = 1 + 2 * types
    return labels


def gold_labels(block: Block) -> Ints:
    """The labels of gold."""
    return label_spans(len(block.tokens), block.starts, block.ends, block.types)


def predicted_labels(draw: np.random.Generator, block: Block, system: System) -> Ints:
    """The labels of a system that errs: kinds of errors exclude each other."""
    rates = np.cumsum([system.missed, system.mistyped, system.shifted])
    fate = draw.random(len(block.starts)) / np.where(block.is_new, system.if_new, 1.0)
    kind = np.searchsorted(rates, fate)
    types = block.types.copy()
    types[kind == 1] = (types[kind == 1] + draw.integers(1, len(TYPES), (kind == 1).sum())) % 4
    ends = block.ends - ((kind == 2) & (block.ends - block.starts > 1))
    is_predicted = kind > 0
    labels = label_spans(
        len(block.tokens), block.starts[is_predicted], ends[is_predicted], types[is_predicted]
    )
    grown = block.ends[(kind == 2) & (block.ends - block.starts == 1)]
    grown = grown[(block.tokens[grown] < BREAK) & (labels[grown] == 0)]
    labels[grown] = labels[grown - 1] + 1
    return with_spurious(draw, block, labels, int(system.spurious * len(block.starts)))


def with_spurious(draw: np.random.Generator, block: Block, labels: Ints, number: int) -> Ints:
    """Some words that are in no mention, and beside none, get a label of their own."""
    places = np.unique(draw.integers(1, len(labels) - 1, number))
    is_free = (labels[places] == 0) & (labels[places + 1] == 0) & (block.tokens[places] < BREAK)
    places = places[is_free & (gold_labels(block)[places] == 0)]
    labels[places] = 1 + 2 * draw.integers(0, len(TYPES), len(places))
    return labels


def as_lines(block: Block, labels: Ints) -> bytes:
    """The lines of a column file."""
    return b"".join(table_of_lines()[block.tokens * len(LABELS) + labels].tolist())


def blocks(
    tokens: int, new_share: float, documents: bool, seed: int
) -> Iterator[tuple[int, Block]]:
    """Blocks that have about so many tokens together, with their numbers."""
    for number in range(max(1, tokens // BLOCK)):
        draw = np.random.default_rng([seed, number])
        yield number, block(draw, min(tokens, BLOCK), new_share, documents)


def generate(tokens: int, documents: bool = False) -> Files:
    """Files with about so many test tokens, made where they are not there yet."""
    ending = ".documents.txt" if documents else ".txt"
    stem = f"scale.{tokens}"
    systems = {system.name: DATA / f"{stem}.{system.name}{ending}" for system in SYSTEMS}
    files = Files(DATA / f"scale.train{ending}", DATA / f"{stem}.gold{ending}", systems)
    DATA.mkdir(exist_ok=True)
    if not files.train.exists():
        write_training(files.train, documents)
    if not all(path.exists() for path in (files.gold, *systems.values())):
        write_test(files, tokens, documents)
    return files


def write_training(path: Path, documents: bool) -> None:
    """Training data: mentions of the first list alone."""
    parts = blocks(TRAINING, new_share=0.0, documents=documents, seed=1)
    _write([path], ([as_lines(block, gold_labels(block))] for _, block in parts))


def write_test(files: Files, tokens: int, documents: bool) -> None:
    """Gold and the outputs of all systems, block by block."""
    _write(
        [files.gold, *files.systems.values()],
        (
            [
                as_lines(block, gold_labels(block)),
                *(
                    as_lines(
                        block,
                        predicted_labels(np.random.default_rng([3, k, number]), block, system),
                    )
                    for k, system in enumerate(SYSTEMS)
                ),
            ]
            for number, block in blocks(tokens, NEW_SHARE, documents, seed=2)
        ),
    )


def _write(paths: Sequence[Path], parts: Iterator[list[bytes]]) -> None:
    """Append parts to files that get their names when all is written."""
    drafts = [path.with_suffix(".part") for path in paths]
    for draft in drafts:
        draft.unlink(missing_ok=True)
    for part in parts:
        for draft, lines in zip(drafts, part, strict=True):
            with draft.open("ab") as file:
                file.write(lines)
    for draft, path in zip(drafts, paths, strict=True):
        draft.replace(path)


def main() -> None:
    """Write what was asked for, and say where it is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tokens", type=int)
    parser.add_argument("--documents", action="store_true", help="mark where documents begin")
    given = parser.parse_args()
    files = generate(given.tokens, given.documents)
    for path in (files.train, files.gold, *files.systems.values()):
        print(f"{path.stat().st_size / 1e6:9.1f} MB  {path}")


if __name__ == "__main__":
    main()
