"""Write a report page (HTML) of saved results."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import PLUGIN, RESULTS, emit_and_exit, load_results, print_message
from nerscope.cli.options import check_outputs
from nerscope.cli.results_output import add_judgements, judge_results, read_judges
from nerscope.errors import UsageError

GROUP, RANK = "share", 170


@dataclass(frozen=True)
class ReportOptions:
    results: str = RESULTS
    output: str | None = typer.Option(
        None, "-o", "--output", metavar="FILE", help="The page; default: RESULTS with .html."
    )
    open: bool = typer.Option(False, "--open", help="Open the page in the browser.")
    judgements: list[str] = typer.Option(
        [], metavar="FILE", help="Judgements that such a page exported; one file per judge."
    )
    plugin: list[str] = PLUGIN


def run(options: ReportOptions) -> None:
    import webbrowser
    from pathlib import Path

    from nerscope.annotation.agreement import is_agreement_file
    from nerscope.render.document import Document
    from nerscope.render.page.html import page_html
    from nerscope.results.files import write_text

    target = options.output or str(Path(options.results).with_suffix(".html"))
    check_outputs([target], [options.results, *options.plugin, *options.judgements])
    document = Document(lines=[f"The report is in {target}."])
    if is_agreement_file(options.results):
        write_text(target, _agreement_html(options))
    else:
        judges = read_judges(options.judgements)
        loaded = load_results(options.results, options.plugin)
        document = add_judgements(document, judge_results(loaded, judges))
        write_text(target, page_html(loaded, judges, options.results))
    if options.open and not webbrowser.open(Path(target).resolve().as_uri()):
        print_message("note: no browser was found to open it")
    emit_and_exit(document, "text")


def _agreement_html(options: ReportOptions) -> str:
    """The page on which people decide about the disagreements of a saved agreement."""
    from nerscope.annotation.agreement import Agreement
    from nerscope.render.page.decide_agreement import agreement_report

    if options.judgements:
        raise UsageError(
            "--judgements",
            f"{options.results} is an agreement of annotators, without partial matches",
            "leave out --judgements",
        )
    return agreement_report(Agreement.load(options.results)).html
