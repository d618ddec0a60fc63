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
from nerscope.lab.neural.batches import mask_of, padded
from nerscope.lab.neural.tagger import Seen

_USUAL_LIMIT = 512  # sub-tokens, of models that do not say theirs
_DROPOUT = 0.1
_GIVE = "give a folder with the files of a model, or the name of one that can be fetched"


class Pieces(NamedTuple):
    """A sentence as windows of sub-tokens; for each word seen, its window and its first place."""

    windows: list[list[int]]
    firsts: list[tuple[int, int]]


def loaded(model: Path | str, place: str) -> tuple[Any, Any]:
    """The tokenizer and the network of a folder or a name; a folder never asks the network."""
    # Words are given one by one, which some tokenizers take only with a blank before each.
    how = {"local_files_only": Path(model).is_dir()}
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(model), add_prefix_space=True, **how)
        network = AutoModel.from_pretrained(str(model), **how)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise UsageError(place, f"model '{model}' cannot be loaded ({reason})", _GIVE) from error
    if not tokenizer.is_fast:
        fact = f"the tokenizer of '{model}' cannot tell which word a piece is of"
        raise UsageError(place, fact, "choose a model with a fast tokenizer")
    return tokenizer, network.float()  # some are kept in half precision


class Reader:
    """Sentences to windows of sub-tokens."""

    def __init__(self, tokenizer: Any, config: Any) -> None:
        self.tokenizer = tokenizer
        marked = tokenizer(["a"], is_split_into_words=True)
        ids = list(marked["input_ids"])
        inner = [at for at, word in enumerate(marked.word_ids()) if word is not None]
        self.before, self.after = ids[: inner[0]], ids[inner[-1] + 1 :]  # special tokens
        positions = getattr(config, "max_position_embeddings", None) or _USUAL_LIMIT
        limit = min(tokenizer.model_max_length, positions - 2)  # RoBERTa counts them from 2
        self.room = limit - len(self.before) - len(self.after)

    def see(self, sentences: Sequence[list[str]]) -> list[Seen]:
        """What the network reads of each sentence; a word of odd characters may be unseen."""
        if not sentences:
            return []
        read = self.tokenizer(
            list(sentences), is_split_into_words=True, add_special_tokens=False, verbose=False
        )
        return [
            self._cut(read["input_ids"][at], read.word_ids(at), len(words))
            for at, words in enumerate(sentences)
        ]

    def _cut(self, ids: list[int], words: list[int], length: int) -> Seen:
        """Windows begin and end with words; a word that fills more than one is cut off."""
        windows, firsts, places = [list(self.before)], [], []
        for place, group in groupby(zip(words, ids, strict=True), itemgetter(0)):
            pieces = [piece for _, piece in group][: self.room]
            if len(windows[-1]) + len(pieces) > self.room + len(self.before):
                windows.append(list(self.before))
            firsts.append((len(windows) - 1, len(windows[-1])))
            windows[-1] += pieces
            places.append(place)
        return Seen(Pieces([[*one, *self.after] for one in windows], firsts), places, length)


class Subwords(nn.Module):
    """Sentences to vectors: those of the first sub-token of each word."""

    def __init__(self, network: Any, padding: int) -> None:
        super().__init__()
        self.network, self.padding, self.size = network, padding, network.config.hidden_size
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, sentences: Sequence[Pieces], lengths: Sequence[int]) -> Tensor:
        """The vector of each word where it stands, whichever window has it."""
        device = self.network.device
        windows = [window for one in sentences for window in one.windows]
        ids = padded(windows, device, self.padding)
        mask = mask_of([len(window) for window in windows], device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            found = self.network(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        begins = accumulate((len(one.windows) for one in sentences), initial=0)
        at = [
            [(begin + window) * ids.shape[1] + first for window, first in one.firsts]
            for begin, one in zip(begins, sentences, strict=False)
        ]
        return self.dropout(found.reshape(-1, self.size)[padded(at, device)])
