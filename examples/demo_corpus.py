"""Filling the templates of the demonstration corpus into documents of labelled sentences."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from examples.demo_text import FILLERS, GENRES, GIVEN_NAMES, POOLS, SURNAMES, Genre, Pool

Token = tuple[str, str]
Sentence = tuple[Token, ...]
Document = tuple[Sentence, ...]
Mention = tuple[tuple[str, ...], str]

SPLITS = {"train": 600, "dev": 150, "test": 400}
SHORTEST, LONGEST = 5, 12
HELD_OUT_NAMES = 0.4  # share of every pool that training never draws
FRESH_DRAWS = {"train": 0.0, "dev": 0.3, "test": 0.22}  # share of draws from the held-out names
PLAIN_SHARE = {
    "train": 0.2,
    "dev": 0.3,
    "test": 0.28,
}  # share of sentences from templates without a mention
OWN_SHARE = {
    "train": 0.3,
    "dev": 0.0,
    "test": 0.4,
}  # share of the rest from `train_only` or `test_only`
TWIN_PEOPLE = 0.1  # share of people who carry the name of a place
LOWER_CASE, UPPER_CASE, TYPO = (
    0.35,
    0.06,
    0.03,
)  # noise of social posts: per sentence, per sentence, per word

# A view shows a name that is bound to another pool in some other form: `{sur1}` is the surname of
# `{per1}`.
VIEWS = {
    "sur": "per",
    "first": "per",
    "handle": "per",
    "clubhandle": "club",
    "clubtag": "club",
    "orghandle": "company",
    "carrierhandle": "carrier",
    "bandhandle": "band",
    "citytag": "city",
    "towntag": "town",
    "eventtag": "event",
}
_DECK = [genre for genre in GENRES.values() for _ in range(genre.weight)]
_SLOT = re.compile(r"\{(?P<up>\^?)(?P<name>[a-z]+)(?P<number>\d?)(?::(?P<kind>[A-Z]+))?\}")
_CHOICE = re.compile(r"<([^<>]*)>")
_AFTER_AN = (*"AEIOaeio", "8", "11", "18")  # the names with U in the pools sound like "you"
_PIECE = re.compile(r"\[[^\]]*\]|\S+")


@dataclass(frozen=True)
class Names:
    """The pools of names, each cut into the names that training may draw and the ones that it may
    not.
    """

    seen: dict[str, Pool]
    held_out: dict[str, Pool]


@dataclass
class Writer:
    """Writes the sentences of one document, remembering which name every bound slot stands for."""

    names: Names
    split: str
    rng: random.Random
    bound: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def write(self, template: str, social: bool) -> Sentence:
        """One labelled sentence from a template."""
        capitals = template.startswith("^")
        text = _CHOICE.sub(
            lambda match: self.rng.choice(match[1].split("|")), template.lstrip("^ ")
        )
        tokens = [token for piece in _PIECE.findall(text) for token in self._piece(piece)]
        tokens = _fix_articles(tokens)
        if capitals:
            return tuple((token.upper(), label) for token, label in tokens)
        return tuple(_noise(tokens, self.rng) if social else _start_with_capital(tokens))

    def _piece(self, piece: str) -> list[Token]:
        if piece.startswith("["):
            text, _, kind = piece[1:-1].rpartition("/")
            return _label(_bare(_SLOT.sub(lambda match: _bare(self._fill(match)), text)), kind)
        slot = _SLOT.fullmatch(piece)
        if slot is None or slot["name"] in FILLERS:
            # A name that is glued to other text is not a mention: "Oslo-based".
            return _label(_SLOT.sub(lambda match: _bare(self._fill(match)), piece), "O")
        text = self._fill(slot)
        article = [("the", "O")] if text.startswith("the:") else []
        name = _bare(text).upper() if slot["up"] else _bare(text)
        return article + _label(name, slot["kind"] or self._type(slot["name"]))

    def _type(self, view: str) -> str:
        return self.names.seen[VIEWS.get(view, view)].type

    def _fill(self, slot: re.Match[str]) -> str:
        name, number = slot["name"], slot["number"]
        if name in FILLERS:
            return self.rng.choice(FILLERS[name])
        pool = VIEWS.get(name, name)
        key = pool + number
        if not number:
            return _show(name, self._draw(pool))
        if key not in self.bound:
            self.bound[key] = self._draw(pool)
        return _show(name, self.bound[key])

    def _draw(self, pool: str) -> str:
        if pool == "per" and self.rng.random() < TWIN_PEOPLE:
            pool = "twinper"
        source = (
            self.names.held_out if self.rng.random() < FRESH_DRAWS[self.split] else self.names.seen
        )
        candidates = source[pool].names
        unused = [name for name in candidates if name not in self.used]
        name = self.rng.choice(unused or candidates)
        self.used.add(name)
        return name


def make_corpus(seed: int) -> dict[str, list[Document]]:
    """The documents of every split; no sentence occurs twice in the corpus, within a split or
    across.
    """
    rng = random.Random(seed)
    names = _cut_pools(rng)
    written: set[tuple[str, ...]] = set()
    return {
        split: list(_documents(split, size, names, written, rng)) for split, size in SPLITS.items()
    }


def write_conll(path: Path, documents: Sequence[Document]) -> None:
    """Write documents as `token<TAB>label` lines, with a -DOCSTART- line before each of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    for document in documents:
        lines += ["-DOCSTART-\tO", ""]
        for sentence in document:
            lines += [f"{token}\t{label}" for token, label in sentence]
            lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8", newline="\n")


def sentences(documents: Sequence[Document]) -> list[Sentence]:
    """All sentences of the documents, in order."""
    return [sentence for document in documents for sentence in document]


def mentions(sentence: Sentence) -> list[Mention]:
    """The mentions of a well-formed BIO sentence, as the tokens and the type of each."""
    mentions: list[tuple[list[str], str]] = []
    for token, label in sentence:
        if label.startswith("B-"):
            mentions.append(([token], label[2:]))
        elif label.startswith("I-"):
            mentions[-1][0].append(token)
    return [(tuple(tokens), kind) for tokens, kind in mentions]


def _cut_pools(rng: random.Random) -> Names:
    people = [f"{given} {surname}" for given in GIVEN_NAMES for surname in rng.sample(SURNAMES, 2)]
    seen: dict[str, Pool] = {}
    held_out: dict[str, Pool] = {}
    for name, pool in {**POOLS, "per": Pool("PER", tuple(people))}.items():
        shuffled = rng.sample(pool.names, len(pool.names))
        cut = max(1, round(len(shuffled) * HELD_OUT_NAMES))
        held_out[name] = Pool(pool.type, tuple(shuffled[:cut]))
        seen[name] = Pool(pool.type, tuple(shuffled[cut:]))
    return Names(seen, held_out)


def _documents(
    split: str, size: int, names: Names, written: set[tuple[str, ...]], rng: random.Random
) -> Iterator[Document]:
    left = size
    # Genres are dealt from a deck, so that every split has them in about the same proportions.
    deck: list[Genre] = []
    while left:
        deck = deck or rng.sample(_DECK, len(_DECK))
        # The last document takes whatever is left, so that none is shorter than the shortest.
        length = left if left <= LONGEST else min(rng.randint(SHORTEST, LONGEST), left - SHORTEST)
        yield _document(deck.pop(), length, Writer(names, split, rng), written)
        left -= length


def _document(genre: Genre, length: int, writer: Writer, written: set[tuple[str, ...]]) -> Document:
    document: list[Sentence] = []
    templates_used: set[str] = set()
    while len(document) < length:
        choices = [
            row for row in _templates(genre, not document, writer) if row not in templates_used
        ]
        if not choices:
            continue
        template = writer.rng.choice(choices)
        templates_used.add(template)
        sentence = writer.write(template, genre.social)
        words = tuple(token for token, _ in sentence)
        if words not in written:
            written.add(words)
            document.append(sentence)
        elif not document:
            templates_used.clear()
    return tuple(document)


def _templates(genre: Genre, first: bool, writer: Writer) -> tuple[str, ...]:
    if first:
        return genre.openers
    if writer.rng.random() < PLAIN_SHARE[writer.split]:
        return genre.plain
    if writer.rng.random() < OWN_SHARE[writer.split]:
        return genre.train_only if writer.split == "train" else genre.test_only
    return genre.body


def _bare(name: str) -> str:
    return name.removeprefix("the:")


def _label(text: str, kind: str) -> list[Token]:
    if kind == "O":
        return [(token, "O") for token in text.split()]
    return [(token, f"{'I' if index else 'B'}-{kind}") for index, token in enumerate(text.split())]


def _show(view: str, name: str) -> str:
    given, _, rest = name.partition(" ")
    letters = re.sub(r"[^A-Za-z0-9]", "", _bare(name))
    match view:
        case "sur":
            return rest
        case "first":
            return given
        case "handle":
            return "@" + given.lower() + "_" + re.sub(r"[^a-z]", "", rest.lower())[:6]
        case "clubtag" | "citytag" | "towntag" | "eventtag":
            return "#" + letters
        case "clubhandle" | "orghandle" | "carrierhandle" | "bandhandle":
            return "@" + letters
        case _:
            return name


def _fix_articles(tokens: list[Token]) -> list[Token]:
    fixed = list(tokens)
    for index, (token, label) in enumerate(tokens[:-1]):
        if token in ("a", "A") and label == "O" and tokens[index + 1][0].startswith(_AFTER_AN):
            fixed[index] = (token + "n", label)
    return fixed


def _start_with_capital(tokens: list[Token]) -> list[Token]:
    (first, label), *rest = tokens
    return [(first[0].upper() + first[1:], label), *rest]


def _noise(tokens: list[Token], rng: random.Random) -> Iterator[Token]:
    """Social posts drop or shout their capitals and misspell a word now and then; the labels stay
    as they are.
    """
    style = rng.random()
    for token, label in tokens:
        text = _misspell(token, rng) if label == "O" and rng.random() < TYPO else token
        if text[0] in "@#":
            yield text, label
        elif style < LOWER_CASE:
            yield text.lower(), label
        else:
            yield (text.upper() if style > 1 - UPPER_CASE else text), label


def _misspell(token: str, rng: random.Random) -> str:
    if len(token) < 5 or not token.isalpha():
        return token
    at = rng.randrange(1, len(token) - 2)
    return token[:at] + token[at + 1] + token[at] + token[at + 2 :]
