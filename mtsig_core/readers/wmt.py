"""Folders in the layout of the WMT shared tasks, of 2024 and of 2021 to 2023.

2024, also mt-metrics-eval::

    references/en-de.refA.txt     system-outputs/en-de/NAME.txt
    sources/en-de.txt             documents/en-de.docs

2021 to 2023, where SET is such as ``newstest2021``::

    references/SET.en-de.ref.A.de     system-outputs/SET.en-de.hyp.NAME.de
    sources/SET.en-de.src.en          metainfo/SET.en-de.meta.jsonl

The inputs of the metrics tasks mix the two: ``system_outputs/en-de/SET.en-de.hyp.NAME.de``. Each file may be gzipped.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mtsig_core.errors import InputError
from mtsig_core.readers.assemble import LANGUAGE, assemble, by_name, check_langpair
from mtsig_core.readers.lines import missing, shown
from mtsig_core.testset import TestSet

__all__ = ["language_pairs", "read_wmt"]

PAIR = rf"(?P<pair>{LANGUAGE}-(?P<target>{LANGUAGE}))"
REFERENCE = rf"{PAIR}(\.(?P<name>.+))?\.txt"
REFERENCE_OF_SET = rf"((?P<set>.+?)\.)?{PAIR}\.ref(\.(?P<name>.+))?\.(?P=target)"
OUTPUTS = ("system-outputs", "system_outputs")
ONE_OF_EACH = "Remove or rename one of them."
LAYOUT = ("Expected are references/ and system-outputs/, with files such as references/en-de.refA.txt or "
          "references/SET.en-de.ref.A.de.")


def language_pairs(folder: str | os.PathLike) -> list[str]:
    """The language pairs that a folder in WMT layout has references for, sorted.

    A pair that comes in several sets is listed once for each, as ``SET.en-de``.

    Raises
    ------
    InputError
        If the folder cannot be read or has no ``references/``.
    """
    found = _references(Path(folder))
    pairs = [pair for _, pair in found]
    return sorted(f"{name}.{pair}" if name and pairs.count(pair) > 1 else pair for name, pair in found)


def read_wmt(folder: str | os.PathLike, langpair: str, *, parses: Sequence[tuple[str, str | os.PathLike]] = (),
             keep_canary: bool = False) -> TestSet:
    """The test set of one language pair from a folder in WMT layout.

    Parameters
    ----------
    folder : path-like
        The folder that has ``references/`` and ``system-outputs/``; ``sources/`` and ``documents/`` (or
        ``metadata/``, ``metainfo/``) are optional.
    langpair : str
        One of `language_pairs`.
    parses : sequence of (str, path-like)
        System or reference, and its parse in CoNLL-U; see `mtsig_core.readers.conllu.read_conllu`.
    keep_canary : bool
        Whether to keep a line that the documents file calls ``canary``, a string that is there to be found in
        training data and translates nothing. The set's `lines` are those of the files either way.

    Returns
    -------
    TestSet
        With all references of the pair (``A`` is named ``refA``), and the systems in the order of their names.
        A reference that also lies among the outputs, as mt-metrics-eval has it, is no system.

    Raises
    ------
    InputError
        If the folder is of another layout, has no reference for the pair, or its files do not match.
    SettingError
        If `langpair` is not of the form ``en-de`` (or ``SET.en-de``).
    """
    folder = Path(folder)
    check_langpair(langpair.rpartition(".")[2])
    found = _references(folder)
    set_name, pair = _choose(found, langpair, folder)
    source, target = pair.split("-")
    # Files of the other generation's names beside those of this one are taken too, but not those of another set.
    stem = rf"({re.escape(set_name) or '.+?'}\.)?{pair}"

    references = [(_reference_name(name), path) for name, path in found[set_name, pair]]
    systems = _matches(folder, OUTPUTS, rf"{stem}\.hyp\.(?P<name>.+)\.{target}")
    systems += _matches(folder, [f"{outputs}/{pair}" for outputs in OUTPUTS],
                        rf"{stem}\.hyp\.(?P<name>.+)\.{target}|(?P<plain>.+)\.(txt|{target})")
    testset = assemble(
        f"{set_name or _own_name(folder)} {pair}",
        by_name(sorted(references), "reference", ONE_OF_EACH),
        by_name(sorted(systems), "system", ONE_OF_EACH),
        sources=_only(_matches(folder, ["sources"], rf"{stem}(\.txt|\.src\.{source})"), "source file"),
        documents=_only(_matches(folder, ["documents"], rf"{stem}\.docs")
                        or _matches(folder, ["metadata", "metainfo"], rf"{stem}(\.meta)?\.jsonl"), "documents file"),
        parses=by_name(parses, "parse", "Give one for each."), langpair=pair, keep_canary=keep_canary, blanks=True)
    return replace(testset, systems={name: texts for name, texts in testset.systems.items()
                                     if testset.references.get(name) != texts})


def _references(folder):
    """The reference files, {(set or "", language pair): [(name, path)]}."""
    if not os.path.lexists(folder):
        raise InputError(missing(folder))
    if not folder.is_dir():
        raise InputError(f"{shown(folder)} is a file; a folder is expected. {LAYOUT}")
    if not (folder / "references").is_dir():
        names = _names(folder)
        near = [folder / name for name in names if (folder / name / "references").is_dir()]
        near += [folder.parent] if folder.name in ("references", *OUTPUTS) else []
        hint = f" Did you mean {shown(near[0])}?" if near else ""
        raise InputError(f"{shown(folder)} has no references/; it has {_listed(names)}. {LAYOUT}{hint}")
    found: dict = {}
    for pattern in (REFERENCE, REFERENCE_OF_SET):
        for match, path in _matching(folder / "references", pattern):
            parts = match.groupdict()
            found.setdefault((parts.get("set") or "", parts["pair"]), []).append((parts["name"] or "ref", path))
    if not found:
        inside = folder / "references"
        raise InputError(f"{shown(inside)} has no reference; it has {_listed(_names(inside))}. {LAYOUT}")
    return found


def _choose(found, langpair, folder):
    """The (set, pair) that a language pair, or SET.pair, stands for."""
    full = {f"{name}.{pair}" if name else pair: (name, pair) for name, pair in found}
    of_pair = [key for key, (_, pair) in full.items() if pair == langpair]
    if langpair in full or len(of_pair) == 1:
        return full[langpair if langpair in full else of_pair[0]]
    if of_pair:
        raise InputError(f"{shown(folder)} has {len(of_pair)} sets for {langpair}. Choose one: {', '.join(of_pair)}.")
    pairs = sorted({pair for _, pair in found})
    turned = "-".join(reversed(langpair.split("-")))
    near = [turned] if turned in pairs else difflib.get_close_matches(langpair, [*full, *pairs], n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise InputError(f"{shown(folder)} has no reference for {shown(langpair)}; it has {', '.join(pairs)}.{hint}")


def _matches(folder, subfolders, pattern):
    """(name, path) of the files in these subfolders, as far as there are such, whose names match."""
    found = []
    for subfolder in filter(os.path.lexists, (folder / name for name in subfolders)):
        for match, path in _matching(subfolder, pattern):
            parts = match.groupdict()
            found.append((parts.get("name") or parts.get("plain") or "", path))
    return found


def _matching(folder, pattern):
    """The files in a folder whose names, without .gz, match as a whole. Backups of editors match no pattern."""
    for name in _names(folder):
        match = re.fullmatch(pattern, name.removesuffix(".gz"))
        if match and not (folder / name).is_dir():
            yield match, folder / name


def _names(folder):
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as error:
        raise InputError(f"{shown(folder)} cannot be read: {error.strerror or error}.") from None


def _only(files, what):
    if len(files) > 1:
        raise InputError(f"There are two {what}s: {shown(files[0][1])} and {shown(files[1][1])}. {ONE_OF_EACH}")
    return files[0][1] if files else None


def _reference_name(name):
    """The first generation calls a reference A, the second refA."""
    return f"ref{name}" if re.fullmatch("[A-Z]", name) else name


def _own_name(folder):
    """Name of the folder, or of the one above in a release that has its texts in txt/ beside xml/."""
    folder = folder.resolve()
    return folder.parent.name if folder.name in ("txt", "txt-ts") else folder.name


def _listed(names):
    return ", ".join(map(shown, names[:8])) + (", ..." if len(names) > 8 else "") if names else "nothing"
