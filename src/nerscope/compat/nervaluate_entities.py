"""Entities as nervaluate has them, and its three ways to read them.

Ends are inclusive: an entity of one token begins and ends at the same place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(unsafe_hash=True)
class Entity:
    """An entity: its type, its first and its last place.

    >>> Entity("PER", 0, 1)
    Entity(label='PER', start=0, end=1)
    """

    label: str
    start: int
    end: int


Documents = list[list[Entity]]
_KEYS = ("label", "start", "end")


def from_lists(data: Any) -> Documents:
    """Lists of labels.

    >>> from_lists([["B-PER", "I-PER", "O"]])
    [[Entity(label='PER', start=0, end=1)]]
    """
    return [_spelt(tags) for tags in _lists(data, "ListLoader", "tags")]


def from_conll(data: Any) -> Documents:
    r"""A text of lines with a token, a tab and a label; an empty line between documents.

    >>> from_conll("Ada\tB-PER\ncame\tO\n\nOslo\tB-LOC\n")
    [[Entity(label='PER', start=0, end=0)], [Entity(label='LOC', start=0, end=0)]]
    """
    if not isinstance(data, str):
        raise ValueError("ConllLoader expects string input")
    texts = data.rstrip().split("\n\n") if data else []
    return [_from_lines(text.split("\n")) for text in texts]


def from_dicts(data: Any) -> Documents:
    """Lists of dictionaries with `label`, `start` and `end`, the end inclusive.

    >>> from_dicts([[{"label": "PER", "start": 3, "end": 5, "text": "Ada"}]])
    [[Entity(label='PER', start=3, end=5)]]
    """
    lists = _lists(data, "DictLoader", "entity dictionaries")
    return [[_from_dict(entity) for entity in document] for document in lists]


LOADERS: dict[str, Callable[[Any], Documents]] = {
    "conll": from_conll,
    "list": from_lists,
    "dict": from_dicts,
}


def loader_for(data: Any) -> str:
    """The name of the loader that fits the data.

    >>> loader_for([[], [{"label": "PER", "start": 0, "end": 1}]])
    'dict'
    """
    if isinstance(data, str):
        return "conll"
    if not (isinstance(data, list) and data and isinstance(data[0], list)):
        raise ValueError("Could not infer loader from input type")
    first = next((document[0] for document in data if document), "O")
    return "dict" if isinstance(first, dict) else "list"


def _lists(data: Any, loader: str, content: str) -> list[list[Any]]:
    if not isinstance(data, list):
        raise ValueError(f"{loader} expects list input")
    for document in data:
        if not isinstance(document, list):
            raise ValueError(f"Each document must be a list of {content}")
    return data


def _spelt(tags: list[Any]) -> list[Entity]:
    """What labels spell: a label continues an entity of its type unless it begins with B."""
    found: list[Entity] = []
    kind, start, last = "", 0, -1
    for place, tag in [(place, tag) for place, tag in enumerate(tags) if tag != "O"]:
        if not isinstance(tag, str):
            raise ValueError(f"Invalid tag type: {type(tag)}")
        if last == place - 1 and last >= start and tag[2:] == kind and tag[:1] != "B":
            last = place
            continue
        if last >= start:
            found.append(Entity(kind, start, last))
        kind, start, last = _kind(tag), place, place
    return [*found, Entity(kind, start, last)] if last >= start else found


def _kind(tag: str) -> str:
    if not tag.startswith(("B-", "I-")):
        raise ValueError(f"Invalid tag format: {tag}")
    return tag[2:]


def _from_lines(lines: list[str]) -> list[Entity]:
    """A blank line within a document is a place that goes on with what the line before was."""
    tags: list[str] = []
    for line in lines:
        before = tags[-1] if tags else "O"
        more = before if before == "O" else f"I-{before[2:]}"
        tags.append(_tag(line) if line.strip() else more)
    return _spelt(tags)


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
