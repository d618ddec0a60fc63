"""Checks as annotations of a GitHub workflow: one command per line."""

from collections.abc import Mapping

from nerscope.errors import UsageError
from nerscope.render.document import OUTPUTS, Check, Document, OutputFormat, escape_controls

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}


def as_github(document: Document) -> str:
    """An error for what fails, a warning for what is undecided, a notice for the rest."""
    if document.checks is None:
        raise UsageError("--format github", "there are no verdicts to show", "use it with gate")
    return "".join(map(_annotation, document.checks))


def _annotation(check: Check) -> str:
    command = "error" if check.failed else "notice" if check.outcome == "ok" else "warning"
    title = f"{check.outcome}: {check.group}, {check.name}"
    # The title is not shown in the log, so the message says all.
    return f"::{command} title={_escaped(title, _PROPERTY)}::" + (
        f"{_escaped(f'{title}: {check.message}', _DATA)}\n"
    )


def _escaped(text: str, signs: Mapping[int, str | None]) -> str:
    return escape_controls(text.translate(signs))


OUTPUTS.add(
    "github",
    OutputFormat(
        as_github, "GitHub", "GitHub annotations", "Checks as annotations of a GitHub workflow."
    ),
    built_in=True,
    rank=80,
)
