"""The sentences of a page and their spans, as plain columns."""

from nerscope.render.page.schema import PageSentences, PageTokens
from nerscope.results.sentences import SentenceSample, WrongTokens
from nerscope.results.spans import outcome_characters
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence


def page_sentences(evidence: Evidence, sample: SentenceSample) -> PageSentences:
    """Sentences, spans and their outcomes in each run.

    A span is a gold mention or a prediction, listed once. For each run, `outcomes` has one
    character per span: the index of its outcome, or a dot if the run does not predict it.
    """
    spans, chosen = sample.spans, sample.sentences.tolist()
    return {
        "total": sample.total,
        "wrong": sample.wrong,
        "wrongKept": sample.wrong_kept,
        "sampled": sample.is_sample,
        "number": sample.numbers.tolist(),
        "line": _lines(evidence, chosen),
        "place": _places(evidence, chosen),
        "document": [int(evidence.documents[sentence]) for sentence in chosen],
        "text": _texts(evidence, chosen),
        "glued": _glued(evidence, chosen),
        "spans": {
            "sentence": spans.sentence.tolist(),
            "start": spans.start.tolist(),
            "length": spans.length.tolist(),
            "type": spans.type.tolist(),
            "gold": spans.is_gold.astype(int).tolist(),
            "text": {str(at): text for at, text in spans.text.items()},
        },
        "codes": {facet: codes.tolist() for facet, codes in spans.codes.items()},
        "outcomes": outcome_characters(spans.outcome),
        "mates": [pairs.tolist() for pairs in spans.mates],
        "tokens": [_tokens(tokens) for tokens in sample.tokens],
    }


def no_sentences(evidence: Evidence) -> PageSentences:
    """Empty columns, for results that keep only sums."""
    return {
        "total": evidence.folded.sentences if evidence.folded else len(evidence.documents),
        "wrong": 0,
        "wrongKept": 0,
        "sampled": True,
        "number": [],
        "line": None,
        "place": None,
        "document": [],
        "text": None,
        "glued": None,
        "spans": {"sentence": [], "start": [], "length": [], "type": [], "gold": [], "text": {}},
        "codes": {},
        "outcomes": ["" for _ in evidence.runs],
        "mates": [[] for _ in evidence.runs],
        "tokens": [],
    }


def _lines(evidence: Evidence, chosen: list[int]) -> list[int] | None:
    """The first line of each sentence; data in memory have none."""
    if evidence.lines is None or evidence.gold_name.startswith("<"):
        return None
    lines = evidence.lines.tolist()
    return [lines[sentence] for sentence in chosen]


def _places(evidence: Evidence, chosen: list[int]) -> list[str] | None:
    """The names of the records of sentences, if gold has records."""
    names = evidence.record_names
    return None if names is None else [names[sentence] or "" for sentence in chosen]


def _glued(evidence: Evidence, chosen: list[int]) -> list[list[int]] | None:
    """The tokens of each sentence without a blank before them, if the blanks are known."""
    if evidence.glued is None or evidence.texts is None:
        return None
    by_sentence: dict[int, list[int]] = {sentence: [] for sentence in chosen}
    columns = (column.tolist() for column in evidence.glued)
    for sentence, position in zip(*columns, strict=True):
        if sentence in by_sentence:
            by_sentence[sentence].append(position)
    return list(by_sentence.values())


def _texts(evidence: Evidence, chosen: list[int]) -> list[str | list[str]] | None:
    """The tokens of each sentence, joined by blanks unless a token contains one."""
    if evidence.texts is None:
        return None
    texts = [evidence.texts[sentence] for sentence in chosen]
    return [
        text.split(TOKEN_JOIN) if " " in text else text.replace(TOKEN_JOIN, " ") for text in texts
    ]


def _tokens(tokens: WrongTokens) -> PageTokens:
    return {
        "unit": tokens.unit,
        "sentence": tokens.sentence.tolist(),
        "position": tokens.position.tolist(),
        "codes": {facet: codes.tolist() for facet, codes in tokens.codes.items()},
        "wrong": outcome_characters(tokens.wrong),
    }
