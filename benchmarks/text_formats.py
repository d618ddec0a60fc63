"""Time of evaluating the same data in several formats, as multiples of columns.

    python benchmarks/text_formats.py GOLD OUTPUT              two column files, 20 times each
    python benchmarks/text_formats.py GOLD OUTPUT --times 5

Both files are written in each format to a temporary folder, and evaluated from the command line;
of three runs, the fastest counts.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import nerscope
from common import EXACT, NERSCOPE, measure
from nerscope.corpus.corpus import Corpus

Row = tuple[list[str], list[str], str, list[dict[str, object]]]


def rows(corpus: Corpus, labels: list[str]) -> Iterator[Row]:
    """Words, labels, text and spans of each sentence."""
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    spans_of: dict[int, list[tuple[int, int, str]]] = {}
    for start, end, kind in zip(mentions.start, mentions.end, mentions.type, strict=True):
        spans_of.setdefault(int(start), []).append((int(start), int(end), types[kind]))
    for number, (begin, stop) in enumerate(pairwise(corpus.starts.tolist())):
        words, at, edges = corpus.words(number), 0, []
        for word in words:
            edges.append((at, at + len(word)))
            at += len(word) + 1
        spans = [
            {"start": edges[low - begin][0], "end": edges[high - 1 - begin][1], "label": kind}
            for place in range(begin, stop)
            for low, high, kind in spans_of.get(place, ())
        ]
        yield words, labels[begin:stop], " ".join(words), spans


def as_columns(row: Row) -> str:
    return "".join(f"{word} {label}\n" for word, label in zip(*row[:2], strict=True)) + "\n"


def as_offsets(row: Row) -> str:
    return json.dumps({"text": row[2], "spans": row[3]}) + "\n"


def as_labels(row: Row) -> str:
    return json.dumps({"tokens": row[0], "ner_tags": row[1]}) + "\n"


FORMATS: dict[str, tuple[str, Callable[[Row], str]]] = {
    "columns": ("conll", as_columns),
    "offsets": ("jsonl", as_offsets),
    "labels": ("tok.jsonl", as_labels),
}
RUNS = (
    ("columns", "columns", 1),
    ("offsets", "offsets", 1),
    ("columns", "offsets", 1),
    ("labels", "labels", 1),
    ("offsets", "offsets", 2),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold")
    parser.add_argument("output")
    parser.add_argument("--times", type=int, default=20)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for side in ("gold", "output"):
            corpus = nerscope.read(getattr(chosen, side))
            assert corpus.labels is not None
            texts = corpus.coding.labels.texts_in(corpus.scheme)
            made = list(rows(corpus, [texts[code] for code in corpus.labels]))
            for ending, written in FORMATS.values():
                text = "".join(map(written, made)) * chosen.times
                Path(folder, f"{side}.{ending}").write_text(text, encoding="utf-8")
        base = 0.0
        for gold, output, workers in RUNS:
            files = [
                f"{folder}/{s}.{FORMATS[f][0]}" for s, f in (("gold", gold), ("output", output))
            ]
            options = [*EXACT, "--metric", "f1", "--format", "csv", "--quiet"]
            options += ["--workers", str(workers)]
            took = measure([*NERSCOPE, "evaluate", files[0], f"s={files[1]}", *options], 3).seconds
            base = base or took
            print(
                f"{gold:>8} {output:>8} {workers} worker(s) {took:7.2f} s {took / base:5.1f} times"
            )


if __name__ == "__main__":
    main()
