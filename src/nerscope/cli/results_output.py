"""Results in files and on the screen, for `evaluate`, `run`, `report`; the lists of `evaluate`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol

from nerscope.cli.common import FileContent, emit_and_exit, print_message

if TYPE_CHECKING:
    from nerscope.formats.source import Source
    from nerscope.render.document import Document, Table
    from nerscope.results.compare import Comparison
    from nerscope.results.judged import JudgedResults
    from nerscope.results.judgements import JudgedFile
    from nerscope.results.results import Results

_ListRows = Sequence[Mapping[str, Any]]


class OutputOptions(Protocol):
    """The options of a command that say where its results go."""

    @property
    def output(self) -> str | None: ...
    @property
    def report(self) -> str | None: ...
    @property
    def format(self) -> str: ...
    @property
    def all(self) -> bool: ...
    @property
    def quiet(self) -> bool: ...


def comparison_path(output: str | None) -> str | None:
    """Where the comparison goes: beside the results, if they go to a plain file."""
    from nerscope.results.files import is_special

    if output is None or is_special(output):
        return None
    return str(Path(output).with_suffix(".comparison.json"))


def read_judges(paths: Sequence[str]) -> list["JudgedFile"]:
    if not paths:
        return []
    from nerscope.results.judgements import read_pairs

    return [read_pairs(path) for path in paths]


def judge_results(results: "Results", judges: Sequence["JudgedFile"]) -> "JudgedResults | None":
    """The judgements of the pairs of these results, if there are any judges."""
    if not judges:
        return None
    from nerscope.results.judged import judged_results

    return judged_results(results, judges)


def add_judgements(document: "Document", judged: "JudgedResults | None") -> "Document":
    if judged is None:
        return document
    from nerscope.render.mentions import add_judgement_tables

    return add_judgement_tables(document, judged)


def result_files(
    results: "Results",
    options: OutputOptions,
    judges: Sequence["JudgedFile"],
    extra: Mapping[str, Any] | None = None,
) -> dict[str, FileContent]:
    """The results and the report by path; `extra` goes into the JSON of the results."""
    files: dict[str, FileContent] = {}
    if options.output:
        files[options.output] = lambda: results.file_text(extra)
    if options.report:
        from nerscope.render.page.html import RESULTS_FILE, page_html  # it takes long to import

        saved = options.output or RESULTS_FILE
        files[options.report] = lambda: page_html(results, judges, saved)
    return files


def emit_results(
    results: "Results",
    comparison: "Comparison | None",
    options: OutputOptions,
    *,
    judges: Sequence["JudgedFile"] = (),
    extra: Mapping[str, Any] | None = None,
    first_tables: Sequence["Table"] = (),
    extra_tables: Sequence["Table"] = (),
    extra_files: Mapping[str, FileContent] | None = None,
    notes: Sequence[str] = (),
    code: int = 0,
) -> NoReturn:
    """Write the files of an experiment, print the rest, and end; `extra` goes into the JSON.

    `first_tables` come before those of the results, `extra_tables` after them.
    """
    from nerscope.render.document import as_json
    from nerscope.render.first_screen import first_screen
    from nerscope.render.tables import results_document

    document = results_document(results) if options.all else first_screen(results, options.output)
    judged = judge_results(results, judges)
    document = add_judgements(document, judged)
    data = {**(judged.data if judged else {}), **(extra or {})}
    files = {**result_files(results, options, judges, data), **(extra_files or {})}
    if comparison is not None:
        document = _add_comparison(document, comparison, results.signature)
        if path := comparison_path(options.output):
            files[path] = lambda: as_json(comparison.as_dict())
            if not options.quiet:
                print_message(f"wrote the comparison to {path}")
    document = replace(
        document,
        tables=[*first_tables, *document.tables, *extra_tables],
        notes=[*document.notes, *notes],
        data=data or None,
    )
    # With -o, the JSON is in the file: printing it again would bury the notes.
    silent = options.format == "json" and bool(options.output)
    emit_and_exit(document, options.format, files=files, code=code, silent=silent, options=options)


def _add_comparison(document: "Document", comparison: "Comparison", signature: str) -> "Document":
    """The document with the answers of a comparison above its tables."""
    from nerscope.render.comparison import comparison_document

    answers = comparison_document(comparison, signature, cells=False)
    return replace(
        document,
        leading=[*document.leading, *answers.leading],
        tables=[*document.tables, *answers.tables],
        opening=[*document.opening, *answers.opening],
        notes=[*document.notes, *comparison.notes],
    )


_READING = ("repair", "map", "drop")  # how labels are read, and what types count as


class ListRequest(NamedTuple):
    """What a list of `nerscope evaluate --list NAME` is made from."""

    results: "Results"
    test: "Source"  # gold; without systems, a file that has the predictions too
    systems: Mapping[str, list["Source"]] | None
    training: Sequence["Source"]
    settings: Mapping[str, Any]  # fields of `nerscope.evaluation.task.Settings`

    @property
    def gold(self) -> "Source":
        return self.test if self.systems else self.test.two_sides()[0]

    def settings_of(self, *names: str) -> dict[str, Any]:
        return {name: self.settings[name] for name in names}


def _hard_tokens(request: ListRequest) -> _ListRows:
    from nerscope.dataset.hard_tokens import hard_tokens
    from nerscope.formats.source import JoinedSources

    options = request.settings_of(*_READING, "case")
    rows = hard_tokens(JoinedSources(request.training), request.gold, **options)
    return [row.as_dict() for row in rows]


def _hard_errors(request: ListRequest) -> _ListRows:
    from nerscope.evaluation.listings import hard_errors
    from nerscope.evaluation.task import Settings, open_task

    options = request.settings_of(*_READING, "case", "token_repair", "token_match")
    settings = Settings.of({"facets": ("hard", "hard-strict"), **options})
    return hard_errors(open_task(request.test, request.systems, request.training, None, settings))


def _wrong_tokens(request: ListRequest) -> _ListRows:
    from nerscope.results.token_mistakes import token_mistakes

    return token_mistakes(request.results)[0]


def _types(request: ListRequest) -> _ListRows:
    from nerscope.evaluation.listings import coverage

    return coverage(request.test, request.systems, **request.settings_of(*_READING))


def _unaligned(request: ListRequest) -> _ListRows:
    from nerscope.results.mistakes import unaligned

    return unaligned(request.results)


def _unreadable(request: ListRequest) -> _ListRows:
    from nerscope.formats.answers.source import AnswerSource

    sources = ((name, run) for name, runs in (request.systems or {}).items() for run in runs)
    return [
        {"system": system, **answer._asdict()}
        for system, source in sources
        if isinstance(source, AnswerSource)
        for answer in source.unreadable()
    ]


class ListKind(NamedTuple):
    title: str
    rows: Callable[[ListRequest], _ListRows]
    needs_training: bool = False
    needs_mentions: bool = False  # single mentions, which large results leave out by default


LISTS = {
    "hard": ListKind("Most frequent hard words", _hard_tokens, needs_training=True),
    "hard-errors": ListKind(
        "Hard words that are mislabelled most often", _hard_errors, needs_training=True
    ),
    "wrong-tokens": ListKind(
        "Wrong words in their sentences", _wrong_tokens, needs_training=True, needs_mentions=True
    ),
    "partial": ListKind(
        "Pairs with partial credit",
        lambda request: request.results.partial_pairs(),
        needs_mentions=True,
    ),
    "confusion": ListKind(
        "Gold types against predicted types",
        lambda request: request.results.confusion(),
        needs_mentions=True,
    ),
    "types": ListKind("Types as they are written, and what they count as", _types),
    "unaligned": ListKind(
        "Predicted mentions that are not in the text or not on token boundaries",
        _unaligned,
        needs_mentions=True,
    ),
    "unreadable": ListKind("Answers that are not readable, or only partly", _unreadable),
}
