"""Remove names from data that sessions share, and add them to results.

A job gets a test set without its name and without the names of its files. So its results and
messages can be shown to all users who have the same content. Each session adds its own names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from typing import Any

from mtsig_core import TestSet
from mtsig_core.readers.limits import hide_places
from mtsig_core.results import TestSetInfo
from pages._work.memory import remember

NAMELESS = "‹test set›"  # in place of a name: no file and no sentence has it by chance


@remember(16)
def without_names(testset: TestSet) -> TestSet:
    """Return the same content without the name of the set, and without the names of its files."""
    about_numbers = tuple(
        assumption for assumption in testset.assumed if not assumption.kind.names_files
    )
    nameless = replace(testset, name=NAMELESS, assumed=about_numbers)
    vars(nameless)["digest"] = testset.digest  # it takes time to find, and no name is in it
    return nameless


@remember(64)
def digest_of_all(nameless: TestSet) -> str:
    """Return a digest of everything in a test set without names that a job can see.

    `TestSet.digest` covers only the content. Test sets with the same content can differ in line
    numbers and in the assumptions on their scores.
    """
    lines = _digest(repr(tuple(nameless.lines)))
    return _digest(repr((nameless.digest, nameless.simulated, lines, nameless.assumed)))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@remember(256)
def with_names(result: Any, testset: TestSet) -> Any:
    """Return a result of a test set without names, with the names of this test set put in."""
    return _put_in(result, testset)


@contextmanager
def errors_with_names(testset: TestSet) -> Iterator[None]:
    """Within it messages call the test set by its name."""
    with hide_places({NAMELESS: testset.name}):
        yield


def _put_in(value: Any, testset: TestSet) -> Any:
    """Return a value with the names added; the same object if it needs no names."""
    result = value
    if isinstance(value, str):
        if NAMELESS in value:
            result = value.replace(NAMELESS, testset.name)
    elif isinstance(value, TestSet):
        if value.name == NAMELESS:
            result = testset
    elif isinstance(value, TestSetInfo):
        result = _name_info(value, testset)
    elif isinstance(value, Mapping):
        result = _name_mapping(value, testset)
    elif isinstance(value, list | tuple):
        result = _name_sequence(value, testset)
    elif is_dataclass(value) and not isinstance(value, type):
        result = _name_fields(value, testset)
    return result


def _name_info(info: TestSetInfo, testset: TestSet) -> TestSetInfo:
    if NAMELESS not in info.name:
        return info
    return replace(info, name=info.name.replace(NAMELESS, testset.name), assumed=testset.assumed)


def _name_mapping(values: Mapping, testset: TestSet) -> Mapping:
    result = {_put_in(key, testset): _put_in(value, testset) for key, value in values.items()}
    if list(result) == list(values) and _are_same(result.values(), values.values()):
        return values
    return type(values)(result)


def _name_sequence(values: Sequence, testset: TestSet) -> Sequence:
    result = [_put_in(value, testset) for value in values]
    if _are_same(result, values):
        return values
    if hasattr(values, "_make"):  # a named tuple
        return values._make(result)
    return type(values)(result)


def _name_fields(value: Any, testset: TestSet) -> Any:
    changes = {}
    for field in fields(value):
        before = getattr(value, field.name)
        after = _put_in(before, testset)
        if after is not before:
            changes[field.name] = after
    if not changes:
        return value
    return replace(value, **changes)


def _are_same(values: Iterable, before: Iterable) -> bool:
    """Return whether these are the same objects as before."""
    return all(value is old for value, old in zip(values, before, strict=True))
