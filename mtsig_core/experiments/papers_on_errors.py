"""What the papers print on conclusions, levels and type-I error; see `published`."""

from __future__ import annotations

from mtsig_core.experiments.papers import PublishedTable

__all__ = ["KOEHN_T3", "KOEHN_T4", "RIEZLER_MAXWELL_4_4", "RIEZLER_MAXWELL_T1", "RIEZLER_MAXWELL_T2"]

_KOEHN = "Europarl into English, 30,000 sentences, one reference, 1,000 bootstrap samples"

#: Percent of the broad samples that let conclude rightly and wrongly at 95%, by size: 300, 100, 50 and 10 samples.
KOEHN_T3 = PublishedTable(
    "Koehn (2004), Table 3", _KOEHN, ("better", "worse", "difference", "100", "300", "600", "3000"), {"bleu": (
        ("Spanish", "Portuguese", 1.5, (33, 1), (60, 0), (84, 0), (100, 0)),
        ("Spanish", "Danish", 2.0, (31, 0), (65, 0), (96, 0), (100, 0)),
        ("Portuguese", "Danish", 0.5, (7, 2), (12, 1), (10, 0), (30, 0)),
        ("Portuguese", "Greek", 2.1, (38, 0), (68, 0), (92, 0), (100, 0)),
        ("Danish", "Greek", 1.6, (24, 0), (48, 0), (74, 0), (100, 0)),
        ("Danish", "German", 4.3, (85, 0), (100, 0), (100, 0), (100, 0)),
        ("Greek", "German", 2.7, (65, 0), (97, 0), (100, 0), (100, 0)),
        ("Greek", "Finnish", 5.1, (97, 0), (100, 0), (100, 0), (100, 0)),
        ("German", "Finnish", 2.4, (53, 0), (91, 0), (100, 0), (100, 0)))})

#: A calibration over pairs that do differ, not a check of the type-I error.
KOEHN_T4 = PublishedTable(
    "Koehn (2004), Table 4", _KOEHN, ("level", "conclusions", "percent right"), {"bleu": (
        (100, 1042, 100), (99, 738, 100), (98, 245, 99), (95, 394, 98), (90, 363, 95), (80, 520, 88), (70, 324, 77),
        (60, 253, 72), (50, 261, 52))})

#: Scores as ours (BLEU and F times 100); a p of .0001 stands for 'below .0001', None where they give none.
RIEZLER_MAXWELL_T1 = PublishedTable(
    "Riezler and Maxwell (2005), Table 1", "reranking against its baseline, Europarl, 2,000 sentences of 5 to 15 "
    "words", ("reranking", "baseline", "p by approximate randomization (0.0001: below)",
              "p by bootstrap (0.0001: below)"), {
        "nist": ((6.58, 6.43, 0.0001, 0.0001),), "bleu": ((29.8, 30.1, 0.158, 0.1),),
        "dep-f": ((38.3, 38.5, 0.424, None),)})

#: By the formula 1 - (1 - a)^k; in the text '.15' stands for .015.
RIEZLER_MAXWELL_4_4 = PublishedTable(
    "Riezler and Maxwell (2005), 4.4", "worked out, for any metric",
    ("systems", "comparisons", "level", "experiment-wise error"), {
        "bleu": ((15, 105, 0.05, 0.9954), (6, 5, 0.015, 0.07))})

#: Their p-values of the same differences; in the text '.15' stands for .015.
RIEZLER_MAXWELL_T2 = PublishedTable(
    "Riezler and Maxwell (2005), Table 2", "six variants of one phrase-based system, made to be equal",
    ("comparison", "difference", "p by approximate randomization", "p by bootstrap"), {"nist": (
        ("1:2", 0.031, 0.03, 0.014), ("1:3", 0.032, 0.025, 0.013), ("1:4", 0.029, 0.05, 0.028),
        ("1:5", 0.028, 0.079, 0.039), ("1:6", 0.036, 0.028, 0.013))})
