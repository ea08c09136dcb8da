"""Experiments on a test set that is taken for the truth: each module repeats one of the papers.

They are imported from their modules, such as ``from mtsig_core.experiments.sweep_size import sweep_sizes``. No name is
passed on here: some functions are called as their modules, and would hide them.

======================  ================================================================================
`blocks_and_broad`      samples of consecutive and of scattered segments (Koehn 2004, 3.2 to 3.4, 5, 6)
`spread_ratios`         how much wider the first spread than the second
`sweep_size`            size of the test set (Zhang and Vogel 2004, 4.1)
`sweep_references`      number of references (Zhang and Vogel 2004, 4.2)
`sweep_resamples`       number of bootstrap samples
`planning`              the size that a difference needs
`conclusions`           right and wrong conclusions, levels and their word (Koehn 2004, 7)
`coverage`              how often intervals hold the true score
`type_one_error`        how often tests reject true nulls (Riezler and Maxwell 2005, 4.3)
`equal_by_weights`      documents weighted so that two systems are equal, for nulls by document
`equal_systems`         systems made equal, each compared with the first (Riezler and Maxwell 2005, Table 4)
`family_wise_error`     many comparisons at once (Riezler and Maxwell 2005, 4.4)
`claims`                false and lost findings where some systems are truly better
`tests_by_metric`       one pair, metric by metric (Riezler and Maxwell 2005, Table 1)
`unit_changes`          which conclusions the unit changes
`ngram_precisions`, `output_lengths`, `worked_example`, `mean_against_corpus`, `students_t`, `signatures`
                        what is inside a score (Koehn 2004, 2 and 4; Post 2018)
`papers`                the numbers that the papers print
======================  ================================================================================
"""
