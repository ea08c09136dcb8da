"""The words of warnings, once: each code with facts, and what a reader gets."""

import json

import pytest

from mtsig_core.caution import KINDS, Caution
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import TEMPLATES, WRITERS, advise_trust, caution_record, describe_rank_disagreement

PART = {"first": 1, "last": 1000, "n": 840, "line": 12, "place": 503}
MARKS = {"sort": "marks", "n": 60, "n_lines": 60, "marks": [("start", "<s> ")], "example": "<s> Ein Haus."}
TRUST = {"unlike": (), "n_others": 2, "ratio": None, "needed": None, "unit": "segment"}
PAIR = {"metric": "bleu", "a": "A", "b": "B"}

EXAMPLES = [
    (Caution("is-source", a="A"),
     "The output of A is the source, untranslated. Check that it is the right file."),
    (Caution("other-script", {"language": "zh", "expected": None}, a="A"),
     "The output of A looks Chinese, and the references do not. Check that it belongs to this language pair."),
    (Caution("other-script", {"language": None, "expected": "zh"}, a="A"),
     "The output of A does not look Chinese, as the references do. Check that it belongs to this language pair."),
    (Caution("other-order", {"reference": "refA", "shift": -1, "order": None, "same_as": None, **PART}, a="A"),
     "The lines of A do not follow the order of reference refA: in lines 1 to 1,000, 840 fit another reference line "
     "better (line 12 fits line 503), most of them 1 line earlier. Its score compares lines that do not belong "
     "together, so it does not show how good the system is. Restore the order of the lines (was one lost, added or "
     "sorted?), and score again."),
    (Caution("other-order", {"reference": "refA", "shift": None, "order": "length", "same_as": "B", **PART,
             "line": None}, a="A"),
     "The lines of A do not follow the order of reference refA: lines 1 to 1,000 fit their reference lines no better"
     " than any others; the output is sorted by length. They are the lines of B in another order. Its score compares"
     " lines that do not belong together, so it does not show how good the system is. Restore the order of the lines"
     " (was one lost, added or sorted?), and score again."),
    (Caution("reference-order", {"reference": "refA", **PART}),
     "The lines of reference refA are in another order than those of all systems (in lines 1 to 1,000, 840 fit "
     "another reference line better (line 12 fits line 503)). Scores compare lines that do not belong together. "
     "Restore the order of the reference, or of all outputs, and score again."),
    (Caution("marked-lines", MARKS, a="A"),
     "A: 60 of 60 inspected lines begin with '<s> ', and the references do not. Example: '<s> Ein Haus.'. Metrics "
     "score this as text, so the score of A may be wrong. Remove it from the output, and score again."),
    (Caution("marked-lines", {**MARKS, "sort": "spaces"}, a="A"),
     "A: 60 of 60 inspected lines have a space before punctuation, as tokenized text has, and the references do not."
     " Example: '<s> Ein Haus.'. Metrics score this as text, so the score of A may be wrong. Detokenize the output, "
     "and score again."),
    (Caution("marked-reference", {"reference": "refA", **MARKS, "sort": "entities"}),
     "Reference refA: 60 of 60 inspected lines have HTML entities, and the outputs do not. Example: '<s> Ein Haus.'."
     " Metrics score this as text, so all scores may be wrong. Unescape the HTML of the reference, or score with "
     "another reference."),
    (Caution("made-from-output", {"reference": "refA", "n": 400, "n_lines": 1200, "next_system": "B", "n_next": 31,
             "has_others": False}, a="A"),
     "A equals reference refA in 400 of 1,200 segments that are not short; the next system, B, does in 31. The "
     "reference may be an edited output of A, which every metric would then favor. Use a reference that was made "
     "without machine translation, or exclude A."),
    (Caution("canary", {"line": 1}),
     "The documents file marks line 1 as a canary, which is there to be found and not to be translated. The line is "
     "scored like any other. Remove it from all files."),
    (Caution("documents-in-domains", {"documents": ("d1", "d2"), "n_documents": 40}),
     "2 of 40 documents (d1 and d2) have segments in more than one domain. Segments with the same id count as one "
     "document. Use each id once, and check that the domain comes first (domain<TAB>docid)."),
    (Caution("all-empty", {"role": "System", "n": 1200}, a="A"),
     "System A has no text: all 1,200 segments are empty. Check the file."),
    (Caution("empty-lines", {"role": "Reference", "n": 2, "n_present": 400, "line": 7}, a="refA"),
     "Reference refA has 2 empty segments of 400, the first at line 7. Metrics score them as empty. Check that no "
     "text was lost."),
    (Caution("odd-length", {"ratio": 0.31, "reference": "refA"}, a="A"),
     "A has 0.31 times the characters of reference refA. Check the language and the file."),
    (Caution("one-system", a="A"),
     "There is only one system: its score and interval are given, and there is no pair to test."),
    (Caution("tokenizer-and-script", {"language": "zh", "tokenizer": "13a", "better": ("zh", "char")}, "bleu"),
     "The references look Chinese, and the tokenizer 13a does not cut Chinese into words. BLEU differs from what "
     "others report, and the order of the systems may be wrong. Use the tokenizer zh or char."),
    (Caution("tokenizer-and-script", {"language": "zh", "tokenizer": "tercom", "better": ("zh", "char")}, "ter"),
     "The references look Chinese, and TER takes the text between two spaces, often a whole clause, for a word. Its "
     "scores say little, and the order of the systems may be wrong. Use chrF, or BLEU with the tokenizer zh."),
    (Caution("no-documents", {"has_texts": True}),
     "Segments are treated as independent because there are no document ids. Neighbouring segments are often alike, "
     "so intervals and p-values may be too small. Give document ids (a documents file), or use the unit block."),
    (Caution("blocks-for-documents"),
     "Blocks of neighbouring segments replace documents because there are no document ids. Give document ids if you "
     "have them."),
    (Caution("documents-ignored", {"n_documents": 40, "enough": True, "se_ratio": 1.314}),
     "Segments are the unit although document ids are known. Segments of one document are alike, so p-values and "
     "intervals may be too small. Here standard errors of differences by document are 1.31 times those by segment "
     "(median over pairs). Use the unit document."),
    (Caution("documents-ignored", {"n_documents": 4, "enough": False, "se_ratio": None}),
     "Segments are the unit although document ids are known. Segments of one document are alike, so p-values and "
     "intervals may be too small. With 4 documents, the unit document can decide nothing: add documents."),
    (Caution("few-units", {"unit": "document", "n": 14, "worth": 7.2, "has_interval": True}),
     "There are 14 documents of unequal size to resample, worth only 7 of equal size (Kish 1965). Intervals and "
     "p-values are rough below 30. Add documents, or read the results with care."),
    (Caution("few-units", {"unit": "segment", "n": 1, "worth": 1.0, "has_interval": False}, "human"),
     "There is only 1 segment with human scores to resample. There is no interval with fewer than 3. Add segments, "
     "or read the results with care."),
    (Caution("test-as-published", {"test": "koehn"}),
     "Paired bootstrap, share of wins (Koehn 2004, 6): The better direction is chosen by the data, so at alpha = 0.05"
     " it concludes in about 10% of true nulls, 5% per direction, with many units of equal size, and in up to 18% "
     "with few or unequal ones, as documents are. Use ar for a two-sided test."),
    (Caution("test-assumes", {"test": "t"}),
     "Student's t on paired segment scores (Student 1908; Koehn 2004, 4): It takes segments as independent, which "
     "those of one document are not. Use ar by document where document ids are known."),
    (Caution("test-needs-units", {"test": "bootstrap"}),
     "Bootstrap, signed shift (Noreen 1989): With few units it makes false claims too often over all pairs, whatever"
     " the correction. When all systems are equal, Romano-Wolf calls some better in 20 to 43% of test sets instead "
     "of 5%, with 6 systems and 7 to 12 units; in 15 to 27% with 10 to 15 systems and 20 units, or 30 or 60 "
     "documents of unequal size. Holm does so in 10 to 20% from 12 units on. With fewer than 10 units p is at least "
     "2/2^n, the chance that all n favour the same of two equal systems. Use ar: it makes a false claim in 3 to 8% "
     "of such test sets."),
    (Caution("reference-among-systems", {"reference": "refA", "has_others": True}, a="A"),
     "The output of A is reference refA, word for word, so no translation can beat it. Exclude A, or score with the "
     "other references only."),
    (Caution("references-disagree", {"top_group": ("A",), "n_segments": 400, "leads": ({"reference": "refA",
             "leaders": ("B",), "ahead": True, "n_segments": 300}, {"reference": "refB", "leaders": ("A", "C"),
             "ahead": False, "n_segments": 400})}, "bleu"),
     "The references do not agree on the top group by BLEU. With only refA (on the 300 of 400 segments it has), B is"
     " significantly better than all others, and A not. With only refB, C is in the top group too. Choose the "
     "reference that counts, or report the result by each."),
    (Caution("several-metrics", {"n": 3}),
     "3 metrics were compared, and the correction covers only the pairs of each metric. Choose the metric that "
     "counts beforehand, or report all."),
    (Caution("top-groups-differ", {"groups": ({"systems": ("A", "B"), "metrics": ("bleu",)}, {"systems": ("C",),
             "metrics": ("chrf", "ter")})}),
     "The metrics do not name the same top group. Top groups: A and B by BLEU; C by chrF and TER."),
    (Caution("which-metric", {"metrics": ("XCOMET-XL", "MetricX")}, "XCOMET-XL"),
     "Nothing says which metric decides: this task has no human scores, and no table of systems that names a metric."
     " XCOMET-XL comes first of 2 only because it is read first: XCOMET-XL, MetricX. Choose the metric that decides,"
     " or name it in the first line of systems.tsv: # metric: NAME."),
    (Caution("against-people", {"human": "esa", "accuracy": 0.31, "higher_is_better": False, "doubt": "direction"},
             "MetricX"),
     "MetricX orders most pairs of systems otherwise than esa (pairwise accuracy 0.310). Its direction (lower is "
     "better) may be wrong."),
    (Caution("against-people", {"human": "esa", "accuracy": 0.31, "higher_is_better": True, "doubt": "metric"}, "bleu"),
     "BLEU orders most pairs of systems otherwise than esa (pairwise accuracy 0.310). The metric is no guide to "
     "these systems."),
    (Caution("depends-on-size", {"n_segments": 1200}, "nist"),
     "NIST takes its weights from the references of the test set, so its scores grow with the size of the set. "
     "Compare them only on these 1,200 segments."),
    (Caution("ratings-alone", {"names": ("refB",)}, "bleu"),
     "refB has only ratings and no BLEU score: a reference is not scored against itself."),
    (Caution("ratings-of-references", {"name": "refA", "n": 1200}, "esa"),
     "1,200 esa scores of refA are not used, because it is a human translation and not a system. To rank it as "
     "HUMAN-refA, let references take part as systems."),
    (Caution("not-rated", {"names": ("A", "B"), "n_systems": 14}, "esa"),
     "2 of 14 systems have no esa score and are excluded there: A, B."),
    (Caution("partly-rated", {"n": 603, "n_segments": 1200}, "esa"),
     "esa has scores for 603 of 1,200 segments. Its results hold for these segments only; results of other metrics "
     "may cover all."),
    (Caution("rated-on-different-lines", {"low": 540, "high": 603, "compared": True}, "esa"),
     "Systems have esa scores on different segments, 540 to 603 of them, so their means are of different segments. "
     "Go by the differences of pairs, which are on the segments that both have."),
    (Caution("cannot-tell-apart", {"systems": ("A", "B"), "score": "0.00",
             "reason": "no 4-gram of the whole set matches a reference", "other": "chrf", "n_told": 1, "n_differ": 1},
             "bleu"),
     "BLEU is 0.00 for A and B because no 4-gram of the whole set matches a reference. It cannot tell them apart, "
     "and there is no smallest detectable difference. chrF can tell them apart."),
    (Caution("cannot-tell-apart", {"systems": ("A", "B", "C"), "score": None, "reason": None, "other": None,
             "n_told": 0, "n_differ": 3}, "ter"),
     "TER is the same for A, B and C in every sample: their outputs differ only in what it does not count. It cannot"
     " tell them apart, and there is no smallest detectable difference. None of chrF, TER and BLEU can tell them "
     "apart."),
    (Caution("cannot-tell-apart", {"systems": ("A",), "score": "0.00",
             "reason": "no 4-gram of the whole set matches a reference", "other": None, "n_told": 0, "n_differ": 0},
             "bleu"),
     "BLEU is 0.00 for A because no 4-gram of the whole set matches a reference. It cannot show how far A is from "
     "other systems."),
    (Caution("too-few-units", {"unit": "document", "n": 5, "m": 10, "alpha": 0.05, "correction": "holm",
             "least": 0.0625, "least_adjusted": 0.625, "bootstrap": False, "needed": 9}, "bleu",
             remedies=({"correction": "romano-wolf"}, {"unit": "segment"})),
     "With 5 documents the smallest p that the test can give is 0.0625, 0.625 after Holm over 10 pairs, and no pair "
     "can be significant at alpha 0.05, however large the difference. That does not make any systems equal. Use at "
     "least 9 documents, or use the Romano-Wolf correction, or, at a risk, use the unit segment, which takes "
     "segments of one document as independent, so that p may be too small."),
    (Caution("family-too-large", {"m": 300, "trials": 999, "correction": "holm", "least": 0.001, "needed": 5999,
             "romano_wolf": True}, "bleu"),
     "300 pairs are too many for 999 trials: after Holm even the smallest p, 0.001, is above alpha, so no pair can "
     "be significant. Use 5,999 trials or more, or the Romano-Wolf correction."),
    (Caution("not-equal", {"n": 15, "m": 66, "n_pairs": 66, "mdd": 2.02, "n_undecidable": 0}, "bleu"),
     "15 of 66 pairs show no significant difference. That does not make the systems equal: this test set can miss "
     "true differences of up to 2.02 points, or more after correction."),
    (Caution("not-equal", {"n": 3, "m": 6, "n_pairs": 6, "mdd": 2.02, "n_undecidable": 2}, "bleu"),
     "3 of 6 pairs show no significant difference. That does not make the systems equal: in 1 of them this test set "
     "can miss true differences of up to 2.02 points, or more after correction; the other 2 cannot be decided, "
     "however large the difference."),
    (Caution("not-equal", {"n": 1, "m": 1, "n_pairs": 1, "mdd": None, "n_undecidable": 0}, "bleu"),
     "The pair shows no significant difference. That does not make the systems equal."),
    (Caution("interval-and-decision", {"n_open": 1, "n_significant": 2, "jointly": True, "in_steps": True,
             "trust": TRUST}, "bleu"),
     "1 pair is not significant and has an interval for all pairs together without 0, and 2 pairs are significant "
     "and have an interval for all pairs together that contains 0. Intervals and decisions come from different "
     "methods, and a correction in steps can find more than intervals that hold together. Go by the decision."),
    (Caution("split-decision", {"test": "wilcoxon", "m": 1, "pairs": (("A", "B"),), "scores_equal": False}, "esa"),
     "Test and scores disagree by esa: the signed ranks favour A, the difference of the scores favours B. mtsig "
     "declares neither system better there. A few segments with large differences can cause this. Look at them, or "
     "test the difference of the scores with the randomization test (ar)."),
    (Caution("split-decision", {"test": "wilcoxon", "m": 6, "pairs": (("A", "B"), ("C", "A")), "scores_equal": False},
             "esa"),
     "Test and scores disagree in 2 of 6 pairs by esa: the signed ranks favour one system, and the difference of the"
     " scores does not. mtsig declares neither system better there. The pairs: A - B and C - A. A few segments with "
     "large differences can cause this. Look at them, or test the difference of the scores with the randomization "
     "test (ar)."),
    (Caution("rank-rule", {"rule": "overlap", "of_means": False, "has_clusters": True, "inside": 3, "inside_apart": 0,
             "turned": 1, "changed": 4, "n_systems": 12}, "bleu"),
     "Ranks by overlap of intervals (a common reading of error bars): intervals of single scores do not show the "
     "difference of two systems on the same segments; no correction for the number of pairs of systems that are "
     "compared. Here 3 significant pairs lie inside one cluster, with no line between the two, as if tied, and 1 is "
     "ranked the other way round, the significantly worse system first; 4 of 12 rank ranges differ from simultaneous"
     " rank intervals."),
    (Caution("ranks-and-correction", {"own": "romano-wolf", "correction": "bh", "for_all": False, "differ": {}},
             "bleu"),
     "Rank ranges and the top group are always corrected for all pairs, here by Romano-Wolf. Wins, losses and "
     "decisions follow Benjamini-Hochberg, which does not cover all pairs, so the two may differ."),
    (Caution("identical-outputs", a="A", b="B"),
     "A and B have identical outputs."),
    (Caution("identical-scores", {"n": 1200}, "esa", "A", "B"),
     "A and B have identical esa scores on all 1,200 segments."),
    (Caution("no-common-line", **PAIR),
     "A and B cannot be compared: no segment has BLEU scores of both, so their difference is that of means over "
     "different segments. Have both rated on the same segments."),
    (Caution("too-few-common-units", {"unit": "document", "n": 2}, **PAIR),
     "Only 2 documents have BLEU scores of both A and B. With so few no difference can be significant. Have more "
     "documents rated for both."),
    (Caution("few-common-lines", {"n": 80, "n_documents": 20, "worth": 11.4}, **PAIR),
     "A and B are compared only on the 80 segments with scores of both in 20 documents, worth 11 of equal size. The "
     "interval and p are rough."),
    (Caution("few-differences", {"unit": "segment", "n": 3, "n_all": 1200, "n_texts": 20, "least": 0.25,
             "bootstrap": False}, **PAIR),
     "A and B differ by BLEU in only 3 of 1,200 segments (their texts differ in 20). The others do not show which is"
     " better: the smallest p that the test can give is 0.25 from so few."),
    (Caution("near-alpha", {"p": 0.0503, "correction": "holm"}, **PAIR),
     "A against B is borderline: with adjusted p = 0.0503, another seed could change the result. Use more trials."),
    (Caution("near-alpha-at-the-least-p", {"n": 2, "trials": 9999, "correction": "holm", "p_low": 0.042,
             "p_high": 0.062, "undone": False}, "bleu"),
     "2 pairs have the smallest p that 9,999 trials can give (0.0420 to 0.0620 after Holm) and are borderline: more "
     "trials could change the result. Use more trials."),
    (Caution("near-alpha-at-the-least-p", {"n": 1, "trials": 9999, "correction": "none", "p_low": 0.05, "p_high": 0.05,
             "undone": True}, "bleu"),
     "1 pair has the smallest p that 9,999 trials can give and is borderline: one more trial as extreme would make "
     "it not significant. Use more trials."),
    (Caution("training-runs", {"n": 3, "level": 0.95, "low": 0.52, "high": 6.28}),
     "Scores are means over training runs, and p-values, intervals and ranks hold for these runs only: a unit of the"
     " test set is swapped or resampled for all runs of a system at once. The SD between runs shows what another "
     "training could change, and 3 runs show it only roughly: its 95% CI is 0.52 to 6.28 times the estimate."),
    (Caution("single-run", {"names": ("A",)}),
     "A has a single training run, so how much another training would change the score is unknown. Give further "
     "outputs as runs."),
    (Caution("identical-runs", a="A"),
     "A has training runs with identical outputs, as if one file were given twice. The SD between runs comes out too"
     " small. Remove the copy."),
    (Caution("runs-not-rated", metric="esa"),
     "esa has one score for each segment of a system, not one for each training run, so it says nothing about runs."),
    (Caution("runs-may-turn", {"errors": 2.31, "needed": 3.18}, **PAIR),
     "A - B is significant for these training runs, but the difference is only 2.3 standard errors of test set and "
     "training together, where 3.2 are needed. Other runs may not show it. Train both again."),
    (Caution("few-units-in-parts", {"parts": {"news": 10, "speech": 12}, "unit": "document"}),
     "There are few documents to resample: news (10), speech (12). Intervals and p-values are rough below 30."),
    (Caution("too-few-units-in-parts", {"parts": {"news": 3}, "unit": "document", "alpha": 0.05, "needed": 6}),
     "With so few documents no pair can be significant at alpha 0.05, however large the difference: news (3). Use at"
     " least 6."),
    (Caution("declared-not-compared", {"pair": "en-de"}, "bleu", "A"),
     "en-de: A is declared the first, but was not compared there by BLEU."),
    (Caution("declared-without-ranks", {"pair": "en-de", "why": "cannot be decided with 4 documents"}, "bleu", "A"),
     "en-de: A is declared the first, but no system is ranked there by BLEU (cannot be decided with 4 documents), so "
     "the numbers neither support that nor speak against it."),
    (Caution("declared-not-first", {"pair": "en-de", "rule": "wmt25", "in_top_group": True}, "bleu", "A"),
     "en-de: A is declared the first, but is not among the first there, ranked as WMT25, by BLEU, though it is in the "
     "top group by simultaneous rank ranges."),
    (Caution("top-group-not-declared", {"pair": "en-de", "systems": ("A", "B")}, "bleu"),
     "en-de: A and B are in the top group there too by BLEU, and the numbers do not decide between systems of the top "
     "group."),
    (Caution("whole-undecided"),
     "No pair can be significant on the whole set either: a bootstrap within domains is no surer than that of the "
     "domain with the fewest units. Use the randomization test (ar)."),
    (Caution("weights-of-domains", metric="nist"),
     "NIST of a domain takes its weights from the references of that domain only, as if the domain were scored by "
     "itself. Compare systems within a domain, not the scores of two domains, and none with the whole set."),
    (Caution("domains-without-scores", {"domains": ("news", "speech")}, "esa"),
     "Domains without esa scores are excluded: news, speech."),
    (Caution("cannot-plan", {"unit": "document", "n": 5, "needed": 6}, remedies=({"unit": "segment"},)),
     "Cannot be decided with 5 documents. Use at least 6 documents, or, at a risk, use the unit segment, which takes"
     " segments of one document as independent, so that p may be too small."),
]
CAUTIONS = [caution for caution, _ in EXAMPLES]


@pytest.mark.parametrize("caution, text", EXAMPLES, ids=[caution.code for caution in CAUTIONS])
def test_what_a_reader_gets(caution, text):
    assert caution.text == text


def test_each_code_has_a_kind_words_and_an_example():
    assert KINDS.keys() == WRITERS.keys() | TEMPLATES.keys() == {caution.code for caution in CAUTIONS}
    assert not WRITERS.keys() & TEMPLATES.keys()


@pytest.mark.parametrize("caution", CAUTIONS, ids=[caution.code for caution in CAUTIONS])
def test_the_parts_of_a_text(caution):
    assert caution.text == " ".join(filter(None, (caution.general, caution.here, caution.advice)))
    assert caution.text.startswith(caution.finding) and caution.finding.startswith(caution.general)
    assert caution.general.endswith(".") and "None" not in caution.text.replace("None of chrF", "")


@pytest.mark.parametrize("caution", CAUTIONS, ids=[caution.code for caution in CAUTIONS])
def test_what_names_its_metric_does(caution):
    names = {caution.metric, metric_title(caution.metric)} if caution.metric else set()
    assert caution.metric is None or caution.kind.names_metric == any(name in caution.text for name in names)


@pytest.mark.parametrize("caution", CAUTIONS, ids=[caution.code for caution in CAUTIONS])
def test_facts_survive_json(caution):
    record = json.loads(json.dumps(caution_record(caution)))
    back = Caution(record["code"], record["facts"], record["metric"], record["a"], record["b"],
                   tuple(record["remedies"]))
    assert back == caution and hash(back) == hash(caution) and back.text == record["text"]


@pytest.mark.parametrize("facts, text", [
    ({**TRUST, "needed": 60, "unit": "document"}, "With fewer than 60 documents of equal size this test rejects too "
     "often: go by neither, and use the randomization test (ar)."),
    ({**TRUST, "unlike": [("A", "D")], "n_others": 0, "ratio": 1.25}, "Go by the interval: resamples vary up to 1.25 "
     "times as much as permutations, because the systems are too unlike to be swapped, so p is too small."),
    ({**TRUST, "unlike": [("A", "D"), ("B", "D")], "n_others": 1, "ratio": 1.25}, "Go by the interval for 2 of these "
     "pairs (A - D and B - D): resamples vary up to 1.25 times as much as permutations, because the systems are too "
     "unlike to be swapped, so p is too small. Go by the decision for the other.")])
def test_which_to_go_by(facts, text):
    assert advise_trust(**facts) == text


@pytest.mark.parametrize("facts, text", [
    (dict(undecided=True, wary=[], bold=[], n_apart=0), "no system can win or lose, though there are ranks"),
    (dict(undecided=False, wary=["C"], bold=["A", "B"], n_apart=1),
     "C has no significant loss, and is not in the top group; A and B have a significant loss, and are in the top "
     "group; 1 pair of systems with separate rank ranges is not significant")])
def test_where_ranks_and_decisions_differ(facts, text):
    assert describe_rank_disagreement(**facts) == text


def test_a_kind_says_whom_it_concerns():
    wrong, one, pair = Caution("is-source", a="A"), Caution("identical-runs", a="A"), Caution("near-alpha", **PAIR)
    split = next(caution for caution in CAUTIONS if caution.code == "split-decision" and caution.facts["m"] == 6)
    design, opened = Caution("several-metrics", {"n": 2}), Caution("not-equal", metric="bleu")
    assert [caution.concerns_all for caution in (wrong, one, pair, split, design, opened)] == [
        True, False, False, True, True, False]
    for caution, pairs in ((wrong, ["AB", "CA"]), (pair, ["AB"]), (split, ["AB", "CA"]), (design, [])):
        assert [names for names in ("AB", "CA", "BC") if caution.concerns_pair(*names)] == pairs
        assert [names for names in ("AB", "CA", "BC") if caution.concerns_pair(*names[::-1])] == pairs
