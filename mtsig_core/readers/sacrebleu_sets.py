"""The test sets that sacreBLEU knows, by way of its own cache and download (the folder in ``SACREBLEU``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mtsig_core.errors import InputError, SettingError, explain_unknown
from mtsig_core.languages import LANGUAGE
from mtsig_core.readers.formats import DOCUMENTS
from mtsig_core.readers.lines import read_lines
from mtsig_core.readers.plain_text import NamedFile, drop_canary, read_text
from mtsig_core.testset import TestSet, show_name

_ABOUT = ("src", "docid", "origlang", "domain", "genre")


def set_and_pair(name: str, langpair: str | None = None) -> tuple[str, str | None]:
    """The set, and the language pair that may end its name.

    >>> set_and_pair("wmt21/systems/en-de"), set_and_pair("wmt20/dev", "en-ta"), set_and_pair("wmt14")
    (('wmt21/systems', 'en-de'), ('wmt20/dev', 'en-ta'), ('wmt14', None))
    """
    if found := re.fullmatch(f"(.+)/({LANGUAGE}-{LANGUAGE})", name):
        if langpair not in (None, found[2]):
            raise SettingError(f"{name} and the language pair {langpair} name two pairs. Give one of them.")
        return found[1], found[2]
    return name, langpair


def read_sacrebleu(name: str, langpair: str | None = None, systems: Sequence[NamedFile] = (), *,
                   keep_canary: bool = False) -> TestSet:
    """A test set that sacreBLEU knows, with the outputs that it has, and further ones.

    `name`: such as ``"wmt21/systems"``, or with the language pair, ``"wmt21/systems/en-de"``; `langpair`: such as
    ``"en-de"``; `systems`: further outputs, as in `read_text`; `keep_canary`: as in `read_wmt_xml`. Returns: with the
    references that sacreBLEU scores this set with, and documents and domains where it has them.
    """
    from sacrebleu.dataset import DATASETS  # late, as it takes long

    name, langpair = set_and_pair(name, langpair)
    if name not in DATASETS:
        raise explain_unknown("test set of sacreBLEU", name, DATASETS)
    dataset: Any = DATASETS[name]
    if langpair is None:
        raise SettingError(f"{name} is read for one language pair. It has: {', '.join(sorted(dataset.langpairs))}.",
                           {"langpair": "XX-YY"})
    if langpair not in dataset.langpairs:
        raise explain_unknown(f"language pair of {name}", langpair, sorted(dataset.langpairs))
    files, references = _files(dataset, name, langpair)
    refs = {_reference(field): path for field, path in files.items() if path in references}
    own = [*((field, path) for field, path in files.items()
             if field not in _ABOUT and not re.match("ref(:|$)", field)), *systems]
    if not own:
        raise SettingError(f"sacreBLEU has no outputs of systems for {name}. Give some.", {"system": "FILE"})
    testset = read_text(list(refs.items()), own, sources=files["src"], langpair=langpair, name=f"{name} {langpair}")
    gaps = {ref: [text or (None if any(others) else "") for text, *others in
                  zip(texts, *testset.references.values(), strict=True)] for ref, texts in testset.references.items()}
    documents, domains = (read_lines(files[field], DOCUMENTS) if field in files else None
                          for field in ("docid", "domain"))
    testset = replace(testset, references=gaps, documents=documents, domains=domains)
    return testset if keep_canary else drop_canary(testset)


def _files(dataset: Any, name: str, langpair: str) -> tuple[dict[str, str], list[str]]:
    """sacreBLEU's plain files by what they are, and which of them are the references; downloaded where they are not
    there."""
    from sacrebleu.utils import SACREBLEU_DIR

    place = show_name(SACREBLEU_DIR)
    try:
        files = dataset.get_files(langpair)
        return dict(zip(dataset.fieldnames(langpair), files, strict=True)), dataset.get_reference_files(langpair)
    except OSError as error:
        reason = str(getattr(error, "reason", None) or error.strerror or error)
        raise InputError(f"{name} is not in sacreBLEU's folder {place}, and cannot be downloaded: {show_name(reason)}. "
                         "Go online, copy that folder from where the set is, or name another by the environment "
                         "variable SACREBLEU.") from None
    except (Exception, SystemExit) as error:  # whatever sacreBLEU may make of a damaged file: it ends the process, too
        raise InputError(f"sacreBLEU cannot read its copy of {name} {langpair} ({type(error).__name__}: "
                         f"{show_name(str(error))[:200]}). Remove {name} from {place}, and try again.") from None


def _reference(field: str) -> str:
    """What a reference is called: refA where sacreBLEU has ref:A."""
    own = field.partition(":")[2]
    return f"ref{own}" if re.fullmatch("[A-Z0-9]", own) else own or "ref"
