"""Small files in the place of the right one, which would be scored as if they were texts."""

import io
import zipfile

import pytest

from mtsig_core.errors import InputError
from mtsig_core.readers.scores import read_scores
from mtsig_core.readers.tasks import read_task
from mtsig_core.readers.texts import read_text
from mtsig_core.readers.uploads import Upload, read_uploads
from mtsig_core.source import Source

LFS = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)
ANNEX = "/annex/objects/SHA256E-s31390--f50d7ac4c6b9031379986bc362fcefb65f1e52621ce1708d537e740fefc59cc0.txt\n"
STAND_INS = [
    (LFS, "a pointer of Git LFS, not the file itself. Expected .*. Fetch the file: git lfs pull."),
    (ANNEX, "a pointer of git-annex.*git annex get"),
    ("../.git/annex/objects/Gz/0k/SHA256E-s3--ab.txt/SHA256E-s3--ab.txt", "a pointer of git-annex"),
    (
        "outs:\n- md5: a304afb96060aad90176268345e10355\n  size: 3\n  path: ref.txt\n",
        "a pointer of DVC.*dvc pull",
    ),
    ("404: Not Found", "the answer of a server.*Download the file again"),
    ("Entry not found", "the answer of a server"),
]


@pytest.mark.parametrize("content, said", STAND_INS)
def test_any_reader_refuses_it(write, content, said):
    pointer, text = (
        str(write("p.txt", content)),
        str(write("t.txt", content.replace(":", " :").replace("/", " "))),
    )
    for references, outputs in ((pointer, pointer), (text, pointer), (pointer, text)):
        with pytest.raises(InputError, match=said):
            read_text([(None, references)], [("A", outputs)])
    with pytest.raises(InputError, match=said):
        read_scores({"COMET": pointer})
    for more in (
        {"docs": pointer},
        {"src": pointer},
        {"parse": (("A", pointer),)},
        {"scores": (("COMET", pointer),)},
    ):
        with pytest.raises(InputError, match=said):
            Source(((None, text),), (("A", text),), **more).read()
    with pytest.raises(InputError, match=said):
        read_task(pointer)
    uploads = [
        Upload("ref.txt", content.encode(), "reference", "ref"),
        Upload("a.txt", b"a\n", "system", "a"),
    ]
    with pytest.raises(InputError, match="ref.txt is " + said):
        read_uploads(uploads)


def test_in_folders_and_zips(write, tmp_path):
    files = {
        "references/en-de.refA.txt": "a\n",
        "system-outputs/en-de/A.txt": LFS,
        "README.md": LFS,
    }
    for name, content in files.items():
        write(f"task/{name}", content)
    with zipfile.ZipFile(packed := io.BytesIO(), "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    for place in (tmp_path / "task", write("task.zip", packed.getvalue())):
        with pytest.raises(InputError, match="A.txt is a pointer of Git LFS"):
            read_task(place)


def test_a_link_of_git_annex_names_its_command(tmp_path, write):
    (tmp_path / "ref.txt").symlink_to("../.git/annex/objects/xx/SHA256E-s3--ab.txt")
    with pytest.raises(
        InputError, match="ref.txt is a pointer of git-annex.*git annex get .*ref.txt"
    ):
        read_text([(None, tmp_path / "ref.txt")], [("A", write("a.txt", "a\n"))])


@pytest.mark.parametrize(
    "text",
    [
        "version 2 of https://git-lfs.github.com/spec/v1 is out\n",
        "Not found, they said.\n",
        "not-found\nAccess denied.\n",
        "The outs: of the game\n",
        "It lies in /annex/objects/ of the museum\nand is old\n",
    ],
)
def test_texts_about_such_things_are_texts(write, text):
    path = write("t.txt", text)
    assert read_text([(None, path)], [("A", path)]).n_segments == text.count("\n")
