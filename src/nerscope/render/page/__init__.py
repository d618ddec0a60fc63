"""The report: one page of HTML that shows where systems fail, and holds all it needs."""
