"""`nerscope baseline`: train one system, and label a test file with it."""

from typing import Any

import typer

from nerscope.cli.common import FILE_HELP, PLUGIN_HELP, QUIET_HELP, checked_outputs, put, say


def command(
    train: str = typer.Option(metavar="FILE", help=f"What to learn from. {FILE_HELP}"),
    test: str = typer.Option(metavar="FILE", help="What to label; its own labels are not read."),
    output: str = typer.Option(
        ..., "-o", "--output", metavar="FILE", help="The test file with the labels of the system."
    ),
    recipe: str = typer.Option(
        "perceptron", metavar="NAME", help="The recipe; `nerscope recipes` lists them."
    ),
    option: list[str] = typer.Option(
        [], metavar="KEY=VALUE", help="An option of the recipe; repeatable."
    ),
    dev: str | None = typer.Option(None, metavar="FILE", help="What to choose the best round by."),
    seed: int = typer.Option(1, metavar="N", min=0, help="The same seed gives the same system."),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
    quiet: bool = typer.Option(False, "--quiet", "-q", help=QUIET_HELP),
) -> None:
    """Train one system to compare with, and label a test file with it."""
    from nerscope.formats.base import source_named
    from nerscope.lab.lessons import baseline
    from nerscope.lab.recipe import recipe_named
    from nerscope.plugins import load_plugins

    load_plugins(plugin)
    options = recipe_named(recipe).parse_options(option)
    files = [value for value in options.values() if isinstance(value, str)]
    checked_outputs([output], [train, test, dev, *files, *plugin])
    baseline(
        source_named(train),
        source_named(test),
        output,
        recipe=recipe,
        dev=source_named(dev) if dev else None,
        seed=seed,
        say=(lambda line: None) if quiet else say,
        **options,
    )
    if not quiet:
        put(f"{output} is written; next: {_next(test, train, recipe, output)}\n")


def _next(test: str, train: str, recipe: str, output: str) -> str:
    import shlex

    from nerscope.formats.base import path_of

    words: list[Any] = ["nerscope", "evaluate", test, "--train", train, "--system"]
    reading = test[len(path_of(test)) :]
    return shlex.join([*words, f"{recipe}={output}{reading}"])
