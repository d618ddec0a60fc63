"""The entry point of the command line, and what errors become."""

import io
import os
import sys
from types import TracebackType

import typer
from typer.main import get_command

from nerscope.cli.commands import CommandGroup
from nerscope.cli.common import print_message, print_output
from nerscope.cli.options import (
    COMPLETION_VARIABLE,
    SHELLS,
    install_completion,
    register_shells,
    show_completion,
)
from nerscope.errors import NerscopeError
from nerscope.version import VERSION

FAULT = 3  # exit code of an internal error or a failing machine


def _version(requested: bool) -> None:
    if requested:
        print_output(f"{VERSION}\n")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version."
    ),
    show_completion: str | None = typer.Option(
        None,
        metavar="SHELL",
        callback=show_completion,
        is_eager=True,
        help=f"Print the completion script of a shell: {', '.join(SHELLS)}.",
    ),
    install_completion: str | None = typer.Option(
        None,
        metavar="SHELL",
        callback=install_completion,
        is_eager=True,
        help="Install completion for a shell.",
    ),
) -> None:
    """Evaluate named-entity recognisers: how good they are, where they fail, whether B beats A.

    `nerscope demo` shows an example. `nerscope explain TEXT` explains anything that is printed.
    """


def application() -> typer.Typer:
    """The command line with all commands of `nerscope.cli.commands`."""
    app = typer.Typer(
        name="nerscope",
        cls=CommandGroup,
        help=_options.__doc__,
        add_completion=False,  # our own options name the shell, which may be another than this one
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    return app


def main() -> None:
    """Run the command line; bad usage or input is one message and exit code 2, no traceback."""
    sys.excepthook = _fault
    _print_plain_line_ends()
    if COMPLETION_VARIABLE in os.environ:
        register_shells()
    try:
        # Calling the typer app itself would replace sys.excepthook.
        get_command(application())(prog_name="nerscope")
    except NerscopeError as error:
        print_message(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print_message("stopped")
        sys.exit(130)
    except OSError as error:
        from nerscope.results.files import SURROUNDINGS, unwritable

        if error.errno not in SURROUNDINGS:
            raise
        # A full disk may show anywhere: in a cache, a log, a temporary file.
        print_message(str(unwritable(str(error.filename or "the disk"), error)))
        sys.exit(FAULT)


def _print_plain_line_ends() -> None:
    """Print \\n on Windows, too, so that redirected output is the same file everywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(newline="\n")


def _fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report an unexpected error in one message, with an exit code of its own."""
    if os.environ.get("NERSCOPE_TRACEBACK"):
        sys.__excepthook__(kind, error, trace)
    print_message(
        f"internal error ({kind.__name__}: {error}). "
        "Fix: report it, with the output of NERSCOPE_TRACEBACK=1 nerscope …"
    )
    sys.stderr.flush()
    # After an excepthook, Python would exit with 1, which means that a check failed.
    os._exit(FAULT)
