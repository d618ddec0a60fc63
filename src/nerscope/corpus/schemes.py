"""Tagging schemes: how labels encode mentions, and which label may follow which.

A label has a role and a type. The letters differ between schemes (`E` or `L` ends a mention, `M` is
`I`), the roles do not: code that uses roles is the same for all schemes.
"New York" and "Oslo" are `B-LOC I-LOC` and `B-LOC` in BIO, `I-LOC I-LOC` and `I-LOC` in IOB1 (with
`B-LOC` only right after another LOC), `B-LOC L-LOC` and `U-LOC` in BILOU.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.vocabulary import Vocabulary
from nerscope.errors import UsageError, expect, suggest

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
    "W": SINGLE,
}

UNTYPED = "_"  # the type of mentions whose labels are single letters, as in word segmentation


class Scheme(NamedTuple):
    """A way to encode mentions as labels.

    `letters` has the letter of each role (begin, inside, end, single). Two roles may share a
    letter.
    """

    name: str
    letters: str
    inside_opens: bool = False  # I-X may be the first token of a mention
    begin_separates: bool = (
        False  # B-X is used only for a mention right after another one of its type
    )
    must_close: bool = False  # the last token of a mention must be marked as its end
    bare: int | None = None  # the role of labels without a prefix

    def letter(self, role: int) -> str:
        """The letter of a role."""
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
        Scheme("bmeow", "BMEW", must_close=True),
        Scheme("token", "SSSS", bare=SINGLE),  # one tag per token, such as parts of speech
    ]
}
BIO = SCHEMES["bio"]
ALIASES = {
    "iob2": "bio",
    "iob": "iob1",
    "iobes": "bioes",
    "bilo": "bilou",
    "bmeso": "bmes",
    "bmewo": "bmeow",
}


def scheme_named(name: str) -> Scheme:
    """The scheme with a name or alias; case does not matter.

    >>> scheme_named("IOB2").name
    'bio'
    """
    expect("scheme", name, str, "give the name of a tagging scheme")
    key = ALIASES.get(name.lower(), name.lower())
    if key not in SCHEMES:
        raise UsageError(
            "scheme", f"unknown tagging scheme '{name}'", suggest(name, [*SCHEMES, *ALIASES])
        )
    return SCHEMES[key]


class Label(NamedTuple):
    """A role and a type; the type of `O` is the empty string."""

    role: int
    type: str


def parse_label(text: str, bare: int | None = None) -> Label | None:
    """Read a label; None if it has no known prefix and bare labels are not allowed.

    A single letter is a label of a segmentation without types.

    >>> parse_label("B-creative-work"), parse_label("S")
    (Label(role=1, type='creative-work'), Label(role=4, type='_'))
    """
    if text == OUTSIDE_LABEL:
        return Label(OUTSIDE, "")
    if text != text.strip():
        return None
    prefix, dash, kind = text.partition("-")
    if bare != SINGLE and dash and kind and prefix in ROLE_OF_LETTER:
        return Label(ROLE_OF_LETTER[prefix], kind)
    if bare is None and text in ROLE_OF_LETTER:
        return Label(ROLE_OF_LETTER[text], UNTYPED)
    return Label(bare, text) if bare is not None and text else None


def label_without_type(texts: Sequence[str]) -> str | None:
    """The first label without a type if other labels of the file have one, otherwise None.

    >>> label_without_type(["O", "B-PER", "I"]), label_without_type(["S", "B", "E", "O"])
    ('I', None)
    """
    is_typed = any("-" in text for text in texts)
    return next((text for text in texts if is_typed and text in ROLE_OF_LETTER), None)


@dataclass(slots=True)
class LabelCodes:
    """All labels of an evaluation: a code for each (role, type), shared by every file.

    >>> labels = LabelCodes()
    >>> labels.code(Label(BEGIN, "PER")), labels.code(Label(OUTSIDE, "")), labels.types
    (1, 0, ['PER'])
    """

    renames: Mapping[str, str] = field(default_factory=dict)  # new names of types
    dropped: frozenset[str] = frozenset()  # types that do not count, by their new names
    _types: dict[str, int] = field(default_factory=dict)
    _codes: dict[Label, int] = field(default_factory=lambda: {Label(OUTSIDE, ""): 0})

    @property
    def types(self) -> list[str]:
        """The types in the order of their codes."""
        return list(self._types)

    def type_code(self, name: str) -> int:
        """The code of a type, new or known."""
        return self._types.setdefault(name, len(self._types))

    def type_codes_of(self, names: Sequence[str]) -> Ints:
        """The codes of some types, new or known."""
        return np.array([self.type_code(name) for name in names], np.int64)

    def code(self, label: Label) -> int:
        """The code of a label, new or known."""
        if label.role != OUTSIDE:
            self.type_code(label.type)
        return self._codes.setdefault(label, len(self._codes))

    @property
    def labels(self) -> list[Label]:
        """The labels in the order of their codes."""
        return list(self._codes)

    @property
    def roles(self) -> Ints:
        """The role of each label code."""
        return np.array([label.role for label in self._codes], np.int8)

    @property
    def type_codes(self) -> Ints:
        """The type of each label code; -1 for `O`."""
        codes = [self._types.get(label.type, -1) for label in self._codes]
        return np.array(codes, np.int16 if len(self._types) < 1 << 15 else np.int32)

    def renamed_types(self, kinds: Ints) -> Ints:
        """The types after renaming; -1, which means no type, stays."""
        if not self.renames:
            return kinds
        table = [self.type_code(self.renames.get(name, name)) for name in self.types]
        return np.array([*table, -1], kinds.dtype)[kinds]

    @property
    def as_written(self) -> "LabelCodes":
        """The same codes without renamed or dropped types."""
        return replace(self, renames={}, dropped=frozenset())

    def counted_types(self, kinds: Ints) -> Bools:
        """Whether each type counts, after renaming; -1, which means no type, does not."""
        table = [name not in self.dropped for name in self.types]
        counts: Bools = np.array([*table, False])[kinds]
        return counts

    def texts_in(self, scheme: Scheme, *, always_typed: bool = False) -> list[str]:
        """The text of each label in a scheme; `always_typed` writes B-_ for untyped mentions."""
        return [_label_text(label, scheme, always_typed) for label in self._codes]


def _label_text(label: Label, scheme: Scheme, always_typed: bool) -> str:
    if label.role == OUTSIDE:
        return OUTSIDE_LABEL
    if scheme.bare == SINGLE:
        return label.type
    letter = scheme.letter(label.role)
    # In io, which has types without prefixes, a single letter would be read as a type.
    if label.type == UNTYPED and scheme.bare is None and not always_typed:
        return letter
    return f"{letter}-{label.type}"


class _LabelPairs(NamedTuple):
    """Pairs of consecutive labels, as arrays, to check by the rules of a scheme."""

    before: Ints  # roles
    after: Ints
    same_type: Bools
    scheme: Scheme

    @property
    def is_stray(self) -> Bools:
        """Whether the second label continues no mention, or is a B that separates nothing."""
        is_open = (self.before == BEGIN) | (self.before == INSIDE)
        continues = (self.after == INSIDE) | (self.after == END)
        alone: Bools = continues & ~(is_open & self.same_type) & (not self.scheme.inside_opens)
        idle: Bools = (self.after == BEGIN) & ~self.same_type & self.scheme.begin_separates
        return alone | idle

    @property
    def is_unclosed(self) -> Bools:
        """Whether the first label leaves its mention without an end mark."""
        is_open = (self.before == BEGIN) | (self.before == INSIDE)
        continues = (self.after == INSIDE) | (self.after == END)
        left_open: Bools = is_open & ~(continues & self.same_type) & self.scheme.must_close
        return left_open

    @property
    def is_forbidden(self) -> Bools:
        """Whether the scheme forbids the pair."""
        return self.is_stray | self.is_unclosed


def stray_labels(role: Ints, kind: Ints, starts: Ints, scheme: Scheme) -> Bools:
    """Whether each label continues no mention, or is a B that separates nothing.

    `role` and `kind` are those of each token. The start of a sentence counts as `O`.
    """
    return _LabelPairs(*_with_previous(role, kind, starts), scheme).is_stray


def forbidden_labels(role: Ints, kind: Ints, starts: Ints, scheme: Scheme) -> tuple[Bools, Bools]:
    """Whether each label is forbidden after the one before, and each sentence end is forbidden."""
    into = _LabelPairs(*_with_previous(role, kind, starts), scheme).is_forbidden
    last = starts[1:] - 1
    nothing = np.zeros(len(last), role.dtype)
    out = _LabelPairs(role[last], nothing, np.zeros(len(last), bool), scheme).is_forbidden
    return into, out


def _with_previous(role: Ints, kind: Ints, starts: Ints) -> tuple[Ints, Ints, Bools]:
    before, same = np.zeros_like(role), np.zeros(len(role), bool)
    before[1:], same[1:] = role[:-1], kind[1:] == kind[:-1]
    before[starts[:-1]], same[starts[:-1]] = OUTSIDE, False
    return before, role, same


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class Transitions:
    """How often each label follows each other label: enough to detect the scheme and its faults.

    Only transitions that occur are stored. In `before` and `after`, 0 is the sentence boundary and
    k + 1 is the k-th of `texts`; `first` is the line of the first occurrence. The transitions of
    chunks add up.
    """

    texts: tuple[str, ...] = ()
    before: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    after: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    times: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    first: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(cls, texts: Sequence[str], raw: Ints, starts: Ints, lines: Ints) -> "Transitions":
        """Count the transitions of a chunk, whose labels are indices into `texts`.

        The most frequent one by far, from O to O, is not counted but is the total minus the others.
        """
        size = len(texts) + 1
        # A transition is the number before * size + after; up to 180 * 180 it fits in two bytes.
        codes: Ints = raw.astype(np.int16 if size <= 180 else np.int64)
        codes += 1
        keys = codes.copy()
        keys[1:] += codes[:-1] * size
        keys[starts[:-1]] = codes[starts[:-1]]
        outside = texts.index(OUTSIDE_LABEL) + 1 if OUTSIDE_LABEL in texts else 0
        last = starts[1:] - 1
        counted = [
            _count_keys(keys, lines, size, outside * size + outside),
            _count_keys(codes[last] * size, lines[last], size),
        ]
        pairs, times, first = (np.concatenate(column) for column in zip(*counted, strict=True))
        return cls(tuple(texts), pairs // size, pairs % size, times, first)

    def __add__(self, other: "Transitions") -> "Transitions":
        if not len(self.before):
            return other
        texts = tuple(dict.fromkeys((*self.texts, *other.texts)))
        places = {text: place for place, text in enumerate(texts, 1)}
        size = len(texts) + 1
        keys = []
        for transitions in (self, other):  # each has its own order of texts
            codes = np.array([0, *map(places.__getitem__, transitions.texts)])
            keys.append(codes[transitions.before] * size + codes[transitions.after])
        pairs, first_place, inverse = np.unique(
            np.concatenate(keys), return_index=True, return_inverse=True
        )
        times = np.bincount(inverse, np.concatenate([self.times, other.times])).astype(np.int64)
        first = np.concatenate([self.first, other.first])[first_place]
        return Transitions(texts, pairs // size, pairs % size, times, first)

    @property
    def labels(self) -> int:
        """The number of labels: each follows a label or the start of a sentence."""
        return int(self.times[self.after > 0].sum())

    def faults(self, scheme: Scheme) -> list["Fault"]:
        """The transitions that a scheme forbids, most frequent first."""
        bad = np.flatnonzero(self._broken(scheme))
        names = ["the sentence start", *self.texts]
        faults = [
            Fault(
                names[self.before[at]],
                names[self.after[at]] if self.after[at] else "the sentence end",
                int(self.times[at]),
                int(self.first[at]),
            )
            for at in bad.tolist()
        ]
        return sorted(faults, key=lambda fault: (-fault.times, fault.first_line, fault))

    def label_places(self) -> dict[str, tuple[int, int]]:
        """The number of occurrences of each label, and the line of the first."""
        places: dict[str, tuple[int, int]] = {}
        for place, text in enumerate(self.texts, 1):
            here = self.after == place
            if here.any():
                places[text] = (int(self.times[here].sum()), int(self.first[here].min()))
        return places

    def scheme(self) -> Scheme:
        """The scheme that fits the labels best."""
        used = (text for text in self.texts if text[1:2] == "-" or text in ROLE_OF_LETTER)
        prefixes = {text[0] for text in used}
        for name, match in _SCHEME_SIGNS:
            if match(prefixes):
                return SCHEMES[name]
        # With B and I only, the scheme with fewer forbidden transitions wins.
        return min(
            (SCHEMES["bio"], SCHEMES["iob1"]),
            key=lambda scheme: int(self.times[self._broken(scheme)].sum()),
        )

    def _broken(self, scheme: Scheme) -> Bools:
        """Whether a scheme forbids each transition."""
        outside = Label(OUTSIDE, "")
        labels = [outside, *(parse_label(text, scheme.bare) or outside for text in self.texts)]
        types = {label.type: code for code, label in enumerate(labels)}
        role = np.array([label.role for label in labels])
        kind = np.array([types[label.type] for label in labels])
        before, after = self.before, self.after
        return _LabelPairs(
            role[before], role[after], kind[before] == kind[after], scheme
        ).is_forbidden


_FIRST_LOOK = 1 << 12  # keys that are searched first; they usually include every transition
_DENSE = 1 << 16  # up to this many possible transitions, a table is faster than sorting


def _count_keys(keys: Ints, lines: Ints, size: int, common: int = 0) -> tuple[Ints, Ints, Ints]:
    """The distinct keys, the number of occurrences of each, and the line of the first one.

    The count of the `common` key is the total minus the others.
    """
    if size * size > _DENSE:
        distinct, at, times = np.unique(keys, return_index=True, return_counts=True)
        return distinct, times, lines[at]
    others = np.flatnonzero(keys != common)
    rare = keys.take(others)
    counts = np.bincount(rare, minlength=size * size)
    counts[common] = len(keys) - len(others)
    distinct = np.flatnonzero(counts)
    first = np.full(size * size, len(keys))
    for begin in (_FIRST_LOOK, len(rare)):
        # Written backwards, so that the first place of each key is written last and stays.
        first[rare[:begin][::-1]] = others[:begin][::-1]
        first[common] = np.argmax(keys == common)
        if first[distinct].max(initial=0) < len(keys):
            break
    return distinct, counts[distinct], lines[first[distinct]]


class Fault(NamedTuple):
    """A forbidden transition: its labels, how often it occurs, and its first line."""

    before: str
    after: str
    times: int
    first_line: int


_SCHEME_SIGNS: list[tuple[str, Callable[[set[str]], bool]]] = [
    ("bmeow", lambda letters: "W" in letters),
    ("bmes", lambda letters: "M" in letters),
    ("bilou", lambda letters: bool(letters & {"L", "U"})),
    ("bioes", lambda letters: bool(letters & {"E", "S"})),
    ("io", lambda letters: "B" not in letters and "I" in letters),
]


def join_handles(
    tokens: Ints, labels: Ints, starts: Ints, words: Vocabulary, codes: LabelCodes
) -> Ints:
    """Turn `B-X` right after an `@` labelled `B-X` into `I-X`.

    The Broad Twitter Corpus splits the handle @ada into two tokens, and labels both B-PER.
    """
    inside = np.arange(len(codes.labels))
    for code, label in enumerate(codes.labels):
        if label.role == BEGIN:
            inside[code] = codes.code(Label(INSIDE, label.type))
    after = np.zeros(len(tokens), bool)
    after[1:] = (tokens[:-1] == words.encode(["@"])[0]) & (labels[1:] == labels[:-1])
    after[starts[:-1]] = False
    return np.where(after & (inside[labels] != labels), inside[labels], labels)


# The values of the option `mend=`: known faults of known corpora.
LABEL_FIXES: dict[str, Callable[[Ints, Ints, Ints, Vocabulary, LabelCodes], Ints]] = {
    "handles": join_handles
}
