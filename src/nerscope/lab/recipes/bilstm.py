"""Words and their characters read in both directions: what NCRF++ and NeuroNER made common."""

from collections import Counter
from typing import Annotated, Literal

from nerscope.errors import UsageError
from nerscope.lab.recipe import File, Lesson, built_in_recipe


@built_in_recipe("bilstm", needs={"torch": "torch"}, extra="torch")
def bilstm(
    lesson: Lesson,
    *,
    characters: Annotated[Literal["cnn", "lstm", "none"], "what reads the letters"] = "cnn",
    decoder: Annotated[Literal["crf", "softmax"], "labels chosen together, or one by one"] = "crf",
    embeddings: Annotated[File | None, "word vectors to begin with, a file as of GloVe"] = None,
    rounds: Annotated[int, "how often all sentences are read"] = 15,
    batch: Annotated[int, "sentences in a step"] = 32,
    rate: Annotated[float, "how far a step goes"] = 0.003,
    hidden: Annotated[int, "size of the LSTM in each direction"] = 128,
    dropout: Annotated[float, "share of the numbers that are left out in training"] = 0.5,
) -> list[list[str]]:
    """A bidirectional LSTM over words and their characters, with or without a CRF."""
    from nerscope.lab.neural.tagger import Tagger
    from nerscope.lab.neural.training import Course, prepare, taught
    from nerscope.lab.neural.vectors import vectors_of
    from nerscope.lab.neural.words import Vocabulary, Words

    place = "recipe 'bilstm'"
    course = Course(rounds, batch, rate, rate).checked(place)
    if hidden < 1 or not 0 <= dropout < 1:
        fact = f"hidden = {hidden} with dropout = {dropout} cannot be"
        raise UsageError(place, fact, "give hidden of at least 1, dropout from 0 to below 1")
    device = prepare(lesson.seed)
    train = Counter(word for one in lesson.train for word in one.words)
    # Nothing is learnt of the words of dev and test, but vectors may know them already.
    every = [*(one.words for one in lesson.dev), *lesson.test]
    others = {word for words in every for word in words}
    vectors = vectors_of(embeddings, {*train, *others}) if embeddings else {}
    vocabulary = Vocabulary(train, others, vectors)
    encoder = Words(vocabulary, vocabulary.table(vectors), characters, hidden, dropout)
    tagger = Tagger(encoder, lesson.labels, decoder).to(device)
    return taught(tagger, vocabulary.see, lesson, course)
