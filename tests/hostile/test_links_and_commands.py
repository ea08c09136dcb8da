"""Whatever a link asks for is a value that the page offers; whatever a command is given ends in
status 0 or 2.
"""

import io
import os
from contextlib import redirect_stderr, redirect_stdout, suppress
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core import MtsigError
from mtsig_core.cli.main import main
from mtsig_core.experiments.frame import parse_sizes
from pages._sections import lecture_stage
from pages._ui import address, controls
from tests.builders.counted import SEEN, check_number, many
from tests.builders.mutations import TEXTS, human_table

ODD = [
    "inf",
    "-inf",
    "nan",
    "1e400",
    "-1",
    "0",
    "1",
    "9" * 5000,
    "1e-320",
    "0x10",
    "1_000",
    " 5 ",
    "٣",
    "²",
    "true",
    "None",
    "",
    "a\0b",
    "<b>",
    "../..",
    "\u202e",
    "x" * 300,
    "5, 100%",
    "10%,nan%",
    "1e308,5",
    "-5",
    "%",
    ",,,",
]
ASKED = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


class Query(dict):
    """What Streamlit has of an address."""

    def get_all(self, key):
        return self[key]


@pytest.fixture(scope="module", autouse=True)
def session():
    """A session of no server, that each case begins anew."""
    fake = SimpleNamespace(session_state={}, query_params=Query())
    with pytest.MonkeyPatch.context() as patch:
        for module in (address, controls, lecture_stage):
            patch.setattr(module, "st", fake)
        yield fake


def ask(fake, asked):
    """Every kind of control, set by a link: what each comes to, and whether that is to be had."""
    fake.session_state.clear()
    fake.query_params = Query(asked)
    address.begin("pair")
    place, used = (
        SimpleNamespace(slider=lambda *_, key, **__: fake.session_state[key]),
        fake.session_state,
    )
    yield controls.choice("Unit", ["auto", "segment"], "unit", place=None) in ("auto", "segment")
    yield controls.choice("Level", [0.1, 0.05], "alpha", default=0.05, place=None) in (0.1, 0.05)
    yield set(controls.several("Metrics", ["a", "b"], "metrics", ["a"], place=None)) <= {"a", "b"}
    yield 0 <= controls.number(None, "Seed", 0, "seed", least=0, most=2**31) <= 2**31
    yield 0.1 <= controls.number(None, "Margin", 1.0, "margin", least=0.1, most=9.0) <= 9
    yield (
        0
        < controls.slider(place, "Difference", 2.0, "difference", least=0.1, most=9.0)
        < float("inf")
    )
    yield controls.toggle("Matrix", False, "matrix", place=None) in (True, False)
    yield 0 <= lecture_stage._read_number("seed", 99, 7) <= 99
    sizes = (
        controls.choice("Sizes", ["ten sizes"], "sizes", place=None)
        if "sizes" not in asked
        else asked["sizes"][-1]
    )
    with suppress(MtsigError):
        parse_sizes(sizes)
    address.complaints(), address._make_query()
    assert used is fake.session_state


KEYS = ("unit", "alpha", "metrics", "seed", "margin", "difference", "matrix", "sizes")


@many("links")
@given(st.lists(st.tuples(st.sampled_from(KEYS), ASKED), min_size=1, max_size=3))
def test_links(session, asked):
    assert all(ask(session, {key: [text] for key, text in asked}))
    SEEN["links"] += 1


# -- commands -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for name, content in {**TEXTS, "human.tsv": human_table()}.items():
        (folder / name).write_bytes(content)
    before = os.getcwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


SOURCES = (
    ["--ref", "ref.txt", "--system", "A.txt", "--system", "B=B.txt"],
    ["--scores", "human=human.tsv"],
    [
        "--ref",
        "ref.txt",
        "--system",
        "A.txt",
        "--system",
        "B.txt",
        "--docs",
        "docs.txt",
        "--src",
        "src.txt",
    ],
)
SMALL = ["--trials", "19", "--resamples", "19"]
OPTIONS = (
    "--unit",
    "--alpha",
    "--trials",
    "--resamples",
    "--seed",
    "--jobs",
    "--correction",
    "--ci",
    "--test",
    "--only",
    "--exclude",
    "--baseline",
    "--domain",
    "--metrics",
    "--langpair",
    "--tokenize",
    "--refs",
    "--block-length",
    "--system",
    "--docs",
    "--ids",
    "--scores",
    "--format",
    "--lower-is-better",
    "--rank-rule",
)
VALUES = ASKED | st.sampled_from(
    [
        "segment",
        "document",
        "A",
        "B",
        "ref.txt",
        "A.txt",
        "human=human.tsv",
        ".",
        "bleu",
        "human",
        "t",
        "\udcff",
        "a\udcffb=A.txt",
        "\ud800",
        "json",
        "latex",
    ]
)


def run(command):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(command)
    said = err.getvalue()
    assert (
        status in (0, 2) and "Traceback" not in said and (status == 0 or said.startswith("mtsig: "))
    ), said
    out.getvalue().encode("utf-8", "backslashreplace"), said.encode()


@many("commands")
@given(
    st.sampled_from(SOURCES),
    st.lists(st.tuples(st.sampled_from(OPTIONS), VALUES), min_size=1, max_size=3),
)
def test_commands(files, source, more):
    run(["compare", *source, *SMALL, *(f"{option}={value}" for option, value in more)])
    SEEN["commands"] += 1


def test_as_many_were_tried():
    check_number("links", "commands")
