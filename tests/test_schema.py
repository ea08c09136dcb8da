"""Results and sources are written and read by their annotations, whole; what does not fit them is
refused.
"""

import dataclasses
import json
from typing import Union, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtsig_core import Comparison, InputError, compare, results, source
from mtsig_core.caution import Assumption
from mtsig_core.report.caution_kinds import ASSUMPTION_KINDS
from mtsig_core.reviews import CHANGES
from mtsig_core.schema import SCHEMA, decode, encode, from_plain, parse_json, to_json, to_plain
from mtsig_core.task import SystemInfo
from tests.builders.rendered import comparison_json
from tests.builders.toys import toy

RESULTS = [
    kind
    for kind in vars(results).values()
    if dataclasses.is_dataclass(kind) and kind.__module__ == results.__name__
]
TEXT = comparison_json(compare(toy(3, 5, same="AB"), trials=99, resamples=50))


def values(kind):
    """Any values that the annotations of a dataclass allow, of plain numbers and texts."""
    if kind is Assumption:  # only the facts of its code fit it
        return st.sampled_from(list(ASSUMPTION_KINDS)).map(
            lambda code: Assumption(code, dict.fromkeys(ASSUMPTION_KINDS[code].facts, "x"))
        )
    if dataclasses.is_dataclass(kind):
        hints = {field.name: get_type_hints(kind)[field.name] for field in dataclasses.fields(kind)}
        checked = (
            {"role": st.just("primary"), "kind": st.just("submission")}
            if kind is SystemInfo
            else {}
        )
        return st.builds(kind, **{name: values(hint) for name, hint in hints.items()} | checked)
    plain = {
        float: st.floats(allow_nan=False, allow_infinity=False),
        int: st.integers(-(2**63), 2**63 - 1),
        str: st.text(max_size=5),
        bool: st.booleans(),
        type(None): st.none(),
    }
    if kind in plain:
        return plain[kind]
    origin, inner = getattr(kind, "__origin__", None), getattr(kind, "__args__", ())
    if origin is tuple and inner[-1] is ...:
        return st.lists(values(inner[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, inner))
    if origin not in (None, Union):  # a mapping, here with plain texts in place of Any
        return st.dictionaries(values(str), values(inner[1]), max_size=2)
    return st.one_of(*map(values, inner)) if inner else values(str)


@pytest.mark.parametrize(
    "kind",
    [*RESULTS, source.Source, source.TaskSource, *CHANGES.values()],
    ids=lambda kind: kind.__name__,
)
@settings(max_examples=settings().max_examples // 6)  # each part of a value is a case of its own
@given(data=st.data())
def test_what_is_written_comes_back_equal(kind, data):
    value = data.draw(values(kind))
    assert decode(kind, encode(value)) == value
    assert from_plain(kind, parse_json(to_json(value)), "") == value


def test_numbers_are_those_of_python_and_finite():
    row = results.AgreementComparison("a", "b", np.float64(0.5), 0.1, 0.1)
    with pytest.raises(TypeError, match="numpy"):
        to_plain(row)
    with pytest.raises(ValueError):
        to_json(dataclasses.replace(row, delta=float("nan")))


@pytest.mark.parametrize("schema", [None, 0, SCHEMA + 1, "x" * 1000, [1]])
def test_results_of_another_version_are_refused_with_what_to_do(schema):
    data = json.loads(TEXT) | {"schema": schema}
    data["settings"]["version"] = "99.0"
    with pytest.raises(InputError, match="version 99.0 of mtsig.*Compare again") as refused:
        Comparison.from_json(json.dumps(data))
    assert len(str(refused.value)) < 200
    del data["schema"], data["settings"]
    with pytest.raises(InputError, match="Compare again"):
        Comparison.from_json(json.dumps(data))


@given(st.integers(0, len(TEXT) - 3))
def test_a_truncated_file_is_refused(length):
    with pytest.raises(InputError, match="not JSON"):
        Comparison.from_json(TEXT[:length])
    content = encode(Comparison.from_json(TEXT))
    with pytest.raises(InputError):
        decode(Comparison, content[: len(content) * length // len(TEXT)])


def places(data, path=()):
    """The path to each value in parsed JSON."""
    yield path
    for key, value in (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    ):
        yield from places(value, (*path, key))


@given(
    st.sampled_from(list(places(json.loads(TEXT)))[1:]),
    st.sampled_from([None, True, -1, 1.5, "text", [], ["x"], {}, {"x": [1]}, 10**400, [[[[]]]]]),
)
def test_whatever_stands_in_a_file_it_is_read_or_refused(path, value):
    data = json.loads(TEXT)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    try:
        found = Comparison.from_json(json.dumps(data))
    except InputError as error:
        assert len(str(error)) < 300
    else:
        assert Comparison.from_json(comparison_json(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "9" * 10_000,
        '"' + "x" * 10**6,
        "1e999",
        "-Infinity",
        "{}" * 1000,
    ],
)
def test_hostile_texts_are_refused_in_one_short_message(text):
    with pytest.raises(InputError) as refused:
        parse_json(text)
    assert len(str(refused.value)) < 200
