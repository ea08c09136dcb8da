"""What tests draw test sets from."""

from typing import NamedTuple

import numpy as np
import pytest

SPANISH, PORTUGUESE, DANISH, GREEK, GERMAN, FINNISH = range(6)
#: Populations of the simulated corpus, by which system is second.
OTHERS = {"corpus": DANISH, "corpus, nearest": PORTUGUESE}


class Population(NamedTuple):
    """BLEU counts of six systems about as good as each other, (6, segments, 10), and the document
    of each segment.
    """

    counts: np.ndarray
    documents: np.ndarray


def populations(*corpora, **more):
    """A test draws from all of them: those of the fixture, and these of the simulated corpus."""
    return pytest.mark.parametrize(
        "population",
        [
            "made-up",
            *(pytest.param(one, **more) for one in corpora),
            pytest.param("wmt24", marks=pytest.mark.long),
        ],
        indirect=True,
        scope="session",
    )
