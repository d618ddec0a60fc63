"""Results as tables, figures and a page; documents in the formats of `nerscope.render.outputs`."""
