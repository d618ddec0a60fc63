"""The units that are counted: mentions, tokens inside mentions, and all tokens."""

MENTION, INSIDE, TOKEN = "mention", "inside", "token"
# Rows show two units: a token inside a mention is shown as a token.
SHOWN_UNIT = {MENTION: "mention", INSIDE: "token", TOKEN: "token"}
ALL = "all"  # the facet that does not divide, and the level that holds every unit
TYPE = "type"  # rows are divided by entity type in a column of their own, not by a facet
