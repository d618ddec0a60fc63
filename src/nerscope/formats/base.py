"""The door for corpora: what a source must offer, which formats there are, how one is opened."""

import os
import pkgutil
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import (
    Coding,
    Corpus,
    ReadingNotes,
    Sentence,
    build_corpus,
    join_chunks,
    read_sentences,
)
from nerscope.corpus.schemes import BIO, Scheme
from nerscope.errors import InputError, UsageError, suggest
from nerscope.formats.files import Bytes, files_of, kept, refuse_pickles
from nerscope.formats.packing import without_packing
from nerscope.formats.remote import is_remote, shown
from nerscope.plugins import user_code
from nerscope.registry import Registry

OPTIONS_FOLLOW = "::"  # FILE::option=value,option=value
# In an address, :: may also stand between file systems: options are what looks like one.
_OPTIONS_OF_ADDRESS = re.compile(r"::(?=\w+=)|::$")
_HELD = 1 << 20  # bytes or letters of an open file that are read to tell which of the two
_FEW = 8  # sources that are small together if each of them is
_JOKER = re.compile(r"\[[^]]*\]|[*?]")


class Nature(NamedTuple):
    """What must be known of a source before its mentions are read."""

    scheme: Scheme = BIO
    flat: bool = True  # no token belongs to two mentions


class Follower(Protocol):
    """Gives what a system says of each chunk of gold, on the tokens of gold."""

    whole_documents: bool  # whether chunks must end where documents end

    def beside(self, gold: Corpus) -> Corpus:
        """The chunk of the system."""

    def finish(self) -> None:
        """Refuse a system that goes on where gold has ended."""


class Source(ABC):
    """Where sentences come from. A format offers one; only `name` and `chunks` must be there."""

    name: str
    respells = False  # its tokens may be spelt otherwise than those of gold
    retokenised = False  # its tokens are made from text: they are aligned over their characters
    rebreaks = False  # its sentences may begin and end elsewhere than those of gold
    always_flat = False  # no token can belong to two mentions, whatever is read
    is_small = True  # so small that its words are always kept
    n_columns = 1  # of a file that may hold gold and predictions
    policy: str | None = None  # how its strings are found in gold, if it has no places
    format: str | None = None  # that `relabelled` writes, if it is another than that of columns

    @abstractmethod
    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Chunks of whole sentences in the codes of an evaluation; without tokens if not wanted."""

    def nature(self, coding: Coding | None = None) -> Nature:
        """The scheme, and whether mentions are flat: by reading the source through."""
        reading, flat, told = ReadingNotes(), True, None
        for chunk in self.chunks(coding or Coding(), tokens=False):
            reading, flat, told = (
                reading + chunk.reading_notes,
                flat and chunk.is_flat,
                chunk.declared_scheme,
            )
        return Nature(told or reading.transitions.scheme(), flat)

    @property
    def file(self) -> Hashable:
        """Sources with the same file are read in one go."""
        return id(self)

    def together(
        self, members: Sequence["Source"], coding: Coding, *, tokens: bool
    ) -> Iterator[list[Corpus]]:
        """The chunks of several sources with the same file, side by side."""
        for chunk in self.chunks(coding, tokens=tokens):
            yield [chunk] * len(members)

    def unread(self, members: Sequence["Source"], coding: Coding) -> Iterator[list[Corpus]] | None:
        """The same with tokens only found and not read, if that is enough to compare them."""
        return None

    def follower(self, gold: "Source", coding: Coding, repair: str) -> "Follower | None":
        """Who finds its mentions in gold, if it has none that stand on tokens."""
        return None

    def two_sides(self) -> tuple["Source", "Source"]:
        """Gold and prediction, where one file has both."""
        raise UsageError(self.name, "no system is given", "name one, as --system bert=bert.txt")

    def saying(self, options: Mapping[str, Any]) -> "Source":
        """The same source with more said about it, as far as its format allows."""
        raise UsageError(
            self.name, f"{', '.join(options)} cannot be said of it", "say it where it is opened"
        )

    def as_one(self, sources: Sequence["Source"], name: str) -> "Source":
        """Several sources of its format, of which it is the first, as one."""
        return Several(sources, name)

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """The file with other labels by line, all else as it was; None if there are no lines."""
        return None


@dataclass(frozen=True, slots=True, eq=False)
class InMemory(Source):
    """A corpus that is there already."""

    corpus: Corpus
    name: str = field(init=False)
    always_flat: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.corpus.name)
        object.__setattr__(self, "always_flat", self.corpus.is_flat)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """The corpus as one chunk."""
        yield self.corpus.recoded(coding)

    def nature(self, coding: Coding | None = None) -> Nature:
        """What the corpus says of itself."""
        return Nature(self.corpus.scheme, self.corpus.is_flat)

    @property
    def file(self) -> Hashable:
        """The corpus itself."""
        return id(self.corpus)


class DocumentCount:
    """Numbers the documents of files that are read one after the other, as of one corpus.

    Each file begins a new document, unless none was marked in a file before it: files that know of
    no documents are one corpus without them. What a file itself marks cannot decide how it begins,
    for that would depend on how much of it is read at once.

    >>> import numpy as np
    >>> count = DocumentCount()
    >>> files = ([0, 0], [0, 1], [1, 1], [0])
    >>> [count.after(np.array(file), begins=True).tolist() for file in files]
    [[0, 0], [0, 1], [2, 2], [3]]
    """

    def __init__(self) -> None:
        self._last, self._moved, self._marked = -1, 0, False

    def after(self, documents: Ints, *, begins: bool, marked: bool = False) -> Ints:
        """The documents of the sentences that come next, which may be the first of a file; what is
        `marked` is known to be documents, whatever their numbers.
        """
        if begins:
            self._moved = max(self._last + 1 - int(documents[0]), 0) if self._marked else 0
        self._marked = self._marked or marked or bool(documents[-1] > 0)
        numbered: Ints = documents + self._moved
        self._last = int(numbered[-1])
        return numbered


@dataclass(frozen=True)
class Several(Source):
    """Several sources, one after the other, as one: what is said of it is said of each.

    >>> first, second = (open_source([([word], ["O"])], word) for word in ("Ada", "spoke"))
    >>> several = Several([first, second])
    >>> several.name, [chunk.words(0) for chunk in several.chunks(Coding())]
    ('Ada + spoke', [['Ada'], ['spoke']])
    """

    sources: Sequence[Source]
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", tuple(self.sources))
        name = self.name or " + ".join(source.name for source in self.sources)
        object.__setattr__(self, "name", name)

    @cached_property
    def respells(self) -> bool:  # type: ignore[override]
        """Whether any of them may spell tokens otherwise than gold."""
        return any(source.respells for source in self.sources)

    @cached_property
    def retokenised(self) -> bool:  # type: ignore[override]
        """Whether the tokens of any are made from text."""
        return any(source.retokenised for source in self.sources)

    @cached_property
    def rebreaks(self) -> bool:  # type: ignore[override]
        """Whether sentences of any may begin and end elsewhere than those of gold."""
        return any(source.rebreaks for source in self.sources)

    @cached_property
    def always_flat(self) -> bool:  # type: ignore[override]
        """Whether no token can belong to two mentions in any of them."""
        return all(source.always_flat for source in self.sources)

    @cached_property
    def is_small(self) -> bool:  # type: ignore[override]
        """Whether they are few, and all of them small."""
        return len(self.sources) <= _FEW and all(source.is_small for source in self.sources)

    @property
    def n_columns(self) -> int:  # type: ignore[override]
        """As many as the first has."""
        return self.sources[0].n_columns

    @property
    def policy(self) -> str | None:  # type: ignore[override]
        """That of the first."""
        return self.sources[0].policy

    @property
    def format(self) -> str | None:  # type: ignore[override]
        """That of the first."""
        return self.sources[0].format

    @property
    def file(self) -> Hashable:
        """The files of all: gold and a system that stand in the same ones are read together."""
        return tuple(source.file for source in self.sources)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """The chunks of each, under its own name; documents are counted on."""
        for row in self.together([self], coding, tokens=tokens):
            yield row[0]

    def together(
        self, members: Sequence[Source], coding: Coding, *, tokens: bool
    ) -> Iterator[list[Corpus]]:
        """The chunks of several such sources with the same files, file by file."""
        count = DocumentCount()
        several = [member for member in members if isinstance(member, Several)]
        for own in zip(*(member.sources for member in several), strict=True):
            begins = True
            for row in own[0].together(own, coding, tokens=tokens):
                first = row[0]
                marked = first.gaps is not None  # texts are documents, be there one or many
                documents = count.after(first.documents, begins=begins, marked=marked)
                yield [replace(corpus, documents=documents) for corpus in row]
                begins = False

    def nature(self, coding: Coding | None = None) -> Nature:
        """The scheme that all have alone, or else the one that fits all together."""
        natures = [source.nature(coding) for source in self.sources]
        if len({nature.scheme.name for nature in natures}) > 1:
            return super().nature(coding)
        return Nature(natures[0].scheme, all(nature.flat for nature in natures))

    def two_sides(self) -> tuple["Several", "Several"]:
        """Gold and prediction of each."""
        gold, predicted = zip(*(source.two_sides() for source in self.sources), strict=True)
        return Several(gold, self.name), Several(predicted, self.name)

    def saying(self, options: Mapping[str, Any]) -> "Several":
        """The same with more said about each."""
        return Several([source.saying(options) for source in self.sources], self.name)


def names_of(source: Source) -> list[str]:
    """The names by which messages may speak of a source: its own, and those of its files.

    >>> names_of(Several([open_source([(["Ada"], ["O"])], "a")], "*"))
    ['*', 'a']
    """
    files = source.sources if isinstance(source, Several) else ()
    return [source.name, *(name for one in files for name in names_of(one))]


class Listed(Source):
    """Sentences as Python lists; they get the codes of whatever evaluation reads them."""

    def __init__(self, sentences: Iterable[Sentence], name: str) -> None:
        self.name = name
        self._parts = read_sentences(sentences, name)
        self._known: Corpus | None = None  # in the codes of whoever asked last
        self.always_flat = all(part.labels is not None for part in self._parts)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """All sentences as one chunk."""
        if self._known is None or self._known.coding is not coding:
            self._known = build_corpus(self._parts, self.name, coding)
        yield self._known


class FileOption(NamedTuple):
    """Something that can be said about one file: how to read its value, and what to give."""

    read: Callable[[str], object]
    give: str


class Format(NamedTuple):
    """A way to write a corpus in a file.

    `open` makes a source of bytes and the options that were said; `fits` tells from the name and
    the first bytes (none of a folder) whether a file is in this format. `write`, if there is one,
    writes a corpus in a tagging scheme, `write_folder` as several files by name; files with one of
    `endings` are written so. `beside` names the files that are read along with one. `takes` tells
    which objects in memory are such corpora; `wrap` makes a source of one and of a name for it.
    `title`, `phrase` and `definition` are its words for readers. If two formats fit a file, the one
    with the lower `rank` reads it.

    A built-in format is one module of this package that calls
    `FORMATS.add(name, Format(...), built_in=True)`; the package finds its modules by itself.
    """

    name: str
    open: Callable[..., Source]
    fits: Callable[[str, bytes], bool]
    options: Mapping[str, FileOption] = {}
    write: Callable[[Corpus, Scheme], bytes] | None = None
    write_folder: Callable[[Corpus, Scheme], Mapping[str, bytes]] | None = None
    endings: tuple[str, ...] = ()
    takes: Callable[[object], bool] | None = None
    wrap: Callable[[Any, str], Source] | None = None
    beside: Callable[[str], list[str]] | None = None
    title: str = ""
    phrase: str = ""
    definition: str = ""
    rank: int = 50


def _load_formats() -> None:
    """Import every module of this package: each format registers itself."""
    import nerscope.formats as package

    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)


FORMATS: Registry[Format] = Registry("format", _load_formats)
FALLBACK = "conll"  # what a file is taken for if nothing else fits
CorpusLike: TypeAlias = str | os.PathLike[str] | IO[Any] | Source | Corpus | Iterable[Sentence]


def register_format(form: Format) -> Format:
    """Make a format known by its name; files that fit it are read by it from now on."""

    def opened(data: Bytes, **options: Any) -> Source:
        with user_code(f"format '{form.name}'"):
            return _Watched(form.name, form.open(data, **options))

    FORMATS.add(form.name, form._replace(open=opened))
    return form


class _Watched(Source):
    """A source of a user's own, to be blamed for what goes wrong in it."""

    def __init__(self, form: str, source: Source) -> None:
        self._place, self._source = f"format '{form}'", source
        if not isinstance(source, Source):
            raise UsageError(self._place, f"it opens a {type(source).__name__}", "give a Source")
        self.name = source.name
        self.respells, self.rebreaks = source.respells, source.rebreaks
        self.retokenised = source.retokenised
        self.always_flat = source.always_flat
        self.is_small, self.n_columns = source.is_small, source.n_columns
        self.format = source.format

    def follower(self, gold: Source, coding: Coding, repair: str) -> Follower | None:
        """The follower of the source, if it has one of its own."""
        with user_code(self._place):
            own = self._source.follower(gold, coding, repair)
        return None if own is None else _WatchedFollower(self._place, own)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """The chunks of the source."""
        with user_code(self._place):
            nothing = True
            for chunk in self._source.chunks(coding, tokens=tokens):
                if not isinstance(chunk, Corpus):
                    raise TypeError(f"a chunk is a {type(chunk).__name__}, not a Corpus")
                nothing = False
                yield chunk
            if nothing:
                raise InputError(
                    self.name, "the file holds no sentence", "check that it is the right file"
                )

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """What the source makes of other labels."""
        with user_code(self._place):
            return self._source.relabelled(labels)


class _WatchedFollower:
    """The follower of a user's own source, to be blamed for what goes wrong in it."""

    def __init__(self, place: str, follower: Follower) -> None:
        self._place, self._follower = place, follower
        self.whole_documents = follower.whole_documents

    def beside(self, gold: Corpus) -> Corpus:
        """The chunk of the system."""
        with user_code(self._place):
            return self._follower.beside(gold)

    def finish(self) -> None:
        """Refuse a system that goes on where gold has ended."""
        with user_code(self._place):
            self._follower.finish()


def open_source(given: CorpusLike, name: str = "<memory>", **options: Any) -> Source:
    """A path, an open file, a source, a `Corpus` or lists of tokens and labels, as a source.

    >>> open_source([(["Ada", "spoke"], ["B-PER", "O"])], "gold").name
    'gold'
    """
    if isinstance(given, Source | Corpus) and not options:
        return given if isinstance(given, Source) else InMemory(given)
    if isinstance(given, Source):
        return given.saying(options)
    if isinstance(given, str | os.PathLike):
        return _opened(os.fsdecode(given), options)
    if hasattr(given, "read"):
        return _handed(given, str(getattr(given, "name", name)), options)
    if (wrap := wrapper_of(given)) is not None and not options:
        return wrap(given, name)
    if options:
        raise UsageError(
            "read",
            f"{', '.join(options)} cannot be said of sentences in memory",
            "use Corpus.of(…, scheme=…)",
        )
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        return Listed(given, name)
    raise InputError(
        name,
        f"a {type(given).__name__} is no corpus",
        "give a path, an open file, a Corpus or lists of sentences",
    )


def wrapper_of(given: object) -> Callable[[Any, str], Source] | None:
    """How to make a source of an object in memory, if a format takes it."""
    first = given[0] if isinstance(given, list | tuple) and given else None
    plain = isinstance(given, str | bytes | Corpus | Source)
    if plain or isinstance(first, list | tuple | str | dict):
        return None  # the common cases need not ask everybody
    for form in (FORMATS[name] for name in FORMATS):
        if form.takes is not None and form.takes(given):
            return form.wrap
    return None


def source_named(text: str) -> Source:
    """Open `FILE` or `FILE::option=value,option=value`, as the command line has it."""
    path, options = parted(text)
    parts = [part.partition("=")[::2] for part in filter(None, options.split(","))]
    said = dict(parts)
    if len(said) < len(parts):
        raise UsageError(text, "an option is said twice", "say each option once")
    told = said.pop("format", None)
    return _all_of(
        path, told, lambda form: {key: _read(form, text, key, said[key]) for key in said}
    )


def _all_of(path: str, told: str | None, options: Callable[[Format], Mapping[str, Any]]) -> Source:
    """What is behind a path; all files that fit a pattern are read as the first of them is."""
    files = files_of(path)
    every = [Bytes.of(file) for file in ([path] if files is None else files)]
    form = _format_of(every[0], told)
    said = options(form)
    opened = [form.open(one, **said) for one in every]
    return opened[0] if files is None else opened[0].as_one(opened, shown(path))


def format_written(target: str) -> Format:
    """The format that `FILE::format=NAME` or the ending of a name says; columns otherwise.

    >>> format_written("out.txt").name
    'conll'
    """
    path, options = parted(target)
    if options:
        key, _, told = options.partition("=")
        if key != "format":
            raise UsageError(target, f"'{options}' cannot be said of it", "say format=NAME")
        return FORMATS[told]
    name = without_packing(path).lower()
    fallback = FORMATS[FALLBACK]
    users = [FORMATS[known] for known in FORMATS.user_names]
    if not name.endswith(fallback.endings) or any(name.endswith(form.endings) for form in users):
        for form in (FORMATS[known] for known in FORMATS):  # which loads all of them
            if name.endswith(form.endings):
                return form
    return fallback


def stem_of(name: str) -> str:
    """What a file is called without its folder and endings; `gold` for `<gold>`. Of a pattern, what
    its files share, or else the folder they are in.

    >>> stem_of("runs/bert.txt.gz"), stem_of("<gold>"), stem_of("s3://data/test-*.conll.zst")
    ('bert', 'gold', 'test')
    >>> stem_of("test/*.conll")
    'test'
    """
    path = Path(without_packing(name))
    if not _JOKER.search(name):
        return path.stem.strip("<>")
    shared = (_JOKER.sub("", part).strip("-_.") for part in (path.stem, *reversed(path.parts[:-1])))
    return next(filter(None, shared), "files")


def parted(text: str) -> tuple[str, str]:
    """The file and the options in `FILE::option=value`.

    >>> parted("gold.conll::label=1"), parted("zip://gold.conll::s3://data/all.zip::label=1")
    (('gold.conll', 'label=1'), ('zip://gold.conll::s3://data/all.zip', 'label=1'))
    """
    if not is_remote(text):
        path, _, options = text.partition(OPTIONS_FOLLOW)
        return path, options
    path, *rest = _OPTIONS_OF_ADDRESS.split(text, maxsplit=1)
    return path, "".join(rest)


def path_of(text: str) -> str:
    """The file in `FILE::option=value`."""
    return parted(text)[0]


def files_behind(text: str) -> list[str]:
    """All files that may be read for `FILE::option=value`: those beside it, and those it names.

    >>> files_behind("gold.conll::scheme=bio")
    ['gold.conll']
    """
    path, options = parted(text)
    files = files_of(path) or [path]
    beside = [other for file in files for other in _files_beside(file)]
    values = (part.partition("=")[2] for part in options.split(","))
    # A Path would fail where a value is too long for a name, as that of names= may be.
    named = [value for value in values if os.path.isfile(value)]  # noqa: PTH113
    return [*files, *beside, *named]


def _files_beside(file: str) -> list[str]:
    """The files that some format would read along with a file; columns stand alone."""
    try:
        is_file = not is_remote(file) and Path(file).is_file()
        if is_file and FORMATS[FALLBACK].fits(file, Bytes.of(file).head()):
            return []
    except (InputError, OSError, ValueError):
        pass  # opening the file will say what is wrong with it
    every = [FORMATS[name].beside for name in FORMATS]
    return [other for beside in every if beside is not None for other in beside(file)]


def _read(form: Format, text: str, key: str, value: str) -> object:
    if key not in form.options:
        known = [*form.options, "format"]
        raise UsageError(text, f"no file option is called '{key}'", suggest(key, known))
    try:
        return form.options[key].read(value)
    except (ValueError, KeyError):
        give = form.options[key].give
        raise UsageError(text, f"'{key}={value}' cannot be read", f"give {give}") from None


def _opened(path: str, options: Mapping[str, Any]) -> Source:
    rest = dict(options)
    return _all_of(path, rest.pop("format", None), lambda form: _known(form, shown(path), rest))


def _handed(given: Any, name: str, options: Mapping[str, Any]) -> Source:
    """A file that somebody has opened; what it holds is kept, for it can be read but once."""
    first = given.read(_HELD)
    rest = dict(options)
    if isinstance(first, str):  # it has been decoded already
        rest.pop("encoding", None)
        data = Bytes(name, data=(first + given.read()).encode())
    else:
        data = kept(name, given, first)
    form = _format_of(data, rest.pop("format", None))
    return form.open(data, **_known(form, name, rest))


def _known(form: Format, name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options, refused if the format does not have them."""
    for key in options:
        if key not in form.options:
            raise UsageError(name, f"no file option is called '{key}'", suggest(key, form.options))
    return options


def _format_of(data: Bytes, told: str | None) -> Format:
    """The format that was told, or else the first one that fits; users' own are asked first."""
    if told is not None:
        return FORMATS[told]
    head = b"" if data.is_folder else data.head()
    refuse_pickles(data.name, head)
    fallback = FORMATS[FALLBACK]
    for name in FORMATS.user_names:
        with user_code(f"format '{name}'"):
            if FORMATS[name].fits(data.name, head):
                return FORMATS[name]
    # Most files are columns, and look like it. The modules of the other formats, whose import takes
    # longer than reading a small file, are loaded only for a file that might be something else.
    if fallback.fits(data.name, head):
        return fallback
    others = [FORMATS[name] for name in FORMATS if FORMATS.is_built_in(name) and name != FALLBACK]
    for form in sorted(others, key=lambda form: (form.rank, form.name)):
        if form.fits(data.name, head):
            return form
    return fallback


def read(given: CorpusLike, **options: Any) -> Corpus:
    """Read a whole corpus; options are those of its format.

    >>> import io
    >>> len(read(io.StringIO("Ada\\tB-PER\\n\\nhere\\tO\\n")))
    2
    """
    source = open_source(given, **options)
    return replace(join_chunks(list(source.chunks(Coding()))), name=source.name)


def with_tokens(corpus: Corpus) -> Corpus:
    """The corpus, refused if its sentences are labels alone."""
    if not len(corpus.tokens):
        raise InputError(
            corpus.name, "the sentences have no tokens", "give each as (tokens, labels)"
        )
    return corpus
