"""Train a baseline and label a test file with it."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FILE_HELP, PLUGIN, QUIET, print_message, print_output
from nerscope.cli.options import check_outputs

GROUP, RANK = "train", 140


@dataclass(frozen=True)
class BaselineOptions:
    train: list[str] = typer.Option(
        ..., metavar="FILE", help=f"Training data; repeated files are joined. {FILE_HELP}"
    )
    test: str = typer.Option(metavar="FILE", help="File to label; its labels are not read.")
    output: str = typer.Option(
        ..., "-o", "--output", metavar="FILE", help="The test file with predicted labels."
    )
    recipe: str = typer.Option(
        "perceptron", metavar="NAME", help="The recipe; nerscope recipes lists them."
    )
    option: list[str] = typer.Option(
        [], metavar="KEY=VALUE", help="An option of the recipe; repeatable."
    )
    dev: str | None = typer.Option(
        None, metavar="FILE", help="Development data, to choose the best round."
    )
    seed: int = typer.Option(1, metavar="N", min=0, help="Seed of the training.")
    plugin: list[str] = PLUGIN
    quiet: bool = QUIET


def run(options: BaselineOptions) -> None:
    from nerscope.formats.base import source_named
    from nerscope.lab.lessons import baseline
    from nerscope.lab.recipe import recipe_named
    from nerscope.registry import load_plugins

    load_plugins(options.plugin)
    recipe_options = recipe_named(options.recipe).parse_options(options.option)
    # Options of a recipe may name files, such as a dictionary: these are inputs, too.
    files = [value for value in recipe_options.values() if isinstance(value, str)]
    inputs = [*options.train, options.test, options.dev, *files, *options.plugin]
    check_outputs([options.output], inputs)
    baseline(
        [source_named(text) for text in options.train],
        source_named(options.test),
        options.output,
        recipe=options.recipe,
        dev=source_named(options.dev) if options.dev else None,
        seed=options.seed,
        say=(lambda line: None) if options.quiet else print_message,
        **recipe_options,
    )
    if not options.quiet:
        print_output(f"Wrote {options.output}. Next: {_evaluate_command(options)}\n")


def _evaluate_command(options: BaselineOptions) -> str:
    """The command that evaluates the output; it is read with the options of the test file."""
    import shlex

    from nerscope.formats.base import path_of

    file_options = options.test[len(path_of(options.test)) :]
    system = f"{options.recipe}={options.output}{file_options}"
    training = [word for text in options.train for word in ("--train", text)]
    return shlex.join(["nerscope", "evaluate", options.test, *training, "--system", system])
