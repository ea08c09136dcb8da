"""What the name of a file says in the style of the WMT shared tasks: set, language pair, role, system or reference.

Of 2024, also mt-metrics-eval, where much is said by the folder::

    references/en-de.refA.txt     system-outputs/en-de/NAME.txt
    sources/en-de.txt             documents/en-de.docs

Of 2021 to 2023, where SET is such as ``newstest2021`` and names say all::

    references/SET.en-de.ref.A.de     system-outputs/SET.en-de.hyp.NAME.de
    sources/SET.en-de.src.en          metainfo/SET.en-de.meta.jsonl
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mtsig_core.data.langpairs import LANGUAGE, THREE_LETTERS

__all__ = ["OUTPUTS", "PAIR", "TaskName", "folder_name", "task_name", "without_pair"]

OUTPUTS = ("system-outputs", "system_outputs")
PAIR = rf"(?P<pair>(?P<origin>{LANGUAGE})-(?P<target>{LANGUAGE}))"
# Of two letters, as ISO 639-1 has them, or of three that are known or have a script: where only the pair tells what a
# name is, our-mt must be none.
_CODE = "(?:" + "|".join(
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en "
    "eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv "
    "ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne "
    "ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st "
    "su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu".split()
    + [*THREE_LETTERS, "[a-z]{3}(?=_[A-Z][a-z]{3})"]) + ")"
_PLAIN = rf"{_CODE}(?:_\w{{2,4}}|-[A-Z][a-z]{{3}}|-[A-Z]{{2}}|-[0-9]{{3}}){{0,2}}"
_PLAIN_PAIR = rf"(?P<pair>{_PLAIN}-{_PLAIN})"
_START = rf"((?P<set>.+?)\.)?{PAIR}"
_END = r"(\.(?P=target)(\.txt)?|\.txt)"
_ANYWHERE = (("system", rf"{_START}\.hyp\.(?P<name>.+?){_END}"),
             ("reference", rf"{_START}\.ref(\.(?P<name>.+?))?{_END}"),
             ("reference", rf"{_START}\.(?P<name>ref[^.]*)\.txt"),
             ("source", rf"{_START}\.src(\.(?P=origin))?(\.txt)?"),
             ("source", rf"{_PLAIN_PAIR}\.txt"),
             ("documents", rf"{_START}(\.docs|\.meta\.jsonl)"))
_INSIDE = {"references": [*_ANYWHERE[1:2], ("reference", rf"{_START}(\.(?P<name>.+))?\.txt")],
           "sources": [_ANYWHERE[3], ("source", rf"{_START}\.txt")], "documents": _ANYWHERE[5:],
           **dict.fromkeys(OUTPUTS, _ANYWHERE[:1]),
           **dict.fromkeys(("metadata", "metainfo"), [("documents", rf"{_START}(\.meta)?\.jsonl")])}
#: Names of folders that say nothing of the task in them: those of a release for its texts, and others.
_TEXTS = ("txt", "txt-ts")
_GENERIC = ("data", "dataset", "files", "release", "test-set", "testset", "text", "texts")


@dataclass(frozen=True)
class TaskName:
    """What a file of a shared task is.

    Attributes
    ----------
    role : {"system", "reference", "source", "documents"}
    pair : str
        Such as ``"en-de"``.
    set : str
        Such as ``"newstest2021"``; empty where the name says none.
    name : str
        Of the system or reference, of which the first is called refA also where the file has A; else empty.
    """

    role: str
    pair: str
    set: str = ""
    name: str = ""


def task_name(path: str) -> TaskName | None:
    """What the name of a file says, and the folders before it if there are any; None for a name of another style.

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
            name = parts.get("name") or ("ref" if role == "reference" else "")
            first = role == "reference" and re.fullmatch("[A-Z]", name)
            return TaskName(role, parts["pair"], parts.get("set") or "", f"ref{name}" if first else name)
    if of_pair and (plain := re.fullmatch(rf"(.+)\.(txt|{of_pair['target']})", file, re.DOTALL)):
        return TaskName("system", folder, "", plain[1])
    return None


def folder_name(folder: str | os.PathLike[str]) -> str:
    """What a task in a folder, or in a zip of it, is called. A folder whose name says nothing has that of the one above
    before it; a release has its texts in ``txt``, which adds nothing.

    >>> folder_name("/srv/wmt23/txt"), folder_name("/srv/wmt23/data"), folder_name("/srv/wmt24.zip")
    ('wmt23', 'wmt23 data', 'wmt24')
    """
    path = Path(folder).resolve()
    name = path.stem if path.suffix.lower() == ".zip" else path.name
    above = path.parent.name
    if not above or name.lower() not in (*_TEXTS, *_GENERIC):
        return name
    return above if name.lower() in _TEXTS else f"{above} {name}"


def without_pair(file: str) -> tuple[str, str, str]:
    """Set and language pair in a name of another style, both empty without, and the name without them before it.

    >>> without_pair("generaltest2024.en-zh.esa.tsv"), without_pair("mine.en-zh.txt"), without_pair("our-mt.txt")
    (('generaltest2024', 'en-zh', 'esa.tsv'), ('', 'en-zh', 'mine.en-zh.txt'), ('', '', 'our-mt.txt'))
    """
    if found := re.fullmatch(rf"((?P<set>[a-z]*(test|wmt)[a-z]*\d+\w*)\.)?{_PLAIN_PAIR}\.(?P<rest>.+\..+)", file,
                             re.DOTALL):
        return found["set"] or "", found["pair"], found["rest"]
    pair = next((part for part in file.split(".")[:-1] if re.fullmatch(_PLAIN_PAIR, part)), "")
    return "", pair, file
