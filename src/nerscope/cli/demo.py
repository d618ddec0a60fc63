"""`nerscope demo`: evaluate the demonstration data."""

import typer


def command(
    folder: str = typer.Argument(
        "nerscope-demo", metavar="DIR", help="Where to put the data and the results."
    ),
) -> None:
    """Put the demonstration data in a folder, evaluate it, and say where the results are."""
    from importlib.resources import as_file, files
    from pathlib import Path
    from shutil import copytree, ignore_patterns

    from nerscope.errors import OutputError
    from nerscope.evaluation.evaluate import evaluate
    from nerscope.render.tables import overview
    from nerscope.render.writers import TABLE_WRITERS, with_conditions

    target = Path(folder)
    try:
        with as_file(files("nerscope.demo")) as data:
            copytree(
                data, target, dirs_exist_ok=True, ignore=ignore_patterns("*.py", "__pycache__")
            )
    except OSError as error:
        raise OutputError(
            folder, f"it cannot be written ({error.strerror})", "name another folder"
        ) from None
    systems: dict[str, list[str]] = {}
    for path in sorted((target / "systems").glob("*.conll")):
        systems.setdefault(path.name.split(".")[0], []).append(str(path))
    results = evaluate(
        str(target / "test.conll"), systems, train=str(target / "train.conll"), dataset="demo"
    )
    results.save(target / "results.json")
    typer.echo(with_conditions(TABLE_WRITERS["text"](overview(results)), "text", results), nl=False)
    typer.echo(f"\nThe data are in {target}, the results in {target / 'results.json'}.")
    typer.echo("The same by hand:\n")
    flags = " ".join(f"--system {name}={path}" for name, paths in systems.items() for path in paths)
    typer.echo(f"  nerscope evaluate {target}/test.conll --train {target}/train.conll {flags}")
