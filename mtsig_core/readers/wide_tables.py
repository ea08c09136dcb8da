"""Tables with a column for each system: which columns are systems, what the others are, and what
each system is called.

Programs write more columns than scores: numbers of rows, lengths, steps of training, what a model
was asked. Read as systems, such a column wins or loses against all others. `ASIDES` has their
names; `find_asides` also looks at what is in them. What is set aside is an assumption that each
report has; `--columns systems=A|B` says otherwise.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError
from mtsig_core.readers.cells import has_number, is_blank, is_number, to_number
from mtsig_core.readers.columns import NAMES, InputTable, show_names
from mtsig_core.score_names import is_known_metric
from mtsig_core.testset import show_name

_FEWEST_ROWS = 10  # of which the values of a column may tell what it is
_MOST_COLUMNS = 500  # of a table whose layout is guessed
ALL = "all"  # in place of names: every column that holds numbers
SEPARATOR = "|"  # between the names of columns

#: What columns of answers hold: no scores, but they may well be outputs.
ANSWERS = "answers of a model"

#: What columns hold that name the rows: no scores, no outputs.
ROW_NUMBERS = "row numbers"

#: Names of columns that are no systems, in small letters with _ between words, by what they hold.
ASIDES: Mapping[str, re.Pattern[str]] = {
    ROW_NUMBERS: re.compile(
        r"level_\d+|rows?(_?(id|nr|no|num|number|index))?|nr|no|num|number|idx|counter|key|uu?id|hash"
        r"|custom_id|(request|response|answer|task|annotation|sample|example|instance|item|unit|pair)_?(id|index|no|nr)"
        r"|inner_id|position|order"
    ),
    "lengths": re.compile(
        r"(len|length|lengths|size)|(\w+_)?(len|length|num_words|num_tokens|num_chars)|len(gth)?_(\w+)"
        r"|n(um|r|o)?_?(of_)?(\w+_)?(words?|tokens?|toks?|chars?|characters?|bytes?|sents?|sentences?)"
        r"|(\w+_)?(words?|tokens?|toks?|chars?|characters?)_?(count|len|length|num)?|max_tokens"
    ),
    "sums or means": re.compile(
        r"mean|avg|average|total|sum|overall|median|std|stdev|sd|min|max|count|var(iance)?"
    ),
    "steps of training": re.compile(
        r"(global_)?steps?|timestamp|runtime|epochs?|iter(ation)?s?|checkpoint|lr|learning_rate"
    ),
    "what a model was asked or answered": re.compile(
        r"inputs?|prompts?|prompt_\w+|instructions?|messages?|thinking"
        r"|reasoning|explanations?|justifications?|finish_reason|stop_reason|status(_code)?|object|created(_at)?|updated_at"
        r"|completed_(at|by)|lead_time|elapsed|temperature|top_[pk]|seed|logprobs?|usage|errors?|cache_hit|retries"
        r"|attempts?"
    ),
    ANSWERS: re.compile(r"completions?|responses?|raw_(output|response)s?"),
    "labels": re.compile(
        r"labels?|gold(_label)?|categor(y|ies)|severity|tags?|splits?|folds?|batch(es)?|waves?|types?|topics?|difficulty"
        r"|weights?|years?|dates?|time|languages?|langs?|(src|source|tgt|target)_lang(uage)?|urls?|links?|titles?|comments?"
        r"|notes?|remarks?|is_\w+|has_\w+|flag(s|ged)?|valid|skip(ped)?|origlang|original_language"
    ),
}
_TEXTS = {*NAMES["source"], *NAMES["reference"], *NAMES["output"]}


def clean_wide_table(
    table: InputTable, columns: Sequence[int], metric: str, known: Collection[str]
) -> tuple[InputTable, list[Assumption]]:
    """The table without the columns that are no systems, and with the names that the systems have.

    Parameters
    ----------
    table : InputTable
    columns : sequence of int
        Those that may be of systems: they hold no line, document, domain or rater by their names.
    metric : str
        What the scores are called.
    known : collection of str
        The systems and references of the texts; empty without texts.

    Returns
    -------
    InputTable, list of Assumption
    """
    header = table.header
    asides = dict.fromkeys(_list_outputs(table, columns, known), "texts")
    asides |= find_asides(table, [k for k in columns if k not in asides], known)
    systems = [k for k in columns if k not in asides]
    if not systems:
        asides, systems = {}, list(columns)
    titles = [header[k] for k in systems]
    if known:
        new_names = read_system_names(titles, metric, known)
    else:
        new_names = _read_names_by_metric(table.name, titles, metric)
    dropped = set(asides)
    read_as = []
    for k in systems:
        if new_names and new_names[header[k]] is None:  # of another metric
            dropped.add(k)
        elif new_names:
            read_as.append(f"{header[k]} as {new_names[header[k]]}")
    cleaned = table.select([k for k in range(len(header)) if k not in dropped])
    facts = {"metric": metric, "file": table.name}
    assumed = []
    if asides:
        described = [f"{_show_title(header[k], k)} ({content})" for k, content in asides.items()]
        assumed.append(Assumption("columns-aside", {**facts, "columns": described}))
    if new_names:
        assumed.append(Assumption("columns-renamed", {**facts, "columns": read_as}))
    names = [new_names.get(title) or title for title in cleaned.header]
    return replace(cleaned, header=names), assumed


def _list_outputs(table: InputTable, columns: Sequence[int], known: Collection[str]) -> list[int]:
    """The columns that are called as systems and hold their outputs, as none of them has a number:
    their scores are in columns such as A_COMET.
    """
    named = [k for k in columns if table.header[k] in known]
    rest = [k for k in columns if k not in named]
    scored = [
        k for k in list_numeric(table, rest) if _split_name(table.header[k], known) is not None
    ]
    has_numbers = any(has_number(cell) for k in named for cell in table.list_cells(k))
    return named if scored and not has_numbers else []


def _show_title(name: str, column: int) -> str:
    return show_name(name) if name else f"column {column + 1}, which has no name"


# Which columns are no systems.


def find_asides(
    table: InputTable, columns: Iterable[int], known: Collection[str] = ()
) -> dict[int, str]:
    """The columns that are no systems, each with what it holds instead; by its name, else by its
    values.
    """
    unknown = [k for k in columns if table.header[k] not in known]
    by_name = {k: _find_by_name(table, k) for k in unknown}
    asides = {k: why for k, why in by_name.items() if why is not None}
    rest = [k for k in unknown if k not in asides]
    numbers = {k: table.read(k, to_number) for k in rest if _is_numeric(table, k)}
    if any(name in known for name in table.header):
        asides |= {k: "texts" for k in rest if k not in numbers}
    if len(table.rows) >= _FEWEST_ROWS:
        asides |= _find_by_values(table, numbers)
    return asides


def _find_by_name(table: InputTable, column: int) -> str | None:
    """What a column holds by its name; the name of a text does not tell where there are numbers in
    it.
    """
    name = table.header[column]
    if is_index(name):
        return ROW_NUMBERS if _is_whole(table, column) else None
    if name.lower() in _TEXTS and not _is_numeric(table, column):
        return "texts"
    return name_aside(name)


def is_index(name: str) -> bool:
    """Whether a column is called as pandas calls the index of its rows.

    >>> [is_index(name) for name in ("", "Unnamed: 0", "A")]
    [True, True, False]
    """
    return not name or re.fullmatch(r"(?i)unnamed: \d+(\.\d+)?", name.strip()) is not None


def name_aside(name: str) -> str | None:
    """What a column holds by its name, where that is no name of a system.

    >>> name_aside("src_len"), name_aside("finish_reason"), name_aside("GPT-4")
    ('lengths', 'what a model was asked or answered', None)
    """
    plain = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()).strip("_")
    if re.search(r"__(MIN|MAX)$", name):  # as Weights & Biases exports charts
        return "steps of training"
    if name.strip() == "#":
        return ROW_NUMBERS
    return next((why for why, pattern in ASIDES.items() if pattern.fullmatch(plain)), None)


def _is_numeric(table: InputTable, column: int) -> bool:
    return all(map(is_number, table.list_cells(column)))


def _is_whole(table: InputTable, column: int) -> bool:
    """Whether a column holds whole numbers only."""
    return all(re.fullmatch(r"\s*\d+(\.0)?\s*", word) for word in table.list_words(column))


def _find_by_values(
    table: InputTable, numbers: Mapping[int, Sequence[float | None]]
) -> dict[int, str]:
    """What columns hold by their values: numbers that count the rows, the lengths of a text beside
    them, or one value that no other column comes to. Nothing of those that may be scores.
    """
    whole: dict[int, list[float]] = {}
    scores: list[float] = []
    for k, values in numbers.items():
        known = [value for value in values if value is not None]
        if len(known) == len(table.rows):
            whole[k] = known
            scores += known if len(set(known)) > 1 else []
    lengths = _list_lengths(table)
    low, high = min(scores, default=math.inf), max(scores, default=-math.inf)
    found = {}
    for k, known in whole.items():
        is_constant = (
            len(set(known)) == 1 and known[0] != 0
        )  # a system without output may score 0 throughout
        if all(later - earlier == 1 for earlier, later in pairwise(known)):
            found[k] = ROW_NUMBERS
        elif tuple(known) in lengths:
            found[k] = "lengths"
        elif is_constant and scores and not low <= known[0] <= high:
            found[k] = "one value"
    return found


def _list_lengths(table: InputTable) -> set[tuple[float, ...]]:
    """The numbers of words, and of characters, of each text in the table."""
    lengths = set()
    for k in range(len(table.header)):
        texts = table.list_words(k)
        if not _is_numeric(table, k) and not any(map(is_blank, texts)):
            lengths.add(tuple(float(len(text.split())) for text in texts))
            lengths.add(tuple(float(len(text)) for text in texts))
    return lengths


def list_numeric(table: InputTable, columns: Iterable[int]) -> list[int]:
    """Those of the columns that hold numbers, and nothing else."""
    return [
        k for k in columns if _is_numeric(table, k) and any(map(has_number, table.list_cells(k)))
    ]


def list_measures(table: InputTable, columns: Iterable[int]) -> list[int]:
    """Those of the columns that hold numbers which may be scores: neither row numbers nor lengths
    by their names.
    """
    no_scores = (ROW_NUMBERS, "lengths")
    return [k for k in list_numeric(table, columns) if name_aside(table.header[k]) not in no_scores]


# Whether a table has a column for each system.


def guess_systems(
    table: InputTable, columns: Sequence[int], known: Collection[str] = ()
) -> list[int]:
    """The columns that seem to be of systems, one each; empty where rows seem to be: one for each
    system and line.
    """
    by_name = [k for k in columns if table.header[k] in known]
    if by_name:
        return by_name
    if len(table.header) > _MOST_COLUMNS or _has_rows_of_systems(table):
        return []
    asides = find_asides(table, columns, known)
    candidates = list_numeric(table, [k for k in columns if k not in asides])
    return candidates if len(candidates) > 1 else []


def _has_rows_of_systems(table: InputTable) -> bool:
    """Whether a column of few texts comes with the same lines for each of its values, as systems
    do.
    """
    columns = [table.list_words(k) for k in range(len(table.header))]
    texts = [values for k, values in enumerate(columns) if not _is_numeric(table, k)]
    for names in texts:
        is_of_few = 1 < len(set(names)) <= len(names) / 2
        if is_of_few and any(
            lines is not names and _are_lines_of(lines, names) for lines in columns
        ):
            return True
    return False


def _are_lines_of(lines: Sequence[str], names: Sequence[str]) -> bool:
    """Whether each name has the same lines, as often as the others: of several language pairs, each
    more than once.
    """
    lines_of: dict[str, Counter[str]] = {}
    for name, line in zip(names, lines, strict=True):
        lines_of.setdefault(name, Counter())[line] += 1
    first, *others = lines_of.values()
    return len(first) > 1 and all(own == first for own in others)


def guess_lines(table: InputTable, system: int) -> int | None:
    """The column with the same values for each system, which may name the lines; of several the one
    of most values.
    """
    columns = [table.list_words(k) for k in range(len(table.header))]
    may_be = [
        k
        for k, lines in enumerate(columns)
        if k != system and _are_lines_of(lines, columns[system])
    ]
    return max(may_be, key=lambda k: len(set(columns[k])), default=None)


def guess_documents(table: InputTable, columns: Iterable[int]) -> int | None:
    """The column of texts each of which fills a run of rows and comes nowhere else, as documents
    do.
    """
    for k in columns:
        values = table.list_words(k)
        if _is_numeric(table, k) or not all(map(str.strip, values)):
            continue
        n_runs = sum(later != earlier for earlier, later in pairwise(values)) + 1
        if n_runs == len(set(values)) and 1 < n_runs < len(values):
            return k
    return None


# What the systems are called.


def read_system_names(
    names: Sequence[str], metric: str, known: Collection[str]
) -> dict[str, str | None]:
    """The known system of each column that is called by it and by what was scored, as
    ``mySys_XCOMET-XL (seg)``; None for a column of another metric. Empty where the names are those
    of the systems, or are of no system.

    >>> read_system_names(["A_COMET (seg)", "B_COMET (seg)"], "COMET", ["A", "B"])
    {'A_COMET (seg)': 'A', 'B_COMET (seg)': 'B'}
    >>> read_system_names(["A_COMET", "B_COMET", "A_BLEU", "B_BLEU"], "COMET", ["A", "B"])
    {'A_COMET': 'A', 'B_COMET': 'B', 'A_BLEU': None, 'B_BLEU': None}
    """
    if not known or any(name in known for name in names):
        return {}
    systems, around = {}, {}
    for name in names:
        parts = _split_name(name, known)
        if parts is None:
            return {}
        systems[name], around[name] = parts
    kinds = list(dict.fromkeys(around.values()))
    if len(kinds) > 1:
        own = [kind for kind in kinds if _simplify(metric) in _simplify("".join(kind))]
        exact = [kind for kind in own if _simplify("".join(kind)) == _simplify(metric)]
        kinds = exact or own
    if len(kinds) != 1:
        return {}
    return {name: systems[name] if around[name] == kinds[0] else None for name in names}


def _read_names_by_metric(file: str, names: Sequence[str], metric: str) -> dict[str, str | None]:
    """The same as `read_system_names` where the systems are not known: of columns such as A_BLEU,
    A_COMET, B_BLEU and B_COMET. Empty unless each system has all of several metrics; refuses what
    is called as none of them.
    """
    parts = {name: _split_metric(name) for name in names}
    pairs = [pair for pair in parts.values() if pair is not None]
    systems = dict.fromkeys(system for system, _ in pairs)
    metrics = dict.fromkeys(own for _, own in pairs)
    is_grid = len(pairs) == len(names) == len(set(pairs)) == len(systems) * len(metrics)
    if not is_grid or len(systems) < 2 or len(metrics) < 2:
        return {}
    wanted = [own for own in metrics if _simplify(own) == _simplify(metric)]
    if len(wanted) != 1:
        remedies = [{"scores": f"{own}={file}"} for own in metrics]
        raise InputError(
            f"{file} has scores of {len(metrics)} metrics for each system: {show_names(metrics)}. "
            "Expected those of one. Call the scores as one of these metrics; the file may be given once "
            "for each.",
            *remedies,
        )
    return {
        name: pair[0] if pair is not None and pair[1] == wanted[0] else None
        for name, pair in parts.items()
    }


def _split_metric(name: str) -> tuple[str, str] | None:
    """The system and the known metric in the name of a column, as in A_COMET or COMET_A; None where
    there is none.
    """
    plain = re.sub(r"\s*\((seg|segment)\w*\)$", "", name)
    for sign in re.finditer(r"[^A-Za-z0-9+]", plain):
        before, after = plain[: sign.start()], plain[sign.end() :]
        if before and is_known_metric(after):
            return before, after
    for sign in re.finditer(r"[^A-Za-z0-9+]", plain):
        before, after = plain[: sign.start()], plain[sign.end() :]
        if after and is_known_metric(before):
            return after, before
    return None


def _split_name(name: str, known: Collection[str]) -> tuple[str, tuple[str, str]] | None:
    """The longest known system in a name that signs separate from the rest, and what is before and
    after it.
    """
    for system in sorted((one for one in known if one in name), key=len, reverse=True):
        match = re.fullmatch(
            rf"(|.*[^A-Za-z0-9]){re.escape(system)}(|[^A-Za-z0-9].*)", name, re.DOTALL
        )
        if match is not None:
            return system, (match[1], match[2])
    return None


def _simplify(name: str) -> str:
    """A name without signs and case, and without (seg), which says that scores are of segments."""
    return re.sub(r"[^a-z0-9]+", "", re.sub(r"\((seg|segment|sys|system)\w*\)", "", name.lower()))


# What the user says.


def take_systems(table: InputTable, names: str, other_columns: Collection[str]) -> InputTable:
    """The table with only these columns as systems, and others that hold something else."""
    header = table.header
    systems = [name.strip() for name in names.split(SEPARATOR)]
    if names == ALL:
        systems = [header[k] for k in list_numeric(table, range(len(header)))]
    for name in systems:
        table.check_column(name)
    return table.select(
        [k for k, name in enumerate(header) if name in systems or name in other_columns]
    )
