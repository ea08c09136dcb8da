"""Find the roles of the columns of a table of scores: by name, from the user, or by a question.

A table either has a row for each score, with columns for the system, the line and the score; or it
has a row for each line, with a column for each system.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown
from mtsig_core.languages import is_langpair
from mtsig_core.readers.cells import has_number, is_number
from mtsig_core.readers.columns import (
    EXPECTED_COLUMNS,
    NAMES,
    InputTable,
    check_unique,
    find_column,
    find_columns,
    show_names,
)
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.lines import read_table
from mtsig_core.readers.wide_tables import (
    SEPARATOR,
    clean_wide_table,
    find_asides,
    guess_documents,
    guess_lines,
    guess_systems,
    list_measures,
    list_numeric,
    take_systems,
)
from mtsig_core.testset import show_name

#: What the user may say that a column holds.
COLUMN_ROLES = ("system", "line", "score", "rater", "docid", "domain", "langpair")
#: What the user may say that several columns hold: the scores of a system each.
SYSTEMS = "systems"


# As the user says.


def name_columns(table: InputTable, columns: Mapping[str, str]) -> InputTable:
    """Rename the columns of a table to their usual names, as the user specifies.

    Other columns with the same roles are left out.
    """
    if not columns:
        return table
    for role in columns:
        if role not in (*COLUMN_ROLES, SYSTEMS):
            raise explain_unknown("kind of column", role, (*COLUMN_ROLES, SYSTEMS))
    if SYSTEMS in columns:
        return _name_wide_columns(table, columns)
    role_of: dict[str, str] = {}
    for role, name in columns.items():
        first = role_of.setdefault(name, role)
        if first != role:
            raise SettingError(
                f"The column {show_name(name)!r} is given as {first} and as {role}. Give a column of its "
                "own to each."
            )
    for name in role_of:
        table.check_column(name)
    usual = _list_usual_names(role for role in COLUMN_ROLES if role not in columns)
    places = []
    for k, name in enumerate(table.header):
        if name in role_of or name.lower() in usual:
            places.append(k)
    selected = table.select(places)
    return replace(selected, header=[role_of.get(name, name) for name in selected.header])


def _name_wide_columns(table: InputTable, columns: Mapping[str, str]) -> InputTable:
    """The table with only the columns of systems that the user names, and those with a role."""
    for role in ("system", "score"):
        if role in columns:
            raise SettingError(
                f"The columns of systems are given, and a column of {role}s. Expected a column for each "
                f"system, or one of systems and one of scores. Give only one of {SYSTEMS} and {role}."
            )
    role_of = {name: role for role, name in columns.items() if role != SYSTEMS}
    usual = _list_usual_names(role for role in COLUMN_ROLES if role not in ("system", "score"))
    with_role = {*role_of, *(name for name in table.header if name.lower() in usual)}
    selected = take_systems(table, columns[SYSTEMS], with_role)
    return replace(
        selected,
        header=[role_of.get(name, name) for name in selected.header],
        told_systems=set(selected.header) - with_role,
    )


def _list_usual_names(roles: Iterable[str]) -> set[str]:
    return set().union(*(NAMES[role] for role in roles))


# By their names.


class ScoreLayout(NamedTuple):
    """A table of scores, and what its columns hold."""

    table: InputTable  # of one language pair, without columns that hold no scores
    places: dict[str, int]  # of columns by role; without the columns of systems
    assumed: list[Assumption]


def find_layout(
    table: InputTable, metric: str, known: Collection[str], langpair: str | None
) -> ScoreLayout:
    """The rows of a language pair of a table, and what its columns hold.

    Parameters
    ----------
    table : InputTable
    metric : str
        The name of the scores.
    known : collection of str
        The systems and references of the texts; empty without texts.
    langpair : str, optional

    Raises
    ------
    InputError
        If the table has no scores of systems, or it is not clear which column holds what.
    """
    _refuse_pairwise(table, known)
    table, assumed = _clean_table(_take_langpair(table, langpair), metric, known)
    return ScoreLayout(table, _find_places(table, metric, known), assumed)


_WINNER = re.compile(
    r"winner|preferred|preference|prefers?|choice|chosen|verdict|vote|better|label"
)
_ONE_OF_TWO = re.compile(
    r"(system|model|sys|output|translation|mt|response|hyp|hypothesis|candidate|answer)_?([ab12])"
)


def _refuse_pairwise(table: InputTable, known: Collection[str]) -> None:
    """Refuse a table of pairwise judgements, because it has no score of a single system."""
    if any(name in known for name in table.header):
        return
    sides: dict[str, set[str]] = {}
    has_winner = False
    for k, title in enumerate(table.header):
        name = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
        has_winner = has_winner or _WINNER.fullmatch(name) is not None
        match = _ONE_OF_TWO.fullmatch(name)
        if match is not None and not list_numeric(table, [k]):
            sides.setdefault(match[1], set()).add(match[2])
    kinds = set()
    for kind, signs in sides.items():
        if signs >= {"a", "b"} or signs >= {"1", "2"}:
            kinds.add(kind)
    if kinds and (has_winner or kinds & {"system", "model", "sys"}):
        raise InputError(
            f"{table.name} has pairwise judgements (columns {show_names(table.header)}). mtsig does not "
            "read these: it needs a score for each system and segment. Expected the columns system, line "
            "and score."
        )


def list_pairs(table: InputTable) -> list[str]:
    """The language pairs that a table names, in its order; empty where it names none."""
    place = find_column(table.header, "langpair")
    return [] if place is None else table.list_values(place)


def _take_langpair(table: InputTable, langpair: str | None) -> InputTable:
    """The rows of a language pair, without the column that names it.

    All rows where the table has no such column.
    """
    place = find_column(table.header, "langpair")
    pairs = list_pairs(table)
    if place is None or not all(map(is_langpair, pairs)):
        return table
    if langpair is None and len(pairs) > 1:
        raise InputError(
            f"{table.name} has scores of {len(pairs)} language pairs (column "
            f"{show_name(table.header[place])}: {show_names(pairs)}). Expected one language pair. Choose "
            "it, or put its rows in a file of its own.",
            {"langpair": pairs[0]},
        )
    if langpair is not None and langpair not in pairs:
        raise InputError(
            f"{table.name} has no scores of {show_name(langpair)}. It has: {show_names(pairs)}.",
            {"langpair": pairs[0]},
        )
    if langpair is not None:
        rows = [(row, cells) for row, cells in table.rows if str(cells[place]).strip() == langpair]
        left_out = {key: n for key, n in table.left_out.items() if key[0] == langpair}
        checks = {pair: checks for pair, checks in table.checks.items() if pair == langpair}
        table = replace(table, rows=rows, left_out=left_out, checks=checks)
    return table.select([k for k in range(len(table.header)) if k != place])


def _clean_table(
    table: InputTable, metric: str, known: Collection[str]
) -> tuple[InputTable, list[Assumption]]:
    """A table with a column for each system without other columns, and what was assumed.

    Another table stays as it is, and one with a column whose content is to be asked.
    """
    places, is_long = _find_usual(table, metric, known)
    if is_long or table.told_systems:
        return table, []
    columns = _list_unassigned(table, places)
    names_with_role = {name for k, name in enumerate(table.header) if k not in columns}
    cleaned, assumed = clean_wide_table(table, columns, metric, known)
    for k, name in enumerate(cleaned.header):
        if name not in names_with_role:
            is_text_without_name = not name and not list_numeric(cleaned, [k])
            if is_text_without_name or _is_text(cleaned, k):
                return table, []
    return cleaned, assumed


def _list_unassigned(table: InputTable, places: Mapping[str, int]) -> list[int]:
    """The columns that may hold scores, as they have no other role."""
    assigned = {place for role, place in places.items() if role != "score"}
    return [k for k in range(len(table.header)) if k not in assigned]


def _find_usual(
    table: InputTable, metric: str, known: Collection[str]
) -> tuple[dict[str, int], bool]:
    """Find columns by role from their names, and whether the table has a row for each score."""
    header = table.header
    places = find_columns(header, ("system", "line", "score", "docid", "domain", "rater", "slot"))
    _drop_row_ids(table, places)
    if "system" in places or metric.lower() in map(str.lower, header):
        places.pop("score", None)
        score = table.find_score(metric)
        if score is not None:
            places["score"] = score
    if "system" in places:
        return places, True
    if "score" not in places:
        return places, False
    title = header[places["score"]]
    is_no_system = bool(known) and title not in known
    return places, is_no_system or title.lower() in ("score", "scores")


#: Columns of these names count the rows of some programs, such as the tasks of Label Studio, not
#: segments.
_WEAK_LINES = ("id", "index")


def _drop_row_ids(table: InputTable, places: dict[str, int]) -> None:
    """Take the role of lines from a column of ids of rows.

    Such an id is different in each row, although there are several systems.
    """
    if "system" not in places or "line" not in places or table.n_lines is not None:
        return
    if table.header[places["line"]].lower() not in _WEAK_LINES:
        return
    n_rows = len(table.rows)
    n_systems = len(set(table.list_words(places["system"])))
    n_ids = len(set(table.list_words(places["line"])))
    if n_systems > 1 and n_ids == n_rows and n_rows >= 2 * n_systems:
        del places["line"]


def _find_places(table: InputTable, metric: str, known: Collection[str]) -> dict[str, int]:
    """The columns of a table by role; no system and no score where each other is of a system."""
    places, is_long = _find_usual(table, metric, known)
    columns = _list_unassigned(table, places)
    _check_titles(table, known, has_roles=bool(places.keys() - {"domain"}))
    if is_long and not table.told_systems:
        _complete_long_places(table, places, columns)
        return places
    _check_wide_table(table, known, columns)
    places.pop("score", None)
    return places


def _complete_long_places(
    table: InputTable, places: dict[str, int], columns: Sequence[int]
) -> None:
    """Add the column of scores where it is the only one of numbers; ask about what is missing."""
    if places.keys() >= {"system", "line"} and "score" not in places:
        measures = list_measures(table, columns)
        if len(measures) == 1:
            places["score"] = measures[0]
    needed = ["system", "line", "score"] if table.n_lines is None else ["system", "score"]
    missing = [role for role in needed if role not in places]
    if not missing:
        return
    row_ids = find_column(table.header, "line")
    if missing[0] == "line" and row_ids is not None:
        raise _ask_line(table, places["system"], table.header[row_ids])
    if table.n_lines is None and len(set(places.values())) < len(table.header):
        raise _ask_roles(table)
    raise InputError(
        f"{table.name} has no column {missing[0]!r}. It has: {show_names(table.header)}. {EXPECTED_COLUMNS}"
    )


_ONCE = {"line": "number the lines", "docid": "name documents", "domain": "name domains"}


def _check_wide_table(table: InputTable, known: Collection[str], columns: Sequence[int]) -> None:
    """Raise InputError unless each of the columns can be of a system."""
    name = table.name
    header = table.header
    for role, words in _ONCE.items():
        titles = [title for title in header if title.lower() in NAMES[role]]
        if len(titles) > 1:
            raise InputError(
                f"{name} has {show_names(titles)}, each of which may {words}. Remove all but one."
            )
    _refuse_percents(table, columns)
    if any(_is_text(table, k) for k in columns):
        raise _ask_roles(table)
    if known and not any(header[k] in known for k in columns):
        raise InputError(
            f"{name} has neither a column 'system' nor one that is named after a system. "
            f"It has: {show_names(header)}. {EXPECTED_COLUMNS}"
        )
    if "" in header:
        if _may_be_of_systems(table):
            raise _ask_roles(table)
        raise InputError(
            f"{name}: column {header.index('') + 1} has no name. If it is the pandas index, save the table with "
            "index=False. If it is a system, write its name."
        )


def _check_titles(table: InputTable, known: Collection[str], *, has_roles: bool) -> None:
    """Refuse a first row of scores in place of names, and a name that comes twice."""
    header = table.header
    if not has_roles and any(has_number(title) and title not in known for title in header):
        raise InputError(
            f"{table.name} begins with {show_names(header)}, which is a row of scores. Expected the names "
            "of the columns first. Add a first row of names, such as system, line, score. (A file of "
            "mt-metrics-eval has no names. Give it under its own name, which ends in .seg.score.)"
        )
    check_unique(table.name, header)


_TEXT_NAMES = {"", *NAMES["source"], *NAMES["reference"], *NAMES["output"]}


def _is_text(table: InputTable, column: int) -> bool:
    """Whether a column has no numbers, and its name is not a known name of a column of texts."""
    if len(table.rows) < 2 or table.header[column].lower() in _TEXT_NAMES:
        return False
    return not any(map(is_number, table.list_cells(column)))


def _refuse_percents(table: InputTable, columns: Iterable[int]) -> None:
    """Refuse scores written as percents, because 0.8 next to 80% may be on either scale."""
    for k in columns:
        for row, cells in table.rows:
            text = str(cells[k]).strip()
            if re.fullmatch(r"-?\d{1,15}([.,]\d{1,15})?\s*%", text):
                raise InputError(
                    f"{table.locate(row)}, column {show_name(table.header[k])}: the score is {text!r}. "
                    "Expected a number such as 0.83. Remove the percent signs."
                )


# To be asked.


def _ask_line(table: InputTable, system: int, row_ids: str) -> InputError:
    """The error that asks for the column of lines, where a column of ids names the rows."""
    line = guess_lines(table, system)
    column = "NAME" if line is None else table.header[line]
    return InputError(
        f"{table.name}: the column {show_name(row_ids)} has a different value in each row, so it names rows and "
        f"not segments. Which column names the segment that several systems translated? It has: "
        f"{show_names(table.header)}.",
        {"columns": f"line={column}"},
    )


def _ask_roles(table: InputTable) -> InputError:
    """The error that asks which column holds what."""
    header = table.header
    of_systems = ""
    if _may_be_of_systems(table):
        of_systems = (
            " If each row is a system, these are published scores, not scores of segments: give the file by "
            "--official, or to 'Compare with published scores'."
        )
    remedies = []
    system_name = line_name = "NAME"
    system = find_column(header, "system")
    if system is not None:
        system_name = header[system]
        line = guess_lines(table, system)
        if line is not None:
            line_name = header[line]
    else:  # where a column names the systems, columns of numbers are metrics
        systems = guess_systems(table, [k for k, name in enumerate(header) if name])
        if systems:
            columns = f"{SYSTEMS}={SEPARATOR.join(header[k] for k in systems)}"
            documents = guess_documents(table, [k for k in range(len(header)) if k not in systems])
            if documents is not None:
                columns += f",docid={header[documents]}"
            remedies.append({"columns": columns})
    remedies.append({"columns": f"system={system_name},line={line_name},score=NAME"})
    names = show_names(name or "one without a name" for name in header)
    return InputError(
        f"{table.name}: I found the columns {names}. Which is the system, the line, the score? Rename "
        f"them to system, line and score.{of_systems}",
        *remedies,
    )


def _may_be_of_systems(table: InputTable) -> bool:
    """Whether the first column of texts may name the systems, each once, and none the lines."""
    if find_column(table.header, "line") is not None:
        return False
    for k in range(len(table.header)):
        cells = table.list_cells(k)
        if not any(map(is_number, cells)):
            return 1 < len(cells) == len(set(map(str, cells)))
    return False


@dataclass(frozen=True)
class ScoreColumns:
    """The columns of a table of scores, for the user, who says what they hold."""

    names: tuple[str, ...]
    first_rows: tuple[tuple[str, ...], ...]
    guesses: Mapping[str, str]  # by what it seems to hold, the name of a column
    usual: frozenset[str]  # what columns hold by their names
    langpairs: Mapping[str, tuple[str, ...]]  # by the names of columns of language pairs
    weights: Mapping[str, float]  # of MQM's errors
    is_unclear: bool  # whether the names do not say which is the system, the line, the score
    numeric: tuple[str, ...] = ()  # columns that could be of a system each
    systems: tuple[str, ...] = ()  # those that seem to be; empty where a row is of a system
    asides: tuple[str, ...] = ()  # the other columns, with what they hold


_N_SHOWN = 5  # rows that show what columns hold


def describe_columns(source: FilePath, metric: str, known: Collection[str] = ()) -> ScoreColumns:
    """The columns of a table of scores called `metric`, before they are read as scores.

    `known` are the systems of the texts with it.
    """
    table = read_table(source).count_truths()
    header = table.header
    n_values: dict[str, int] = {}
    langpairs: dict[str, tuple[str, ...]] = {}
    for k, name in enumerate(header):
        if name:
            values = table.list_values(k)
            if values and all(map(is_langpair, values)):
                langpairs[name] = tuple(values)
            else:
                n_values[name] = len(values)
    places = find_columns(header, COLUMN_ROLES)
    _drop_row_ids(table, places)
    usual = frozenset(places)
    langpair = None
    if "langpair" in places:
        pairs = langpairs.get(header[places["langpair"]])
        langpair = pairs[0] if pairs else None
    is_unclear = _is_unclear(table, metric, known, langpair)
    if is_unclear:
        if langpairs:
            places.setdefault("langpair", header.index(next(iter(langpairs))))
        _guess_places(table, metric, places, n_values)
    numeric, systems, asides = _describe_wide(table, metric, known)
    if systems and is_unclear:
        documents = guess_documents(
            table, [k for k, name in enumerate(header) if name not in systems]
        )
        if documents is not None:
            places["docid"] = documents
    return ScoreColumns(
        tuple(header),
        tuple(tuple(map(str, cells)) for _, cells in table.rows[:_N_SHOWN]),
        {role: header[k] for role, k in places.items()},
        usual,
        langpairs,
        table.weights,
        is_unclear,
        numeric,
        systems,
        asides,
    )


def _is_unclear(
    table: InputTable, metric: str, known: Collection[str], langpair: str | None
) -> bool:
    """Whether the user has to give the roles of the columns.

    Other faults of a table are reported when the table is read.
    """
    if not table.rows:
        return False
    try:
        find_layout(table, metric, known, langpair)
    except InputError as error:
        return any("columns" in remedy for remedy in error.remedies)
    return False


def _describe_wide(
    table: InputTable, metric: str, known: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Which columns could be of a system each, which seem to be, and what the others hold.

    Nothing of a table with a row for each score.
    """
    places, is_long = _find_usual(table, metric, known)
    if is_long or not table.rows:
        return (), (), ()
    header = table.header
    columns = [k for k in _list_unassigned(table, places) if header[k]]
    numeric = tuple(header[k] for k in list_numeric(table, columns))
    systems = guess_systems(table, columns, known)
    if not systems:
        return numeric, (), ()
    asides = find_asides(table, columns, known).items()
    described = tuple(f"{header[k]} ({content})" for k, content in asides)
    return numeric, tuple(header[k] for k in systems), described


def _guess_places(
    table: InputTable, metric: str, places: dict[str, int], n_values: Mapping[str, int]
) -> None:
    """Add to the known places columns that the number of their different values identifies.

    Few different texts are systems. Whole numbers or texts that differ in each row of a system are
    lines.
    """
    assigned = set(places.values())
    sizes: dict[int, int] = {}
    for k, name in enumerate(table.header):
        if name in n_values and k not in assigned:
            sizes[k] = n_values[name]
    numeric = list_numeric(table, sizes)
    for k in numeric:
        if table.header[k].lower() == metric.lower():
            places["score"] = k
            break
    texts = [k for k in sizes if k not in numeric]
    texts.sort(key=lambda k: (sizes[k] < 2, sizes[k], k))
    if texts:
        places.setdefault("system", texts[0])
    lines = list(texts)
    if "score" in places or len(numeric) > 1:
        lines += [k for k in numeric if all(map(_is_whole, table.list_words(k)))]
    of_row = [table.list_words(places[role]) for role in ("system", "langpair") if role in places]
    n_items = {k: len(set(zip(table.list_words(k), *of_row, strict=True))) for k in lines}
    lines.sort(key=lambda k: (-n_items[k], sizes[k], k))
    _assign_first(places, "line", lines)
    _assign_first(places, "score", list_measures(table, numeric))


def _is_whole(word: str) -> bool:
    return word.strip().isdecimal()


def _assign_first(places: dict[str, int], role: str, columns: Iterable[int]) -> None:
    """Give a role, unless a column has it, to the first of these columns that has none."""
    for k in columns:
        if k not in places.values():
            places.setdefault(role, k)
            return
