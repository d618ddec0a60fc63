"""Slash tags: `Ada/B-PER met/O Bob/B-PER`, with one sentence per line."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice

from nerscope.corpus.corpus import Coding, Corpus, Note, ParsedSentence, label_error, read_sentence
from nerscope.corpus.schemes import OUTSIDE_LABEL, Scheme, parse_label, scheme_named
from nerscope.errors import FormatError, UsageError, shortened
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.columns.column_file import ALIGN, ANY, SAME, SHARED_OPTIONS
from nerscope.formats.files import HEAD, FileBytes, check_encoding
from nerscope.formats.source import SentenceBatch, Source, SourceInfo, gather_chunks
from nerscope.formats.tagged.lines import numbered_lines

NAME = "slash"
BARE = "labels without prefixes, read with scheme=io"
_SLASH = "/"
_BLANKS = re.compile(r"[ \t]+")
_TAGGED = re.compile(r"[^ \t]+/(?:O|[BIESLUMW]-[^ \t]+)")
_FIRST_LINES = 1000  # lines from which it is detected whether labels have prefixes
FILE_OPTIONS: Mapping[str, FileOption] = SHARED_OPTIONS


class SlashFile(Source):
    """A text file with a tag after each token.

    >>> [chunk] = SlashFile(FileBytes("a.txt", data=b"Ada/B-PER met/O")).chunks(Coding())
    >>> chunk.words(0), chunk.mentions().end.tolist()
    (['Ada', 'met'], [1])
    """

    always_flat = True

    def __init__(
        self,
        data: FileBytes,
        *,
        scheme: str | None = None,
        encoding: str = "utf-8",
        tokens: str = SAME,
        sentences: str = SAME,
    ) -> None:
        self.name, self._data, self._encoding = data.name, data, encoding
        self._given_scheme = scheme_named(scheme) if scheme is not None else None
        for option, value, known in (
            ("tokens", tokens, (SAME, ANY, ALIGN)),
            ("sentences", sentences, (SAME, ANY)),
        ):
            if value not in known:
                give = FILE_OPTIONS[option].give
                raise UsageError(self.name, f"invalid value {option}={value!r}", f"give {give}")
        self._tokens, self._sentences = tokens, sentences
        check_encoding(self.name, encoding)

    @property
    def info(self) -> SourceInfo:
        return SourceInfo(
            self.name,
            respells=self._tokens == ANY,
            rebreaks=self._sentences == ANY,
            retokenised=self._tokens == ALIGN,
            is_small=self._data.size <= 16 << 20,
        )

    @cached_property
    def _has_bare_labels(self) -> bool:
        """Whether no label at the beginning of the file has a prefix, and some are types."""
        lines = islice(numbered_lines(self._data, self._encoding), _FIRST_LINES)
        pieces = (piece for _, line in lines for piece in _pieces(line))
        labels = {piece.rpartition(_SLASH)[2] for piece in pieces} - {OUTSIDE_LABEL}
        return bool(labels) and not any(map(parse_label, labels))

    @property
    def _scheme(self) -> Scheme | None:
        is_bare = self._given_scheme is None and self._has_bare_labels
        return scheme_named("io") if is_bare else self._given_scheme

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Chunks of whole sentences."""
        return gather_chunks(self._batches(), self.name, coding, self._scheme, tokens=tokens)

    def _batches(self) -> Iterator[SentenceBatch]:
        is_noted = self._given_scheme is None and self._has_bare_labels
        bare = self._scheme.bare if self._scheme else None
        for number, line in numbered_lines(self._data, self._encoding):
            if pieces := _pieces(line):
                sentence = _read_line(pieces, f"{self.name}:{number}", number, bare)
                yield SentenceBatch([sentence], {BARE: Note(1)} if is_noted else {})
                is_noted = False


def _pieces(line: str) -> list[str]:
    return [piece for piece in _BLANKS.split(line) if piece]


def _read_line(pieces: list[str], place: str, line: int, bare: int | None) -> ParsedSentence:
    words, labels = [], []
    for piece in pieces:
        word, _, label = piece.rpartition(_SLASH)
        if not word:
            raise FormatError(
                place,
                f"'{shortened(piece)}' is not a token with a slash and a tag",
                "write Ada/B-PER, and met/O outside mentions",
            )
        if parse_label(label, bare) is None:
            raise label_error(place, label)
        words.append(word)
        labels.append(label)
    return read_sentence({"tokens": words, "labels": labels}, place, line)


def fits(name: str, head: bytes) -> bool:
    """Whether all tokens of the first lines have a slash and a label with a prefix, or O.

    >>> fits("a.txt", b"Ada/B-PER met/O\\n"), fits("a.txt", b"the/DT dog/NN\\n")
    (True, False)
    """
    lines = head.decode("utf-8", "ignore").removeprefix("\ufeff").split("\n")
    if len(head) >= HEAD and len(lines) > 1:
        lines.pop()  # the last line may be cut off
    sentences = [_pieces(line.removesuffix("\r")) for line in lines if line.strip()]
    if len(head) >= HEAD and len(lines) == 1:
        sentences = [sentence[:-1] for sentence in sentences]
    # One tagged token per line is rather a column.
    has_sentence = any(len(sentence) > 1 for sentence in sentences)
    return has_sentence and all(
        _TAGGED.fullmatch(piece) for sentence in sentences for piece in sentence
    )


FORMATS.add(
    NAME,
    Format(
        NAME,
        SlashFile,
        fits,
        FILE_OPTIONS,
        title="Slash tags",
        phrase="text with a tag after each token",
        definition="One sentence per line with a slash and a label after each token, as in "
        "Oslo/B-LOC slept/O.",
    ),
    built_in=True,
    rank=140,
)
