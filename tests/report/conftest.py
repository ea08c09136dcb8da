"""What the tests of reports share."""

import pytest


@pytest.fixture
def folder(score_folder):
    return score_folder
