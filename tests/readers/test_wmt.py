"""read_wmt: both generations of the shared-task layout, and the variants that releases really
have.
"""

import pytest

from mtsig_core.errors import InputError
from mtsig_core.readers import language_pairs, read_wmt
from mtsig_core.readers.tasks import read_task

TEXT = ["CANARY 26b5", "Ein Satz.", "Noch ein Satz.", "Der letzte."]
DOCS = ["canary\tcanary", "news\td1", "news\td1", "social\td2"]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "wmt24"


@pytest.fixture
def put(write):
    """Write these files into the folder; each has the same four lines unless it says other ones."""

    def put(*names, **contents):
        for name in names:
            write(f"wmt24/{name}", TEXT)
        for name, lines in contents.items():
            write(f"wmt24/{name}", lines)

    return put


def error(folder, langpair="en-de", kind=InputError):
    with pytest.raises(kind) as caught:
        read_wmt(folder, langpair)
    return str(caught.value)


@pytest.fixture
def wmt24_layout(put):
    put(
        "references/en-de.refA.txt",
        "references/en-de.refB.txt.gz",
        "references/cs-uk.refA.txt",
        "sources/en-de.txt",
        "system-outputs/en-de/sysB.txt",
        "system-outputs/en-de/GPT-4.5.txt.gz",
        "system-outputs/cs-uk/sysC.txt",
        **{"documents/en-de.docs": DOCS},
    )


class TestGenerations:
    def test_2024(self, folder, wmt24_layout):
        testset = read_wmt(folder, "en-de")
        assert testset.name == "wmt24 en-de" and testset.langpair == "en-de"
        assert list(testset.references) == ["refA", "refB"]
        assert list(testset.systems) == ["GPT-4.5", "sysB"]
        assert testset.sources == tuple(TEXT[1:])
        assert testset.documents == ("d1", "d1", "d2") and testset.domains == (
            "news",
            "news",
            "social",
        )

    @pytest.mark.parametrize("a, b", [("A", "B"), ("refA", "refB")])
    def test_2021_to_2023(self, folder, put, a, b):
        put(
            f"references/newstest2021.en-de.ref.{a}.de",
            f"references/newstest2021.en-de.ref.{b}.de.gz",
            "references/newstest2021.de-en.ref.A.en",
            "sources/newstest2021.en-de.src.en",
            "system-outputs/newstest2021.en-de.hyp.Online-A.de",
            "system-outputs/newstest2021.de-en.hyp.Other.en",
            "system-outputs/newstest2021.en-de.hyp.happypoet_system_en-de_02.de",
            "system-outputs/newstest2021.en-de.hyp.v1.5.de.gz",
            **{"documents/newstest2021.en-de.docs": DOCS},
        )
        testset = read_wmt(folder, "en-de")
        assert testset.name == "newstest2021 en-de"
        assert list(testset.references) == ["refA", "refB"]
        assert list(testset.systems) == ["Online-A", "happypoet_system_en-de_02", "v1.5"]
        assert testset.sources == tuple(TEXT[1:]) and testset.n_documents == 2

    def test_metrics_task(self, folder, put):
        put(
            "references/generaltest2024.en-de.ref.refA.de",
            "sources/generaltest2024.en-de.src.en",
            "system_outputs/en-de/generaltest2024.en-de.hyp.Aya23.de",
            "system_outputs/en-de/refA.de",
            **{
                "metadata/en-de.jsonl": [
                    f'{{"domain": "{d}", "docid": "{d}"}}' for d in ["canary", "d", "d", "d"]
                ]
            },
        )
        testset = read_wmt(folder, "en-de")
        assert (
            list(testset.systems) == ["Aya23"]
            and testset.n_segments == 3
            and testset.documents == ("d",) * 3
        )

    def test_documents_of_metrics_eval(self, folder, put):
        put(
            "references/en-de.refA.txt",
            **{"documents/en-de.docs": ["news  d1", "news d1", "news d2", "talks d2"]},
        )
        testset = read_wmt(folder, "en-de")
        assert testset.domains == ("news", "news", "news", "talks") and testset.n_documents == 3

    def test_reference_among_the_outputs_is_no_system(self, folder, put):
        put(
            "references/en-de.refA.txt",
            "system-outputs/en-de/refA.txt",
            "system-outputs/en-de/S.txt",
        )
        assert list(read_wmt(folder, "en-de").systems) == ["S"]
        put(**{"system-outputs/en-de/refA.txt": ["other", *TEXT[1:]]})
        assert list(read_wmt(folder, "en-de").systems) == ["S", "refA"]

    def test_what_lies_among_the_outputs_and_is_not_called_so_is_told(self, folder, put):
        put(
            "references/en-de.refA.txt",
            *(f"system-outputs/en-de/{name}" for name in ("A.txt", "B.TXT", "C.txt.xz")),
        )
        said = (
            "Excluded from system-outputs/en-de: B.TXT, C.txt.xz. Outputs have names such as NAME.txt or "
            "NAME.txt.gz."
        )
        assert [
            list(map(str, one.assumed)) for one in (read_wmt(folder, "en-de"), read_task(folder))
        ] == [[said]] * 2
        assert list(read_wmt(folder, "en-de").systems) == ["A"]

    def test_hidden_files_and_backups(self, folder, wmt24_layout, put):
        put(
            "system-outputs/en-de/.sysB.txt",
            "system-outputs/en-de/sysB.txt~",
            "system-outputs/en-de/#sysB.txt#",
            "system-outputs/en-de/sysB.txt.bak",
            "references/.en-de.refC.txt",
            "references/en-de.refC.txt~",
            "references/README.md",
            "system-outputs/en-de.hyp.x.de~",
            "system-outputs/s.en-de.hyp.x.de.bak",
        )
        testset = read_wmt(folder, "en-de")
        assert list(testset.systems) == ["GPT-4.5", "sysB"] and list(testset.references) == [
            "refA",
            "refB",
        ]

    def test_broken_link_is_told(self, folder, wmt24_layout):
        (folder / "system-outputs" / "en-de" / "gone.txt").symlink_to("nowhere")
        assert "gone.txt is a link to nowhere" in error(folder)

    def test_real_release(self, wmt24):
        assert language_pairs(wmt24) == ["en-de", "en-zh"]
        testset = read_wmt(wmt24, "en-de")
        assert (testset.n_segments, len(testset.systems), list(testset.references)) == (
            997,
            26,
            ["refA", "refB"],
        )
        assert testset.lines[0] == 2 and testset.n_documents == 170
        assert not any("CANARY GUID" in texts[0] for texts in testset.references.values())
        assert "CANARY GUID" in read_wmt(wmt24, "en-zh", keep_canary=True).sources[0]


class TestCanary:
    def test_kept(self, folder, wmt24_layout):
        testset = read_wmt(folder, "en-de", keep_canary=True)
        assert (
            testset.n_segments == 4
            and testset.lines == (1, 2, 3, 4)
            and testset.domains[0] == "canary"
        )

    @pytest.mark.parametrize(
        "docs",
        [
            ["d", "d", "canary", "d"],
            ["x\td", "x\td", "x\tcanary", "x\td"],
            ["x\td", "x\td", "canary\td", "x\td"],
        ],
    )
    def test_by_document_or_domain_on_any_line(self, folder, put, docs):
        put("references/en-de.refA.txt", **{"documents/en-de.docs": docs})
        assert read_wmt(folder, "en-de").lines == (1, 2, 4)

    def test_not_known_without_documents(self, folder, put):
        put("references/en-de.refA.txt")
        assert read_wmt(folder, "en-de").n_segments == 4


class TestPairs:
    def test_two_sets_of_one_pair(self, folder, put):
        put(
            "references/news.en-de.ref.A.de",
            "references/bio.en-de.ref.A.de",
            "references/news.de-en.ref.A.en",
            "system-outputs/news.en-de.hyp.N.de",
            "system-outputs/bio.en-de.hyp.B.de",
            "sources/news.en-de.src.en",
            "sources/bio.en-de.src.en",
        )
        assert language_pairs(folder) == ["bio.en-de", "de-en", "news.en-de"]
        testset = read_wmt(folder, "news.en-de")
        assert (testset.name, testset.langpair, list(testset.systems)) == (
            "news en-de",
            "en-de",
            ["N"],
        )
        message = error(folder)
        assert f"{folder} has 2 sets for en-de. Choose one: bio.en-de, news.en-de." == message


class TestErrors:
    def test_no_references(self, folder, put):
        put("system-outputs/en-de/s.txt", "notes.md")
        message = error(folder)
        assert f"{folder} has no references/; it has notes.md, system-outputs." in message
        assert "references/en-de.refA.txt" in message and "references/SET.en-de.ref.A.de" in message
        with pytest.raises(InputError, match="has no references/"):
            language_pairs(folder)

    def test_folder_above_or_below(self, folder, wmt24_layout):
        assert error(folder.parent).endswith(f"Did you mean {folder}?")
        assert error(folder / "references").endswith(f"Did you mean {folder}?")

    def test_the_folder_of_automatic_scores_alone(self, folder, put):
        put("automatic_scores/A.jsonl")
        with pytest.raises(InputError, match="is one folder of a shared task. Did you mean "):
            read_task(folder / "automatic_scores")

    def test_references_of_another_form(self, folder, put):
        put("references/ref.de")
        assert (
            "references has no reference; it has ref.de. Expected a reference such as ref.txt"
            in error(folder)
        )

    def test_other_pair(self, folder, wmt24_layout):
        assert (
            error(folder, "fr-it") == f"{folder} has no reference for fr-it; it has cs-uk, en-de."
        )
        assert error(folder, "de-en").endswith("it has cs-uk, en-de. Did you mean en-de?")
        assert error(folder, "en-dx").endswith("Did you mean en-de?")

    def test_file_and_its_packed_copy(self, folder, wmt24_layout, put):
        put("system-outputs/en-de/sysB.txt.gz")
        message = error(folder)
        assert (
            "Two systems are called sysB: " in message
            and "sysB.txt.gz. Remove or rename one" in message
        )
        put("references/en-de.refA.txt.gz")
        assert "Two references are called refA" in error(folder)
