"""Questions about uploaded files: roles, columns, directions, raters, the tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from mtsig_core.languages import SPACELESS, languages_of
from mtsig_core.metrics.tokenizers import (
    TOKENIZERS,
    default_tokenizer,
    fitting_tokenizers,
    splits_words,
)
from mtsig_core.readers.score_columns import ScoreColumns
from mtsig_core.readers.uploads import Upload, describe_table
from mtsig_core.readers.wide_tables import SEPARATOR
from mtsig_core.report.table import Column, Table
from pages._ui import screen
from pages._work.memory import LOADED

# Roles and names.


@dataclass(frozen=True)
class RoleField:
    """What a line about a file proposes: its role and its name, and the keys of both fields."""

    roles: Sequence[str]
    role: str
    role_key: str
    name: str
    name_key: str


def ask_role(text: str, field: RoleField, is_first: bool) -> tuple[str, str]:
    """Draw a line about a file; return its role and name."""
    left, middle, right = st.columns([3, 2, 3], vertical_alignment="center")
    with left:
        screen.plain(text)
    labels = "visible" if is_first else "collapsed"
    role = middle.selectbox(
        "Role",
        field.roles,
        field.roles.index(field.role),
        key=field.role_key,
        label_visibility=labels,
    )
    name = right.text_input(
        "Name", field.name, key=field.name_key, max_chars=300, label_visibility=labels
    )
    return role, name


# Whether higher or lower scores are better.


def ask_directions(ranges: Mapping[str, tuple[float, float]]) -> tuple[dict[str, str], bool]:
    """Ask for each name of scores, with its range, whether higher or lower is better.

    Return the answers by name, and whether all were given.
    """
    if not ranges:
        return {}, True
    directions = {}
    with st.container(border=True, key="upload.directions"):
        for name, (low, high) in ranges.items():
            question, answer = st.columns([3, 2], vertical_alignment="center")
            with question:
                screen.plain(
                    f"{name}: are higher or lower scores better? They range from {low:g} to {high:g}."
                )
            direction = answer.segmented_control(
                "Better",
                ["higher", "lower"],
                key=f"data.direction.{name}",
                label_visibility="collapsed",
            )
            if direction:
                directions[name] = direction
    return directions, len(directions) == len(ranges)


# Several raters.

#: What several ratings of a segment may be, by the value of ``--raters``.
_RATERS = {"mean": "Mean", "adjusted": "Mean and adjusted", "segments": "Segments (WMT25)"}


def pick_raters(place, key: str, has_texts: bool = False) -> str | None:
    """Return how to use several ratings of a segment; None for their mean."""
    values = list(_RATERS)
    if has_texts:
        values.remove("segments")
    value = place.selectbox(
        "Several raters",
        values,
        key=f"data.{key}.raters",
        format_func=_RATERS.get,
        help=(
            "Adjusted: a second score from least squares: rating = system + segment + rater. A strict rater then "
            "no longer lowers the score of a system. A test shows whether raters favour systems."
        ),
    )
    return None if value == "mean" else value


# Weights of MQM errors.

_OWN = "own"
#: By preset; the weights of `_OWN` are typed.
_WEIGHTS = {"google": "Google's", "wmt24": "WMT24's", _OWN: "My own"}


def pick_weights(usual: Mapping[str, float]) -> list[str]:
    """Return the weights of MQM errors as the option takes them; none for the usual ones."""
    preset = st.selectbox(
        "Weights of MQM errors",
        list(_WEIGHTS),
        key="data.weights",
        format_func=_WEIGHTS.get,
        help="WMT24 counted neither free renderings nor problems in the source.",
    )
    if preset != _OWN:
        return [] if preset == "google" else [preset]
    default = ", ".join(f"{error}={weight:g}" for error, weight in usual.items())
    weights = st.text_input("My own weights", default, key="data.weights.own", max_chars=1000)
    return [] if weights == default else weights.split(",")


# Columns of tables of scores.

#: What columns of a table of scores are asked for, with the titles of the fields.
_LONG_FIELDS = {
    "system": "System",
    "line": "Segment (line)",
    "score": "Score",
    "rater": "Rater",
    "langpair": "Column of language pairs",
}
_NEEDED = ("system", "line", "score")
_LAYOUTS = {"rows": "a row for each score", "columns": "a column for each system"}


@dataclass(frozen=True)
class TableAnswers:
    """The user's answers on the columns of tables of scores."""

    columns: tuple[str, ...]  # as the option --columns takes them
    pairs: list[str]  # their language pairs
    has_raters: bool
    weights: Mapping[str, float]  # of MQM errors
    file_ids: tuple[str, ...]


def ask_columns(tables: Sequence[tuple[Upload, str]], systems: tuple[str, ...]) -> TableAnswers:
    """Ask for the roles of the columns of the first unclear table.

    `tables`: each with the id of its file; `systems`: the names of the texts next to them.
    """
    described: list[tuple[str, str, ScoreColumns]] = []
    for upload, file_id in tables:

        def describe(upload: Upload = upload) -> ScoreColumns | None:
            return describe_table(upload, systems)

        table = LOADED.make(("columns", file_id, upload.name, systems), describe)
        if table is not None:
            described.append((upload.file, file_id, table))
    columns: dict[str, str] = {}
    for file, file_id, table in described:
        if table.is_unclear or table.asides:
            columns = _draw_columns(file, file_id, table)
            break
    pairs: list[str] = []
    has_raters = "rater" in columns
    weights: Mapping[str, float] = {}
    for _, _, table in described:
        default = table.guesses["langpair"] if "langpair" in table.usual else None
        pairs += table.langpairs.get(columns.get("langpair", default), ())
        has_raters = has_raters or "rater" in table.usual
        weights = weights or table.weights
    return TableAnswers(
        columns=tuple(f"{content}={name}" for content, name in columns.items()),
        pairs=list(dict.fromkeys(pairs)),
        has_raters=has_raters,
        weights=weights,
        file_ids=tuple(file_id for _, file_id in tables),
    )


def _draw_columns(file: str, file_id: str, table: ScoreColumns) -> dict[str, str]:
    """Ask for the roles of a table's columns, above its first rows; return the answers."""
    with st.container(border=True, key="upload.columns"):
        layout = "columns" if table.systems else "rows"
        if table.is_unclear and len(table.numeric) > 1:
            screen.plain(f"How are the scores in {file} organized?")
            answer = st.segmented_control(
                "Layout",
                list(_LAYOUTS),
                default=layout,
                format_func=_LAYOUTS.get,
                key=f"data.{file_id}.layout",
                label_visibility="collapsed",
            )
            layout = answer or layout
        if layout == "columns":
            columns = _draw_wide(file, file_id, table)
        else:
            columns = _draw_long(file, file_id, table)
        headings = tuple(Column(str(k), name) for k, name in enumerate(table.names))
        screen.show_table(Table("columns", headings, table.first_rows))
    return columns


def _draw_wide(file: str, file_id: str, table: ScoreColumns) -> dict[str, str]:
    """Draw the fields for a table with a column for each system."""
    if table.asides:
        screen.plain(f"These columns of {file} are not read as systems: {', '.join(table.asides)}.")
    left, middle, right = st.columns([3, 1.5, 1.5], vertical_alignment="bottom")
    systems = left.multiselect(
        "Systems", table.numeric, table.systems, key=f"data.{file_id}.systems"
    )
    columns = {}
    if table.is_unclear or tuple(systems) != table.systems:
        columns["systems"] = SEPARATOR.join(systems)
    options = ["", *(name for name in table.names if name and name not in systems)]
    for place, content, title in ((middle, "docid", "Document"), (right, "line", "Segment (line)")):
        guess = ""
        if content in table.usual or content == "docid":
            guess = table.guesses.get(content, "")
        name = place.selectbox(
            title,
            options,
            options.index(guess) if guess in options else 0,
            key=f"data.{file_id}.wide.{content}",
            format_func=_show_option,
        )
        is_default = content in table.usual and name == guess
        if name and not is_default:
            columns[content] = name
    return columns


def _draw_long(file: str, file_id: str, table: ScoreColumns) -> dict[str, str]:
    """Draw a field for each role of a column, for a table with one row per score."""
    columns = {}
    screen.plain(f"Which columns of {file} contain the system name, the segment and the score?")
    places = st.columns(len(_LONG_FIELDS))
    for place, (content, title) in zip(places, _LONG_FIELDS.items(), strict=True):
        guess = table.guesses.get(content, "")
        is_needed = content in _NEEDED
        options = [name for name in table.names if name]
        if content == "langpair":
            options = list(table.langpairs)
        # Where the column has its usual name, it is known what it holds.
        if not is_needed and content not in table.usual:
            options.insert(0, "")
        name = place.selectbox(
            title,
            options,
            options.index(guess) if guess in options else None,
            key=f"data.{file_id}.column.{content}",
            placeholder="choose",
            format_func=_show_option,
        )
        is_default = content in table.usual and name == guess
        if name and (is_needed or not is_default):
            columns[content] = name
    return columns


def _show_option(name: str) -> str:
    return name or "none"


# The tokenizer.


def pick_tokenizer(place, langpair: str | None, language: str | None) -> tuple[str | None, bool]:
    """Return the tokenizer (None: by the language pair), and whether that is decided.

    If the references are in a language without spaces and the user gives no language pair, the user
    must choose the tokenizer.
    """
    default = default_tokenizer(languages_of(langpair)[1])
    if language is not None and not langpair:
        names = list(dict.fromkeys([*fitting_tokenizers(language), *TOKENIZERS]))
        name = place.selectbox(
            "Tokenizer",
            names,
            None,
            key=f"data.tokenizer.{language}",
            placeholder=f"such as {names[0]}",
            help="Splits texts into words. Names are from sacreBLEU.",
        )
        if not splits_words(name or default, language):
            best = fitting_tokenizers(language)[0]
            advice = "Choose"
            if best == default_tokenizer(language):
                advice = f"Give the pair, such as en-{language}, or choose"
            _warn_of_tokenizer(name or default, language, "no language pair is given", advice)
        return name, name is not None
    name = place.selectbox(
        f"Tokenizer (auto: {default})",
        ["auto", *TOKENIZERS],
        key="data.tokenizer.",
        help="Splits texts into words. Names are from sacreBLEU.",
    )
    used = default if name == "auto" else name
    if language is not None and not splits_words(used, language):
        _warn_of_tokenizer(used, language, f"the tokenizer is {used}", "Choose")
    return (None if name == "auto" else name), True


def _warn_of_tokenizer(tokenizer: str, language: str, reason: str, advice: str) -> None:
    best, second = fitting_tokenizers(language)
    screen.caution_box(
        f"The references look {SPACELESS[language]}, and {reason}: {tokenizer} would not split them into words. "
        f"{advice} a tokenizer: {best} or {second}."
    )
