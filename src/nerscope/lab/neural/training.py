"""Train a tagger in rounds (epochs), and keep the weights of the best round on dev."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from nerscope.corpus.corpus import Coding, Corpus
from nerscope.errors import UsageError
from nerscope.lab.neural.tagger import EncodedSentence, Tagger, batches
from nerscope.lab.recipe import Lesson, Tagged

Encode = Callable[[Sequence[list[str]]], list[EncodedSentence]]
_WARM_UP = 0.1  # share of all steps in which the learning rate rises
_MAX_GRADIENT = 5.0  # norm; a larger gradient is scaled down to it


class TrainingOptions(NamedTuple):
    """How long to train, and with which learning rates."""

    rounds: int
    batch: int  # sentences per step
    rate: float  # learning rate of the encoder
    head_rate: float  # learning rate of all other layers

    def checked(self, place: str) -> "TrainingOptions":
        """These options; raises `UsageError` if one of them is not positive."""
        for name, value in self._asdict().items():
            if value <= 0:
                raise UsageError(place, f"invalid value {name} = {value}", "give a number above 0")
        return self


def seed_torch(seed: int) -> torch.device:
    """Seed torch, and return the device to compute on: a GPU if there is one."""
    torch.manual_seed(seed)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train_and_label(
    tagger: Tagger, encode: Encode, lesson: Lesson, options: TrainingOptions
) -> list[list[str]]:
    """Train a tagger, and label the test sentences; `encode` makes the inputs of its encoder."""
    codes = {label: code for code, label in enumerate(tagger.labels)}
    train = encode([sentence.words for sentence in lesson.train])
    gold = [[codes[label] for label in sentence.labels] for sentence in lesson.train]
    dev = encode([sentence.words for sentence in lesson.dev])
    trainer = _Trainer(tagger, options, len(train), np.random.default_rng(lesson.seed))
    highest, best_weights = -np.inf, None
    for number in range(1, options.rounds + 1):
        started = time.perf_counter()
        note = f"round {number} of {options.rounds}: loss {trainer.run_round(train, gold):.3f}"
        if dev:
            f1 = exact_f1(lesson.dev, tagger.label(dev))
            note += f", dev F1 {100 * f1:.2f}"
            if not f1 < highest:  # also if F1 is undefined: then the last round is kept
                highest, best_weights = f1, _copy(tagger.state_dict())
        lesson.say(f"{note}, {time.perf_counter() - started:.1f} s")
    if best_weights:
        tagger.load_state_dict(best_weights)
    return tagger.label(encode(lesson.test))


def exact_f1(gold: Sequence[Tagged], labels: Sequence[Sequence[str]]) -> float:
    """F1 over mentions; NaN if neither side has a mention.

    >>> exact_f1([Tagged(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])], [["B-PER", "O", "O"]])
    0.6666666666666666
    """
    coding = Coding()
    expected = _mentions([sentence.labels for sentence in gold], coding)
    predicted = _mentions(labels, coding)
    n = len(expected) + len(predicted)
    return 2 * len(expected & predicted) / n if n else np.nan


def _mentions(labels: Sequence[Sequence[str]], coding: Coding) -> set[tuple[int, ...]]:
    mentions = Corpus.of([*filter(None, labels)], coding=coding).mentions()
    columns = (mentions.start, mentions.end, mentions.type)
    return {*zip(*(column.tolist() for column in columns), strict=True)}


def _copy(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.clone() for name, value in state.items()}


class _Trainer:
    """The state of a training: the network, its optimiser, the learning rate."""

    def __init__(
        self, tagger: Tagger, options: TrainingOptions, sentences: int, random: np.random.Generator
    ) -> None:
        self.tagger, self.batch_size, self.random = tagger, options.batch, random
        new_layers = [*tagger.head.parameters(), *tagger.decoder.parameters()]
        groups = [
            {"params": list(tagger.encoder.parameters()), "lr": options.rate},
            {"params": new_layers, "lr": options.head_rate},
        ]
        self.optimiser = torch.optim.AdamW(groups, fused=tagger.device.type == "cuda")
        steps = options.rounds * -(-sentences // options.batch)  # -(-a // b) rounds up
        self.rate = torch.optim.lr_scheduler.LambdaLR(self.optimiser, _rate_schedule(steps))

    def run_round(
        self, sentences: Sequence[EncodedSentence], gold: Sequence[Sequence[int]]
    ) -> float:
        """Train on every sentence once, and return the mean loss of the batches."""
        self.tagger.train()
        lengths = [len(sentence.places) for sentence in sentences]
        plan = batches(lengths, self.batch_size, self.random)
        losses = torch.zeros((), device=self.tagger.device)
        for numbers in plan:
            loss = self.tagger.loss(
                [sentences[number] for number in numbers], [gold[number] for number in numbers]
            )
            self.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.tagger.parameters(), _MAX_GRADIENT)
            self.optimiser.step()
            self.rate.step()
            losses += loss.detach()  # stays on the device: float() would wait for every step
        return float(losses) / max(1, len(plan))


def _rate_schedule(steps: int) -> Callable[[int], float]:
    """The factor of the learning rate at each step: it rises linearly, then falls to 0.

    >>> [round(_rate_schedule(20)(step), 2) for step in (0, 1, 2, 11, 20)]
    [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    rising = max(1, int(steps * _WARM_UP))
    return lambda step: max(0.0, min((step + 1) / rising, (steps - step) / max(1, steps - rising)))
