"""Detect systems that were probably trained on the gold that is audited."""

from collections.abc import Iterator, Mapping

import numpy as np

from nerscope.annotation.audit.material import Material, Output, Reliability, spans_of
from nerscope.errors import UsageError

_STANDARD_ERRORS = 3.0
_NEARLY_PERFECT = 0.985  # no system reaches this F1 on data it never saw and people annotated


def check_held_out(given: Mapping[str, float] | None) -> dict[str, float]:
    """The held-out F1 of systems, as fractions."""
    scores = dict(given or {})
    for name, value in scores.items():
        if not 0 <= value <= 1:
            raise UsageError(
                f"held-out score of {name}",
                f"invalid value {value!r}",
                "give F1 as a fraction, such as 0.923",
            )
    return scores


def training_warnings(
    material: Material, trust: Reliability, held_out: Mapping[str, float]
) -> Iterator[str]:
    """A warning for each system that agrees with gold more than it should."""
    systems = dict.fromkeys(o.system for o in material.outputs if not o.is_recipe)
    for name in systems:
        f1 = trust.f1[name]
        if name in held_out:
            error = max(
                _standard_error(material, output)
                for output in material.outputs
                if output.system == name
            )
            if f1 > held_out[name] + _STANDARD_ERRORS * error:
                yield (
                    f"{name} agrees with gold more than its held-out F1 allows ({100 * f1:.1f} "
                    f"against {100 * held_out[name]:.1f}), so it was probably trained on this gold"
                )
        elif f1 >= _NEARLY_PERFECT:
            yield (
                f"{name} agrees with gold almost everywhere (F1 {100 * f1:.1f}), so it was "
                "probably trained on this gold; it repeats errors of gold"
            )


def _standard_error(material: Material, output: Output) -> float:
    """The standard error of F1 over sentences, by leaving out each sentence (linearised)."""
    starts = material.gold.corpus.starts
    gold, predicted = spans_of(material.gold.mentions), spans_of(output.mentions)
    counts = np.zeros((2, len(starts) - 1))
    for row, spans in enumerate((gold & predicted, [*gold, *predicted])):
        tokens = np.array([span[0] for span in spans], np.int64)
        counts[row] = np.bincount(
            np.searchsorted(starts, tokens, side="right") - 1, minlength=len(starts) - 1
        )
    hits, sizes = counts
    total = sizes.sum()
    if not total:
        return 0.0
    residuals = 2 * hits - 2 * hits.sum() / total * sizes
    n = len(residuals)
    return float(np.sqrt(n / max(1, n - 1) * (residuals**2).sum()) / total)
