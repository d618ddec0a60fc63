"""`nerscope report`: one page that shows where systems fail."""

import typer

from nerscope.cli.common import PLUGIN_HELP, checked_outputs, emit, say
from nerscope.cli.experiments import judged_of, judges_of, with_judged


def command(
    results: str = typer.Argument(metavar="RESULTS", help="What `evaluate -o` wrote."),
    output: str | None = typer.Option(
        None, "-o", "--output", metavar="FILE", help="The page; RESULTS with .html unless told."
    ),
    open: bool = typer.Option(False, "--open", help="Open the page in the browser."),
    judgements: list[str] = typer.Option(
        [], metavar="FILE", help="What people judged on such a page; one file a judge."
    ),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
) -> None:
    """Write a page, in one file, that shows how good systems are and where they fail."""
    import webbrowser
    from pathlib import Path

    from nerscope.plugins import load_plugins
    from nerscope.render.document import Document
    from nerscope.render.page.html import page_html
    from nerscope.results.files import write_text
    from nerscope.results.results import Results

    load_plugins(plugin)
    target = output or str(Path(results).with_suffix(".html"))
    checked_outputs([target], [results, *plugin, *judgements])
    judges = judges_of(judgements)
    loaded = Results.load(results)
    said = Document(lines=[f"The report is in {target}."])
    said = with_judged(said, judged_of(loaded, judges))
    write_text(target, page_html(loaded, judges))
    if open and not webbrowser.open(Path(target).resolve().as_uri()):
        say("note: there is no browser to open it with")
    emit(said, "text")
