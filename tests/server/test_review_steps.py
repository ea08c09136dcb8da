"""What browsers hear that ask for the steps of a review."""

from types import SimpleNamespace

import pytest

from mtsig_core.errors import StoreError
from pages._server import review_steps
from tests.builders.client import run


def refuse(_link):
    raise StoreError("The database cannot be read.")


@pytest.mark.parametrize(
    ("count", "status", "body"),
    [
        (lambda link: 3, 200, b'{"steps":3}'),
        (lambda link: 0, 404, b'{"steps":0}'),
        (refuse, 503, b"{}"),
    ],
)
def test_steps_of_a_review_no_review_and_no_database(monkeypatch, count, status, body):
    monkeypatch.setattr(review_steps, "_count_steps", count)
    request = SimpleNamespace(path_params={"link": "a-link"})
    answer = run(review_steps.answer(request))
    assert (answer.status_code, answer.body) == (status, body)
