"""Systems by domain, on the page Metrics."""

from dataclasses import replace
from html import unescape

from mtsig_core.experiments.domains import by_domain
from mtsig_core.report.domain_tables import domain_table, domains_verdict
from tests.pages.toys import answers, words, write


def test_the_page_has_the_scores_of_the_core(opened, source, tmp_path):
    docs = write(tmp_path / "domains.txt", [f"{'<b>news' if k < 30 else 'social'}\td{k // 4}" for k in range(60)])
    source = replace(source, docs=docs)
    page = opened("metrics", source, inside="by domain")
    assert not page.exception
    found = by_domain(source.read())
    assert f">{domains_verdict(found)}<" in unescape(answers(page)[0])
    assert all(f"<td>{cell}</td>" in words(page) for row in domain_table(found).texts() for cell in row[1:])
    assert "<b>news" not in words(page)


def test_without_domains_it_says_so(opened, source):
    page = opened("metrics", source, inside="by domain")
    assert not page.exception and "has 0 domains. Expected at least two" in words(page)
