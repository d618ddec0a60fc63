"""The systems of the demonstration: each learns from the training sentences only, and labels bare tokens."""

import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pycrfsuite
from examples.demo_corpus import Mention, Sentence, mentions

Words = tuple[str, ...]
Labeller = Callable[[Words], list[str]]
Features = list[list[str]]
Featuriser = Callable[[Words], Features]
Gazetteer = dict[Words, list[str]]

RUNS = 3
SUBSAMPLE = 0.9  # share of the training sentences that one run sees


def memoriser(training: Sequence[Sentence]) -> Labeller:
    """A labeller that marks the longest training mention at each place, with its most frequent type."""
    majority = {words: kinds[0] for words, kinds in gazetteer(mention for row in training for mention in mentions(row)).items()}
    longest = max(map(len, majority))

    def label(words: Words) -> list[str]:
        labels = ["O"] * len(words)
        start = 0
        while start < len(words):
            length = next(
                (n for n in range(min(longest, len(words) - start), 0, -1) if words[start : start + n] in majority), 0
            )
            if length:
                kind = majority[words[start : start + length]]
                labels[start : start + length] = [f"B-{kind}"] + [f"I-{kind}"] * (length - 1)
            start += max(length, 1)
        return labels

    return label


def crf(training: Sequence[Sentence], seed: int, make: Callable[[Sequence[Sentence]], Featuriser]) -> Labeller:
    """A conditional random field, trained by averaged perceptron on a shuffled sample that the seed decides."""
    rng = random.Random(seed)
    # The perceptron depends on the order of the sentences, so that runs differ by the sample and by its order.
    sample = rng.sample(training, round(SUBSAMPLE * len(training)))
    featurise = make(sample)
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": 30, "feature.possible_transitions": False})
    for sentence in sample:
        trainer.append(featurise(tuple(word for word, _ in sentence)), [label for _, label in sentence])
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.crfsuite"
        trainer.train(str(model))
        tagger.open_inmemory(model.read_bytes())
    return lambda words: list(tagger.tag(featurise(words)))


def word_features(_: Sequence[Sentence]) -> Featuriser:
    """The identity of the word and of its two neighbours, as it is written."""
    return lambda words: [
        [f"w={word}", f"w-1={_at(words, index - 1)}", f"w+1={_at(words, index + 1)}"] for index, word in enumerate(words)
    ]


def shape_features(_: Sequence[Sentence]) -> Featuriser:
    """Lower-cased words in a window of two, with shapes and affixes."""
    return lambda words: [_shape_features(words, index) for index in range(len(words))]


def gazetteer_features(training: Sequence[Sentence]) -> Featuriser:
    """The shape features, and whether the word lies in a stretch that is a training mention of some type."""
    # A name that was met once would mark itself in training and teach the model to trust the list too much.
    counts = Counter(mention for sentence in training for mention in mentions(sentence))
    names = gazetteer((_lower(mention) for mention, count in counts.items() if count > 1))

    def featurise(words: Words) -> Features:
        found = _matches(tuple(word.lower() for word in words), names)
        return [_shape_features(words, index) + found[index] for index in range(len(words))]

    return featurise


CRFS: dict[str, Callable[[Sequence[Sentence]], Featuriser]] = {
    "crf-words": word_features,
    "crf-shapes": shape_features,
    "crf-gazetteer": gazetteer_features,
}


def train_all(training: Sequence[Sentence]) -> Iterable[tuple[str, Labeller]]:
    """Every run of every system, under the name of its output file."""
    yield "memoriser", memoriser(training)
    for number, (name, make) in enumerate(CRFS.items(), start=1):
        for run in range(1, RUNS + 1):
            yield f"{name}.{run}", crf(training, 100 * number + run, make)


def gazetteer(found: Iterable[Mention]) -> Gazetteer:
    """The types of every name, the most frequent first and ties in the order of the alphabet."""
    kinds: defaultdict[Words, Counter[str]] = defaultdict(Counter)
    for words, kind in found:
        kinds[words][kind] += 1
    return {words: sorted(counts, key=lambda kind: (-counts[kind], kind)) for words, counts in kinds.items()}


def _lower(mention: Mention) -> Mention:
    words, kind = mention
    return tuple(word.lower() for word in words), kind


def _matches(words: Words, names: Gazetteer) -> Features:
    features: Features = [[] for _ in words]
    longest = max(map(len, names), default=0)
    for start in range(len(words)):
        for end in range(start + 1, min(start + longest, len(words)) + 1):
            for kind in names.get(words[start:end], ()):
                for index in range(start, end):
                    features[index].append(f"gaz={'I' if index > start else 'B'}-{kind}")
    return features


def _shape_features(words: Words, index: int) -> list[str]:
    word = words[index]
    low = word.lower()
    features = ["bias", f"low={low}", f"shape={_shape(word)}"]
    features += [f"pre{size}={low[:size]}" for size in (2, 3)] + [f"suf{size}={low[-size:]}" for size in (2, 3)]
    for offset in (-2, -1, 1, 2):
        near = _at(words, index + offset)
        features += [f"low{offset:+d}={near.lower()}", f"shape{offset:+d}={_shape(near)}"]
    return features


def _at(words: Words, index: int) -> str:
    return words[index] if 0 <= index < len(words) else "<none>"


def _shape(word: str) -> str:
    kinds = ["X" if char.isupper() else "x" if char.islower() else "9" if char.isdigit() else char for char in word]
    # Runs are cut to one character, so that long and short names look alike.
    return "".join(kind for index, kind in enumerate(kinds) if index == 0 or kinds[index - 1] != kind)
