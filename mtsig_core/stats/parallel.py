"""Tasks in order, whoever computes them: this thread, threads, or what joblib was told of, as a Dask cluster.

All parallel work of the core goes through `run_in_order` (blocks of replicates, repeats of experiments) and, where
there are other machines, `run_as_completed` (language pairs). Each task draws from a stream of its own, so the results
are the same wherever and in whatever order tasks run.
"""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, TypeVar

from mtsig_core.errors import ClusterError, make_sendable
from mtsig_core.version import __version__

#: Called with (stage, share of it done); may raise `Cancelled` to stop the work.
Progress = Callable[[str, float], None]
_Result = TypeVar("_Result")

_AT_ONCE = 8  # tasks that each core elsewhere is sent at once: few wait at the end, and memory is bounded
_PARTS = 4  # in which they are sent and fetched, as each time takes some milliseconds
_PATIENCE = 10  # seconds that a scheduler may take to answer
_AGAIN: dict[str, Any] = {"pure": False, "retries": 8}  # calls whose workers are lost are made anew


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Compute on the workers of a Dask cluster what runs inside, or here where `address` (``tcp://host:8786``) is None.

    Who has a cluster of another kind tells joblib of it (`joblib.parallel_config`); this is the same for Dask. Raises
    `ClusterError` if Dask is not installed, the scheduler does not answer, it has no workers, or one has no mtsig, or
    another version; and where the work cannot be done because scheduler or workers are lost meanwhile."""
    if address is None:
        yield
        return
    try:
        from distributed import CancelledError, Client
        from distributed.client import ClosedClientError
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise ClusterError("A Dask cluster needs the package distributed, on each machine. Install it: "
                           "pip install 'mtsig[dask]'") from error
    from joblib import parallel_config

    _check_scheduler(address)
    client: Any = Client.__new__(Client)  # named before it may fail: else none can close it
    try:
        client.__init__(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        client.close()  # by itself it does when it is collected, and where another one just starts both wait for ever
        raise _no_scheduler(address) from error
    with _silent(), client:
        _check_workers(client, address)
        with parallel_config(backend="dask", client=client), _watched(client):
            try:
                yield
            except (CancelledError, ClosedClientError, CommClosedError, KilledWorker) as error:
                raise ClusterError(f"The work is not done: the Dask cluster at {address} lost its scheduler or its "
                                   "workers, perhaps because memory ran out. See what they print, start them again, "
                                   "and repeat.") from error


@contextmanager
def _silent() -> Iterator[None]:
    """Meanwhile no client prints where it lost the scheduler, as a traceback."""
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)


@contextmanager
def _watched(client: Any) -> Iterator[None]:
    """Meanwhile all that a client waits for is cancelled if no worker is left, and none comes again in some time."""
    over = threading.Event()

    def watch() -> None:
        alone = False
        while not over.wait(_PATIENCE):
            try:
                before, alone = alone, not client.ncores()
            except OSError:  # without a scheduler all is cancelled already
                return
            if before and alone:
                client.close()
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def run_in_order(task: Callable[[int], _Result], n_tasks: int, jobs: int = 1) -> Generator[_Result, None, None]:
    """task(0), task(1), ... in this order, whoever computes them.

    Products run on one thread each meanwhile: the tasks are the unit of parallel work.

    >>> list(run_in_order(lambda k: k * k, 4, jobs=2))
    [0, 1, 4, 9]
    """
    elsewhere = _told_of()
    if elsewhere is not None:
        yield from _elsewhere(task, n_tasks, *elsewhere)
        return
    with _blas().limit(limits=1, user_api="blas"):
        if jobs == 1:
            yield from map(task, range(n_tasks))
            return
        from joblib import Parallel, delayed

        # Threads: products, draws and compiled loops all release the interpreter's lock, and nothing is copied.
        results = Parallel(n_jobs=jobs, backend="threading", return_as="generator")(
            delayed(task)(k) for k in range(n_tasks))
        try:
            for result in results:  # noqa: UP028 - `yield from` would close them before the warning is silenced
                yield result
        finally:
            with warnings.catch_warnings():  # that tasks are dropped is what a cancel means
                warnings.simplefilter("ignore")
                results.close()


def report_stage(progress: Progress | None, name: str, part: int = 0, parts: int = 1) -> Callable[[float], None] | None:
    """What reports the share of one stage, or of one of its parts that take about as long each."""
    return None if progress is None else lambda share: progress(name, (part + share) / parts)


def runs_elsewhere() -> bool:
    """Whether joblib was told of processes or machines."""
    return _told_of() is not None


def run_as_completed(tasks: Sequence[Callable[[], _Result]]) -> Iterator[tuple[int, _Result]]:
    """Number and result of each task, those first that are done first; each is sent alone, and in it nothing sent on.

    For few tasks that take long and need each their own data, where `runs_elsewhere`; elsewhere one after the other.
    """
    elsewhere = _told_of()
    if elsewhere is None:
        yield from ((k, task()) for k, task in enumerate(tasks))
        return
    backend, jobs = elsewhere
    if hasattr(backend, "client"):  # joblib gives none of Dask before all are done
        from distributed import as_completed

        futures = [_submit(backend.client, _tried, _numbered, k, task) for k, task in enumerate(tasks)]
        try:
            for future in as_completed(futures, loop=backend.client.loop):
                yield _result(future.result())
        finally:
            _drop(backend.client, futures)
        return
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend=backend, n_jobs=jobs):
        yield from Parallel(return_as="generator_unordered")(delayed(_numbered)(k, task)
                                                             for k, task in enumerate(tasks))


def _numbered(k: int, task: Callable[[], _Result]) -> tuple[int, _Result]:
    return k, _run(_Shared(lambda _: task()), k)


def _told_of() -> tuple[Any, int] | None:
    """The processes or machines that joblib was told of, and how many tasks at once; None for this process."""
    if "joblib" not in sys.modules:  # who told it has imported it, which takes a while
        return None
    from joblib.parallel import get_active_backend

    backend, jobs = get_active_backend(prefer="threads")
    return None if getattr(backend, "supports_sharedmem", False) else (backend, backend.effective_n_jobs(jobs))


def _elsewhere(task: Callable[[int], _Result], n_tasks: int, backend: Any, jobs: int) -> Iterator[_Result]:
    """So many tasks at once that all are busy, then their results."""
    shared, step = _Shared(task), _AT_ONCE * jobs
    if hasattr(backend, "client"):
        yield from _on_dask(shared, n_tasks, backend.client, step)
        return
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend=backend, n_jobs=jobs):
        for at in range(0, n_tasks, step):
            yield from Parallel()(delayed(_run)(shared, k) for k in range(at, min(at + step, n_tasks)))


def _on_dask(shared: _Shared, n_tasks: int, client: Any, step: int) -> Iterator[_Result]:
    """The results of a task that is sent to the scheduler once, and from there to the workers, each of which may die.

    joblib's way, to scatter it to all workers, never ends where one of them dies meanwhile.
    """
    sent, size = _submit(client, _itself, shared), max(1, step // _PARTS)
    waiting: deque[list[Any]] = deque()
    try:
        for at in range(0, n_tasks, size):
            numbers = range(at, min(at + size, n_tasks))
            waiting.append(client.map(partial(_tried, _run), [sent] * len(numbers), numbers, **_AGAIN))
            if len(waiting) * size >= step:
                yield from map(_result, client.gather(waiting.popleft()))
        while waiting:
            yield from map(_result, client.gather(waiting.popleft()))
    finally:
        _drop(client, [sent, *(future for futures in waiting for future in futures)])


def _submit(client: Any, *call: Any) -> Any:
    """A future of a call that is made anew where its worker dies."""
    with warnings.catch_warnings():  # a task is large: so it stays with the scheduler
        warnings.simplefilter("ignore", UserWarning)
        return client.submit(*call, **_AGAIN)


def _tried(call: Callable[..., _Result], *given: Any) -> _Result | Exception:
    """Its result, or what it raises, as a result: to try it again would raise the same."""
    try:
        return call(*given)
    except Exception as error:
        return make_sendable(error)


def _result(found: Any) -> Any:
    if isinstance(found, Exception):
        raise found
    return found


def _drop(client: Any, futures: list[Any]) -> None:
    if client.status == "running":  # else they are
        client.cancel(futures)


def _itself(shared: _Shared) -> _Shared:
    return shared


class _Shared:
    """A task and all it needs, which is sent as one thing."""

    def __init__(self, task: Callable[[int], Any]):
        self.task = task


def _run(shared: _Shared, k: int) -> Any:
    """One task in another process, where nothing is sent on."""
    from joblib import parallel_config

    with parallel_config(backend="threading", n_jobs=1), _blas().limit(limits=1, user_api="blas"):
        return shared.task(k)


def _check_scheduler(address: str) -> None:
    """Whether what listens there speaks as Dask does: a client would wait for ever for another server's first word."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from distributed.comm.core import connect
    from distributed.security import Security

    async def greet() -> None:
        greeting = connect(address, timeout=_PATIENCE, **Security().get_connection_args("client"))
        await (await asyncio.wait_for(greeting, _PATIENCE + 1)).close()

    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own in this one
            thread.submit(asyncio.run, greet()).result()
    except Exception as error:  # of what another server says no more is known
        raise _no_scheduler(address) from error


def _no_scheduler(address: str) -> ClusterError:
    return ClusterError(f"No Dask scheduler answers at {address}. Expected an address such as tcp://host:8786, of one "
                        "that runs: start it with dask scheduler.")


def _check_workers(client: Any, address: str) -> None:
    try:
        versions = client.run(_version)
    except ModuleNotFoundError as error:
        raise ClusterError(f"A worker of the Dask cluster at {address} lacks {error.name}. Install mtsig "
                           "there.") from error
    if not versions:
        raise ClusterError(f"The Dask cluster at {address} has no workers. Start some: dask worker {address}.")
    for worker, version in versions.items():
        if version != __version__:
            raise ClusterError(f"The worker {worker} of the Dask cluster has mtsig {version}, and this is "
                               f"{__version__}. Install the same version on all machines.")


def _version() -> str:
    from mtsig_core.version import __version__

    return __version__


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
