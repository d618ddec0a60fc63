"""Training a tagger: rounds over the sentences, of which the best one on dev is kept."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from nerscope.corpus.corpus import Coding, Corpus
from nerscope.errors import UsageError
from nerscope.lab.neural.batches import batches
from nerscope.lab.neural.tagger import Seen, Tagger
from nerscope.lab.recipe import Lesson, Tagged

See = Callable[[Sequence[list[str]]], list[Seen]]
_WARM_UP = 0.1  # of all steps, in which the rate rises
_STEEPEST = 5.0  # norm of a gradient


class Course(NamedTuple):
    """How long and how fast to learn."""

    rounds: int
    batch: int
    rate: float
    head_rate: float  # of all but the encoder

    def checked(self, place: str) -> "Course":
        """Itself, refused where nothing could be learnt."""
        for name, value in self._asdict().items():
            if value <= 0:
                raise UsageError(place, f"{name} = {value} cannot be", "give more than 0")
        return self


def prepare(seed: int) -> torch.device:
    """Chance begins anew; the device to compute on is the accelerator, if there is one."""
    torch.manual_seed(seed)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def taught(tagger: Tagger, see: See, lesson: Lesson, course: Course) -> list[list[str]]:
    """Train, and label the test sentences; `see` makes of sentences what the encoder reads."""
    codes = {label: code for code, label in enumerate(tagger.labels)}
    train = see([one.words for one in lesson.train])
    gold = [[codes[label] for label in one.labels] for one in lesson.train]
    dev = see([one.words for one in lesson.dev])
    teacher = _Teacher(tagger, course, len(train), np.random.default_rng(lesson.seed))
    highest, kept = -np.inf, None
    for number in range(1, course.rounds + 1):
        begun = time.perf_counter()
        note = f"round {number} of {course.rounds}: loss {teacher.round(train, gold):.3f}"
        if dev:
            f1 = exact_f1(lesson.dev, tagger.label(dev))
            note += f", dev F1 {100 * f1:.2f}"
            if not f1 < highest:  # where dev tells nothing, the last round counts
                highest, kept = f1, _copied(tagger.state_dict())
        lesson.say(f"{note}, {time.perf_counter() - begun:.1f} s")
    if kept:
        tagger.load_state_dict(kept)
    return tagger.label(see(lesson.test))


def exact_f1(gold: Sequence[Tagged], labels: Sequence[Sequence[str]]) -> float:
    """F1 over mentions; undefined where nobody has any.

    >>> exact_f1([Tagged(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])], [["B-PER", "O", "O"]])
    0.6666666666666666
    """
    coding = Coding()
    right = _mentions([one.labels for one in gold], coding)
    found = _mentions(labels, coding)
    return 2 * len(right & found) / (len(right) + len(found)) if right or found else np.nan


def _mentions(labels: Sequence[Sequence[str]], coding: Coding) -> set[tuple[int, ...]]:
    own = Corpus.of([*filter(None, labels)], coding=coding).mentions()
    return {*zip(own.start.tolist(), own.end.tolist(), own.type.tolist(), strict=True)}


def _copied(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.clone() for name, value in state.items()}


class _Teacher:
    """What changes from step to step: the network, its optimiser, the rate."""

    def __init__(
        self, tagger: Tagger, course: Course, sentences: int, random: np.random.Generator
    ) -> None:
        self.tagger, self.size, self.random = tagger, course.batch, random
        rest = [*tagger.head.parameters(), *tagger.decoder.parameters()]
        groups = [
            {"params": list(tagger.encoder.parameters()), "lr": course.rate},
            {"params": rest, "lr": course.head_rate},
        ]
        self.optimiser = torch.optim.AdamW(groups, fused=tagger.device.type == "cuda")
        steps = course.rounds * -(-sentences // course.batch)
        self.rate = torch.optim.lr_scheduler.LambdaLR(self.optimiser, _slope(steps))

    def round(self, sentences: Sequence[Seen], gold: Sequence[Sequence[int]]) -> float:
        """Learn from every sentence once; the mean loss of the batches."""
        self.tagger.train()
        plan = batches([len(one.places) for one in sentences], self.size, self.random)
        losses = torch.zeros((), device=self.tagger.device)
        for places in plan:
            loss = self.tagger.loss([sentences[at] for at in places], [gold[at] for at in places])
            self.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.tagger.parameters(), _STEEPEST)
            self.optimiser.step()
            self.rate.step()
            losses += loss.detach()
        return float(losses) / max(1, len(plan))


def _slope(steps: int) -> Callable[[int], float]:
    """The share of the rate at each step: up in a line, then down to nothing.

    >>> [round(_slope(20)(step), 2) for step in (0, 1, 2, 11, 20)]
    [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    rising = max(1, int(steps * _WARM_UP))
    return lambda step: max(0.0, min((step + 1) / rising, (steps - step) / max(1, steps - rising)))
