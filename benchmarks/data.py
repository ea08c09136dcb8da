"""Texts and statistics to measure with: real ones where a folder is given or found, else made
up.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mtsig_core import TestSet, read_wmt

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "wmt24"


def load(folder: str | None, langpair: str) -> TestSet:
    """A shared task, scored with its first reference; made-up texts where there is none."""
    path = Path(folder) if folder else SHARED
    if folder is None and not path.is_dir():
        return made_up()
    testset = read_wmt(path, langpair)
    return testset.scored_with([next(iter(testset.references))])


def made_up(n_systems: int = 26, n_segments: int = 997, seed: int = 0) -> TestSet:
    """Sentences of Zipf-distributed words with punctuation; systems change a share of the words."""
    rng = np.random.default_rng(seed)
    letters = list("abcdefghijklmnopqrstuvwxyz")
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 11))) for _ in range(5000)])
    chance = 1 / np.arange(1, len(words) + 1)
    chance /= chance.sum()

    def sentence(picked):
        marks = rng.random(len(picked))
        return (
            " ".join(
                w + "," * int(m < 0.08) for w, m in zip(words[picked], marks, strict=True)
            ).capitalize()
            + "."
        )

    picked = [rng.choice(len(words), rng.integers(5, 60), p=chance) for _ in range(n_segments)]
    systems = {}
    for k in range(n_systems):
        changed = [
            np.where(
                rng.random(len(p)) < 0.2 + 0.01 * k, rng.choice(len(words), len(p), p=chance), p
            )
            for p in picked
        ]
        systems[f"system-{k + 1:02}"] = [sentence(p) for p in changed]
    return TestSet("made up", systems, {"ref": [sentence(p) for p in picked]}, langpair="en-de")


def widen(statistics: np.ndarray, n_systems: int, n_segments: int, seed: int = 0) -> np.ndarray:
    """More systems (mixtures of two) and more segments (drawn with replacement) of the same
    kind.
    """
    rng = np.random.default_rng(seed)
    rows = [*statistics]
    while len(rows) < n_systems:
        first, second = rng.choice(len(statistics), 2, replace=False)
        mask = rng.random(statistics.shape[1]) < 0.5
        rows.append(np.where(mask[:, None], statistics[first], statistics[second]))
    wide = np.stack(rows[:n_systems])
    return (
        wide if n_segments == wide.shape[1] else wide[:, rng.integers(0, wide.shape[1], n_segments)]
    )


def write(testset: TestSet, folder: Path) -> tuple[Path, list[Path]]:
    """The first reference and all systems as plain text files."""

    def save(name, texts):
        path = folder / f"{name}.txt"
        path.write_text("".join(text + "\n" for text in texts), encoding="utf-8", newline="\n")
        return path

    reference = save("reference", next(iter(testset.references.values())))
    return reference, [
        save(f"system-{k:02}", texts) for k, texts in enumerate(testset.systems.values())
    ]


def write_task(testset: TestSet, folder: Path) -> str:
    """A shared task in WMT layout; what its one test set is called below the folder's parent."""
    for kind in ("references", "sources", "system-outputs/en-de"):
        (folder / kind).mkdir(parents=True)
    reference, systems = write(testset, folder / "references")
    reference.rename(folder / "references" / "en-de.refA.txt")
    for name, path in zip(testset.systems, systems, strict=True):
        path.rename(folder / "system-outputs" / "en-de" / f"{name}.txt")
    return f"{folder.name}/en-de"
