"""Small test sets for the tests of metrics on words."""

from hypothesis import strategies as st

from mtsig_core.testset import TestSet


def toy(systems, references, **more):
    return TestSet(
        "toy",
        {f"s{i}": texts for i, texts in enumerate(systems)},
        {f"r{i}": texts for i, texts in enumerate(references)},
        **more,
    )


def rotated(texts, by):
    return [*texts[by:], *texts[:by]]


def hard(texts):
    """Each text against itself, its neighbours, and a mixture of them."""
    mixed = [f"{a} {b}" for a, b in zip(texts, rotated(texts, 1), strict=True)]
    return toy([texts, rotated(texts, 1), mixed, rotated(mixed, 3)], [texts, rotated(mixed, 2)])


def texts(words="abc", longest=10):
    """Few words, so that they repeat."""
    return st.lists(st.sampled_from(words), max_size=longest).map(" ".join)


@st.composite
def corpora(draw, words="abc", longest=10, most=3):
    """Test sets of words, with references that lack segments."""
    n_segments, n_refs, n_systems = (draw(st.integers(1, most)) for _ in range(3))
    present = st.lists(texts(words, longest), min_size=n_segments, max_size=n_segments)
    partial = st.lists(texts(words, longest) | st.none(), min_size=n_segments, max_size=n_segments)
    return toy(
        [draw(present) for _ in range(n_systems)],
        [draw(present), *(draw(partial) for _ in range(n_refs - 1))],
    )


def split(testset):
    """(system number, segment, words of the output, [words of each reference that is there])."""
    for s, outputs in enumerate(testset.systems.values()):
        for i, refs in enumerate(zip(*testset.references.values(), strict=True)):
            yield s, i, outputs[i].split(), [ref.split() for ref in refs if ref is not None]
