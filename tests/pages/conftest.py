"""Pages without a browser: nothing looks at the progress of work, so each page waits until it is done."""

import pytest

from pages._ui import background


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    monkeypatch.setattr(background, "PATIENCE", 60)
