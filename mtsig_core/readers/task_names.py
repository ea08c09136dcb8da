"""Parse file names of shared tasks: set, language pair, role, system or reference."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from mtsig_core.languages import LANGUAGE, THREE_LETTERS
from mtsig_core.readers.text_tables import name_reference
from mtsig_core.testset import show_name

# Names of 2024, also of mt-metrics-eval, where the folder gives much of the information::
#
#     references/en-de.refA.txt     system-outputs/en-de/NAME.txt
#     sources/en-de.txt             documents/en-de.docs
#
# Of 2008 to 2020::
#
#     newstest2019-ende-ref.de      newstest2019-ende-src.en      newstest2019.NAME.1234.en-de
#
# Of 2021 to 2023, where names are complete and SET is a name such as ``newstest2021``::
#
#     references/SET.en-de.ref.A.de     system-outputs/SET.en-de.hyp.NAME.de
#     sources/SET.en-de.src.en          metainfo/SET.en-de.meta.jsonl

OUTPUTS = ("system-outputs", "system_outputs")
_PAIR = rf"(?P<pair>(?P<origin>{LANGUAGE})-(?P<target>{LANGUAGE}))"
#: Of two letters, as ISO 639-1 has them.
_TWO_LETTER_CODES = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv "
    "cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr "
    "ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw "
    "ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv "
    "ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr "
    "ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi "
    "yo za zh zu "
)
# Codes of three letters are known here or have a script: where only the pair tells what a name is, our-mt must be none.
_CODES = (*_TWO_LETTER_CODES.split(), *THREE_LETTERS, "[a-z]{3}(?=_[A-Z][a-z]{3})")
_CODE = f"(?:{'|'.join(_CODES)})"
_KNOWN_LANGUAGE = rf"{_CODE}(?:_\w{{2,4}}|-[A-Z][a-z]{{3}}|-[A-Z]{{2}}|-[0-9]{{3}}){{0,2}}"
_KNOWN_PAIR = rf"(?P<pair>{_KNOWN_LANGUAGE}-{_KNOWN_LANGUAGE})"
_START = rf"((?P<set>.+?)\.)?{_PAIR}"
_END = r"(\.(?P=target)(\.txt)?|\.txt)"
_OLD_START = r"(?P<set>[a-z]*test\w*)-(?P<origin>[a-z]{2})(?P<target>[a-z]{2})"


class _Pattern(NamedTuple):
    """A style of names, and what files with such names are."""

    role: str
    regex: str


_OUTPUT = _Pattern("system", rf"{_START}\.hyp\.(?P<name>.+?){_END}")
_OLD_OUTPUT = _Pattern(
    "system", rf"(?P<set>[a-z]*test\d\w*)\.(?P<name>.+)\.{_KNOWN_PAIR}(\.sgml?)?"
)
_REFERENCE = _Pattern("reference", rf"{_START}\.ref(\.(?P<name>.+?))?{_END}")
_OLD_REFERENCE = _Pattern("reference", rf"{_OLD_START}-ref\.[a-z]{{2}}(\.sgml?)?")
_SOURCE = _Pattern("source", rf"{_START}\.src(\.(?P=origin))?(\.txt)?")
_OLD_SOURCE = _Pattern("source", rf"{_OLD_START}-src\.[a-z]{{2}}(\.sgml?)?")
_DOCUMENTS = _Pattern("documents", rf"{_START}(\.docs|\.meta\.jsonl)")
_METADATA = _Pattern("documents", rf"{_START}(\.meta)?\.jsonl")
#: The first that fits counts.
_ANYWHERE = (
    _OUTPUT,
    _REFERENCE,
    _Pattern("reference", rf"{_START}\.(?P<name>ref[^.]*)\.txt"),
    _SOURCE,
    _Pattern("source", rf"{_KNOWN_PAIR}\.txt"),
    _DOCUMENTS,
    _OLD_REFERENCE,
    _OLD_SOURCE,
    _OLD_OUTPUT,
)
#: In the folders of a task, whose names say the role.
_INSIDE = {
    "references": (
        _REFERENCE,
        _OLD_REFERENCE,
        _Pattern("reference", rf"{_START}(\.(?P<name>.+))?\.txt"),
    ),
    "sources": (_SOURCE, _OLD_SOURCE, _Pattern("source", rf"{_START}\.txt")),
    "documents": (_DOCUMENTS,),
    "metadata": (_METADATA,),
    "metainfo": (_METADATA,),
    **dict.fromkeys(OUTPUTS, (_OUTPUT, _OLD_OUTPUT)),
}
#: Names of folders that do not describe the task in them: the folder of texts in a release, and
#: others.
_TEXT_FOLDERS = ("txt", "txt-ts")
_GENERIC_FOLDERS = (
    "data",
    "dataset",
    "files",
    "release",
    "test-set",
    "testset",
    "text",
    "texts",
)
_ARCHIVE_ENDING = re.compile(r"\.(zip|tar|tgz|tar\.(gz|bz2|xz|zst))$", re.IGNORECASE)


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
    """Parse the name of a file and the folders before it; None for a name of another style.

    >>> task_name("generaltest2022.uk-en.hyp.GTCOM.en")
    TaskName(role='system', pair='uk-en', set='generaltest2022', name='GTCOM')
    >>> task_name("system-outputs/en-de/GPT-4.txt.gz"), task_name("GPT-4.txt")
    (TaskName(role='system', pair='en-de', set='', name='GPT-4'), None)
    >>> task_name("references/en-de.A.txt").name, task_name("en-de.txt").role
    ('refA', 'source')
    """
    *folders, file = PurePosixPath(path.replace("\\", "/")).parts or ("",)
    file = file.removesuffix(".gz")
    folder = folders[-1] if folders else ""
    pair_folder = None
    if len(folders) > 1 and folders[-2] in OUTPUTS:
        pair_folder = re.fullmatch(_PAIR, folder)
    patterns = _INSIDE.get(folder, _ANYWHERE) if pair_folder is None else _INSIDE[folders[-2]]
    for pattern in patterns:
        match = re.fullmatch(pattern.regex, file, re.DOTALL)
        if match is None:
            continue
        groups = match.groupdict()
        name = groups.get("name") or ""
        if pattern.role == "reference":
            name = name_reference(name)
        pair = groups.get("pair") or f"{groups['origin']}-{groups['target']}"
        return TaskName(pattern.role, pair, groups.get("set") or "", name)
    if pair_folder is not None:
        match = re.fullmatch(rf"(.+)\.(txt|{pair_folder['target']})", file, re.DOTALL)
        if match is not None:
            return TaskName("system", folder, "", match[1])
    return None


def folder_name(folder: str | os.PathLike[str]) -> str:
    """Derive the name of a task from its folder, or from a zip of the folder.

    If the name of the folder is too general, the name of its parent folder precedes it. A release
    has its texts in ``txt``, which adds nothing to the name.

    >>> folder_name("/srv/wmt23/txt"), folder_name("/srv/wmt23/data"), folder_name("/srv/wmt24.zip")
    ('wmt23', 'wmt23 data', 'wmt24')
    """
    path = Path(folder).resolve()
    name = _ARCHIVE_ENDING.sub("", path.name)
    parent = _ARCHIVE_ENDING.sub("", path.parent.name)
    if parent and name.lower() in _TEXT_FOLDERS:
        return parent
    if parent and name.lower() in _GENERIC_FOLDERS:
        return f"{parent} {name}"
    return name


def without_pair(file: str) -> tuple[str, str, str]:
    """Set and language pair in a name of another style, and the name after them.

    Set and pair are empty if it has none.

    >>> without_pair("generaltest2024.en-zh.esa.tsv"), without_pair("mine.en-zh.txt"), without_pair("our-mt.txt")
    (('generaltest2024', 'en-zh', 'esa.tsv'), ('', 'en-zh', 'mine.en-zh.txt'), ('', '', 'our-mt.txt'))
    """
    match = re.fullmatch(
        rf"((?P<set>[a-z]*(test|wmt)[a-z]*\d+\w*)\.)?{_KNOWN_PAIR}\.(?P<label>.+\..+)",
        file,
        re.DOTALL,
    )
    if match is not None:
        return match["set"] or "", match["pair"], match["label"]
    *words, _ = file.split(".")
    pair = next((word for word in words if re.fullmatch(_KNOWN_PAIR, word)), "")
    return "", pair, file


def drop_set(langpair: str) -> str:
    """Return the language pair without the name of the set: en-de for SET.en-de."""
    return langpair.rpartition(".")[2]


def find_pair(file: str) -> str:
    """The only language pair that a name has anywhere between other words; else empty.

    >>> [find_pair(name) for name in ("ad-seg-scores-cs-en.csv", "mqm_ted_ende.tsv", "wave2.csv", "my_best_test.tsv")]
    ['cs-en', 'en-de', '', '']
    """
    apart = re.findall(rf"(?:^|[._-])({_CODE})-({_CODE})(?=[._-]|$)", file)
    together = re.findall(rf"(?<=_)({_CODE})({_CODE})(?=[._])", file)
    # Letters side by side are languages where one of them is English: 'test' is not Telugu-Sotho.
    candidates = apart or [codes for codes in together if "en" in codes]
    pairs = {f"{source}-{target}" for source, target in candidates if source != target}
    return pairs.pop() if len(pairs) == 1 else ""


def xml_names(files: Iterable[str]) -> dict[str, list[str]]:
    """Names of XML and SGML files by the language pair that they say.

    As in their content, it is en-pt_BR for en-pt-BR.

    >>> xml_names(["newstest2021.en-de.all.xml", "wmttest2022.cs-en.xml.gz", "notes.xml"])
    {'en-de': ['newstest2021.en-de.all.xml'], 'cs-en': ['wmttest2022.cs-en.xml.gz']}
    >>> xml_names(["newstest2019-ende-ref.de.sgm", "newstest2019.A.1.en-de.sgm"])
    {'en-de': ['newstest2019-ende-ref.de.sgm', 'newstest2019.A.1.en-de.sgm']}
    """
    styles = (
        rf"(?:.*\.)?({LANGUAGE})-({LANGUAGE})(?:\..*)?\.(?:xml|sgml?)(?:\.gz)?",
        r".+-([a-z]{2})([a-z]{2})-(?:ref|src)\.[a-z]{2}\.sgml?(?:\.gz)?",
    )
    names: dict[str, list[str]] = {}
    for file in files:
        for style in styles:
            match = re.fullmatch(style, file)
            if match is not None:
                pair = "-".join(language.replace("-", "_") for language in match.groups())
                names.setdefault(pair, []).append(file)
                break
    return names


def explain_aside(file: str, names: Collection[str]) -> str:
    """Why a file of MQM is not read next to others; empty where it is. `names`: of all files."""
    if len(names) > 1 and re.search(r"mqm.*source[._-]errors?\b", file, re.IGNORECASE):
        return "it lists errors of the source text only, which say nothing of the systems"
    ratings = file.replace(".avg_seg_scores", "")
    if ratings != file and ratings in names:
        return f"it has averages of the ratings in {show_name(ratings)}"
    return ""
