"""Answers of language models: mentions as strings, to be found in the text of gold.

A line holds the answer for one sentence of gold, or for one document. A declared policy says which
place a string means; what stands nowhere, twice, or askew of tokens is counted, never passed over.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus, Found, Reading
from nerscope.corpus.mentions import Mentions, Shape, shapes_of
from nerscope.errors import AlignmentError, FormatError, InputError, UsageError, suggest
from nerscope.formats.answer import BROKEN, UNREADABLE, Answer, Said, is_answer, read_answer
from nerscope.formats.base import FORMATS, FileOption, Follower, Format, Nature, Source
from nerscope.formats.files import Bytes, blocks
from nerscope.formats.realign import (
    BEYOND,
    INSIDE_TOKEN,
    CharSpan,
    Placed,
    Ruler,
    beside_gold,
    solid,
)

HALLUCINATED = "mentions that stand nowhere in the text"
DUPLICATE = "mentions named more often than they stand in the text"
_LONGEST_LINE = 64 << 20


Places = list[tuple[int, int]]


@dataclass(slots=True, eq=False)
class _Text:
    """The text of a sentence or document of gold: its characters, and where tokens stand."""

    solid: str
    ruler: Ruler
    taken: dict[str, int] = field(default_factory=dict)  # how many places of a string are used

    @classmethod
    def of(cls, words: Sequence[str]) -> "_Text":
        return cls(solid("".join(words)), Ruler.of(words))

    def places(self, string: str) -> Places:
        """Where a string stands on whole tokens, or else anywhere."""
        wanted = solid(string)
        found = [(at, at + len(wanted)) for at in _occurrences(self.solid, wanted)]
        starts, ends = set(self.ruler.starts), set(self.ruler.ends)
        whole = [place for place in found if place[0] in starts and place[1] in ends]
        return whole or found

    def alike(self, string: str, threshold: float) -> Places:
        """Runs of tokens that are spelt nearly so, the most alike first."""
        from difflib import SequenceMatcher  # for strings that stand nowhere

        wanted = solid(string).casefold()
        matcher = SequenceMatcher(None, "", wanted, False)
        slack = 1 + int(len(wanted) * (1 - threshold) * 2)
        found = []
        for start in self.ruler.starts:
            for end in self.ruler.ends:
                if not max(1, len(wanted) - slack) <= end - start <= len(wanted) + slack:
                    continue
                matcher.set_seq1(self.solid[start:end].casefold())
                if matcher.real_quick_ratio() < threshold or matcher.quick_ratio() < threshold:
                    continue
                if (ratio := matcher.ratio()) >= threshold:
                    found.append((-ratio, start, end))
        return [(start, end) for _, start, end in sorted(found)]


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


Policy = Callable[[_Text, str, int, float], Places]


def _first(text: _Text, string: str, time: int, threshold: float) -> Places:
    return text.places(string)[:1] if time == 0 else []


def _all(text: _Text, string: str, time: int, threshold: float) -> Places:
    return text.places(string) if time == 0 else []


def _next(text: _Text, string: str, time: int, threshold: float) -> Places:
    return text.places(string)[time : time + 1]


def _fuzzy(text: _Text, string: str, time: int, threshold: float) -> Places:
    places = text.places(string) or text.alike(string, threshold)
    return places[time : time + 1]


POLICIES: Mapping[str, tuple[Policy, str]] = {
    "first": (_first, "a string means its first place in the text"),
    "all": (_all, "a string means every place where it stands"),
    "next": (_next, "named for the k-th time, a string means its k-th place"),
    "fuzzy": (_fuzzy, "as next; a string that stands nowhere means the run of tokens most like it"),
}


class Answers(Source):
    """The answers of a language model, one for each sentence or each document of gold."""

    retokenised = True

    def __init__(
        self, name: str, read: Callable[[], Iterator[Answer]], policy: str, threshold: float
    ) -> None:
        if policy not in POLICIES:
            raise UsageError(name, f"no policy is called '{policy}'", suggest(policy, POLICIES))
        if not isinstance(threshold, int | float) or not 0 < threshold <= 1:
            raise UsageError(
                name, f"threshold={threshold!r} cannot be", "give a number above 0, up to 1"
            )
        self.name, self.read, self.policy, self.threshold = name, read, policy, threshold

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Refused: answers have no text of their own."""
        raise InputError(
            self.name,
            "the mentions are strings: they stand nowhere without the text",
            "give the file as a system, beside gold",
        )

    def nature(self, coding: Coding | None = None) -> Nature:
        """Strings may be found in each other."""
        return Nature(flat=False)

    def follower(self, gold: Source, coding: Coding, repair: str) -> Follower:
        """Who finds the strings in gold."""
        return _Locator(self, coding, self._by_document(gold))

    def _by_document(self, gold: Source) -> bool:
        """Whether there is an answer for each document, and not for each sentence."""
        answers = sum(1 for _ in self.read())
        sentences, documents, last = 0, 0, None
        for chunk in gold.chunks(Coding(), tokens=False):
            sentences += len(chunk)
            documents += int((np.diff(chunk.documents, prepend=-1) != 0).sum())
            documents -= int(last is not None and chunk.documents[0] == last)
            last = int(chunk.documents[-1])
        if answers == sentences:
            return False
        if answers == documents:
            return True
        raise AlignmentError(
            self.name,
            f"{answers} answers, but gold has {sentences} sentences in {documents} documents",
            "give an answer for each sentence, or for each document, empty ones too",
        )


@dataclass(slots=True, eq=False)
class _Locator:
    """Finds the strings of answers in gold, answer by answer."""

    source: Answers
    coding: Coding
    whole_documents: bool
    _answers: Iterator[Answer] = field(init=False)
    _found: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    _said: int = 0
    _read: int = 0

    def __post_init__(self) -> None:
        self._answers = self.source.read()

    def beside(self, gold: Corpus) -> Corpus:
        """What the answers for a chunk of gold say."""
        edges = np.arange(len(gold) + 1)
        if self.whole_documents:
            edges = np.flatnonzero(np.diff(gold.documents, prepend=-1, append=-1))
        placed: list[Placed] = []
        for low, high in pairwise(edges.tolist()):
            placed += self._group(gold, low, high)
        spans = Mentions(
            np.array([one.start for one in placed], np.int64),
            np.array([one.end for one in placed], np.int64),
            np.array([one.type for one in placed], np.int16),
            shapes_of([one.shape for one in placed]),
        ).in_order()
        return beside_gold(gold, self.source.name, spans, self._noted())

    def _group(self, gold: Corpus, low: int, high: int) -> Iterator[Placed]:
        """The mentions of one answer on the tokens of the chunk."""
        begin, end = int(gold.starts[low]), int(gold.starts[high])
        words = [word for at in range(low, high) for word in gold.words(at)]
        text = _Text.of(words)
        answer = next(self._answers)
        self._read += 1
        self._check(answer, text, gold.place(begin))
        for kind, times in answer.found.items():
            self._found.setdefault(kind, []).extend([(answer.line, "")] * times)
        for one in self._located(answer, text):
            sentence = int(np.searchsorted(gold.starts, begin + one.start, side="right")) - 1
            last = int(gold.starts[sentence + 1]) - begin
            if one.end > last:
                one = self._clipped(one, last, text, answer.line)
            yield one._replace(start=one.start + begin, end=min(one.end + begin, end))

    def _clipped(self, one: Placed, last: int, text: _Text, line: int) -> Placed:
        """A mention that goes beyond its sentence."""
        ends = text.ruler.ends
        beyond = ends[one.end - 1] - ends[last - 1]
        said = one.shape.said or text.solid[text.ruler.starts[one.start] : ends[one.end - 1]]
        self._note(BEYOND, line, said)
        return one._replace(end=last, shape=Shape(one.shape.holes, one.shape.left, -beyond, said))

    def _check(self, answer: Answer, text: _Text, place: str) -> None:
        """Refuse an answer about another text."""
        if answer.text is not None and solid(answer.text) != text.solid:
            from difflib import SequenceMatcher

            about = solid(answer.text)
            if SequenceMatcher(None, text.solid, about, False).quick_ratio() < 0.6:
                raise AlignmentError(
                    f"{self.source.name}:{answer.line}",
                    f"the answer is about another text than {place}",
                    "give the answers in the order of gold",
                )

    def _located(self, answer: Answer, text: _Text) -> Iterator[Placed]:
        policy = POLICIES[self.source.policy][0]
        named: dict[Said, int] = {}
        seen: set[tuple[tuple[int, int], str]] = set()
        for said in answer.said:
            self._said += 1
            time = named[said] = named.get(said, -1) + 1
            kind = self.coding.labels.type_code(said.type)
            places = policy(text, said.text, time, self.source.threshold)
            new = [place for place in places if (place, said.type) not in seen]
            seen.update((place, said.type) for place in new)
            if not new:
                again = time > 0 or bool(places)
                self._note(DUPLICATE if again else HALLUCINATED, answer.line, said.text)
                if not again:
                    yield Placed(0, 0, kind, Shape(said=said.text))
            for place in new:
                one = text.ruler.placed(CharSpan((place,), kind), text.solid)
                if not one.shape.is_aligned:
                    self._note(INSIDE_TOKEN, answer.line, said.text)
                    one = one._replace(shape=one.shape._replace(said=said.text))
                yield one

    def _note(self, kind: str, line: int, what: str) -> None:
        self._found.setdefault(kind, []).append((line, what))

    def _noted(self) -> Reading:
        """What was noticed since the last chunk; rates are of all mentions, or of all answers."""
        kinds = {UNREADABLE: self._read, BROKEN: self._read}
        found = {
            kind: Found(
                len(seen),
                tuple(line for line, _ in seen),
                tuple(what for _, what in seen if what),
                kinds.get(kind, self._said),
            )
            for kind in (HALLUCINATED, DUPLICATE, INSIDE_TOKEN, BEYOND, *self._found)
            for seen in [self._found.get(kind, [])]
        }
        self._found, self._said, self._read = {}, 0, 0
        return Reading(found=found)

    def finish(self) -> None:
        """Answers were counted before: none is left."""


def answers(
    given: Iterable[object],
    *,
    policy: str = "next",
    threshold: float = 0.8,
    name: str = "<answers>",
) -> Answers:
    """Answers of a language model in memory, one for each sentence (or document) of gold.

    >>> import nerscope as ns
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> said = ns.answers(['[{"text": "Ada", "type": "PER"}, {"text": "Eve", "type": "PER"}]'])
    >>> ns.evaluate(gold, {"model": said}).value(metric="precision", match="exact")
    0.5
    """
    read = [read_answer(item, line) for line, item in enumerate(given, 1)]
    return Answers(name, lambda: iter(read), policy, threshold)


def _open(data: Bytes, policy: str = "next", threshold: float = 0.8) -> Answers:
    return Answers(data.name, lambda: _lines(data), policy, threshold)


def _lines(data: Bytes) -> Iterator[Answer]:
    """An answer a line; a line that is no JSON is an answer in words."""
    number = 0
    with data.open() as stream:
        for block in blocks(stream, data.name):
            for line in block[:-1].split(b"\n"):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise FormatError(
                        f"{data.name}:{number}", "the line is too long", "give an answer a line"
                    )
                if line.strip():
                    yield read_answer(_parsed(line.decode()), number)


def _parsed(line: str) -> object:
    try:
        parsed: object = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return parsed


def _fits(name: str, head: bytes) -> bool:
    """Whether the first lines are answers: text around JSON, or mentions without offsets."""
    if not head.lstrip(b"\xef\xbb\xbf \r\n").startswith((b"{", b"[")):
        return False
    for line in head.decode("utf-8", "ignore").split("\n"):
        decided = is_answer(_parsed(line)) if line.strip() else None
        if decided is not None:
            return decided
    return False


def _threshold(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise ValueError(text)
    return value


FILE_OPTIONS: Mapping[str, FileOption] = {
    "policy": FileOption(
        {name: name for name in POLICIES}.__getitem__,
        f"which place a string means: {', '.join(POLICIES)}",
    ),
    "threshold": FileOption(_threshold, "how alike a string must be for fuzzy, above 0 up to 1"),
}
FORMATS.add("answers", Format("answers", _open, _fits, FILE_OPTIONS), built_in=True)
