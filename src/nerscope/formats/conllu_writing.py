"""Writing a corpus as CoNLL-U, with its labels in MISC."""

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.mentions import encode
from nerscope.corpus.schemes import Scheme
from nerscope.errors import InputError
from nerscope.formats.base import with_tokens

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_BREAKS = re.compile(r"[\t\r\n]")


def written_as_conllu(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as CoNLL-U, with its labels in MISC.

    >>> from nerscope.corpus.schemes import BIO
    >>> text = written_as_conllu(Corpus.of([(["Ada"], ["B-PER"])]), BIO).decode()
    >>> text.split("\\n")[2].split("\\t")[-1]
    'NER=B-PER'
    """
    labels = _spelt(with_tokens(corpus), scheme)
    new = np.diff(corpus.documents, prepend=-1) != 0
    several = bool(new[1:].any())
    attached = _attached(corpus, corpus.starts[:-1][new])
    lines: list[str] = []
    for sentence, (begin, end) in enumerate(pairwise(corpus.starts.tolist())):
        words = corpus.words(sentence)
        if any(_BREAKS.search(word) or not word for word in words):
            raise InputError(
                corpus.name,
                f"sentence {sentence + 1} has a token that lines and columns cannot hold",
                "take tabs, line ends and empty tokens out",
            )
        lines += ["# newdoc"] if several and new[sentence] else []
        lines.append(f"# sent_id = {sentence + 1}")
        lines += _lines_of(words, labels[begin:end], attached[begin:end])
    return ("\n".join(lines) + "\n").encode()


def _spelt(corpus: Corpus, scheme: Scheme) -> list[str]:
    """The labels of all tokens."""
    mentions = corpus.mentions()
    if not mentions.are_flat:
        raise InputError(
            corpus.name, "its mentions overlap, which labels cannot write", "convert flat ones"
        )
    codes = encode(mentions, corpus.starts, corpus.coding.labels, scheme)
    names = corpus.coding.labels.texts_in(scheme)
    if any(re.search(r"[|\t\r\n]", names[code]) for code in np.unique(codes)):
        raise InputError(
            corpus.name,
            "a type has a tab, a line end or a bar in it, which MISC cannot hold",
            "rename the type",
        )
    return [names[code] for code in codes.tolist()]


def _attached(corpus: Corpus, documents: Ints) -> list[bool]:
    """Whether the next token follows each without a blank; documents begin at some tokens."""
    if corpus.gaps is None:
        return [False] * corpus.n_tokens
    attached = corpus.gaps == ""
    attached[documents] = False
    return [*attached[1:].tolist(), False]


def _lines_of(words: list[str], labels: list[str], attached: list[bool]) -> Iterator[str]:
    """A sentence: its text, and a line for each word, which may have no blank behind it."""
    ends = ["" if closed else " " for closed in attached]
    text = "".join(word + end for word, end in zip(words, ends, strict=True))
    yield f"# text = {text.strip(' ')}"
    unknown = "\t_" * (COLUMNS.index("MISC") - 2)
    for number, (word, label, closed) in enumerate(zip(words, labels, attached, strict=True), 1):
        misc = f"NER={label}|SpaceAfter=No" if closed else f"NER={label}"
        yield f"{number}\t{word}{unknown}\t{misc}"
    yield ""
