"""Answers of language models: mentions as strings, which are located in the text of gold.

A line has the answer for one sentence of gold, or for one document. The policy decides which
occurrence in the text a string means. Strings that are not in the text, repeated, or not on token
boundaries are counted in notes.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, chain, pairwise
from math import ceil, floor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.corpus import Coding, Corpus, has_items
from nerscope.corpus.mentions import Shape
from nerscope.corpus.text_keys import text_key, without_blanks
from nerscope.errors import AlignmentError, FormatError, InputError, UsageError, suggest
from nerscope.formats.align import check_id
from nerscope.formats.answers.parsing import (
    ANSWER_KEYS_SHOWN,
    BROKEN,
    MALFORMED,
    UNREADABLE,
    ModelAnswer,
    begins_as_answer,
    is_answer,
    read_answer,
)
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.files import HEAD, FileBytes, line_blocks
from nerscope.formats.packing import without_packing
from nerscope.formats.realign import (
    ALIKE,
    BEYOND,
    INSIDE_TOKEN,
    CharSpan,
    NoteCollector,
    PlacedMention,
    Ruler,
    match_text,
    on_gold_tokens,
)
from nerscope.formats.record_join import RecordList, text_hash
from nerscope.formats.source import Aligner, LabelStyle, Source

HALLUCINATED = "hallucinated mentions (not in the text)"
AGAIN = "mentions named more often than they occur in the text"
_KINDS_OF_MENTIONS = (HALLUCINATED, AGAIN, INSIDE_TOKEN, BEYOND)
# The kinds of problems, as the list of single answers names them.
_PROBLEMS = {
    UNREADABLE: "no readable JSON",
    BROKEN: "partly readable",
    MALFORMED: "a mention without a text or a type",
}
_JSON_ENDINGS = (".jsonl", ".json", ".ndjson")
_LONGEST_LINE = 64 << 20
_FUZZY = "fuzzy"
_ROUNDING = 1e-9  # more than the error of a quotient of lengths
_DEFAULT_POLICY, _DEFAULT_THRESHOLD = "next", 0.8
Places = list[tuple[int, int]]  # characters, half-open


@dataclass(slots=True, eq=False)
class GoldText:
    """The text of a sentence or document of gold without blanks, and the offsets of its tokens.

    Blanks are removed on both sides, because models change them: "New York" is found in the tokens
    New and York as "NewYork". If case does not matter (`folds`), strings are searched in the
    case-folded text, which may be longer: "Weiß" becomes "weiss". `tokens` are its tokens.
    """

    solid: str
    ruler: Ruler
    tokens: list[str]
    folds: bool

    @classmethod
    def of(cls, words: Sequence[str], folds: bool = False) -> "GoldText":
        solid_words = [without_blanks(word) for word in words]
        tokens = [word.casefold() for word in solid_words] if folds else solid_words
        return cls("".join(solid_words), Ruler.of(words), tokens, folds)

    def key(self, string: str) -> str:
        """The key by which strings are compared: without blanks, and case-folded if `folds`."""
        solid = without_blanks(string)
        return solid.casefold() if self.folds else solid

    def places(self, string: str) -> Places:
        """The occurrences of a string on whole tokens, or else anywhere; exact spelling first."""
        pattern, offsets = self.key(string), self._offsets()
        found = [(at, at + len(pattern)) for at in _occurrences("".join(self.tokens), pattern)]
        # An edge inside a character that case folding made two is not an edge of the text.
        edges = [(offsets.get(low), offsets.get(high)) for low, high in found]
        places = [(low, high) for low, high in edges if low is not None and high is not None]
        starts, ends = set(self.ruler.starts), set(self.ruler.ends)
        on_tokens = [(low, high) for low, high in places if low in starts and high in ends]
        spelt = without_blanks(string)
        return sorted(on_tokens or places, key=lambda place: self.solid[slice(*place)] != spelt)

    def _offsets(self) -> Mapping[int, int]:
        """The offset in the text for each offset in the folded text where a character begins."""
        if not self.folds:
            return {at: at for at in range(len(self.solid) + 1)}
        sizes = accumulate((len(letter.casefold()) for letter in self.solid), initial=0)
        return {folded: at for at, folded in enumerate(sizes)}

    def similar_places(self, string: str, threshold: float) -> Places:
        """Runs of tokens with similar spelling, the most similar first, without overlaps."""
        from difflib import SequenceMatcher  # needed only for strings that are not in the text

        pattern = self.key(string)
        matcher = SequenceMatcher(None, "", pattern, False)
        candidates = []
        for first, behind in self._runs(len(pattern), threshold):
            matcher.set_seq1("".join(self.tokens[first:behind]))
            # The two quick ratios are cheap upper bounds of the true ratio.
            if matcher.real_quick_ratio() < threshold or matcher.quick_ratio() < threshold:
                continue
            if (ratio := matcher.ratio()) >= threshold:
                place = self.ruler.starts[first], self.ruler.ends[behind - 1]
                candidates.append((-ratio, *place))
        places: Places = []
        for _, start, end in sorted(candidates):
            if all(end <= low or high <= start for low, high in places):
                places.append((start, end))
        return places

    def _runs(self, size: int, threshold: float) -> Iterator[tuple[int, int]]:
        """Runs of whole tokens with about `size` characters, as half-open ranges of tokens.

        A ratio is twice the common characters over the sum of both lengths. For a run of length n,
        at most min(n, size) are common, so a ratio of at least t needs
        size * t / (2 - t) <= n <= size * (2 - t) / t. Rounding must not exclude a run whose ratio
        is exactly the threshold; the ratio itself is checked later.
        """
        least = ceil(size * threshold / (2 - threshold) - _ROUNDING)
        most = floor(size * (2 - threshold) / threshold + _ROUNDING)
        ends = list(accumulate(map(len, self.tokens)))
        for first, start in enumerate([0, *ends[:-1]]):
            low, high = bisect_left(ends, start + least), bisect_right(ends, start + most)
            yield from ((first, last + 1) for last in range(max(low, first), high))


def _occurrences(text: str, pattern: str) -> Iterator[int]:
    """All positions of a pattern, including overlapping ones."""
    at = text.find(pattern)
    while at >= 0:
        yield at
        at = text.find(pattern, at + 1)


_FIRST, _ALL = "first", "all"
POLICIES = (_FIRST, _ALL, _DEFAULT_POLICY, _FUZZY)


class PlaceFinder:
    """Finds the places in one text that the strings of an answer mean, by the policy of a source.

    A place is used once per type. With the policy `next` and the text "Ada met Ada", the first
    "Ada" of an answer is token 0, the second is token 2, and a third has no place.
    """

    def __init__(self, source: "AnswerSource", words: Sequence[str]) -> None:
        self.text = GoldText.of(words, source.is_fuzzy)
        self._policy, self._threshold = source.policy_name, source.threshold
        self._found: dict[str, Places] = {}
        self._taken: set[tuple[tuple[int, int], str]] = set()
        self._next: dict[tuple[str, str], int] = {}  # places before this one are taken

    def places(self, string: str) -> Places:
        """All places of a string; a string that is named again is not searched again."""
        if string not in self._found:
            places = self.text.places(string)
            if not places and self._policy == _FUZZY:
                places = self.text.similar_places(string, self._threshold)
            self._found[string] = places
        return self._found[string]

    def take(self, string: str, type_: str) -> Places:
        """The places that a string means and that no string of the type means before it."""
        places = self.places(string)
        if self._policy in (_FIRST, _ALL):
            meant = places[:1] if self._policy == _FIRST else places
            new = [place for place in meant if (place, type_) not in self._taken]
        else:
            at = self._next.get((string, type_), 0)
            while at < len(places) and (places[at], type_) in self._taken:
                at += 1
            self._next[string, type_] = at
            new = places[at : at + 1]
        self._taken.update((place, type_) for place in new)
        return new


class UnreadableAnswer(NamedTuple):
    """An answer of which something could not be read: where, what, and how it begins."""

    place: str
    problem: str
    answer: str


class AnswerSource(Source):
    """The answers of a language model, one for each sentence or each document of gold."""

    retokenised = True
    parts: Sequence["AnswerSource"] = ()  # if several files were joined

    def __init__(
        self,
        name: str,
        read: Callable[[], Iterator[ModelAnswer]],
        policy: str,
        threshold: float,
    ) -> None:
        if not isinstance(policy, str) or policy not in POLICIES:
            raise UsageError(name, f"unknown policy '{policy}'", suggest(str(policy), POLICIES))
        if not isinstance(threshold, int | float) or not 0 < threshold <= 1:
            raise UsageError(
                name, f"invalid value threshold={threshold!r}", "give a number above 0 and up to 1"
            )
        self.name, self.read, self.policy_name, self.threshold = name, read, policy, threshold
        self.is_fuzzy = policy == _FUZZY
        self.policy = f"{policy}/{threshold:g}" if self.is_fuzzy else policy

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Raise an InputError, because answers have no text of their own."""
        raise InputError(
            self.name,
            "answers name mentions without offsets and can only be read as a system",
            f"--system NAME={self.name} (give the answers as a system, not as gold or training)",
        )

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        """Not flat, because one string may contain another."""
        return LabelStyle(flat=False)

    def aligner(self, gold: Source, coding: Coding, repair: str) -> Aligner:
        """The aligner that locates the strings in gold."""
        return _Locator(self, coding, self._are_by_document(gold))

    def join(self, sources: Sequence[Source], name: str) -> Source:
        """Join the answers of several files, each of which covers a part of gold."""
        parts = [source for source in sources if isinstance(source, AnswerSource)]
        read = partial(_read_all, [part.read for part in parts])
        joined = AnswerSource(name, read, self.policy_name, self.threshold)
        joined.parts = parts
        return joined

    def record_list(self) -> RecordList:
        answers = list(self.read())

        def pick(numbers: Sequence[int], with_ids: bool) -> Source:
            chosen = [answers[number] for number in numbers]
            kept = chosen if with_ids else [answer._replace(id=None) for answer in chosen]
            return AnswerSource(self.name, lambda: iter(kept), self.policy_name, self.threshold)

        texts = [text_hash(answer.text) for answer in answers]
        return RecordList(self.name, [answer.id for answer in answers], texts, pick)

    def unreadable(self) -> Iterator[UnreadableAnswer]:
        """Every answer that is not readable or only partly, in the order of the file."""
        for source in self.parts or [self]:
            for answer in source.read():
                for kind in answer.problems:
                    place = f"{source.name}:{answer.line}"
                    yield UnreadableAnswer(place, _PROBLEMS[kind], answer.excerpt)

    def _count_answers(self) -> int:
        """The number of answers; raise a FormatError if all of them are unreadable."""
        answers = unreadable = 0
        for answer in self.read():
            answers += 1
            unreadable += UNREADABLE in answer.problems
        if answers and unreadable == answers:
            first = next(self.unreadable())
            raise FormatError(
                first.place,
                f"every answer is unreadable ({answers} of {answers}), such as '{first.answer}'",
                'write each answer as JSON, such as [{"text": "Ada", "type": "PER"}], '
                f"or as a string with JSON in it under the key {ANSWER_KEYS_SHOWN}",
            )
        return answers

    def _are_by_document(self, gold: Source) -> bool:
        """Whether there is one answer per document instead of one per sentence."""
        answers = self._count_answers()
        sentences, documents, last_document = 0, 0, None
        for chunk in gold.chunks(Coding(), tokens=False):
            sentences += len(chunk)
            documents += int((np.diff(chunk.documents, prepend=-1) != 0).sum())
            # A document that continues from the chunk before was counted there.
            documents -= int(last_document is not None and chunk.documents[0] == last_document)
            last_document = int(chunk.documents[-1])
        # If every document has one sentence, both counts agree and both readings are the same.
        if answers == sentences:
            return False
        if answers == documents:
            return True
        raise AlignmentError(
            self.name,
            f"{answers} answers, but gold has {sentences} sentences in {documents} documents",
            "give one answer per sentence, or one per document that is not empty, "
            "including answers without mentions",
        )


@dataclass(slots=True, eq=False)
class _Locator:
    """Locates the strings of answers in gold, answer by answer."""

    source: AnswerSource
    coding: Coding
    needs_whole_documents: bool
    _answers: Iterator[ModelAnswer] = field(init=False)
    _notes: NoteCollector = field(init=False)
    _n_mentions: int = 0  # in the current chunk
    _n_answers: int = 0

    def __post_init__(self) -> None:
        self._answers = self.source.read()
        self._notes = NoteCollector(self.coding.labels)

    def align(self, gold: Corpus) -> Corpus:
        """The mentions of the answers for a chunk of gold."""
        edges = np.arange(len(gold) + 1)
        if self.needs_whole_documents:
            edges = np.flatnonzero(np.diff(gold.documents, prepend=-1, append=-1))
        placed: list[PlacedMention] = []
        # One answer is for the sentences from `first` up to, but not including, `behind`.
        for first, behind in pairwise(edges.tolist()):
            placed += self._place_answer(gold, first, behind)
        of_mentions = dict.fromkeys((*_KINDS_OF_MENTIONS, MALFORMED), self._n_mentions)
        of_answers = dict.fromkeys((UNREADABLE, BROKEN), self._n_answers)
        reading = self._notes.take({**of_mentions, **of_answers})
        self._n_mentions, self._n_answers = 0, 0
        return on_gold_tokens(gold, self.source.name, placed, reading)

    def _place_answer(self, gold: Corpus, first: int, behind: int) -> Iterator[PlacedMention]:
        """The mentions of the next answer on the tokens of its sentences."""
        begin = int(gold.starts[first])
        words = [word for at in range(first, behind) for word in gold.words(at)]
        finder = PlaceFinder(self.source, words)
        text = finder.text
        answer = next(self._answers)
        self._n_answers += 1
        if gold.records is not None and gold.records.ids is not None:
            check_id(gold.records.ids[first], answer.id, f"{self.source.name}:{answer.line}")
        types = (self.coding.labels.type_code(mention.type) for mention in answer.mentions)
        self._n_mentions += sum(map(self._notes.counts, types)) + answer.problems.get(MALFORMED, 0)
        self._check_text(answer, text, gold.place(begin))
        for kind, times in answer.problems.items():
            for _ in range(times):
                self._notes.add(kind, answer.line, answer.excerpt)
        for mention in self._locate(answer, finder):
            sentence = int(np.searchsorted(gold.starts, begin + mention.start, side="right")) - 1
            sentence_end = int(gold.starts[sentence + 1]) - begin
            if mention.end > sentence_end:
                surface = mention.shape.predicted_text
                surface = surface or " ".join(words[mention.start : mention.end])
                self._notes.add(BEYOND, answer.line, surface, mention.type)
                mention = self._clip(mention, sentence_end, text, surface)
            yield mention._replace(start=mention.start + begin, end=mention.end + begin)

    def _clip(
        self, mention: PlacedMention, sentence_end: int, text: GoldText, surface: str
    ) -> PlacedMention:
        """Cut a mention at the end of its sentence; its shape records how much lies beyond."""
        ends = text.ruler.ends
        beyond = ends[sentence_end - 1] - ends[mention.end - 1]
        shape = Shape(left=mention.shape.left, right=beyond, predicted_text=surface)
        return mention._replace(end=sentence_end, shape=shape)

    def _check_text(self, answer: ModelAnswer, text: GoldText, place: str) -> None:
        """Refuse an answer about another text."""
        about = text_key(answer.text) if answer.text is not None else text.solid
        if about != text.solid and match_text(text.solid, about, [len(about)]).share < ALIKE:
            raise AlignmentError(
                f"{self.source.name}:{answer.line}",
                f"the answer is about another text than {place}",
                "give the answers in the same order as gold",
            )

    def _locate(self, answer: ModelAnswer, finder: PlaceFinder) -> Iterator[PlacedMention]:
        """The places that the policy gives to each string of an answer."""
        text = finder.text
        named: set[tuple[str, str]] = set()
        renames = self.coding.labels.renames
        for written in answer.mentions:
            # Types that --map makes equal are one type here as well.
            mention = written._replace(type=renames.get(written.type, written.type))
            identity = text.key(mention.text), mention.type
            is_first, type_code = identity not in named, self.coding.labels.type_code(written.type)
            named.add(identity)
            new = finder.take(mention.text, mention.type)
            if not new:
                is_hallucinated = not finder.places(mention.text) and is_first
                kind = HALLUCINATED if is_hallucinated else AGAIN
                self._notes.add(kind, answer.line, mention.text, type_code)
                if is_hallucinated:  # it counts as a predicted mention that matches nothing
                    yield PlacedMention(
                        0, 0, type_code, Shape(adrift=True, predicted_text=mention.text)
                    )
            for place in new:
                span = CharSpan((place,), type_code, answer.line)
                placed = text.ruler.placed(span).with_text(mention.text)
                if not placed.shape.is_aligned:
                    self._notes.add(INSIDE_TOKEN, answer.line, mention.text, type_code)
                yield placed

    def finish(self) -> None:
        """Nothing to check, because the answers were counted before."""


def answers(
    given: Iterable[object],
    *,
    policy: str = _DEFAULT_POLICY,
    threshold: float = _DEFAULT_THRESHOLD,
    name: str = "<answers>",
) -> AnswerSource:
    """Answers of a language model in memory, one for each sentence (or document) of gold.

    Each answer is a string with JSON in it, or a decoded list or dictionary of mentions. `policy`
    decides which occurrence in the text a string means: `next` (the next one that is not used yet),
    `first`, `all`, or `fuzzy` (like `next`, but also strings with a similarity of at least
    `threshold`). `name` is for messages.

    >>> import nerscope as ns
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> model = ns.answers(['[{"text": "Ada", "type": "PER"}, {"text": "Eve", "type": "PER"}]'])
    >>> ns.evaluate(gold, {"model": model}).value(metric="precision", match="exact")
    0.5
    """
    check_arguments(answers, locals())
    if isinstance(given, str | bytes) or not has_items(given):
        raise UsageError("answers", f"{given!r} is not a list of answers", "give a list of answers")
    read = [read_answer(item, line) for line, item in enumerate(given, 1)]
    return AnswerSource(name, lambda: iter(read), policy, threshold)


def _open(
    data: FileBytes, policy: str = _DEFAULT_POLICY, threshold: float = _DEFAULT_THRESHOLD
) -> AnswerSource:
    return AnswerSource(data.name, partial(_read_lines, data), policy, threshold)


def _read_all(
    readers: Sequence[Callable[[], Iterator[ModelAnswer]]],
) -> Iterator[ModelAnswer]:
    return chain.from_iterable(read() for read in readers)


def _read_lines(data: FileBytes) -> Iterator[ModelAnswer]:
    """One answer per line; a line that is not JSON is an answer in words."""
    number = 0
    with data.open() as stream:
        for block in line_blocks(stream, data.name):
            for line in block[:-1].split(b"\n"):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise FormatError(
                        f"{data.name}:{number}",
                        f"the line is longer than {_LONGEST_LINE >> 20} MB",
                        "write one answer per line",
                    )
                if line.strip():
                    yield read_answer(_decode(line.decode()), number)


def _decode(line: str) -> object:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return value


def _fits(name: str, head: bytes) -> bool:
    """Whether the first lines are answers: text around JSON, or mentions without offsets."""
    text = head.decode("utf-8", "ignore").removeprefix("\ufeff")
    if text.lstrip().startswith('"') and (
        Path(without_packing(name)).suffix.lower() in _JSON_ENDINGS
    ):
        # Whether each line is a JSON string; the last one may be cut off.
        lines = map(str.strip, text.split("\n")[: -1 if len(head) >= HEAD else None])
        return all(line[0] == line[-1] == '"' for line in lines if line)
    if not text.lstrip().startswith(("{", "[")):
        return False
    if "\n" not in text and begins_as_answer(text):
        return True  # the first line is longer than the head
    for line in text.split("\n"):
        verdict = is_answer(_decode(line)) if line.strip() else None
        if verdict is not None:
            return verdict
    return False


def _threshold(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise ValueError(text)
    return value


FILE_OPTIONS: Mapping[str, FileOption] = {
    "policy": FileOption(
        {name: name for name in POLICIES}.__getitem__,
        f"a policy for locating strings: {', '.join(POLICIES)}",
    ),
    "threshold": FileOption(_threshold, "the least similarity for fuzzy, above 0 and up to 1"),
}
FORMATS.add(
    "answers",
    Format(
        "answers",
        _open,
        _fits,
        FILE_OPTIONS,
        title="Answers of language models",
        phrase="answers of a language model",
        definition="One answer per line that names mentions as strings; they are located in the "
        "text of gold.",
    ),
    built_in=True,
    rank=95,  # JSON with offsets is not an answer, even under a key such as "content"
)
