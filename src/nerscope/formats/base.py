"""The interface of formats, their registry, and functions that open a file in its format."""

import os
import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from nerscope.arguments import check_arguments
from nerscope.corpus.corpus import (
    Coding,
    Corpus,
    Sentence,
    build_corpus,
    has_items,
    join_chunks,
    read_sentences,
)
from nerscope.corpus.schemes import Scheme
from nerscope.errors import InputError, UsageError, suggest
from nerscope.formats.files import (
    FileBytes,
    display_address,
    is_remote,
    matching_files,
    refuse_pickles,
    spool_to_disk,
)
from nerscope.formats.packing import without_packing
from nerscope.formats.source import Aligner, JoinedSources, LabelStyle, Source, SourceInfo
from nerscope.registry import Registry, user_code

OPTIONS_MARK = "::"  # FILE::option=value,option=value
# In an address, :: may also separate file systems, so only text such as ::key= begins options.
_OPTIONS_OF_ADDRESS = re.compile(r"::(?=\w+=)|::$")
_FIRST_READ = 1 << 20  # read from an open file to see whether it returns bytes or str
_WILDCARD = re.compile(r"\[[^]]*\]|[*?]")


class FileOption(NamedTuple):
    """An option of one file, as in `FILE::option=value`.

    `read` converts the text after `=` to a value, and raises ValueError or KeyError if the text is
    invalid; `give` completes "give …" in the fix of the error message.

    >>> FileOption(int, "the column of the label").read("-1")
    -1
    """

    read: Callable[[str], object]
    give: str


class Format(NamedTuple):
    """A file format for corpora.

    `open` makes a source from `FileBytes` and the file options, which are keywords; `options` are
    the options of the format. `fits` returns whether a file is in this format, from its name and
    its first bytes (none for a folder). `write` converts a corpus to bytes in a tagging scheme,
    `write_folder` to several files by name; output files with one of `endings` are written in this
    format. `beside` returns the files that are read together with a file. `takes` returns whether
    an object in memory is a corpus of this format, and `wrap` makes a source from the object and a
    name for it. `title`, `phrase` and `definition` are shown to users.

    A built-in format is one module of this package that calls
    `FORMATS.add(name, Format(...), built_in=True, rank=50)`; modules are discovered automatically.
    If two formats fit a file, the one with the lower rank reads it.
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


FORMATS: Registry[Format] = Registry("format", package="nerscope.formats")
FALLBACK = "conll"  # the format of a file that no other format fits
CorpusLike: TypeAlias = str | os.PathLike[str] | IO[Any] | Source | Corpus | Iterable[Sentence]
TrainingLike: TypeAlias = CorpusLike | Sequence[CorpusLike]  # several corpora form one training set


def register_format(form: Format) -> Format:
    """Register a format. It reads the files that fit it and takes precedence over built-in formats.

    Exceptions in the code of the format are reported as errors of the format.

    >>> def open_words(data):
    ...     return SentenceList([(data.open().read().decode().split(), [])], data.name)
    >>> words = Format("words", open_words, lambda name, head: name.endswith(".words"))
    >>> register_format(words).name
    'words'
    """
    check_arguments(register_format, locals())

    def open_guarded(data: FileBytes, **options: Any) -> Source:
        with user_code(f"format '{form.name}'"):
            return _PluginSource(form.name, form.open(data, **options))

    FORMATS.add(form.name, form._replace(open=open_guarded))
    return form


class _PluginSource(Source):
    """A source of a user's format; exceptions in it are reported as errors of the format."""

    def __init__(self, form: str, source: Source) -> None:
        self._form, self._place, self._source = form, f"format '{form}'", source
        if not isinstance(source, Source):
            raise UsageError(
                self._place,
                f"open returned a {type(source).__name__}, not a Source",
                "return a Source",
            )
        self.name = source.name
        self.always_flat, self.n_columns = source.always_flat, source.n_columns

    @property
    def info(self) -> SourceInfo:
        with user_code(self._place):
            # Only the built-in aligner of answers uses the policy.
            return replace(self._source.info, policy=None)

    def aligner(self, gold: Source, coding: Coding, repair: str) -> Aligner | None:
        with user_code(self._place):
            aligner = self._source.aligner(gold, coding, repair)
        return None if aligner is None else _PluginAligner(self._place, aligner)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """The chunks of the user's source; values that are not a Corpus are refused."""
        with user_code(self._place):
            is_empty = True
            for chunk in self._source.chunks(coding, tokens=tokens):
                if not isinstance(chunk, Corpus):
                    raise TypeError(f"a chunk is a {type(chunk).__name__}, not a Corpus")
                is_empty = False
                yield chunk
            if is_empty:
                raise InputError(
                    self.name, "the file contains no sentences", "check that it is the right file"
                )

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        with user_code(self._place):
            return self._source.relabelled(labels)

    def with_records(self, metadata: Sequence[str] = ()) -> Source:
        with user_code(self._place):
            return _PluginSource(self._form, self._source.with_records(metadata))


class _PluginAligner:
    """An aligner of a user's format; exceptions in it are reported as errors of the format."""

    def __init__(self, place: str, aligner: Any) -> None:
        self._place, self._aligner = place, aligner
        is_old = not hasattr(aligner, "align")  # written for version 0.2
        if is_old:
            message = "beside and whole_documents were renamed to align and needs_whole_documents"
            warnings.warn(f"{place}: {message}", DeprecationWarning, stacklevel=2)
        with user_code(place):
            self._align = aligner.beside if is_old else aligner.align
            self.needs_whole_documents: bool = (
                aligner.whole_documents if is_old else aligner.needs_whole_documents
            )

    def align(self, gold: Corpus) -> Corpus:
        with user_code(self._place):
            corpus: Corpus = self._align(gold)
            return corpus

    def finish(self) -> None:
        with user_code(self._place):
            self._aligner.finish()


@dataclass(frozen=True, slots=True, eq=False)
class CorpusSource(Source):
    """A corpus in memory."""

    is_file = False
    corpus: Corpus
    name: str = field(init=False)
    always_flat: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.corpus.name)
        object.__setattr__(self, "always_flat", self.corpus.is_flat)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        yield self.corpus.recoded(coding)

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        return LabelStyle(self.corpus.scheme, self.corpus.is_flat)

    @property
    def file(self) -> Hashable:
        return id(self.corpus)


class SentenceList(Source):
    """Sentences as Python lists."""

    is_file = False

    def __init__(self, sentences: Iterable[Sentence], name: str) -> None:
        self.name = name
        self._sentences = read_sentences(sentences, name)
        self._last: Corpus | None = None  # the result of the last call, which is often repeated
        self.always_flat = all(sentence.labels is not None for sentence in self._sentences)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        # An evaluation may read a source several times with one coding.
        if self._last is None or self._last.coding is not coding:
            self._last = build_corpus(self._sentences, self.name, coding)
        yield self._last


def open_source(given: CorpusLike, name: str = "<memory>", **options: Any) -> Source:
    """Open a corpus as a source.

    `given` is a path, an open file, a source, a `Corpus`, an object that a format takes, or lists
    of tokens and labels. `name` is for messages about a corpus in memory. `options` are the file
    options of its format, and `format`, the name of the format (default: auto-detected).

    >>> open_source([(["Ada", "spoke"], ["B-PER", "O"])], "gold").name
    'gold'
    """
    if isinstance(given, Source | Corpus) and not options:
        return given if isinstance(given, Source) else CorpusSource(given)
    if isinstance(given, Source):
        return given.with_options(options)
    if isinstance(given, str | os.PathLike):
        return _open_path(os.fsdecode(given), options)
    if hasattr(given, "read"):
        return _open_stream(given, str(getattr(given, "name", name)), options)
    if (wrap := wrapper_for(given)) is not None and not options:
        return wrap(given, name)
    if options:
        raise UsageError(
            "read",
            f"file options do not apply to sentences in memory: {', '.join(options)}",
            "set the scheme with Corpus.of(…, scheme='bio')",
        )
    if has_items(given) and not isinstance(given, bytes):
        return SentenceList(given, name)
    raise InputError(
        name,
        f"a {type(given).__name__} is not a corpus",
        "give a path, an open file, a Corpus or a list of sentences",
    )


def open_training(given: TrainingLike, name: str = "<train>") -> Source:
    """Open training data: one corpus, or a list of corpora that form one training set.

    >>> first, second = [(["Ada"], ["B-PER"])], [(["spoke"], ["O"])]
    >>> open_training([Corpus.of(first, name="a"), Corpus.of(second, name="b")]).name
    'a + b'
    """
    items: Any = given
    # A list of files is several corpora; a list of sentences is one corpus in memory.
    if isinstance(items, list | tuple) and items and is_source(items[0]):
        opened = [open_source(item, name) for item in items]
        return opened[0] if len(opened) == 1 else JoinedSources(opened)
    return open_source(items, name)


def is_source(item: object) -> bool:
    """Whether an item of a list is a file, corpus or table, and not a sentence."""
    return (
        isinstance(item, str | Corpus | Source)
        or hasattr(item, "read")
        or hasattr(item, "__fspath__")
        or wrapper_for(item) is not None
    )


def wrapper_for(given: object) -> Callable[[Any, str], Source] | None:
    """The function that makes a source from an object in memory, if a format takes it."""
    first = given[0] if isinstance(given, list | tuple) and given else None
    is_plain = isinstance(given, str | bytes | Corpus | Source)
    if is_plain or isinstance(first, list | tuple | str | dict):
        return None  # the common cases, for which no modules of formats need to be loaded
    for form in (FORMATS[name] for name in FORMATS):
        if form.takes is not None and form.takes(given):
            return form.wrap
    return None


JOIN = "join"  # the option that makes the files of a pattern one corpus


def source_named(text: str) -> Source:
    """Open `FILE` or `FILE::option=value,option=value`, as typed on the command line."""
    path, options = split_options(text)
    pairs = [pair.partition("=")[::2] for pair in filter(None, options.split(","))]
    texts = dict(pairs)
    if len(texts) < len(pairs):
        raise UsageError(text, "an option is given twice", "give each option once")
    format_name = texts.pop("format", None)
    _joins(text, texts.pop(JOIN, "yes"))

    def values(form: Format) -> Mapping[str, Any]:
        return {key: _read_option(form, text, key, value) for key, value in texts.items()}

    return _open_files(path, format_name, values)


def matching_texts(text: str) -> list[str] | None:
    """The files of a pattern in `PATTERN::options`, each with the options.

    None if it is not a pattern, or if `join=yes` makes its files one corpus.
    """
    path, options = split_options(text)
    texts = dict(pair.partition("=")[::2] for pair in filter(None, options.split(",")))
    if _joins(text, texts.get(JOIN, "no")):
        return None
    files = matching_files(path)
    mark = OPTIONS_MARK if options else ""
    return None if files is None else [f"{file}{mark}{options}" for file in files]


def _joins(text: str, value: str) -> bool:
    if value not in ("yes", "no"):
        raise UsageError(text, f"invalid value {JOIN}={value}", f"give {JOIN}=yes or {JOIN}=no")
    return value == "yes"


def _open_files(
    path: str, format_name: str | None, options: Callable[[Format], Mapping[str, Any]]
) -> Source:
    """Open a path, or all files of a pattern as one source, in the format of the first file.

    `options` gives the options once the format is known, because only the format can check them.
    """
    files = matching_files(path)
    contents = [FileBytes.of(file) for file in ([path] if files is None else files)]
    form = _format_of(contents[0], format_name)
    values = options(form)
    sources = [form.open(content, **values) for content in contents]
    return sources[0] if files is None else sources[0].join(sources, display_address(path))


def output_format(target: str) -> Format:
    """The format of an output: from `FILE::format=NAME`, from the ending, or else columns.

    >>> output_format("out.txt").name
    'conll'
    """
    path, options = split_options(target)
    if options:
        key, _, format_name = options.partition("=")
        if key != "format":
            raise UsageError(
                target,
                f"'{options}' is not an option of an output",
                f"{path}::format=conll (or another format)",
            )
        return FORMATS[format_name]
    name = without_packing(path).lower()
    fallback = FORMATS[FALLBACK]
    users = [FORMATS[known] for known in FORMATS.user_names]
    # Loading the modules of all formats is slow, so it is avoided for an ending of columns.
    if not name.endswith(fallback.endings) or any(name.endswith(form.endings) for form in users):
        for form in (FORMATS[known] for known in FORMATS):
            if name.endswith(form.endings):
                return form
    return fallback


def stem_of(name: str) -> str:
    """The name of a file without its folder and endings; `gold` for `<gold>`.

    For a pattern, it is the part that the file names share, or else the name of their folder.

    >>> stem_of("runs/bert.txt.gz"), stem_of("<gold>"), stem_of("s3://data/test-*.conll.zst")
    ('bert', 'gold', 'test')
    >>> stem_of("test/*.conll")
    'test'
    """
    path = Path(without_packing(name))
    if not _WILDCARD.search(name):
        return path.stem.strip("<>")
    shared = (
        _WILDCARD.sub("", part).strip("-_.") for part in (path.stem, *reversed(path.parts[:-1]))
    )
    return next(filter(None, shared), "files")


def split_options(text: str) -> tuple[str, str]:
    """The file and the options in `FILE::option=value`.

    >>> split_options("gold.conll::label=1"), split_options("zip://gold.conll::s3://data/all.zip::label=1")
    (('gold.conll', 'label=1'), ('zip://gold.conll::s3://data/all.zip', 'label=1'))
    """
    if not is_remote(text):
        path, _, options = text.partition(OPTIONS_MARK)
        return path, options
    path, *options_text = _OPTIONS_OF_ADDRESS.split(text, maxsplit=1)
    return path, "".join(options_text)


def path_of(text: str) -> str:
    """The file in `FILE::option=value`."""
    return split_options(text)[0]


def input_format(text: str) -> Format:
    """The format in which `FILE::option=value` is read; for a pattern, that of its first file."""
    path, options = split_options(text)
    texts = dict(pair.partition("=")[::2] for pair in options.split(","))
    files = matching_files(path)
    return _format_of(FileBytes.of(files[0] if files else path), texts.get("format"))


def input_files(text: str) -> list[str]:
    """All files that may be read for `FILE::option=value`, with files beside it and in its options.

    >>> input_files("gold.conll::scheme=bio")
    ['gold.conll']
    """
    path, options = split_options(text)
    files = matching_files(path) or [path]
    beside = [other for file in files for other in _files_beside(file)]
    values = (pair.partition("=")[2] for pair in options.split(","))
    # A Path would fail if a value, such as that of names=, is too long for a file name.
    named = [value for value in values if os.path.isfile(value)]  # noqa: PTH113
    return [*files, *beside, *named]


def _files_beside(file: str) -> list[str]:
    """The files that a format would read together with a file; none for a file of columns."""
    try:
        is_file = not is_remote(file) and Path(file).is_file()
        if is_file and FORMATS[FALLBACK].fits(file, FileBytes.of(file).head()):
            return []
    except (InputError, OSError, ValueError):
        pass  # opening the file raises the error
    functions = [FORMATS[name].beside for name in FORMATS]
    return [other for beside in functions if beside is not None for other in beside(file)]


def _read_option(form: Format, text: str, key: str, value: str) -> object:
    if key not in form.options:
        known = [*form.options, "format"]
        raise UsageError(text, f"unknown file option '{key}'", suggest(key, known))
    try:
        return form.options[key].read(value)
    except (ValueError, KeyError):
        give = form.options[key].give
        raise UsageError(text, f"invalid value {key}={value}", f"give {give}") from None


def _open_path(path: str, options: Mapping[str, Any]) -> Source:
    values = dict(options)
    format_name = values.pop("format", None)
    name = display_address(path)
    return _open_files(path, format_name, lambda form: _check_options(form, name, values))


def _open_stream(stream: Any, name: str, options: Mapping[str, Any]) -> Source:
    """Open a file object of the caller; it can be read only once, so its bytes are stored."""
    first = stream.read(_FIRST_READ)
    values = dict(options)
    if isinstance(first, str):  # text is decoded already
        values.pop("encoding", None)
        data = FileBytes(name, data=(first + stream.read()).encode())
    else:
        data = spool_to_disk(name, stream, first)
    form = _format_of(data, values.pop("format", None))
    return form.open(data, **_check_options(form, name, values))


def _check_options(form: Format, name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options; an option that the format does not have is refused."""
    for key in options:
        if key not in form.options:
            raise UsageError(name, f"unknown file option '{key}'", suggest(key, form.options))
    return options


def _format_of(data: FileBytes, format_name: str | None) -> Format:
    """The named format, or else the first format that fits; formats of users come first."""
    if format_name is not None:
        return FORMATS[format_name]
    head = b"" if data.is_folder else data.head()
    refuse_pickles(data.name, head)
    fallback = FORMATS[FALLBACK]
    for name in FORMATS.user_names:
        with user_code(f"format '{name}'"):
            if FORMATS[name].fits(data.name, head):
                return FORMATS[name]
    # Most files are recognised as columns. Importing the modules of the other formats takes longer
    # than reading a small file, so they are imported only if a file does not look like columns.
    if fallback.fits(data.name, head):
        return fallback
    for name in filter(FORMATS.is_built_in, FORMATS):
        if name != FALLBACK and FORMATS[name].fits(data.name, head):
            return FORMATS[name]
    from nerscope.formats.columns.other_files import refuse_other_file  # for rare files only

    refuse_other_file(data.name, head, lambda: list(FORMATS))
    return fallback


def read(given: CorpusLike, **options: Any) -> Corpus:
    """Read a whole corpus into memory.

    `given` is a path, an open file, a source, or lists of tokens and labels. `options` are the file
    options of its format, such as `label=2` for columns, and `format`, the name of the format
    (default: auto-detected).

    >>> import io
    >>> len(read(io.StringIO("Ada\\tB-PER\\n\\nhere\\tO\\n")))
    2
    """
    source = open_source(given, **options)
    return replace(join_chunks(list(source.chunks(Coding()))), name=source.name)
