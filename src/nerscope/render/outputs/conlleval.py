"""The text that the conlleval script prints, byte for byte."""

from nerscope.corpus.units import ALL
from nerscope.errors import UsageError
from nerscope.render.document import OUTPUTS, Document, OutputFormat
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import ACCURACY, PRECISION, RECALL


def conlleval_text(results: Results) -> str:
    """One block per run; with several runs or systems, a line before each block names it."""
    runs = list(
        dict.fromkeys(
            (row.dataset, row.system, row.run) for row in results.rows if row.run is not None
        )
    )
    blocks = []
    for dataset, system, run in runs:
        head = f"{dataset} {system} {run}\n" if len(runs) > 1 else ""
        blocks.append(
            head + _block(results.select(dataset=dataset, system=system, run=run, facet=ALL))
        )
    return "\n".join(blocks)


def _block(rows: list[Row]) -> str:
    exact = {(row.type, row.metric): row for row in rows if row.match == EXACT}
    accuracy = next((row for row in rows if row.metric == ACCURACY), None)
    # Accuracy counts labels: it is missing if labels cannot write the mentions.
    if accuracy is None:
        raise UsageError(
            "--format conlleval",
            "mentions overlap or have holes, which conlleval does not know",
            "choose another format",
        )
    gold, predicted, correct = _counts(exact, None)
    # Rows hold fractions. Multiplying by n and rounding gives the integer count back, so that the
    # percentage is rounded once, from counts, as the script does.
    right = 100 * round((accuracy.value or 0) * accuracy.n) / accuracy.n
    lines = [
        f"processed {accuracy.n} tokens with {gold} phrases; "
        f"found: {predicted} phrases; correct: {correct}.",
        f"accuracy: {right:6.2f}%; {_scores(gold, predicted, correct)}",
    ]
    for kind in sorted({kind for kind, _ in exact if kind is not None}):
        gold, predicted, correct = _counts(exact, kind)
        # The script lists only types that occur on either side.
        if gold or predicted:
            lines.append(f"{kind:>17}: {_scores(gold, predicted, correct)}  {predicted}")
    return "\n".join(lines) + "\n"


def _counts(rows: dict[tuple[str | None, str], Row], kind: str | None) -> tuple[int, int, int]:
    recall, precision = rows[kind, RECALL], rows[kind, PRECISION]
    return recall.n, precision.n, round((recall.value or 0) * recall.n)


def _scores(gold: int, predicted: int, correct: int) -> str:
    precision = 100 * correct / predicted if predicted else 0.0
    recall = 100 * correct / gold if gold else 0.0
    score = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {score:6.2f}"


def as_conlleval(document: Document) -> str:
    """The output format: refused for documents that hold no results of an evaluation."""
    if document.results is None:
        raise UsageError(
            "--format conlleval", "there are no exact scores to show", "use it with evaluate"
        )
    return conlleval_text(document.results)


OUTPUTS.add(
    "conlleval",
    OutputFormat(
        as_conlleval,
        "conlleval",
        "conlleval text",
        "The text that the conlleval script prints, byte for byte.",
        exact_only=True,
    ),
    built_in=True,
    rank=90,
)
