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
    characters: Annotated[Literal["cnn", "lstm", "none"], "what reads the letters"] = "cnn",
    encoder: Annotated[Literal["lstm", "cnn"], "what reads the words in context"] = "lstm",
    decoder: Annotated[Literal["crf", "softmax"], "labels chosen together, or one by one"] = "crf",
    embeddings: Annotated[File | None, "word vectors to begin with, a file as of GloVe"] = None,
    rounds: Annotated[int, "how often all sentences are read"] = 15,
    batch: Annotated[int, "sentences in a step"] = 32,
    rate: Annotated[float, "how far a step goes"] = 0.003,
    hidden: Annotated[int, "size of the LSTM in each direction; half the size of the CNN"] = 128,
    dropout: Annotated[float, "share of the numbers that are left out in training"] = 0.5,
) -> list[list[str]]:
    """A bidirectional LSTM over words and their characters, with or without a CRF.

    A word is the concatenation of its vector and of what a CNN or an LSTM makes of its letters.
    `encoder="cnn"` reads the words with four layers of filters instead of the LSTM. The
    round that is best on dev, if there is any, counts.
    """
    from nerscope.lab.neural.tagger import Tagger
    from nerscope.lab.neural.training import TrainingOptions, seed_torch, train_and_label
    from nerscope.lab.neural.words import WordEncoder, WordTable, read_vectors

    place = "recipe 'bilstm'"
    training = TrainingOptions(rounds, batch, rate, rate).checked(place)
    if hidden < 1 or not 0 <= dropout < 1:
        fact = f"hidden = {hidden} with dropout = {dropout} cannot be"
        raise UsageError(place, fact, "give hidden of at least 1, dropout from 0 to below 1")
    device = seed_torch(lesson.seed)
    train = Counter(word for sentence in lesson.train for word in sentence.words)
    # Training learns nothing about the words of dev and test, but pretrained vectors may have them.
    unlabelled = [*(sentence.words for sentence in lesson.dev), *lesson.test]
    others = {word for words in unlabelled for word in words}
    vectors = read_vectors(embeddings, {*train, *others}) if embeddings else {}
    words = WordTable(train, others, vectors)
    table = words.initial_vectors(vectors)
    network = WordEncoder(words, table, characters, hidden, dropout, encoder)
    tagger = Tagger(network, lesson.labels, decoder).to(device)
    return train_and_label(tagger, words.encode, lesson, training)
