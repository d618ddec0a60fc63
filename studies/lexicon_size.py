"""How large a lexicon becomes, and how long it takes: the table in docs/lexicon-at-scale.md.

    python studies/lexicon_size.py                          1 and 10 million tokens
    python studies/lexicon_size.py --tokens 1000000         less

Training data is drawn as it is read, never written: words and names by Zipf's law, one mention in
eight tokens, each name with a type that is its usual one. Each size has a process of its own, so
that its peak of memory is its own. Bytes are those of the lexicon alone (tables and tree of
surfaces) and of the vocabulary beside it; rows are what a sharded lexicon would store: a string and
its counts, for each token and each surface, as they are and packed.
"""

import argparse
import json
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.lexicon import Lexicon, read_training
from nerscope.corpus.mentions import Mentions
from nerscope.corpus.vocabulary import Interner, SequenceTrie, Vocabulary

WORDS, NAMES, PARTS = 2_000_000, 4_000_000, 400_000  # that may be drawn
OF_WORDS, OF_NAMES = 1.25, 1.08  # how steep Zipf's law is
TYPES = ("PER", "LOC", "ORG", "MISC")
CHUNK, SENTENCE, EACH = 100_000, 20, 8  # tokens; tokens; a mention in so many tokens
LENGTHS = (1, 1, 2, 2, 2, 3, 4)  # of names


def ranks(draw: np.random.Generator, count: int, most: int, steepness: float) -> Ints:
    """Numbers from 0 up, small ones often, by Zipf's law up to a bound."""
    share = 1.0 - steepness
    spread = (most**share - 1.0) * draw.random(count) + 1.0
    drawn: Ints = (spread ** (1.0 / share)).astype(np.int64) - 1
    return drawn


def chunk_of(number: int, coding: Coding) -> Corpus:
    """The same chunk for the same number, in a coding that may know more than before."""
    draw = np.random.default_rng(number)
    words = 2 * ranks(draw, CHUNK, WORDS, OF_WORDS)
    start = np.arange(0, CHUNK, EACH) + draw.integers(0, EACH - max(LENGTHS), CHUNK // EACH)
    start = start[start % SENTENCE <= SENTENCE - max(LENGTHS)]
    name = ranks(draw, len(start), NAMES, OF_NAMES)
    length = np.array(LENGTHS)[name % len(LENGTHS)]
    for step in range(max(LENGTHS)):  # the parts of a name follow from its number
        some = length > step
        words[start[some] + step] = 2 * ((name[some] * 7919 + step * 104_729) % PARTS) + 1
    kind = np.where(draw.random(len(start)) < 0.9, name, draw.integers(0, 99, len(start)))
    codes = np.array([coding.labels.type_code(value) for value in TYPES], np.int32)
    mentions = Mentions(start, start + length, codes[kind % len(TYPES)])
    distinct, inverse = np.unique(words, return_inverse=True)
    tokens = coding.tokens.encode([f"{'wN'[value & 1]}{value:x}" for value in distinct.tolist()])
    starts = np.arange(0, CHUNK + 1, SENTENCE)
    lines, documents = np.arange(CHUNK), np.zeros(len(starts) - 1, np.int64)
    return Corpus("drawn", coding, tokens[inverse], starts, lines, documents, spans=mentions)


def bytes_of(thing: Any) -> int:
    """The bytes of all arrays in a lexicon, a vocabulary, or a part of one."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, Lexicon | Vocabulary | SequenceTrie | Interner):
        return sum(bytes_of(getattr(thing, name)) for name in type(thing).__slots__)
    return 0


def rows_of(lexicon: Lexicon, words: Vocabulary) -> tuple[bytes, bytes]:
    """Tokens and surfaces with their counts, as bytes: strings, then columns."""
    tokens = np.flatnonzero(lexicon.token_counts)
    by_token = np.column_stack([lexicon.token_counts, lexicon.inside_counts])[tokens]
    surfaces = np.flatnonzero(lexicon.surface_totals)
    by_surface = np.column_stack([lexicon.occurrences, lexicon.surface_counts])[surfaces]
    items, starts, _ = lexicon.surfaces.sequences(surfaces)
    joints = np.full(len(items), " ", object)
    joints[starts] = "\n"
    spelt = zip(joints.tolist(), words.strings(items), strict=True)
    return (
        "\n".join(words.strings(tokens)).encode() + by_token.astype("<u4").T.tobytes(),
        "".join(joint + word for joint, word in spelt).encode()
        + by_surface.astype("<u4").T.tobytes(),
    )


def answered(lexicon: Lexicon, coding: Coding) -> dict[str, float]:
    """What a test set of one chunk asks: keys, and the bytes of their hashes and counts."""
    test = chunk_of(-1 % 2**32, coding)
    assert test.spans is not None
    tokens = np.unique(test.tokens)
    surfaces = np.unique(SequenceTrie().codes(test.tokens, test.spans.start, test.spans.end))
    row = 8 + 4 * (1 + lexicon.surface_counts.shape[1])
    return {
        "a test set of 100,000 tokens asks for tokens": len(tokens),
        "and for surfaces": len(surfaces),
        "the answers, MB": (len(tokens) + len(surfaces)) * row / 1e6,
    }


def measured(tokens: int) -> dict[str, float]:
    """Read so many tokens, and measure what comes of it."""
    import resource

    coding = Coding()
    drawing: list[float] = []  # seconds, by pass

    def chunks() -> Iterator[Corpus]:
        spent = 0.0
        for number in range(tokens // CHUNK):
            begin = time.perf_counter()
            chunk = chunk_of(number, coding)
            spent += time.perf_counter() - begin
            yield chunk
        drawing.append(spent)

    begin = time.perf_counter()
    lexicon = read_training(chunks).lexicon
    seconds = time.perf_counter() - begin - sum(drawing)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = rows_of(lexicon, coding.tokens)
    return {
        "tokens": lexicon.n_tokens,
        "mentions": lexicon.n_mentions,
        "distinct tokens": int((lexicon.token_counts > 0).sum()),
        "distinct surfaces": int((lexicon.surface_totals > 0).sum()),
        "lexicon, MB": bytes_of(lexicon) / 1e6,
        "vocabulary, MB": bytes_of(coding.tokens) / 1e6,
        "rows of tokens, MB": len(rows[0]) / 1e6,
        "rows of surfaces, MB": len(rows[1]) / 1e6,
        "all rows packed, MB": sum(len(zlib.compress(part, 1)) for part in rows) / 1e6,
        "counting, s": seconds,
        "peak of memory, MB": peak,
        **answered(lexicon, coding),
    }


def shown(value: float) -> str:
    """A count as it is, a measure with one place."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def main() -> None:
    """Measure each size in a process of its own, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tokens", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.size is not None:
        print(json.dumps(measured(options.size)))
        return
    measurements = []
    for tokens in options.tokens:
        command = [sys.executable, __file__, "--size", str(tokens)]
        measurements.append(
            json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        )
    for name in measurements[0]:
        print(
            "|",
            " | ".join([name, *(shown(measurement[name]) for measurement in measurements)]),
            "|",
        )


if __name__ == "__main__":
    main()
