"""Formats: what a format offers, which ones there are, and how a file is opened in its format."""

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from nerscope.corpus.corpus import Coding, Corpus, Sentence, join_chunks
from nerscope.corpus.schemes import Scheme
from nerscope.errors import InputError, UsageError, suggest
from nerscope.formats.files import FileBytes, matching_files, refuse_pickles, spool_to_disk
from nerscope.formats.packing import without_packing
from nerscope.formats.remote import display_address, is_remote
from nerscope.formats.source import Aligner, CorpusSource, SentenceList, Source, SourceInfo
from nerscope.plugins import user_code
from nerscope.registry import Registry

OPTIONS_MARK = "::"  # FILE::option=value,option=value
# In an address, :: may also stand between file systems: options are what looks like one.
_OPTIONS_OF_ADDRESS = re.compile(r"::(?=\w+=)|::$")
_FIRST_READ = 1 << 20  # bytes or characters of an open file that are read to tell which they are
_WILDCARD = re.compile(r"\[[^]]*\]|[*?]")


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
    `title`, `phrase` and `definition` are its words for readers.

    A built-in format is one module of this package that calls
    `FORMATS.add(name, Format(...), built_in=True, rank=50)`; the package finds its modules by
    itself. If two formats fit a file, the one with the lower rank reads it.
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
FALLBACK = "conll"  # what a file is taken for if nothing else fits
CorpusLike: TypeAlias = str | os.PathLike[str] | IO[Any] | Source | Corpus | Iterable[Sentence]


def register_format(form: Format) -> Format:
    """Make a format known by its name; files that fit it are read by it from now on."""

    def opened(data: FileBytes, **options: Any) -> Source:
        with user_code(f"format '{form.name}'"):
            return _PluginSource(form.name, form.open(data, **options))

    FORMATS.add(form.name, form._replace(open=opened))
    return form


class _PluginSource(Source):
    """A source of a user's format: whatever fails in it is reported as a fault of the format."""

    def __init__(self, form: str, source: Source) -> None:
        self._place, self._source = f"format '{form}'", source
        if not isinstance(source, Source):
            raise UsageError(self._place, f"it opens a {type(source).__name__}", "give a Source")
        self.name = source.name
        self.always_flat, self.n_columns = source.always_flat, source.n_columns

    @property
    def info(self) -> SourceInfo:
        """The facts of the user's source."""
        with user_code(self._place):
            # How strings are located matters only to the built-in aligner of answers.
            return replace(self._source.info, policy=None)

    def aligner(self, gold: Source, coding: Coding, repair: str) -> Aligner | None:
        """The aligner of the user's source, if it has one."""
        with user_code(self._place):
            aligner = self._source.aligner(gold, coding, repair)
        return None if aligner is None else _PluginAligner(self._place, aligner)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """The chunks of the user's source, each checked."""
        with user_code(self._place):
            is_empty = True
            for chunk in self._source.chunks(coding, tokens=tokens):
                if not isinstance(chunk, Corpus):
                    raise TypeError(f"a chunk is a {type(chunk).__name__}, not a Corpus")
                is_empty = False
                yield chunk
            if is_empty:
                raise InputError(
                    self.name, "the file holds no sentence", "check that it is the right file"
                )

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """The user's file with other labels."""
        with user_code(self._place):
            return self._source.relabelled(labels)


class _PluginAligner:
    """An aligner of a user's format: whatever fails in it is reported as a fault of the format."""

    def __init__(self, place: str, aligner: Any) -> None:
        self._place, self._aligner = place, aligner
        is_old = not hasattr(aligner, "align")  # written for version 0.2
        if is_old:
            message = "beside and whole_documents are called align and needs_whole_documents"
            warnings.warn(f"{place}: {message}", DeprecationWarning, stacklevel=2)
        with user_code(place):
            self._align = aligner.beside if is_old else aligner.align
            self.needs_whole_documents: bool = (
                aligner.whole_documents if is_old else aligner.needs_whole_documents
            )

    def align(self, gold: Corpus) -> Corpus:
        """The system's mentions on a chunk of gold."""
        with user_code(self._place):
            corpus: Corpus = self._align(gold)
            return corpus

    def finish(self) -> None:
        """Refuse a system that goes on where gold has ended."""
        with user_code(self._place):
            self._aligner.finish()


def open_source(given: CorpusLike, name: str = "<memory>", **options: Any) -> Source:
    """A path, an open file, a source, a `Corpus` or lists of tokens and labels, as a source.

    >>> open_source([(["Ada", "spoke"], ["B-PER", "O"])], "gold").name
    'gold'
    """
    if isinstance(given, Source | Corpus) and not options:
        return given if isinstance(given, Source) else CorpusSource(given)
    if isinstance(given, Source):
        return given.with_options(options)
    if isinstance(given, str | os.PathLike):
        return _opened(os.fsdecode(given), options)
    if hasattr(given, "read"):
        return _handed(given, str(getattr(given, "name", name)), options)
    if (wrap := wrapper_for(given)) is not None and not options:
        return wrap(given, name)
    if options:
        raise UsageError(
            "read",
            f"{', '.join(options)} cannot be said of sentences in memory",
            "use Corpus.of(…, scheme=…)",
        )
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        return SentenceList(given, name)
    raise InputError(
        name,
        f"a {type(given).__name__} is no corpus",
        "give a path, an open file, a Corpus or lists of sentences",
    )


def wrapper_for(given: object) -> Callable[[Any, str], Source] | None:
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
    path, options = split_options(text)
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
    files = matching_files(path)
    every = [FileBytes.of(file) for file in ([path] if files is None else files)]
    form = _format_of(every[0], told)
    said = options(form)
    opened = [form.open(one, **said) for one in every]
    return opened[0] if files is None else opened[0].join(opened, display_address(path))


def output_format(target: str) -> Format:
    """The format that `FILE::format=NAME` or the ending of a name says; columns otherwise.

    >>> output_format("out.txt").name
    'conll'
    """
    path, options = split_options(target)
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
    path, *rest = _OPTIONS_OF_ADDRESS.split(text, maxsplit=1)
    return path, "".join(rest)


def path_of(text: str) -> str:
    """The file in `FILE::option=value`."""
    return split_options(text)[0]


def input_files(text: str) -> list[str]:
    """All files that may be read for `FILE::option=value`: those beside it, and those it names.

    >>> input_files("gold.conll::scheme=bio")
    ['gold.conll']
    """
    path, options = split_options(text)
    files = matching_files(path) or [path]
    beside = [other for file in files for other in _files_beside(file)]
    values = (part.partition("=")[2] for part in options.split(","))
    # A Path would fail where a value is too long for a name, as that of names= may be.
    named = [value for value in values if os.path.isfile(value)]  # noqa: PTH113
    return [*files, *beside, *named]


def _files_beside(file: str) -> list[str]:
    """The files that some format would read along with a file; columns stand alone."""
    try:
        is_file = not is_remote(file) and Path(file).is_file()
        if is_file and FORMATS[FALLBACK].fits(file, FileBytes.of(file).head()):
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
    return _all_of(
        path, rest.pop("format", None), lambda form: _known(form, display_address(path), rest)
    )


def _handed(given: Any, name: str, options: Mapping[str, Any]) -> Source:
    """A file that somebody has opened; what it holds is kept, for it can be read but once."""
    first = given.read(_FIRST_READ)
    rest = dict(options)
    if isinstance(first, str):  # it has been decoded already
        rest.pop("encoding", None)
        data = FileBytes(name, data=(first + given.read()).encode())
    else:
        data = spool_to_disk(name, given, first)
    form = _format_of(data, rest.pop("format", None))
    return form.open(data, **_known(form, name, rest))


def _known(form: Format, name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options, refused if the format does not have them."""
    for key in options:
        if key not in form.options:
            raise UsageError(name, f"no file option is called '{key}'", suggest(key, form.options))
    return options


def _format_of(data: FileBytes, told: str | None) -> Format:
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
    for name in filter(FORMATS.is_built_in, FORMATS):
        if name != FALLBACK and FORMATS[name].fits(data.name, head):
            return FORMATS[name]
    return fallback


def read(given: CorpusLike, **options: Any) -> Corpus:
    """Read a whole corpus; options are those of its format.

    >>> import io
    >>> len(read(io.StringIO("Ada\\tB-PER\\n\\nhere\\tO\\n")))
    2
    """
    source = open_source(given, **options)
    return replace(join_chunks(list(source.chunks(Coding()))), name=source.name)
