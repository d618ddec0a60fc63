"""The kinds of unit that are counted: mentions, tokens inside mentions, and all tokens."""

MENTION, INSIDE, TOKEN = "mention", "inside", "token"
# A token inside a mention is a token to those who read rows.
SHOWN_UNIT = {MENTION: "mention", INSIDE: "token", TOKEN: "token"}
