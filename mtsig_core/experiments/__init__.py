"""Experiments on a test set that is taken for the truth: each module repeats one of the papers.

They are imported from their modules, such as ``from mtsig_core.experiments.sweeps import sweep_sizes``. No name is
passed on here: some functions are called as their modules, and would hide them, and the figures need `sizes` alone.

========================  ==============================================================================
`sampling`                blocks and broad samples (Koehn 2004, 3.2 to 3.4, 5, 6)
`sweeps`, `references`    size of the test set, number of references (Zhang and Vogel 2004, 4.1, 4.2)
`planning`                the size that a difference needs
`conclusions`             right and wrong conclusions, levels and their word (Koehn 2004, 7)
`coverage`                how often intervals hold the true score
`type_one`                how often tests reject true nulls (Riezler and Maxwell 2005, 4.3)
`families`                many comparisons at once (Riezler and Maxwell 2005, 4.4)
========================  ==============================================================================
"""
