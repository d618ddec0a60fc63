"""Scores, differences and p-values as text."""

from nerscope.render.document import percent
from nerscope.results.row import scale_of

_HARDLY = 0.001  # points


def metric_title(name: str, at_start: bool = False) -> str:
    """A metric as tables call it.

    >>> metric_title("macro_f1"), metric_title("ter", at_start=True)
    ('macro F1', 'Token error rate')
    """
    text = {"ter": "token error rate", "hardeval": "score"}.get(name, name)
    text = text.replace("_", " ").replace("f1", "F1")
    return text[:1].upper() + text[1:] if at_start else text


def score(value: float | None, metric: str) -> str:
    """A number of a metric: in percent, if it is a share."""
    if value is None or scale_of(metric) == 100:
        return percent(value)
    return f"{value:,.2f}"


def points(value: float | None, metric: str = "f1") -> str:
    """A difference with its sign, of shares in points; what is hardly more than 0 says so.

    >>> points(0.0123), points(-1e-6), points(0.0)
    ('+1.23', '<0', '+0.00')
    """
    if value is None:
        return "–"
    shown = scale_of(metric) * value
    if 0 < abs(shown) < _HARDLY:
        return ">0" if shown > 0 else "<0"
    return f"{shown + 0.0:+,.2f}"


def p_text(p: float | None) -> str:
    """A p-value that never claims to be 0.

    >>> p_text(0.00004), p_text(0.25)
    ('<0.001', '0.250')
    """
    return "–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def p_words(p: float | None) -> str:
    """A p-value behind the letter p.

    >>> f"p {p_words(0.00004)}, p {p_words(0.25)}"
    'p < 0.001, p = 0.250'
    """
    text = p_text(p)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"
