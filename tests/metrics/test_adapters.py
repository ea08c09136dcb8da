"""Metrics of other packages are taken as they are, where it is known how."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from mtsig_core import SettingError, compare, metrics
from mtsig_core.metrics import adapt_metric, make_metric
from tests.builders.toys import mean, toy


class Lengths:
    """A metric of a package that does not know mtsig."""

    __module__ = "another.package"

    def length(self, text):
        return len(text)


class Longer(Lengths):
    __module__ = "my.own"


@dataclass(frozen=True)
class OfLengths:
    theirs: Lengths

    name: ClassVar[str] = "lengths"
    higher_is_better: ClassVar[bool] = True
    stat_names: ClassVar[tuple[str, ...]] = ("length", "one")
    is_adapted: ClassVar[bool] = True

    def statistics(self, testset, progress=None):
        return np.array([[[self.theirs.length(text), 1] for text in texts] for texts in testset.systems.values()])

    def score(self, sums):
        return mean(sums)

    def signature(self, testset):
        return "lengths"


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setitem(metrics.ADAPTERS, "another", f"{__name__}:OfLengths")


@pytest.mark.parametrize("given", [Lengths(), Longer()])
@pytest.mark.usefixtures("known")
def test_an_object_of_a_known_package_stands_for_a_metric(given):
    assert adapt_metric(given) == OfLengths(given)
    for chosen in (given, [given], [given, "bleu"]):
        result = compare(toy(2, 5, same="A"), chosen, trials=99, resamples=50).metrics["lengths"]
        assert {row.system: row.score for row in result.systems} == {"A": 4.0, "B": 4.0}


@pytest.mark.usefixtures("known")
def test_its_counts_are_not_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path))
    monkeypatch.setattr(OfLengths, "__module__", "mtsig_core.metrics.lengths")
    testset = toy(2, 5)
    compare(testset, Lengths(), trials=99, resamples=50)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given, what", [
    (Lengths(), "of the type Lengths"), (Lengths, "the class Lengths"), (type(make_metric("bleu")), "the class Bleu"),
    (np.zeros((2, 5)), "of the type ndarray"), (3, "of the type int"), ([[1.0, 2.0]], "of the type list"),
    ([None], "of the")])
def test_what_is_no_metric(given, what):
    with pytest.raises(SettingError, match=f"A metric is {what}.*Expected a name such as 'bleu', .*join_scores puts"):
        compare(toy(2, 5), given)
