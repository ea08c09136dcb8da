"""The sentence of how far metrics decide as people do."""

from types import SimpleNamespace

import pytest

from mtsig_core import read_scores
from mtsig_core.experiments.metric_agreement import agreement
from mtsig_core.report.experiment_reports import agreement_report, agreement_verdict
from mtsig_core.report.reports import render_report
from mtsig_core.results import AgreementComparison
from mtsig_core.stats.cautions import about_agreement


def held(p_by_metric):
    """What was found where BLEU agrees most, with p of it and each other metric."""
    metrics = [
        SimpleNamespace(metric=name, soft_pairwise_accuracy=0.9) for name in ("bleu", *p_by_metric)
    ]
    rows = [AgreementComparison("bleu", name, 0.1, p, p) for name, p in p_by_metric.items()]
    return SimpleNamespace(
        human="esa", metrics=metrics, comparisons=rows, sampling=SimpleNamespace(alpha=0.05)
    )


@pytest.mark.parametrize(
    ("p_by_metric", "rest"),
    [
        ({"chrf": 0.01, "ter": 0.02}, "significantly more than all others"),
        ({"chrf": 0.01, "ter": 0.3}, "not significantly more than TER"),
    ],
)
def test_which_metric_agrees_most_and_which_are_not_significantly_worse(p_by_metric, rest):
    assert (
        agreement_verdict(held(p_by_metric))
        == f"BLEU agrees most with esa: soft pairwise accuracy 0.900, {rest}"
    )


def test_of_one_metric_alone_nothing_is_most():
    assert agreement_verdict(held({})) == "BLEU has a soft pairwise accuracy of 0.900 with esa"


def test_a_metric_against_people_is_told_with_the_direction_that_was_assumed():
    people = {
        name: [level + k % 3 / 10 for k in range(20)]
        for name, level in (("A", 0.5), ("B", 0.6), ("C", 0.7))
    }
    errors = {name: [1 - value for value in values] for name, values in people.items()}
    tables = {"people": people, "mine": errors}
    found = agreement(read_scores(tables), "people", resamples=50)
    [caution] = [one for one in about_agreement(found) if one.code == "against-people"]
    text = render_report(agreement_report(found), "text")
    assert f"Warning: {caution.text} Options: --lower-is-better mine.\n" in text
    assert "We assume that higher mine scores are better.\n" in text
    right = agreement(read_scores(tables, ["mine"]), "people", resamples=50)
    assert not any(one.code == "against-people" for one in about_agreement(right))
    assert "As given, lower mine scores are better.\n" in render_report(
        agreement_report(right), "text"
    )
