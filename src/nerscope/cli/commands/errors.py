"""Show mistakes: gold above, prediction below, the sentence between them."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FORMAT, QUIET, RESULTS, emit_and_exit, load_results

RANK = 60


@dataclass(frozen=True)
class ErrorsOptions:
    results: str = RESULTS
    system: str | None = typer.Option(None, metavar="NAME", help="Only this system.")
    type: list[str] = typer.Option([], metavar="TYPE", help="Only these gold or predicted types.")
    kind: list[str] = typer.Option(
        [],
        metavar="KIND",
        help="missed, spurious, wrong type, wrong boundary, wrong type and boundary, split, "
        "merged, hallucinated; repeatable.",
    )
    facet: list[str] = typer.Option(
        [], metavar="FACET=LEVEL", help="Only mentions of a level, such as tmr=unseen-tokens."
    )
    all_wrong: bool = typer.Option(
        False, "--all-wrong", help="Only gold mentions that every system gets wrong."
    )
    text: str | None = typer.Option(None, metavar="WORDS", help="Only mentions with these words.")
    sample: int | None = typer.Option(
        None, metavar="N", help="Take so many at random instead of the first ones."
    )
    sort: str = typer.Option("place", metavar="KEY", help="place, type, kind or text.")
    seed: int = typer.Option(0, metavar="N", help="The same seed takes the same sample.")
    most: int = typer.Option(20, metavar="N", help="How many are shown.")
    width: int | None = typer.Option(None, metavar="N", help="Columns; those of the terminal.")
    format: str = FORMAT
    quiet: bool = QUIET


def run(options: ErrorsOptions) -> None:
    from shutil import get_terminal_size

    from nerscope.errors import UsageError
    from nerscope.render.mentions import errors_document
    from nerscope.results.mistakes import mistakes

    for name, value in (("--most", options.most), ("--width", options.width)):
        if value is not None and value < 0:
            raise UsageError(name, f"{value} cannot be", "give a whole number from 0 on")
    selected, total = mistakes(
        load_results(options.results, form=options.format),
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
    emit_and_exit(
        errors_document(selected, total, columns, options.most), options.format, quiet=options.quiet
    )
