"""A small test set as files, and as the folder of a shared task."""

import random

WORDS = (
    "the a cat dog house river sees finds old small quiet bridge over under and then market street"
).split()


def sentences(n, seed):
    draw = random.Random(seed)
    return [
        " ".join(draw.choices(WORDS, k=draw.randint(4, 15))).capitalize() + "." for _ in range(n)
    ]


def spoiled(texts, share, seed):
    draw = random.Random(seed)
    return [
        " ".join(draw.choice(WORDS) if draw.random() < share else word for word in text.split())
        for text in texts
    ]


def write_files(folder):
    """Reference, three systems (the last much worse) and documents of 60 segments."""
    ref = sentences(60, 1)
    texts = {
        "ref": ref,
        "good": spoiled(ref, 0.15, 2),
        "fair": spoiled(ref, 0.2, 3),
        "poor": spoiled(ref, 0.6, 4),
        "docs": [f"news\tdoc{k // 4}" for k in range(60)],
    }
    for name, lines in texts.items():
        (folder / f"{name}.txt").write_text(
            "".join(f"{line}\n" for line in lines), encoding="utf-8"
        )
    return folder


def write_task(files, root):
    """The same as a shared-task folder en-de, with a second reference."""
    for part in ("references", "system-outputs/en-de", "documents"):
        (root / part).mkdir(parents=True)
    for name in ("good", "fair", "poor"):
        (root / f"system-outputs/en-de/{name}.txt").write_bytes(
            (files / f"{name}.txt").read_bytes()
        )
    (root / "references/en-de.refA.txt").write_bytes((files / "ref.txt").read_bytes())
    (root / "references/en-de.refB.txt").write_bytes((files / "good.txt").read_bytes())
    (root / "documents/en-de.docs").write_bytes((files / "docs.txt").read_bytes())
    return root
