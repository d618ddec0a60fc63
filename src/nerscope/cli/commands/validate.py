"""List invalid label transitions with their places."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FILE_HELP, FORMAT, PLUGIN, emit_and_exit, prepare

GROUP, RANK = "data", 100


@dataclass(frozen=True)
class ValidateOptions:
    files: list[str] = typer.Argument(metavar="FILE…", help=f"The files to check. {FILE_HELP}")
    scheme: str | None = typer.Option(
        None, metavar="NAME", help="The tagging scheme; default: auto-detected."
    )
    plugin: list[str] = PLUGIN
    format: str = FORMAT


def run(options: ValidateOptions) -> None:
    from nerscope.dataset.validate import validate
    from nerscope.formats.base import source_named
    from nerscope.render.dataset import validation_document

    prepare(options.plugin, options.format)
    validations = [validate(source_named(text), scheme=options.scheme) for text in options.files]
    code = 0 if all(validation.ok for validation in validations) else 1
    emit_and_exit(
        validation_document(
            [validation._asdict() for validation in validations], text=options.format == "text"
        ),
        options.format,
        code=code,
    )
