"""The data of the page that `audit` writes: people accept proposals, keep gold or correct it."""

import random
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nerscope.errors import plural
from nerscope.render.audit import audit_document
from nerscope.render.page.columns import short
from nerscope.render.page.decide import (
    MOST_ITEMS,
    decide_html,
    frequent_types,
    glued_tokens,
    is_in_memory,
    neighbour_text,
    new_page,
    require_texts,
    shown_spans,
    shown_table,
)
from nerscope.render.page.decide_schema import (
    DecideGroup,
    DecideItem,
    DecideOption,
    DecidePage,
    DecideSentence,
    DecideSpan,
)
from nerscope.render.page.html import ReportPage
from nerscope.render.page.notes import RelativeNames

if TYPE_CHECKING:
    from nerscope.annotation.audit.material import Material
    from nerscope.annotation.audit.result import Audit
    from nerscope.annotation.audit.suspects import Suspect

SAMPLE = 200  # sentences to judge; any number of them, in their order, is a random sample
_DOUBT = "doubt"  # the label of the table of corrected scores


def audit_report(audit: "Audit", sample: int = SAMPLE) -> ReportPage:
    """The page with every suspect, and a random sample to judge."""
    return ReportPage(decide_html(audit_page(audit, sample)))


def audit_page(audit: "Audit", sample: int = SAMPLE) -> DecidePage:
    """Every suspect, the highest score first; groups; and a random sample to judge."""
    require_texts(all(row.tokens for row in audit.sentences))
    material = audit.audited_files()
    names = RelativeNames([*material.files, *(note["source"] for note in audit.losses)])
    gold = " + ".join(dict.fromkeys(map(names.shorten, material.files)))
    page = new_page("audit", f"Audit of {gold}", [row.system for row in audit.systems])
    document = audit_document(audit, as_list=False, most=0, gold=gold)
    page["summary"] = [*document.opening, *_expected(audit)]
    page["tables"] = [shown_table(table) for table in document.tables if table.label == _DOUBT]
    page["notes"] = [names.shorten(note) for note in document.notes]
    page["commands"] = _commands(gold.split(" + "))
    sentences = _Sentences(material, names.shorten)
    page["items"] = [_item(suspect, sentences) for suspect in audit.suspects[:MOST_ITEMS]]
    if left := len(audit.suspects) - len(page["items"]):
        page["notes"].append(f"{plural(left, 'more suspect')} with low scores are not on the page")
    page["groups"] = _numbered_groups(audit, page["items"])
    page["sample"] = _sample(audit, sample, sentences)
    page["sentences"] = sentences.made
    corpus, mentions = material.gold
    page["types"] = frequent_types(material.types[code] for code in mentions.type.tolist())
    page["nested"] = corpus.labels is None
    return page


def _commands(files: Sequence[str]) -> list[str]:
    """How decisions are applied, to each file by itself."""
    if is_in_memory(files):
        return ['audit.apply("decisions.json", "corrected.conll")']
    outputs = [str(Path(file).with_suffix(f".corrected{Path(file).suffix}")) for file in files]
    return [
        f"nerscope audit {shlex.quote(file)} --apply decisions.json -o {shlex.quote(output)}"
        for file, output in zip(files, outputs, strict=True)
    ]


def _expected(audit: "Audit") -> Iterator[str]:
    """How many of the first suspects are expected to be wrong."""
    scores = [suspect.score for suspect in audit.suspects]
    heads = [n for n in (20, 100) if n <= len(scores)] or ([len(scores)] if scores else [])
    for n in heads:
        yield f"Expected to be wrong: {sum(scores[:n]):.0f} of the first {n:,} suspects"


def _item(suspect: "Suspect", sentences: "_Sentences") -> DecideItem:
    spans = [*suspect.gold, *suspect.proposed]
    at = sentences.index(suspect.file, suspect.sentence)
    size = len(sentences.made[at]["tokens"])
    return {
        "sentence": at,
        "start": min((span.start for span in spans), default=0),
        "end": max((span.end for span in spans), default=size),
        "kind": suspect.kind,
        "current": shown_spans(suspect.gold),
        "options": _options(suspect) if spans else [],
        "score": short(suspect.score),
        "reasons": list(suspect.reasons),
        "group": None,
    }


def _options(suspect: "Suspect") -> list[DecideOption]:
    return [
        {"names": ["gold"], "spans": shown_spans(suspect.gold)},
        {"names": ["proposal"], "spans": shown_spans(suspect.proposed)},
    ]


def _numbered_groups(audit: "Audit", items: Sequence[DecideItem]) -> list[DecideGroup]:
    """The groups with several suspects; each of their items gets its number."""
    groups: list[DecideGroup] = []
    for row in audit.groups:
        members = [at for at in row.suspects if at < len(items)]
        if len(members) < 2:
            continue
        for at in members:
            items[at]["group"] = len(groups)
        groups.append(
            {
                "kind": row.kind,
                "gold": row.gold,
                "proposed": row.proposed,
                "score": short(row.score),
                "items": members,
            }
        )
    return groups


def _sample(audit: "Audit", n: int, sentences: "_Sentences") -> list[int]:
    """Sentences to judge in random order; none if no score of a system could be corrected."""
    if audit.doubt is None or not n:
        return []
    chosen = audit.sample(n, audit.settings["seed"])
    random.Random(audit.settings["seed"]).shuffle(chosen)
    return [sentences.index(each.file, each.sentence) for each in chosen]


@dataclass
class _Sentences:
    """The sentences on the page, each once."""

    material: "Material"
    shorten: Callable[[str], str]

    def __post_init__(self) -> None:
        material = self.material
        places = zip(material.files, material.numbers.tolist(), strict=True)
        self._number = {place: at for at, place in enumerate(places)}
        self._index: dict[int, int] = {}
        self.made: list[DecideSentence] = []

    def index(self, file: str, sentence: int) -> int:
        """The index of a sentence on the page, to which it is added if it is not there."""
        number = self._number[file, sentence]
        if number not in self._index:
            self._index[number] = len(self.made)
            self.made.append(self._sentence(number))
        return self._index[number]

    def _sentence(self, number: int) -> DecideSentence:
        corpus = self.material.gold.corpus
        begin, end = corpus.starts[number : number + 2].tolist()
        gaps = None if corpus.gaps is None else corpus.gaps[begin:end].tolist()
        before, after = (self._neighbour(number, step) for step in (-1, 1))
        return {
            "file": self.shorten(self.material.files[number]),
            "sentence": int(self.material.numbers[number]),
            "place": self.shorten(corpus.place(begin)),
            "tokens": corpus.words(number),
            "glued": glued_tokens(gaps),
            "before": neighbour_text(before, at_end=True),
            "after": neighbour_text(after, at_end=False),
            "gold": self._gold(number),
        }

    def _gold(self, number: int) -> list[DecideSpan]:
        return shown_spans(self.material.confirmed(number).gold)

    def _neighbour(self, number: int, step: int) -> Sequence[str] | None:
        """The sentence before or after, if it belongs to the same document."""
        at, corpus, files = number + step, self.material.gold.corpus, self.material.files
        if not 0 <= at < len(corpus) or files[at] != files[number]:
            return None
        return corpus.words(at) if corpus.documents[at] == corpus.documents[number] else None
