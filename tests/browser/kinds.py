"""Reports on eight kinds of data: what the page must be able to show.

python -m tests.browser.kinds DIR [NAME …]        write pages to a folder
"""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import demo_report
from tests.conftest import SHARED

import nerscope as ns

CORPORA = SHARED / "corpora"
TYPES = [
    *("PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW"),
    *("LANGUAGE", "DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"),
]
_WORDS = ("the", "of", "a", "report", "says", "in", "Ada", "Oslo", "Lee", "Bank", "2019", "river")
Sentence = tuple[list[str], list[str]]


def generated(n_sentences: int, types: list[str], seed: int = 0) -> list[Sentence]:
    """Sentences of words and labels; the frequency of types falls steeply."""
    draw = random.Random(seed)
    weights = [0.75**place for place in range(len(types))]
    sentences = []
    for _ in range(n_sentences):
        words, labels = list[str](), list[str]()
        for _ in range(draw.randint(3, 9)):
            size = draw.choice([1, 1, 2, 3])
            kind = draw.choices(types, weights)[0]
            words += draw.choices(_WORDS, k=size)
            inside = [f"B-{kind}", *[f"I-{kind}"] * (size - 1)]
            labels += inside if draw.random() < 0.4 else ["O"] * size
        sentences.append((words, labels))
    return sentences


def noisy(gold: list[Sentence], share: float, seed: int) -> list[list[str]]:
    """An output that changes labels: some mentions are missed, cut short or of another type."""
    draw = random.Random(seed)
    types = sorted({label[2:] for _, labels in gold for label in labels if label != "O"})
    outputs = []
    for _, labels in gold:
        output = list(labels)
        for place in range(len(labels)):
            if draw.random() < share:
                other = draw.choice(types)
                output[place] = draw.choice(["O", f"B-{other}", f"I-{other}"])
        outputs.append(output)
    return outputs


def many_types(target: Path) -> None:
    """Eighteen types, seven systems with five runs."""
    gold, train = generated(400, TYPES), generated(600, TYPES, seed=1)
    systems = {
        f"system-{number}": [
            noisy(gold, 0.04 + 0.02 * number, 10 * number + run) for run in range(5)
        ]
        for number in range(7)
    }
    ns.evaluate(gold, systems, train=train, dataset="18 types").report(target)


def folded(target: Path) -> None:
    """More sentences than results keep one by one."""
    gold = generated(130_000, ["PER", "LOC", "ORG"])
    systems = {name: noisy(gold, share, 5) for name, share in (("a", 0.02), ("b", 0.03))}
    ns.evaluate(gold, systems, dataset="folded").report(target)


def write_page(target: Path, *arguments: str, folder: Path | None = None) -> None:
    """A page from the command line, run in a folder, so that file names are short."""
    command = [sys.executable, "-m", "nerscope", "evaluate", *arguments, "--report", str(target)]
    subprocess.run(
        [*command, "--quiet"], cwd=folder or target.parent, check=True, stdout=subprocess.DEVNULL
    )


def three_columns(target: Path) -> None:
    """One file with the columns token, gold, predicted."""
    gold = generated(80, ["PER", "LOC", "ORG", "MISC"])
    lines = []
    for (words, labels), output in zip(gold, noisy(gold, 0.1, 3), strict=True):
        lines += [" ".join(row) for row in zip(words, labels, output, strict=True)] + [""]
    path = target.with_suffix(".conll")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_page(target, path.name)


def answers(target: Path) -> None:
    """Two language models: nested and hallucinated mentions, answers that cannot be read."""
    texts = ["The University of Oslo won.", "Ada Lee met Bob in Rome.", "Bank of Leeds fell."] * 30
    mentions = [
        [("University of Oslo", "ORG"), ("Oslo", "LOC")],
        [("Ada Lee", "PER"), ("Bob", "PER"), ("Rome", "LOC")],
        [("Bank of Leeds", "ORG"), ("Leeds", "LOC")],
    ] * 30
    gold = target.with_name("gold.jsonl")
    lines = [_record(text, named) for text, named in zip(texts, mentions, strict=True)]
    gold.write_text("".join(lines), encoding="utf-8")
    draw = random.Random(1)
    outputs = list[str]()
    for name, share in (("model-a", 0.1), ("model-b", 0.25)):
        path = target.with_name(f"{name}.jsonl")
        lines = [_answer(named, share, draw) for named in mentions]
        path.write_text("".join(lines), encoding="utf-8")
        outputs.append(f"{name}={path.name}::format=answers")
    write_page(target, gold.name, *outputs, "--dataset", "answers")


def _record(text: str, mentions: list[tuple[str, str]]) -> str:
    starts = [text.index(words) for words, _ in mentions]
    spans = [
        {"start": start, "end": start + len(words), "label": kind}
        for start, (words, kind) in zip(starts, mentions, strict=True)
    ]
    return json.dumps({"text": text, "spans": spans}) + "\n"


def _answer(mentions: list[tuple[str, str]], share: float, draw: random.Random) -> str:
    if draw.random() < share / 4:
        return json.dumps("I found these entities: [") + "\n"
    kept = [[words, kind] for words, kind in mentions if draw.random() > share]
    if draw.random() < share:
        kept.append(["Atlantis", "LOC"])
    return json.dumps(kept) + "\n"


def corpus(target: Path, name: str, *systems: str) -> None:
    options = ("--train", "train.txt", "--dataset", name)
    write_page(target, "test.txt", *systems, *options, folder=CORPORA / name)


def conll(target: Path) -> None:
    corpus(target, "conll2003", "flair=systems/flair.txt", "elmo=systems/elmo.txt")


def wnut(target: Path) -> None:
    names = sorted(path.stem for path in (CORPORA / "wnut17" / "systems").glob("*.txt"))
    corpus(target, "wnut17", *(f"{name}=systems/{name}.txt::tokens=any" for name in names))


def languages(target: Path) -> None:
    """Seven models with five seeds on two languages."""
    names = ("hau", "pcm")
    lines = [
        f'[datasets.{name}]\ntrain = "FOLDER_{name}/train.txt"\ntest = "FOLDER_{name}/test.txt"\n'
        for name in names
    ]
    models = {path.name.split(".")[0] for path in (CORPORA / "masakhaner2_hau/systems").iterdir()}
    for model in sorted(models):
        lines.append(f"[systems.{model}]\n")
        lines += [f'{name} = "FOLDER_{name}/systems/{model}.*.txt"\n' for name in names]
    path = target.with_suffix(".toml")
    path.write_text("".join(lines).replace("FOLDER", f"{CORPORA}/masakhaner2"), encoding="utf-8")
    write_page(target, path.name)


def demo(target: Path) -> None:
    demo_report(target.parent).rename(target)


GENERATED: dict[str, Callable[[Path], None]] = {
    "demo": demo,
    "types": many_types,
    "columns": three_columns,
    "folded": folded,
    "answers": answers,
}
FROM_CORPORA: dict[str, Callable[[Path], None]] = {
    "conll": conll,
    "wnut": wnut,
    "languages": languages,
}


if __name__ == "__main__":
    destination = Path(sys.argv[1]).resolve()
    destination.mkdir(parents=True, exist_ok=True)
    for name, write in (GENERATED | FROM_CORPORA).items():
        if name in sys.argv[2:] or not sys.argv[2:]:
            write(destination / f"{name}.html")
