"""Metrics that installed packages bring, by command line and in Python."""

import json
import sys

import pytest

from mtsig_core import METRICS, SettingError, compare, join_scores, make_metric
from mtsig_core.cli.main import main
from mtsig_core.metrics import list_metrics
from mtsig_core.metrics.registry import find_packaged
from mtsig_core.simulation.corpus import load_demo
from tests.builders import plugin_package, skeleton

GROUP = "[mtsig.metrics]\n"
COMPARE = "compare --demo-segments 60 --trials 99 --resamples 50 --format json --metrics"


@pytest.fixture
def install(tmp_path, monkeypatch):
    def install(code, entry_points, **more):
        plugin_package.install(tmp_path, monkeypatch, code=code, entry_points=entry_points, **more)

    yield install
    find_packaged.cache_clear()


def run(capsys, metrics, *options):
    """What `compare` prints, and what it says on standard error."""
    status = main([*COMPARE.split(), metrics, *options])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_metric_that_contributing_shows_as_a_package(install, capsys):
    package, _, name = skeleton.ENTRY_POINT.partition("mtsig.metrics")
    assert package == '[project.entry-points."'
    place = skeleton.ENTRY_POINT.split('"')[-2].replace("my_package.word_precision", "plugin")
    install(skeleton.CODE, f"{GROUP}{skeleton.NAME} = {place}\n")
    assert f"{skeleton.NAME!r}: 'plugin:WordPrecision'" in repr(METRICS)
    assert list_metrics(load_demo(60))[-1] == skeleton.NAME
    status, printed, told = run(capsys, f"bleu,{skeleton.NAME}", "--lowercase")
    result = json.loads(printed)["metrics"]
    assert status == 0 and "ignoring" not in told and list(result) == ["bleu", skeleton.NAME]
    assert result[skeleton.NAME]["signature"].startswith("nrefs:1|case:lc|tok:13a|ref:most-shared")
    compared = compare(load_demo(60), skeleton.NAME, trials=99, resamples=50)
    assert compared.metrics[skeleton.NAME].systems[0].system == "Spanish"
    assert repr(make_metric(skeleton.NAME)) == "WordPrecision(tokenize=None, lowercase=False)"


FUNCTIONS = """
from mtsig_core import make_metric, segment_metric

def exact(output, reference):
    return output == reference

def length(output):
    return len(output)

def shortest():
    return segment_metric(length, name="shortest", higher_is_better=False)

def misnamed():
    return make_metric("wer")

def broken(output):
    raise OSError("no model")

def renamed(hyp, ref):
    return 1.0
"""


def test_functions_and_what_makes_a_metric(install, capsys):
    install(
        FUNCTIONS,
        GROUP
        + "same = plugin:exact\nshortest = plugin:shortest\nother = plugin:misnamed\nrenamed = plugin:renamed\n",
    )
    status, printed, _ = run(capsys, "same,shortest")
    result = json.loads(printed)["metrics"]
    assert status == 0 and [result[name]["higher_is_better"] for name in result] == [True, False]
    status, _, told = run(capsys, "same", "--lowercase")
    assert (
        status == 2
        and "Metric same cannot be made from plugin:exact, which failed with TypeError(" in told
    )
    assert "unexpected keyword argument 'lowercase'" in told
    with pytest.raises(SettingError, match="TypeError.* call its parameters output, reference"):
        make_metric("renamed")
    with pytest.raises(SettingError, match="plugin:misnamed made Wer.* with the name 'other'"):
        make_metric("other")


def test_other_code_gives_other_numbers(install, capsys, tmp_path, monkeypatch):
    """Nothing that the old code counted is on disk."""
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path / "cache"))
    install(FUNCTIONS, GROUP + "length = plugin:length\n")
    lengths = json.loads(run(capsys, "length")[1])["metrics"]["length"]["systems"]
    (tmp_path / "plugin.py").write_text("def length(output):\n    return 7")
    del sys.modules["plugin"]
    sevens = json.loads(run(capsys, "length")[1])["metrics"]["length"]["systems"]
    assert {row["score"] for row in sevens} == {7} and lengths[0]["score"] > 7


@pytest.mark.parametrize(
    "code, place, reason",
    [
        ("import no_such_module", "plugin:exact", "ModuleNotFoundError"),
        ("raise SystemExit(0)", "plugin:exact", r"SystemExit\(0\)"),
        ("def f(", "plugin:f", "SyntaxError"),
        ("", "plugin:nothing", "AttributeError.*has no attribute .nothing"),
        ("", "plugin", "TypeError"),
        ("", "a b:c", "ValueError"),
        (FUNCTIONS, "plugin:broken", "failed with OSError\\('no model'\\)"),
    ],
)
def test_a_package_that_does_not_work_is_one_message(install, capsys, code, place, reason):
    install(code, f"{GROUP}sick = {place}\n")
    status, printed, told = run(capsys, "sick")
    assert (status, printed) == (2, "")
    assert "Traceback" not in told and "sick" in told
    with pytest.raises(Exception, match=reason):
        compare(load_demo(60), "sick", trials=99, resamples=50)
    assert run(capsys, "bleu")[0] == 0
    assert "sick" in list_metrics(load_demo(60))  # which loads no package


def test_own_names_stay_and_other_packages_take_no_part(install, capsys):
    install(FUNCTIONS, GROUP + "bleu = plugin:exact\na,b = plugin:exact\nsame = plugin:exact\n")
    status, printed, told = run(capsys, "bleu")
    assert status == 0 and "nrefs:1|case:mixed" in printed and "plugin" not in told
    assert find_packaged.cache_info().currsize == 0  # nobody asked for another name
    assert METRICS["bleu"] == "mtsig_core.metrics.bleu:Bleu" and list(METRICS).count("bleu") == 1
    assert "a,b" not in METRICS and METRICS["same"] == "plugin:exact"
    told = capsys.readouterr().err
    assert (
        told.count("mtsig: ignoring the metric") == 2
        and "metric bleu of a package (plugin:exact)" in told
    )
    assert "plugin" not in sys.modules


@pytest.mark.parametrize(
    "damaged", [b"[mtsig.metrics]\nno equals sign\n", b"[mtsig.metrics]\n\xff = a:b\n"]
)
def test_damaged_metadata_leave_the_own_metrics(install, capsys, damaged):
    install("", damaged)
    status, _, told = run(capsys, "chrff")
    assert status == 2 and "Unknown metric 'chrff'. Did you mean 'chrf'?" in told
    assert "mtsig: ignoring all metrics of packages. " in told and run(capsys, "chrf")[0] == 0


def test_segment_scores_of_the_name_of_a_package_are_meant(install):
    install(FUNCTIONS, GROUP + "same = plugin:exact\n")
    corpus = load_demo(60).only(["Spanish", "Danish"])
    table = {"Spanish": [1.0] * 60, "Danish": [0.5] * 60}
    scored = join_scores(corpus, {"same": table})
    result = compare(scored, "same", trials=99, resamples=50).metrics["same"]
    assert [row.score for row in result.systems] == [1, 0.5]
