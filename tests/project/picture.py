"""The picture of a terminal session in the README: docs/session.svg.

Draw it again after a change of output with: python -m tests.project.picture --write
"""

import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text
from tests.project import sessions

TARGET = sessions.ROOT / "docs" / "session.svg"
COMMAND = "nerscope evaluate gold.conll bert.conll crf.conll --train train.conll"


def printed_on_terminal(command: str, folder: Path) -> str:
    """What a command prints on a terminal of 80 columns, with its colours."""
    ours, theirs = pty.openpty()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "80", "TERM": "xterm-256color"}
    with subprocess.Popen(
        ["bash", "-c", command], cwd=folder, env=environment, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # the terminal is closed
                break
            parts.append(part)
            if not part:
                break
        process.wait()
    os.close(ours)
    return b"".join(parts).decode().replace("\r", "")


def picture() -> str:
    """The session as an SVG that fetches no font."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        sessions.run("nerscope demo nerscope-demo", folder)
        work = folder / "work"
        work.mkdir()
        sessions.prepared(folder / "nerscope-demo", work, sessions.ROOT / "README.md")
        output = printed_on_terminal(COMMAND, work)
    console = Console(record=True, width=82, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ {COMMAND}", style="bold"))
    console.print(Text.from_ansi(output))
    drawn = console.export_svg(title="nerscope", unique_id="session")
    return re.sub(r"(?s)@font-face \{.*?\}\s*|<!--.*?-->\s*", "", drawn)


if __name__ == "__main__" and "--write" in sys.argv:
    TARGET.write_text(picture(), encoding="utf-8")
