"""How often each test finds a difference on the simulated corpus where there is none: as `test_type_one_error`."""

import pytest

from tests.statistics.test_demo_corpus import PORTUGUESE, counts, demo, population  # noqa: F401
from tests.statistics.test_type_one_error import chance, null_pairs, test_rejections_of_true_nulls  # noqa: F401

pytestmark = [pytest.mark.statistics, pytest.mark.slow]


@pytest.mark.parametrize("population", [PORTUGUESE], indirect=True)
def test_documents_as_units_hold_the_level_and_segments_do_not(null_pairs):  # noqa: F811
    assert 0.03 <= null_pairs.row("document", "document", "ar").rejected.share <= 0.065 + chance(null_pairs)
    assert null_pairs.row("document", "segment", "ar").rejected.share > 0.08
