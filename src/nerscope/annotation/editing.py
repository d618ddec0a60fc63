"""Write a file with other mentions in some sentences, and nothing else changed if that is possible.

A format is edited at the place of the mention where it can be: a label, or a span of a record. The
result is read again before it is written, so that it holds what was decided. Any other format that
nerscope can write is written anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.annotation.decisions import Decision, Span
from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.mentions import Mentions, decode, encode, join_mentions
from nerscope.corpus.schemes import BIO, INSIDE, SCHEMES, Scheme
from nerscope.errors import InputError, UsageError
from nerscope.formats.base import Format, input_format, output_format, path_of, source_named
from nerscope.formats.files import STANDARD_INPUT, FileBytes
from nerscope.formats.packing import pack_for, without_packing
from nerscope.formats.source import EditedFile, MentionEdit, Source, require_tokens
from nerscope.results.files import write_bytes, write_folder

_MOST_NAMED = 5  # sentences in a message


def spelt_span(span: Span) -> str:
    """A mention for a message.

    >>> spelt_span(Span(0, 2, "PER"))
    '[0, 2, PER]'
    """
    return f"[{span.start}, {span.end}, {span.type}]"


@dataclass(frozen=True, eq=False)
class Gold:
    """An annotated file, and its mentions by sentence.

    `text` is the file as it was given, with options.
    """

    text: str
    source: Source
    corpus: Corpus

    @classmethod
    def read(cls, text: str) -> "Gold":
        """Read a file; standard input and a pattern of several files are refused."""
        if path_of(text) == STANDARD_INPUT:  # it can be read only once
            raise UsageError(
                STANDARD_INPUT,
                "decisions name a file, and this is standard input",
                "save it as a file",
            )
        source = source_named(text)
        if source.members:
            raise UsageError(
                source.name,
                "decisions are applied to one file at a time",
                "give each file by itself",
            )
        corpus = join_chunks([chunk.with_words() for chunk in source.chunks(Coding())])
        return cls(text, source, require_tokens(corpus))

    @property
    def name(self) -> str:
        return self.source.name

    @cached_property
    def mentions(self) -> Mentions:
        return self.corpus.mentions().placed.in_order()

    @cached_property
    def types(self) -> list[str]:
        """The types of its mentions."""
        names = self.corpus.coding.labels.types
        return [names[code] for code in np.unique(self.mentions.type).tolist()]

    @property
    def is_flat(self) -> bool:
        """Whether mentions cannot overlap."""
        return self.corpus.labels is not None or self.source.always_flat

    def begin(self, sentence: int) -> int:
        """The first token of a sentence."""
        return int(self.corpus.starts[sentence])

    def spans(self, sentence: int) -> tuple[Span, ...]:
        """The mentions of a sentence, in order."""
        begin, end = self.begin(sentence), self.begin(sentence + 1)
        low, high = np.searchsorted(self.mentions.start, [begin, end])
        inside, names = self.mentions[np.arange(low, high)], self.corpus.coding.labels.types
        columns = (inside.start - begin, inside.end - begin, inside.type)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return tuple(sorted(Span(start, stop, names[kind]) for start, stop, kind in rows))

    def record(self, sentence: int) -> str | None:
        """The name of the record of a sentence, if it has one."""
        records = self.corpus.records
        names = None if records is None else records.names
        return None if names is None else names[sentence]


class Change(NamedTuple):
    """The mentions of a sentence before and after a decision.

    `removed` and `added` have the tokens of the corpus.
    """

    decision: Decision
    sentence: int
    before: tuple[Span, ...]
    after: tuple[Span, ...]
    removed: list[Span]
    added: list[Span]

    @classmethod
    def of(
        cls, decision: Decision, before: tuple[Span, ...], after: tuple[Span, ...], gold: Gold
    ) -> "Change":
        """The change of a sentence; mentions that overlap are refused where they must not."""
        touching = (pair for pair in pairwise(after) if pair[1].start < pair[0].end)
        if gold.is_flat and (pair := next(touching, None)):
            raise InputError(
                decision.source,
                f"{spelt_span(pair[0])} and {spelt_span(pair[1])} overlap, and the labels of "
                f"{gold.name} cannot represent overlapping mentions",
                "choose one of them, or convert the file to a format with spans: "
                f"nerscope convert {gold.name} OUT.jsonl",
            )
        begin = gold.begin(decision.sentence)
        sides = ({*before} - {*after}, {*after} - {*before})
        removed, added = (
            [Span(start + begin, end + begin, kind) for start, end, kind in sorted(side)]
            for side in sides
        )
        return cls(decision, decision.sentence, before, after, removed, added)


@dataclass(frozen=True, slots=True)
class EditedCorpus:
    """What to write: the bytes of a file, or the files of a folder by their paths in it.

    `neighbours` are the tokens, by sentence, whose labels changed only because of the scheme.
    """

    data: bytes
    files: Mapping[str, bytes] | None = None
    rewritten: str | None = None  # the name of the format, if the whole file was written anew
    messages: tuple[str, ...] = ()
    neighbours: Mapping[int, list[int]] = field(default_factory=dict)

    def write(self, target: str) -> None:
        """Write the file or the folder, completely or not at all."""
        path = path_of(target)
        if self.files is not None:
            write_folder(path, self.files.items())
        else:
            write_bytes(path, pack_for(path, self.data))


def edit_file(gold: Gold, changes: Sequence[Change], target: str | None) -> EditedCorpus:
    """The file with the changes, to be written to `target` in the format of the file."""
    form = _target_format(gold, target)
    expected = _expected(gold, changes)
    is_one_file = form.write is not None or form.write_folder is None
    if not changes and is_one_file and not Path(path_of(gold.text)).is_dir():
        with FileBytes.of(path_of(gold.text)).open() as stream:
            return EditedCorpus(stream.read())
    removed = [span for change in changes for span in change.removed]
    added = [span for change in changes for span in change.added]
    edited = None
    for labels in _labels(gold, expected, changes):
        edited = _edited(gold, MentionEdit(gold.corpus, removed, added, labels.new))
        if edited is not None and _reads_as(edited, expected):
            return EditedCorpus(
                edited.data,
                messages=labels.messages(gold),
                neighbours=labels.neighbours,
            )
    if edited is not None and gold.corpus.labels is not None:
        raise _not_in_scheme(gold, changes)
    return _written_anew(gold, expected, form)


def _edited(gold: Gold, edit: MentionEdit) -> EditedFile | None:
    try:
        return gold.source.edited(edit)
    except UnicodeEncodeError as error:
        raise InputError(
            gold.name,
            f"the encoding {error.encoding} has no character {error.object[error.start]!r}, "
            "which a chosen type contains",
            "save the file as UTF-8, or choose another type",
        ) from None


def _not_in_scheme(gold: Gold, changes: Sequence[Change]) -> InputError:
    scheme = _scheme_of(gold.corpus).name
    sentences = ", ".join(str(change.sentence) for change in changes[:_MOST_NAMED])
    more = " …" if len(changes) > _MOST_NAMED else ""
    return InputError(
        gold.name,
        f"the labels ({scheme}) cannot represent all mentions that were chosen for the sentences "
        f"{sentences}{more}",
        f"nerscope convert {gold.text} OUT --to bio, and decide on that file",
    )


def _target_format(gold: Gold, target: str | None) -> Format:
    """The format in which the file is written; it is that in which it was read."""
    form = input_format(gold.text)
    if target is None:
        return form
    wanted = output_format(target)
    if wanted.open is form.open:  # JSON and JSON Lines are read in the same way
        return wanted
    ending, path = _ending(path_of(gold.text)), path_of(target)
    if _ending(path) != ending and (form.write_folder is None or _ending(path)):
        same = str(Path(without_packing(path)).with_suffix(ending))
        raise UsageError(
            target,
            f"its ending is that of the format {wanted.name}, and {gold.name} is {form.name}",
            f"-o {same}, then: nerscope convert {same} {path}",
        )
    return form


def _ending(path: str) -> str:
    return Path(without_packing(path)).suffix.lower()


def _expected(gold: Gold, changes: Sequence[Change]) -> Corpus:
    """The corpus with the chosen mentions, as spans."""
    codes, mentions = gold.corpus.coding.labels, gold.mentions
    names = codes.types
    gone = {span for change in changes for span in change.removed}
    columns = (mentions.start, mentions.end, mentions.type)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    stays = np.array([Span(low, high, names[kind]) not in gone for low, high, kind in rows], bool)
    added = [span for change in changes for span in change.added]
    table = [(low, high, codes.type_code(kind)) for low, high, kind in added]
    new = np.array(table, np.int64).reshape(len(table), 3)
    chosen = Mentions(new[:, 0], new[:, 1], new[:, 2].astype(np.int32))
    spans = join_mentions([mentions[stays], chosen]).in_order()
    return replace(gold.corpus, labels=None, spans=spans)


# Labels


class _NewLabels(NamedTuple):
    """The labels that change, by token, and the tokens of other mentions among them."""

    new: Mapping[int, str]
    neighbours: Mapping[int, list[int]]
    scheme: Scheme

    def messages(self, gold: Gold) -> tuple[str, ...]:
        tokens = [at for tokens in self.neighbours.values() for at in tokens]
        if not tokens:
            return ()
        return (
            f"{gold.corpus.place(tokens[0])}: {len(tokens)} labels of neighbouring mentions "
            f"changed too, because the tagging scheme {self.scheme.name} requires it",
        )


def _labels(gold: Gold, expected: Corpus, changes: Sequence[Change]) -> list[_NewLabels]:
    """The labels to write: as few as possible, or else all labels of the sentences.

    The second way is for sentences with invalid labels, and for formats in which the label of one
    token depends on those of others.
    """
    if gold.corpus.labels is None:
        return [_NewLabels({}, {}, BIO)]
    scheme = _scheme_of(gold.corpus)
    tokens = _Tokens.of(gold, expected, changes, scheme)
    few = tokens.chosen | (tokens.before != tokens.after)
    whole = few | _broken(gold, expected, np.where(few, tokens.after, gold.corpus.labels))
    names = _label_texts(gold.corpus, scheme)
    return [
        _new_labels(gold, tokens, where & tokens.in_sentences, names, scheme)
        for where in (whole, np.ones_like(few))
    ]


class _Tokens(NamedTuple):
    """For each token: its label in the scheme before and after, and whether it was decided on."""

    before: Ints
    after: Ints
    chosen: Bools  # inside a mention that is removed or added
    in_sentences: Bools  # in a sentence that changes

    @classmethod
    def of(
        cls, gold: Gold, expected: Corpus, changes: Sequence[Change], scheme: Scheme
    ) -> "_Tokens":
        starts, codes = gold.corpus.starts, gold.corpus.coding.labels
        chosen, inside = (np.zeros(gold.corpus.n_tokens, bool) for _ in range(2))
        for change in changes:
            inside[gold.begin(change.sentence) : gold.begin(change.sentence + 1)] = True
            for span in (*change.removed, *change.added):
                chosen[span.start : span.end] = True
        before = encode(gold.mentions, starts, codes, scheme)
        after = encode(expected.mentions(), starts, codes, scheme)
        return cls(before, after, chosen, inside)


def _broken(gold: Gold, expected: Corpus, labels: Ints) -> Bools:
    """The tokens of sentences in which labels do not encode the expected mentions."""
    starts = gold.corpus.starts
    sides = (decode(labels, starts, gold.corpus.coding.labels), expected.mentions())
    keys = [
        {*zip(side.start.tolist(), side.end.tolist(), side.type.tolist(), strict=True)}
        for side in sides
    ]
    broken = np.zeros(gold.corpus.n_tokens, bool)
    for start, _, _ in keys[0] ^ keys[1]:
        at = int(np.searchsorted(starts, start, side="right"))
        broken[starts[at - 1] : starts[at]] = True
    return broken


def _new_labels(
    gold: Gold, tokens: _Tokens, where: Bools, names: Sequence[str], scheme: Scheme
) -> _NewLabels:
    places = np.flatnonzero(where & (tokens.after != gold.corpus.labels))
    new = {int(at): names[tokens.after[at]] for at in places}
    neighbours = dict[int, list[int]]()
    for at in places[~tokens.chosen[places]].tolist():
        sentence = int(np.searchsorted(gold.corpus.starts, at, side="right")) - 1
        neighbours.setdefault(sentence, []).append(at)
    return _NewLabels(new, neighbours, scheme)


def _scheme_of(corpus: Corpus) -> Scheme:
    """The scheme in which labels are written.

    A file without B- labels may be IOB1 without two adjacent mentions, and can be extended as such.
    """
    is_detected = corpus.declared_scheme is None
    return SCHEMES["iob1"] if is_detected and corpus.scheme.bare == INSIDE else corpus.scheme


def _label_texts(corpus: Corpus, scheme: Scheme) -> list[str]:
    """The text of each label; types without prefixes if the file has such."""
    names = corpus.coding.labels.texts_in(scheme)
    inside = f"{scheme.letter(INSIDE)}-"
    written = corpus.reading_notes.transitions.texts
    if scheme.bare != INSIDE or any(text.startswith(inside) for text in written):
        return names
    return [name.removeprefix(inside) for name in names]


# Reading again


def _reads_as(edited: EditedFile, expected: Corpus) -> bool:
    """Whether the edited file has exactly the expected mentions."""
    try:
        chunks = [chunk.with_words() for chunk in edited.source.chunks(Coding())]
    except InputError:  # the format cannot hold the mentions in this way
        return False
    return _mention_keys(join_chunks(chunks)) == _mention_keys(expected)


def _mention_keys(corpus: Corpus) -> set[tuple[tuple[tuple[int, int], ...], str]]:
    """The mentions in characters without blanks, which do not depend on the tokens."""
    used, inverse = np.unique(corpus.tokens, return_inverse=True)
    words = corpus.coding.tokens.strings(used)
    sizes = np.array([len("".join(word.split())) for word in words], np.int64)
    edges = np.concatenate([[0], np.cumsum(sizes[inverse])]).tolist()
    mentions, names = corpus.mentions().placed, corpus.coding.labels.types
    return {
        (tuple((edges[low], edges[high]) for low, high in mentions.runs(at)), names[kind])
        for at, kind in enumerate(mentions.type.tolist())
    }


# Writing anew


def _written_anew(gold: Gold, expected: Corpus, form: Format) -> EditedCorpus:
    """The file as the writer of its format writes it."""
    note = (
        f"{gold.name}: the whole file was written anew as {form.name}; what nerscope does not read "
        "is not in it"
    )
    scheme = expected.scheme
    if form.write_folder is not None and (form.write is None or Path(path_of(gold.text)).is_dir()):
        files = form.write_folder(expected, scheme)
        return EditedCorpus(b"", files, form.name, (note,))
    if form.write is None:
        raise _unwritable(gold, form)
    return EditedCorpus(form.write(expected, scheme), None, form.name, (note,))


def _unwritable(gold: Gold, form: Format) -> UsageError:
    return UsageError(
        gold.name,
        f"nerscope can read the format {form.name}, but not change its mentions",
        f"nerscope convert {gold.text} OUT.jsonl, and decide on that file",
    )
