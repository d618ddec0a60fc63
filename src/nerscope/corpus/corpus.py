"""What was read: columns of codes, and where each of them stands in its file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.mentions import Mentions, decode
from nerscope.corpus.schemes import Labels, Scheme, Transitions, parse_label, scheme_named
from nerscope.corpus.vocabulary import Vocabulary
from nerscope.errors import FormatError, InputError

Sentence: TypeAlias = Sequence[str] | Sequence[Sequence[str]] | Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """The codes that all corpora of one evaluation share."""

    tokens: Vocabulary = field(default_factory=Vocabulary)
    labels: Labels = field(default_factory=Labels)


@dataclass(slots=True, eq=False)
class LabelColumn:
    """Turns the raw labels of one file into shared codes, and remembers how they follow each other."""

    labels: Labels
    given: Scheme | None = None
    transitions: Transitions = field(default_factory=Transitions)
    other_tokens: int = 0  # tokens that are spelt otherwise than in gold, where that is allowed
    first_other_line: int = 0
    mended: int = 0  # labels that were changed on request
    _shared: Ints = field(default_factory=lambda: np.zeros(0, np.int32))

    def note_other_tokens(self, gold: "Corpus", own: "Corpus") -> None:
        """Count the tokens of a chunk that differ from gold."""
        if not len(gold.tokens):
            return
        differs = np.flatnonzero(gold.tokens != own.tokens)
        if len(differs) and not self.other_tokens:
            self.first_other_line = int(own.lines[differs[0]])
        self.other_tokens += len(differs)

    @property
    def scheme(self) -> Scheme:
        """The scheme that was given, or else the one that fits what was read so far."""
        return self.given or self.transitions.scheme()

    def know(self, texts: Iterable[str]) -> str | None:
        """Learn new raw labels; the first one that cannot be read is returned."""
        for text in texts:
            label = parse_label(text, self.given.bare if self.given else None)
            if label is None:
                return text
            self.transitions.texts.append(text)
            self._shared = np.append(self._shared, np.int32(self.labels.code(label)))
        return None

    def read(self, raw: Ints, starts: Ints, lines: Ints) -> Ints:
        """The shared codes of raw ones."""
        self.transitions.add(raw, starts, lines)
        return self._shared[raw]


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Some whole sentences: all of a corpus, or a chunk of it.

    `tokens` is empty where tokens were not read. Sentence k is `starts[k]:starts[k + 1]`.

    >>> corpus = Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])])
    >>> corpus.words(0), corpus.mentions().type.tolist(), corpus.column.scheme.name
    (['Ada', 'spoke'], [0], 'bio')
    """

    name: str
    coding: Coding
    column: LabelColumn
    tokens: Ints
    labels: Ints
    starts: Ints
    lines: Ints
    documents: Ints

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.starts) - 1

    @property
    def n_tokens(self) -> int:
        """The number of tokens."""
        return int(self.starts[-1])

    @classmethod
    def of(
        cls,
        sentences: Iterable[Sentence],
        *,
        name: str = "<memory>",
        scheme: str | None = None,
        coding: Coding | None = None,
    ) -> "Corpus":
        """A corpus of Python lists.

        A sentence is a pair of lists (tokens, labels), a mapping with `tokens` and `labels`, or a
        list of labels alone.
        """
        parts = [
            _sentence(item, f"{name}: sentence {number}")
            for number, item in enumerate(sentences, 1)
        ]
        if not parts:
            raise InputError(
                name, "there is no sentence", "give at least one (tokens, labels) pair"
            )
        coding = coding or Coding()
        lengths = np.array([len(labels) for _, labels in parts], np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        numbers = np.repeat(np.arange(1, len(parts) + 1), lengths)
        with_tokens = all(tokens is not None for tokens, _ in parts)
        column = LabelColumn(coding.labels, scheme_named(scheme) if scheme else None)
        texts = [text for _, labels in parts for text in labels]
        known = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        raw = np.array([known[text] for text in texts], np.int32)
        if (bad := column.know(known)) is not None:
            place = f"{name}: sentence {numbers[texts.index(bad)]}"
            raise label_error(place, bad)
        tokens = (
            coding.tokens.encode(word for words, _ in parts for word in words or ())
            if with_tokens
            else np.zeros(0, np.int32)
        )
        labels = column.read(raw, starts, numbers)
        return cls(
            name, coding, column, tokens, labels, starts, numbers, np.zeros(len(parts), np.int64)
        )

    def sentences(self, first: int, last: int) -> "Corpus":
        """The sentences from `first` up to `last`."""
        begin, end = int(self.starts[first]), int(self.starts[last])
        return replace(
            self,
            tokens=self.tokens[begin:end],
            labels=self.labels[begin:end],
            starts=self.starts[first : last + 1] - begin,
            lines=self.lines[begin:end],
            documents=self.documents[first:last],
        )

    def place(self, token: int) -> str:
        """Where a token stands: file and line."""
        return f"{self.name}:{self.lines[token]}"

    def words(self, sentence: int) -> list[str]:
        """The tokens of a sentence."""
        return self.coding.tokens.strings(
            self.tokens[self.starts[sentence] : self.starts[sentence + 1]]
        )

    def texts(self, joint: str) -> list[str]:
        """All sentences as text. Each distinct token is spelt out once, which is most of the work."""
        used, inverse = np.unique(self.tokens, return_inverse=True)
        words = np.array(self.coding.tokens.strings(used), object)[inverse].tolist()
        return [joint.join(words[begin:end]) for begin, end in pairwise(self.starts.tolist())]

    def mentions(self, repair: str = "conlleval") -> Mentions:
        """The mentions that the labels spell."""
        return decode(
            self.labels,
            self.starts,
            self.coding.labels,
            repair,
            self.column.scheme if repair == "discard" else None,
        )

    def recoded(self, coding: Coding) -> "Corpus":
        """The same corpus in the codes of another evaluation."""
        if coding is self.coding:
            return self
        kinds = np.array(
            [coding.labels.code(label) for label in self.coding.labels.known], np.int32
        )
        used, inverse = np.unique(self.tokens, return_inverse=True)
        tokens = (
            coding.tokens.encode(self.coding.tokens.strings(used))[inverse]
            if len(used)
            else self.tokens
        )
        return replace(self, coding=coding, tokens=tokens, labels=kinds[self.labels])


def joined(chunks: Sequence[Corpus]) -> Corpus:
    """Chunks of one file as one corpus."""
    offsets = np.cumsum([0, *(chunk.n_tokens for chunk in chunks)])
    return replace(
        chunks[0],
        tokens=np.concatenate([chunk.tokens for chunk in chunks]),
        labels=np.concatenate([chunk.labels for chunk in chunks]),
        starts=np.concatenate(
            [
                [0],
                *(
                    chunk.starts[1:] + offset
                    for chunk, offset in zip(chunks, offsets, strict=False)
                ),
            ]
        ),
        lines=np.concatenate([chunk.lines for chunk in chunks]),
        documents=np.concatenate([chunk.documents for chunk in chunks]),
    )


def label_error(place: str, text: str) -> FormatError:
    """What to say of a label that no scheme knows."""
    if text != text.strip():
        return FormatError(
            place,
            f"label '{text}' has a blank at its edge",
            "take it away, or say how columns are separated",
        )
    if text.endswith("-"):
        return FormatError(
            place, f"label '{text}' has no type", "write what kind of mention it is, as in B-PER"
        )
    if "-" in text:
        return FormatError(
            place,
            f"label '{text}' has an unknown prefix",
            "prefixes are the capital letters B, I, E, S, L, U, M; check that the label column is the right one",
        )
    if not text:
        return FormatError(
            place, "the label is empty", "give every token a label; O is the one for no mention"
        )
    return FormatError(
        place,
        f"label '{text}' has no prefix such as B- or I-",
        "check that the label column is the right one; say scheme=io for mentions without prefixes, "
        "scheme=token for tags of single tokens such as parts of speech",
    )


def _sentence(item: Sentence, place: str) -> tuple[list[str] | None, list[str]]:
    if isinstance(item, Mapping):
        if "tokens" not in item or "labels" not in item:
            raise InputError(
                place, f"the keys are {sorted(item)}", "name them 'tokens' and 'labels'"
            )
        tokens, labels = _strings(item["tokens"], place), _strings(item["labels"], place)
    elif (
        isinstance(item, Sequence)
        and len(item) == 2
        and not any(isinstance(part, str) for part in item)
    ):
        tokens, labels = _strings(item[0], place), _strings(item[1], place)
    else:
        tokens, labels = None, _strings(item, place)
    if tokens is not None and len(tokens) != len(labels):
        raise InputError(
            place, f"{len(tokens)} tokens but {len(labels)} labels", "give one label for each token"
        )
    if not labels:
        raise InputError(
            place, "the sentence is empty", "leave empty sentences out, in gold and systems alike"
        )
    return tokens, labels


def _strings(given: object, place: str) -> list[str]:
    """A list of strings without NUL, which would end a token unseen."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(
            place, "this is no sentence", "give (tokens, labels), two lists of strings"
        )
    strings = list(given)
    if not all(isinstance(text, str) and "\0" not in text for text in strings):
        raise InputError(
            place,
            "a token or label is not a string",
            "give (tokens, labels), two lists of strings without NUL",
        )
    return strings
