"""The tables of a comparison, each made once with raw values.

Formats and pages select columns by their keys.

To add a column to the leaderboard, add it to `leaderboard_table`: text, LaTeX, HTML, CSV, notebook
and page have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain, pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from mtsig_core.errors import round_p
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import describe_gap, is_corrected, p_word
from mtsig_core.report.holdings import Holding, list_contents
from mtsig_core.report.sentences import (
    ACROSS,
    AnyComparison,
    PairView,
    better_by_rule,
    choose_form,
    describe_marked_ranks,
    explain_no_ranks,
    find_anchor,
    find_metric_rule,
    has_p_values,
    improvement_by_rule,
    name_first_place,
    name_simultaneous,
    name_top_group,
    order_systems,
    select_lang_pairs,
    view_anchor_pairs,
    view_pair,
    write_level,
)
from mtsig_core.report.table import (
    EMPTY,
    MISSING,
    BoundedValue,
    Cell,
    Column,
    Legend,
    Table,
    TableBuilder,
    Value,
    format_p,
    join_ends,
    join_tables,
    number,
    signed,
    written_like,
)
from mtsig_core.results import (
    Comparison,
    MacroPair,
    MacroResult,
    MacroSystem,
    MetricResult,
    PairResult,
    PairRuns,
    ReferenceLeaders,
    Scores,
    Settings,
    SystemResult,
    SystemRuns,
    TaskComparison,
    TaskInfo,
)
from mtsig_core.schema import Records
from mtsig_core.stats.across import (
    AGREE,
    AGREEMENTS,
    NOT_ALIKE,
    RELATIONS,
    UNDECIDED,
    Disputed,
    PairAcross,
    pairs_across,
)
from mtsig_core.stats.ranks import (
    RANK_RULES,
    find_other_leaders,
    find_top_group,
    has_clear_winner,
    list_first,
)
from mtsig_core.stats.significance import is_split
from mtsig_core.task import SystemInfo
from mtsig_core.testset import TestSet

# -------------------------------------------------------------------------------------------------
# Systems.


#: What the lines below the rows of `cluster_ends` separate.
CLUSTERS = "clusters: rank ranges in different clusters do not overlap"
_CLUSTERS_LEGEND = Legend(ruled=CLUSTERS)


def cluster_ends(systems: Sequence[SystemResult | MacroSystem]) -> set[int]:
    """The rows of a table of systems, best first, below which a line is drawn.

    The last row has none.

    >>> from mtsig_core.results import SystemResult
    >>> cluster_ends([SystemResult(name, 0.0, None, None, 1, 2, cluster) for name, cluster in zip("ABC", (1, 1, 2))])
    {1}
    """
    ends = set()
    for index, (row, row_below) in enumerate(pairwise(systems)):
        has_clusters = row.cluster is not None and row_below.cluster is not None
        if has_clusters and row.cluster != row_below.cluster:
            ends.add(index)
    return ends


def _get_ranks(row: SystemResult | MacroSystem) -> tuple[int, int] | None:
    return join_ends(row.rank_low, row.rank_high)


def _name_metric(result: MetricResult) -> str:
    title = metric_title(result.metric)
    if result.higher_is_better:
        return f"{title} ↑"
    return f"{title} ↓"


def leaderboard_table(result: MetricResult, settings: Settings) -> Table:
    """The systems, best first.

    Readers see ranks, score and interval, and the improvement over the best system with its
    intervals, wins, ties and losses. With a baseline they see the improvement over it with p and
    the decision. Files have all of these columns.
    """
    table = TableBuilder("systems", result.systems)
    _add_systems(table, result, f"{write_level(settings)} CI")
    _add_anchor_pairs(table, result, settings)
    _add_tally(table, result, is_shown=bool(result.pairs) and not settings.baseline)
    table.add("cluster", "cluster", "count", where="files")
    return table.build(cluster_ends(result.systems), _CLUSTERS_LEGEND)


def _add_systems(table: TableBuilder, result: MetricResult, interval: str) -> None:
    form = choose_form(result)
    table.add("metric", "metric", "text", lambda _: result.metric, where="files")
    table.add("rank", "rank", "rank", _get_ranks)
    table.add("system", "system", "name")
    table.add("score", _name_metric(result), "score", form=form)
    table.add("ci", interval, "interval", lambda row: join_ends(row.ci_low, row.ci_high), form=form)
    if result.runs:
        sd_of = {
            row.system: (row.sd, row.sd_low, row.sd_high)
            for row in result.runs
            if row.sd is not None
        }
        table.add("sd", "SD between runs", "estimate", lambda row: sd_of.get(row.system), form=form)


def _add_anchor_pairs(table: TableBuilder, result: MetricResult, settings: Settings) -> None:
    """Add the pair of each system with the best system, the baseline, or the other of two."""
    pairs = view_anchor_pairs(result, settings)

    def get(field: str) -> Value:
        """The field of a system's pair; the best system and the baseline have no pair."""

        def get_field(row: SystemResult) -> Any:
            if row.system not in pairs:
                return EMPTY
            return getattr(pairs[row.system], field)

        return get_field

    key = _name_anchor_column(result, settings)
    title = key.replace("_", " ")
    if result.ruled is not None and result.ruled.means is not None:
        # The scores are means over domains, but these are differences of means over segments.
        title = f"{title} (segment mean)"
    interval = f"{write_level(settings)} CI"
    joint_interval = f"{interval} for all pairs"
    form = choose_form(result)
    is_compared = bool(result.pairs)
    is_joint = name_simultaneous(result, settings) is not None
    table.add_for(is_compared, key, title, "difference", get("difference"), form)
    table.add_for(
        is_compared, f"{key}_ci", f"{interval} of the difference", "interval", get("ci"), f"+{form}"
    )
    table.add_for(
        is_joint, f"{key}_ci_joint", joint_interval, "interval", get("ci_joint"), f"+{form}"
    )

    has_baseline = settings.baseline is not None
    shows_p = has_baseline and has_p_values(settings)
    shows_adjusted_p = shows_p and is_corrected(settings.correction, len(result.pairs))
    shows_shares = has_baseline and not has_p_values(settings)
    table.add_for(shows_p, f"{key}_p", "p", "p", get("p"))
    table.add_for(shows_adjusted_p, f"{key}_adjusted_p", "adjusted p", "p", get("adjusted_p"))
    table.add_for(shows_shares, f"{key}_win", "win", "share", get("win"))
    table.add_for(shows_shares, f"{key}_lose", "lose", "share", get("lose"))
    table.add_for(has_baseline, f"{key}_decision", "decision", "text", get("decision"))


def _name_anchor_column(result: MetricResult, settings: Settings) -> str:
    if settings.baseline is not None:
        return "vs_baseline"
    if len(result.systems) == 2:
        return "vs_other"
    return "vs_best"


def _add_tally(table: TableBuilder, result: MetricResult, is_shown: bool = True) -> None:
    """Add wins, ties and losses: None in each column where no pair can be decided."""
    is_known = result.ruled is not None or any(pair.decidable for pair in result.pairs)
    tally = result.tally()

    def count(index: int) -> Value:
        return lambda row: tally[row.system][index] if is_known else None

    for index, key in enumerate(("wins", "ties", "losses")):
        table.add_for(is_shown, key, key, "count", count(index))


def systems_table(result: MetricResult) -> Table:
    """The systems of a result without the settings."""
    table = TableBuilder("systems", result.systems)
    _add_systems(table, result, "interval")
    _add_tally(table, result)
    return table.build(cluster_ends(result.systems), _CLUSTERS_LEGEND)


def differences_table(result: MetricResult, settings: Settings) -> Table:
    """The columns of the leaderboard about the best system or the baseline, and their decisions."""
    table = leaderboard_table(result, settings)
    key = _name_anchor_column(result, settings)
    fields = ["ci"]
    if name_simultaneous(result, settings) is not None:
        fields.append("ci_joint")
    if has_p_values(settings):
        fields += ["p", "adjusted_p", "decision"]
    else:
        fields += ["win", "lose", "decision"]
    columns = [f"{key}_{field}" for field in fields]
    differences = table.values(key)
    compared_rows = [row for row, value in enumerate(differences) if value != EMPTY]
    return table.pick_rows(compared_rows).show_only("system", key, *columns)


def add_metric_columns(table: Table, results: Sequence[MetricResult]) -> Table:
    """A table of systems with their scores and ranks by further metrics."""
    for result in results:
        form = choose_form(result)
        columns = [
            Column(f"score_{result.metric}", _name_metric(result), "score", form),
            Column(f"rank_{result.metric}", "its rank", "rank"),
        ]
        rows = {row.system: (row.score, _get_ranks(row)) for row in result.systems}
        cells = [rows.get(system, (None, None)) for system in table.values("system")]
        table = table.with_columns(columns, cells)
    return table


def rank_changes_table(before: MetricResult, after: MetricResult) -> Table:
    """Tabulate how exclusions change the ranks, wins, ties and losses of every system."""
    tally_before = _write_tallies(before)
    tally_after = _write_tallies(after)
    ranks_after = {row.system: _get_ranks(row) for row in after.systems}
    table = TableBuilder("rank-changes", before.systems)
    table.add("system", "system", "name")
    table.add("rank_before", "rank with all", "rank", _get_ranks)
    table.add("rank", "rank now", "rank", lambda row: ranks_after.get(row.system, "excluded"))
    table.add(
        "tally_before",
        "wins-ties-losses with all",
        "text",
        lambda row: tally_before[row.system],
    )
    table.add("tally", "now", "text", lambda row: tally_after.get(row.system, ""))
    return table.build()


def _write_tallies(result: MetricResult) -> dict[str, str]:
    tally = result.tally()
    return {row.system: "-".join(map(str, tally[row.system])) for row in result.systems}


def by_reference_table(result: MetricResult) -> Table:
    """The top group by all references together, and by each of them.

    It has no rows without ranks, or with a single reference.
    """
    columns = (
        Column("reference", "reference"),
        Column("leaders", "top group"),
        Column("against", "against all together"),
    )
    top_group = find_top_group(result)
    if top_group is None or not result.by_reference:
        return Table("references", columns, ())
    n_segments = max((pair.n for pair in result.pairs), default=0)
    systems = result.names
    verdict = name_top_group(top_group, systems, has_clear_winner(result))
    rows = [("all together", verdict, EMPTY)]
    for row in result.by_reference:
        name = f"only {row.reference}"
        if row.n_segments < n_segments:
            name += f" ({row.n_segments:,} of {n_segments:,} segments)"
        if row.decidable:
            verdict = name_top_group(row.leaders, systems, row.ahead)
            rows.append((name, verdict, _relate_leaders(row, result, top_group)))
        else:
            rows.append((name, "cannot be decided", EMPTY))
    return Table("references", columns, tuple(rows))


def _relate_leaders(row: ReferenceLeaders, result: MetricResult, top_group: Sequence[str]) -> str:
    """The leaders by one reference against the top group by all."""
    if row in find_other_leaders(result):
        return "differs"
    if set(row.leaders) == set(top_group):
        return "same"
    return "more, on fewer segments"


def scores_table(scores: Scores) -> Table:
    """The systems, and a column of scores for each metric."""
    table = TableBuilder("scores", scores.testset.systems)
    table.add("system", "system", "name", str)
    for key, result in scores.metrics.items():
        by_system = {row.system: row.score for row in result.systems}
        form = written_like(by_system.values())
        table.add(key, metric_title(result.metric), "score", by_system.get, form=form)
    return table.build()


def exclusions_table(comparison: Comparison) -> Table:
    """The systems that were left out, and why."""
    table = TableBuilder("excluded", comparison.excluded)
    table.add("system", "system", "name")
    table.add("reason", "reason", "text")
    return table.build()


# -------------------------------------------------------------------------------------------------
# Pairs.


#: Columns of `pairs_table` about the differences that a test could detect.
DETECTABLE = ("se", "se_ratio", "min_difference", "min_difference_family", "segments")


def pairs_table(result: MetricResult | MacroResult, settings: Settings) -> Table:
    """All pairs.

    A row has the difference as an improvement of a, its intervals and p, the better system, and
    the difference that a test could detect. Where pairs are compared on different segments, their
    number comes last. Mean differences across language pairs have fewer columns.
    """
    pairs = result.pairs
    view_of = {pair: view_pair(pair, pair.a, result, settings) for pair in pairs}

    def get(field: str) -> Value:
        return lambda pair: getattr(view_of[pair], field)

    key = "head-to-head"
    title = "mean difference"
    is_joint = False
    if isinstance(result, MetricResult):
        key = "pairs"
        title = "difference"
        is_joint = name_simultaneous(result, settings) is not None
    interval = f"{write_level(settings)} CI"
    joint_interval = f"{interval} for all pairs"
    form = choose_form(result)
    has_p = has_p_values(settings)
    shows_adjusted_p = has_p and is_corrected(settings.correction, len(result.pairs))
    table = TableBuilder(key, pairs)
    table.add("pair", "pair", "pair", lambda pair: (pair.a, pair.b))
    table.add("difference", title, "difference", get("difference"), form=form)
    table.add("ci", interval, "interval", get("ci"), form=f"+{form}")
    table.add_for(is_joint, "ci_joint", joint_interval, "interval", get("ci_joint"), f"+{form}")
    table.add_for(has_p, "p", "p", "p", get("p"))
    table.add_for(shows_adjusted_p, "adjusted_p", "adjusted p", "p", get("adjusted_p"))
    table.add_for(not has_p, "win", "win", "share", get("win"))
    table.add_for(not has_p, "lose", "lose", "share", get("lose"))
    table.add("better", "better", "text", name_better)
    if isinstance(result, MetricResult):
        has_curve = any(pair.people_agree is not None for pair in result.pairs)
        people_agree = attrgetter("people_agree")
        table.add_for(has_curve, "people_agree", "people agree", "share", people_agree, ".0%")
        _add_detectable(table, result, is_joint)
        if result.has_rule_decisions:
            _add_rule_decisions(table, result, settings)
    return table.build()


def paper_table(comparison: Comparison) -> Table:
    """All systems by all metrics in one table.

    Two systems have their difference, its interval and p in rows below the scores. More have them
    in columns beside each score, as differences from the best system or the baseline.
    """
    settings = comparison.settings
    first = next(iter(comparison.metrics))
    systems = order_systems(comparison, first)
    is_pair = len(systems) == 2
    anchor = find_anchor(comparison.metrics[first], settings)
    labels = list(systems)
    if is_pair:
        [other] = set(systems) - {anchor}
        labels += ["difference", f"{write_level(settings)} CI", "p"]
    table = TableBuilder("paper", labels)
    table.add("system", "system", "name", str)
    for key, result in comparison.metrics.items():
        form = choose_form(result)
        scores = {row.system: row.score for row in result.systems}
        arrow = "↑" if result.higher_is_better else "↓"
        table.add(key, f"{metric_title(key)} {arrow}", "score", scores.get, form=form)
        if is_pair:
            view = None
            if set(systems) == scores.keys():
                view = view_pair(result.pairs[0], other, result, settings)
            table.values[-1][2:] = _write_difference_cells(view, form)
            continue
        views = view_anchor_pairs(result, settings)
        cells = [_write_difference_cells(views.get(name), form, EMPTY) for name in systems]
        titles = ("difference", f"{write_level(settings)} CI", p_word(settings.correction))
        for title, values in zip(titles, zip(*cells, strict=True), strict=True):
            table.add_values(f"{key} {title}", title, "written", values)
    return table.build()


def _write_difference_cells(
    view: PairView | None, form: str, missing: str = MISSING
) -> tuple[str, str, str]:
    """Write the difference of a pair, its interval, and the p that decides with three decimals."""
    if view is None:
        return missing, missing, missing
    interval = Column("ci", "", "interval", f"+{form}").write(view.ci)
    p = MISSING
    if view.adjusted_p is not None:
        p = round_p(view.adjusted_p)
    return signed(view.difference, form), interval, p


def _add_detectable(table: TableBuilder, result: MetricResult, is_joint: bool) -> None:
    """Add the difference that a test could detect in each pair."""
    form = choose_form(result)
    has_different_segments = len({pair.n for pair in result.pairs}) > 1
    table.add("se", "SE", "score", form=form)
    table.add("se_ratio", "SE doc/seg", "score")
    table.add("min_difference", "smallest detectable", "estimate", _get_detectable, form=form)
    table.add_for(
        is_joint, "min_difference_family", "for all pairs", "score", attrgetter("mdd_family"), form
    )
    table.add_for(has_different_segments, "segments", "segments", "count", attrgetter("n"))


def _get_detectable(pair: PairResult) -> BoundedValue | None:
    if pair.mdd is None:
        return None
    return pair.mdd, pair.mdd_low, pair.mdd_high


def _add_rule_decisions(table: TableBuilder, result: MetricResult, settings: Settings) -> None:
    """Add the difference, the p and the better system of each pair by the rule of the ranks."""
    title = RANK_RULES[settings.rank_rule].title

    def get_improvement(pair: PairResult) -> float | None:
        return improvement_by_rule(pair, pair.a, result)

    has_p = any(pair.rule_p is not None for pair in result.pairs)
    form = choose_form(result)
    table.add("rule_difference", f"difference {title}", "difference", get_improvement, form=form)
    table.add_for(has_p, "rule_p", f"p {title}", "p", attrgetter("rule_p"))
    table.add("rule_better", f"better {title}", "text", better_by_rule)


def name_better(pair: PairResult | MacroPair) -> str | None:
    """The better system of a pair; None where neither is.

    A mean difference that could not be decided has words for that instead.
    """
    if pair.better is not None:
        return {"a": pair.a, "b": pair.b}[pair.better]
    if isinstance(pair, MacroPair) and not pair.decidable:
        return UNDECIDED
    return None


# -------------------------------------------------------------------------------------------------
# Matrices: systems against systems.


def matrix_cells(result: MetricResult) -> dict[tuple[str, str], float | None]:
    """The cells of a matrix by the systems of row and column.

    Above the diagonal is the difference row minus column, positive where the row is better. Below
    it is the adjusted p, or for a test without p the share of resamples that the better system wins.
    """
    index = {row.system: k for k, row in enumerate(result.systems)}
    cells: dict[tuple[str, str], float | None] = {}
    for pair in result.pairs:
        higher, lower = pair.a, pair.b  # by their ranks
        improvement = result.sign * pair.delta
        if index[pair.a] > index[pair.b]:
            higher = pair.b
            lower = pair.a
            improvement = -improvement
        cells[higher, lower] = improvement
        if pair.win is None or pair.lose is None:
            cells[lower, higher] = pair.p_adjusted
        else:
            cells[lower, higher] = max(pair.win, pair.lose)
    return cells


def numbered_matrix(result: MetricResult) -> Table:
    """The matrix of one metric for a page.

    Columns are numbered, and significant differences are marked.
    """
    names = result.names
    index = {name: k for k, name in enumerate(names)}
    has_shares = any(pair.win is not None for pair in result.pairs)
    cells: dict[tuple[str, str], Any] = {}
    for (row, column), value in matrix_cells(result).items():
        is_below_diagonal = index[row] > index[column]
        cells[row, column] = value
        if is_below_diagonal and value is not None:
            text = format_p(value)
            if has_shares:
                text = number(value, ".3f")
            cells[row, column] = Cell(text, value)
    marks = set()
    for pair in result.pairs:
        if pair.significant:
            row_above, row_below = sorted((index[pair.a], index[pair.b]))
            column_key = str(row_below + 1)  # columns are numbered from 1
            marks.add((row_above, column_key))
    form = choose_form(result)
    table = _make_matrix("matrix", names, cells, missing=None, kind="matrix", form=form)
    return replace(table, marks=marks, legend=Legend(marked="significant"))


def starred_matrix(result: MetricResult, name: Callable[[str], str] = str) -> Table:
    """The matrix of one metric in print: differences row minus column.

    A small adjusted p has a mark. Where the ranks follow another rule, the differences and the
    marks are by that rule.
    """
    form = choose_form(result)
    cells: dict[tuple[str, str], str] = {}
    for pair in result.pairs:
        if result.has_rule_decisions:
            delta = pair.rule_delta
            stars = _mark_by_rule(pair)
        else:
            delta = pair.delta
            stars = _mark_p(pair.p_adjusted)
        if delta is None:
            continue
        improvement = result.sign * delta
        cells[pair.a, pair.b] = signed(improvement, form) + stars
        cells[pair.b, pair.a] = signed(-improvement, form) + stars
    names = result.names
    table = _make_matrix("starred", names, cells, missing=None, kind="starred")
    rows = [(number, name(system), *differences) for number, system, *differences in table.rows]
    return replace(table, rows=tuple(rows))


_STARS = ((0.001, "\N{DOUBLE DAGGER}"), (0.01, "\N{DAGGER}"), (0.05, "*"))


def _mark_p(p: float | None) -> str:
    """The mark of a p: none where p is large or missing."""
    if p is None:
        return ""
    for level, mark in _STARS:
        if p < level:
            return mark
    return ""


def _mark_by_rule(pair: PairResult) -> str:
    """The mark of a pair by another rule: none if it is undecided, a star if its p has no mark."""
    if pair.rule_better is None:
        return ""
    return _mark_p(pair.rule_p) or _STARS[-1][1]


_SIGN_OF_BETTER = {"a": ">", "b": "<", None: "."}
_OPPOSITE_SIGN = {">": "<", "<": ">"}


def signs_table(result: MetricResult, settings: Settings) -> Table:
    """Row against column in signs.

    > significantly better, < significantly worse, . not significant, ? cannot be decided, ! test
    and scores disagree, - not tested. Where the ranks follow another rule: > better by that rule,
    < worse, . neither.
    """
    signs: dict[tuple[str, str], str] = {}
    for pair in result.pairs:
        if result.has_rule_decisions:
            sign = _SIGN_OF_BETTER[pair.rule_better]
        else:
            sign = _find_sign(pair, settings)
        signs[pair.a, pair.b] = sign
        signs[pair.b, pair.a] = _OPPOSITE_SIGN.get(sign, sign)
    return _make_matrix("signs", result.names, signs, missing=".")


def _find_sign(pair: PairResult, settings: Settings) -> str:
    """The sign of a pair by its test, the first system against the second."""
    if pair.n == 0:
        return "-"
    if not pair.decidable:
        return "?"
    if is_split(pair, settings.alpha):
        return "!"
    return _SIGN_OF_BETTER[pair.better]


def relations_table(results: Sequence[MetricResult]) -> Table:
    """Fig. 3 of Zhang and Vogel (2004): each system against each, a sign for every metric.

    ``>`` the system of the row is significantly better, ``<`` worse, ``~`` neither. The signs are
    in the order of the metrics.
    """
    signs = {}
    for pair in pairs_across(results):
        signs[pair.a, pair.b] = "".join(RELATIONS[decision] for decision in pair.decisions)
        signs[pair.b, pair.a] = "".join(RELATIONS[-decision] for decision in pair.decisions)
    unrelated = without_relation(results)
    names = [row.system for row in results[0].systems if row.system not in unrelated]
    return _make_matrix("relations", names, signs)


def without_relation(results: Sequence[MetricResult]) -> list[str]:
    """The systems that `relations_table` lacks: no pair of them is compared by all metrics."""
    paired: set[str] = set()
    for pair in pairs_across(results):
        paired |= {pair.a, pair.b}
    return [row.system for row in results[0].systems if row.system not in paired]


def _make_matrix(
    key: str,
    names: Sequence[str],
    cells: Mapping[tuple[str, str], Any],
    *,
    missing: Any = EMPTY,
    kind: str = "sign",
    form: str = "",
) -> Table:
    """Each system against each: a row has its number and name, a column its number."""
    numbers = [str(k) for k in range(1, len(names) + 1)]
    columns = [Column("number", "", "count"), Column("system", "system", "name")]
    columns += [Column(number, number, kind, form) for number in numbers]
    rows = []
    for k, name in enumerate(names, 1):
        row: list[Any] = [k, name]
        for column_name in names:
            if column_name == name:
                row.append(EMPTY)
            else:
                row.append(cells.get((name, column_name), missing))
        rows.append(tuple(row))
    return Table(key, tuple(columns), tuple(rows))


# -------------------------------------------------------------------------------------------------
# Pairs across metrics.


def across_table(results: Sequence[MetricResult], settings: Settings) -> Table:
    """Every pair under every metric, contradictions first.

    A row has the improvement by each metric with its significance, and whether the metrics agree.
    Files have all numbers of each metric, and its sign.
    """
    pairs = sorted(pairs_across(results), key=lambda pair: AGREEMENTS.index(pair.kind))
    table = TableBuilder("pairs-across", pairs)
    table.add("pair", "pair", "pair", lambda pair: (pair.a, pair.b))
    for index, result in enumerate(results):
        _add_metric_of_pairs(table, index, result, settings)
    table.add("together", "together", "text", attrgetter("kind"))
    return table.build()


def _add_metric_of_pairs(
    table: TableBuilder, index: int, result: MetricResult, settings: Settings
) -> None:
    """Add the columns of the metric that has this index in a `PairAcross`."""
    pairs = {frozenset((pair.a, pair.b)): pair for pair in result.pairs}

    def find(across: PairAcross) -> PairResult:
        return pairs[frozenset((across.a, across.b))]

    def get(field: str) -> Value:
        """The field of a pair by this metric, as its first system sees it."""
        return lambda across: getattr(view_pair(find(across), across.a, result, settings), field)

    metric = result.metric
    table.add(
        f"improvement_{metric}",
        metric_title(metric),
        "decided",
        lambda across: (across.improvements[index], across.decisions[index] != 0),
        form=choose_form(result),
    )
    kinds = {"ci": "interval", "p": "p", "adjusted_p": "p", "win": "share", "lose": "share"}
    for field, kind in kinds.items():
        table.add(f"{field}_{metric}", field, kind, get(field), where="files")
    table.add(
        f"segments_{metric}", "segments", "count", lambda across: find(across).n, where="files"
    )
    table.add(
        f"relation_{metric}",
        "relation",
        "sign",
        lambda across: across.relations[index],
        where="files",
    )


def pick_unlike(table: Table) -> Table:
    """The rows of an `across_table` with the pairs on which metrics do not agree."""
    kinds = table.values("together")
    return table.pick_rows(k for k, kind in enumerate(kinds) if kind in NOT_ALIKE)


# -------------------------------------------------------------------------------------------------
# Training runs.


def runs_table(comparison: AnyComparison, metric: str) -> Table:
    """The training runs of each system that has several.

    A row has their number, their SD with its interval, and their scores. A task has a table for
    each language pair, and one across them.
    """
    tables = {}
    for lang_pair, (testset_comparison, result) in select_lang_pairs(comparison, metric).items():
        tables[lang_pair] = _runs_table(result, testset_comparison.settings)
    if isinstance(comparison, TaskComparison) and metric in comparison.macro:
        first_comparison = next(iter(comparison.pairs.values()))
        tables["all pairs"] = _runs_table(comparison.macro[metric], first_comparison.settings)
    return _join_lang_pairs("runs", tables)


def _runs_table(result: MetricResult | MacroResult, settings: Settings) -> Table:
    rows = [row for row in result.runs if len(row.scores) > 1]
    all_scores = list(chain(*(row.scores for row in rows)))
    form = written_like(all_scores)
    table = TableBuilder("runs", rows)
    table.add("system", "system", "name")
    table.add("runs", "runs", "count", lambda row: len(row.scores))
    title = f"SD between runs, {write_level(settings)} CI"
    table.add("sd", title, "estimate", attrgetter("sd", "sd_low", "sd_high"), form=form)
    table.add(
        "scores",
        "scores of its runs",
        "text",
        lambda row: ", ".join(f"{score:{form}}" for score in row.scores),
    )
    return table.build()


def pair_runs_table(comparison: AnyComparison, metric: str) -> Table:
    """Standard errors of each difference, from the test set, from the runs, and from both."""
    tables = {}
    for lang_pair, (_, result) in select_lang_pairs(comparison, metric).items():
        form = choose_form(result)
        table = TableBuilder("pair-runs", result.pair_runs)
        table.add("pair", "pair", "pair", lambda row: (row.a, row.b))
        for key, title in _STANDARD_ERRORS.items():
            table.add(key, title, "score", attrgetter(key), form=form)
        tables[lang_pair] = table.build()
    return _join_lang_pairs("pair-runs", tables)


_STANDARD_ERRORS = {
    "se_testset": "SE of the test set",
    "se_runs": "SE between runs",
    "se_total": "SE of both",
}


def _join_lang_pairs(key: str, tables: Mapping[str, Table]) -> Table:
    """The tables of language pairs, one below the other."""
    if "" in tables:  # a single test set
        return tables[""]
    return join_tables(key, Column("language_pair", "language pair", "name"), tables)


def with_run_records(
    rows: Iterable[SystemResult | MacroSystem | PairResult | MacroPair],
    runs: Sequence[SystemRuns | PairRuns],
) -> Records:
    """Rows of CSV for systems or pairs, with the columns of their training runs.

    The scores of runs are not among these: `single_runs` has them.
    """

    def identify(record: Mapping[str, Any]) -> tuple[Any, ...]:
        return record.get("system"), record.get("a"), record.get("b")

    run_records: dict[tuple[Any, ...], dict[str, Any]] = {}
    for run in runs:
        run_record = asdict(run)
        run_record.pop("scores", None)
        run_records[identify(run_record)] = run_record
    records = []
    for row in rows:
        record = asdict(row)
        records.append(record | run_records.get(identify(record), {}))
    return records


def single_runs(result: MetricResult | MacroResult) -> Records:
    """Rows of CSV: the score of each training run."""
    records = []
    for row in result.runs:
        for run, score in enumerate(row.scores, 1):
            records.append({"system": row.system, "run": run, "score": score})
    return records


# -------------------------------------------------------------------------------------------------
# The contents of a test set.


_TEXTS = ("reference", "system", "training run", "source")


def inventory_table(testset: TestSet) -> Table:
    """The contents of a test set, and how much there is of each."""
    holdings = list_contents(testset)
    names = [row.name if row.gap is None else describe_gap(row.gap) for row in holdings]
    table = TableBuilder("inventory", holdings)
    table.add("role", "role", "name")
    table.add_values("name", "name", "name", names)
    for key in ("segments", "words", "characters", "empty", "repeated"):
        counts = [_get_count(row, key) for row in holdings]
        table.add_values(key, key, "count", counts)
    if testset.scores:
        n_scores = [EMPTY if row.scores is None else row.scores for row in holdings]
        table.add_values("scores", "scores", "count", n_scores)
    return table.build()


def _get_count(row: Holding, key: str) -> Any:
    """A count: None if it is unknown of a text, empty if it has no meaning in the row."""
    n = getattr(row, key)
    if n is None and row.role not in _TEXTS:
        return EMPTY
    return n


# -------------------------------------------------------------------------------------------------
# A shared task: systems by language pairs, the top group of each, where its metrics disagree.


def name_system(task: TaskInfo, name: str) -> str:
    """The name of a system for readers.

    In brackets are its name in print, and whether it is contrastive or a human translation.

    >>> name_system(TaskInfo("toy", "", (), {"s1": SystemInfo(display_name="Tower")}, (), {}, ()), "s1")
    's1 (Tower)'
    """
    info = task.systems.get(name, SystemInfo())
    words = list(info.labels)
    if info.display_name not in (None, name):
        words.insert(0, str(info.display_name))
    return _add_labels(name, words)


def name_in_print(task: TaskInfo, name: str) -> str:
    """The name of a system in a paper, and whether it is contrastive or a human translation."""
    info = task.systems.get(name, SystemInfo())
    print_name = info.display_name or name
    return _add_labels(print_name, info.labels)


def _add_labels(name: str, labels: Sequence[str]) -> str:
    if not labels:
        return name
    return f"{name} ({', '.join(labels)})"


def map_print_names(task: TaskInfo) -> dict[str, str]:
    """The name of each system in a paper, by its own name and by its name for readers."""
    names = {name: name_in_print(task, name) for name in task.systems}
    return names | {name_system(task, name): names[name] for name in task.systems}


def rank_table(comparison: TaskComparison, metric: str) -> Table:
    """The ranks of each system across the language pairs and in each of them, best first.

    With a baseline, its differences from the baseline; significant ones are marked.

    A row also has the number of language pairs in which the system has a score, its mean score,
    wins, ties and losses. Ranks that reach the first are marked, systems outside the constrained
    track are grey, and lines separate clusters.
    """
    lang_pairs = select_lang_pairs(comparison, metric)
    results = [result for _, result in lang_pairs.values()]
    macro = comparison.macro.get(metric)
    kind = "rank"
    title = "overall rank"
    map_cells = _map_ranks
    if comparison.baseline is not None:
        kind = "difference"
        title = "mean difference"
        map_cells = _map_differences
    results_by_key = dict(zip(map(_key_of, lang_pairs), results, strict=True))
    ranks_within = {key: map_cells(result) for key, result in results_by_key.items()}
    form = choose_form(results[0])
    systems = order_systems(comparison, metric)
    table = TableBuilder("ranking", systems)
    table.add("system", "system", "name", lambda system: name_system(comparison.task, system))
    if macro is not None:
        table.add("rank", title, kind, map_cells(macro).get, form=form)
    n_pairs = Counter(row.system for result in results for row in result.systems)
    table.add("n_pairs", "language pairs", "count", lambda system: n_pairs[system])
    for lang_pair, (key, ranks) in zip(lang_pairs, ranks_within.items(), strict=True):
        table.add(key, lang_pair, kind, ranks.get, form=form)
    if macro is not None:
        _add_means(table, macro, results)
    ranking = table.build(_find_cluster_rows(macro, results))
    columns = [replace(column, is_series=column.key in ranks_within) for column in ranking.columns]
    if comparison.baseline is None:
        marks = _find_first_ranks(ranking, ["rank", *ranks_within])
    else:
        marks = _find_significant(systems, results_by_key, macro)
    return replace(
        ranking,
        columns=tuple(columns),
        marks=marks,
        grey=find_unconstrained(systems, comparison.task.systems),
        legend=Legend(
            marked=describe_marked_ranks(comparison, metric),
            ruled=CLUSTERS,
            grey="not in the constrained track",
        ),
    )


def _key_of(lang_pair: str) -> str:
    """The key of the column of a part, which may be called as another column is."""
    if lang_pair in ("system", "rank", "n_pairs", "score", "wins", "ties", "losses"):
        return f"in {lang_pair}"
    return lang_pair


def _map_ranks(result: MetricResult | MacroResult) -> dict[str, Any]:
    return {row.system: _get_ranks(row) for row in result.systems}


def _map_differences(result: MetricResult | MacroResult) -> dict[str, Any]:
    """The improvement of each system over the baseline, which is b of each pair."""
    sign = 1 if result.higher_is_better else -1
    return {pair.a: sign * pair.delta for pair in result.pairs}


def _find_significant(
    systems: Sequence[str], within: Mapping[str, MetricResult], macro: MacroResult | None
) -> set[tuple[int, str]]:
    """Find the cells of systems that differ significantly from the baseline."""
    results: dict[str, Any] = dict(within)
    if macro is not None:
        results["rank"] = macro
    marks = set()
    for key, result in results.items():
        for pair in result.pairs:
            if pair.better is not None:
                marks.add((systems.index(pair.a), key))
    return marks


def _add_means(table: TableBuilder, macro: MacroResult, results: Sequence[MetricResult]) -> None:
    """Add the mean score of each system across language pairs, and its wins, ties and losses."""
    across = {row.system: row for row in macro.systems}
    judged = _find_judged_systems(results)

    def count(key: str) -> Value:
        return lambda system: getattr(across[system], key) if system in judged else None

    all_scores: list[float] = []
    for result in results:
        all_scores += [row.score for row in result.systems]
    form = written_like(all_scores)
    table.add("score", "mean score", "score", lambda system: across[system].score, form=form)
    for key in ("wins", "ties", "losses"):
        table.add(key, key, "count", count(key))
    if any(row.better_share is not None for row in macro.systems):
        table.add(
            "better_share",
            "systems above",
            "share",
            lambda system: across[system].better_share,
            form=".1%",
        )


def _find_judged_systems(results: Iterable[MetricResult]) -> set[str]:
    """The systems of the pairs that can be decided."""
    judged: set[str] = set()
    for result in results:
        for pair in result.tested:
            if pair.decidable or result.ruled is not None:
                judged |= {pair.a, pair.b}
    return judged


def _find_cluster_rows(macro: MacroResult | None, results: Sequence[MetricResult]) -> set[int]:
    """The ends of clusters across the language pairs, or in the only one."""
    if macro is not None:
        return cluster_ends(macro.systems)
    if len(results) == 1:
        return cluster_ends(results[0].systems)
    return set()


def _find_first_ranks(table: Table, keys: Collection[str]) -> set[tuple[int, str]]:
    marks = set()
    for key in keys:
        if table.has(key):
            for row, ranks in enumerate(table.values(key)):
                if ranks is not None and ranks[0] == 1:
                    marks.add((row, key))
    return marks


def find_unconstrained(systems: Sequence[str], infos: Mapping[str, SystemInfo]) -> set[int]:
    """Find the rows of systems that are known not to be in the constrained track.

    The result is empty if no system is in that track. Systems of unknown track and human
    translations are in no track.
    """
    if not any(info.constrained for info in infos.values()):
        return set()
    rows = set()
    for row, name in enumerate(systems):
        info = infos.get(name)
        if info is not None and info.constrained is False and info.kind != "human":
            rows.add(row)
    return rows


def tops_table(comparison: TaskComparison, metric: str) -> Table:
    """The top group of each language pair, best first, or why no system is ranked there.

    Where the ranks follow another rule, also the top group by simultaneous rank ranges.
    """
    rule = find_metric_rule(comparison, metric)
    lang_pairs = select_lang_pairs(comparison, metric)
    table = TableBuilder("first", lang_pairs)
    table.add("language_pair", "language pair", "name", str)
    table.add(
        "first",
        name_first_place(rule),
        "text",
        lambda lang_pair: _write_first(*lang_pairs[lang_pair]),
    )
    if rule.name != "simultaneous":
        first_by_ranges = [_write_first_by_ranges(result) for _, result in lang_pairs.values()]
        title = "top group by simultaneous rank ranges"
        table.add_values("first_simultaneous", title, "text", first_by_ranges)
    return table.build()


def _write_first(comparison: Comparison, result: MetricResult) -> str:
    first = list_first(result.systems)
    if first:
        return ", ".join(first)
    reason = explain_no_ranks(comparison, result)
    if not reason:
        return "no system is ranked"
    return f"no system is ranked ({reason})"


def _write_first_by_ranges(result: MetricResult) -> str:
    first: Sequence[str] = list_first(result.systems)
    if result.ruled is not None:
        first = result.ruled.first_held
    return ", ".join(first) or "no system is ranked"


class _DisputeRow(NamedTuple):
    """A row of `dispute_counts_table`, with the disputes that it counts together."""

    title: str
    disputes: Sequence[Disputed]

    def count_pairs(self) -> int:
        return sum(len(dispute.pairs) for dispute in self.disputes)

    def count_kind(self, kind: str) -> int:
        return sum(dispute.count(kind) for dispute in self.disputes)

    def count_alone(self, metric: str) -> int | None:
        """The number of pairs that only this metric decides; None where nothing has the metric."""
        with_metric = [dispute for dispute in self.disputes if metric in dispute.metrics]
        if not with_metric:
            return None
        return sum(dispute.count_alone(metric) for dispute in with_metric)


def _list_dispute_rows(disputed: Sequence[Disputed]) -> list[_DisputeRow]:
    within = [dispute for dispute in disputed if dispute.language_pair is not None]
    across = [dispute for dispute in disputed if dispute.language_pair is None]
    rows = [_DisputeRow(str(dispute.language_pair), [dispute]) for dispute in within]
    if len(within) > 1:
        rows.append(_DisputeRow("sum of the language pairs", within))
    rows += [_DisputeRow(f"{ACROSS}, by mean difference", [dispute]) for dispute in across]
    return rows


def dispute_counts_table(disputed: Sequence[Disputed]) -> Table:
    """Numbers of pairs of systems by how their metrics agree, and of those that one metric decides.

    There is a row for each language pair, one for their sum, and one for the decisions on mean
    differences across them.
    """
    rows = _list_dispute_rows(disputed)
    table = TableBuilder("disagreement", rows)
    table.add("language_pair", "language pair", "name", attrgetter("title"))
    table.add("n_pairs", "pairs of systems", "count", _DisputeRow.count_pairs)
    kinds = {AGREE: "alike"} | {kind: kind for kind in reversed(NOT_ALIKE)}
    if any(dispute.count(UNDECIDED) for dispute in disputed):
        kinds[UNDECIDED] = UNDECIDED
    for kind, title in kinds.items():
        counts = [row.count_kind(kind) for row in rows]
        table.add_values(kind.replace(" ", "_"), title, "count", counts)
    for metric in _list_metrics(disputed):
        n_alone = [row.count_alone(metric) for row in rows]
        table.add_values(f"only_{metric}", f"only {metric_title(metric)}", "count", n_alone)
    return table.build()


def _list_metrics(disputed: Sequence[Disputed]) -> list[str]:
    return list(dict.fromkeys(chain(*(dispute.metrics for dispute in disputed))))


def disputed_pairs_table(disputed: Sequence[Disputed]) -> Table:
    """The pairs of systems on which the metrics do not agree, contradictions first.

    The improvement of a over b by each metric, and whether it is significant.
    """
    rows = list_disputed_pairs(disputed)
    pairs = [pair for _, pair in rows]
    lang_pairs = [dispute.language_pair or ACROSS for dispute, _ in rows]
    table = TableBuilder("disputed-pairs", pairs)
    table.add_values("language_pair", "language pair", "name", lang_pairs)
    table.add("a", "a", "name")
    table.add("b", "b", "name")
    table.add("together", "together", "text", attrgetter("kind"))
    for metric in _list_metrics(disputed):
        decisions = [_find_decision(dispute, pair, metric) for dispute, pair in rows]
        form = written_like(_list_improvements(disputed, metric))
        table.add_values(metric, metric_title(metric), "decided", decisions, form=form)
    return table.build()


def _list_improvements(disputed: Sequence[Disputed], metric: str) -> list[float]:
    """The improvements of all pairs by a metric, disputed or not."""
    improvements = []
    for dispute in disputed:
        if metric in dispute.metrics:
            index = dispute.metrics.index(metric)
            improvements += [pair.improvements[index] for pair in dispute.pairs]
    return improvements


def _find_decision(dispute: Disputed, pair: PairAcross, metric: str) -> tuple[float, bool] | None:
    """The improvement by a metric, and whether it is significant; None without that metric."""
    if metric not in dispute.metrics:
        return None
    index = dispute.metrics.index(metric)
    return pair.improvements[index], pair.decisions[index] != 0


def list_disputed_pairs(disputed: Sequence[Disputed]) -> list[tuple[Disputed, PairAcross]]:
    """The pairs of systems on which metrics do not agree, contradictions first."""
    disputed_pairs = []
    for kind in NOT_ALIKE:
        for dispute in disputed:
            disputed_pairs += [(dispute, pair) for pair in dispute.pairs if pair.kind == kind]
    return disputed_pairs
