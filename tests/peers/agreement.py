"""Whether two functions answer alike: the same value to the last digit, the same error, the same
warnings.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What a call gives back or refuses with, and what it warns of."""

    value: Any
    warned: frozenset[tuple[str, str]]


def comparable(value: Any) -> Any:
    """Arrays as lists, records as dictionaries, and a NaN that is equal to itself."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {key: comparable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [comparable(part) for part in value]
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def answer(function: Callable[..., Any], *given: Any, **options: Any) -> Answer:
    """A call's answer; an error is an answer too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = comparable(function(*given, **options))
        except (LookupError, TypeError, ValueError, ZeroDivisionError) as error:
            value = (type(error).__name__, str(error))
    return Answer(value, frozenset((one.category.__name__, str(one.message)) for one in caught))
