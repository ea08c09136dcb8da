"""Folders in the layout of the WMT shared tasks, of 2024 and of 2021 to 2023."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown, find_closest, suggest_name
from mtsig_core.languages import LANGUAGE, THREE_LETTERS, is_langpair, languages_of
from mtsig_core.readers.columns import show_names
from mtsig_core.readers.files import FilePath, check_regular, exists, is_folder, list_folder
from mtsig_core.readers.formats import TEXTS, sniff
from mtsig_core.readers.limits import spend
from mtsig_core.readers.lines import decode_text, explain_missing, read_bytes
from mtsig_core.readers.markup import (
    SOURCE_PART,
    XML_FORM,
    TextDocument,
    parse_sgml,
    parse_xml,
    read_sgml_texts,
    tabulate_documents,
)
from mtsig_core.readers.text_tables import name_reference
from mtsig_core.readers.texts import (
    TestSetFiles,
    assemble,
    check_langpair,
    drop_canary,
    index_by_name,
)
from mtsig_core.testset import TestSet, show_name

# What the name of a file says in the style of the WMT shared tasks: set, language pair, role, system or reference.
#
# Of 2024, also mt-metrics-eval, where much is said by the folder::
#
#     references/en-de.refA.txt     system-outputs/en-de/NAME.txt
#     sources/en-de.txt             documents/en-de.docs
#
# Of 2008 to 2020::
#
#     newstest2019-ende-ref.de      newstest2019-ende-src.en      newstest2019.NAME.1234.en-de
#
# Of 2021 to 2023, where SET is such as ``newstest2021`` and names say all::
#
#     references/SET.en-de.ref.A.de     system-outputs/SET.en-de.hyp.NAME.de
#     sources/SET.en-de.src.en          metainfo/SET.en-de.meta.jsonl

OUTPUTS = ("system-outputs", "system_outputs")
PAIR = rf"(?P<pair>(?P<origin>{LANGUAGE})-(?P<target>{LANGUAGE}))"
# Of two letters, as ISO 639-1 has them, or of three that are known or have a script: where only the
# pair tells what a name is, our-mt must be none.
_CODE = (
    "(?:"
    + "|".join(
        [
            "aa",
            "ab",
            "ae",
            "af",
            "ak",
            "am",
            "an",
            "ar",
            "as",
            "av",
            "ay",
            "az",
            "ba",
            "be",
            "bg",
            "bh",
            "bi",
            "bm",
            "bn",
            "bo",
            "br",
            "bs",
            "ca",
            "ce",
            "ch",
            "co",
            "cr",
            "cs",
            "cu",
            "cv",
            "cy",
            "da",
            "de",
            "dv",
            "dz",
            "ee",
            "el",
            "en",
            "eo",
            "es",
            "et",
            "eu",
            "fa",
            "ff",
            "fi",
            "fj",
            "fo",
            "fr",
            "fy",
            "ga",
            "gd",
            "gl",
            "gn",
            "gu",
            "gv",
            "ha",
            "he",
            "hi",
            "ho",
            "hr",
            "ht",
            "hu",
            "hy",
            "hz",
            "ia",
            "id",
            "ie",
            "ig",
            "ii",
            "ik",
            "io",
            "is",
            "it",
            "iu",
            "ja",
            "jv",
            "ka",
            "kg",
            "ki",
            "kj",
            "kk",
            "kl",
            "km",
            "kn",
            "ko",
            "kr",
            "ks",
            "ku",
            "kv",
            "kw",
            "ky",
            "la",
            "lb",
            "lg",
            "li",
            "ln",
            "lo",
            "lt",
            "lu",
            "lv",
            "mg",
            "mh",
            "mi",
            "mk",
            "ml",
            "mn",
            "mr",
            "ms",
            "mt",
            "my",
            "na",
            "nb",
            "nd",
            "ne",
            "ng",
            "nl",
            "nn",
            "no",
            "nr",
            "nv",
            "ny",
            "oc",
            "oj",
            "om",
            "or",
            "os",
            "pa",
            "pi",
            "pl",
            "ps",
            "pt",
            "qu",
            "rm",
            "rn",
            "ro",
            "ru",
            "rw",
            "sa",
            "sc",
            "sd",
            "se",
            "sg",
            "si",
            "sk",
            "sl",
            "sm",
            "sn",
            "so",
            "sq",
            "sr",
            "ss",
            "st",
            "su",
            "sv",
            "sw",
            "ta",
            "te",
            "tg",
            "th",
            "ti",
            "tk",
            "tl",
            "tn",
            "to",
            "tr",
            "ts",
            "tt",
            "tw",
            "ty",
            "ug",
            "uk",
            "ur",
            "uz",
            "ve",
            "vi",
            "vo",
            "wa",
            "wo",
            "xh",
            "yi",
            "yo",
            "za",
            "zh",
            "zu",
        ]
        + [*THREE_LETTERS, "[a-z]{3}(?=_[A-Z][a-z]{3})"]
    )
    + ")"
)
_PLAIN = rf"{_CODE}(?:_\w{{2,4}}|-[A-Z][a-z]{{3}}|-[A-Z]{{2}}|-[0-9]{{3}}){{0,2}}"
_PLAIN_PAIR = rf"(?P<pair>{_PLAIN}-{_PLAIN})"
_START = rf"((?P<set>.+?)\.)?{PAIR}"
_END = r"(\.(?P=target)(\.txt)?|\.txt)"
_ANYWHERE = (
    ("system", rf"{_START}\.hyp\.(?P<name>.+?){_END}"),
    ("reference", rf"{_START}\.ref(\.(?P<name>.+?))?{_END}"),
    ("reference", rf"{_START}\.(?P<name>ref[^.]*)\.txt"),
    ("source", rf"{_START}\.src(\.(?P=origin))?(\.txt)?"),
    ("source", rf"{_PLAIN_PAIR}\.txt"),
    ("documents", rf"{_START}(\.docs|\.meta\.jsonl)"),
    *(
        (
            role,
            rf"(?P<set>[a-z]*test\w*)-(?P<origin>[a-z]{{2}})(?P<target>[a-z]{{2}})-{short}\.[a-z]{{2}}"
            r"(\.sgml?)?",
        )
        for role, short in (("reference", "ref"), ("source", "src"))
    ),
    ("system", rf"(?P<set>[a-z]*test\d\w*)\.(?P<name>.+)\.{_PLAIN_PAIR}(\.sgml?)?"),
)
_INSIDE = {
    "references": [
        *_ANYWHERE[1:2],
        _ANYWHERE[6],
        ("reference", rf"{_START}(\.(?P<name>.+))?\.txt"),
    ],
    "sources": [_ANYWHERE[3], _ANYWHERE[7], ("source", rf"{_START}\.txt")],
    "documents": _ANYWHERE[5:6],
    **dict.fromkeys(OUTPUTS, (_ANYWHERE[0], _ANYWHERE[8])),
    **dict.fromkeys(("metadata", "metainfo"), [("documents", rf"{_START}(\.meta)?\.jsonl")]),
}
#: Names of folders that say nothing of the task in them: those of a release for its texts, and
#: others.
_TEXTS = ("txt", "txt-ts")
_GENERIC = ("data", "dataset", "files", "release", "test-set", "testset", "text", "texts")


@dataclass(frozen=True)
class TaskName:
    """What a file of a shared task is."""

    role: str  # {"system", "reference", "source", "documents"}
    pair: str  # such as ``"en-de"``
    set: str = ""  # such as ``"newstest2021"``; empty where the name says none
    #: Of the system or reference, of which the first is called refA also where the file has A; else
    #: empty.
    name: str = ""


def task_name(path: str) -> TaskName | None:
    """What the name of a file says, and the folders before it if there are any; None for a name of
    another style.

    >>> task_name("generaltest2022.uk-en.hyp.GTCOM.en")
    TaskName(role='system', pair='uk-en', set='generaltest2022', name='GTCOM')
    >>> task_name("system-outputs/en-de/GPT-4.txt.gz"), task_name("GPT-4.txt")
    (TaskName(role='system', pair='en-de', set='', name='GPT-4'), None)
    >>> task_name("references/en-de.A.txt").name, task_name("en-de.txt").role
    ('refA', 'source')
    """
    *folders, file = PurePosixPath(path.replace("\\", "/")).parts or ("",)
    file, folder = file.removesuffix(".gz"), folders[-1] if folders else ""
    of_pair = re.fullmatch(PAIR, folder) if folders[-2:-1] and folders[-2] in OUTPUTS else None
    for role, pattern in _INSIDE[folders[-2]] if of_pair else _INSIDE.get(folder, _ANYWHERE):
        if found := re.fullmatch(pattern, file, re.DOTALL):
            parts = found.groupdict()
            own = parts.get("name") or ""
            return TaskName(
                role,
                parts.get("pair") or f"{parts['origin']}-{parts['target']}",
                parts.get("set") or "",
                name_reference(own) if role == "reference" else own,
            )
    if of_pair and (plain := re.fullmatch(rf"(.+)\.(txt|{of_pair['target']})", file, re.DOTALL)):
        return TaskName("system", folder, "", plain[1])
    return None


def folder_name(folder: str | os.PathLike[str]) -> str:
    """What a task in a folder, or in a zip of it, is called.

    A folder whose name says nothing has that of the one above before it; a release has its texts in
    ``txt``, which adds nothing.

    >>> folder_name("/srv/wmt23/txt"), folder_name("/srv/wmt23/data"), folder_name("/srv/wmt24.zip")
    ('wmt23', 'wmt23 data', 'wmt24')
    """
    path = Path(folder).resolve()
    name, above = (
        re.sub(r"(?i)\.(zip|tar|tgz|tar\.(gz|bz2|xz))$", "", own)
        for own in (path.name, path.parent.name)
    )
    if not above or name.lower() not in (*_TEXTS, *_GENERIC):
        return name
    return above if name.lower() in _TEXTS else f"{above} {name}"


def without_pair(file: str) -> tuple[str, str, str]:
    """Set and language pair in a name of another style, both empty without, and the name without
    them before it.

    >>> without_pair("generaltest2024.en-zh.esa.tsv"), without_pair("mine.en-zh.txt"), without_pair("our-mt.txt")
    (('generaltest2024', 'en-zh', 'esa.tsv'), ('', 'en-zh', 'mine.en-zh.txt'), ('', '', 'our-mt.txt'))
    """
    if found := re.fullmatch(
        rf"((?P<set>[a-z]*(test|wmt)[a-z]*\d+\w*)\.)?{_PLAIN_PAIR}\.(?P<rest>.+\..+)",
        file,
        re.DOTALL,
    ):
        return found["set"] or "", found["pair"], found["rest"]
    pair = next((part for part in file.split(".")[:-1] if re.fullmatch(_PLAIN_PAIR, part)), "")
    return "", pair, file


def drop_set(langpair: str) -> str:
    """The language pair that one of several sets of it is of: en-de of SET.en-de."""
    return langpair.rpartition(".")[2]


def find_pair(file: str) -> str:
    """The language pair that a name has anywhere between other words, empty where it has none, or
    several.

    >>> [find_pair(name) for name in ("ad-seg-scores-cs-en.csv", "mqm_ted_ende.tsv", "wave2.csv", "my_best_test.tsv")]
    ['cs-en', 'en-de', '', '']
    """
    apart = re.findall(rf"(?:^|[._-])({_CODE})-({_CODE})(?=[._-]|$)", file)
    together = re.findall(rf"(?<=_)({_CODE})({_CODE})(?=[._])", file)
    pairs = {f"{source}-{target}" for source, target in apart or together if source != target}
    # letters side by side are languages where one of them is English: 'test' is not Telugu-Sotho
    if not apart:
        pairs = {pair for pair in pairs if "en" in pair.split("-")}
    return pairs.pop() if len(pairs) == 1 else ""


# Folders in the layout of the WMT shared tasks. The inputs of the metrics tasks mix both
# generations: ``system_outputs/en-de/SET.en-de.hyp.NAME.de``. Where names say all, the files may
# also lie side by side. Each may be gzipped.

_LISTED = 8  # of other files, by name
_ASIDE = ("sources", "documents", "metadata", "metainfo")
ONE_OF_EACH = "Remove or rename one of them."
LAYOUT = (
    "Expected one of three layouts. Folders references/ and system-outputs/ with files such as "
    "references/en-de.refA.txt or references/SET.en-de.ref.A.de. Files side by side, such as SET.en-de.ref.A.de "
    "and SET.en-de.hyp.NAME.de. XML, such as SET.en-de.all.xml."
)
_Files = list[tuple[TaskName, Path]]


def language_pairs(folder: FilePath) -> list[str]:
    """The language pairs that a folder in WMT layout has references for, sorted.

    A pair that comes in several sets is listed once for each, as ``SET.en-de``.

    Raises
    ------
    InputError
        If the folder cannot be read or has no ``references/``.
    """
    sets = {(name.set, name.pair) for name, _ in _find_references(Path(folder))}
    pairs = [pair for _, pair in sets]
    return sorted(
        f"{name}.{pair}" if name and pairs.count(pair) > 1 else pair for name, pair in sets
    )


def read_wmt(
    folder: FilePath,
    langpair: str,
    *,
    parses: Sequence[tuple[str, FilePath]] = (),
    keep_canary: bool = False,
) -> TestSet:
    """The test set of one language pair from a folder in WMT layout.

    Parameters
    ----------
    folder : path-like
        The folder that has ``references/`` and ``system-outputs/``; ``sources/`` and ``documents/``
        (or ``metadata/``, ``metainfo/``) are optional.
    langpair : str
        One of `language_pairs`.
    parses : sequence of (str, path-like)
        System or reference, and its parse in CoNLL-U; see `mtsig_core.readers.conllu.read_conllu`.
    keep_canary : bool
        Whether to keep a line that the documents file calls ``canary``, a string that is there to
        be found in training data and translates nothing. The set's `lines` are those of the files
        either way.

    Returns
    -------
    TestSet
        With all references of the pair (``A`` is named ``refA``), and the systems in the order of
        their names. A reference that also lies among the outputs, as mt-metrics-eval has it, is no
        system.

    Raises
    ------
    InputError
        If the folder is of another layout, has no reference for the pair, or its files do not
        match.
    SettingError
        If `langpair` is not of the form ``en-de`` (or ``SET.en-de``).
    """
    folder = Path(folder)
    check_langpair(langpair.rpartition(".")[2])
    references = _find_references(folder)
    set_name, pair = _choose_set(
        {(name.set, name.pair) for name, _ in references}, langpair, folder
    )
    inside = [f"{outputs}/{pair}" for outputs in OUTPUTS]
    files = _find_files(
        folder, [*_ASIDE, *OUTPUTS, *inside] if is_folder(folder / "references") else [""]
    )

    def find_role(role: str, files: _Files = files) -> list[tuple[str, FilePath]]:
        # Files of the other generation's names beside those of this one are taken too, but not
        # those of another set.
        return sorted(
            (name.name, check_regular(path))
            for name, path in files
            if (name.role, name.pair) == (role, pair)
            and (not set_name or name.set in ("", set_name))
        )

    def find_only(role: str, suffix: str = "") -> FilePath | None:
        paths = [path for _, path in find_role(role)]
        paths = [path for path in paths if suffix in Path(path).suffixes] or paths
        if len(paths) > 1:
            raise InputError(
                f"There are two {role.removesuffix('s')} files: {show_name(paths[0])} and "
                f"{show_name(paths[1])}. {ONE_OF_EACH}"
            )
        return paths[0] if paths else None

    of_set = [(name, path) for name, path in references if name.set == set_name]
    paths = TestSetFiles(
        index_by_name(find_role("reference", of_set), "reference", ONE_OF_EACH),
        index_by_name(find_role("system"), "system", ONE_OF_EACH),
        find_only("source"),
        find_only("documents", ".docs"),
        index_by_name(parses, "parse", "Give one for each."),
    )
    testset = assemble(
        f"{set_name or folder_name(folder)} {pair}",
        paths,
        langpair=pair,
        keep_canary=keep_canary,
        has_blanks=True,
    )
    systems = {
        name: texts
        for name, texts in testset.systems.items()
        if testset.references.get(name) != texts
    }
    not_read = [
        assumption for place in inside for assumption in _list_unread_outputs(folder, place)
    ]
    return replace(testset, systems=systems, assumed=(*testset.assumed, *not_read))


def _list_unread_outputs(folder: Path, place: str) -> list[Assumption]:
    """That files among the outputs have no name of an output; empty where all have."""
    if not is_folder(folder / place):
        return []
    names = [
        show_name(name) for name in list_folder(folder / place) if not task_name(f"{place}/{name}")
    ]
    if not names:
        return []
    return [
        Assumption("names-of-outputs", {"place": place, "n": len(names), "files": names[:_LISTED]})
    ]


def list_left_out(folder: Path) -> list[Assumption]:
    """Which language pairs have outputs and no reference, as a task does not publish one for each,
    and what lies where others have a language pair and is none, such as en-zh-x.
    """
    outputs = [
        (place, name)
        for place in OUTPUTS
        if is_folder(folder / place)
        for name in list_folder(folder / place)
    ]
    folders = [(place, name) for place, name in outputs if is_folder(folder / place / name)]
    pairs = {
        name.pair
        for name, _ in _find_files(folder, [*OUTPUTS, *map("/".join, folders)])
        if name.role == "system"
    }
    others = {name for _, name in folders}
    references = folder / "references"
    for place, name in [
        *outputs,
        *(("references", name) for name in list_folder(references) if is_folder(references)),
    ]:
        if not task_name(f"{place}/{name}"):
            others |= set(re.findall(r"(?:^|\.)([A-Za-z]{2,3}(?:_\w+)?-[\w-]+)(?=\.)", name)[:1])
    return [
        *(
            Assumption("pair-without-reference", {"pair": pair})
            for pair in sorted(pairs - {name.pair for name, _ in _find_references(folder)})
        ),
        *(
            Assumption("no-language-pair", {"name": show_name(name)})
            for name in sorted(others)
            if not is_langpair(name)
        ),
    ]


def _find_files(folder: Path, places: Iterable[str]) -> _Files:
    """The files in these subfolders, as far as there are such, whose names say what they are.

    Backups do not.
    """
    return [
        (name, folder / place / file)
        for place in places
        if exists(folder / place)
        for file in list_folder(folder / place)
        if (name := task_name(f"{place}/{file}" if place else file))
    ]


def _find_references(folder: Path) -> _Files:
    """The reference files."""
    if not is_folder(folder):
        raise InputError(
            f"{show_name(folder)} is a file; a folder is expected. {LAYOUT}"
            if os.path.lexists(folder)
            else explain_missing(folder)
        )
    inside = folder / "references"
    is_flat = not is_folder(inside)
    files = _find_files(folder, [""] if is_flat else ["references"])
    references = [(name, path) for name, path in files if name.role == "reference"]
    if is_flat and not (references and any(name.role == "system" for name, _ in files)):
        names = list_folder(folder)
        near = [folder / name for name in names if is_folder(folder / name / "references")]
        near += [folder.parent] if folder.name in ("references", *OUTPUTS) else []
        hint = f" Did you mean {show_name(near[0])}?" if near else ""
        raise InputError(
            f"{show_name(folder)} has no references/; it has {show_names(names, 8) or 'nothing'}. "
            f"{LAYOUT}{hint}"
        )
    if not references:
        names = list_folder(inside)
        raise InputError(
            f"{show_name(inside)} has no reference; it has {show_names(names, 8) or 'nothing'}. {LAYOUT}"
        )
    return references


def _choose_set(sets: Collection[tuple[str, str]], langpair: str, folder: Path) -> tuple[str, str]:
    """The (set, pair) that a language pair, or SET.pair, stands for."""
    full = {f"{name}.{pair}" if name else pair: (name, pair) for name, pair in sets}
    of_pair = sorted(key for key, (_, pair) in full.items() if pair == langpair)
    if langpair in full or len(of_pair) == 1:
        return full[langpair if langpair in full else of_pair[0]]
    if of_pair:
        raise InputError(
            f"{show_name(folder)} has {len(of_pair)} sets for {langpair}. Choose one: "
            f"{', '.join(of_pair)}."
        )
    pairs = sorted({pair for _, pair in sets})
    turned = "-".join(reversed([language or "" for language in languages_of(langpair)]))
    near = turned if turned in pairs else find_closest(langpair, [*full, *pairs])
    hint = "" if near is None else f" Did you mean {near}?"
    raise InputError(
        f"{show_name(folder)} has no reference for {show_name(langpair)}; it has "
        f"{', '.join(pairs)}.{hint}"
    )


# XML of the shared tasks, 2021 on, with source, references and outputs in one file; see `markup`.

_EXPECTED = "the XML of a shared task"


def read_wmt_xml(
    paths: Sequence[FilePath],
    langpair: str | None = None,
    *,
    name: str | None = None,
    keep_canary: bool = False,
) -> TestSet:
    """The test set of one language pair from XML files of a WMT shared task, put together by the
    ids of documents.

    As in sacreBLEU, white space is one blank in a row, and documents of test suites and segments
    that no reference has are left out; `lines` count the segments of all other documents. What a
    reference lacks is None. What a system lacks is an empty text: the words of WMT's ``NO
    TRANSLATION AVAILABLE`` could match by chance.
    """
    if langpair is not None:
        check_langpair(langpair)
    found: dict[str, TextDocument] = {}
    for path in paths:
        _read(path, found)
    pairs = sorted(
        {
            f"{document.source.lang}-{part.lang}"
            for document in found.values()
            if document.source
            for part in document.translations
            if document.source.lang and part.lang
        }
    )
    _check_sources(found)
    label = name or re.sub(
        r"\.(xml|sgml?)(\.gz)?$", "", re.split(r"[/\\]", show_name(paths[0]))[-1]
    )
    if langpair is None:
        if len(pairs) > 1:
            raise SettingError(
                f"{label} has {len(pairs)} language pairs: {', '.join(map(show_name, pairs))}. Choose "
                "one.",
                {"langpair": "XX-YY"},
            )
        langpair = pairs[0] if pairs else None
    elif pairs and langpair not in pairs:
        raise explain_unknown("language pair", langpair, pairs)
    if langpair is not None:
        source, target = languages_of(langpair)
        found = {
            key: TextDocument(
                document.domain,
                {
                    name: part
                    for name, part in document.parts.items()
                    if name == SOURCE_PART or part.lang in (target, "")
                },
            )
            for key, document in found.items()
            if not document.source or document.source.lang in (source, "")
        }
    testset = _make_testset(label, " and ".join(map(show_name, paths)), found, langpair)
    return testset if keep_canary else drop_canary(testset)


def _check_sources(found: dict[str, TextDocument]) -> None:
    """Raise InputError where a document has no source, and others have: then its id may be
    misspelt.
    """
    known = [key for key, document in found.items() if document.source]
    for key, document in found.items() if known else ():
        for part in document.translations if document.source is None else ():
            raise InputError(
                f"{part.where}: the document {show_name(key)} has no <src>, here or in another file."
                f"{suggest_name(key, known)} Expected the id of one that has: mend it, or remove the "
                "document."
            )


def _make_testset(
    name: str, files: str, documents: dict[str, TextDocument], langpair: str | None
) -> TestSet:
    """Documents of one language pair, segment by segment, without those that no reference has."""
    kinds = {kind for document in documents.values() for kind, _ in document.parts}
    for kind, what in (("ref", "reference"), ("hyp", "output")):
        if kind not in kinds:
            raise InputError(
                f"{files}: there is no {what}, <{kind}>. Expected {XML_FORM}; name the file that has it "
                "too."
            )
    for key, document in documents.items():
        for part in document.translations if document.source else ():
            if odd := next(
                (seg for seg in part.texts if document.source and seg not in document.source.texts),
                None,
            ):
                raise InputError(
                    f"{part.where}: the document {show_name(key)} has a segment {show_name(odd)!r} here, "
                    "and none in its <src>. Expected the same ids in both."
                )
    table = tabulate_documents(documents, files)
    spend("systems", len(table.outputs), files)
    keys: list[Any] = list(table.keys or ())
    having = [k for k in range(len(keys)) if any(texts[k] for texts in table.references.values())]
    if not having:
        raise InputError(f"{files}: no segment has a reference. Expected {XML_FORM}.")
    bare = sorted({*range(len(keys))} - {*having})
    told = [
        Assumption(
            "no-reference",
            {"n": len(bare), "segment": show_name(keys[k][1]), "document": show_name(keys[k][0])},
        )
        for k in bare[:1]
    ]
    table = table.take(having)
    return TestSet(
        name,
        {own: [text or "" for text in texts] for own, texts in table.outputs.items()},
        {own: [text or None for text in texts] for own, texts in table.references.items()},
        sources=None if table.sources is None else [text or "" for text in table.sources],
        documents=table.documents,
        domains=table.domains,
        langpair=langpair,
        lines=[k + 1 for k in having],
        assumed=tuple(told),
    )


def _read(path: FilePath, found: dict[str, TextDocument]) -> None:
    """Read one file, and put what it has where it belongs."""
    data, unpacked = read_bytes(path, _EXPECTED)
    fmt = sniff(data)
    if fmt is not None and fmt.reads.get(TEXTS) is read_sgml_texts:
        parse_sgml(decode_text(data, path, unpacked), show_name(path), found)
    else:
        parse_xml(data, show_name(path), found)


def xml_names(files: Iterable[str]) -> dict[str, list[str]]:
    """Names of XML and SGML files by the language pair that they say, as their content does:
    en-pt_BR for en-pt-BR.

    >>> xml_names(["newstest2021.en-de.all.xml", "wmttest2022.cs-en.xml.gz", "notes.xml"])
    {'en-de': ['newstest2021.en-de.all.xml'], 'cs-en': ['wmttest2022.cs-en.xml.gz']}
    >>> xml_names(["newstest2019-ende-ref.de.sgm", "newstest2019.A.1.en-de.sgm"])
    {'en-de': ['newstest2019-ende-ref.de.sgm', 'newstest2019.A.1.en-de.sgm']}
    """
    found: dict[str, list[str]] = {}
    for file in files:
        if said := re.fullmatch(
            rf"(?:.*\.)?({LANGUAGE})-({LANGUAGE})(?:\..*)?\.(?:xml|sgml?)(?:\.gz)?", file
        ) or re.fullmatch(r".+-([a-z]{2})([a-z]{2})-(?:ref|src)\.[a-z]{2}\.sgml?(?:\.gz)?", file):
            pair = "-".join(language.replace("-", "_") for language in said.groups())
            found.setdefault(pair, []).append(file)
    return found
