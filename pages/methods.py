"""Methods: every definition with its formula, source and warning, from the registries that run them."""

import inspect

import streamlit as st

from mtsig_core import METRICS, MtsigError, make_metric
from mtsig_core.metrics import metric_title, resolve_metric
from mtsig_core.metrics.means import SegmentMean
from mtsig_core.report.sentences import describe_methods
from mtsig_core.results import UNLIKE
from mtsig_core.stats.few_units import FEW_UNITS
from mtsig_core.stats.intervals import INTERVALS, simultaneous
from mtsig_core.stats.significance import ADJUSTMENTS, TESTS, romano_wolf
from pages._sections import methods_sections
from pages._ui import frame, screen
from pages._ui.browser import command_box


def first_paragraph(thing) -> str:
    """Return the first paragraph of a docstring, on one line and without markup."""
    return " ".join(inspect.getdoc(thing).split("\n\n")[0].split()).replace("`", "")


view = frame.take_view()
st.title("Methods")
if not isinstance(view, MtsigError):
    st.subheader("The method in use")
    try:
        screen.plain(describe_methods(view.comparison, view.metric))
    except MtsigError as problem:
        screen.error(problem)
    command_box(view.command(), "methods.command", "the comparison with these settings")
st.caption("To cite it, name the test, the unit, the number of permutations or resamples, and the correction. The "
           "signature has them all. Cite the source of the test below, and Post (2018) for sacreBLEU's "
           "scores.")
st.subheader("All methods")
with st.expander("Notation", key="methods.notation"):
    screen.plain("S(.) is the corpus score of summed statistics, d_0 the observed difference of two systems, d_r the "
                 "difference after random permutation r of R, d_b the difference on resample b of B. A unit is what is "
                 "resampled or permuted: a segment, a document, or a stationary block of consecutive segments. The "
                 "same resamples serve all systems and pairs.")

with st.expander("Tests", key="methods.tests.box"):
    screen.prose_table(["test", "definition", "default correction", "source"],
                       [[f"{test.name}: {test.title}", test.formula, test.default_correction, test.source]
                        for test in TESTS.values()])
    methods_sections.show_tests([(test.name, test.title) for test in TESTS.values()])
    for test in TESTS.values():
        if test.caution:
            screen.caution_box(f"{test.name}: {test.caution} {test.instead}")
        if test.with_few:
            screen.caution_box(f"{test.name}: {test.with_few} {test.with_few_instead}")
    screen.caution_box("The randomization test asks whether outputs can trade places, which is more than equal scores. "
                       "For two unlike systems, as where one says much less, permutations may vary less than resamples "
                       f"do, and p is too small. One pair warns where resamples vary more than {UNLIKE:g} times as "
                       "much.")
    methods_sections.show_algorithms()

with st.expander("Intervals", key="methods.intervals.box"):
    screen.prose_table(["interval", "definition"],
                       [[name, first_paragraph(function)] for name, function in
                        {**INTERVALS, "simultaneous": simultaneous}.items()])
    methods_sections.show_intervals()

with st.expander("Corrections for many pairs", key="methods.corrections.box"):
    screen.prose_table(["correction", "definition"],
                       [[name, first_paragraph(function)]
                        for name, function in {**ADJUSTMENTS, "romano-wolf": romano_wolf}.items()])
    methods_sections.show_corrections()

with st.expander("Ranks and power", key="methods.ranks.box"):
    screen.plain("Rank range of a system: from 1 + the number of systems significantly better to S - the number "
                 "significantly worse. The decisions control the family-wise error (Romano-Wolf, else Holm), so all "
                 "ranges hold together. Smallest detectable difference: the true difference found 8 times in 10, 2.80 "
                 "standard errors at alpha 0.05, and more with few units by Student's t. "
                 f"Below {FEW_UNITS} units everything is rough.")

with st.expander("Metrics", key="methods.metrics.box"):
    for name in METRICS:
        metric = make_metric(name)
        unknown = isinstance(view, MtsigError) or not view.testset.has_texts
        signature = "" if unknown else f" Here: {metric.signature(view.testset)}"
        screen.plain(f"{metric_title(name)}: {first_paragraph(type(metric))}{signature}")
    screen.plain(f"Scores of a table: {first_paragraph(SegmentMean)} A pair is compared on the segments that both "
                 "have.")
    if not isinstance(view, MtsigError):
        for name in view.testset.scores:
            screen.plain(f"{metric_title(name)}: here {resolve_metric(view.testset, name).signature(view.testset)}")
