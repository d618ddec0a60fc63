"""Notebooks without a server: run the code cells of one, compare or refresh what they show.

Refresh the outputs after a change with: python -m tests.project.notebook --write
"""

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TOUR = ROOT / "examples" / "tour.ipynb"


def read(path: Path) -> dict[str, Any]:
    """A notebook as it is stored."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells that are run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shown(cell: dict[str, Any]) -> str:
    """What a stored cell shows."""
    return "".join(
        "".join(output["text"] if "text" in output else output["data"]["text/plain"])
        for output in cell["outputs"]
    )


def run_cell(source: str, names: dict[str, Any], place: str) -> str:
    """What a cell prints, and the value of its last line, as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, place, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)
            if value is not None:
                print(repr(value))
    return printed.getvalue()


def run(notebook: dict[str, Any], folder: Path) -> list[str]:
    """What every code cell shows, run in order in a folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder):
        return [
            run_cell("".join(cell["source"]), names, f"cell {number}")
            for number, cell in enumerate(code_cells(notebook), 1)
        ]


def refresh(path: Path) -> None:
    """Store what the cells show now."""
    notebook = read(path)
    with tempfile.TemporaryDirectory() as folder:
        texts = run(notebook, Path(folder))
    for number, (cell, text) in enumerate(zip(code_cells(notebook), texts, strict=True), 1):
        lines = text.splitlines(keepends=True)
        stream = {"name": "stdout", "output_type": "stream", "text": lines}
        cell |= {"execution_count": number, "outputs": [stream] if text else []}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    assert "--write" in sys.argv, "say --write"
    refresh(TOUR)
