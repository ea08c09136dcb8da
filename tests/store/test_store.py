"""What is kept comes back whole, to whom it belongs, as long as it should."""

import json
import random
import sqlite3
import threading
import zlib
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest
import sqlalchemy as sa

from mtsig_core import SettingError, TestSet
from mtsig_core.errors import StoreError
from mtsig_core.judgements import Annotation, AttentionCheck, ErrorSpan, Judgement, Judgements
from mtsig_core.reviews import Begin, Exclude
from mtsig_core.source import Source, TaskSource
from mtsig_core.testset import SegmentScores
from pages._store.database import DAY, Database, Limits, open_database
from pages._store.kept_reviews import ReviewStore
from pages._store.kept_sets import SetStore, TableStore, pack, unpack


def small(name="small", extra="", **more):
    ref = [f"this is sentence {k} {extra}" for k in range(40)]
    return TestSet(name, {"A": ref, "<b>": [text[:-2] for text in ref]}, {"ref": ref}, **more)


def large(seed, size=700_000):
    """Text that cannot be packed much."""
    return TestSet("large", {"A": [random.Random(seed).randbytes(size).hex()]}, {"ref": ["a"]})


SOURCE = Source((("r", "it's"),), exclude=("B",))
FULL = TestSet(
    "full",
    {"A": ["a\u2028b", ""], "B": ["\ud800", "c"]},
    {"r1": ["x", None], "r2": ["y", "z"]},
    sources=["s", "t"],
    documents=["d", "d"],
    domains=["news", "talk"],
    langpair="en-zh_TW",
    simulated=True,
    lines=[2, 5],
    scores={"human": SegmentScores({"A": [0.1 + 0.2, None], "B": [-0.0, 1e-300]}, False)},
    parses={"A": ["w\tw\t0\troot", ""]},
    judgements=Judgements(
        "human",
        (
            Judgement("A", 2, 0.3, "r1", "x", (ErrorSpan(0, 1, "minor", "fluency"),)),
            Judgement("B", 5, 1e-300, "r2", ""),
        ),
        (Annotation("x", "r1", None, 61.5, 1),),
        (AttentionCheck("r2", False),),
        is_campaign=False,
    ),
)


def test_all_of_a_set_comes_back(store):
    found = store.find(store.keep(FULL, "me", SOURCE))
    back = store.load(found)
    for field in FULL.__dataclass_fields__:
        if field not in ("scores", "judgements"):
            assert getattr(back, field) == getattr(FULL, field), field
    assert asdict(back.judgements) == asdict(FULL.judgements)
    assert back.scores["human"].by_system == FULL.scores["human"].by_system
    assert not back.scores["human"].higher_is_better
    assert back.digest == FULL.digest
    assert found.source == SOURCE
    assert (found.n_segments, found.n_systems) == (2, 2)


def test_one_owner_keeps_so_many_and_the_message_names_the_setting(store, url):
    """Of each kind by itself; what is kept already may be kept again."""
    database, change = Database(url, Limits(count=1)), Begin("wmt", None, "d", {}, "bleu", {})
    few, reviews, tables = SetStore(database), ReviewStore(database), TableStore(database)
    link = few.keep(small(), "me")
    reviews.begin(change, "me")
    tables.keep("a;b", "set", "me")
    assert few.keep(small(), "me") == link
    assert few.keep(small(extra="x"), "you") != link
    for kind, again in (
        ("test sets", lambda: few.keep(small(extra="x"), "me")),
        ("reviews", lambda: reviews.begin(change, "me")),
        ("tables", lambda: tables.keep("c;d", "set", "me")),
    ):
        with pytest.raises(
            SettingError, match=rf"keeps 1 {kind} here already.*\(MTSIG_QUOTA_SETS\)"
        ):
            again()
    database.close()


def test_links_cannot_be_guessed_and_tell_nothing(store):
    links = {store.keep(small(extra=str(k)), f"owner {k}") for k in range(20)}
    assert len(links) == 20
    assert all(len(link) >= 22 for link in links)
    assert store.find(next(iter(links))[:-1]) is None
    assert store.find("") is None


def test_the_same_content_keeps_its_link_and_is_stored_once(store):
    first, same = store.keep(small(), "me"), store.keep(small("other name"), "me")
    assert first == same
    assert [saved.name for saved in store.list_owned("me")] == ["other name"]
    theirs = store.keep(small(), "you")
    assert theirs != first
    assert store.delete(first, "me")
    assert store.find(first) is None
    assert store.load(store.find(theirs)).digest == small().digest  # whose content the two shared


def test_only_the_owner_lists_renames_and_deletes(store):
    link = store.keep(small(), "me")
    assert store.list_owned("you") == []
    assert not store.rename(link, "you", "x")
    assert not store.delete(link, "you")
    assert store.rename(link, "me", "<b>x</b>")
    assert store.find(link).name == "<b>x</b>"
    assert store.load(store.find(link)).name == "<b>x</b>"
    assert store.delete(link, "me")
    assert not store.delete(link, "me")
    assert store.list_owned("me") == []


def test_a_set_that_nobody_opens_expires_and_makes_room(store, clock):
    old = store.keep(large(1), "me")
    clock.now += 9 * DAY
    assert store.find(old)  # which counts as used
    clock.now += 9 * DAY
    assert store.find(old)
    clock.now += 10 * DAY + 1
    assert store.find(old) is None
    assert store.list_owned("me") == []
    assert store.keep(large(2), "me")  # there is room again
    assert store.find(old) is None


def test_no_room_is_said_and_nothing_is_lost(store):
    first = store.keep(large(1), "me")
    with pytest.raises(
        SettingError, match=r"takes 0\.\d MB: yours take 0\.\d MB of 1\.0 MB already"
    ):
        store.keep(large(2), "me")
    with pytest.raises(
        SettingError, match=r"takes 1\.\d MB: yours take 0\.\d MB of 1\.0 MB already"
    ):
        store.keep(large(5, 1_500_000), "me")
    store.keep(large(3), "you")
    with pytest.raises(SettingError, match="all of this server take 1.* MB of 2.0 MB already"):
        store.keep(large(4), "they")
    assert store.keep(large(1), "me") == first  # what is there takes no room
    assert [len(store.list_owned(owner)) for owner in ("me", "you", "they")] == [1, 1, 0]


def test_many_at_once(store):
    links, failures = [], []

    def work(k):
        try:
            link = store.keep(small(extra=str(k % 3)), "me")
            store.find(link)
            links.append(link)
            store.delete(store.keep(small(extra="gone"), f"owner {k}"), f"owner {k}")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(set(links)) == 3 == len(store.list_owned("me"))
    for saved in store.list_owned("me"):
        assert store.load(saved).n_segments == 40


def test_damage_is_a_message(store):
    saved = store.find(store.keep(small(), "me"))
    with store.database._engine.begin() as db:
        db.execute(sa.text("UPDATE mtsig_kept SET content = :damaged"), {"damaged": b"abc"})
    with pytest.raises(
        StoreError, match="'small' is damaged in the database. Upload its files again."
    ):
        store.load(saved)


@pytest.mark.parametrize(
    "change, told",
    [
        ({"format": 99}, "was saved by a newer version of mtsig. Update this one"),
        ({"later": 1}, "was saved by a newer version"),
        (
            {"assumed": [["a-code-of-later", {}]]},
            "was saved by another version of mtsig, .* Upload its files again",
        ),
        ({"scores": {"human": 3}}, "was saved by another version"),
        ({"systems": 3}, "was saved by another version"),
    ],
)
def test_what_another_version_saved_is_refused_and_never_misread(change, told):
    content = json.loads(zlib.decompress(pack(FULL)))
    with pytest.raises(StoreError, match=told):
        unpack(zlib.compress(json.dumps(content | change).encode()), "full")


def test_sentences_of_the_first_format_are_read():
    content = json.loads(zlib.decompress(pack(small()))) | {
        "format": 1,
        "assumed": ["As was said."],
    }
    assert (
        str(unpack(zlib.compress(json.dumps(content).encode()), "small").assumed[0])
        == "As was said."
    )


@pytest.mark.parametrize(
    "environment, message",
    [
        ({"MTSIG_DATABASE_URL": "mysql://u@h/d"}, "MTSIG_DATABASE_URL"),
        ({"MTSIG_DATABASE_URL": "nonsense"}, "MTSIG_DATABASE_URL"),
        (
            {"MTSIG_DATABASE_URL": "postgresql://u:secret@127.0.0.1:1/d"},
            "the database of test sets says",
        ),
        (
            {"MTSIG_HOME": "/dev/null/x"},
            "The folder for kept test sets, /dev/null/x, cannot be used",
        ),
        (
            {"MTSIG_HOME": "{tmp}", "MTSIG_QUOTA_MB": "much"},
            "MTSIG_QUOTA_MB is 'much'. Expected a number, 0 or more",
        ),
        ({"MTSIG_HOME": "{tmp}", "MTSIG_EXPIRY_DAYS": "-1"}, "MTSIG_EXPIRY_DAYS is '-1'"),
        (
            {"MTSIG_HOME": "{tmp}", "MTSIG_EXPIRY_DAYS": "1000000"},
            "Expected a number, 0 or more, below 1,000,000.",
        ),
        ({"MTSIG_HOME": "{tmp}", "MTSIG_QUOTA_ALL_MB": "nan"}, "MTSIG_QUOTA_ALL_MB is 'nan'"),
    ],
)
def test_mistakes_in_the_settings(tmp_path, environment, message):
    environment = {key: value.replace("{tmp}", str(tmp_path)) for key, value in environment.items()}
    with pytest.raises((StoreError, SettingError), match=message) as caught:
        open_database(environment)
    assert "secret" not in str(caught.value)


def test_the_folder_is_private_and_settings_count(tmp_path):
    database = open_database(
        {
            "MTSIG_HOME": str(tmp_path / "a" / "b"),
            "MTSIG_QUOTA_MB": "0.5",
            "MTSIG_EXPIRY_DAYS": "3",
            "MTSIG_QUOTA_SETS": "7",
        }
    )
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    assert database.limits == Limits(owner_bytes=1 << 19, days=3, count=7)
    database.close()


def test_the_files_are_private_in_a_folder_that_others_may_read(tmp_path):
    tmp_path.chmod(0o755)
    with closing(open_database({"MTSIG_HOME": str(tmp_path)})) as database:
        SetStore(database).keep(small(), "me")
        files = list(tmp_path.iterdir())
        assert len(files) > 1
        assert not any(file.stat().st_mode & 0o077 for file in files)
    (tmp_path / "testsets.sqlite").chmod(0o640)  # for a group, by who runs it
    open_database({"MTSIG_HOME": str(tmp_path)}).close()
    assert (tmp_path / "testsets.sqlite").stat().st_mode & 0o777 == 0o640


def test_a_shared_task_comes_back_as_its_zip_with_what_is_taken_of_it(store, url, clock):
    content = b"PK\3\4" + bytes(range(256)) + b"\n{}\n"
    source = TaskSource(
        "t.zip",
        scores=(("en-cs", "esa", "t.zip/en-cs.esa.tsv"),),
        lower_is_better=("esa",),
        name="T",
    )
    link = store.keep_task(content, "ada", source, ["en-cs", "en-de"], 3, [("README", "no name")])
    with closing(Database(url, now=clock)) as database:
        other = SetStore(database)
        saved = other.find(link)
        assert other.load_zip(saved) == content
        assert saved.task == source
        assert (saved.pairs, saved.unread, saved.n_systems) == (
            ("en-cs", "en-de"),
            (("README", "no name"),),
            3,
        )
    assert (
        store.keep_task(content, "ada", source, ["en-cs", "en-de"], 3, [("README", "no name")])
        == link
    )
    assert (
        store.keep_task(content, "ada", TaskSource("t.zip"), ["en-cs"], 3) != link
    )  # which has other numbers
    assert store.keep(small(), "ada")
    assert [one.task is None for one in store.list_owned("ada")].count(True) == 1
    with pytest.raises(SettingError, match="MTSIG_QUOTA_MB"):
        store.keep_task(random.Random(1).randbytes(2 << 20), "bob", source, ["en-cs"], 3)


def test_tables_are_kept_behind_a_link_each():
    times = [0.0]
    limits = Limits(owner_bytes=9, total_bytes=12, days=1)
    store = TableStore(Database("sqlite://", limits, now=lambda: times[0]))
    link = store.keep("a;b", "set", "me")
    assert store.keep("a;b", "set", "me") == link
    assert store.keep("a;b", "set", "you") != link
    assert store.find(link, "set") == "a;b"
    assert store.find(link, "other") is None
    assert store.find("x", "set") is None
    with pytest.raises(SettingError, match="no room"):
        store.keep("1234567", "set", "me")
    times[0] = 1.5 * DAY
    assert store.find(link, "set") is None
    assert store.keep("123456789", "set", "me")


#: As the version of 22 November 2026 wrote it: two sets and a review of six steps, of which one is
#: taken back.
EARLIER = Path(__file__).with_name("home_of_an_earlier_version.sql")
#: A table of published scores, which that version kept for an owner 'me'.
EARLIER_TABLE = """
CREATE TABLE mtsig_official (link VARCHAR(64) NOT NULL PRIMARY KEY, owner VARCHAR(64) NOT NULL,
about TEXT NOT NULL, content BLOB NOT NULL, used FLOAT NOT NULL);
INSERT INTO mtsig_official VALUES ('a-link', '556a00e6dfef6a6cf250e9e71f874a0e', 'set', X'613B62', 1);
"""


def test_the_home_of_an_earlier_version_opens_and_goes_on(tmp_path):
    """Its tables become one, once, although two servers open it at the same time."""
    environment = {"MTSIG_HOME": str(tmp_path), "MTSIG_EXPIRY_DAYS": "0"}
    with closing(sqlite3.connect(tmp_path / "testsets.sqlite")) as earlier:
        earlier.executescript(EARLIER.read_text() + EARLIER_TABLE)
        read_links = [link for (link,) in earlier.execute("SELECT read_link FROM mtsig_review")]
    openings = [threading.Thread(target=open_database, args=(environment,)) for _ in range(2)]
    for opening in openings:
        opening.start()
    for opening in openings:
        opening.join()
    database = open_database(environment)
    store, reviews = SetStore(database), ReviewStore(database)
    assert sa.inspect(database._engine).get_table_names() == ["mtsig_kept"]
    assert TableStore(database).find("a-link", "set") == "a;b"
    scores, texts = store.list_owned("me")
    assert (texts.name, scores.name) == ("old set", "old scores")
    testset = store.load(texts)
    assert testset.documents[:3] == ("d0", "d0", "d1")
    assert testset.langpair == "en-de"
    assert store.load(scores).scores["human"].by_system["A"][:3] == (0.0, 1.0, 2.0)
    (kept,) = reviews.list_owned("me")
    review = kept.review
    assert len(kept.history) == 7
    assert not review.exclusions
    assert review.decisions[0].first == ("A",)
    assert review.notes[0].text == "a note"
    assert (review.metric, review.settings["rank_rule"]) == ("chrf", "wmt24")
    assert [reviews.find(link).history for link in read_links] == [kept.history]
    review = reviews.add(kept.edit_link, Exclude("C", None, "new"), 7).review
    assert review.exclusions[0].system == "C"
    assert store.find(store.keep(testset, "somebody else"))
    database.close()
