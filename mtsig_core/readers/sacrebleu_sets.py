"""The test sets that sacreBLEU knows, through its own cache and download.

The environment variable ``SACREBLEU`` names the folder of the cache.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mtsig_core.errors import InputError, SettingError, explain_unknown
from mtsig_core.languages import LANGUAGE
from mtsig_core.readers.formats import DOCUMENTS
from mtsig_core.readers.lines import read_lines
from mtsig_core.readers.text_tables import name_reference
from mtsig_core.readers.texts import NamedFile, drop_canary, read_text
from mtsig_core.testset import TestSet, show_name

#: Fields of a set that are no outputs.
_NO_OUTPUTS = ("src", "docid", "origlang", "domain", "genre")


def set_and_pair(name: str, langpair: str | None = None) -> tuple[str, str | None]:
    """The set, and the language pair that may end its name.

    >>> set_and_pair("wmt21/systems/en-de")
    ('wmt21/systems', 'en-de')
    """
    match = re.fullmatch(f"(.+)/({LANGUAGE}-{LANGUAGE})", name)
    if match is None:
        return name, langpair
    if langpair not in (None, match[2]):
        raise SettingError(
            f"{name} and the language pair {langpair} name two pairs. Give one of them."
        )
    return match[1], match[2]


def read_sacrebleu(
    name: str,
    langpair: str | None = None,
    systems: Sequence[NamedFile] = (),
    *,
    keep_canary: bool = False,
) -> TestSet:
    """A test set that sacreBLEU knows, such as ``wmt21/systems`` or ``wmt21/systems/en-de``.

    It has the references that sacreBLEU scores it with, its outputs, and the further `systems`.
    """
    from sacrebleu.dataset import DATASETS  # late, as it takes long

    name, langpair = set_and_pair(name, langpair)
    if name not in DATASETS:
        raise explain_unknown("test set of sacreBLEU", name, DATASETS)
    dataset: Any = DATASETS[name]
    known_pairs = sorted(dataset.langpairs)
    if langpair is None:
        raise SettingError(
            f"{name} is read for one language pair. It has: {', '.join(known_pairs)}.",
            {"langpair": "XX-YY"},
        )
    if langpair not in known_pairs:
        raise explain_unknown(f"language pair of {name}", langpair, known_pairs)
    files, reference_paths = _find_files(dataset, name, langpair)
    references: list[NamedFile] = []
    outputs: list[NamedFile] = []
    for file_field, path in files.items():
        if path in reference_paths:
            _, _, label = file_field.partition(":")
            references.append((name_reference(label, "[A-Z0-9]"), path))
        if file_field not in _NO_OUTPUTS and not re.match("ref(:|$)", file_field):
            outputs.append((file_field, path))
    outputs += systems
    if not outputs:
        raise SettingError(
            f"sacreBLEU has no outputs of systems for {name}. Give some.", {"system": "FILE"}
        )
    testset = read_text(
        references, outputs, sources=files["src"], langpair=langpair, name=f"{name} {langpair}"
    )
    testset = replace(
        testset,
        references=_mark_gaps(testset.references),
        documents=_read_ids(files.get("docid")),
        domains=_read_ids(files.get("domain")),
    )
    return testset if keep_canary else drop_canary(testset)


def _mark_gaps(references: Any) -> dict[str, list[str | None]]:
    """The references with None for an empty text where another reference has one."""
    has_text = [any(texts) for texts in zip(*references.values(), strict=True)]
    marked = {}
    for name, texts in references.items():
        marked[name] = [
            text or (None if is_filled else "")
            for text, is_filled in zip(texts, has_text, strict=True)
        ]
    return marked


def _read_ids(path: str | None) -> list[str] | None:
    return None if path is None else read_lines(path, DOCUMENTS)


def _find_files(dataset: Any, name: str, langpair: str) -> tuple[dict[str, str], list[str]]:
    """sacreBLEU's plain files by their fields, and which of them are the references.

    sacreBLEU downloads what is not in its folder.
    """
    from sacrebleu.utils import SACREBLEU_DIR

    folder = show_name(SACREBLEU_DIR)
    try:
        paths = dataset.get_files(langpair)
        files = dict(zip(dataset.fieldnames(langpair), paths, strict=True))
        return files, dataset.get_reference_files(langpair)
    except OSError as error:
        reason = str(getattr(error, "reason", None) or error.strerror or error)
        raise InputError(
            f"{name} is not in sacreBLEU's folder {folder}, and cannot be downloaded: {show_name(reason)}. "
            "Go online, copy that folder from where the set is, or name another by the environment "
            "variable SACREBLEU."
        ) from None
    # Whatever sacreBLEU makes of a damaged file; it may end the process, too.
    except (Exception, SystemExit) as error:
        raise InputError(
            f"sacreBLEU cannot read its copy of {name} {langpair} ({type(error).__name__}: "
            f"{show_name(str(error))[:200]}). Remove {name} from {folder}, and try again."
        ) from None
