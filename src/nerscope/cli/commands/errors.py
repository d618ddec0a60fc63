"""Print errors in their sentences: gold above, prediction below."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

import typer

from nerscope.cli.common import FORMAT, QUIET, RESULTS, emit_and_exit, load_results

if TYPE_CHECKING:
    from nerscope.results.results import Results

GROUP, RANK = "evaluate", 30


@dataclass(frozen=True)
class ErrorsOptions:
    results: str = RESULTS
    system: str | None = typer.Option(None, metavar="NAME", help="Only this system.")
    dataset: list[str] = typer.Option([], metavar="NAME", help="Only this dataset; repeatable.")
    type: list[str] = typer.Option(
        [], metavar="TYPE", help="Only this gold or predicted type; repeatable."
    )
    kind: list[str] = typer.Option(
        [],
        metavar="KIND",
        help="Only this kind: missed, spurious, wrong type, wrong boundary, wrong type and "
        "boundary (or both), split, merged, hallucinated; repeatable.",
    )
    facet: list[str] = typer.Option(
        [],
        metavar="FACET=LEVEL",
        help="Only mentions of a group, such as tmr=unseen-tokens; or wrong words of a group of "
        "words, such as hard=diff-E; repeatable.",
    )
    all_wrong: bool = typer.Option(
        False, "--all-wrong", help="Only gold mentions that every system gets wrong."
    )
    text: str | None = typer.Option(
        None, metavar="WORDS", help="Only mentions that contain this text."
    )
    sample: int | None = typer.Option(
        None, metavar="N", help="Draw N errors at random instead of the first ones."
    )
    sort: str = typer.Option("place", metavar="KEY", help="Order: place, type, kind or text.")
    seed: int = typer.Option(0, metavar="N", help="Seed of the random sample.")
    most: int = typer.Option(20, metavar="N", help="Number of errors to print.")
    width: int | None = typer.Option(
        None, metavar="N", help="Width in columns; default: that of the terminal."
    )
    format: str = FORMAT
    quiet: bool = QUIET


def _emit_tokens(results: "Results", options: ErrorsOptions) -> NoReturn:
    """Print wrong words instead of wrong mentions."""
    from shutil import get_terminal_size

    from nerscope.errors import UsageError
    from nerscope.render.mentions import token_errors_document
    from nerscope.results.token_mistakes import token_mistakes

    chosen = {"type": options.type, "kind": options.kind, "all-wrong": options.all_wrong}
    for name, value in {**chosen, "sort": options.sort != "place"}.items():
        if value:
            raise UsageError(
                f"--{name}",
                "this option is about mentions, and the facet is about words",
                f"leave out --{name}, or choose a facet of mentions",
            )
    selected, total = token_mistakes(
        results,
        options.facet,
        system=options.system,
        text=options.text,
        sample=options.sample,
        seed=options.seed,
    )
    columns = options.width or get_terminal_size().columns
    repeated = _repeated(results)
    document = token_errors_document(selected, total, columns, options.most, repeated)
    emit_and_exit(document, options.format, options=options)


def _repeated(results: "Results") -> set[str]:
    """The systems with several runs."""
    parts = results.evidence
    return {name for part in parts for name in part.systems if len(part.runs_of(name)) > 1}


def run(options: ErrorsOptions) -> None:
    from shutil import get_terminal_size

    from nerscope.errors import UsageError
    from nerscope.render.mentions import errors_document
    from nerscope.results.mistakes import mistakes
    from nerscope.results.selection import narrow_results
    from nerscope.results.token_mistakes import token_facets

    for name, value in (("--most", options.most), ("--width", options.width)):
        if value is not None and value < 0:
            raise UsageError(name, f"invalid value {value}", "give a whole number, 0 or more")
    results = load_results(options.results, form=options.format)
    if options.dataset:
        results = narrow_results(results, datasets=options.dataset)
    tokens = token_facets(results)
    if any(facet.partition("=")[0] in tokens for facet in options.facet):
        _emit_tokens(results, options)
    selected, total = mistakes(
        results,
        system=options.system,
        types=options.type,
        kinds=options.kind,
        facets=options.facet,
        all_wrong=options.all_wrong,
        text=options.text,
        sample=options.sample,
        sort=options.sort,
        seed=options.seed,
    )
    columns = options.width or get_terminal_size().columns
    document = errors_document(selected, total, columns, options.most, _repeated(results))
    document = replace(document, notes=[*document.notes, *results.folded_notes()])
    emit_and_exit(document, options.format, options=options)
