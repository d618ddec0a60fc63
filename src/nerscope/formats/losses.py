"""What was read differently from how it was written: counted and shown, never silent."""

from collections.abc import Iterator, Sequence
from typing import TypedDict

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import Fault
from nerscope.errors import FormatError, plural

_PLACES = 5


class Loss(TypedDict):
    """Something that was read differently from how it was written: what, how often, where first."""

    source: str
    kind: str
    count: int
    places: list[str]
    message: str


def losses_of(corpora: Sequence[Corpus], repair: str) -> list[Loss]:
    """What each corpus lost; with the repair `none`, the first forbidden transition is refused."""
    return [loss for corpus in corpora for loss in _losses(corpus, repair)]


def _losses(corpus: Corpus, repair: str) -> Iterator[Loss]:
    column, name = corpus.column, corpus.name
    if column.other_tokens:
        message = f"{plural(column.other_tokens, 'token')} spelt otherwise than in gold; matched by position"
        yield _loss(
            name, "different tokens", column.other_tokens, [column.first_other_line], message
        )
    if column.mended:
        yield _loss(
            name,
            "mended labels",
            column.mended,
            [],
            f"{plural(column.mended, 'label')} mended as asked",
        )
    faults = column.transitions.faults(column.scheme)
    if faults:
        yield _repaired(name, column.scheme.name, faults, repair)


def _repaired(name: str, scheme: str, faults: Sequence[Fault], repair: str) -> Loss:
    total = sum(fault.times for fault in faults)
    if repair == "none":
        first = min(faults, key=lambda fault: fault.first_line)
        raise FormatError(
            f"{name}:{first.first_line}",
            f"{spell(first)} is not allowed in {scheme} ({plural(total, 'such place')})",
            "mend the labels, name the right scheme with scheme=…, or choose a repair",
        )
    kinds = ", ".join(f"{spell(fault)} ({fault.times})" for fault in faults[:3])
    message = (
        f"{plural(total, 'transition')} not allowed in {scheme}, repaired as {repair}: {kinds}"
    )
    return _loss(
        name, "repaired labels", total, sorted(fault.first_line for fault in faults), message
    )


def spell(fault: Fault) -> str:
    """A fault in words."""
    return f"{fault.after} after {fault.before}"


def _loss(name: str, kind: str, count: int, lines: Sequence[int], message: str) -> Loss:
    places = [f"{name}:{line}" for line in lines[:_PLACES]] or [name]
    return {"source": name, "kind": kind, "count": count, "places": places, "message": message}
