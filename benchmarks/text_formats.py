"""Time of evaluating the same data in several formats, as multiples of columns.

    python benchmarks/text_formats.py GOLD OUTPUT              two column files, 20 times each
    python benchmarks/text_formats.py GOLD OUTPUT --times 5

Both files are written in each format to a temporary folder, and evaluated from the command line.
All commands take turns; the fastest of three runs of each counts. DocBin is measured if spaCy is
installed. `aligned` is gold in columns with an output that has other tokens; `nested` has a second
mention inside every mention of more than one token.
"""

import argparse
import csv
import importlib.util
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import nerscope
from common import EXACT, NERSCOPE, Target, in_turns, machine, show_targets
from nerscope.corpus.corpus import Corpus


class Row(NamedTuple):
    """A sentence: words, labels, and mentions by tokens."""

    words: list[str]
    labels: list[str]
    mentions: list[tuple[int, int, str]]

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def spans(self, nested: bool = False) -> list[dict[str, object]]:
        """The mentions by characters; `nested` adds the first token of each longer mention."""
        ends, at = [], 0
        for word in self.words:
            ends.append((at, at + len(word)))
            at += len(word) + 1
        inner = [(low, low + 1, kind) for low, high, kind in self.mentions if high - low > 1]
        return [
            {"start": ends[low][0], "end": ends[high - 1][1], "label": kind}
            for low, high, kind in sorted([*self.mentions, *(inner if nested else ())])
        ]


def rows(corpus: Corpus) -> Iterator[Row]:
    assert corpus.labels is not None
    texts = corpus.coding.labels.texts_in(corpus.scheme)
    labels = [texts[code] for code in corpus.labels]
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    inside: dict[int, list[tuple[int, int, str]]] = {}
    for start, end, kind in zip(mentions.start, mentions.end, mentions.type, strict=True):
        inside.setdefault(int(start), []).append((int(start), int(end), types[kind]))
    for number, (begin, stop) in enumerate(pairwise(corpus.starts.tolist())):
        here = [
            (low - begin, high - begin, kind)
            for place in range(begin, stop)
            for low, high, kind in inside.get(place, ())
        ]
        yield Row(corpus.words(number), labels[begin:stop], here)


def columns(path: Path, made: Sequence[Row], times: int) -> None:
    text = "".join(
        "".join(f"{word} {label}\n" for word, label in zip(row.words, row.labels, strict=True))
        + "\n"
        for row in made
    )
    path.write_text(text * times, encoding="utf-8")


def json_lines(item: Callable[[Row], object]) -> Callable[[Path, Sequence[Row], int], None]:
    def write(path: Path, made: Sequence[Row], times: int) -> None:
        text = "".join(json.dumps(item(row)) + "\n" for row in made)
        path.write_text(text * times, encoding="utf-8")

    return write


def parquet(path: Path, made: Sequence[Row], times: int) -> None:
    import pyarrow
    from pyarrow.parquet import write_table

    every = list(made) * times
    table = {"tokens": [row.words for row in every], "ner_tags": [row.labels for row in every]}
    write_table(pyarrow.table(table), path, compression="zstd", row_group_size=10_000)


def rows_of_tokens(path: Path, made: Sequence[Row], times: int) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sentence_id", "token", "label"])
        for number, row in enumerate(list(made) * times):
            pairs = zip(row.words, row.labels, strict=True)
            writer.writerows([number, word, label] for word, label in pairs)


def docbin(path: Path, made: Sequence[Row], times: int) -> None:
    import spacy
    from spacy.tokens import Doc, DocBin, Span

    vocabulary, stored = spacy.blank("en").vocab, DocBin()
    documents: list[Any] = []
    for row in made:
        document = Doc(vocabulary, words=row.words)
        document.set_ents([Span(document, low, high, kind) for low, high, kind in row.mentions])
        documents.append(document)
    for document in documents * times:
        stored.add(document)
    stored.to_disk(path)


def divided(path: Path, made: Sequence[Row], times: int) -> None:
    """Columns in which every word of more than six letters is two tokens."""
    lines = []
    for row in made:
        for word, label in zip(row.words, row.labels, strict=True):
            parts = [word[:4], word[4:]] if len(word) > 6 else [word]
            behind = f"I-{label[2:]}" if label != "O" else "O"
            lines += [f"{part} {behind if at else label}\n" for at, part in enumerate(parts)]
        lines.append("\n")
    path.write_text("".join(lines) * times, encoding="utf-8")


FORMATS: dict[str, tuple[str, Callable[[Path, Sequence[Row], int], None]]] = {
    "columns": ("conll", columns),
    "offsets": ("jsonl", json_lines(lambda row: {"text": row.text, "spans": row.spans()})),
    "nested": (
        "nested.jsonl",
        json_lines(lambda row: {"text": row.text, "spans": row.spans(nested=True)}),
    ),
    "labels": ("tok.jsonl", json_lines(lambda row: {"tokens": row.words, "ner_tags": row.labels})),
    "csv": ("csv", rows_of_tokens),
    "parquet": ("parquet", parquet),
    "docbin": ("spacy", docbin),
    "aligned": ("other.conll", divided),
}
# The formats of gold and of the output, and the number of workers.
RUNS = (
    ("columns", "columns", 1),
    ("offsets", "offsets", 1),
    ("offsets", "offsets", 2),
    ("columns", "offsets", 1),
    ("labels", "labels", 1),
    ("nested", "nested", 1),
    ("csv", "csv", 1),
    ("csv", "csv", 2),
    ("parquet", "parquet", 1),
    ("docbin", "docbin", 1),
    ("columns", "aligned", 1),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold")
    parser.add_argument("output")
    parser.add_argument("--times", type=int, default=20)
    chosen = parser.parse_args()
    has_spacy = importlib.util.find_spec("spacy") is not None
    used = [name for name in FORMATS if name != "docbin" or has_spacy]
    runs = [run for run in RUNS if run[0] in used]
    n_tokens = nerscope.read(chosen.gold).n_tokens * chosen.times
    with tempfile.TemporaryDirectory() as folder:
        for side in ("gold", "output"):
            made = list(rows(nerscope.read(getattr(chosen, side))))
            for name in used:
                ending, write = FORMATS[name]
                write(Path(folder, f"{side}.{ending}"), made, chosen.times)
        commands = {str(run): command(folder, *run) for run in runs}
        costs = in_turns(commands, 3)
    took = {run: costs[str(run)].seconds for run in runs}
    print(f"{n_tokens:,} tokens, two files; {machine()}\n")
    for (gold, output, workers), seconds in took.items():
        times = seconds / took["columns", "columns", 1]
        print(f"  {gold:>8} {output:>8} {workers} worker(s) {seconds:6.2f} s {times:5.1f} times")

    def ratio(run: tuple[str, str, int], other: tuple[str, str, int]) -> float:
        return took[run] / took[other]

    plain, offsets = ("columns", "columns", 1), ("offsets", "offsets", 1)
    targets = [
        Target("JSON Lines with offsets against columns", ratio(offsets, plain), 4),
        Target("two workers against one", ratio(offsets, ("offsets", "offsets", 2)), 1.4, False),
        Target("gold in columns, output in JSON", ratio(("columns", "offsets", 1), plain), 5),
        Target("tokens with labels in JSON", ratio(("labels", "labels", 1), plain), 3),
        Target("Parquet", ratio(("parquet", "parquet", 1), plain), 2),
        Target("nested mentions against flat ones", ratio(("nested", "nested", 1), offsets), 1.5),
        Target(
            "aligned text, thousand tokens per second",
            n_tokens / took["columns", "aligned", 1] / 1000,
            300,
            False,
        ),
    ]
    if has_spacy:
        targets.append(Target("DocBin", ratio(("docbin", "docbin", 1), plain), 4))
    show_targets(targets)


def command(folder: str, gold: str, output: str, workers: int) -> list[str]:
    paths = [
        f"{folder}/{side}.{FORMATS[name][0]}" for side, name in (("gold", gold), ("output", output))
    ]
    option = "::tokens=align" if output == "aligned" else ""
    options = [*EXACT, "--metric", "f1", "--format", "csv", "--quiet", "--workers", str(workers)]
    return [*NERSCOPE, "evaluate", paths[0], f"s={paths[1]}{option}", *options]


if __name__ == "__main__":
    main()
