"""What the words mean: measures, subsets, attributes, metrics, in a sentence or two each."""

from nerscope.errors import UsageError, suggest

GLOSSARY: dict[str, str] = {
    "accuracy": "Share of tokens whose label is exactly the gold label.",
    "alignment": "Whether a predicted mention begins and ends where tokens of gold do; at the "
    "level aligned, all others are left out.",
    "bilou": "Labels that tell begin, inside, last and unit tokens of a mention; what token error "
    "rates compare, so that a wrong boundary is an error.",
    "bucket": "A range of an attribute's values: XS, S, L, XL. Edges are fixed on the gold test "
    "mentions; a mention with a value equal to an edge belongs below it.",
    "diff": "Tokens that training labels otherwise: diff-I is inside here but mostly outside in "
    "training, diff-O the reverse, diff-E inside with another type than most often in training.",
    "eCon": "Entity consistency: training mentions with this text and type, over all occurrences "
    "of the text in training, annotated or not; 0 if there is none.",
    "eCon_mentions": "As eCon, but over training mentions with this text only.",
    "eDen": "Entity density: share of the sentence's tokens that are inside gold mentions.",
    "eDen_entities": "Gold mentions of the sentence over its tokens.",
    "eFre": "Entity frequency: share of the training mentions that have this text.",
    "eLen": "Entity length: tokens in the mention.",
    "error_share": "Of all wrong tokens, the share that falls on a subset.",
    "exact": "A match of span and type, the one of conlleval and seqeval.",
    "f1": "Twice the hits over gold and predicted mentions; with partial credit, the harmonic mean "
    "of precision and recall.",
    "facet": "A way to divide mentions or tokens into levels, such as tmr or eLen.",
    "gold": "What people annotated; predicted is what a system said.",
    "hard": "HardEval's subsets of tokens: unseen in training, labelled differently there (diff), "
    "and other.",
    "hardeval": "Mean of the token error rates on unseen and on diff tokens; lower is better.",
    "holm": "Holm's correction for many p-values: the chance of any false claim stays below 5 %.",
    "interval": "A range that holds the population value in 95 of 100 test sets like this one.",
    "io": "A match of types token by token, whatever the boundaries.",
    "label": "A match of whole labels token by token, as accuracy has it.",
    "left": "Partial credit (0.5) for a mention of the same type and start.",
    "loss": "Something that was read otherwise than it is written, such as an invalid label.",
    "macro_f1": "Mean of the F1 of all types, each with the same weight.",
    "match": "What counts as right, and for how much credit: exact, left, right, overlap, iou …",
    "mention": "A span of tokens in one sentence with an entity type.",
    "n": "The denominator: gold mentions for recall and F1, predicted ones for precision, tokens "
    "for error rates.",
    "oDen": "Share of the sentence's tokens that training does not have.",
    "other": "Of hard tokens: those that are neither unseen nor labelled differently in training.",
    "overlap": "Partial credit (0.5) for a mention of the same type that shares a token.",
    "p": "How often a difference as large as this one comes about without any true difference.",
    "precision": "Right mentions over predicted ones.",
    "recall": "Right mentions over gold ones.",
    "right": "Partial credit (0.5) for a mention of the same type and end.",
    "rho": "ρ: mean strength of the rank correlation between buckets and scores, over systems.",
    "run": "One training of a system, with a seed; several runs show how much training varies.",
    "sLen": "Tokens in the sentence.",
    "seen": "A mention whose text and type are those of a training mention.",
    "signature": "All settings that move a number, in one line; quote it with the number.",
    "spearman": "Rank correlation between buckets and scores: 1 if scores rise with every bucket.",
    "support": "The number of gold mentions.",
    "surface": "The exact tokens of a mention. Surface F1 scores each (surface, type) once.",
    "tCon": "Token consistency: share of the token's training occurrences inside mentions of this "
    "type.",
    "tFre": "Share of the training tokens that are this token.",
    "tcm": "Type-confusable mentions: their text carries two or more types among gold test "
    "mentions. tcm-unseen are those whose text is no training mention, tcm-seen the rest.",
    "ter": "Token error rate: share of tokens whose BILOU label is wrong; lower is better.",
    "tmr": "Tough Mentions Recall: recall on mentions unseen in training and on type-confusable "
    "ones.",
    "unseen-any": "Mentions not in training with this text and type: unseen-tokens, unseen-type.",
    "unseen-tokens": "Mentions whose text is no training mention at all.",
    "unseen-type": "Mentions whose text is a training mention, but never with this type.",
    "weighted_f1": "Mean of the F1 of all types, weighted by their gold mentions.",
    "zeta": "ζ: mean value of an attribute over the test mentions.",
}
GLOSSARY |= {
    "correct": "Gold mentions whose pair is wholly right under a match.",
    "incorrect": "Gold mentions whose pair is wrong, under the MUC schemas.",
    "missed": "Gold mentions without a pair.",
    "partial": "Gold mentions whose pair is right in part.",
    "partial_share": "Partial pairs over correct and partial ones (% partial).",
    "spurious": "Predicted mentions without a pair.",
    "f": "The F score with a weight of one's own: f(beta=2) counts recall higher.",
}
GLOSSARY = dict(sorted(GLOSSARY.items(), key=lambda item: item[0].lower()))
_OTHER_NAMES = {
    "s": "bucket",
    "l": "bucket",
    "m": "bucket",
    "score": "hardeval",
    "f0.5": "f",
    "f2": "f",
    "macro_precision": "macro_f1",
    "macro_recall": "macro_f1",
    "weighted_precision": "weighted_f1",
    "weighted_recall": "weighted_f1",
    "tcm-all": "tcm",
    "tcm-seen": "tcm",
    "tcm-unseen": "tcm",
    "unseen": "hard",
    "unseen-i": "hard",
    "unseen-o": "hard",
    "diff-i": "diff",
    "diff-o": "diff",
    "diff-e": "diff",
    "hard-strict": "hard",
    "f-score": "f1",
    "ζ": "zeta",
    "ρ": "rho",
    "xs": "bucket",
    "xl": "bucket",
}


def definition(term: str) -> str:
    """What a word means, or nothing if the glossary does not have it: a plug-in's, perhaps.

    >>> definition("recall"), definition("made-up")
    ('Right mentions over gold ones.', '')
    """
    return GLOSSARY.get(_known_name(term) or "", "")


def _known_name(term: str) -> str | None:
    names = {name.lower(): name for name in GLOSSARY} | _OTHER_NAMES
    return names.get(term.lower())


def explained(term: str) -> str:
    """What a word means.

    >>> explained("TCM")[:25]
    'tcm: Type-confusable ment'
    """
    name = _known_name(term)
    if name is None:
        raise UsageError(f"term '{term}'", "it is not in the glossary", suggest(term, GLOSSARY))
    return f"{name}: {GLOSSARY[name]}"
