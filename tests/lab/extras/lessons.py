"""A small lesson that a network can learn in seconds."""

from pathlib import Path
from random import Random

from nerscope.lab.recipe import Lesson, Tagged

NAMES = ["Ada", "Bob", "Cleo", "Dora", "Emil", "Finn", "Gina", "Hugo"]
PLACES = ["Paris", "Berlin", "Madrid", "Lisbon", "Vienna", "Prague"]


def sentence(random: Random) -> Tagged:
    name, place = random.choice(NAMES), random.choice(PLACES)
    surname = ["Smith"] * random.randint(0, 1)
    words = [name, *surname, "went", "to", place, "."]
    return Tagged(words, ["B-PER", *["I-PER" for _ in surname], "O", "O", "B-LOC", "O"])


def small_lesson(folder: Path, said: list[str], dev: int = 10) -> tuple[Lesson, list[Tagged]]:
    """The lesson, and the test sentences with their labels."""
    random = Random(7)
    train, early, test = ([sentence(random) for _ in range(size)] for size in (80, dev, 10))
    words = [one.words for one in test]
    return Lesson(train, early, words, 3, folder, said.append), test
