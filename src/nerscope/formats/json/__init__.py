"""JSON and JSON Lines: values, records in the layouts of many tools, and their wrappers."""
