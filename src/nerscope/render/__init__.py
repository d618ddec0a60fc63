"""Results as reading matter: tables, and the text of other tools."""
