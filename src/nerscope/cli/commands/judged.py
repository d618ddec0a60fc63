"""Report how many partial matches people judged good."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FORMAT, emit_and_exit, prepare

GROUP, RANK = "share", 190


@dataclass(frozen=True)
class JudgedOptions:
    pairs: list[str] = typer.Argument(
        metavar="PAIRS…",
        help="Judged lists from evaluate --list partial --format csv, or the JSON that a report "
        "page exports; one file per judge.",
    )
    by_type: bool = typer.Option(False, "--by-type", help="Report each type separately.")
    format: str = FORMAT


def run(options: JudgedOptions) -> None:
    from nerscope.render.document import Document
    from nerscope.render.mentions import judged_tables
    from nerscope.results.judged import agreement, shares
    from nerscope.results.judgements import read_judgements

    prepare((), options.format)
    judges = [read_judgements(path) for path in options.pairs]
    judged_shares = shares(
        [judgement for judge in judges for judgement in judge.judgements], options.by_type
    )
    agreed = agreement(judges) if len(judges) > 1 else None
    data = {"shares": judged_shares, "agreement": agreed}
    emit_and_exit(
        Document(judged_tables(judged_shares, agreed), data, judged_shares), options.format
    )
