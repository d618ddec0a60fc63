"""What a tool makes of the labels of a sentence: mentions, or a refusal."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from nerscope.corpus.schemes import Scheme


class Seen(NamedTuple):
    """A mention as a tool sees it: tokens `start` up to `end` of its sentence."""

    type: str
    start: int
    end: int


class Refusal(NamedTuple):
    """Why a tool stops at a sentence instead of reading it, and at which token."""

    why: str
    at: int = 0


Labels: TypeAlias = Sequence[str]
Reading: TypeAlias = tuple[Seen, ...] | Refusal
Reader: TypeAlias = Callable[[Sequence[Labels], Scheme], list[Reading]]


@cache  # a corpus has few distinct labels, and every reader asks for each token
def parted(label: str) -> tuple[str, str]:
    """The letter of a label and its type; only the first `-` stands between them.

    >>> parted("B-creative-work"), parted("O")
    (('B', 'creative-work'), ('O', ''))
    """
    letter, _, kind = label.partition("-")
    return letter, kind


def before(labels: Labels, at: int) -> str:
    """The label before a place, or what stands there instead."""
    return labels[at - 1] if at else "the sentence start"
