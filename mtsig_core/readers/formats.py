r"""Recognize the format of a file by its content, not by its name.

`FORMATS` is the registry. Each row has the name of a format, a test of its first bytes, a remedy if
another format was expected, and the readers for each role. A file without a reader for its role is
refused: scored as plain text, line by line, it would give a wrong number without a warning. To add
a format, add one row here and its reader. The command line, uploads, folders and archives all read
files by `read_lines`, `read_texts` and `read_table`, which use this registry.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

from mtsig_core.errors import InputError, Remedy
from mtsig_core.readers.binary_tables import read_parquet, read_xlsx
from mtsig_core.readers.columns import NAMES, InputTable
from mtsig_core.readers.delimited import is_comment
from mtsig_core.readers.json_tables import read_text_table
from mtsig_core.readers.markup import read_sgml_texts, read_xml_texts
from mtsig_core.readers.pearmut import PEARMUT_SCORES, is_pearmut, read_pearmut
from mtsig_core.readers.rating_formats import (
    APPRAISE,
    is_metricx,
    is_mqm,
    is_wmt25,
    read_appraise,
    read_comet_log,
    read_metricx,
    read_mqm,
    read_seg_scores,
    read_spaced,
    read_wmt25_ratings,
)
from mtsig_core.readers.text_formats import (
    is_wmt25_text,
    read_fairseq,
    read_parallel,
    read_predictions,
    read_samples,
    read_wmt25,
)
from mtsig_core.readers.text_tables import TextTable, share_words, tabulate_texts
from mtsig_core.score_names import STANDARDIZED_DA
from mtsig_core.testset import show_name

# What is expected in a file, for messages; most have the first.
SEGMENTS = "one segment per line"
SCORE_TABLE = "a table of segment scores"
SYSTEMS_TABLE = "a table of the systems"
DOCUMENTS = "one document id per line"
IDS = "one segment id per line"
FOLDER = "the folder of a shared task, or a zip of it"
TEXTS = "several texts in one file"
_CHECKED = (SEGMENTS, DOCUMENTS, IDS, FOLDER, SCORE_TABLE, TEXTS)

_HEAD = 1 << 16  # bytes that are looked at
_TAIL = 1 << 12
_MOST, _HALF = 0.9, 0.5  # of the lines
_SHOWN = 60  # characters of a line in a message
_MIN_BLOCKS = 5  # that show a form which repeats itself
_ALIKE = 0.3  # of the words of an output that its reference has, at least


@dataclass(frozen=True)
class _Sample:
    """The beginning and the end of a file, unpacked."""

    head: bytes
    tail: bytes

    @cached_property
    def is_binary(self) -> bool:
        """Whether it is no text: the first letters of some formats could begin one."""
        try:
            self.head.decode("utf-8")
        except UnicodeDecodeError as error:
            is_cut_letter = len(self.head) == _HEAD and error.start >= _HEAD - 3
            if not is_cut_letter:
                return True
        return b"\0" in self.head

    @cached_property
    def text(self) -> str:
        """The beginning as text."""
        return self.head.decode("utf-8", "ignore").lstrip("\ufeff")

    @cached_property
    def lines(self) -> list[str]:
        """Those that are not blank; the last may be cut where there is no other."""
        lines = self.text.split("\n")
        is_cut = len(self.head) >= _HEAD
        if is_cut and len(lines) > 1:
            lines.pop()
        return [line.rstrip("\r") for line in lines if line.strip()]

    def has_share(self, pattern: str, least: float) -> bool:
        """Whether at least this share of the lines begins so.

        The search ends when too many lines do not. In plain text that is after some forty lines.
        """
        match_beginning = re.compile(pattern).match
        n_lines = len(self.lines)
        n_possible = n_lines
        for line in self.lines:
            if match_beginning(line) is None:
                n_possible -= 1
                if n_possible / n_lines < least:
                    return False
        return n_lines > 0

    @cached_property
    def root(self) -> str:
        """The first tag of a marked up file, in small letters.

        It is `?` where only the declaration is known, and empty for a text in which there are tags.
        """
        text = "\n".join(self.lines).lstrip()
        match = re.search(r"<([A-Za-z][\w:.-]*)", text) if text.startswith("<") else None
        if match is None:
            return ""
        root = match[1].lower()
        is_closed = self.tail.rstrip().lower().endswith(f"</{root}>".encode())
        if not is_closed and not self.has_share(r"\s*<", _HALF):
            return ""
        return "?" if text.startswith("<?xml") and root not in _ROOTS else root

    @cached_property
    def n_columns(self) -> int:
        """The number of columns into which tabs divide nearly all lines; 1 without such columns."""
        if len(self.lines) < 2:
            return 1
        counts = Counter(line.count("\t") for line in self.lines)
        [(n_tabs, n_lines)] = counts.most_common(1)
        return n_tabs + 1 if n_lines >= 0.95 * len(self.lines) else 1

    @cached_property
    def header(self) -> set[str]:
        """Names of columns in the first line, in small letters, if the others have as many cells.

        Excel may write the separator before it.
        """
        lines = self.lines[:201]
        if lines and re.fullmatch("sep=.", lines[0]):
            lines = lines[1:]
        for separator in "\t,;":
            try:
                reader = csv.reader(lines[:200] or [""], delimiter=separator)
                names = next(reader)
                if len(names) < 2:  # as in plain text, of which no other line is split then
                    continue
                rows = list(reader)
            except csv.Error:
                continue
            if not rows:
                continue
            if is_comment(names[-1]) and len(rows[0]) == len(names) - 1:
                names.pop()
            n_alike = sum(len(row) == len(names) for row in rows)
            if len(names) > 1 and n_alike >= _MOST * len(rows):
                return {name.lower() for name in names}
        return set()

    @cached_property
    def has_quoted_cells(self) -> bool:
        """Whether nearly all lines are as many cells in quotes, parted by commas or semicolons."""
        quoted = r'"([^"]|"")*"'
        for sign in ",;":
            pattern = rf'{quoted}{sign}({quoted}|[^"{sign}]*)({sign}|$)'
            if self.has_share(pattern, _MOST):
                return True
        return False

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The first line, where nearly all lines are objects of JSON.

        If the first line is not an object, the only key is `?`.
        """
        if not self.has_share(r"""\s*\{\s*["'][^"']*["']\s*:""", _MOST):
            return {}
        first = _parse_json(self.lines[0])
        return first if isinstance(first, dict) and first else {"?": None}

    @cached_property
    def has_score_lines(self) -> bool:
        """Whether each line is a system and a score, and systems have two lines or more."""
        n_systems = len({line.partition("\t")[0] for line in self.lines})
        has_scores = self.has_share(r"[^\t]+\t(-?\d+(\.\d+)?(e-?\d+)?|None)\s*$", 1)
        return has_scores and 2 * n_systems <= len(self.lines)

    @cached_property
    def has_blocks_of_three(self) -> bool:
        """Whether three lines and an empty one follow each other throughout.

        The second and the third must be alike, as a reference and an output are: verses in threes
        are not.
        """
        lines = self.text.splitlines()
        n_blocks = len(lines) // 4
        if n_blocks < _MIN_BLOCKS:
            return False
        sources, references, outputs, separators = (
            [line.strip() for line in lines[k : 4 * n_blocks : 4]] for k in range(4)
        )
        is_filled = all(sources) and all(references) and all(outputs)
        return is_filled and not any(separators) and share_words(references, outputs) > _ALIKE

    @cached_property
    def has_texts_only(self) -> bool:
        """Whether these objects have texts and no number that could be a score."""
        if self.record.keys().isdisjoint(_TEXT_COLUMNS - _IDS):
            return False
        values = [str(value) for key, value in self.record.items() if key not in _IDS]
        return not any(re.fullmatch(r"-?[\d.]+", value) for value in values)

    @cached_property
    def is_json(self) -> bool:
        """Whether it is JSON as a whole: on one line, or on many as it is printed for people."""
        if not self.lines:
            return False
        first_line = self.lines[0]
        if len(self.lines) == 1:
            is_begun = re.match(r'\s*(\{\s*"|\[\s*[\[{"])', first_line) is not None
            is_cut = len(self.head) >= _HEAD
            return is_begun and (is_cut or _parse_json(first_line) is not None)
        piece = (
            r"""\s*([\[\]{},]+|"[^"]*"\s*:.*|"(\\.|[^"\\])*"|[\d.eE+-]+|null|true|false),?\s*$"""
        )
        is_opened = re.fullmatch(r"\s*\[?\s*[\[{]\s*", first_line) is not None
        return is_opened and self.has_share(piece, _MOST)


def _parse_json(text: str) -> Any:
    """The content of a text of JSON; None where it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_NAMED_SCORES: Remedy = {"scores": "NAME=FILE"}


@dataclass(frozen=True)
class Format:
    """A format of files."""

    name: str
    #: The same with its article, as a message has it; `{n_columns}` stands for their number.
    title: str
    fits: Callable[[_Sample], bool]  # whether a sample of a file looks so
    #: How to fix it. In shell commands, `FILE` stands for the file and `COPY` for a text file next
    #: to it.
    remedy: str = "Give it as plain text in UTF-8."
    #: What it may be read as, and the reader: from the text of the file (of a binary one its bytes,
    #: unpacked) and its name to lines of text, or to a `InputTable` of scores. None stands for the
    #: reader of plain text.
    reads: Mapping[str, Callable[[Any, str], Any] | None] = field(default_factory=dict)
    remedies: tuple[Remedy, ...] = ()  # see `MtsigError`
    is_binary: bool = False
    scores: str = ""  # what the scores in it are called
    endings: tuple[str, ...] = ()  # of its files, which are no part of the name of a system

    @property
    def holds_scores(self) -> bool:
        """Whether its files have scores, under any name; they may also have texts."""
        return _NAMED_SCORES in self.remedies


def _tabulate(read: Callable[[Any, str], InputTable]) -> Callable[[Any, str], TextTable]:
    """A reader of the texts in a table."""
    return lambda data, name: tabulate_texts(read(data, name))


def _has_magic(*magics: bytes, offset: int = 0) -> Callable[[_Sample], bool]:
    return lambda sample: (
        sample.is_binary and any(sample.head.startswith(magic, offset) for magic in magics)
    )


def _has_lines(pattern: str, share: float = _HALF) -> Callable[[_Sample], bool]:
    return lambda sample: sample.has_share(pattern, share)


def _has_first_words(*words: str) -> Callable[[_Sample], bool]:
    return lambda sample: bool(sample.lines) and sample.lines[0].split() == [*words]


def _has_head(pattern: bytes) -> Callable[[_Sample], bool]:
    return lambda sample: re.match(pattern, sample.head) is not None


def _has_root(*names: str) -> Callable[[_Sample], bool]:
    return lambda sample: sample.root in names


def _has_member(*names: bytes) -> Callable[[_Sample], bool]:
    return lambda sample: (
        sample.head.startswith(b"PK\x03\x04")
        and any(name in sample.head + sample.tail for name in names)
    )


# Results of other programs: mostly a score of each system as a whole.
_SACREBLEU = rb'\s*\[?\s*\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"score"\s*:\s*[\d.]+\s*,\s*"signature"\s*:'
_SACREBLEU_TABLE = rb'\s*\[\s*\{\s*"system"\s*:\s*"[^"]*"\s*,\s*"[^"]*"\s*:\s*\{\s*"score"\s*:'
_COMET_COMPARE = rb'\s*\{\s*"model"\s*:\s*"[^"]*"\s*,\s*"statistical_results"\s*:'
_LM_EVAL_RESULTS = (
    rb'\s*\{\s*"results"\s*:\s*\{\s*"[^"]*"\s*:\s*\{'
    rb'[^{}]*"(alias|[^",]+,[^",]+)"\s*:'
)
_PREDICTIONS = rb'\s*\{\s*"(predictions|references)"\s*:\s*\[\s*(\[\s*)?"'
_SGML = ("refset", "srcset", "tstset", "mteval")
_WMT_XML = ("dataset", "collection")
_ROOTS = (*_SGML, *_WMT_XML, "doc", "tmx", "xliff", "html")
_TEXT_COLUMNS = {*NAMES["source"], *NAMES["reference"], *NAMES["output"], "docid", "doc_id"}
_IDS = {*NAMES["docid"], *NAMES["line"]}
_KNOWN = {name for names in NAMES.values() for name in names}
_JQ = r"""Take the texts: jq -r '.KEY | gsub("\n"; " ")' FILE > COPY, with the key of the texts for KEY."""
_JQ_OF_COMET = (
    "jq '[.translations[] | .name as $n | .scores | to_entries[] | {system: $n, line: (.key + 1), score: "
    ".value}]' FILE > scores.json"
)
_AWK = "awk -F ' [|][|][|] ' '!seen[$1]++ {print $2}' FILE > COPY"
_EXPORT = (
    "Export its translations as plain text, one segment per line, from the program that wrote it."
)
_AS_IT_IS = "Give it in its own role: reference, output or source."
_SHEETS = "Save its sheet as CSV in UTF-8. Of texts, save each column as a text file, one segment per line."
_RATINGS = "It contains ratings: name it as scores."
_SCORED = "It contains scores: name it as scores, and give the texts too."
_FOR_LINES = "Write such a file from it, as plain text."
_FOR_SCORES = (
    "Use the columns system, line, score with a row for each score; or a column for each system with a row "
    "for each line."
)

_WHOLE = "It contains scores of whole systems, and mtsig needs segment scores."

_binary = partial(Format, is_binary=True)

#: The first that fits counts.
FORMATS = (
    _binary(
        "xlsx",
        "a workbook of Excel",
        _has_member(b"xl/workbook.xml"),
        _AS_IT_IS,
        reads={SCORE_TABLE: read_xlsx, TEXTS: _tabulate(read_xlsx)},
        endings=(".xlsx",),
    ),
    _binary(
        "office",
        "an office document",
        lambda sample: (
            _has_member(b"[Content_Types].xml", b"opendocument")(sample)
            or sample.head.startswith(b"\xd0\xcf\x11\xe0")
        ),
        _SHEETS,
    ),
    _binary(
        "zip",
        "a zip archive",
        _has_magic(b"PK\x03\x04", b"PK\x05\x06"),
        "A zip of a whole shared task is read on its own, under a name that ends in .zip. Otherwise unpack it and "
        "give the files in it.",
        reads={FOLDER: None},
    ),
    _binary(
        "tar",
        "a tar archive",
        _has_magic(b"ustar", offset=257),
        "Unpack it: tar xf FILE. Then give the files in it; or a task's folder, or a zip of that.",
        reads={FOLDER: None},
    ),
    *(
        _binary(name, title, _has_magic(magic), "Unpack it, and give the file in it.")
        for name, title, magic in (
            ("gzip", "packed twice", b"\x1f\x8b"),
            ("bzip2", "packed twice", b"BZh"),
            ("xz", "packed twice", b"\xfd7zXZ\x00"),
            ("zstd", "packed twice", b"\x28\xb5\x2f\xfd"),
            ("7z", "a 7z archive", b"7z\xbc\xaf\x27\x1c"),
        )
    ),
    *(
        _binary(title.partition(" ")[2], title, _has_magic(magic))
        for title, magic in (
            ("a PNG image", b"\x89PNG\r\n"),
            ("a JPEG image", b"\xff\xd8\xff"),
            ("a GIF image", b"GIF8"),
            ("a PDF document", b"%PDF"),
            ("an SQLite database", b"SQLite format 3"),
            ("a program", b"\x7fELF"),
            ("a Python pickle", b"\x80\x04\x95"),
            ("a NumPy array", b"\x93NUMPY"),
        )
    ),
    _binary(
        "parquet",
        "a Parquet table",
        _has_magic(b"PAR1"),
        _AS_IT_IS,
        reads={SCORE_TABLE: read_parquet, TEXTS: _tabulate(read_parquet)},
        endings=(".parquet",),
    ),
    Format(
        "sgml",
        "SGML of WMT, 2008 to 2020",
        lambda sample: (
            sample.root in _SGML or (sample.root in ("doc", "seg") and b"<seg" in sample.head)
        ),
        _AS_IT_IS,
        reads={TEXTS: read_sgml_texts},
        endings=(".sgm", ".sgml"),
    ),
    Format(
        "wmt-xml",
        "XML of WMT, 2021 on",
        _has_root(*_WMT_XML),
        _AS_IT_IS,
        remedies=({"xml": "FILE"},),
        reads={TEXTS: read_xml_texts},
        endings=(".xml",),
    ),
    Format("tmx", "TMX, a translation memory", _has_root("tmx"), _EXPORT),
    Format("xliff", "XLIFF", _has_root("xliff"), _EXPORT),
    Format(
        "html",
        "a web page",
        lambda sample: sample.root == "html" and sample.has_share(r"\s*<", _HALF),
        "Download the file itself, not the page that shows it.",
    ),
    Format("xml", "XML of a form that mtsig does not know", _has_root("?"), _EXPORT),
    Format(
        "fairseq",
        "a log of fairseq-generate",
        _has_lines(r"[STHDP]-\d+\t"),
        _AS_IT_IS,
        reads={TEXTS: read_fairseq},
    ),
    Format(
        "opennmt",
        "a verbose log of OpenNMT",
        _has_lines(r"(SENT|PRED|GOLD)( \d+:| SCORE:)", 0.3),
        "Take the outputs: sed -n 's/^PRED [0-9]*: //p' FILE > COPY. Its references begin with GOLD.",
    ),
    Format(
        "nbest",
        "an n-best list",
        _has_lines(r"\s*\d+ \|\|\| "),
        f"Take the best of each segment: {_AWK}",
    ),
    Format(
        "conllu",
        "CoNLL-U",
        _has_lines(r"\d+([-.]\d+)?\t([^\t]*\t){8}[^\t]*$"),
        "It contains a parse: name it as the parse of its text.",
        remedies=({"parse": "NAME=FILE"},),
        endings=(".conllu",),
    ),
    Format(
        "subtitles",
        "a file of subtitles",
        _has_lines(r"(\d\d:)?\d\d:\d\d[,.]\d{3} --> ", 0.15),
        _EXPORT,
    ),
    Format("po", "a PO file of gettext", _has_lines(r"(msgid|msgstr)(\[\d+\])? ", 0.2), _EXPORT),
    Format(
        "opus",
        "a comparison of OPUS-MT: source, reference, output and an empty line for each segment",
        lambda sample: sample.has_blocks_of_three,
        "Take the outputs: awk 'NR % 4 == 3' FILE > COPY. The references "
        "are NR % 4 == 2, the sources NR % 4 == 1.",
    ),
    Format(
        "comet",
        "the printed output of comet-score",
        _has_lines(r".*\tSegment \d+\tscore: -?\d"),
        _SCORED,
        scores="COMET",
        reads={SCORE_TABLE: read_comet_log},
        remedies=(_NAMED_SCORES,),
    ),
    Format(
        "seg-score",
        "a file of segment scores of mt-metrics-eval",
        lambda sample: sample.has_score_lines,
        _SCORED,
        reads={SCORE_TABLE: read_seg_scores},
        remedies=(_NAMED_SCORES,),
        endings=(".seg.score",),
    ),
    Format(
        "numbers",
        "a list of numbers",
        lambda sample: (
            len(sample.lines) > 2
            and sample.has_share(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*$", 1)
        ),
        "Scores of segments have a first line with the name of their system, and are given as scores.",
        reads={SCORE_TABLE: read_text_table, DOCUMENTS: None, IDS: None},
    ),
    Format(
        "lm-eval",
        "a file of samples of lm-evaluation-harness",
        lambda sample: (
            {"doc", "target"} <= sample.record.keys()
            and bool({"filtered_resps", "resps"} & sample.record.keys())
        ),
        _AS_IT_IS,
        reads={TEXTS: read_samples},
        endings=(".jsonl",),
    ),
    *(
        Format(
            name,
            "ratings from Appraise",
            _has_lines(APPRAISE + more, 0.9),
            _RATINGS,
            scores=scores,
            reads={SCORE_TABLE: read_appraise},
            remedies=(_NAMED_SCORES,),
            endings=(".csv",),
        )
        for name, scores, more in (
            ("appraise-esa", "ESA", r'[^,]*,"?(True|False)"?,"?\['),
            ("appraise-da", STANDARDIZED_DA, ""),
        )
    ),
    Format(
        "mqm",
        "MQM ratings of Google",
        lambda sample: is_mqm(sample.header),
        _RATINGS,
        scores="MQM",
        reads={SCORE_TABLE: read_mqm},
        remedies=(_NAMED_SCORES,),
        endings=(".tsv",),
    ),
    *(
        Format(
            name,
            "a table of ratings with spaces between its columns",
            _has_first_words(*words),
            _RATINGS,
            scores=scores,
            reads={SCORE_TABLE: read_spaced},
            remedies=(_NAMED_SCORES,),
            endings=endings,
        )
        for name, scores, words, endings in (
            ("mturk", STANDARDIZED_DA, ("SYS", "SID", "RAW.SCR", "Z.SCR", "N"), (".csv",)),
            (
                "mqm-averages",
                "MQM",
                ("system", "mqm_avg_score", "seg_id"),
                (".avg_seg_scores.tsv", ".tsv"),
            ),
        )
    ),
    Format(
        "pearmut",
        "annotations of Pearmut",
        lambda sample: is_pearmut(sample.text),
        _RATINGS,
        scores=PEARMUT_SCORES,
        reads={SCORE_TABLE: read_pearmut},
        remedies=(_NAMED_SCORES,),
        endings=(".jsonl", ".json"),
    ),
    Format(
        "wmt25-ratings",
        "human evaluation of WMT25",
        lambda sample: is_wmt25(sample.record),
        _RATINGS,
        scores="ESA",
        reads={SCORE_TABLE: read_wmt25_ratings, TEXTS: read_wmt25},
        remedies=(_NAMED_SCORES,),
        endings=(".jsonl",),
    ),
    Format(
        "wmt25-texts",
        "documents of WMT25 or WMT26",
        lambda sample: is_wmt25_text(sample.record),
        _AS_IT_IS,
        reads={TEXTS: read_wmt25, DOCUMENTS: None},
        endings=(".jsonl",),
    ),
    Format(
        "predictions",
        "JSON with predictions and references",
        _has_head(_PREDICTIONS),
        _AS_IT_IS,
        reads={TEXTS: read_predictions},
        endings=(".json",),
    ),
    *(
        Format(
            name,
            "a result of sacreBLEU",
            _has_head(begin),
            f"{_WHOLE} Give the reference and the outputs, which mtsig scores as sacreBLEU does.",
        )
        for name, begin in (("sacrebleu", _SACREBLEU), ("sacrebleu-table", _SACREBLEU_TABLE))
    ),
    Format(
        "comet-compare",
        "a result of comet-compare",
        _has_head(_COMET_COMPARE),
        "It contains results of tests next to its scores. Give what comet-score writes, or take the scores of segments: "
        f"{_JQ_OF_COMET}",
    ),
    Format(
        "lm-eval-results",
        "a file of results of lm-evaluation-harness",
        _has_head(_LM_EVAL_RESULTS),
        f"{_WHOLE} Give the samples of each model, which lm_eval writes with --log_samples.",
    ),
    Format(
        "metricx",
        "scores of MetricX",
        lambda sample: is_metricx(sample.record),
        _SCORED,
        scores="MetricX",
        reads={SCORE_TABLE: read_metricx, TEXTS: _tabulate(read_text_table)},
        remedies=(_NAMED_SCORES,),
        endings=(".jsonl",),
    ),
    Format(
        "simuleval",
        "a log of SimulEval",
        lambda sample: {"prediction", "delays"} <= sample.record.keys(),
        "Take the outputs: jq -r .prediction FILE > COPY. Its references: jq -r .reference.",
    ),
    Format(
        "jsonl-texts",
        "JSON, an object in each line, with texts and no scores",
        lambda sample: sample.has_texts_only,
        _JQ,
        reads={DOCUMENTS: None, TEXTS: _tabulate(read_text_table)},
        endings=(".jsonl",),
    ),
    Format(
        "jsonl",
        "JSON, an object in each line",
        lambda sample: bool(sample.record),
        _JQ,
        reads={SCORE_TABLE: None, DOCUMENTS: None, TEXTS: _tabulate(read_text_table)},
        endings=(".jsonl",),
    ),
    Format(
        "json-lines",
        "JSON, a list or a text in each line",
        lambda sample: (
            len(sample.lines) > 1
            and sample.has_share(r"\s*\[.*\]\s*$", _MOST)
            and all(isinstance(_parse_json(line), list) for line in sample.lines[:20])
        ),
        _JQ,
    ),
    Format(
        "json",
        "JSON",
        lambda sample: sample.is_json,
        "Put each of its texts on a line of a text file; scores of segments are read from JSON.",
        reads={SCORE_TABLE: None, TEXTS: _tabulate(read_text_table)},
        endings=(".json",),
    ),
    Format(
        "scores",
        "a table of segment scores",
        lambda sample: (
            bool({*NAMES["system"]} & sample.header)
            and ("score" in sample.header or bool({*NAMES["line"]} & sample.header))
        ),
        _SCORED,
        reads={SCORE_TABLE: read_text_table},
        remedies=(_NAMED_SCORES,),
        endings=(".tsv", ".csv"),
    ),
    Format(
        "texts",
        "a table of texts",
        lambda sample: (
            bool(_TEXT_COLUMNS - _IDS & sample.header)
            and (
                len(_KNOWN & sample.header) > 1
                or bool({*NAMES["reference"]} & sample.header)
                or (sample.n_columns > 1 and bool({*NAMES["source"]} & sample.header))
            )
        ),
        _AS_IT_IS,
        reads={SCORE_TABLE: None, TEXTS: _tabulate(read_text_table)},
        endings=(".tsv", ".csv"),
    ),
    Format(
        "quoted",
        "a table without names of columns",
        lambda sample: sample.has_quoted_cells,
        "Add a first row with the names of its columns, such as source, reference and the name of the system.",
        reads={SCORE_TABLE: None},
    ),
    Format(
        "columns",
        "a table of {n_columns} columns, separated by tabs",
        lambda sample: sample.n_columns > 1,
        "If its columns are references, as sacreBLEU takes them, give it as the reference. Otherwise keep the "
        "column of the texts. For column 2: cut -f2 FILE > COPY",
        reads={SCORE_TABLE: None, DOCUMENTS: None, IDS: None, TEXTS: read_parallel},
    ),
)


#: The marks of the order of bytes, which say how a text is written.
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def to_utf8(data: bytes) -> bytes:
    """A text in UTF-8, if it begins with the mark of UTF-16 or UTF-32; other data as they are."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding).encode()
            except UnicodeError:
                return data
    return data


def sniff(data: bytes) -> Format | None:
    """The format that a file has by its content, unpacked; None for plain text and the unknown."""
    beginning = data[: 4 * _HEAD]
    converted = to_utf8(beginning)
    if converted != beginning:
        data = converted
    return _recognize(data[:_HEAD], data[-_TAIL:])


@lru_cache(maxsize=64)
def _recognize(head: bytes, tail: bytes) -> Format | None:
    """Recognize the format with this beginning and end.

    This is called before a file is read, and again during reading.
    """
    sample = _Sample(head, tail)
    for fmt in FORMATS:
        if fmt.fits(sample):
            return fmt
    return None


def split_lines(text: str) -> list[str]:
    r"""The lines of a text, which end at ``\n`` or ``\r\n`` only; the last need not end."""
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def list_endings(content: str | None = None) -> list[str]:
    """The endings of formats, of all or of those that are read where `content` is expected."""
    endings: list[str] = []
    for fmt in FORMATS:
        if content is None or content in fmt.reads:
            endings += fmt.endings
    return endings


def strip_ending(name: str, content: str | None = None) -> str:
    """The name of a file without the ending of plain text, of a format read as `content`, and gzip.

    >>> strip_ending("A.txt.gz"), strip_ending("A.parquet"), strip_ending("A.parquet", SEGMENTS)
    ('A', 'A', 'A.parquet')
    """
    name = re.sub(r"\.(gz|bz2|xz|zst)$", "", name)
    for ending in (".txt", *list_endings(content)):
        if name.endswith(ending):
            return name.removesuffix(ending)
    return name


def find_format(name: str, data: bytes, content: str) -> Format | None:
    """Find the format of a file, or of its beginning; None for plain text.

    Raises InputError if no reader makes the expected `content` from this format.
    """
    fmt = sniff(data) if content in _CHECKED else None
    if fmt is None or content in fmt.reads:
        return fmt
    sample = _Sample(data[:_HEAD], b"")
    title = fmt.title.format(n_columns=sample.n_columns)
    if sample.lines and not sample.is_binary:
        title += f' (it begins "{show_name(sample.lines[0][:_SHOWN])}")'
    remedies = fmt.remedies if content == SEGMENTS else ()
    raise InputError(
        f"{name} is {title}. Expected {content}. {_write_remedy(name, fmt, content)}", *remedies
    )


def _write_remedy(name: str, fmt: Format, content: str) -> str:
    """What to do about a file of this format, with its name in commands of a shell."""
    is_mistaken_text = content in (SEGMENTS, FOLDER, TEXTS)
    if is_mistaken_text or fmt.is_binary or not fmt.reads:
        remedy = fmt.remedy
    elif content == SCORE_TABLE:
        remedy = _FOR_SCORES
    else:
        remedy = _FOR_LINES
    file = shlex.quote(name)
    if "COPY" in remedy and name.endswith(".gz"):
        file = f"<(gzip -dc {file})"
    copy = shlex.quote(re.sub(r"(\.txt)?(\.gz)?$", "", name) + ".texts.txt")
    replacements = {"FILE": file, "COPY": copy}
    return re.sub("FILE|COPY", lambda match: replacements[match[0]], remedy)
