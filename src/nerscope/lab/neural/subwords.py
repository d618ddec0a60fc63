"""The encoder of `transformer`: words as sub-tokens, long sentences in windows."""

from collections.abc import Sequence
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer

from nerscope.errors import UsageError
from nerscope.lab.neural.tagger import EncodedSentence, mask_of, padded

_DEFAULT_LIMIT = 512  # sub-tokens, for models whose configuration has no limit
_DROPOUT = 0.1
_GIVE = "give a folder with the files of a model, or the name of a model to download"


class SubwordWindows(NamedTuple):
    """A sentence as windows of sub-tokens.

    `firsts` holds, for each readable word, its window and the index of its first sub-token there.
    """

    windows: list[list[int]]
    firsts: list[tuple[int, int]]


def load_pretrained(model: Path | str, place: str) -> tuple[Any, Any]:
    """The tokenizer and the network of a folder or a model name; a folder needs no download."""
    options = {"local_files_only": Path(model).is_dir()}
    try:
        # RoBERTa's tokenizer accepts single words only with a space before each word.
        tokenizer = AutoTokenizer.from_pretrained(str(model), add_prefix_space=True, **options)
        network = AutoModel.from_pretrained(str(model), **options)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise UsageError(place, f"model '{model}' cannot be loaded ({reason})", _GIVE) from error
    if not tokenizer.is_fast:
        fact = f"the tokenizer of '{model}' does not map sub-tokens to words"
        raise UsageError(place, fact, "choose a model with a fast tokenizer")
    return tokenizer, network.float()  # some models are stored in half precision


class SubwordWindower:
    """Turns sentences into windows of sub-tokens."""

    def __init__(self, tokenizer: Any, config: Any) -> None:
        self.tokenizer = tokenizer
        # The special tokens of the model, such as [CLS] and [SEP], are those around a word.
        example = tokenizer(["a"], is_split_into_words=True)
        ids = list(example["input_ids"])
        inner = [at for at, word in enumerate(example.word_ids()) if word is not None]
        self.before, self.after = ids[: inner[0]], ids[inner[-1] + 1 :]
        positions = getattr(config, "max_position_embeddings", None) or _DEFAULT_LIMIT
        limit = min(tokenizer.model_max_length, positions - 2)  # RoBERTa numbers positions from 2
        self.room = limit - len(self.before) - len(self.after)

    def encode(self, sentences: Sequence[list[str]]) -> list[EncodedSentence]:
        """The windows of each sentence; words that the tokenizer drops count as unreadable."""
        if not sentences:
            return []
        tokens = self.tokenizer(
            list(sentences), is_split_into_words=True, add_special_tokens=False, verbose=False
        )
        return [
            self._windows(tokens["input_ids"][at], tokens.word_ids(at), len(words))
            for at, words in enumerate(sentences)
        ]

    def _windows(self, ids: list[int], words: list[int], length: int) -> EncodedSentence:
        """Fill windows with whole words; a word longer than a window is truncated.

        With room for three sub-tokens, the words [a] [b1 b2] [c] give the windows [a b1 b2] [c].
        """
        windows, firsts, places = [list(self.before)], [], []
        for place, group in groupby(zip(words, ids, strict=True), itemgetter(0)):
            word_ids = [id_ for _, id_ in group][: self.room]
            if len(windows[-1]) + len(word_ids) > self.room + len(self.before):
                windows.append(list(self.before))
            firsts.append((len(windows) - 1, len(windows[-1])))
            windows[-1] += word_ids
            places.append(place)
        complete = [[*window, *self.after] for window in windows]
        return EncodedSentence(SubwordWindows(complete, firsts), places, length)


class TransformerEncoder(nn.Module):
    """Encode sentences: the vector of a word is that of its first sub-token."""

    def __init__(self, network: Any, padding: int) -> None:
        super().__init__()
        self.network, self.padding, self.size = network, padding, network.config.hidden_size
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, sentences: Sequence[SubwordWindows], lengths: Sequence[int]) -> Tensor:
        """The vector of each word in its context."""
        device = self.network.device
        windows = [window for sentence in sentences for window in sentence.windows]
        ids = padded(windows, device, self.padding)
        mask = mask_of([len(window) for window in windows], device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            vectors = self.network(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        begins = accumulate((len(sentence.windows) for sentence in sentences), initial=0)
        # The index of each word in the concatenated vectors of all windows.
        at = [
            [(begin + window) * ids.shape[1] + first for window, first in sentence.firsts]
            for begin, sentence in zip(begins, sentences, strict=False)
        ]
        return self.dropout(vectors.reshape(-1, self.size)[padded(at, device)])
