"""Where column files may be cut: at blank lines after a sentence."""

import re

import numpy as np

from nerscope.corpus.arrays import Bools

# A document line is not a sentence, although a blank line follows it.
_DOCUMENT = re.compile(rb"-DOCSTART-[^\n]*\n\r?\n")


class SentenceBreaks:
    """Cuts assume that every blank line ends a sentence; reading a shard checks the assumption."""

    def last(self, data: bytes) -> int:
        plain = data.rfind(b"\n\n")
        other = data.rfind(b"\n\r\n") if b"\r" in data else -1
        return max(plain + 2 if plain >= 0 else 0, other + 3 if other >= 0 else 0)

    def may_end(self, data: bytes) -> bool:
        """Whether the last line that is not blank certainly contains a token.

        Other files may lack a document line or comment, so no cut is made after one.
        """
        end = len(data.rstrip(b" \t\r\n"))
        start = data.rfind(b"\n", 0, end) + 1
        return start > 0 and not data.startswith((b"-DOCSTART-", b"#"), start)

    def marks(self, data: bytes, newline: Bools) -> Bools:
        """For each byte, whether it ends the first blank line after a sentence.

        In `a O/b O///c O/` (`/` is a newline) the only break is at byte 8: the newline at 7 ends a
        token line, the newline at 8 the first blank line, and the newline at 9 a second blank line,
        which ends no further sentence.
        """
        body = np.frombuffer(data, np.uint8)
        blank, breaks = np.zeros(len(data), bool), np.zeros(len(data), bool)
        np.logical_and(newline[1:], newline[:-1], out=blank[1:])
        returned = body[1:-1] == 13 if b"\r" in data else None
        if returned is not None:
            blank[2:] |= newline[2:] & returned & newline[:-2]
        np.greater(blank[1:], blank[:-1], out=breaks[1:])
        if returned is not None:
            breaks[2:] &= ~(returned & blank[:-2])
        breaks[: len(data) - len(data.lstrip(b"\r\n"))] = False
        dashes = body[1:] == 45
        dashes &= newline[:-1]
        for line in (0, *(np.flatnonzero(dashes) + 1).tolist()):
            if document_line := _DOCUMENT.match(data, line):
                breaks[document_line.end() - 1] = False
        return breaks
