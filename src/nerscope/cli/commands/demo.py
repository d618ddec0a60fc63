"""Write demonstration data, evaluate it, and show the results."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from nerscope.cli.common import emit_and_exit

if TYPE_CHECKING:
    from pathlib import Path

GROUP, RANK = "share", 200


@dataclass(frozen=True)
class DemoOptions:
    folder: str = typer.Argument(
        "nerscope-demo", metavar="DIR", help="The folder for the data and the results."
    )


def run(options: DemoOptions) -> None:
    from dataclasses import replace
    from pathlib import Path

    from nerscope.evaluation.evaluate import evaluate
    from nerscope.render.document import Verbatim
    from nerscope.render.first_screen import first_screen
    from nerscope.render.page.html import page_html
    from nerscope.results.files import write_bytes, write_text

    target = Path(options.folder)
    test, train = target / "test.conll", target / "train.conll"
    saved, page = target / "results.json", target / "report.html"
    data = {target / name: content for name, content in _demo_files()}
    systems: dict[str, list[str]] = {}
    for path in sorted(path for path in data if path.parent == target / "systems"):
        systems.setdefault(path.name.split(".")[0], []).append(str(path))
    with _removed_on_failure([*data, saved, page]):
        for path, content in data.items():
            write_bytes(path, content)
        results = evaluate(str(test), systems, train=str(train), dataset="demo")
        write_text(saved, results.file_text())
        write_text(page, page_html(results))
    lines = [
        f"Data: {target}. Results: {saved}. Open {page} in a browser. By hand:",
        *map(Verbatim, _command_lines(target, list(systems))),
    ]
    emit_and_exit(replace(first_screen(results, str(saved), lines), notes=[]), "text")


def _command_lines(target: "Path", systems: Sequence[str]) -> list[str]:
    """The command that evaluates the data, in lines that fit the screen."""
    folder = target / "systems"
    parts = [f"nerscope evaluate {target / 'test.conll'} --train {target / 'train.conll'}"]
    parts += [f"--system {name}='{folder / name}*.conll'" for name in systems]
    parts.append(f"-o {target / 'results.json'} --report {target / 'report.html'}")
    return [f"  {part}{_CONTINUED}" for part in parts[:-1]] + [f"  {parts[-1]}"]


_CONTINUED = " \\"  # of a line that a shell reads on


def _demo_files() -> Iterator[tuple[str, bytes]]:
    """The files of the demonstration, each with its path in the folder."""
    from importlib.resources import files

    data = files("nerscope.demo")
    for folder, prefix in ((data, ""), (data / "systems", "systems/")):
        for file in folder.iterdir():
            if file.name.endswith(".conll"):
                yield f"{prefix}{file.name}", file.read_bytes()


@contextmanager
def _removed_on_failure(paths: "Sequence[Path]") -> Iterator[None]:
    """Make the folders of files; if anything fails, remove what was not there before."""
    from nerscope.results.files import unwritable

    folders = {parent for path in paths for parent in path.parents}
    new = [path for path in {*paths, *folders} if not path.exists()]
    try:
        try:
            for path in paths:
                path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(str(path.parent), error) from None
        yield
    except BaseException:  # also Ctrl-C
        for path in sorted(new, reverse=True):  # what is in a folder comes before the folder
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise
