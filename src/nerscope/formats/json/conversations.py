"""Conversations of UniversalNER: a text, questions for types, and answers with strings.

A file is gold or the output of a model. As gold, the strings are located in the text of the
conversation; as a system, in the text of gold, as in answers of language models.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes
from nerscope.errors import FormatError, InputError
from nerscope.formats.answers.parsing import (
    BROKEN,
    MALFORMED,
    UNREADABLE,
    ModelAnswer,
    NamedMention,
)
from nerscope.formats.answers.source import (
    AGAIN,
    FILE_OPTIONS,
    HALLUCINATED,
    AnswerSource,
    PlaceFinder,
)
from nerscope.formats.base import FORMATS, Format
from nerscope.formats.files import FileBytes
from nerscope.formats.json.marks import FORBIDDEN, listed, shown
from nerscope.formats.json.values import json_values
from nerscope.formats.source import Source
from nerscope.formats.standoff.text import TOKEN, Record, TextSpan, record_chunks

_BEGINNING = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[?\s*\{.*"conversations"\s*:\s*\[', re.DOTALL)
# "Dataset: …" is the first line where a model was trained on several datasets.
_TEXT = re.compile(r"\s*(?:Dataset:[^\n]*\n\s*)?Text:\s*", re.IGNORECASE)
_QUESTION = re.compile(r"what describes (.+?) in the text ?\??", re.IGNORECASE)
_SIDES = {"human": "human", "user": "human", "gpt": "model", "assistant": "model"}
_LONGEST_ANSWER = 20_000  # characters that are parsed as Python, which needs much memory
_EXCERPT = 60


class _Dialogue(NamedTuple):
    """A conversation: its line, its text, and the answer to the question for each type."""

    line: int
    text: str
    answers: Sequence[tuple[str, str]]  # type and answer


class ConversationSource(AnswerSource):
    """The texts of conversations with the mentions that their answers name.

    >>> turns = ["Text: Ada spoke", "I've read this text.", "What describes person in the text?"]
    >>> sides = ["human", "gpt", "human", "gpt"]
    >>> pairs = zip(sides, [*turns, '["Ada"]'], strict=True)
    >>> record = {"conversations": [{"from": side, "value": value} for side, value in pairs]}
    >>> data = FileBytes("a.jsonl", data=json.dumps(record).encode())
    >>> [chunk] = _open(data).chunks(Coding())
    >>> chunk.words(0), chunk.mentions().end.tolist()
    (['Ada', 'spoke'], [1])
    """

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Sentences of tokens, with notes on strings that are not in their text."""
        notes: dict[str, Note] = {}
        is_empty = True
        for chunk in record_chunks(self._records(notes), self.name, coding):
            is_empty = False
            reading = chunk.reading_notes + ReadingNotes(notes=dict(notes))
            notes.clear()
            yield replace(chunk, reading_notes=reading)
        if is_empty:
            raise InputError(
                self.name, "the file contains no sentences", "check that it is the right file"
            )

    def join(self, sources: Sequence[Source], name: str) -> Source:
        parts = [source for source in sources if isinstance(source, ConversationSource)]
        joined = ConversationSource(
            name,
            lambda: chain.from_iterable(part.read() for part in parts),
            self.policy_name,
            self.threshold,
        )
        joined.parts = parts
        return joined

    def _records(self, notes: dict[str, Note]) -> Iterator[Record]:
        for answer in self.read():
            for kind, times in answer.problems.items():
                note = Note(times, (answer.line,) * times, (answer.excerpt,) * times)
                notes[kind] = notes.get(kind, Note(0)) + note
            text = answer.text or ""
            yield Record(text, list(self._located(answer, text, notes)), answer.line)

    def _located(
        self, answer: ModelAnswer, text: str, notes: dict[str, Note]
    ) -> Iterator[TextSpan]:
        """The places that the policy gives to each string, as for answers of language models."""
        finder = PlaceFinder(self, TOKEN.findall(text))
        # The search leaves out blanks; `at` has the offset of each other character.
        at = [offset for offset, letter in enumerate(text) if not letter.isspace()]
        for mention in answer.mentions:
            new = finder.take(mention.text, mention.type) if at else []
            if not new:
                kind = AGAIN if at and finder.places(mention.text) else HALLUCINATED
                note = Note(1, (answer.line,), (mention.text,))
                notes[kind] = notes.get(kind, Note(0)) + note
            for low, high in new:
                yield TextSpan(((at[low], at[high - 1] + 1),), mention.type)


def _read(data: FileBytes) -> Iterator[ModelAnswer]:
    """One answer for each text: questions about one text may be in consecutive records."""
    pending: _Dialogue | None = None
    for line, value in json_values(data):
        dialogue = _dialogue(value, f"{data.name}:{line}", line)
        if pending is not None and _continues(pending, dialogue):
            pending = pending._replace(answers=[*pending.answers, *dialogue.answers])
            continue
        if pending is not None:
            yield _model_answer(pending)
        pending = dialogue
    if pending is not None:
        yield _model_answer(pending)


def _continues(before: _Dialogue, dialogue: _Dialogue) -> bool:
    """Whether a record asks for other types in the same text; a type again is a new text."""
    types = {kind for kind, _ in before.answers}
    return dialogue.text == before.text and types.isdisjoint(kind for kind, _ in dialogue.answers)


def _dialogue(value: object, place: str, line: int) -> _Dialogue:
    turns = listed(value.get("conversations")) if isinstance(value, Mapping) else None
    if not turns or not all(isinstance(turn, Mapping) for turn in turns):
        raise FormatError(
            place,
            f"{shown(value)} is not a conversation",
            'write each record as {"conversations": [{"from": "human", "value": "Text: …"}, …]}',
        )
    # Before the text there may be instructions for the system.
    sides = [turn for turn in map(partial(_turn, place=place), turns) if turn is not None]
    if not sides or sides[0][0] != "human":
        raise FormatError(
            place,
            "the conversation does not begin with a text",
            'begin it with {"from": "human", "value": "Text: …"}',
        )
    text = sides[0][1]
    text = text[match.end() :] if (match := _TEXT.match(text)) else text
    # A reply to the text, such as "I've read this text.", is not an answer.
    rest = sides[2:] if len(sides) > 1 and sides[1][0] == "model" else sides[1:]
    if [side for side, _ in rest] != ["human", "model"] * (len(rest) // 2):
        raise FormatError(
            place,
            "a question of the conversation has no answer",
            "give a list of strings after each question, [] if there are none",
        )
    words = [value for _, value in rest]
    kinds = [_type(question, place) for question in words[::2]]
    return _Dialogue(line, text, list(zip(kinds, words[1::2], strict=True)))


def _turn(turn: Mapping[str, Any], place: str) -> tuple[str, str] | None:
    """Who speaks and what is said; None for a turn of the system."""
    side, value = turn.get("from", turn.get("role")), turn.get("value", turn.get("content"))
    if side == "system":
        return None
    if not isinstance(side, str) or side not in _SIDES or not isinstance(value, str):
        raise FormatError(
            place,
            f"{shown(turn)} is not a turn of a conversation",
            'write each turn as {"from": "human", "value": "…"} or {"from": "gpt", "value": "…"}',
        )
    return _SIDES[side], value


def _type(question: str, place: str) -> str:
    # Single blanks, because a pattern with \s+ in several places is slow on many blanks.
    match = _QUESTION.fullmatch(" ".join(question.split()))
    if match is None or FORBIDDEN.search(question):
        raise FormatError(
            place,
            f"the question {shown(question)} does not ask for a type",
            "ask: What describes TYPE in the text?",
        )
    return match[1]


def _model_answer(dialogue: _Dialogue) -> ModelAnswer:
    """All mentions of a text; it is partly readable if some of its answers are not."""
    mentions: list[NamedMention] = []
    unreadable: list[str] = []
    malformed: list[str] = []
    for kind, answer in dialogue.answers:
        strings = _strings(answer)
        if strings is None:
            unreadable.append(answer)
            continue
        mentions += [NamedMention(string, kind) for string in strings if _is_mention(string)]
        malformed += [answer for string in strings if not _is_mention(string)]
    problems = {MALFORMED: len(malformed)} if malformed else {}
    if unreadable:
        problems[UNREADABLE if len(unreadable) == len(dialogue.answers) else BROKEN] = 1
    shown_answer = (*unreadable, *malformed, "")[0][: 2 * _EXCERPT]
    excerpt = " ".join(FORBIDDEN.sub(" ", shown_answer).split())[:_EXCERPT]
    return ModelAnswer(mentions, problems, dialogue.line, dialogue.text, excerpt)


def _is_mention(string: object) -> bool:
    return isinstance(string, str) and bool(string.strip()) and not FORBIDDEN.search(string)


def _strings(answer: str) -> list[Any] | None:
    """The list of an answer in JSON or Python; None if there is none.

    >>> _strings('["Ada", "Bob"]'), _strings("['Ada']"), _strings("none")
    (['Ada', 'Bob'], ['Ada'], None)
    """
    written = answer[answer.find("[") : answer.rfind("]") + 1] if "[" in answer else ""
    try:
        value: object = json.loads(written)
    except (ValueError, RecursionError):
        value = _python(written)
    return value if isinstance(value, list) else None


def _python(written: str) -> object:
    if not 0 < len(written) <= _LONGEST_ANSWER:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):  # of escapes that Python does not know
            value: object = ast.literal_eval(written)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value


def _fits(name: str, head: bytes) -> bool:
    """Whether the first record is a conversation.

    >>> _fits("a.json", b'[{"id": "x", "conversations": [{"from": "human", "value": "Text: A"}')
    True
    >>> _fits("a.jsonl", b'{"text": "Ada", "spans": []}')
    False
    """
    return _BEGINNING.match(head) is not None


def _open(data: FileBytes, policy: str = "next", threshold: float = 0.8) -> ConversationSource:
    return ConversationSource(data.name, partial(_read, data), policy, threshold)


FORMATS.add(
    "conversations",
    Format(
        "conversations",
        _open,
        _fits,
        FILE_OPTIONS,
        title="UniversalNER conversations",
        phrase="conversations about a text, one question per type",
        definition="A text, questions for types, and answers with lists of strings, which are "
        "located in the text.",
    ),
    built_in=True,
    rank=75,
)
