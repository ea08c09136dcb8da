"""Pictures that grow while their work goes on, which waits until the page has drawn what is there."""

import threading
from functools import wraps

from pages._ui import background, charts
from tests.builders.thread_workers import ThreadWorker


def follow_growth(monkeypatch, module, name):
    """Let a function of the work wait so; the figures that are drawn meanwhile, each with its text."""
    grown, drawn = [], threading.Semaphore(0)
    work, draw = getattr(module, name), charts.grow

    @wraps(work)
    def work_slowly(*args, watch, **settings):
        def watch_and_wait(*parts):
            watch(*parts)
            assert drawn.acquire(timeout=300)

        return work(*args, watch=watch_and_wait, **settings)

    def grow(figure, key, alt):
        draw(figure, key, alt)
        grown.append((figure(), alt))
        drawn.release()

    monkeypatch.setattr(module, name, work_slowly)
    monkeypatch.setattr(background, "PATIENCE", 0)
    monkeypatch.setattr(background._SCHEDULER, "pool", ThreadWorker)
    monkeypatch.setattr(charts, "grow", grow)
    return grown
