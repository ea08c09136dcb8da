"""Tables with a column for each system: find the columns of systems, and their names.

Programs also write columns that are not scores: row numbers, lengths, training steps, prompts. Read
as a system, such a column wins or loses against all systems. `ASIDES` has the names of these
columns; `find_asides` also looks at their values. If a column is set aside, each report shows this
as an assumption; `--columns systems=A|B` overrides it.
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
        asides = {}
        systems = list(columns)
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
    """The columns named after systems, where they hold outputs, as none of them has a number.

    Scores are then in columns such as A_COMET.
    """
    outputs = [k for k in columns if table.header[k] in known]
    for k in outputs:
        if any(map(has_number, table.list_cells(k))):
            return []
    for k in list_numeric(table, [k for k in columns if k not in outputs]):
        if _split_name(table.header[k], known) is not None:
            return outputs
    return []


def _show_title(name: str, column: int) -> str:
    return show_name(name) if name else f"column {column + 1}, which has no name"


# Which columns are no systems.


def find_asides(
    table: InputTable, columns: Iterable[int], known: Collection[str] = ()
) -> dict[int, str]:
    """The columns that are no systems, each with what it holds, by its name or else its values."""
    asides: dict[int, str] = {}
    texts: dict[int, str] = {}
    numbers: dict[int, list[float]] = {}  # of columns without a gap
    names_systems = any(name in known for name in table.header)
    for k in columns:
        if table.header[k] in known:
            continue
        content = _find_by_name(table, k)
        if content is not None:
            asides[k] = content
        elif not _is_numeric(table, k):
            if names_systems:
                texts[k] = "texts"
        else:
            values = [value for value in table.read(k, to_number) if value is not None]
            if len(values) == len(table.rows):
                numbers[k] = values
    asides |= texts
    if len(table.rows) >= _FEWEST_ROWS:
        asides |= _find_by_values(table, numbers)
    return asides


def _find_by_name(table: InputTable, column: int) -> str | None:
    """What a column holds by its name; the name of a text says nothing of numbers."""
    name = table.header[column]
    if is_index(name):
        is_whole = all(re.fullmatch(r"\s*\d+(\.0)?\s*", word) for word in table.list_words(column))
        return ROW_NUMBERS if is_whole else None
    if name.lower() in _TEXTS and not _is_numeric(table, column):
        return "texts"
    return name_aside(name)


def is_index(name: str) -> bool:
    """Whether a column has the name that pandas gives the index of rows.

    >>> [is_index(name) for name in ("", "Unnamed: 0", "A")]
    [True, True, False]
    """
    return not name or re.fullmatch(r"(?i)unnamed: \d+(\.\d+)?", name.strip()) is not None


def name_aside(name: str) -> str | None:
    """What a column holds by its name, where that is no name of a system.

    >>> name_aside("src_len"), name_aside("finish_reason"), name_aside("GPT-4")
    ('lengths', 'what a model was asked or answered', None)
    """
    if re.search(r"__(MIN|MAX)$", name):  # as Weights & Biases exports charts
        return "steps of training"
    if name.strip() == "#":
        return ROW_NUMBERS
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    plain = re.sub(r"[^a-z0-9]+", "_", words).strip("_")
    for content, pattern in ASIDES.items():
        if pattern.fullmatch(plain):
            return content
    return None


def _is_numeric(table: InputTable, column: int) -> bool:
    return all(map(is_number, table.list_cells(column)))


def _find_by_values(table: InputTable, numbers: Mapping[int, Sequence[float]]) -> dict[int, str]:
    """What columns hold by their values; nothing of those that may be scores.

    They may count the rows, or be the lengths of a text, or have one value that no other column
    comes to.
    """
    lengths = _list_lengths(table)
    varied = [values for values in numbers.values() if len(set(values)) > 1]
    low = min(map(min, varied), default=math.inf)
    high = max(map(max, varied), default=-math.inf)
    asides = {}
    for k, values in numbers.items():
        first = values[0]
        is_constant = len(set(values)) == 1
        if all(later - earlier == 1 for earlier, later in pairwise(values)):
            asides[k] = ROW_NUMBERS
        elif tuple(values) in lengths:
            asides[k] = "lengths"
        elif is_constant and first != 0 and varied and not low <= first <= high:
            asides[k] = "one value"  # not 0, which a system without output may score throughout
    return asides


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
    """The columns that hold numbers, and nothing else."""
    return [
        k for k in columns if _is_numeric(table, k) and any(map(has_number, table.list_cells(k)))
    ]


def list_measures(table: InputTable, columns: Iterable[int]) -> list[int]:
    """The columns of numbers that may be scores: by their names no row numbers and no lengths."""
    no_scores = (ROW_NUMBERS, "lengths")
    return [k for k in list_numeric(table, columns) if name_aside(table.header[k]) not in no_scores]


# Whether a table has a column for each system.


def guess_systems(
    table: InputTable, columns: Sequence[int], known: Collection[str] = ()
) -> list[int]:
    """The columns that seem to be of systems; empty where each row seems to be of one."""
    by_name = [k for k in columns if table.header[k] in known]
    if by_name:
        return by_name
    if len(table.header) > _MOST_COLUMNS or _has_rows_of_systems(table):
        return []
    asides = find_asides(table, columns, known)
    candidates = list_numeric(table, [k for k in columns if k not in asides])
    return candidates if len(candidates) > 1 else []


def _has_rows_of_systems(table: InputTable) -> bool:
    """Whether a column of few texts comes with the same lines for each, as systems do."""
    for k in range(len(table.header)):
        if _is_numeric(table, k):
            continue
        texts = table.list_words(k)
        is_of_few = 1 < len(set(texts)) <= len(texts) / 2
        if is_of_few and guess_lines(table, k) is not None:
            return True
    return False


def guess_lines(table: InputTable, system: int) -> int | None:
    """The column that may name the lines, as it has the same values for each system.

    Of several the one of most values.
    """
    systems = table.list_words(system)
    n_values: dict[int, int] = {}
    for k in range(len(table.header)):
        lines = table.list_words(k)
        if k != system and _are_lines_of(lines, systems):
            n_values[k] = len(set(lines))
    return max(n_values, key=n_values.__getitem__, default=None)


def _are_lines_of(lines: Sequence[str], systems: Sequence[str]) -> bool:
    """Whether each system has the same lines, as often as the others.

    Of several language pairs it has each line more than once.
    """
    lines_of: dict[str, Counter[str]] = {}
    for system, line in zip(systems, lines, strict=True):
        lines_of.setdefault(system, Counter())[line] += 1
    first = next(iter(lines_of.values()))
    return len(first) > 1 and all(counts == first for counts in lines_of.values())


def guess_documents(table: InputTable, columns: Iterable[int]) -> int | None:
    """The column of texts that may be documents, as each fills one run of rows."""
    for k in columns:
        values = table.list_words(k)
        if _is_numeric(table, k) or not all(map(str.strip, values)):
            continue
        n_runs = 1 + sum(later != earlier for earlier, later in pairwise(values))
        if n_runs == len(set(values)) and 1 < n_runs < len(values):
            return k
    return None


# What the systems are called.


def read_system_names(
    names: Sequence[str], metric: str, known: Collection[str]
) -> dict[str, str | None]:
    """Find the known system in the name of each column, as in ``mySys_XCOMET-XL (seg)``.

    None for a column of another metric. The result is empty if the columns have exactly the names
    of the systems, or if the name of a column contains no known system.

    >>> read_system_names(["A_COMET (seg)", "B_COMET (seg)"], "COMET", ["A", "B"])
    {'A_COMET (seg)': 'A', 'B_COMET (seg)': 'B'}
    >>> read_system_names(["A_COMET", "B_COMET", "A_BLEU", "B_BLEU"], "COMET", ["A", "B"])
    {'A_COMET': 'A', 'B_COMET': 'B', 'A_BLEU': None, 'B_BLEU': None}
    """
    if any(name in known for name in names):
        return {}
    systems: dict[str, str] = {}
    metrics: dict[str, str] = {}
    for name in names:
        split = _split_name(name, known)
        if split is None:
            return {}
        systems[name], metrics[name] = split
    candidates = list(dict.fromkeys(metrics.values()))
    if len(candidates) > 1:
        metric_key = _simplify(metric)
        candidates = [text for text in candidates if metric_key in _simplify(text)]
        exact = [text for text in candidates if metric_key == _simplify(text)]
        candidates = exact or candidates
    if len(candidates) != 1:
        return {}
    return {name: systems[name] if metrics[name] == candidates[0] else None for name in names}


def _split_name(name: str, known: Collection[str]) -> tuple[str, str] | None:
    """The longest known system in a name that signs separate from the rest, and the rest."""
    candidates = [system for system in known if system in name]
    for system in sorted(candidates, key=len, reverse=True):
        match = re.fullmatch(
            rf"(|.*[^A-Za-z0-9]){re.escape(system)}(|[^A-Za-z0-9].*)", name, re.DOTALL
        )
        if match is not None:
            return system, f"{match[1]}\0{match[2]}"
    return None


def _read_names_by_metric(file: str, names: Sequence[str], metric: str) -> dict[str, str | None]:
    """As `read_system_names`, where the systems are not known.

    They are read from columns such as A_BLEU, A_COMET, B_BLEU and B_COMET. Empty unless each system
    has all of several metrics.

    Raises
    ------
    InputError
        If none of these metrics is called `metric`.
    """
    split_names: dict[str, tuple[str, str]] = {}
    for name in names:
        split = _split_metric(name)
        if split is None:
            return {}
        split_names[name] = split
    pairs = set(split_names.values())
    systems = {system for system, _ in pairs}
    metrics = list(dict.fromkeys(metric_name for _, metric_name in split_names.values()))
    is_grid = len(names) == len(pairs) == len(systems) * len(metrics)
    if not is_grid or len(systems) < 2 or len(metrics) < 2:
        return {}
    matching = [text for text in metrics if _simplify(text) == _simplify(metric)]
    if len(matching) != 1:
        remedies = [{"scores": f"{text}={file}"} for text in metrics]
        raise InputError(
            f"{file} has scores of {len(metrics)} metrics for each system: {show_names(metrics)}. "
            "Expected those of one. Call the scores as one of these metrics; the file may be given once "
            "for each.",
            *remedies,
        )
    new_names: dict[str, str | None] = {}
    for name, (system, metric_name) in split_names.items():
        new_names[name] = system if metric_name == matching[0] else None
    return new_names


def _split_metric(name: str) -> tuple[str, str] | None:
    """The system and the known metric in the name of a column, such as A_COMET or COMET_A."""
    plain = re.sub(r"\s*\((seg|segment)\w*\)$", "", name)
    signs = list(re.finditer(r"[^A-Za-z0-9+]", plain))
    splits = [(plain[: sign.start()], plain[sign.end() :]) for sign in signs]
    for before, after in splits:
        if before and is_known_metric(after):
            return before, after
    for before, after in splits:
        if after and is_known_metric(before):
            return after, before
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
