"""WMT's XML of 2021 on: what is read, as sacreBLEU reads it too, and what is refused."""

import gzip
import io

import pytest
from sacrebleu.dataset.wmt_xml import WMTXMLDataset

from mtsig_core.errors import InputError, SettingError
from mtsig_core.readers.tasks import is_task, pairs_of, read_task
from mtsig_core.readers.wmt_xml import read_wmt_xml
from mtsig_core.source import Source


def part(tag, lang, texts, **own):
    named = "".join(f' {key}="{value}"' for key, value in own.items())
    segs = "".join(f'<seg id="{k}">{text}</seg>\n' for k, text in texts.items())
    return f'<{tag} lang="{lang}"{named}><p>\n{segs}</p></{tag}>\n'


def doc(key, *parts, **own):
    named = "".join(f' {name}="{value}"' for name, value in own.items())
    return f'<doc id="{key}" origlang="en"{named}>\n{"".join(parts)}</doc>\n'


def xml(*docs, head='<?xml version="1.0" encoding="utf-8"?>\n'):
    return (
        f'{head}<dataset id="t"><collection id="general">\n{"".join(docs)}</collection></dataset>\n'
    )


NEWS = doc(
    "n1",
    part("src", "en", {1: "a &amp; b", 2: "  c\n d "}),
    part("ref", "de", {1: "A &lt;b&gt;", 2: "C D"}, translator="A"),
    part("ref", "de", {1: "A B", 2: ""}, translator="stud"),
    part("hyp", "de", {1: "x", 2: "y z"}, system="GPT &amp; Co"),
    part("hyp", "de", {1: "u", 2: "w"}, system="M"),
    domain="news",
)
TALK = doc(
    "t1",
    part("src", "en", {1: "e", 2: "f"}),
    part("ref", "de", {1: "E"}, translator="A"),
    part("hyp", "de", {1: "E", 2: "F"}, system="M"),
    part("hyp", "de", {1: "ee", 2: "ff"}, system="GPT &amp; Co"),
    domain="speech",
)
SUITE = doc(
    "s1", part("src", "en", {1: "s"}), part("hyp", "de", {1: "s"}, system="M"), testsuite="tricky"
)


@pytest.fixture
def write(tmp_path):
    def file(content, name="toy2021.en-de.all.xml"):
        path = tmp_path / name
        data = content.encode("utf-8") if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return file


@pytest.mark.parametrize("name", ["a.xml", "a.xml.gz"])
def test_as_sacrebleu_reads_it(write, name):
    text = xml(NEWS, SUITE, TALK)
    testset = read_wmt_xml([write(text, name)])
    theirs = WMTXMLDataset._unwrap_wmt21_or_later(io.BytesIO(text.encode()))
    assert dict(testset.systems) == {
        key: tuple(map(WMTXMLDataset._clean, theirs[key])) for key in ("GPT & Co", "M")
    }
    assert (
        testset.sources == tuple(map(WMTXMLDataset._clean, theirs["src"])) == ("a & b", "c d", "e")
    )
    assert {
        key: tuple(text or "" for text in testset.references[key]) for key in ("refA", "stud")
    } == {"refA": tuple(theirs["ref:A"]), "stud": tuple(theirs["ref:stud"])}
    assert list(testset.documents) == theirs["docid"] and list(testset.domains) == theirs["domain"]
    assert (testset.langpair, testset.name, testset.lines) == ("en-de", "a", (1, 2, 3))


def test_what_is_missing(write):
    """What a reference lacks is None; what a system lacks is empty, a segment as well as a
    document.
    """
    testset = read_wmt_xml(
        [
            write(
                xml(
                    NEWS,
                    doc(
                        "t2",
                        part("src", "en", {1: "g", 2: "h"}),
                        part("ref", "de", {1: "G", 2: "H"}, translator="stud"),
                        part("hyp", "de", {2: "hh"}, system="M"),
                    ),
                )
            )
        ]
    )
    assert testset.references["refA"] == ("A <b>", "C D", None, None)
    assert testset.references["stud"] == ("A B", None, "G", "H")
    assert testset.systems["M"] == ("u", "w", "", "hh") and testset.systems["GPT & Co"] == (
        "x",
        "y z",
        "",
        "",
    )
    assert testset.domains == ("news", "news", "", "")


def test_what_no_reference_has_is_told(write, run):
    bare = doc("t2", part("src", "en", {1: "g", 2: "h"}), part("hyp", "de", {1: "g"}, system="M"))
    path = write(xml(NEWS, bare, TALK))
    (assumed,) = read_wmt_xml([path]).assumed
    said = "Excluded: 3 segments without a reference"
    assert str(assumed) == f"{said}. The first is segment 1 of the document t2."
    told = run("score --metrics chrf --xml", path).err
    assert f"mtsig: {said}" in told
    assert "canary" not in told
    canary = doc("canary", part("src", "en", {1: "q"}), part("ref", "de", {1: "q"}, translator="A"))
    told = run("score --metrics chrf --xml", write(xml(canary, NEWS), "c.xml")).err
    assert "mtsig: line 1, a canary by the documents file, is excluded" in told


@pytest.mark.parametrize(
    "parts",
    [(part("hyp", "de", {1: "x"}, system="M"),), (part("ref", "de", {1: "x"}, translator="A"),)],
)
def test_a_document_that_has_its_source_nowhere_is_named(write, parts):
    stray = write(xml(doc("N1", *parts)), "stray.xml")
    with pytest.raises(
        InputError, match=r"stray.xml, document 1 .*N1 has no <src>, here or .* mean 'n1'\?"
    ):
        read_wmt_xml([write(xml(NEWS)), stray])


def test_files_are_put_together_and_canaries_are_left_out(write):
    canary = doc(
        "canary",
        part("src", "en", {1: "q"}),
        part("ref", "de", {1: "q"}, translator="A"),
        domain="canary",
    )
    texts = doc(
        "n1",
        part("src", "en", {1: "a"}),
        part("ref", "de", {1: "A"}, translator="A"),
        domain="news",
    )
    own = doc("n1", part("hyp", "de", {1: "x"}, system="Mine"))
    paths = [write(xml(canary, texts), "t.xml"), write(xml(own), "mine.xml")]
    assert (read_wmt_xml(paths).systems["Mine"], read_wmt_xml(paths).lines) == (("x",), (2,))
    assert read_wmt_xml(paths, keep_canary=True).systems["Mine"] == ("", "x")
    assert Source(xml=tuple(map(str, paths))).read().n_segments == 1
    with pytest.raises(InputError, match="no output, <hyp>"):
        read_wmt_xml(paths[:1])
    other = write(xml(doc("n1", part("hyp", "de", {1: "z"}, system="Mine"))), "other.xml")
    with pytest.raises(
        InputError, match=r"other.xml, document 1 .n1.: <hyp> Mine differs from .*mine.xml"
    ):
        read_wmt_xml([*paths, other])


def test_the_language_pair_is_chosen(write):
    one, other = (
        doc(
            lang,
            part("src", "en", {1: "a"}),
            part("ref", lang, {1: lang}, translator="A"),
            part("hyp", lang, {1: lang * 2}, system="M"),
        )
        for lang in ("de", "cs")
    )
    path = write(xml(one, other))
    with pytest.raises(SettingError, match="2 language pairs: en-cs, en-de"):
        read_wmt_xml([path])
    assert read_wmt_xml([path], "en-cs").systems["M"] == ("cscs",)
    with pytest.raises(SettingError, match="Unknown language pair 'en-fr'"):
        read_wmt_xml([path], "en-fr")


def test_a_folder_is_a_task(write, tmp_path):
    write(xml(NEWS, TALK))
    write(xml(NEWS.replace('"de"', '"cs"')), "toy2021.en-cs.all.xml.gz")
    assert is_task(tmp_path) and pairs_of(tmp_path) == ["en-cs", "en-de"]
    task = read_task(tmp_path)
    assert {pair: testset.n_segments for pair, testset in task.testsets.items()} == {
        "en-cs": 2,
        "en-de": 3,
    }
    assert (
        Source(folder=str(tmp_path), langpair="en-de").read().digest
        == task.testsets["en-de"].digest
    )
    with pytest.raises(SettingError, match="Unknown language pair 'en-fr'"):
        read_task(tmp_path, ["en-fr"])


LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            xml(NEWS, head=f'<!DOCTYPE x [<!ENTITY l0 "lol">{LAUGHS}]>\n').replace(
                "a &amp; b", "&l9;"
            ),
            "declares a doc",
        ),
        (
            xml(
                NEWS,
                head='<?xml?>\n<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n'.replace(
                    "<?xml?>", '<?xml version="1.0"?>'
                ),
            ),
            "declares a doc",
        ),
        (xml(NEWS, head='<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">\n'), "declares a doc"),
        (
            xml(NEWS, head='<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/"> %p;]>\n'),
            "declares a doc",
        ),
        (xml(NEWS).replace("a &amp; b", "&unknown;"), "line 5 is not valid XML: undefined entity"),
        (xml(NEWS)[:-40], "is not valid XML"),
        (b"", "no element found"),
        (b"\x1f\x8b\x08broken", "damaged gzip"),
        ("plain text\n", "line 1 is not valid XML"),
        (xml(NEWS).encode("latin-1").replace(b"C D", b"\xe4"), "line 11 is not valid XML"),
        (xml(NEWS).replace("utf-8", "x-klingon"), "cannot be read as XML|not valid XML"),
        ("<dataset>" + "<p>" * 100_000, "not valid XML"),
        ("<dataset></dataset>", "has no document"),
        (
            xml(NEWS).replace(' id="1"', ""),
            r"document 1 .n1.: <src> has the segment '' twice, or one without an id",
        ),
        (xml(NEWS).replace('seg id="2"', 'seg id="1"'), "<src> has the segment '1' twice"),
        (
            xml(NEWS).replace('src lang="en"', 'src lang="English"'),
            "<src> has the language 'English'",
        ),
        (xml(NEWS).replace('system="M"', ""), "<hyp> has the language 'de' and the system ''"),
        (xml(NEWS).replace('id="n1"', ""), "document 1 .* has no id"),
        (xml(NEWS, NEWS), "document 2 .n1. has the id of another"),
        (
            xml(
                doc(
                    "d",
                    part("src", "en", {1: "a"}),
                    part("ref", "de", {1: "a", 2: "b"}),
                    part("hyp", "de", {}, system="M"),
                )
            ),
            "document 1 .d.: the document d has a segment '2' here, and none in its <src>",
        ),
        (
            xml(doc("d", part("src", "en", {1: "a"}), part("hyp", "de", {1: "b"}, system="M"))),
            "no reference, <ref>",
        ),
        (
            xml(
                doc(
                    "d",
                    part("src", "en", {1: "a"}),
                    part("ref", "de", {1: ""}),
                    part("hyp", "de", {1: "b"}, system="M"),
                )
            ),
            "no segment has a reference",
        ),
    ],
)
def test_hostile_and_broken_files(write, content, told):
    with pytest.raises(InputError, match=told) as error:
        read_wmt_xml([write(content, "f.xml")])
    assert "f.xml" in str(error.value) and "\n" not in str(error.value)


def test_a_region_after_a_hyphen_in_the_name_is_that_of_the_content(write):
    path = write(xml(NEWS).replace('lang="de"', 'lang="de-AT"'), "toy2021.en-de-AT.all.xml")
    assert (
        pairs_of(path.parent) == ["en-de_AT"]
        and read_task(path.parent).testsets["en-de_AT"].langpair == "en-de_AT"
    )
