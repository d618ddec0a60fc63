"""The recipe `transformer`, with a tiny network that knows nothing yet."""

import string
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab.extras.lessons import NAMES, PLACES, small_lesson

from nerscope.errors import UsageError
from nerscope.lab.neural.subwords import SubwordWindower, load_pretrained
from nerscope.lab.recipe import RECIPES, Lesson, Tagged
from nerscope.lab.recipes import transformer as _transformer  # noqa: F401

LIMIT = 40  # positions of the network: 36 for sub-tokens, two for [CLS] and [SEP], two spare


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network, and a tokenizer that spells words it does not know letter by letter."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    letters = string.ascii_letters + string.punctuation
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{one}" for one in letters)]
    words += [*NAMES, *PLACES, "Smith", "went", "to"]
    vocabulary = {word: code for code, word in enumerate(dict.fromkeys(words))}
    pieces = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer(lowercase=False)
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    path = tmp_path_factory.mktemp("model")
    PreTrainedTokenizerFast(
        tokenizer_object=pieces, unk_token="[UNK]", pad_token="[PAD]", model_max_length=512
    ).save_pretrained(path)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=LIMIT,
    )
    torch.manual_seed(0)
    BertModel(config).save_pretrained(path)
    return path


def predict(lesson: Lesson, **options: Any) -> list[list[str]]:
    recipe = RECIPES["transformer"]
    small = {"rounds": 6, "batch": 8, "rate": 0.003}
    return recipe.predict(lesson, recipe.checked({**small, **options}, "plan"))


@pytest.mark.parametrize("decoder", ["crf", "softmax"])
def test_it_learns_what_is_simple(tmp_path: Path, folder: Path, decoder: str) -> None:
    said: list[str] = []
    lesson, test = small_lesson(tmp_path, said)
    found = predict(lesson, model=folder, decoder=decoder)
    assert found == [one.labels for one in test]
    assert "dev F1 100.00" in said[-1]


def test_one_seed_gives_one_answer(tmp_path: Path, folder: Path) -> None:
    def losses(seed: int) -> list[str]:
        said: list[str] = []
        lesson, _ = small_lesson(tmp_path, said)
        predict(replace(lesson, seed=seed), model=str(folder), rounds=1)
        return [line.split(", ")[0] for line in said]

    assert losses(1) == losses(1) != losses(2)


def test_long_sentences_are_labelled_to_their_end(tmp_path: Path, folder: Path) -> None:
    said: list[str] = []
    lesson, _ = small_lesson(tmp_path, said, dev=0)
    part, labels = ["Ada", "went", "to", "Paris", "."], ["B-PER", "O", "O", "B-LOC", "O"]
    train = [*lesson.train, *[Tagged(part * 20, labels * 20)] * 8]  # three windows each
    (found,) = predict(replace(lesson, train=train, test=[part * 140]), model=folder, decoder="crf")
    assert len(found) == 700
    assert found[-25:] == labels * 5
    assert sum(map(str.__ne__, found, labels * 140)) < 7
    assert "dev" not in said[0]


def test_a_word_that_the_tokenizer_drops_is_outside(tmp_path: Path, folder: Path) -> None:
    lesson, _ = small_lesson(tmp_path, [], dev=0)
    odd = "\u200b"
    train = [Tagged([odd, *one.words], ["B-PER", *one.labels]) for one in lesson.train]
    test = [[odd, "Ada", "went", odd, "to", "Paris", "."], [odd, odd], ["x" * 500, "Ada"]]
    found = predict(replace(lesson, train=train, test=test), model=folder)
    assert found[0] == ["O", "B-PER", "O", "O", "O", "B-LOC", "O"]
    assert found[1] == ["O", "O"]
    assert len(found[2]) == 2


def test_windows_end_with_words_and_hold_every_word_once(folder: Path) -> None:
    tokenizer, network = load_pretrained(folder, "here")
    reader = SubwordWindower(tokenizer, network.config)
    words = ["Ada", "xyz", "y" * 50, "\u200b", *["went"] * 40, "abcdef"]
    (seen,) = reader.encode([words])
    windows, firsts = seen.inputs
    assert seen.places == [at for at in range(len(words)) if words[at] != "\u200b"]
    assert seen.n_words == len(words)
    assert max(map(len, windows)) == LIMIT - 2
    assert all(window[0] == 2 and window[-1] == 3 for window in windows)
    spelt = [tokenizer.convert_ids_to_tokens(windows[window][at]) for window, at in firsts]
    assert spelt == ["Ada", "x", "y", *["went"] * 40, "a"]
    inside = sum(len(window) - 2 for window in windows)
    assert inside == 1 + 3 + reader.room + 40 + 6  # the long word is cut to what a window holds


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ({}, "no model is given"),
        ({"model": "no/such folder"}, "cannot be loaded"),
        ({"model": "."}, "cannot be loaded"),
    ],
)
def test_models_that_are_not_there_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], fact: str
) -> None:
    monkeypatch.chdir(tmp_path)
    lesson, _ = small_lesson(tmp_path, [])
    with pytest.raises(UsageError, match=fact):
        predict(lesson, **options)
