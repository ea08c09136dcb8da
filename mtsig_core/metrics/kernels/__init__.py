"""Compiled counting of texts; imported late, as a compiler takes half a second to load."""
