"""The front door of the command line: commands, and what becomes of errors."""

import os
import signal
import sys

import typer

from nerscope.cli import (
    compare,
    convert,
    demo,
    describe,
    diagnose,
    evaluate,
    gate,
    init,
    judged,
    validate,
)
from nerscope.errors import NerscopeError
from nerscope.version import VERSION

app = typer.Typer(
    name="nerscope",
    help="How good a named-entity recogniser really is, where it fails, and whether B truly beats A.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("evaluate")(evaluate.command)
app.command("describe")(describe.command)
app.command("compare")(compare.command)
app.command("diagnose")(diagnose.command)
app.command("gate")(gate.command)
app.command("init")(init.command)
app.command("judged")(judged.command)
app.command("validate")(validate.command)
app.command("convert")(convert.command)
app.command("demo")(demo.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(VERSION)
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """How good a named-entity recogniser really is, where it fails, and whether B truly beats A."""


def main() -> None:
    """Run the command line; a problem of the user's is one message and exit code 2."""
    if hasattr(
        signal, "SIGPIPE"
    ):  # the reader of our output has gone, as `head` does: no failure, and nothing more to do
        signal.signal(signal.SIGPIPE, lambda number, frame: os._exit(0))
    try:
        app(prog_name="nerscope")
    except NerscopeError as error:
        typer.echo(f"nerscope: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:  # the same where there are no signals
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        typer.echo("nerscope: stopped", err=True)
        sys.exit(130)
