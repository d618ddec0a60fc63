"""Networks that recipes train. The modules need torch; recipes import them inside their functions.

`words` and `subwords` encode sentences, `tagger` scores labels, `decoders` choose them, `training`
runs the rounds.
"""
