"""The dashboard, with work that waits for a test: ``python -m tests.browser.held FOLDER
[streamlit's options]``.

While FOLDER holds a file named after a kind of work, work of that kind does not begin; it reports
the share of it that the file says. When it is done, there is a file ``KIND.done``.
"""

import sys
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


class Held:
    """The test's side: hold work of a kind and say how far it is, let it go, know that it is
    done.
    """

    def __init__(self, address: str, folder: Path):
        self.address, self._folder = address, folder

    def hold(self, share: float = 0.25, kind: str = "examine_pair") -> None:
        self._folder.joinpath(f"{kind}.done").unlink(missing_ok=True)
        new = self._folder / f"{kind}.new"
        new.write_text(str(share))
        new.replace(self._folder / kind)  # at once, so that it is never read half written

    def let_go(self, kind: str = "examine_pair") -> None:
        self._folder.joinpath(kind).unlink(missing_ok=True)

    def done(self, kind: str = "examine_pair") -> bool:
        return self._folder.joinpath(f"{kind}.done").exists()


def waiting(work, folder, kind):
    """The work, which waits for the test to let it go, then says that it is done."""

    def held(progress):
        while (share := share_of(folder / kind)) is not None:
            progress("held by the test", share)
            time.sleep(0.02)
        value = work(progress)
        folder.joinpath(f"{kind}.done").touch()
        return value

    return held


def share_of(file):
    try:
        return float(file.read_text())
    except FileNotFoundError:
        return None


def main(folder: Path, *options: str) -> None:
    """Become the dashboard, in this process, so that what hands out its work, and what waits for
    it, can be changed.

    Progress is drawn of what is held alone: a browser that draws it of all else, as often as is
    usual, takes the time that the work needs.
    """
    from streamlit.web import cli

    from pages._ui import background
    from pages._work.scheduler import Scheduler

    watch = Scheduler.watch  # what is held takes as long as the test needs, which is never too long
    Scheduler.watch = lambda self, key, work, me, longest, heavy: watch(
        self, key, waiting(work, folder, key[0]), me, heavy=heavy
    )
    wait = background._wait
    background._wait = lambda job, seconds: wait(
        job, 60 if share_of(folder / job.key[0]) is None else seconds
    )
    sys.argv = ["streamlit", "run", str(CHECKOUT / "asgi.py"), *options]
    cli.main()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
