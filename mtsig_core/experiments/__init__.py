"""What asks more than one comparison: first what repeats a part of a paper, on a test set that is taken for the truth.

====================  ====================================================================================
`frame`               rows with settings, shares with their Monte Carlo error, the loop over repeats
`population`          what test sets are drawn from, and their sizes
`sampling`            blocks and broad samples, and how much wider the first spread (Koehn 2004, 3, 5, 6)
`sweeps`              size of the test set, number of references, of resamples (Zhang and Vogel 2004, 4)
`validation`          conclusions from small sets, and coverage of intervals (Koehn 2004, 7)
`error_rates`         false alarms of one pair and of many, with and without corrections (Riezler and
                      Maxwell 2005, 4.3 and 4.4), and which conclusions the unit changes
`inside_score`        what is inside a score (Koehn 2004, 2 and 4; Post 2018)
`metric_agreement`    which metric orders systems as people do
`domains`, `dispute`  systems by domain; everything about one pair
`rank_rules`          ranks by all rules side by side
`autorank`            one order of the systems from several metrics
`findings`            what a findings paper prints of each language pair
`integrity`           what is odd in outputs and ratings
`lecture`             what the scenes of the lecture draw
`papers`              the numbers that the papers print
====================  ====================================================================================
"""
