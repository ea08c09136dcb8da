"""The figure of how far metrics agree with people."""

from mtsig_core.figures.comparison_plots import agreement_dots
from mtsig_core.results import Agreement, MetricAgreement, SamplingSettings, TestSetInfo


def test_a_row_a_metric_and_none_where_people_order_nothing():
    rows = (
        MetricAgreement("<b>x", "", True, 3, 0, 2 / 3, 0.5, 0.9, 0.8, 0.7, 0.85),
        MetricAgreement("y", "", True, 3, 3, None, None, None, 0.4, 0.3, 0.5),
    )
    found = Agreement(
        "<i>people",
        TestSetInfo("toy", "", 9, None, (), ("A",), False),
        SamplingSettings("segment", None, 0.05, 9, 0, ""),
        9,
        "holm",
        rows,
        (),
    )
    soft, hard = agreement_dots(found).data
    assert soft.x == (0.8, 0.4) and hard.x == (2 / 3,)
    assert [round(arm, 2) for arm in soft.error_x.arrayminus] == [0.1, 0.1]
    assert [round(arm, 2) for arm in soft.error_x.array] == [0.05, 0.1]
    layout = agreement_dots(found).layout
    assert layout.yaxis.ticktext == ("&lt;b&gt;x", "y") and layout.xaxis.range[0] < 0.3
    assert "&lt;i&gt;people" in layout.annotations[0].text
