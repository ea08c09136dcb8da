"""Pair: one difference, asked of every test, and where it comes from."""

from functools import partial

import streamlit as st

from mtsig_core.errors import format_count
from mtsig_core.figures.pair_plots import half_eye, null_tails
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import p_word
from mtsig_core.report.sentences import (
    choose_form,
    describe_undecided,
    explain_unlike,
    find_identical,
    name_family,
    name_simultaneous,
    write_level,
)
from mtsig_core.report.table import format_p, write_p
from mtsig_core.stats.arrays import contains_zero
from mtsig_core.stats.few_units import FEW_FOR_BOOTSTRAP
from mtsig_core.stats.pair import density, symmetric_histogram
from mtsig_core.stats.significance import FAMILY_WISE, is_split, significant
from pages._ui import charts, frame, one_pair, screen, segment_sections
from pages._ui.screen import end_page

view = frame.open_page("Pair")
comparison, result = view.comparison, view.result
settings, unit = comparison.settings, metric_title(result.metric)
a, b, _ = one_pair.choose(view)
found = one_pair.examine(view, a, b)
pair = next(pair for pair in result.pairs if {pair.a, pair.b} == {a, b})
better = {"a": pair.a, "b": pair.b, None: None}[pair.better]
delta = found.sign * found.delta
level, form = f"{100 * (1 - settings.alpha):g}%", choose_form(result)
ends = found.intervals[result.ci] and tuple(sorted(found.sign * end for end in found.intervals[result.ci]))
together = name_simultaneous(result, settings)
joint = one_pair.simultaneous_ends(result, pair, a) if together else None
family = format_count(len(result.tested), "pair")
same = find_identical(comparison, result, pair)
command = one_pair.command(view, a, b)

if pair.p_value is None:
    win, lose = (pair.win, pair.lose) if pair.a == a else (pair.lose, pair.win)
    chance = f"{a} wins {win:.1%} of the resamples, {b} {lose:.1%}"
else:
    chance = write_p(pair.p_adjusted, p_word(settings.correction))
said = joint if joint and settings.correction in FAMILY_WISE else ends  # the one that goes with the p that decides
interval = "" if said is None else f", {write_level(settings)} CI {said[0]:{form}} to {said[1]:{form}}"
interval += f" for all {family} together" if said is not None and said is joint else ""
verdict = f"the {same} are identical" if same else f"{better} is better" if better else \
    describe_undecided(pair, settings)
screen.answer(f"{a} vs. {b}: {verdict} ({delta:+{form}} {unit}{interval}, {chance})")
split = is_split(pair, settings.alpha)
screen.cautions(caution for caution in comparison.warnings if caution.concerns_pair(a, b))

if same:
    end_page()
if not (pair.significant or split) and pair.p_value is not None and significant(pair.p_value, settings.alpha):
    screen.plain(f"Without correction {write_p(pair.p_value)}; corrected for {family}, which decides, "
                 f"{write_p(pair.p_adjusted)}. All below is for this pair only, except the simultaneous interval.")

if joint is not None and not split and pair.significant == contains_zero(*joint):
    screen.plain(one_pair.explain_disagreement(pair, settings, result))

left, right = st.columns(2)
with left:
    st.markdown("**How sure is the difference?**")
    drawn = found.sign * found.drawn[:settings.resamples]
    x, y = density(drawn)
    over = float((drawn > 0).mean())
    charts.show(partial(half_eye, x, y, delta, ends, a=a, b=b, unit=unit, form=form, joint=joint,
                        called=(f"single {level} interval", together)), key="pair.difference",
                files=view.named(a, b), command=command,
                header=[f"difference in {unit}", "density"], rows=list(zip(x.tolist(), y.tolist(), strict=True)),
                alt=f"Bootstrapped differences, above zero in {over:.1%} of the samples; observed {delta:+{form}}.")
    st.caption("Bootstrapped differences, and the observed one." if ends is None else
               f"Bootstrapped differences: above 0 in {over:.1%} of the {len(drawn)} samples of the interval (tests "
               f"have their own). Below: the observed difference with its {level} interval"
               + ("." if joint is None else "s. The simultaneous ones of all pairs hold together."))
with right:
    st.markdown("**Could it be chance?**")
    edges, counts = symmetric_histogram(found.sign * found.swapped, abs(delta))
    said = one_pair.describe_chance(found)
    charts.show(partial(null_tails, edges, counts, delta, unit=unit, form=form, exact=found.exact), key="pair.null",
                files=view.named(a, b), command=command,
                header=["from", "to", "count"],
                rows=list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)),
                alt=f"Differences after swaps. {said}")
    st.caption(f"If A and B were interchangeable: {said}{explain_unlike(found, pair.n_effective)}")

few = pair.n_effective < FEW_FOR_BOOTSTRAP
printed = "this test gives no p" if pair.p_value is None else (
    f"p {format_p(pair.p_value)} for this pair only, as the command prints it; adjusted for {family}")
screen.status([f"{a} {found.score_a:{form}}", f"{b} {found.score_b:{form}}", format_count(found.n, "segment"), printed])
screen.cautions(caution for caution in comparison.warnings if caution.concerns_all and not (
    caution.kind.beside_verdict or caution.kind.concern in ("files", "test")))  # those of tests stand below

st.subheader("Every test, side by side")
screen.show_table(one_pair.outcomes_table(found))
st.caption("Choose the test before looking: the one that happens to agree is no evidence. The smallest p is "
           "1/(trials + 1), 2/(trials + 1) for the percentile test"
           + (f", 2/{len(found.swapped) + 1} for randomization, which tries all swaps." if found.exact else "."))
screen.cautions(one_pair.test_cautions(found, few))
left, right = st.columns(2)
with left:
    st.subheader("Every interval")
    screen.show_table(one_pair.intervals_table(found, result.ci, name_family(result, settings), joint))
with right:
    st.subheader("Equal, or only not significant?")
    one_pair.show_equivalence(found)
screen.plain(one_pair.describe_detectable(found, pair, len(result.pairs)))

if found.by_document is not None:
    one_pair.show_documents(view, found, a, b)
one_pair.show_card(view, a, b)
st.subheader("Which segments?")
if not view.testset.has_texts:
    st.caption("This test set has segment scores without texts: there is nothing to read. Open the texts with the "
               "scores on the page Upload.")
    end_page()
segment_sections.show_most_in_favour(view, found, a, b)
