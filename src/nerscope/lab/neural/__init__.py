"""Networks for recipes. The modules need torch; recipes import them inside their functions.

`words` and `subwords` encode sentences, `tagger` scores and chooses labels, `training` trains.
"""
