"""`replicate`: do printed scores come out here, digit by digit, and where not, which setting would give them?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from mtsig_core.data.readers.official_tables import OfficialTable
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import InputError, MtsigError
from mtsig_core.inference.replicate_settings import Column, Found, explained, scored_by
from mtsig_core.metrics import METRICS, metric_of

__all__ = ["Part", "Replication", "ScoreBeside", "TaskReplication", "replicate", "replicate_task"]

_SAME = {"chrf2": "chrf", "chrf2++": "chrf++", "sacrebleu": "bleu", "mbleu": "m-bleu"}

@dataclass(frozen=True)
class ScoreBeside:
    """A printed score beside ours.

    Attributes
    ----------
    system, metric : str
        As they are called here.
    called, column : str
        As the table calls them.
    printed : str
        Digit by digit.
    score : float
        Ours, in points.
    agrees : bool
        Whether ours, rounded to as many decimals, is the printed one.
    setting : str or None
        What would give the printed number, if anything that was tried does.
    signature : str or None
        Of the metric under that setting.
    gives : int or None
        How many numbers of the whole table come out with that setting, those that come out as it is included.
    """

    system: str
    called: str
    metric: str
    column: str
    printed: str
    score: float
    agrees: bool
    setting: str | None = None
    signature: str | None = None
    gives: int | None = None


@dataclass(frozen=True)
class Replication:
    """The answer of `replicate`.

    Attributes
    ----------
    rows : tuple of ScoreBeside
        By metric, as the table has them.
    only_here, only_there : tuple of str
        Systems of one of the two alone.
    not_compared : tuple of str
        Columns of the table that are no metric that this test set can be scored with.
    by_rule : mapping of str to str
        What the table calls systems and metrics -> what they are here, where the names are not the same letters.
    by_suffix : mapping of str to str
        What the table calls metrics -> metric and references, where the end of the name says which references score.
    tried : int
        Settings tried for numbers that do not come out, for the metric with the most.
    n_numbers : int
        How many numbers the whole table has that are compared; of a task those of all language pairs.
    """

    rows: tuple[ScoreBeside, ...]
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    not_compared: tuple[str, ...]
    by_rule: dict[str, str]
    by_suffix: dict[str, str]
    tried: int
    n_numbers: int


@dataclass(frozen=True)
class TaskReplication:
    """The answer of `replicate_task`.

    Attributes
    ----------
    pairs : mapping of str to Replication
        By language pair.
    only_here, only_there : tuple of str
        Language pairs of one of the two alone.
    by_rule : mapping of str to str
        What the table calls language pairs -> what they are here, where the names are not the same letters.
    """

    pairs: Mapping[str, Replication]
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    by_rule: Mapping[str, str]


#: A test set; and the same with all its references and the canary line, which are tried too.
Part = tuple[TestSet, TestSet]


def replicate(testset: TestSet, table: OfficialTable, whole: TestSet | None = None, *, lowercase: bool = False,
              progress: Callable[[str, float], None] | None = None) -> Replication:
    """Printed scores beside those of a test set.

    A system or metric is the one of the same name; or else the one whose name is the same without case, spaces, dots,
    dashes and underscores, if there is just one. A metric may end in what scores it, as WMT writes it: bleu-all is BLEU
    with all references jointly, chrf-refA and chrf-A are chrF with refA. For numbers that do not come out each of these
    is tried alone, and then, if none gives all of a column, any two together: tokenizer, references (each alone, and
    all jointly), case, what TER normalizes, chrF++ for chrF, the canary line kept, the mean over domains; and the score
    printed as a share of 1 or with the other sign. The setting that gives the most of them, over all columns, is taken
    first; of several the one that gives the most numbers of the table, and of these the one with the fewest changes.

    Parameters
    ----------
    testset : TestSet
    table : OfficialTable
    whole : TestSet, optional
        The same with all its references and the canary line, which are tried too.
    lowercase : bool
        Whether case is ignored, for metrics that can.
    progress : callable, optional
        Called with (stage, share of it done).

    Examples
    --------
    >>> from mtsig_core.data.readers.official_tables import official_table
    >>> ts = TestSet("toy", {"A": ["the cat sat down"] * 2}, {"ref": ["The cat sat down"] * 2})
    >>> [(row.agrees, row.setting) for row in replicate(ts, official_table("system,BLEU\\nA,100.0")).rows]
    [(False, 'lowercased')]
    """
    found = _replicate({"": (testset, testset if whole is None else whole)}, {"": table}, lowercase, progress)
    if not found[""].rows:
        raise _nothing_in_common(table, "system", table.systems, testset.systems)
    return found[""]


def replicate_task(read: Callable[[str], Part], pairs: Iterable[str], tables: Mapping[str, OfficialTable], *,
                   progress: Callable[[str, float], None] | None = None) -> TaskReplication:
    """Printed scores of a whole shared task beside those of its test sets; a setting is chosen by the whole table.

    Parameters
    ----------
    read : callable
        Language pair -> its test set, and that with all references and the canary line; of those asked for alone.
    pairs : iterable of str
        The language pairs of the task. One of the table is that of the same name, by the rule of `replicate`.
    tables : mapping of str to OfficialTable
        By language pair, as the table calls it.
    progress : callable, optional
        Called with (stage, share of it done).
    """
    pairs = list(pairs)
    here, by_rule = _matched(tables, pairs)
    parts = {here[name]: read(here[name]) for name in tables if name in here}
    found = _replicate(parts, {here[name]: tables[name] for name in tables if name in here}, False, progress)
    if not any(of.rows for of in found.values()):
        table = next(iter(tables.values()))
        raise _nothing_in_common(table, "language pair", tables, pairs) if not found else \
            _nothing_in_common(table, "system", dict.fromkeys(name for one in tables.values() for name in one.systems),
                               dict.fromkeys(name for testset, _ in parts.values() for name in testset.systems))
    return TaskReplication(found, tuple(pair for pair in pairs if pair not in found),
                           tuple(name for name in tables if name not in here), by_rule)


def _replicate(parts: Mapping[str, Part], tables: Mapping[str, OfficialTable], lowercase: bool,
               progress: Callable[[str, float], None] | None) -> dict[str, Replication]:
    """By language pair."""
    columns: list[Column] = []
    named: list[tuple[str, str, str]] = []  # of each column: language pair, metric, what the table calls it
    known: dict[str, tuple[dict[str, str], dict[str, str], dict[str, str]]] = {}
    for k, (pair, (testset, whole)) in enumerate(parts.items()):
        if progress is not None:
            progress(f"{pair}: scoring".removeprefix(": "), k / len(parts))
        systems, by_rule = _matched(tables[pair].systems, testset.systems)
        metrics, also = _matched(tables[pair].columns, dict.fromkeys((*METRICS, *testset.scores)))
        suffixed = _suffixed([called for called in tables[pair].columns if called not in metrics], testset, whole)
        metrics |= {called: name for called, (name, _) in suffixed.items()}
        known[pair] = systems, {**also, **by_rule}, {
            called: f"{name} with {' and '.join(references)}" if references else name
            for called, (name, references) in suffixed.items()}
        for called, printed in tables[pair].columns.items():
            try:
                references = suffixed[called][1] if called in suffixed else ()
                others = references and set(references) != {*testset.references}
                scored = scored_by(testset, whole.only(testset.systems.keys() & whole.systems.keys()), references) \
                    if others else testset
                metric = metric_of(scored, metrics[called], **{"lowercase": True} if lowercase else {})
                columns.append(Column(scored, whole, metric, systems, printed, lowercase))
            except (KeyError, MtsigError):  # it is no metric here, or lacks what it needs, such as parses
                continue
            named.append((pair, metrics[called], called))
    found = explained(columns, None if progress is None else partial(progress, "trying settings"))
    done = {}
    for pair, (testset, _) in parts.items():
        own = [(k, metric, called) for k, (of, metric, called) in enumerate(named) if of == pair]
        rows = tuple(_row(columns[k], metric, called, name, found.get((k, name)))
                     for k, metric, called in own for name in columns[k].printed)
        (systems, by_rule, by_suffix), table = known[pair], tables[pair]
        compared, there = [called for *_, called in own], {row.called for row in rows}
        done[pair] = Replication(
            rows, tuple(name for name in testset.systems if name not in systems.values()),
            tuple(name for name in table.systems if name not in systems),
            tuple(called for called in table.columns if called not in compared),
            {name: here for name, here in by_rule.items() if name in there or name in table.columns},
            {name: here for name, here in by_suffix.items() if name in compared},
            max((columns[k].tried for k, *_ in own if columns[k].crosses), default=0),
            sum(len(column.printed) for column in columns))
    return done


def _nothing_in_common(table: OfficialTable, what: str, there: Iterable[str], here: Iterable[str]) -> InputError:
    """Of a table that has no score by a system and a metric that are here."""
    def few(names: Iterable[str]) -> str:
        names = list(names)
        return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") or "none"

    return InputError(f"{table.name} has no score that can be set beside those here. Expected a column {what} with "
                      f"names that are scored here ({few(here)}), and columns named as metrics, such as BLEU. It has "
                      f"the {what}s {few(there)} and the metrics {few(table.columns)}.")


def _row(column: Column, metric: str, called: str, name: str, found: Found | None) -> ScoreBeside:
    system = column.systems[name]
    return ScoreBeside(system, name, metric, called, column.printed[name], column.scores[system], name in column.agree,
                       *((found.said, found.signature, found.gives) if found is not None else ()))


def _matched(names: Iterable[str], ours: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What each name is here; and of these the ones that are not the same letters."""
    names, ours = list(names), list(ours)
    exact = {name: name for name in names if name in ours}
    by_key: dict[str, list[str]] = {}
    for name in ours:
        if name not in exact:
            by_key.setdefault(_key(name), []).append(name)
    rest = [name for name in names if name not in exact]
    keys = [_key(name) for name in rest]
    by_rule = {name: by_key[key][0] for name, key in zip(rest, keys, strict=True)
               if len(by_key.get(key, ())) == 1 and keys.count(key) == 1}
    return exact | by_rule, by_rule


def _suffixed(names: Iterable[str], testset: TestSet, whole: TestSet) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Names of metrics that end in what scores them, such as bleu-all, chrf-refA and COMET-A: the metric here, and the
    references, none for scores that were given."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name in names:
        base, _, suffix = name.rpartition("-")
        ours = _matched([base], dict.fromkeys((*METRICS, *testset.scores)))[0].get(base)
        by_suffix = [one for one in whole.references if _key(one) in (_key(suffix), f"ref{_key(suffix)}")]
        references = tuple(whole.references) if suffix.lower() == "all" else tuple(by_suffix[:1])
        if ours is None:
            continue
        if ours in testset.scores and (references or re.fullmatch("all|(ref)?[a-z]", _key(suffix))):
            found[name] = ours, ()
        elif ours in METRICS and references:
            found[name] = ours, references
    return found


def _key(name: str) -> str:
    plain = re.sub(r"[\s._-]+", "", name.casefold())
    return re.sub(r"[\s._-]+", "", _SAME.get(plain, plain))
