"""The encoder of `bilstm`: vectors of words and of their characters, read in both directions."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from nerscope.corpus.arrays import Floats, Ints
from nerscope.lab.neural.batches import padded
from nerscope.lab.neural.tagger import Seen

_WORD_SIZE, _LETTER_SIZE, _SPELLING_SIZE = 100, 30, 50
_UNKNOWN = 1  # 0 is padding
_LONGEST = 40  # letters of a word that are read
_FORGOTTEN = 0.5  # how often a word that occurs once is taken for an unknown one


class Vocabulary:
    """Numbers of words and letters; a word of no vocabulary has a spelling all the same.

    Every word of training, dev and test gets a row: its number as a word, and its letters.
    """

    def __init__(
        self, train: Counter[str], others: set[str], vectors: Mapping[str, Floats]
    ) -> None:
        spelt = [*sorted(train), *sorted(others - train.keys())]
        self.rows = {word: row for row, word in enumerate(spelt, 1)}
        self.known = [word for word in spelt if word in train or word in vectors]
        codes = {word: code for code, word in enumerate(self.known, _UNKNOWN + 1)}
        self.codes = np.array([0, *(codes.get(word, _UNKNOWN) for word in spelt)])
        self.rare = np.array([False, *(train[word] == 1 and word not in vectors for word in spelt)])
        letters = sorted({letter for word in train for letter in word})
        self.letters = {letter: code for code, letter in enumerate(letters, _UNKNOWN + 1)}
        self.lengths = np.array([1, *(min(len(word), _LONGEST) or 1 for word in spelt)])
        self.spellings = np.zeros((len(spelt) + 1, _LONGEST), np.int64)
        self.spellings[0, 0] = _UNKNOWN
        for row, word in enumerate(spelt, 1):
            read = [self.letters.get(letter, _UNKNOWN) for letter in word[:_LONGEST]] or [_UNKNOWN]
            self.spellings[row, : len(read)] = read

    def see(self, words: Sequence[str]) -> Seen:
        """A sentence as rows."""
        return Seen([self.rows[word] for word in words], range(len(words)), len(words))

    def table(self, vectors: Mapping[str, Floats]) -> Floats:
        """A vector for each number of a word: those given, by chance for the others."""
        size = len(next(iter(vectors.values()))) if vectors else _WORD_SIZE
        reach = np.sqrt(3 / size)
        table = torch.empty(len(self.known) + 2, size).uniform_(-reach, reach).double().numpy()
        table[0] = 0
        for code, word in enumerate(self.known, _UNKNOWN + 1):
            if word in vectors:
                table[code] = vectors[word]
        return table


class Words(nn.Module):
    """Sentences to vectors: those of words and spellings, then an LSTM in each direction."""

    def __init__(
        self, vocabulary: Vocabulary, table: Floats, characters: str, hidden: int, dropout: float
    ) -> None:
        super().__init__()
        self.vocabulary, self.size = vocabulary, 2 * hidden
        self.words = nn.Embedding.from_pretrained(
            torch.from_numpy(table).float(), freeze=False, padding_idx=0
        )
        spell = SPELLINGS.get(characters)
        self.spell = spell(len(vocabulary.letters) + 2) if spell else None
        self.register_buffer("codes", torch.from_numpy(vocabulary.codes), persistent=False)
        self.register_buffer("spellings", torch.from_numpy(vocabulary.spellings), persistent=False)
        self.dropout = nn.Dropout(dropout)
        given = table.shape[1] + (_SPELLING_SIZE if spell else 0)
        self.lstm = nn.LSTM(given, hidden, batch_first=True, bidirectional=True)

    def forward(self, rows: Sequence[list[int]], lengths: Sequence[int]) -> Tensor:
        """The vector of each word where it stands."""
        device = self.codes.device
        # Spelling is read once for each distinct word of the batch.
        distinct, flat = np.unique(np.concatenate(rows), return_inverse=True)
        ends = np.cumsum(lengths)[:-1]
        at = padded([part + 1 for part in np.split(flat, ends)], device)
        vectors = self._of_words(distinct, device)
        read = self.dropout(torch.cat([torch.zeros_like(vectors[:1]), vectors])[at])
        packed = pack_padded_sequence(read, lengths, batch_first=True, enforce_sorted=False)
        return self.dropout(pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0])

    def _of_words(self, distinct: Ints, device: torch.device) -> Tensor:
        rows = torch.from_numpy(distinct).to(device)
        codes = self.codes[rows]
        if self.training:  # so that something is learnt of unknown words
            rare = torch.from_numpy(self.vocabulary.rare[distinct])
            lost = rare & (torch.rand(len(distinct)) < _FORGOTTEN)
            codes = codes.masked_fill(lost.to(device), _UNKNOWN)
        vectors = self.words(codes)
        if self.spell is None:
            return vectors
        lengths = self.vocabulary.lengths[distinct]
        spelt = self.spell(self.spellings[rows, : int(lengths.max())], torch.from_numpy(lengths))
        return torch.cat([vectors, spelt], 1)


class SpellingCnn(nn.Module):
    """Windows of three letters; of each filter, the window that excites it most."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, _LETTER_SIZE, padding_idx=0)
        self.filters = nn.Conv1d(_LETTER_SIZE, _SPELLING_SIZE, 3, padding=1)

    def forward(self, spelt: Tensor, lengths: Tensor) -> Tensor:
        """A vector for each word."""
        found = self.filters(self.letters(spelt).transpose(1, 2))
        return found.masked_fill((spelt == 0)[:, None], -torch.inf).amax(2)


class SpellingLstm(nn.Module):
    """Letters read in both directions; where each reading ends."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, _LETTER_SIZE, padding_idx=0)
        self.lstm = nn.LSTM(_LETTER_SIZE, _SPELLING_SIZE // 2, batch_first=True, bidirectional=True)

    def forward(self, spelt: Tensor, lengths: Tensor) -> Tensor:
        """A vector for each word."""
        read = self.letters(spelt)
        packed = pack_padded_sequence(read, lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(packed)
        return torch.cat([last[0], last[1]], 1)


SPELLINGS: dict[str, type[SpellingCnn] | type[SpellingLstm]] = {
    "cnn": SpellingCnn,
    "lstm": SpellingLstm,
}
