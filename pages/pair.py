"""One pair: how large the difference is, whether it could be chance, and where it comes from."""

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
    write_level,
)
from mtsig_core.report.table import write_p
from mtsig_core.stats.arrays import contains_zero
from mtsig_core.stats.pair import density, symmetric_histogram
from mtsig_core.stats.significance import FAMILY_WISE, is_split
from pages._ui import caveats, charts, frame, one_pair, screen, segment_sections
from pages._ui.screen import end_page

view = frame.open_page()
comparison, result = view.comparison, view.result
settings, unit = comparison.settings, metric_title(result.metric)
a, b, _ = one_pair.choose(view)
found = one_pair.examine(view, a, b)
pair = next(pair for pair in result.pairs if {pair.a, pair.b} == {a, b})
better = {"a": pair.a, "b": pair.b, None: None}[pair.better]
delta = found.sign * found.delta
level, form = write_level(settings), choose_form(result)
ends = found.intervals[result.ci] and tuple(sorted(found.sign * end for end in found.intervals[result.ci]))
joint = one_pair.simultaneous_ends(result, pair, a) if len(result.tested) > 1 else None
family = format_count(len(result.tested), "pair")
same = find_identical(comparison, result, pair)
command = one_pair.command(view, a, b)

if pair.p_value is None:
    win, lose = (pair.win, pair.lose) if pair.a == a else (pair.lose, pair.win)
    chance = f"{a} wins {win:.1%} of the resamples, {b} {lose:.1%}"
else:
    chance = write_p(pair.p_adjusted, p_word(settings.correction))
shown = joint if joint and settings.correction in FAMILY_WISE else ends  # the one that goes with the p that decides
interval = "" if shown is None else f", {level} CI{' for all pairs together' * (shown is joint)} " \
                                    f"{shown[0]:{form}} to {shown[1]:{form}}"
verdict = f"the {same} are identical" if same else f"{better} is significantly better" if better else \
    describe_undecided(pair, settings)
screen.answer(f"{a} vs. {b}: {verdict} ({delta:+{form}} {unit}{interval}, {chance})")
if same:
    caveats.show((caution for caution in comparison.warnings if caution.concerns_pair(a, b)), "pair")
    end_page()

caveats.show((caution for caution in comparison.warnings if caution.concerns_pair(a, b) or (
    caution.concerns_all and not caution.kind.beside_verdict and caution.kind.concern not in ("files", "test"))),
    "pair")
if unlike := explain_unlike(found, pair.n_effective):
    screen.caution_box(unlike.strip())
if joint is not None and not is_split(pair, settings.alpha) and pair.significant == contains_zero(*joint):
    screen.caution_box(one_pair.explain_disagreement(pair, settings, result))

left, right = st.columns(2)
with left:
    st.markdown("**How large is it?**")
    drawn = found.sign * found.drawn[:settings.resamples]
    over = float((drawn > 0).mean())
    screen.faint(f"{a} {found.score_a:{form}}, {b} {found.score_b:{form}} on {format_count(found.n, 'segment')}. "
                 f"{over:.1%} of {len(drawn):,} resamples are above 0.")
    x, y = density(drawn)
    charts.show(partial(half_eye, x, y, delta, ends, a=a, b=b, unit=unit, form=form, joint=joint,
                        called=(f"{level} CI for this pair", f"{level} CI for {name_family(result, settings)}")),
                key="pair.difference", files=view.named(a, b), command=command,
                header=[f"difference in {unit}", "density"], rows=list(zip(x.tolist(), y.tolist(), strict=True)),
                alt=f"Bootstrapped differences, above zero in {over:.1%} of the resamples; observed {delta:+{form}}.")
with right:
    st.markdown("**Could it be chance?**")
    edges, counts = symmetric_histogram(found.sign * found.swapped, abs(delta))
    chance = one_pair.describe_chance(found)
    decides = len(result.tested) > 1 and pair.p_value is not None and settings.correction != "none"
    screen.faint(f"{chance} Corrected for {family}, which decides: {write_p(pair.p_adjusted, 'adjusted p')}." if decides
                 else chance)
    charts.show(partial(null_tails, edges, counts, delta, unit=unit, form=form, exact=found.exact), key="pair.null",
                files=view.named(a, b), command=command,
                header=["from", "to", "count"],
                rows=list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)),
                alt=f"Differences after permutations. {chance}")

documents, segments, tests, equal, card = one_pair.open_tabs()
with documents:
    one_pair.show_documents(view, found, a, b)
with segments:
    segment_sections.show_most_in_favour(view, found, a, b)
with tests:
    one_pair.show_other_tests(found, pair, result, settings, joint)
with equal:
    one_pair.show_equivalence(found)
with card:
    one_pair.show_card(view, a, b)
