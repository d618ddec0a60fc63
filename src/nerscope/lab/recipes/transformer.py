"""A pretrained transformer, trained further to label words."""

from typing import Annotated, Literal

from nerscope.errors import UsageError
from nerscope.lab.recipe import File, Lesson, built_in_recipe

_HEAD_RATE = 0.001  # what begins from nothing must learn faster than what knows much already


@built_in_recipe(
    "transformer",
    needs={"torch": "torch", "transformers": "transformers"},
    extra="transformers",
)
def transformer(
    lesson: Lesson,
    *,
    model: Annotated[File | None, "the pretrained model, a folder or a name; must be given"] = None,
    decoder: Annotated[
        Literal["softmax", "crf"], "labels chosen one by one, or together"
    ] = "softmax",
    rounds: Annotated[int, "how often all sentences are read"] = 4,
    batch: Annotated[int, "sentences in a step"] = 16,
    rate: Annotated[float, "how far a step goes"] = 5e-5,
) -> list[list[str]]:
    """A pretrained transformer; the first sub-token of each word is labelled."""
    place = "recipe 'transformer'"
    if model is None:
        raise UsageError(
            place, "it has no model", "say model = …, a folder with a pretrained model, or a name"
        )
    from nerscope.lab.neural.subwords import Reader, Subwords, loaded
    from nerscope.lab.neural.tagger import Tagger
    from nerscope.lab.neural.training import Course, prepare, taught

    course = Course(rounds, batch, rate, _HEAD_RATE).checked(place)
    device = prepare(lesson.seed)
    tokenizer, network = loaded(model, place)
    reader = Reader(tokenizer, network.config)
    encoder = Subwords(network, tokenizer.pad_token_id or 0)
    tagger = Tagger(encoder, lesson.labels, decoder).to(device)
    return taught(tagger, reader.see, lesson, course)
