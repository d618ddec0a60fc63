"""The exceptions of nerscope, as one tree.

    NerscopeError
    ├── InputError          a file or an object cannot be read as a corpus
    │   ├── FormatError     it is readable, but a line or label is not what it should be
    │   └── AlignmentError  gold and system are not the same sentences
    ├── OutputError         a result cannot be written
    ├── FaultError          the environment failed: a full disk, a dead worker
    └── UsageError          a call or an option asks for something that does not exist

Every message has three parts: the place, the fact, and the fix (a command or option to type).
"""

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

# Control characters and direction marks: a token such as ESC[2J would clear the screen, and
# U+202E would reverse the rest of the line. Tabs and line ends stay.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Escape control characters, which a terminal would execute instead of showing them.

    All printed text goes through this function, or through the escaping of its output format.

    >>> visible("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return CONTROL.sub(lambda sign: ascii(sign[0])[1:-1], text)


_LONGEST_PLACE = 500  # characters: a text given instead of a file may have any length


class NerscopeError(Exception):
    """A problem the user can fix: where it is, what it is, and what to do about it.

    >>> print(InputError("test.conll", "no such file", "check the path"))
    test.conll: no such file. Fix: check the path
    """

    exit_code = 2  # of the command-line program

    def __init__(self, place: str, fact: str, fix: str) -> None:
        place = shortened(str(place), _LONGEST_PLACE)
        self.place, self.fact, self.fix = place, fact, fix
        super().__init__(visible(f"{place}: {fact}. Fix: {fix}"))

    def __reduce__(self) -> tuple[type["NerscopeError"], tuple[str, str, str]]:
        """Pickle the three parts, so that an error in a worker can be raised again."""
        return type(self), (self.place, self.fact, self.fix)


class InputError(NerscopeError):
    """A file or an object cannot be read as a corpus."""


class FormatError(InputError):
    """A line or a label is not what it should be."""


class AlignmentError(InputError):
    """Gold and system are not the same sentences."""


class OutputError(NerscopeError):
    """A result cannot be written."""


class FaultError(NerscopeError):
    """The environment failed: a full disk, a dead worker."""

    exit_code = 3


class UsageError(NerscopeError):
    """A call or an option asks for something that does not exist."""


def expect(place: str, value: object, kinds: type | tuple[type, ...], give: str) -> None:
    """Raise a UsageError unless a value has one of the types `kinds`; True is not a number.

    >>> expect("samples", "many", int, "give a whole number")
    Traceback (most recent call last):
    nerscope.errors.UsageError: samples: invalid value 'many'. Fix: give a whole number
    """
    types = kinds if isinstance(kinds, tuple) else (kinds,)
    # Python counts True as an int; a user who writes samples=True made a mistake.
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise UsageError(place, f"invalid value {value!r}", give)


def plural(count: int, noun: str) -> str:
    """A number with its noun, in the singular or plural.

    >>> plural(1, "sentence"), plural(2000, "sentence")
    ('1 sentence', '2,000 sentences')
    """
    return f"{count:,} {noun if count == 1 else plural_of(noun)}"


def plural_of(noun: str) -> str:
    """The plural of a noun, also of one with "of" after it.

    >>> plural_of("document"), plural_of("block of 20 sentences")
    ('documents', 'blocks of 20 sentences')
    """
    head, of, rest = noun.partition(" of ")
    return f"{head}s{of}{rest}"


def shortened(text: str, most: int = 60) -> str:
    """The first `most` characters of a text, for a message.

    >>> shortened("a" * 70, 3)
    'aaa…'
    """
    return text if len(text) <= most else f"{text[:most]}…"


def suggest(word: str, known: Iterable[str]) -> str:
    """Name the closest known words, then all of them.

    >>> suggest("precison", ["precision", "recall"])
    "did you mean 'precision'? Or choose one of: precision, recall"
    """
    import difflib  # needed only when something is wrong

    names, word = sorted(map(str, known)), str(word)
    lowered = {name.lower(): name for name in names}
    begun = [name for name in lowered if len(word) > 2 and name.startswith(word.lower())]
    close = begun or difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.65)
    hint = f"did you mean '{lowered[close[0]]}'? Or choose one of: " if close else "choose one of: "
    return hint + ", ".join(names)


def require_extra(module: str, place: str, extra: str) -> Any:
    """Import a module of an extra; raise a UsageError that names the extra if it is missing.

    >>> require_extra("math", "x.parquet", "tables").floor(1.5)
    1
    """
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(
            place,
            f"it needs {module.partition('.')[0]}, which is not installed",
            f"pip install 'nerscope[{extra}]'",
        ) from None
