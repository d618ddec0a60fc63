"""What is wrong with labels, place by place and in sum."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nerscope.errors import plural
from nerscope.render.document import Document, table_of


def validation_document(files: Sequence[Mapping[str, Any]], text: bool) -> Document:
    """Every violation, then how many there are of each."""
    records = [
        {"place": place, "fault": fault} for file in files for place, fault in file["violations"]
    ]
    data = [{**file, "violations": [one._asdict() for one in file["violations"]]} for file in files]
    if text:
        return Document(lines=[line for file in files for line in _lines(file)])
    return Document([table_of("Invalid labels", records)], data, records)


def _lines(file: Mapping[str, Any]) -> Iterator[str]:
    for place, fault in file["violations"]:
        yield f"{place}: {fault}"
    told = "as told" if file["told"] else "found by looking"
    total = plural(len(file["violations"]), "invalid transition")
    yield f"{file['name']}: scheme {file['scheme']} ({told}), {total}"
    for fault, count in Counter(fault for _, fault in file["violations"]).most_common():
        yield f"  {count:6d}  {fault}"
