"""The encoder of `bilstm`: an LSTM or a CNN over vectors of words and of their characters."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import FormatError, InputError
from nerscope.lab.neural.tagger import EncodedSentence, mask_of, padded

_WORD_SIZE, _LETTER_SIZE, _SPELLING_SIZE = 100, 30, 50
_CNN_LAYERS = 4
_PADDING, _UNKNOWN = 0, 1  # the first codes; those of words and letters follow
_MAX_LETTERS = 40  # letters per word; the rest is ignored
_UNKNOWN_RATE = 0.5  # how often training treats a word that occurs once as unknown
_HEAD_LINES = 2  # of a vector file; they show the size of the vectors
_VECTOR_FILE = "give a text file with a word and its numbers on each line, separated by spaces"


class WordTable:
    """A table with a row for every word of train, dev and test: its code, and those of its letters.

    A word that is neither in training nor in the pretrained vectors has the code of unknown words,
    but still the codes of its letters.
    """

    def __init__(
        self, train: Counter[str], others: set[str], vectors: Mapping[str, Floats]
    ) -> None:
        words = [*sorted(train), *sorted(others - train.keys())]
        self.rows = {word: row for row, word in enumerate(words, 1)}
        self.known = [word for word in words if word in train or word in vectors]
        codes = {word: code for code, word in enumerate(self.known, _UNKNOWN + 1)}
        self.codes = np.array([0, *(codes.get(word, _UNKNOWN) for word in words)])
        self.rare = np.array([False, *(train[word] == 1 and word not in vectors for word in words)])
        alphabet = sorted({letter for word in train for letter in word})
        self.letters = {letter: code for code, letter in enumerate(alphabet, _UNKNOWN + 1)}
        self.lengths = np.array([1, *(min(len(word), _MAX_LETTERS) or 1 for word in words)])
        self.spellings = np.zeros((len(words) + 1, _MAX_LETTERS), np.int64)
        self.spellings[0, 0] = _UNKNOWN
        for row, word in enumerate(words, 1):
            letters = [self.letters.get(letter, _UNKNOWN) for letter in word[:_MAX_LETTERS]]
            self.spellings[row, : len(letters) or 1] = letters or _UNKNOWN

    def encode(self, sentences: Sequence[list[str]]) -> list[EncodedSentence]:
        return [
            EncodedSentence([self.rows[word] for word in words], range(len(words)), len(words))
            for words in sentences
        ]

    def initial_vectors(self, vectors: Mapping[str, Floats]) -> Floats:
        """A vector for each word code: the pretrained one, or a random one."""
        size = len(next(iter(vectors.values()))) if vectors else _WORD_SIZE
        bound = np.sqrt(3 / size)  # a uniform distribution with the variance 1 / size
        table = torch.empty(len(self.known) + 2, size).uniform_(-bound, bound).double().numpy()
        table[_PADDING] = 0
        for code, word in enumerate(self.known, _UNKNOWN + 1):
            if word in vectors:
                table[code] = vectors[word]
        return table


class WordEncoder(nn.Module):
    """Encode sentences: vectors of words and of their letters, then an encoder of the context."""

    def __init__(
        self,
        words: WordTable,
        table: Floats,
        characters: str,
        hidden: int,
        dropout: float,
        context: str = "lstm",
    ) -> None:
        super().__init__()
        self.table, self.size = words, 2 * hidden
        self.words = nn.Embedding.from_pretrained(
            torch.from_numpy(table).float(), freeze=False, padding_idx=0
        )
        spelling = SPELLINGS.get(characters)
        self.spelling = spelling(len(words.letters) + 2) if spelling else None
        self.register_buffer("codes", torch.from_numpy(words.codes), persistent=False)
        self.register_buffer("spellings", torch.from_numpy(words.spellings), persistent=False)
        self.dropout = nn.Dropout(dropout)
        word_size = table.shape[1] + (_SPELLING_SIZE if spelling else 0)
        self.context = CONTEXTS[context](word_size, hidden, dropout)

    def forward(self, rows: Sequence[list[int]], lengths: Sequence[int]) -> Tensor:
        """The vector of each word in its context."""
        device = self.codes.device
        # The letters of each distinct word of the batch are encoded once, since words repeat a lot.
        distinct, flat = np.unique(np.concatenate(rows), return_inverse=True)
        ends = np.cumsum(lengths)[:-1]
        # Row 0 is a vector of zeros for padding, so the distinct words are counted from 1.
        at = padded([sentence + 1 for sentence in np.split(flat, ends)], device)
        vectors = self._word_vectors(distinct, device)
        inputs = self.dropout(torch.cat([torch.zeros_like(vectors[:1]), vectors])[at])
        return self.dropout(self.context(inputs, lengths))

    def _word_vectors(self, distinct: Ints, device: torch.device) -> Tensor:
        rows = torch.from_numpy(distinct).to(device)
        codes = self.codes[rows]
        if self.training:  # otherwise the vector of unknown words would never be trained
            rare = torch.from_numpy(self.table.rare[distinct])
            hidden = rare & (torch.rand(len(distinct)) < _UNKNOWN_RATE)
            codes = codes.masked_fill(hidden.to(device), _UNKNOWN)
        vectors = self.words(codes)
        if self.spelling is None:
            return vectors
        lengths = self.table.lengths[distinct]
        letters = self.spellings[rows, : int(lengths.max())]
        return torch.cat([vectors, self.spelling(letters, torch.from_numpy(lengths))], 1)


class LstmContext(nn.Module):
    """A bidirectional LSTM over words."""

    def __init__(self, word_size: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.lstm = nn.LSTM(word_size, hidden, batch_first=True, bidirectional=True)

    def forward(self, inputs: Tensor, lengths: Sequence[int]) -> Tensor:
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0]


class CnnContext(nn.Module):
    """Convolutional layers over windows of three words, as in NCRF++.

    The vector of a word depends on four words on each side.
    """

    def __init__(self, word_size: int, hidden: int, dropout: float) -> None:
        super().__init__()
        size = 2 * hidden  # as for a bidirectional LSTM
        self.first = nn.Linear(word_size, size)
        layers = (nn.Conv1d(size, size, 3, padding=1) for _ in range(_CNN_LAYERS))
        self.layers = nn.ModuleList(layers)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: Tensor, lengths: Sequence[int]) -> Tensor:
        # Padding stays 0, so that labels do not depend on the batch.
        mask = mask_of(lengths, inputs.device)[:, None]
        vectors = torch.tanh(self.first(inputs)).transpose(1, 2)
        for layer in self.layers:
            vectors = self.dropout(torch.relu(layer(vectors * mask)))
        return vectors.transpose(1, 2)


CONTEXTS: dict[str, type[LstmContext] | type[CnnContext]] = {
    "lstm": LstmContext,
    "cnn": CnnContext,
}


class SpellingCnn(nn.Module):
    """A CNN over windows of three letters; the output is the highest activation of each filter."""

    def __init__(self, n_letters: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(n_letters, _LETTER_SIZE, padding_idx=0)
        self.filters = nn.Conv1d(_LETTER_SIZE, _SPELLING_SIZE, 3, padding=1)

    def forward(self, letters: Tensor, lengths: Tensor) -> Tensor:
        activations = self.filters(self.letters(letters).transpose(1, 2))
        return activations.masked_fill((letters == _PADDING)[:, None], -torch.inf).amax(2)


class SpellingLstm(nn.Module):
    """A bidirectional LSTM over letters; the output is its two last states."""

    def __init__(self, n_letters: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(n_letters, _LETTER_SIZE, padding_idx=0)
        self.lstm = nn.LSTM(_LETTER_SIZE, _SPELLING_SIZE // 2, batch_first=True, bidirectional=True)

    def forward(self, letters: Tensor, lengths: Tensor) -> Tensor:
        inputs = self.letters(letters)
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(packed)
        return torch.cat([last[0], last[1]], 1)


SPELLINGS: dict[str, type[SpellingCnn] | type[SpellingLstm]] = {
    "cnn": SpellingCnn,
    "lstm": SpellingLstm,
}


def read_vectors(path: Path | str, words: Iterable[str]) -> dict[str, Floats]:
    """Pretrained vectors of words, or of their lower-case forms, from a text file in GloVe format.

    A word without a vector is left out.
    """
    words = set(words)
    vectors = _read_lines(Path(path), words | {word.lower() for word in words})
    # The vector of the word as written replaces that of its lower-case form.
    known = {
        word: vectors[form] for word in words for form in (word.lower(), word) if form in vectors
    }
    if not known:
        raise InputError(str(path), "no vector for any word of the data", _VECTOR_FILE)
    return known


def _read_lines(path: Path, words: set[str]) -> dict[str, Floats]:
    if not path.is_file():
        raise InputError(str(path), "no such file", "check the path")
    vectors: dict[str, Floats] = {}
    size = 0
    # Only the few lines that are needed are split into numbers.
    with path.open(encoding="utf-8", errors="replace", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            if number <= _HEAD_LINES:  # the first line of word2vec has two sizes, not a word
                size = max(size, len(line.split()) - 1)
            word, _, numbers = line.partition(" ")
            fields = numbers.count(" ") + 1
            # A line with more fields has spaces inside its word.
            if word in words and (number > 1 or fields > 1) and fields <= size:
                vectors[word] = _parse_vector(numbers, size, f"{path}:{number}")
    return vectors


def _parse_vector(text: str, size: int, place: str) -> Floats:
    try:
        vector = np.array(text.split(), np.float64)
    except ValueError:
        vector = np.zeros(0)
    if len(vector) != size or not np.isfinite(vector).all():
        raise FormatError(place, f"not a word vector of {size} finite numbers", _VECTOR_FILE)
    return vector
