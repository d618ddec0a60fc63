"""The recipe `bilstm`: the architecture of NCRF++ and NeuroNER."""

from collections import Counter
from typing import Annotated, Literal

from nerscope.errors import UsageError
from nerscope.lab.recipe import File, Lesson, built_in_recipe


@built_in_recipe(
    "bilstm", title="Bidirectional LSTM", rank=50, needs={"torch": "torch"}, extra="torch"
)
def bilstm(
    lesson: Lesson,
    *,
    characters: Annotated[Literal["cnn", "lstm", "none"], "encoder of the letters"] = "cnn",
    encoder: Annotated[Literal["lstm", "cnn"], "encoder of the words in context"] = "lstm",
    decoder: Annotated[Literal["crf", "softmax"], "labels chosen jointly or one by one"] = "crf",
    embeddings: Annotated[File | None, "pretrained word vectors, a GloVe text file"] = None,
    rounds: Annotated[int, "passes over the training data"] = 15,
    batch: Annotated[int, "sentences per step"] = 32,
    rate: Annotated[float, "learning rate"] = 0.003,
    hidden: Annotated[int, "size of the LSTM per direction, half the size of the CNN"] = 128,
    dropout: Annotated[float, "dropout rate in training"] = 0.5,
) -> list[list[str]]:
    """A bidirectional LSTM over words and their characters, with or without a CRF.

    The input of each word is its vector and an encoding of its letters by a CNN or an LSTM.
    `encoder="cnn"` uses four convolutional layers over words instead of the LSTM. With dev data,
    the best round on dev is kept.
    """
    from nerscope.lab.neural.tagger import Tagger
    from nerscope.lab.neural.training import TrainingOptions, seed_torch, train_and_label
    from nerscope.lab.neural.words import WordEncoder, WordTable, read_vectors

    place = "recipe 'bilstm'"
    training = TrainingOptions(rounds, batch, rate, rate).checked(place)
    if hidden < 1 or not 0 <= dropout < 1:
        fact = f"invalid value hidden = {hidden} or dropout = {dropout}"
        raise UsageError(place, fact, "give hidden of at least 1, and dropout from 0 to below 1")
    device = seed_torch(lesson.seed)
    train = Counter(word for sentence in lesson.train for word in sentence.words)
    # Words of dev and test are included because the pretrained vectors may contain them.
    unlabelled = [*(sentence.words for sentence in lesson.dev), *lesson.test]
    others = {word for words in unlabelled for word in words}
    vectors = read_vectors(embeddings, {*train, *others}) if embeddings else {}
    words = WordTable(train, others, vectors)
    table = words.initial_vectors(vectors)
    network = WordEncoder(words, table, characters, hidden, dropout, encoder)
    tagger = Tagger(network, lesson.labels, decoder).to(device)
    return train_and_label(tagger, words.encode, lesson, training)
