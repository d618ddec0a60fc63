"""What was read differently from how it was written: counted and shown, never silent."""

from collections.abc import Sequence

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import Fault
from nerscope.errors import FormatError, plural
from nerscope.results import Loss

_PLACES = 5


def losses_of(corpora: Sequence[Corpus], repair: str) -> list[Loss]:
    """The repairs in each corpus; with the repair `none`, the first forbidden transition is refused."""
    losses = []
    for corpus in corpora:
        scheme = corpus.column.scheme
        if corpus.column.other_tokens:
            losses.append(_other_tokens(corpus))
        faults = corpus.column.transitions.faults(scheme)
        if corpus.column.mended:
            losses.append(_mended(corpus))
        if not faults:
            continue
        if repair == "none":
            total = sum(fault.times for fault in faults)
            first = min(faults, key=lambda fault: fault.first_line)
            raise FormatError(
                f"{corpus.name}:{first.first_line}",
                f"{spell(first)} is not allowed in {scheme.name} ({plural(total, 'such place')})",
                "mend the labels, name the right scheme with scheme=…, or choose a repair",
            )
        losses.append(_loss(corpus.name, scheme.name, faults, repair))
    return losses


def spell(fault: Fault) -> str:
    """A fault in words."""
    return f"{fault.after} after {fault.before}"


def _loss(name: str, scheme: str, faults: Sequence[Fault], repair: str) -> Loss:
    total = sum(fault.times for fault in faults)
    kinds = ", ".join(f"{spell(fault)} ({fault.times})" for fault in faults[:3])
    return {
        "source": name,
        "kind": "repaired labels",
        "count": total,
        "places": [f"{name}:{line}" for line in sorted(fault.first_line for fault in faults)[:_PLACES]],
        "message": f"{plural(total, 'transition')} not allowed in {scheme}, repaired as {repair}: {kinds}",
    }


def _other_tokens(corpus: Corpus) -> Loss:
    count = corpus.column.other_tokens
    return {
        "source": corpus.name,
        "kind": "different tokens",
        "count": count,
        "places": [f"{corpus.name}:{corpus.column.first_other_line}"],
        "message": f"{plural(count, 'token')} spelt otherwise than in gold; matched by position",
    }


def _mended(corpus: Corpus) -> Loss:
    count = corpus.column.mended
    return {
        "source": corpus.name,
        "kind": "mended labels",
        "count": count,
        "places": [corpus.name],
        "message": f"{plural(count, 'label')} mended as asked",
    }
