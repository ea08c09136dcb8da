"""Systems by domain, on the page Metrics and domains."""

from dataclasses import replace
from html import unescape

import pytest

from mtsig_core import compare
from mtsig_core.experiments.domains import by_domain
from mtsig_core.report.experiment_reports import domain_table, domains_verdict
from mtsig_core.report.sentences import state_decisions
from mtsig_core.stats.across import pairs_across
from tests.builders.screens import answers, words, write


def test_the_page_has_the_scores_of_the_core(opened, source, tmp_path):
    docs = write(
        tmp_path / "domains.txt",
        [f"{'<b>news' if k < 30 else 'social'}\td{k // 4}" for k in range(60)],
    )
    source = replace(source, docs=docs)
    page = opened("metrics", source, inside="by domain")
    found = by_domain(source.read())
    assert f">{domains_verdict(found)}<" in unescape(answers(page)[0])
    assert all(
        f"<td>{cell}</td>" in words(page) for row in domain_table(found).texts() for cell in row[1:]
    )
    assert "<b>news" not in words(page)


@pytest.mark.long
def test_tabs_are_those_that_the_test_set_has_something_for(opened, source):
    page = opened("metrics", source, trials="199")
    assert not page.tabs
    assert "has no domains and no human scores" in words(page)
    page.button(key="metrics.demo").click().run()
    assert len(page.tabs) == 3
    assert "has no domains" not in words(page)


def test_on_how_many_pairs_the_metrics_agree(opened, source):
    page = opened("metrics", source, metrics="chrf")
    results = [compare(source.read(), name).metrics[name] for name in ("bleu", "chrf")]
    assert f">{state_decisions(['BLEU', 'chrF'], pairs_across(results))}<" in unescape(
        answers(page)[0]
    )
