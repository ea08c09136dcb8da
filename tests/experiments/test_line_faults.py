"""Lines of outputs that are worth a look: each kind of fault is planted, and found where it is."""

import random

import pytest

from mtsig_core import SegmentScores, TestSet
from mtsig_core.experiments.line_faults import FINDERS, find_line_faults
from mtsig_core.report.integrity_reports import FAULT_WORDS, faults_table

N_LINES = 700
#: German words of the toy corpus, and the English words of its sources, one by one.
WORDS = {
    "gestern": "yesterday",
    "haben": "have",
    "wir": "we",
    "das": "the",
    "alte": "old",
    "Haus": "house",
    "neben": "beside",
    "dem": "that",
    "kleinen": "small",
    "Bahnhof": "station",
    "verkauft": "sold",
    "und": "and",
    "ziehen": "move",
    "jetzt": "now",
    "nach": "to",
    "Norden": "north",
    "weil": "because",
    "dort": "there",
    "mehr": "more",
    "Arbeit": "work",
}
FRENCH = [
    "Le gouvernement a annoncé hier que les nouvelles mesures seront appliquées au printemps.",
    "Nous avons décidé de rester à la maison parce que la pluie tombait depuis trois jours.",
    "La plupart des habitants ne savaient pas que le pont allait être fermé pendant l'été.",
]


@pytest.fixture(scope="module")
def corpus():
    """Sources, a reference, and two outputs that change some words of it."""
    rng = random.Random(5)
    german = list(WORDS)
    sources, reference, outputs = [], [], {"A": [], "B": []}
    for _ in range(N_LINES):
        words = rng.choices(german, k=rng.randint(9, 14))
        sources.append(" ".join(WORDS[word] for word in words) + ".")
        reference.append(" ".join(words) + ".")
        for lines in outputs.values():
            changed = [rng.choice(german) if rng.random() < 0.2 else word for word in words[1:]]
            lines.append(" ".join([words[0], *changed]) + ".")
    return sources, reference, outputs


def find_planted(corpus, rows, write):
    """The faults of A after `write(row, line)` replaced its lines in some rows."""
    sources, reference, outputs = corpus
    planted = list(outputs["A"])
    for row in rows:
        planted[row] = write(row, planted[row])
    systems = {"A": planted, "B": outputs["B"]}
    testset = TestSet("toy", systems, {"ref": reference}, sources=sources, langpair="en-de")
    faults = find_line_faults(testset)
    assert {fault.system for fault in faults} <= {"A"}
    return {fault.kind: fault for fault in faults}


def test_whole_outputs_have_no_faults(corpus):
    assert find_planted(corpus, [], None) == {}


def pick_french(row, _):
    return FRENCH[row % 3].replace(".", f" du numéro {row}.")


PLANTED = {
    "empty": (30, lambda row, line: ""),
    "language": (100, pick_french),
    "truncated": (100, lambda row, line: line[: len(line) // 2]),
    "repeated": (20, lambda row, line: "wir haben das alte Haus neben dem Bahnhof verkauft."),
    "loop": (5, lambda row, line: "und jetzt das " * 30),
    "remark": (20, lambda row, line: f"<think>They want German.</think> {line}"),
    "entities": (20, lambda row, line: f"&quot;{line}&quot;"),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_planted_lines_are_found_and_no_others(corpus, kind):
    n, write = PLANTED[kind]
    rows = random.Random(3).sample(range(N_LINES), n)
    fault = find_planted(corpus, rows, write)[kind]
    assert fault.lines == tuple(sorted(row + 1 for row in rows))
    assert fault.n_lines == N_LINES


def test_untranslated_lines_are_found(corpus):
    sources, _, _ = corpus
    rows = range(0, N_LINES, 14)
    faults = find_planted(corpus, rows, lambda row, line: sources[row])
    assert faults["untranslated"].lines == tuple(row + 1 for row in rows)


@pytest.mark.parametrize("prefix", ["Translation:", "Hier ist die Übersetzung:", "**"])
def test_a_prefix_of_each_seventh_line_is_found(corpus, prefix):
    rows = range(0, N_LINES, 7)
    fault = find_planted(corpus, rows, lambda row, line: f"{prefix} {line}")["added"]
    assert (fault.detail, fault.lines) == (prefix, tuple(row + 1 for row in rows))


def test_an_output_in_another_language_is_found(corpus):
    fault = find_planted(corpus, range(N_LINES), pick_french)["language"]
    assert (len(fault.lines), fault.detail) == (N_LINES, f"fr: {N_LINES}")


def rate_without_references(systems, **texts):
    ratings = SegmentScores({name: [80.0] * N_LINES for name in systems})
    return TestSet("toy", systems, {}, scores={"human": ratings}, **texts)


def test_what_a_reference_or_most_outputs_have_is_no_fault(corpus):
    sources, reference, outputs = corpus
    cut = [line[:30] for line in reference]
    systems = {"A": cut, "B": outputs["B"]}
    as_reference = TestSet("toy", systems, {"ref": cut}, sources=sources)
    assert [fault.system for fault in find_line_faults(as_reference)] == []
    copied = {name: sources for name in ("A", "B", "C")}
    as_others = rate_without_references(copied, sources=sources)
    assert find_line_faults(as_others) == ()


def test_what_a_reference_has_in_a_line_is_no_fault_of_an_output(corpus):
    sources, reference, outputs = corpus
    escaped = {"A": list(outputs["A"]), "ref": list(reference)}
    for lines in escaped.values():
        lines[:20] = [f"{line} &amp;" for line in lines[:20]]
    systems = {"A": escaped["A"], "B": outputs["B"]}
    other_reference = TestSet("toy", systems, {"ref": reference}, sources=sources)
    assert [fault.kind for fault in find_line_faults(other_reference)] == ["entities"]
    same_reference = TestSet("toy", systems, {"ref": escaped["ref"]}, sources=sources)
    assert find_line_faults(same_reference) == ()


def test_whole_lines_without_a_full_stop_are_not_cut(corpus):
    assert find_planted(corpus, range(50), lambda row, line: line.removesuffix(".")) == {}


def test_outputs_without_source_and_reference_are_compared_with_each_other(corpus):
    _, _, outputs = corpus
    planted = ["", *outputs["A"][1:]]
    systems = {"A": planted, "B": outputs["B"], "C": outputs["A"]}
    [fault] = find_line_faults(rate_without_references(systems))
    assert (fault.kind, fault.system, fault.lines) == ("empty", "A", (1,))


def test_outputs_that_are_not_known_are_no_faults(corpus):
    _, _, outputs = corpus
    partly = [None if row % 2 == 0 else line for row, line in enumerate(outputs["A"])]
    partly[1] = ""
    systems = {"A": partly, "B": outputs["B"], "C": outputs["A"]}
    [fault] = find_line_faults(rate_without_references(systems))
    assert (fault.kind, fault.system, fault.lines) == ("empty", "A", (2,))


def test_the_table_names_lines_and_each_kind_has_words(corpus):
    assert list(FAULT_WORDS) == list(FINDERS)
    fault = find_planted(corpus, range(0, 70, 10), lambda row, line: "")["empty"]
    [record] = faults_table([fault]).records()
    assert record["lines"] == "7 lines: 1, 11, 21, 31, 41, ..."
    assert (record["n"], record["share"]) == (7, 0.01)


def test_outputs_that_a_campaign_did_not_show_are_not_empty():
    outputs = {"A": ["a text", None, ""], "B": ["a text", "a text", "a text"], "C": ["x"] * 3}
    scores = {"ESA": SegmentScores({name: [50.0] * 3 for name in outputs})}
    [fault] = find_line_faults(TestSet("toy", outputs, {}, sources=["s", "t", "u"], scores=scores))
    assert (fault.kind, fault.system, fault.lines) == ("empty", "A", (3,))
