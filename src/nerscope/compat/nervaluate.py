"""The evaluator of nervaluate 1.2 with the same names, counts, scores and reports.

To use it, change one line: `from nerscope.compat.nervaluate import Evaluator`.
"""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nerscope.compat.nervaluate_matching import (
    STRATEGIES,
    Entity,
    EntityDocuments,
    EvaluationIndices,
    EvaluationResult,
    StrategyIndices,
    entity_columns,
    indices_by_tag,
    overall_indices,
    possible_pairs,
    result_of,
)

__all__ = ["Entity", "EvaluationIndices", "EvaluationResult", "Evaluator"]

_MODES = ("entities", "overall")
_COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")
# ANSI escapes, some named after an outcome.
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
    """Compares predicted with gold entities by four strategies: strict, exact, partial, ent_type.

    `true` and `pred` are documents as label lists, as dictionaries with `label`, `start` and `end`
    (inclusive), or as CoNLL text; `loader` is "list", "dict" or "conll" (default: auto-detected).
    `tags` are the types to score. `min_overlap_percentage` is how much of a gold entity a predicted
    entity must cover to count as overlapping.

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
        self.true, self.pred = _load_both(true, pred, loader)
        if not 1.0 <= min_overlap_percentage <= 100.0:
            raise ValueError("min_overlap_percentage must be between 1.0 and 100.0")

    def evaluate(self) -> dict[str, Any]:
        """Counts, scores and entity indices of each strategy, for all tags and by tag.

        The keys are those of nervaluate: `overall`, `entities`, `overall_indices`,
        `entity_indices`.
        """
        tags = self._used_tags()
        gold, pred = entity_columns(self.true, tags), entity_columns(self.pred, tags)
        pairs = possible_pairs(gold, pred, self.min_overlap_percentage)
        # Without documents nervaluate returns an empty dictionary, not strategies with zero counts.
        overall: StrategyIndices = overall_indices(gold, pred, pairs) if self.true else {}
        by_tag = indices_by_tag(gold, pred, pairs, tags)
        return {
            "overall": _results(overall),
            "entities": {tag: _results(indices) for tag, indices in by_tag.items()},
            "overall_indices": overall,
            "entity_indices": by_tag,
        }

    def results_to_csv(
        self, mode: str = "overall", scenario: str = "strict", file_path: str | None = None
    ) -> str | None:
        r"""The results as CSV text; with `file_path`, they are written to a file instead.

        >>> evaluator = Evaluator([["B-PER"]], [["B-PER"]], tags=["PER"])
        >>> evaluator.results_to_csv(mode="entities").split("\r\n")[1]
        'PER,1,0,0,0,0,1.0,1.0,1.0'
        """
        _check_choice(mode, scenario)
        first = "Strategy" if mode == "overall" else "Entity"
        # The titles differ from those of `summary_report` below, as in nervaluate.
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
        """The results as a table: all four strategies, or one strategy by tag.

        >>> evaluator = Evaluator([["B-PER"]], [["B-PER"]], tags=["PER"])
        >>> evaluator.summary_report(mode="entities").splitlines()[-1].split()
        ['PER', '1', '0', '0', '0', '0', '1.00', '1.00', '1.00']
        """
        _check_choice(mode, scenario)
        # Sorted by name here, in order of evaluation in the CSV: as in nervaluate.
        rows = sorted(self._rows(mode, scenario), key=lambda row: str(row[0]))
        headers = [*_COUNTS, "precision", "recall", "f1-score"]
        # `digits` is part of the maximum, as in nervaluate.
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
        """The entities of each outcome, one per line; missed entities are from the gold side.

        >>> evaluator = Evaluator([["B-PER"]], [["O"]], tags=["PER"])
        >>> [line for line in evaluator.summary_report_indices().splitlines() if "PER" in line]
        ['Missed               0          0        Label=PER, Start=0, End=0']
        """
        _check_choice(mode, scenario)
        results = self.evaluate()
        paint = _paint if colors else _plain
        if mode == "overall":
            head = f"\n{paint('Indices for error schema', 'bold')} '{paint(scenario, 'cyan')}':\n\n"
            places = results["overall_indices"][scenario]
            return head + "\n".join(self._index_lines(places, self.tags, paint)) + "\n"
        parts = []
        for tag, places in results["entity_indices"].items():
            head = f"\n{paint('Entity Type', 'bold')}: {paint(tag, 'cyan')}\n"
            head += f"{paint('Error Schema', 'bold')}: '{paint(scenario, 'cyan')}'\n\n"
            parts.append(head + "\n".join(self._index_lines(places[scenario], [tag], paint)) + "\n")
        return "".join(parts)

    def _used_tags(self) -> list[str]:
        documents = [*self.true, *self.pred]
        used = {entity.label for entities in documents for entity in entities}
        return sorted(used.intersection(self.tags))

    def _rows(self, mode: str, scenario: str) -> list[list[Any]]:
        """A name, five counts and three scores, for each strategy or each tag of one strategy."""
        results = self.evaluate()
        by_name: dict[str, EvaluationResult] = results["overall"]
        if mode == "entities":
            by_name = {tag: ways[scenario] for tag, ways in results["entities"].items()}
        fields = (*_COUNTS, "precision", "recall", "f1")
        return [
            [name, *(getattr(result, field) for field in fields)]
            for name, result in by_name.items()
        ]

    def _index_lines(
        self, places: EvaluationIndices, tags: Sequence[str], paint: "Paint"
    ) -> Iterable[str]:
        gold, pred = _with_tags(self.true, tags), _with_tags(self.pred, tags)
        header = f"{'Category':<20} {'Instance':<10} {'Entity':<8} {'Details':<25}"
        yield paint(header, "bold")
        yield paint("-" * 78, "white")
        for field, indices in vars(places).items():
            category = field.removesuffix("_indices").capitalize()
            side = gold if category == "Missed" else pred
            name = f"{paint(category, category):<20}"
            if not indices:
                yield f"{name} {'-':<10} {'-':<8} {'None':<10}"
            for document, place in indices:
                entity = side[document][place]
                details = f"Label={entity.label}, Start={entity.start}, End={entity.end}"
                yield f"{name} {document:<10} {place:<8} {details:<10}"


Paint = Callable[[str, str], str]


def _paint(text: str, colour: str) -> str:
    return f"{_COLOURS[colour]}{text}\033[0m"


def _plain(text: str, colour: str) -> str:
    return text


def _with_tags(documents: EntityDocuments, tags: Sequence[str]) -> EntityDocuments:
    return [[entity for entity in entities if entity.label in tags] for entities in documents]


def _load_both(true: Any, pred: Any, loader: str) -> tuple[EntityDocuments, EntityDocuments]:
    # The gold side determines the loader for both sides.
    name = loader_for(true) if loader == "default" else loader
    if name not in LOADERS:
        raise ValueError(f"Unknown loader: {name}")
    # Only label lists must agree in length; other inputs have entities with offsets.
    if name == "list":
        _check_lengths(true, pred)
    sides = LOADERS[name](true), LOADERS[name](pred)
    if len(sides[0]) != len(sides[1]):
        raise ValueError("Number of predicted documents does not equal true")
    return sides


def _check_lengths(true: Any, pred: Any) -> None:
    if len(true) != len(pred):
        raise ValueError("Number of predicted documents does not equal true")
    for number, (gold, predicted) in enumerate(zip(true, pred, strict=True)):
        if len(gold) != len(predicted):
            raise ValueError(
                f"Document {number} has different lengths: true={len(gold)}, pred={len(predicted)}"
            )


def _check_choice(mode: str, scenario: str) -> None:
    if mode not in _MODES:
        raise ValueError(f"Invalid mode: must be one of {', '.join(_MODES)}")
    if mode == "entities" and scenario not in STRATEGIES:
        raise ValueError(f"Invalid scenario: must be one of {', '.join(STRATEGIES)}")


def _results(by_strategy: StrategyIndices) -> dict[str, EvaluationResult]:
    return {name: result_of(indices, STRATEGIES[name]) for name, indices in by_strategy.items()}


# The three loaders of nervaluate.

_KEYS = ("label", "start", "end")


def from_lists(data: Any) -> EntityDocuments:
    """Entities of documents that are lists of labels.

    >>> from_lists([["B-PER", "I-PER", "O"]])
    [[Entity(label='PER', start=0, end=1)]]
    """
    return [_read_labels(tags) for tags in _lists(data, "ListLoader", "tags")]


def from_conll(data: Any) -> EntityDocuments:
    r"""Entities of a text with token, tab and label per line and empty lines between documents.

    >>> from_conll("Ada\tB-PER\ncame\tO\n\nOslo\tB-LOC\n")
    [[Entity(label='PER', start=0, end=0)], [Entity(label='LOC', start=0, end=0)]]
    """
    if not isinstance(data, str):
        raise ValueError("ConllLoader expects string input")
    texts = data.rstrip().split("\n\n") if data else []
    return [_from_lines(text.split("\n")) for text in texts]


def from_dicts(data: Any) -> EntityDocuments:
    """Entities of lists of dictionaries with `label`, `start` and `end`, the end inclusive.

    >>> from_dicts([[{"label": "PER", "start": 3, "end": 5, "text": "Ada"}]])
    [[Entity(label='PER', start=3, end=5)]]
    """
    lists = _lists(data, "DictLoader", "entity dictionaries")
    return [[_from_dict(entity) for entity in document] for document in lists]


LOADERS: dict[str, Callable[[Any], EntityDocuments]] = {
    "conll": from_conll,
    "list": from_lists,
    "dict": from_dicts,
}


def loader_for(data: Any) -> str:
    """The name of the loader for the data.

    >>> loader_for([[], [{"label": "PER", "start": 0, "end": 1}]])
    'dict'
    """
    if isinstance(data, str):
        return "conll"
    if not (isinstance(data, list) and data and isinstance(data[0], list)):
        raise ValueError("Could not infer loader from input type")
    # The first entry of any document decides, since empty documents do not show the type.
    first = next((document[0] for document in data if document), "O")
    return "dict" if isinstance(first, dict) else "list"


def _lists(data: Any, loader: str, content: str) -> list[list[Any]]:
    if not isinstance(data, list):
        raise ValueError(f"{loader} expects list input")
    for document in data:
        if not isinstance(document, list):
            raise ValueError(f"Each document must be a list of {content}")
    return data


def _read_labels(tags: list[Any]) -> list[Entity]:
    """Entities from labels: a label continues an entity of its type unless it begins with B."""
    entities: list[Entity] = []
    kind, start, last = "", 0, -1
    for place, tag in [(place, tag) for place, tag in enumerate(tags) if tag != "O"]:
        if not isinstance(tag, str):
            raise ValueError(f"Invalid tag type: {type(tag)}")
        if last == place - 1 and last >= start and tag[2:] == kind and tag[:1] != "B":
            last = place
            continue
        if last >= start:
            entities.append(Entity(kind, start, last))
        kind, start, last = _kind(tag), place, place
    return [*entities, Entity(kind, start, last)] if last >= start else entities


def _kind(tag: str) -> str:
    if not tag.startswith(("B-", "I-")):
        raise ValueError(f"Invalid tag format: {tag}")
    return tag[2:]


def _from_lines(lines: list[str]) -> list[Entity]:
    """The entities of a document; a blank line in it continues the label of the line before."""
    tags: list[str] = []
    for line in lines:
        before = tags[-1] if tags else "O"
        continued = before if before == "O" else f"I-{before[2:]}"
        tags.append(_tag(line) if line.strip() else continued)
    return _read_labels(tags)


def _tag(line: str) -> str:
    parts = line.split("\t")
    if len(parts) < 2:
        raise ValueError(f"Invalid CoNLL format: line '{line}' does not contain a tab separator")
    return parts[1]


def _from_dict(entity: Any) -> Entity:
    if not isinstance(entity, dict):
        raise ValueError(f"Invalid entity type: {type(entity)}")
    if any(key not in entity for key in _KEYS):
        raise ValueError(f"Entity missing required keys: {', '.join(_KEYS)}")
    if not isinstance(entity["label"], str):
        raise ValueError("Entity label must be a string")
    if not isinstance(entity["start"], int) or not isinstance(entity["end"], int):
        raise ValueError("Entity start and end must be integers")
    return Entity(entity["label"], entity["start"], entity["end"])
