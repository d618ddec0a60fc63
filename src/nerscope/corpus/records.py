"""The records of a file (texts, tasks, documents) to which the sentences of a corpus belong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, Objects


class RecordFacts(NamedTuple):
    """What a record says about itself.

    `id` joins the files of gold, systems and annotators. `name` is how messages call the record, as
    in "task 812"; without one, they give its line. `meta` is metadata that facets can use.
    """

    id: str | None = None
    name: str | None = None
    meta: Mapping[str, str] = {}


NO_FACTS = RecordFacts()
_LONGEST_NAME = 60  # characters of an id in a message


def document_facts(id: str) -> RecordFacts:
    """The facts of a document that has no line, and is named by its id.

    >>> document_facts("8589722").name
    'document 8589722'
    """
    return RecordFacts(id, f"document {id}" if is_short_id(id) else None)


def is_short_id(id: str) -> bool:
    """Whether an id fits into a message."""
    return len(id) <= _LONGEST_NAME and id.isprintable()


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The records of sentences, as columns with one entry per sentence.

    `begins` is True for the first sentence of a record. `ids` and `names` are None if no record has
    one, `meta` has one column per key; a record without a value has None.

    >>> records = Records.of([RecordFacts("a"), RecordFacts("b")], np.array([0, 1, 1]))
    >>> records.begins.tolist(), records.ids.tolist()
    ([True, True, False], ['a', 'b', 'b'])
    """

    begins: Bools
    ids: Objects | None = None
    names: Objects | None = None
    meta: Mapping[str, Objects] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Sequence[RecordFacts], of_sentence: Ints) -> "Records":
        """The records of sentences; `of_sentence` has the index in `facts` of each sentence."""
        begins = np.diff(of_sentence, prepend=-1) != 0
        if all(each is NO_FACTS for each in facts):  # the common case
            return cls(begins)
        keys = dict.fromkeys(key for each in facts for key in each.meta)
        return cls(
            begins,
            _column([each.id for each in facts], of_sentence),
            _column([each.name for each in facts], of_sentence),
            {
                key: np.array([each.meta.get(key) for each in facts], object)[of_sentence]
                for key in keys
            },
        )

    def __len__(self) -> int:
        return len(self.begins)

    def chosen(self, sentences: Ints | slice) -> "Records":
        """The records of some sentences."""
        return Records(
            self.begins[sentences],
            None if self.ids is None else self.ids[sentences],
            None if self.names is None else self.names[sentences],
            {key: column[sentences] for key, column in self.meta.items()},
        )


def _column(values: Sequence[str | None], of_sentence: Ints) -> Objects | None:
    if all(value is None for value in values):
        return None
    return np.array(values, object)[of_sentence]


def join_records(parts: Sequence[Records | None]) -> Records | None:
    """The records of consecutive sentences; None if some part has none."""
    given = [part for part in parts if part is not None]
    if len(given) < len(parts) or not given:
        return None
    sizes = [len(part) for part in given]
    keys = dict.fromkeys(key for part in given for key in part.meta)
    return Records(
        np.concatenate([part.begins for part in given]),
        _joined([part.ids for part in given], sizes),
        _joined([part.names for part in given], sizes),
        {
            key: column
            for key in keys
            if (column := _joined([part.meta.get(key) for part in given], sizes)) is not None
        },
    )


def _joined(columns: Sequence[Objects | None], sizes: Sequence[int]) -> Objects | None:
    if all(column is None for column in columns):
        return None
    filled = [
        np.full(size, None, object) if column is None else column
        for column, size in zip(columns, sizes, strict=True)
    ]
    return np.concatenate(filled)
