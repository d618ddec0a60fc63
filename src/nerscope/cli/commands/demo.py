"""Put the demonstration data in a folder, evaluate it, and say where the results are."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import emit_and_exit

RANK = 200


@dataclass(frozen=True)
class DemoOptions:
    folder: str = typer.Argument(
        "nerscope-demo", metavar="DIR", help="Where to put the data and the results."
    )


def run(options: DemoOptions) -> None:
    from dataclasses import replace
    from importlib.resources import as_file, files
    from pathlib import Path
    from shutil import copytree, ignore_patterns

    from nerscope.evaluation.evaluate import evaluate
    from nerscope.render.page.html import page_html
    from nerscope.render.tables import results_document
    from nerscope.results.files import unwritable

    target = Path(options.folder)
    try:
        with as_file(files("nerscope.demo")) as data:
            ignored = ignore_patterns("*.py", "__pycache__")
            copytree(data, target, dirs_exist_ok=True, ignore=ignored)
    except OSError as error:
        raise unwritable(options.folder, error) from None
    systems: dict[str, list[str]] = {}
    for path in sorted((target / "systems").glob("*.conll")):
        systems.setdefault(path.name.split(".")[0], []).append(str(path))
    test, train = target / "test.conll", target / "train.conll"
    saved, page = target / "results.json", target / "report.html"
    results = evaluate(str(test), systems, train=str(train), dataset="demo")
    flags = " ".join(f"--system {name}={path}" for name, paths in systems.items() for path in paths)
    lines = [
        f"The data are in {target}, the results in {saved}.",
        f"Open {page} to see where the systems fail. The same by hand:",
        "",
        f"  nerscope evaluate {test} --train {train} {flags} -o {saved} --report {page}",
        "",
    ]
    document = replace(results_document(results), lines=lines)
    written = {str(saved): results.file_text, str(page): lambda: page_html(results)}
    emit_and_exit(
        document, "text", files=written, quiet=True
    )  # so that it ends with what to do next
