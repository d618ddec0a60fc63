"""The evaluator of nervaluate 1.2 under the same names: the same counts, scores and reports.

One line changes: `from nerscope.compat.nervaluate import Evaluator`.
"""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nerscope.compat.nervaluate_entities import LOADERS, Documents, Entity, loader_for
from nerscope.compat.nervaluate_matching import (
    STRATEGIES,
    EvaluationIndices,
    EvaluationResult,
    Outcomes,
    by_tag,
    overall,
    pairs_of,
    result_of,
    side_of,
)

__all__ = ["Entity", "EvaluationIndices", "EvaluationResult", "Evaluator"]

_MODES = ("entities", "overall")
_COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")
_COLOURS = {
    "bold": "\033[1m",
    "white": "\033[97m",
    "cyan": "\033[96m",
    "Correct": "\033[92m",
    "Incorrect": "\033[91m",
    "Partial": "\033[93m",
    "Missed": "\033[95m",
    "Spurious": "\033[94m",
}


class Evaluator:
    """Compares predicted with gold entities in four ways.

    >>> evaluator = Evaluator([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]], tags=["PER"])
    >>> results = evaluator.evaluate()
    >>> results["overall"]["partial"].f1, results["overall"]["strict"].f1
    (0.5, 0)
    """

    def __init__(
        self,
        true: Any,
        pred: Any,
        tags: Sequence[str],
        loader: str = "default",
        min_overlap_percentage: float = 1.0,
    ) -> None:
        self.tags = tags
        self.min_overlap_percentage = min_overlap_percentage
        self.true, self.pred = _loaded(true, pred, loader)
        if not 1.0 <= min_overlap_percentage <= 100.0:
            raise ValueError("min_overlap_percentage must be between 1.0 and 100.0")

    def evaluate(self) -> dict[str, Any]:
        """Counts and scores of each way, for all tags and by tag, and which entities they count."""
        tags = self._used_tags()
        gold, pred = side_of(self.true, tags), side_of(self.pred, tags)
        pairs = pairs_of(gold, pred, self.min_overlap_percentage)
        everyone: Outcomes = overall(gold, pred, pairs) if self.true else {}
        separate = by_tag(gold, pred, pairs, tags)
        return {
            "overall": _results(everyone),
            "entities": {tag: _results(outcomes) for tag, outcomes in separate.items()},
            "overall_indices": everyone,
            "entity_indices": separate,
        }

    def results_to_csv(
        self, mode: str = "overall", scenario: str = "strict", file_path: str | None = None
    ) -> str | None:
        r"""The results as comma-separated text, or in a file.

        >>> evaluator = Evaluator([["B-PER"]], [["B-PER"]], tags=["PER"])
        >>> evaluator.results_to_csv(mode="entities").split("\r\n")[1]
        'PER,1,0,0,0,0,1.0,1.0,1.0'
        """
        _check(mode, scenario)
        first = "Strategy" if mode == "overall" else "Entity"
        titles = ("Precision", "Recall", "F1-Score")
        output = io.StringIO()
        writer = csv.writer(output)
        writer.writerow([first, *map(str.capitalize, _COUNTS), *titles])
        writer.writerows(self._rows(mode, scenario))
        if not file_path:
            return output.getvalue()
        with open(file_path, "w", newline="", encoding="utf-8") as file:
            file.write(output.getvalue())
        return None

    def summary_report(
        self, mode: str = "overall", scenario: str = "strict", digits: int = 2
    ) -> str:
        """The results as a table: all four ways, or one way by tag.

        >>> evaluator = Evaluator([["B-PER"]], [["B-PER"]], tags=["PER"])
        >>> evaluator.summary_report(mode="entities").splitlines()[-1].split()
        ['PER', '1', '0', '0', '0', '0', '1.00', '1.00', '1.00']
        """
        _check(mode, scenario)
        rows = sorted(self._rows(mode, scenario), key=lambda row: str(row[0]))
        headers = [*_COUNTS, "precision", "recall", "f1-score"]
        width = max(*(len(str(row[0])) for row in rows), len(headers[0]), digits)
        lines = [
            f"Scenario: {scenario if mode == 'entities' else 'all'}",
            "",
            f"{'':>{width}}  " + " ".join(f"{title:>11}" for title in headers),
            "",
        ]
        for name, *numbers in rows:
            counts = [f"{count:>11}" for count in numbers[:5]]
            scores = [f"{score:>11.{digits}f}" for score in numbers[5:]]
            lines.append(f"{name:>{width}}  " + " ".join([*counts, *scores]))
        return "\n".join(lines) + "\n"

    def summary_report_indices(
        self, mode: str = "overall", scenario: str = "strict", colors: bool = False
    ) -> str:
        """Which entities came out how, one a line; missed ones are shown from the gold side.

        >>> evaluator = Evaluator([["B-PER"]], [["O"]], tags=["PER"])
        >>> [line for line in evaluator.summary_report_indices().splitlines() if "PER" in line]
        ['Missed               0          0        Label=PER, Start=0, End=0']
        """
        _check(mode, scenario)
        outcomes = self.evaluate()
        paint = _paint if colors else _plain
        if mode == "overall":
            head = f"\n{paint('Indices for error schema', 'bold')} '{paint(scenario, 'cyan')}':\n\n"
            places = outcomes["overall_indices"][scenario]
            return head + "\n".join(self._index_lines(places, self.tags, paint)) + "\n"
        parts = []
        for tag, places in outcomes["entity_indices"].items():
            head = f"\n{paint('Entity Type', 'bold')}: {paint(tag, 'cyan')}\n"
            head += f"{paint('Error Schema', 'bold')}: '{paint(scenario, 'cyan')}'\n\n"
            parts.append(head + "\n".join(self._index_lines(places[scenario], [tag], paint)) + "\n")
        return "".join(parts)

    def _used_tags(self) -> list[str]:
        used = {one.label for side in (self.true, self.pred) for part in side for one in part}
        return sorted(used.intersection(self.tags))

    def _rows(self, mode: str, scenario: str) -> list[list[Any]]:
        """A name, five counts and three scores: of each way, or of each tag in one way."""
        results = self.evaluate()
        named: dict[str, EvaluationResult] = results["overall"]
        if mode == "entities":
            named = {tag: ways[scenario] for tag, ways in results["entities"].items()}
        fields = (*_COUNTS, "precision", "recall", "f1")
        return [
            [name, *(getattr(result, field) for field in fields)] for name, result in named.items()
        ]

    def _index_lines(
        self, places: EvaluationIndices, tags: Sequence[str], paint: "Paint"
    ) -> Iterable[str]:
        known = {"gold": _with_tags(self.true, tags), "pred": _with_tags(self.pred, tags)}
        header = f"{'Category':<20} {'Instance':<10} {'Entity':<8} {'Details':<25}"
        yield paint(header, "bold")
        yield paint("-" * 78, "white")
        for field, indices in vars(places).items():
            category = field.removesuffix("_indices").capitalize()
            side = known["gold" if category == "Missed" else "pred"]
            name = f"{paint(category, category):<20}"
            if not indices:
                yield f"{name} {'-':<10} {'-':<8} {'None':<10}"
            for document, place in indices:
                one = side[document][place]
                details = f"Label={one.label}, Start={one.start}, End={one.end}"
                yield f"{name} {document:<10} {place:<8} {details:<10}"


Paint = Callable[[str, str], str]


def _paint(text: str, colour: str) -> str:
    return f"{_COLOURS[colour]}{text}\033[0m"


def _plain(text: str, colour: str) -> str:
    return text


def _with_tags(documents: Documents, tags: Sequence[str]) -> Documents:
    return [[one for one in entities if one.label in tags] for entities in documents]


def _loaded(true: Any, pred: Any, loader: str) -> tuple[Documents, Documents]:
    name = loader_for(true) if loader == "default" else loader
    if name not in LOADERS:
        raise ValueError(f"Unknown loader: {name}")
    if name == "list":
        _check_lengths(true, pred)
    sides = LOADERS[name](true), LOADERS[name](pred)
    if len(sides[0]) != len(sides[1]):
        raise ValueError("Number of predicted documents does not equal true")
    return sides


def _check_lengths(true: Any, pred: Any) -> None:
    if len(true) != len(pred):
        raise ValueError("Number of predicted documents does not equal true")
    for place, (gold, found) in enumerate(zip(true, pred, strict=True)):
        if len(gold) != len(found):
            raise ValueError(
                f"Document {place} has different lengths: true={len(gold)}, pred={len(found)}"
            )


def _check(mode: str, scenario: str) -> None:
    if mode not in _MODES:
        raise ValueError(f"Invalid mode: must be one of {', '.join(_MODES)}")
    if mode == "entities" and scenario not in STRATEGIES:
        raise ValueError(f"Invalid scenario: must be one of {', '.join(STRATEGIES)}")


def _results(outcomes: Outcomes) -> dict[str, EvaluationResult]:
    return {name: result_of(outcome, STRATEGIES[name]) for name, outcome in outcomes.items()}
