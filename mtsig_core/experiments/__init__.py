"""Experiments on a test set that is taken for the truth: each module repeats one of the papers."""
