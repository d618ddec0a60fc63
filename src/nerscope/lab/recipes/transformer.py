"""The recipe `transformer`: a pretrained transformer, fine-tuned to label words."""

from typing import Annotated, Literal

from nerscope.errors import UsageError
from nerscope.lab.recipe import File, Lesson, built_in_recipe

_HEAD_RATE = 0.001  # new layers start from random weights and must learn faster than the encoder


@built_in_recipe(
    "transformer",
    title="Fine-tuned transformer",
    rank=60,
    needs={"torch": "torch", "transformers": "transformers"},
    extra="transformers",
)
def transformer(
    lesson: Lesson,
    *,
    model: Annotated[File | None, "pretrained model, a folder or a name (required)"] = None,
    decoder: Annotated[
        Literal["softmax", "crf"], "labels chosen one by one or jointly"
    ] = "softmax",
    rounds: Annotated[int, "passes over the training data"] = 4,
    batch: Annotated[int, "sentences per step"] = 16,
    rate: Annotated[float, "learning rate"] = 5e-5,
) -> list[list[str]]:
    """Fine-tune a pretrained transformer; the first sub-token of each word is labelled.

    A sentence longer than the model allows is read in several windows, so that no word is lost.
    """
    place = "recipe 'transformer'"
    if model is None:
        raise UsageError(
            place,
            "no model is given",
            '--option model=FOLDER, or model = "FOLDER" in a plan (a folder or a model name)',
        )
    from nerscope.lab.neural.subwords import SubwordWindower, TransformerEncoder, load_pretrained
    from nerscope.lab.neural.tagger import Tagger
    from nerscope.lab.neural.training import TrainingOptions, seed_torch, train_and_label

    training = TrainingOptions(rounds, batch, rate, _HEAD_RATE).checked(place)
    device = seed_torch(lesson.seed)
    tokenizer, network = load_pretrained(model, place)
    windower = SubwordWindower(tokenizer, network.config)
    encoder = TransformerEncoder(network, tokenizer.pad_token_id or 0)
    tagger = Tagger(encoder, lesson.labels, decoder).to(device)
    return train_and_label(tagger, windower.encode, lesson, training)
