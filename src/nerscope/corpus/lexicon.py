"""What the training data says of every token and every surface."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import Paths
from nerscope.corpus.lookup import counted, lookup, ranges
from nerscope.corpus.mentions import Mentions


@dataclass(slots=True, eq=False)
class Lexicon:
    """Counts over the training data. Codes are those of the evaluation's vocabulary, labels and
    `surfaces`.
    """

    surfaces: Paths
    n_mentions: int
    n_tokens: int
    token_counts: Ints  # by token
    inside_counts: Ints  # by token and type: occurrences inside mentions of the type
    surface_counts: Ints  # by surface and type
    _text: Ints
    _sentence_of: Ints
    _order: Ints  # positions in the text, sorted by token
    _found: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, chunks: Iterable[Corpus], surfaces: Paths, repair: str = "conlleval") -> "Lexicon":
        """Read the training data."""
        tokens, mentions, codes, sizes = [], [], [], []
        kinds = 0
        bound = 0
        for chunk in chunks:
            found = chunk.mentions(repair)
            tokens.append(chunk.tokens)
            mentions.append((found, chunk))
            codes.append(surfaces.codes(chunk.tokens, found.start, found.end))
            sizes.append(np.diff(chunk.starts))
            kinds, bound = len(chunk.coding.labels.types), chunk.coding.tokens.bound
        text = np.concatenate(tokens)
        inside = [
            (chunk.tokens[ranges(found.start, found.end)], _type_of_inside(found))
            for found, chunk in mentions
        ]
        return cls(
            surfaces,
            n_mentions=sum(len(found) for found, _ in mentions),
            n_tokens=len(text),
            token_counts=np.bincount(text, minlength=bound),
            inside_counts=_table(inside, (bound, kinds)),
            surface_counts=_table(
                [(code, found.type) for code, (found, _) in zip(codes, mentions, strict=True)],
                (len(surfaces), kinds),
            ),
            _text=text,
            _sentence_of=np.repeat(np.arange(sum(map(len, sizes))), np.concatenate(sizes)),
            _order=np.argsort(text, kind="stable"),
        )

    def occurrences(self, tokens: Ints, mentions: Mentions, surfaces: Ints) -> Ints:
        """How often each mention's token sequence occurs in the training text, annotated or not."""
        distinct, first, inverse = np.unique(surfaces, return_index=True, return_inverse=True)
        new = np.array(
            [
                position
                for code, position in zip(distinct, first, strict=True)
                if int(code) not in self._found
            ],
            np.int64,
        )
        self._found.update(
            zip(surfaces[new].tolist(), self._count(tokens, mentions[new]).tolist(), strict=True)
        )
        return np.array([self._found[int(code)] for code in distinct], np.int64)[inverse]

    def _count(self, tokens: Ints, mentions: Mentions) -> Ints:
        """Count sequences: go to every place of a sequence's rarest token, and compare the others."""
        lengths = mentions.end - mentions.start
        owner = np.repeat(np.arange(len(mentions)), lengths)
        position = ranges(mentions.start, mentions.end)
        frequency = lookup(self.token_counts, tokens[position])
        order = np.lexsort((frequency, owner))
        rarest = position[order[np.cumsum(lengths) - lengths]]
        low = np.searchsorted(self._text, tokens[rarest], sorter=self._order)
        high = np.searchsorted(self._text, tokens[rarest], side="right", sorter=self._order)
        candidate = np.repeat(np.arange(len(mentions)), high - low)
        begin = self._order[ranges(low, high)] - (rarest - mentions.start)[candidate]
        final = begin + lengths[candidate] - 1
        good = (begin >= 0) & (final < len(self._text))
        candidate, begin, final = candidate[good], begin[good], final[good]
        good = self._sentence_of[begin] == self._sentence_of[final]
        candidate, begin = candidate[good], begin[good]
        step = 0
        while len(candidate) and step < lengths.max():
            goes_on = lengths[candidate] > step
            at = np.minimum(begin + step, len(self._text) - 1)
            wanted = tokens[np.minimum(mentions.start[candidate] + step, len(tokens) - 1)]
            good = ~goes_on | (self._text[at] == wanted)
            candidate, begin, step = candidate[good], begin[good], step + 1
        return np.bincount(candidate, minlength=len(mentions))


def _type_of_inside(mentions: Mentions) -> Ints:
    return np.repeat(mentions.type, mentions.end - mentions.start)


def _table(parts: list[tuple[Ints, Ints]], shape: tuple[int, int]) -> Ints:
    keys, columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    return counted(keys, columns, (shape[0], max(1, shape[1])))
