"""Whatever a stranger uploads ends in a test set or in a message of ours."""

import json
import re

from hypothesis import given

from mtsig_core import MtsigError, compare
from mtsig_core.readers.official_tables import parse_official_table, parse_official_tables
from mtsig_core.readers.uploads import (
    Upload,
    find_common_set,
    find_reference_language,
    guess_uploads,
    read_uploads,
)
from mtsig_core.report.tables import inventory_table
from mtsig_core.stats.cautions import find_file_cautions
from pages._store.kept_sets import pack, unpack
from tests.builders.counted import SEEN, check_number, many
from tests.builders.mutations import archives, uploads
from tests.builders.rendered import comparison_json
from tests.builders.toys import read_zip, zip_language_pairs, zipped
from tests.builders.typed_files import typed_official_tables, typed_tasks, typed_uploads


def looked_at(testset):
    """What every page does with a test set."""
    find_file_cautions(testset), inventory_table(testset), testset.digest
    unpack(pack(testset), testset.name)
    if (
        testset.scores and testset.n_segments < 100 and int(testset.digest[0], 16) % 4 == 0
    ):  # of some: it takes long
        found = compare(testset, [next(iter(testset.scores))], trials=19, resamples=19)
        json.dumps(json.loads(comparison_json(found)), allow_nan=False).encode()


def open_files(files):
    guesses = guess_uploads([(file, content[:1000]) for file, content in files])
    found = [
        Upload(file, content, role, name)
        for (file, content), (role, name) in zip(files, guesses, strict=True)
    ]
    _, langpair = find_common_set(file for file, _ in files)
    find_reference_language(found)
    looked_at(read_uploads(found, langpair=langpair or None))


def open_zip(packed):
    for pair in zip_language_pairs(packed):
        looked_at(read_zip(packed, pair))


def ends_well(work, *given):
    try:
        work(*given)
    except MtsigError as error:
        assert "\0" not in str(error) and not re.search(r"/(tmp|dev/shm)/", str(error)), str(error)
        str(error).encode()  # a page and a terminal must be able to say it


@many("uploads")
@given(uploads())
def test_uploads(files):
    ends_well(open_files, files)
    SEEN["uploads"] += 1


@many("archives")
@given(archives())
def test_archives(packed):
    ends_well(open_zip, packed)
    SEEN["archives"] += 1


def open_typed(files, task, official):
    ends_well(open_files, files)
    ends_well(open_zip, zipped(task))
    ends_well(parse_official_table, official)
    ends_well(parse_official_tables, official)


@many("values")
@given(typed_uploads(), typed_tasks(), typed_official_tables())
def test_values_of_other_types(files, task, official):
    open_typed(files, task, official)
    SEEN["values"] += 1


def test_as_many_were_tried():
    check_number("uploads", "archives", "values")
