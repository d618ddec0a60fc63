"""Files of judgements for tests."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def pair(judgement: Any = "good", **changed: Any) -> dict[str, Any]:
    """A pair as a report page exports it, with some of it changed."""
    return {
        "dataset": "demo",
        "sentence": 12,
        "gold": {"start": 3, "end": 5, "type": "PER", "text": "Eve Lee"},
        "predicted": {"start": 3, "end": 4, "type": "PER", "text": "Eve"},
        "systems": {"crf": {"left": 0.5, "overlap": 0.5}},
        "judgement": judgement,
        **changed,
    }


def mention(**changed: Any) -> dict[str, Any]:
    """The gold mention of the pair, with some of it changed."""
    return {"start": 3, "end": 5, "type": "PER", "text": "Eve Lee", **changed}


def without(record: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A record that lacks a key."""
    return {name: value for name, value in record.items() if name != key}


def written(path: Path, pairs: Iterable[Any], form: Any = 1) -> Path:
    """A file of judgements."""
    content = {"nerscope_judgements": form, "pairs": list(pairs)}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
