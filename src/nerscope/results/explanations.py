"""What every word means that nerscope prints: terms, headings, codes, phrases, notes and messages.

Facets, levels, metrics and matches carry their definitions where they are registered. Messages and
notes are explained by the rows of docs/messages.md, in which `…` stands for what varies.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from nerscope.errors import UsageError, suggest
from nerscope.facets.facet import FACETS, attribute_named, fixed_facets
from nerscope.results.terms import (
    Wording,
    agreement_words,
    attribute_phrase,
    facet_words,
    level_words,
    match_words,
    metric_words,
)
from nerscope.scoring.matching import MATCHES, TOKEN_MATCH_WORDS
from nerscope.scoring.metrics import F1, METRICS
from nerscope.stats.paired import METHODS

_CLEARLY_SIMILAR = 0.75  # of difflib: 'recal' and 'recall' have 0.91, 'problem' and 'holm' 0.55
_MOST_LISTED = 5  # messages that contain a text


class Explanation(NamedTuple):
    """A term as it is printed, and its definition."""

    term: str
    meaning: str


# Terms of the field that are not registered things.
GENERAL = {
    "agreement": "How far annotators give the same annotation: F1 of one against another, and κ "
    "and α, which leave out what agrees by chance.",
    "annotator": "A person who has annotated texts; nerscope agree compares several.",
    "attribute": "A number for each mention or word, such as its length. Its buckets are a facet.",
    "baseline": "The system or the results that others are compared with.",
    "bucket": "A range of an attribute's values: XS, S, L, XL. Edges are fixed on the gold test "
    "mentions; a mention with a value equal to an edge belongs below it.",
    "cluster": "A document, sentence or block of sentences: what is resampled as a unit.",
    "corrected p": "The p-value, corrected for all comparisons of its family. It is significant "
    "below 0.05.",
    "fail": "A condition of the gate is violated: the number is significantly worse than allowed.",
    "facet": "A way to divide mentions or words into levels, such as tmr or eLen.",
    "floor": "The worst value that the gate allows, in percent. It is compared with the value, or, "
    "with --floor-rule interval, with its confidence bound.",
    "fold": "One of k parts of a corpus. Each part is the test set once, and the other parts are "
    "the training set. The splits of one corpus overlap in their training data.",
    "gold": "What people annotated. Predicted is what a system found.",
    "human ceiling": "The agreement of annotators among themselves, beside that of a system with "
    "them. A system can hardly agree better with an annotator than other people do.",
    "hallucinated": "A predicted mention whose text is not in the sentence or document.",
    "holm": "Holm's correction of many p-values: the probability of any false claim stays below "
    "5 %.",
    "interval": "95 % confidence interval: in 95 of 100 test sets like this one, it contains the "
    "true value.",
    "level": "A named group of mentions or words under a facet, such as seen under tmr.",
    "match": "What counts as right, and for how much credit: exact, left, right, overlap, iou …",
    "max_drop": "The drop against the baseline that the gate allows, in points (option "
    "--max-drop; default: 1 if no rule is given). A condition is ok if the drop is significantly "
    "smaller, fails if it is significantly larger, and is undecided otherwise.",
    "max_total_drop": "The drop against the reference that the gate allows, in points (option "
    "--max-total-drop; default: max_drop). The reference stays the same, while the baseline "
    "changes with every release, so many small drops cannot add up.",
    "mention": "A span of tokens in one sentence with an entity type.",
    "n": "The denominator: gold mentions for recall and F1, predicted mentions for precision, "
    "tokens for error rates. In agree, the mentions of both annotators, or tokens.",
    "note": "Something that a reader should know about the input or about a number. --notes prints "
    "all of them.",
    "ok": "A condition of the gate is fulfilled.",
    "p": "How often a difference as large as this one arises by chance, if there is no true "
    "difference.",
    "power": "The probability that a true difference of a given size becomes significant.",
    "careful": "A warning: this test set has little power, so a significant difference probably "
    "overstates the true one.",
    "rough": "Fewer than 40 documents or sentences: intervals and p-values are approximate.",
    "unreadable": "An answer of a language model without readable JSON, or with parts that are not "
    "readable. evaluate --list unreadable lists them.",
    "undecided": "The interval includes the allowed limit, so the gate can neither pass nor fail "
    "the condition. A larger test set may decide it.",
    "repaired labels": "Labels that are invalid in their scheme, such as I-PER after O, and how "
    "they were read. nerscope validate FILE lists them.",
    "rho": "ρ: mean size of the rank correlation between buckets and F1, over systems.",
    "run": "One training of a system, with a seed. Several runs show how much training varies.",
    "signature": "All settings that affect a number, in one line. Quote it with the number.",
    "spearman": "Rank correlation between buckets and scores: 1 if scores rise with every bucket.",
    "step-down": "A correction of many p-values that uses their dependence; it finds more than "
    "Holm's, at the same error rate.",
    "support": "The number of gold mentions.",
    "surface": "The tokens of a mention, case-sensitive. Surface F1 counts each (surface, type) "
    "once.",
    "tcm": "Type-confusable mentions: their text has two or more types among the gold test "
    "mentions. tcm-unseen are those whose text is not a training mention, tcm-seen the others.",
    "two-way": "Clusters by place (document, sentence or block) and by surface at once, because a "
    "name that is wrong in one place is often wrong everywhere.",
    "zeta": "ζ: mean value of an attribute over the test mentions.",
}
_LABELS = "Labels with their counts."
_CHANGES = "{} Counted by gold mention; with several runs, by the majority of runs."
_BETTER_ON = (
    "The number of splits on which {} is significantly better. Of datasets: at least so many, with "
    "95 % confidence."
)
# What stands above the columns of tables, and titles of tables.
HEADINGS = {
    "*": "The best system of its row or column; in a comparison, a significant difference "
    "(corrected p < 0.05). The note below the table says which.",
    "!": "The number is based on fewer than 30 units, or on less than 1 % of all mentions. In a "
    "subset such as eLen=XL & !tmr=seen, it means: not.",
    "†": "The number differs significantly from that of the system given by --against (p < 0.05, "
    "not corrected).",
    "± over datasets": "Standard deviation over the datasets.",
    "± over splits": "Standard deviation over the splits.",
    "± runs": "Standard deviation of F1 over the runs of a system.",
    "95 % interval of F1": GENERAL["interval"],
    "95 % together": "Intervals that hold for all numbers of a family at once, with 95 % "
    "confidence.",
    "A": "The first system of a pair.",
    "A ahead on": "Datasets or splits on which A has the higher score, significant or not.",
    "A better by": "How far A is better than B in the bucket, in points.",
    "A better on": _BETTER_ON.format("A"),
    "against": "The system, or the split, that is compared with.",
    "all": "All mentions or words together; in a table of errors, all kinds together.",
    "all types": "All entity types together (micro average).",
    "annotators": "The agreement of the annotators among themselves: mean F1 over their pairs.",
    "annotated": "How often the text is a mention.",
    "B": "The second system of a pair.",
    "B ahead on": "Datasets or splits on which B has the higher score, significant or not.",
    "B better on": _BETTER_ON.format("B"),
    "best bucket": "The bucket of the attribute with the highest F1.",
    "best F1": "F1 in the best bucket of the attribute.",
    "best system": "The system with the best value of its row or column; the difference from the "
    "others need not be significant.",
    "better": "How many numbers are significantly better than those of the other system.",
    "better by": "How far the first system is better, in points. It is positive if the first "
    "system is better, also where low values are good.",
    "better than": "The system that is significantly worse.",
    "both": "Errors of wrong type and wrong boundary at once.",
    "both right": _CHANGES.format("Right in A and in B."),
    "both wrong": _CHANGES.format("Wrong in A and in B."),
    "boundary": "A disagreement of annotators who have a mention of one type with other bounds.",
    "broken": _CHANGES.format("Right in A, wrong in B."),
    "by chance": "The mean size of the correlation if the attribute has no effect.",
    "change": "The difference between A and B, in percent of B.",
    "correlation": "Spearman's rank correlation between the buckets of an attribute and F1.",
    "correlation ρ": "Mean size of Spearman's rank correlation between the buckets of an attribute "
    "and F1, over systems.",
    "corrected resampled t-test": "Student's t-test of the mean difference over splits. Its "
    "variance is enlarged, because the training sets of splits overlap (Nadeau and Bengio 2003).",
    "count": "How often it occurs.",
    "counted as": "Whether predictions that do not fit the tokens of gold count as errors or are "
    "left out.",
    "counted as errors": "Predictions that do not fit the tokens of gold count as false positives.",
    "dataset": "The dataset of a number: by default, the name of the test file.",
    "datasets": "The datasets that a number rests on.",
    "detectable": "The smallest true difference that this test set detects with 80 % power, in "
    "points.",
    "differ": "In how many documents or sentences the two systems differ.",
    "documents needed": "How many documents a test set needs to detect the difference.",
    "errors by kind": "Errors of each kind. A gold mention and the prediction that it was taken "
    "for are one error.",
    "errors per run": "Errors of each kind, as the mean over the runs of a system. A gold mention "
    "and the prediction that it was taken for are one error.",
    "first": "The first cell of a contrast; of duplicates, the place of the first occurrence.",
    "first better by": "How far the score on the first cell is better than that on the second.",
    "first places": "Where the text first has each label, as file:line.",
    "fixed": _CHANGES.format("Wrong in A, right in B."),
    "gap": "F1 in the best bucket minus F1 in the worst one, in points.",
    "group": "A level of a facet, or an entity type. In a ranking: systems with a common letter do "
    "not differ significantly.",
    "difference": "The first number minus the second, in points.",
    "disagreements": "Parts of sentences in which mentions overlap and not all annotators have the "
    "same ones.",
    "disagreements by kind": "How many disagreements have which kind: some annotators have no "
    "mention there (missing), or the type, the boundary, or both differ.",
    "each against the rest": "The mean F1 of an annotator with the others, and that of the others "
    "alone. The difference is negative if the others agree better among themselves.",
    "F1 by type": "F1 of each entity type; of several annotators, the mean over pairs.",
    "F1 of pairs": "F1 of each annotator against each other; it is the same with either as gold.",
    "gold": GENERAL["gold"],
    "here": f"{_LABELS} In this split.",
    "in": "The mentions or words that belong to a subset, such as eLen=XL & type=ORG.",
    "kind": "The kind of an error, or of a duplicate: exact, or near (but for case or digits).",
    "lead": "Where A leads B most (largest) and least (smallest).",
    "left out": "Not counted. Of predictions that do not fit the tokens of gold: neither right nor "
    "wrong.",
    "level": GENERAL["level"],
    "macro average": "The mean over types, each with the same weight.",
    "mean": "The mean over datasets, or of an attribute.",
    "mean rank": "The mean rank of a system over the datasets.",
    "mean ζ": GENERAL["zeta"],
    "mean over pairs": "The mean over all pairs of annotators, each with the same weight.",
    "missed": "Gold mentions that no prediction overlaps.",
    "missing": "A disagreement: some annotators have no mention where the others have the same.",
    "n first": "The denominator of the first cell.",
    "n second": "The denominator of the second cell.",
    "needed": "How many documents or sentences a test set needs to detect the difference with the "
    "current runs, with a 95 % interval.",
    "next run": "The probability that A's next training run scores higher than B's.",
    "no significant difference": "A difference whose corrected p is 0.05 or more. It may still "
    "exist: nerscope power shows what the test set detects.",
    "number": "What is measured: a metric, and the group it is measured on.",
    "others like them": "The interval for other datasets like these (Student's t).",
    "others alone": "The mean F1 over pairs of the other annotators.",
    "out": "The mentions or words that do not belong to a subset.",
    "overall": "The score, or the difference, on all mentions.",
    "p of trend": "p of the question whether F1 rises or falls with the buckets.",
    "p, others like them": "p for other datasets like these (Student's t), corrected.",
    "P(1)": "The probability that the system is the best, in percent.",
    "P(A better)": "The probability that A is better by more than the region of practical "
    "equivalence.",
    "P(B better)": "The probability that B is better by more than the region of practical "
    "equivalence.",
    "P(equivalent)": "The probability that the difference is within the region of practical "
    "equivalence.",
    "paper's p": "p of InterpretEval's own test, which often finds effects in noise.",
    "paper's p (chi-square)": "The same by the chi-square approximation that the paper used.",
    "paper's test": "InterpretEval's own test, and its number of blocks or pairs.",
    "place": "File and line.",
    "places": "The number of places.",
    "rank": "The rank of a system by its score.",
    "ranks (95 %)": "The ranks that hold 95 % of the probability.",
    "rule": "The condition that decided a verdict of the gate: max_drop, max_total_drop or floor.",
    "runs": "The number of runs.",
    "runs needed": "How many runs of each system detect the difference with this test set.",
    "runs of A": "The score of each run of A.",
    "runs of B": "The score of each run of B.",
    "score": "A metric with its value.",
    "second": "The second cell of a contrast.",
    "sentences needed": "How many sentences a test set needs to detect the difference.",
    "share good": "The share of judged pairs that people called good.",
    "sign test": "p of the sign test over datasets, corrected.",
    "split": "A part of a dataset (train, dev, test); one division of a corpus into training and "
    "test data, as one of k folds; or an error: one gold mention, several predictions inside it.",
    "splits": "The number of splits of one corpus.",
    "spread of F1": "Standard deviation of F1 over the buckets, in points.",
    "spurious": "Predictions that overlap no gold mention.",
    "system": "The name of a system.",
    "systems": "The systems that a number rests on.",
    "test set": "The size of the test set.",
    "text": "The text of a mention.",
    "these datasets": "The interval for these datasets alone.",
    "texts": "The texts that annotators have annotated: records of a file, or, of columns, "
    "sentences.",
    "token": "A word as the file has it.",
    "train": f"{_LABELS} In training.",
    "training labels": "The labels of the word in training, with their counts.",
    "type": "The entity type.",
    "type and boundary": "A disagreement of annotators on the type and the bounds of a mention.",
    "types": f"{_LABELS} One per type.",
    "types of paired mentions": "How often an annotator has one type where another has the other, "
    "over all pairs of annotators.",
    "unannotated": "How often the text occurs without annotation (O).",
    "value": "The value of a number: F1 in percent, κ and α from -1 to 1.",
    "weakest groups": "Groups that score furthest below the overall score. They are ranked by the "
    "lower 95 % bound of the shortfall. Groups of fewer than 30 units are left out, and so are "
    "groups whose interval includes the overall score.",
    "Wilcoxon": "p of Wilcoxon's signed-rank test over datasets, corrected.",
    "with annotators": "The mean F1 of a system with each annotator.",
    "with the others": "The mean F1 of an annotator with each of the others.",
    "worse": "How many numbers are significantly worse than those of the other system.",
    "worse by": "How far a score is worse, in points: in a table of groups, worse than the overall "
    "score; in gate, worse than the baseline or reference. It is positive if it is worse, also "
    "where low values are good.",
    "worst bucket": "The bucket of the attribute with the lowest F1.",
    "worst F1": "F1 in the worst bucket of the attribute.",
    "wrong boundary": "A prediction of the right type that overlaps a gold mention without equal "
    "bounds. In summaries, split and merged mentions count as wrong boundary.",
    "wrong type": "A prediction with the span of a gold mention and another type.",
    "wrong type and boundary": "A prediction of another type that overlaps a gold mention without "
    "equal bounds.",
    "ε": "Almost stochastic order: 0 if A is ahead at every quantile of its runs, 1 if B is.",
}
_DIFFERING = (
    "In how many of them the two outputs differ in what the compared number counts. Only those "
    "with at least one mention in gold or in one of the two outputs are counted."
)
_CONFIDENCE = (
    "Each bound holds with this confidence: with 95 %, the true difference is below the lower "
    "bound in at most 5 % of such test sets, and above the upper bound in at most 5 %."
)
_RESAMPLED = (
    "What is drawn as a unit for intervals and tests: documents, sentences or blocks of sentences. "
    "Units are taken as independent of each other."
)
_RATIO = (
    "The ratio of test to training sentences of a split. The corrected resampled t-test uses it: "
    "the larger it is, the larger is the variance."
)
# Parts of sentences on screens, in which `…` stands for what varies.
LINES = {
    **{
        f"… of … {units} {verb}": _DIFFERING
        for units in ("documents", "sentences", "clusters", "blocks of … sentences")
        for verb in ("differ", "with mentions differ")
    },
    "… to … with … % confidence": _CONFIDENCE,
    "one-sided … % bounds … to …": _CONFIDENCE,
    "test set detects … with … % power": "If the true difference has this size, the test finds it "
    "in 80 % of such test sets. Smaller differences often remain undetected. A larger test set "
    "detects smaller ones: nerscope power.",
    "… of such comparisons would show a star somewhere": "Stars are corrected "
    "within a family of numbers, such as all groups, and a comparison has several families. This "
    "is the probability of a star anywhere, if the systems do not differ.",
    "not tested: … there to reach p < …": "The systems differ there in so few "
    "documents or sentences that no outcome could be significant.",
    "ranked by the lower … % bound of the shortfall against the overall score": HEADINGS[
        "weakest groups"
    ],
    "About these outputs, not about other training runs": "The interval and p say whether these "
    "outputs differ on other test data. Another training of the same systems may give another "
    "result: evaluate several runs of each system to compare methods.",
    "About the methods …: interval and p allow for other training runs": "The systems have several "
    "runs, so the interval and p include the variation over training runs.",
    "each split has its own training run": "Every split was trained separately, so the variation "
    "over splits includes that over training runs.",
    "Resampled: …": _RESAMPLED,
    "Resampled for the p of a split: …": _RESAMPLED,
    "corrected resampled t-test": HEADINGS["corrected resampled t-test"],
    "Mean over … splits": "The mean over the splits of one corpus. Its interval allows for the "
    "sentences that splits share.",
    "Mean over … datasets": "The mean over the datasets, each with the same weight.",
    "with … test sentences per training sentence": _RATIO,
    "with … test sentences for one of training": _RATIO,
    "systems with a common letter do not differ": HEADINGS["group"],
    "fewer than … units, or less than … of all mentions": HEADINGS["!"],
    "differs significantly from … (p < …, not corrected)": HEADINGS["†"],
    "significant difference (corrected p < …)": GENERAL["corrected p"],
    "worse by … points": HEADINGS["worse by"],
    "better by … points": HEADINGS["better by"],
    "the true drop may be below or above the allowed one": GENERAL["undecided"],
    "the true value may be below or above the floor": GENERAL["undecided"],
    "bounds over only … are rough": GENERAL["rough"],
    "intervals over only … are rough": GENERAL["rough"],
    "… annotators, … joined by …": "How many annotators and texts are compared, and by what their "
    "texts were joined: ids, texts, or their order.",
    "…, mean over pairs": HEADINGS["mean over pairs"],
    "… over … of pairs": "The coefficient of each pair of annotators: nerscope explain cohen_kappa",
    "Annotated …": HEADINGS["texts"],
    "Shared …": "How many texts, or sentences of columns, two annotators have both annotated.",
    "types confused most: …": "Pairs of types that annotators give to the same mention, with their "
    "counts over all pairs of annotators.",
    "settled by majority": "What more than half of the annotators of a text have, where there are "
    "three or more.",
    "left open, without a majority: no mention was written there": "Three annotators or more "
    "disagree there, and at most half of them have the same mention, or none.",
    "undecided: no mention was written there": "Annotators disagree there, no decision settles it, "
    "and two of them have no majority.",
    "rule: max_drop …": GENERAL["max_drop"],
    "rule: max_total_drop …": GENERAL["max_total_drop"],
    "rule: floor …": GENERAL["floor"],
}
_ALIASES = {
    **dict.fromkeys(("xs", "s", "m", "l", "xl"), "bucket"),
    "95 % interval": "interval",
    "f-score": F1,
    "surface f1": "surface",
    "ζ": "zeta",
    "ρ": "rho",
}


def all_terms() -> dict[str, str]:
    """Every term with its definition, in alphabetical order; headings are left out."""
    terms = {word.name: _definition(word) for word in _registered() if _definition(word)}
    return dict(sorted({**terms, **GENERAL}.items(), key=lambda item: item[0].lower()))


def _definition(word: Wording) -> str:
    """The definition; the title of a user's facet that has none."""
    return word.definition or (f"{word.title}." if word.title not in ("", word.name) else "")


def _registered() -> Iterator[Wording]:
    from nerscope.formats.base import FORMATS  # tables need no format, and `compare` reads no file

    # Where two things have the same name, the later one explains it: what tables print comes last.
    for form in (FORMATS[name] for name in FORMATS):
        yield Wording(form.name, form.title, form.phrase, form.definition)
    for method in (METHODS[name] for name in METHODS):
        yield Wording(method.name, method.title, method.phrase, method.definition)
    yield from agreement_words().values()
    # Levels come in reverse: of facets that share the name of a level, the first one explains it.
    for facet in reversed(fixed_facets()):
        yield from (level_words(facet.name, level) for level in facet.level_codes)
    yield from map(match_words, (*MATCHES, *TOKEN_MATCH_WORDS))
    yield from map(facet_words, FACETS)
    yield from map(metric_words, METRICS)


def explain(text: str) -> list[Explanation]:
    """What a text means that nerscope printed: a term, heading, code, phrase, note or message.

    >>> [explanation.term for explanation in explain("recall on mentions whose text is new")]
    ['recall', 'tmr=unseen-tokens']
    >>> explain("TER")[0].term, explain("hard-strict=diff-O")[0].term, explain("worse by")[0].term
    ('ter', 'hard-strict=diff-O', 'worse by')
    """
    finders = (_code, _term, _phrase, _number, _in_parentheses, _bucket, _message, _kind, _parts)
    for find in finders:
        if found := find(_plain(text)):
            return found
    from difflib import get_close_matches  # needed only when something is wrong

    known = {name.lower(): name for name in (*all_terms(), *HEADINGS, *_phrases())}
    close = get_close_matches(_plain(text).lower(), known, n=1, cutoff=_CLEARLY_SIMILAR)
    fix = "nerscope explain (lists all terms)"
    if close:
        fix = f"did you mean '{known[close[0]]}'? nerscope explain '{known[close[0]]}'"
    raise UsageError(f"'{text}'", "no explanation is known", fix)


def explain_words(words: Sequence[str]) -> list[Explanation]:
    """What each of several texts means; or the text that they are together, given without quotes.

    >>> [explanation.term for explanation in explain_words(["mean", "rank"])]
    ['mean rank']
    >>> [explanation.term for explanation in explain_words(["tmr=seen", "rank"])]
    ['tmr=seen', 'rank']
    """
    together = _plain(" ".join(words))
    if len(words) > 1 and (found := _term(together) or _phrase(together)):
        return found
    try:
        return [explanation for word in words for explanation in explain(word)]
    except UsageError:
        for find in (_number, _in_parentheses, _bucket, _message, _parts):
            if len(words) > 1 and (found := find(together)):
                return found
        raise


def _plain(text: str) -> str:
    """A text without the marks of its line: `note:`, a star, a colon."""
    text = " ".join(text.split())
    for prefix in ("nerscope: ", "note: ", "* "):
        text = text.removeprefix(prefix)
    return text.rstrip("*:.").strip() or text


def _code(text: str) -> list[Explanation]:
    """A level of a facet, as tmr=unseen-tokens, perhaps with a type."""
    facet, equals, level = text.partition("=")
    if not equals or facet not in FACETS:
        return []
    level, _, type = level.partition(" ")
    levels = _levels_of(facet)
    if not levels:  # an attribute: its buckets have the same meaning everywhere
        meaning = f"{GENERAL['bucket']} Here, of: {facet_words(facet).phrase}."
        return [Explanation(text, meaning)]
    if level not in levels:
        raise UsageError(f"'{text}'", f"'{facet}' has no level '{level}'", suggest(level, levels))
    words = level_words(facet, level)
    phrase = f"{words.phrase[:1].upper()}{words.phrase[1:]}."
    meaning = phrase if words.definition in ("", phrase) else f"{phrase} {words.definition}"
    return [Explanation(text, f"{meaning} Only type {type}." if type else meaning)]


def _term(text: str) -> list[Explanation]:
    terms, lowered = all_terms(), text.lower()
    by_lower = {name.lower(): name for name in terms}
    headings = {name.lower(): name for name in HEADINGS}
    option = lowered.removeprefix("--").replace("-", "_")  # --max-drop
    keys = (lowered, _ALIASES.get(lowered, ""), lowered.partition("(")[0].strip(), option)
    for key in keys:
        if key in by_lower:
            name = by_lower[key]
            levels = _levels_of(name)
            more = f" Levels: {', '.join(levels)}." if levels else ""
            return [Explanation(name, terms[name] + more)]
        if key in headings:
            return [Explanation(headings[key], HEADINGS[headings[key]])]
    # Titles and headings name systems: "Weakest groups of flair".
    starts = [name for name in headings if lowered.startswith(f"{name} of ")]
    return [Explanation(headings[name], HEADINGS[headings[name]]) for name in starts[:1]]


def _phrase(text: str) -> list[Explanation]:
    code = _phrases().get(text.lower())
    return [] if code is None else _code(code) or _term(code)


@cache
def _phrases() -> dict[str, str]:
    """The codes of all phrases and titles, in lower case."""
    phrases = {}
    for name in (*MATCHES, *TOKEN_MATCH_WORDS):
        phrases[match_words(name).phrase.lower()] = name
    for name, words in agreement_words().items():
        phrases |= {words.title.lower(): name, words.phrase.lower(): name}
    for name in METRICS:
        words = metric_words(name)
        phrases |= {words.title.lower(): name, words.phrase.lower(): name}
    for name in FACETS:
        words = facet_words(name)
        for phrase in (words.title, words.phrase, attribute_phrase(name)):
            phrases |= {phrase.lower(): name} if phrase else {}
    for facet in reversed(fixed_facets()):
        for level in facet.level_codes:
            phrases[level_words(facet.name, level).phrase.lower()] = f"{facet.name}={level}"
    return phrases


def _in_parentheses(text: str) -> list[Explanation]:
    """The code behind a phrase, as in `mentions whose text is new (tmr=unseen-tokens)`."""
    found = re.fullmatch(r"(?P<phrase>.+) \((?P<code>[^()]+)\)", text)
    if found is None:
        return []
    return _code(found["code"]) or _phrase(found["phrase"]) or _term(found["code"])


def _number(text: str) -> list[Explanation]:
    """A metric on a cell, as in `recall on mentions whose text is new`."""
    metric, *rest = re.split(r" (?:on|by) ", text, maxsplit=1)
    if not rest:
        return []
    [cell] = rest
    first = _term(metric) or _phrase(metric)
    second = _phrase(cell) or _in_parentheses(cell) or _bucket(cell)
    if cell.startswith("type "):
        second = _term("type")
    return [*first, *second] if first and second else []


def _bucket(text: str) -> list[Explanation]:
    """A bucket in words, as in `mention length: 3 tokens`."""
    name = _phrases().get(text.partition(":")[0].lower())
    if name is None or name not in FACETS or attribute_named(name) is None:
        return []
    return [*_term(name), Explanation("bucket", GENERAL["bucket"])]


def _kind(text: str) -> list[Explanation]:
    """A note by its kind, as in `repaired labels: 40 in 2 files`."""
    kind, colon, _ = text.partition(":")
    return _term(kind) if colon else []


def _levels_of(name: str) -> list[str]:
    """The levels of a facet; none for an attribute, and for any other term."""
    return [level for facet in fixed_facets() if facet.name == name for level in facet.level_codes]


class _MessageRow(NamedTuple):
    """What nerscope prints, `…` for what varies, with its meaning."""

    text: str
    meaning: str
    fix: str = ""

    @property
    def fixed(self) -> int:
        """The number of characters that do not vary."""
        return len(self.text.replace("…", ""))

    def explanation(self) -> Explanation:
        return Explanation(self.text, f"{self.meaning} {self.fix}".strip())


def _message(text: str) -> list[Explanation]:
    """The row of docs/messages.md that fits a message or note, or all parts of a line of a screen.

    Of several rows, the one with the longest text explains it.
    """
    rows = [row for row in _message_rows() if _pattern(row.text).search(text)]
    lines = [row for row in _line_rows() if _pattern(row.text).search(text)]
    best, longest = (max(kind, key=lambda row: row.fixed, default=None) for kind in (rows, lines))
    if best is not None and (longest is None or best.fixed > longest.fixed):
        return [best.explanation()]
    meanings = {row.meaning: row.explanation() for row in reversed(lines)}
    return [*(_kind(text) if lines else []), *reversed(meanings.values())]


def _parts(text: str) -> list[Explanation]:
    """The messages and lines that contain a text of two words or more; of many, the first few.

    >>> [explanation.term for explanation in _parts("without readable JSON")]
    ['answers without readable JSON: …']
    """
    words = _words(text)
    found = {
        row.explanation().meaning: (row, varying)
        for row in (*_line_rows(), *_message_rows())
        if (varying := _varying_words(words, _words(row.text))) is not None
    }
    fewest = min((varying for _, varying in found.values()), default=0)
    rows = [row for row, varying in found.values() if varying == fewest]
    if len(rows) <= 1:
        return [row.explanation() for row in rows]
    rows.sort(key=lambda row: row.fixed)
    shown = [Explanation(row.text, row.meaning) for row in rows[:_MOST_LISTED]]
    more = len(rows) - len(shown)
    rest = [Explanation("…", f"{more} more contain this text; give more words.")] if more else []
    return [*shown, *rest]


def _words(text: str) -> list[str]:
    """The words of a text for comparison: `…` varies, `#` is any number, a plural s is left out.

    >>> _words("26 of 47 documents differ")
    ['#', 'of', '#', 'document', 'differ']
    """
    words = re.findall(r"…|\d[\d.,]*|[^\W\d]\w*", text.lower())
    return ["#" if word[0].isdigit() else re.sub(r"(?<=\w{3})s$", "", word) for word in words]


def _varying_words(part: Sequence[str], whole: Sequence[str]) -> int | None:
    """How many words of a part stand at a `…` of the whole; None if it is not a part of the whole.

    More than half of the words have to be equal, two at least, and one of more than three letters.
    """
    # fits[at]: the fewest varying words of what was read of the part, if whole[at] is next.
    fits: dict[int, int] = dict.fromkeys(range(len(whole)), 0)
    for word in part:
        after: dict[int, int] = {}
        for at, varying in fits.items():
            # A `…` may stand for no word, so that the word after it may be next.
            for place in (at, at + 1):
                if place >= len(whole) or (place > at and whole[at] != "…"):
                    continue
                if whole[place] == "…":
                    more = word != "#"  # a number always varies
                    after[place] = min(varying + more, after.get(place, len(part)))
                elif whole[place] == word:
                    after[place + 1] = min(varying, after.get(place + 1, len(part)))
        fits = after
    if not fits:
        return None
    varying = min(fits.values())
    equal = len(part) - part.count("#") - varying
    is_enough = equal > max(1, varying) and any(len(word) > 3 for word in part)
    return varying if is_enough else None


def _sentence(text: str) -> str:
    """A cell of a table of messages as a sentence; commands stay as they are."""
    plain = _unlinked(text).rstrip(".")
    return f"{plain}." if text.startswith("`") else f"{plain[:1].upper()}{plain[1:]}."


@cache
def _message_rows() -> Sequence[_MessageRow]:
    rows = []
    for line in _messages_page().splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and len(cells[0].replace("…", "").strip()) > 5 and "---" not in cells[0]:
            fact, why, fix = cells
            rows.append(
                _MessageRow(fact, f"Cause: {_sentence(why)}", f"What to do: {_sentence(fix)}")
            )
    return rows


@cache
def _line_rows() -> Sequence[_MessageRow]:
    return [_MessageRow(*item) for item in LINES.items()]


@cache
def _pattern(fact: str) -> re.Pattern[str]:
    """The messages that a fact stands for; "… tokens" may also be one token."""
    parts = (re.sub(r"^(\\? \w+)s\b", r"\1s?", re.escape(part)) for part in fact.split("…"))
    return re.compile(".+?".join(parts), re.IGNORECASE)


def _unlinked(text: str) -> str:
    """Markdown without links and backticks."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "")


def _messages_page() -> str:
    """The page of all messages: a wheel has it beside the package, a checkout in docs/."""
    packaged = files("nerscope") / "messages.md"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[3] / "docs" / "messages.md").read_text(encoding="utf-8")
