"""Tagging schemes: how labels spell mentions, as a table, and which label may follow which.

A label has a role and a type. The letters differ between schemes (`E` or `L` ends a mention, `M` is
`I`), the roles do not: once roles are known, everything downstream is the same for all schemes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.errors import UsageError, suggest

OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)
OUTSIDE_LABEL = "O"
ROLE_OF_LETTER = {
    "B": BEGIN,
    "I": INSIDE,
    "M": INSIDE,
    "E": END,
    "L": END,
    "S": SINGLE,
    "U": SINGLE,
}


class Scheme(NamedTuple):
    """One way to spell mentions with labels.

    `letters` gives the letter of each role (begin, inside, end, single); a role without a letter of
    its own borrows one.
    """

    name: str
    letters: str
    inside_opens: bool = False  # I-X may be the first token of a mention
    begin_separates: bool = (
        False  # B-X is for a mention that touches another of its type, and for nothing else
    )
    must_close: bool = False  # the last token of a mention says so
    bare: int | None = None  # the role of labels without a prefix

    def letter(self, role: int) -> str:
        """The letter that spells a role."""
        return self.letters[role - 1]


SCHEMES = {
    scheme.name: scheme
    for scheme in [
        Scheme("bio", "BIIB"),
        Scheme("iob1", "BIII", inside_opens=True, begin_separates=True),
        Scheme("io", "IIII", inside_opens=True, bare=INSIDE),
        Scheme("bioes", "BIES", must_close=True),
        Scheme("bilou", "BILU", must_close=True),
        Scheme("bmes", "BMES", must_close=True),
        Scheme(
            "token", "SSSS", bare=SINGLE
        ),  # part-of-speech tags and the like: each token for itself
    ]
}
ALIASES = {
    "iob2": "bio",
    "iob": "iob1",
    "iobes": "bioes",
    "bilo": "bilou",
    "bmeso": "bmes",
    "bmeow": "bmes",
}


def scheme_named(name: str) -> Scheme:
    """The scheme of a name, whatever its case.

    >>> scheme_named("IOB2").name
    'bio'
    """
    key = ALIASES.get(name.lower(), name.lower())
    if key not in SCHEMES:
        raise UsageError(
            "scheme", f"no tagging scheme is called '{name}'", suggest(name, [*SCHEMES, *ALIASES])
        )
    return SCHEMES[key]


class Label(NamedTuple):
    """What a label says: a role and a type (the empty string for `O`)."""

    role: int
    type: str


def parse_label(text: str, bare: int | None = None) -> Label | None:
    """Read a label; None if it has no known prefix and bare labels are not allowed.

    >>> parse_label("B-creative-work")
    Label(role=1, type='creative-work')
    """
    if text == OUTSIDE_LABEL:
        return Label(OUTSIDE, "")
    if text != text.strip():
        return None
    prefix, dash, kind = text.partition("-")
    if bare != SINGLE and dash and kind and prefix in ROLE_OF_LETTER:
        return Label(ROLE_OF_LETTER[prefix], kind)
    return Label(bare, text) if bare is not None and text else None


@dataclass(slots=True)
class Labels:
    """All labels of an evaluation: a code for each (role, type), shared by every file.

    >>> labels = Labels()
    >>> labels.code(Label(BEGIN, "PER")), labels.code(Label(OUTSIDE, "")), labels.types
    (1, 0, ['PER'])
    """

    types: list[str] = field(default_factory=list)
    _codes: dict[Label, int] = field(default_factory=lambda: {Label(OUTSIDE, ""): 0})

    def type_code(self, name: str) -> int:
        """The code of a type, new or known."""
        if name not in self.types:
            self.types.append(name)
        return self.types.index(name)

    def code(self, label: Label) -> int:
        """The code of a label, new or known."""
        if label.role != OUTSIDE:
            self.type_code(label.type)
        return self._codes.setdefault(label, len(self._codes))

    @property
    def known(self) -> list[Label]:
        """The labels in the order of their codes."""
        return list(self._codes)

    @property
    def roles(self) -> Ints:
        """The role of each label code."""
        return np.array([label.role for label in self._codes], np.int8)

    @property
    def type_codes(self) -> Ints:
        """The type of each label code, -1 for `O`."""
        return np.array(
            [
                -1 if label.role == OUTSIDE else self.types.index(label.type)
                for label in self._codes
            ],
            np.int16,
        )

    def spell(self, scheme: Scheme) -> list[str]:
        """How a scheme writes each label."""
        return [
            OUTSIDE_LABEL
            if label.role == OUTSIDE
            else label.type
            if scheme.bare == SINGLE
            else f"{scheme.letter(label.role)}-{label.type}"
            for label in self._codes
        ]


class Forbidden(NamedTuple):
    """Which label pairs (row before column) a scheme forbids, by the label to blame."""

    stray: Bools  # the second label has nothing to continue, or separates nothing
    unclosed: Bools  # the first label is left open

    @property
    def pairs(self) -> Bools:
        """All forbidden pairs."""
        return self.stray | self.unclosed


def forbidden(labels: list[Label], scheme: Scheme) -> Forbidden:
    """The pairs that a scheme forbids; a sentence begins and ends as if with `O`, which is label 0."""
    role = np.array([label.role for label in labels])
    kinds = {label.type: code for code, label in enumerate(labels)}
    kind = np.array([kinds[label.type] for label in labels])
    same = kind[:, None] == kind[None, :]
    is_open = np.isin(role, (BEGIN, INSIDE))[:, None]
    continues = np.isin(role, (INSIDE, END))[None, :]
    stray = continues & ~(is_open & same) & (not scheme.inside_opens)
    stray |= (role == BEGIN)[None, :] & ~same & scheme.begin_separates
    return Forbidden(stray, is_open & ~(continues & same) & scheme.must_close)


@dataclass(slots=True)
class Transitions:
    """How often each label follows each other one in a file: enough to tell the scheme and every
    fault in it.

    Index 0 is the sentence boundary, index k + 1 the k-th raw label. `first` is the line of the
    first occurrence.
    """

    texts: list[str] = field(default_factory=list)
    counts: Ints = field(default_factory=lambda: np.zeros((1, 1), np.int64))
    first: Ints = field(default_factory=lambda: np.zeros((1, 1), np.int64))

    def add(self, raw: Ints, starts: Ints, lines: Ints) -> None:
        """Count the transitions of a chunk, whose labels are codes into `texts`."""
        size = len(self.texts) + 1
        if size > len(self.counts):
            grow = ((0, size - len(self.counts)),) * 2
            self.counts, self.first = np.pad(self.counts, grow), np.pad(self.first, grow)
        ends = raw[starts[1:] - 1] + 1
        keys: Ints = np.zeros(len(raw), np.int64 if size > 180 else np.int16)
        keys[1:] = (raw[:-1] + 1) * size
        keys[starts[:-1]] = 0
        keys += (raw + 1).astype(keys.dtype)
        found = np.bincount(keys, minlength=size * size).reshape(size, size)
        found[:, 0] = np.bincount(ends, minlength=size)
        for row, column in np.argwhere((found > 0) & (self.counts == 0)).tolist():
            place = (
                starts[1:][ends == row][0] - 1
                if column == 0
                else np.argmax(keys == row * size + column)
            )
            self.first[row, column] = lines[place]
        self.counts += found

    def faults(self, scheme: Scheme) -> list["Fault"]:
        """The transitions that a scheme forbids, the most frequent first."""
        labels = [
            Label(OUTSIDE, ""),
            *(parse_label(text, scheme.bare) or Label(OUTSIDE, "") for text in self.texts),
        ]
        bad = np.argwhere((self.counts > 0) & forbidden(labels, scheme).pairs)
        names = ["the sentence start", *self.texts]
        found = [
            Fault(
                names[row],
                "the sentence end" if column == 0 else names[column],
                int(self.counts[row, column]),
                int(self.first[row, column]),
            )
            for row, column in bad
        ]
        return sorted(found, key=lambda fault: (-fault.times, fault.first_line))

    def scheme(self) -> Scheme:
        """The scheme with which the file agrees best."""
        prefixes = {text[0] for text in self.texts if text != OUTSIDE_LABEL and text[1:2] == "-"}
        for name, match in _SIGNS:
            if match(prefixes):
                return SCHEMES[name]
        # B and I only: whichever of the two schemes is broken less often
        return min(
            (SCHEMES["bio"], SCHEMES["iob1"]),
            key=lambda scheme: sum(f.times for f in self.faults(scheme)),
        )


class Fault(NamedTuple):
    """A forbidden transition: which labels, how often, and where first."""

    before: str
    after: str
    times: int
    first_line: int


_SIGNS: list[tuple[str, Callable[[set[str]], bool]]] = [
    ("bmes", lambda letters: "M" in letters),
    ("bilou", lambda letters: bool(letters & {"L", "U"})),
    ("bioes", lambda letters: bool(letters & {"E", "S"})),
    ("io", lambda letters: "B" not in letters and "I" in letters),
]
