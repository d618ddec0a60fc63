"""The data of the page that `agree` writes: people choose among annotators."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from nerscope.errors import plural, plural_of
from nerscope.render.agreement import agreement_document
from nerscope.render.document import UNDEFINED, percent
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
    DecideItem,
    DecideOption,
    DecidePage,
    DecideSentence,
    DecideTable,
)
from nerscope.render.page.html import ReportPage
from nerscope.render.page.notes import RelativeNames
from nerscope.render.tables import interval_text
from nerscope.results.terms import ANNOTATED, COHEN, agreement_words
from nerscope.scoring.cluster_units import SENTENCE
from nerscope.scoring.metrics import F1

if TYPE_CHECKING:
    from nerscope.annotation.agreement import (
        Agreement,
        AgreementScore,
        AnnotatedSentence,
        Disagreement,
        Span,
    )


def agreement_report(agreement: "Agreement") -> ReportPage:
    """The page with every disagreement."""
    return ReportPage(decide_html(agreement_page(agreement)))


def agreement_page(agreement: "Agreement") -> DecidePage:
    """Every disagreement with the distinct annotations to choose from."""
    require_texts(all(row.tokens is not None for row in agreement.sentences))
    page = new_page("agreement", "Agreement of annotators", agreement.annotators)
    document = agreement_document(agreement, everything=True)
    page["summary"] = list(document.opening)
    page["tables"] = [_pair_table(agreement), *map(shown_table, document.tables)]
    names = _names(agreement)
    page["notes"] = [names.shorten(note) for note in document.notes]
    _add_places(page, agreement, names)
    every = [row.mentions[name] for row in agreement.sentences for name in row.mentions]
    page["types"] = frequent_types(kind for spans in every for _, _, kind in spans)
    page["nested"] = any(_overlap(spans) for spans in every)
    return page


def _names(agreement: "Agreement") -> RelativeNames:
    return RelativeNames([*agreement.settings["files"], *(n["source"] for n in agreement.losses)])


def _pair_table(agreement: "Agreement") -> DecideTable:
    """Every pair of annotators: F1 and κ, each with its interval."""
    measures = (F1, COHEN, COHEN + ANNOTATED)
    words = agreement_words()
    titles = ["F1", *(words[measure].title for measure in measures[1:])]
    rows = [
        [
            f"{shared.a} – {shared.b}",
            f"{shared.n:,}",
            *(_number(agreement.score(measure, shared.a, shared.b)) for measure in measures),
        ]
        for shared in agreement.shared
    ]
    header = ["pair", f"shared {plural_of(agreement.settings['text_unit'])}", *titles]
    return {"title": "Pairs, with 95 % intervals", "header": header, "rows": rows, "notes": []}


def _number(row: "AgreementScore | None") -> str:
    """F1 in percent, or κ, with its interval."""
    if row is None or row.value is None:
        return UNDEFINED
    if row.measure == F1:
        return percent(row.value) + interval_text(row.low, row.high)
    interval = "" if row.low is None or row.high is None else f" [{row.low:.3f}, {row.high:.3f}]"
    return f"{row.value:.3f}{interval}"


def _add_places(page: DecidePage, agreement: "Agreement", names: RelativeNames) -> None:
    """Add the disagreements with their sentences, and the command that applies decisions."""
    short = list(dict.fromkeys(map(names.shorten, agreement.settings["files"])))
    page["commands"] = [_command(short, agreement.settings["text_unit"])]
    by_sentence: dict[int, list[Disagreement]] = {}
    for row in agreement.disagreements:
        by_sentence.setdefault(row.sentence, []).append(row)
    for sentence, rows in by_sentence.items():
        # A decision is about a whole sentence, so all of its places are on the page.
        if len(page["items"]) + len(rows) > MOST_ITEMS:
            break
        page["items"] += [_item(row, len(page["sentences"])) for row in rows]
        made = _sentence(agreement, sentence, rows, names.shorten)
        page["sentences"].append({**made, "file": short[0]})
    if left := len(agreement.disagreements) - len(page["items"]):
        page["notes"].append(f"{plural(left, 'more disagreement')} are not on the page")


def _command(files: Sequence[str], text_unit: str) -> str:
    """How decisions are applied."""
    target = "gold.conll" if text_unit == SENTENCE else "gold.jsonl"
    if is_in_memory(files):
        return f'agreement.apply("decisions.json", "{target}")'
    return f"nerscope agree {shlex.join(files)} --apply decisions.json -o {target}"


def _item(row: "Disagreement", sentence: int) -> DecideItem:
    return {
        "sentence": sentence,
        "start": row.start,
        "end": row.end,
        "kind": row.kind,
        "current": [],
        "options": _options(row.mentions),
        "score": None,
        "reasons": [],
        "group": None,
    }


def _options(mentions: Mapping[str, Sequence["Span"]]) -> list[DecideOption]:
    """The distinct annotations; what most annotators have comes first."""
    names: dict[tuple[Span, ...], list[str]] = {}
    for name, spans in mentions.items():
        names.setdefault(tuple(sorted(spans)), []).append(name)
    ranked = sorted(names.items(), key=lambda option: -len(option[1]))
    return [{"names": own, "spans": shown_spans(spans)} for spans, own in ranked]


def _sentence(
    agreement: "Agreement",
    number: int,
    rows: Sequence["Disagreement"],
    shorten: Callable[[str], str],
) -> DecideSentence:
    sentence = agreement.sentences[number]
    before, after = (_neighbour(agreement, number, step) for step in (-1, 1))
    return {
        "file": "",
        "sentence": number,
        "place": shorten(sentence.place),
        "tokens": list(sentence.tokens or ()),
        "glued": _glued(agreement, number),
        "before": neighbour_text(before, at_end=True),
        "after": neighbour_text(after, at_end=False),
        "gold": shown_spans(_undisputed(sentence, agreement.annotators, rows)),
    }


def _undisputed(
    sentence: "AnnotatedSentence", annotators: Sequence[str], rows: Sequence["Disagreement"]
) -> list["Span"]:
    """The mentions that all annotators of a sentence have."""
    one = next(name for name in annotators if name in sentence.mentions)
    return [
        span
        for span in sentence.mentions[one]
        if not any(span[0] < row.end and row.start < span[1] for row in rows)
    ]


def _neighbour(agreement: "Agreement", number: int, step: int) -> Sequence[str] | None:
    """The sentence before or after, if it belongs to the same text."""
    at = number + step
    if not 0 <= at < len(agreement.sentences):
        return None
    here, other = agreement.sentences[number], agreement.sentences[at]
    texts = agreement.annotated
    if texts is not None and texts.corpus.documents[number] != texts.corpus.documents[at]:
        return None
    is_separate = agreement.settings["text_unit"] != SENTENCE and here.text != other.text
    return None if is_separate else other.tokens


def _glued(agreement: "Agreement", number: int) -> list[int] | None:
    texts = agreement.annotated
    if texts is None or texts.corpus.gaps is None:
        return None
    begin, end = texts.corpus.starts[number : number + 2].tolist()
    return glued_tokens(texts.corpus.gaps[begin:end].tolist())


def _overlap(spans: Sequence["Span"]) -> bool:
    ordered = sorted(spans)
    return any(after[0] < before[1] for before, after in pairwise(ordered))
