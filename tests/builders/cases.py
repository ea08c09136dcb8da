"""Cases of a test of which `make test` sees the first, and `make test-long` all."""

import pytest


def brief(n, cases):
    """The cases of a parameter, or of several: those after the first n are marked long."""
    cases = list(cases)
    return [
        *cases[:n],
        *(
            pytest.param(*case if isinstance(case, tuple) else [case], marks=pytest.mark.long)
            for case in cases[n:]
        ),
    ]
