"""Test sets of sacreBLEU, out of a folder of its own that the test fills; nothing is downloaded."""

import io
import json
import subprocess
import sys
import tarfile

import pytest

from tests.builders.code import ROOT

SEGS = "".join(
    f'<{tag} lang="{lang}" {own}><p><seg id="1">{one}</seg><seg id="2">{two}</seg></p></{tag}>'
    for tag, lang, own, one, two in (
        ("src", "en", "", "a", "b"),
        ("ref", "de", 'translator="A"', "das ist gut so", "sehr gut ist das"),
        ("ref", "de", 'translator="B"', "so ist gut", ""),
        ("hyp", "de", 'system="X"', "das ist gut so", "ja"),
        ("hyp", "de", 'system="Y"', "nein", "sehr gut ist das"),
    )
)
XML = f'<dataset id="n"><collection id="c"><doc id="d" origlang="en" domain="news">{SEGS}</doc></collection></dataset>'
RUN = """
import json, sys
from mtsig_core.source import Source
testset = Source(sacrebleu=sys.argv[1], system=((None, sys.argv[2]),),
                 run=(("Mine", sys.argv[2]), ("X", sys.argv[2]))).read()
print(json.dumps([dict(testset.systems), dict(testset.references), testset.sources, testset.documents,
                  testset.domains, testset.name, {name: len(runs) for name, runs in testset.runs.items()}]))
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A process of its own, since sacreBLEU reads the variable as it is loaded; whoever goes online
    meets nobody.
    """
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "home"))
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    def process(*args):
        return subprocess.run(
            [sys.executable, *args], capture_output=True, text=True, cwd=ROOT, check=False
        )

    return process


def test_a_set_in_the_folder_with_its_outputs(run, tmp_path):
    raw = tmp_path / "home/wmt21/systems/raw"
    xml = raw / "wmt21-news-systems-1.3/xml/newstest2021.en-de.all.xml"
    xml.parent.mkdir(parents=True)
    xml.write_text(XML, encoding="utf-8")
    with tarfile.open(
        raw / "wmt21_systems.v1.3.tar.gz", "w:gz"
    ) as archive:  # what would be downloaded is there
        archive.addfile(tarfile.TarInfo("empty"), io.BytesIO())
    (tmp_path / "Mine.txt").write_text("das\nist\n", encoding="utf-8")
    found = run("-c", RUN, "wmt21/systems/en-de", str(tmp_path / "Mine.txt"))
    assert found.returncode == 0, found.stderr
    systems, references, sources, documents, domains, name, runs = json.loads(found.stdout)
    assert systems == {
        "X": ["das ist gut so", "ja"],
        "Y": ["nein", "sehr gut ist das"],
        "Mine": ["das", "ist"],
    }
    assert runs == {"Mine": 1, "X": 1}
    assert references == {
        "refA": ["das ist gut so", "sehr gut ist das"]
    }  # as sacreBLEU scores that set
    assert (sources, documents, domains, name) == (
        ["a", "b"],
        ["d", "d"],
        ["news", "news"],
        "wmt21/systems en-de",
    )


def test_offline_and_damaged(run, tmp_path):
    found = run("-m", "mtsig_core", "score", "--sacrebleu", "wmt21/systems/en-de")
    assert found.returncode == 2 and found.stderr.count("\n") == 1, found.stderr
    assert f"wmt21/systems is not in sacreBLEU's folder {tmp_path / 'home'}" in found.stderr
    assert "cannot be downloaded" in found.stderr and "SACREBLEU" in found.stderr
    raw = tmp_path / "home/wmt21/systems/raw"
    (raw / "wmt21-news-systems-1.3/xml").mkdir(parents=True, exist_ok=True)
    (raw / "wmt21_systems.v1.3.tar.gz").write_bytes(b"x")
    (raw / "wmt21-news-systems-1.3/xml/newstest2021.en-de.all.xml").write_text(
        "<broken", encoding="utf-8"
    )
    found = run("-m", "mtsig_core", "score", "--sacrebleu", "wmt21/systems/en-de")
    assert found.returncode == 2 and "sacreBLEU cannot read its copy" in found.stderr
    assert "Traceback" not in found.stderr
