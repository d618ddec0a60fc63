"""The kinds of unit that are counted: mentions, tokens inside mentions, and all tokens."""

MENTION, INSIDE, TOKEN = "mention", "inside", "token"
# Readers of rows see two units: a token inside a mention is a token.
SHOWN_UNIT = {MENTION: "mention", INSIDE: "token", TOKEN: "token"}
ALL = "all"  # the facet that does not divide, and the level that holds every unit
TYPE = "type"  # rows are divided by entity type in a column of their own, not by a facet
