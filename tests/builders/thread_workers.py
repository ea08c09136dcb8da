"""Workers for tests that need no process: one works in the thread of its job."""

import io
import pickle
import threading

import cloudpickle

from mtsig_core import Cancelled
from pages._work.worker_pool import Progress, computed, packed, unpacked

#: Modules of pages that work may refer to: where it is done there is no Streamlit.
KNOWN = {"pages._ui.result_cache"}


class ThreadWorker:
    """Does its work when it is told to; it looks whether it is still wanted each time it tells how
    far it is.
    """

    def __init__(self, heavy=False):
        self.heavy, self.weight, self.ended, self.going = heavy, 0, False, threading.Event()
        self.going.set()

    def run(self, work, tell):
        def listen(*told):
            self.going.wait(30)
            if self.ended:
                raise Cancelled("killed")
            tell(*told)

        listen("progress", "", 0.0)
        return work(Progress(listen))

    def kill(self):
        self.ended = True
        self.going.set()

    def pause(self):
        self.going.clear()

    def resume(self):
        self.going.set()

    @classmethod
    def start(cls):
        pass


class PickledWorker(ThreadWorker):
    """Work and value go through bytes, as they go to a process; what work refers to is looked
    at.
    """

    def run(self, work, tell):
        parts = packed(work)
        assert (wrong := modules(parts) - KNOWN) == set(), wrong
        work = unpacked(iter(parts).__next__)
        value = super().run(lambda progress: computed(work, progress, self.heavy), tell)
        return pickle.loads(cloudpickle.dumps(value))


def modules(parts):
    """The modules of pages and of Streamlit that packed work needs."""
    found, (_, *sealed, content) = set(), parts

    class Looking(pickle.Unpickler):
        def find_class(self, module, name):
            found.add(module)
            return super().find_class(module, name) if name != "subimport" else found.add

        def persistent_load(self, k):
            return pickle.loads(sealed[k])[0]

    Looking(io.BytesIO(content)).load()
    return {name for name in found if name.startswith(("pages", "streamlit"))}


class Work:
    """Work that goes on until it is let go, looking at its progress all the while."""

    def __init__(self):
        self.started, self.let_go, self.stopped, self.calls = (
            *(threading.Event() for _ in range(3)),
            0,
        )

    def __call__(self, progress):
        self.calls += 1
        self.started.set()
        try:
            while not self.let_go.wait(0.01):
                progress("working", 0.5)
                progress("looking", 0.5)  # another stage is told at once
        except Cancelled:
            self.stopped.set()
            raise
        return 42
