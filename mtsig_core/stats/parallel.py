"""Run tasks in order, on this thread, on several, or on the machines of a Dask cluster.

All parallel work of the core goes through `run_in_order`: blocks of replicates, repeats of
experiments and, where there are other machines, language pairs. Each task has a random stream, so
the results do not depend on where and in which order tasks run.
"""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeVar

from mtsig_core.errors import ClusterError
from mtsig_core.extras import write_missing
from mtsig_core.version import __version__

_Result = TypeVar("_Result")

# Tasks that each core elsewhere is sent at once: few wait at the end, and memory is bounded.
_AT_ONCE = 8
_BATCHES = 4  # in which they are sent and fetched, as each time takes some milliseconds
_PATIENCE = 10  # seconds that a scheduler may take to answer
_CLIENT: ContextVar[Any] = ContextVar("client of the Dask cluster that computes", default=None)


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Compute the tasks inside on the workers of a Dask cluster, or here without an `address`.

    An address looks like ``tcp://host:8786``. Raises `ClusterError` if Dask is not installed, if
    the scheduler does not answer or has no workers, if a worker has no mtsig or another version of
    it, and if the scheduler or the workers are lost meanwhile.
    """
    if address is None:
        yield
        return
    try:
        from distributed import CancelledError, Client
        from distributed.client import ClosedClientError
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        message = write_missing("dask", "A Dask cluster", "Install it on each machine.")
        raise ClusterError(message) from error
    _check_scheduler(address)
    with Client(address, timeout=_PATIENCE, set_as_default=False) as client:
        _check_workers(client, address)
        token = _CLIENT.set(client)
        try:
            with _watched(client):
                yield
        except (CancelledError, ClosedClientError, CommClosedError, KilledWorker) as error:
            raise ClusterError(
                f"The work is not done: the Dask cluster at {address} lost its scheduler or its "
                "workers, perhaps because memory ran out. See what they print, start them again, "
                "and repeat."
            ) from error
        finally:
            _CLIENT.reset(token)


@contextmanager
def _watched(client: Any) -> Iterator[None]:
    """Cancel all tasks of a client if there is no worker for some time."""
    is_over = threading.Event()

    def watch() -> None:
        n_looks_without_worker = 0
        while not is_over.wait(_PATIENCE):
            try:
                has_workers = bool(client.ncores())
            except OSError:  # without a scheduler all is cancelled already
                return
            n_looks_without_worker = 0 if has_workers else n_looks_without_worker + 1
            if n_looks_without_worker == 2:
                client.close()
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        is_over.set()


def run_in_order(
    task: Callable[[int], _Result], n_tasks: int, jobs: int = 1
) -> Generator[_Result, None, None]:
    """Yield task(0), task(1), ... in this order, computed by any worker.

    Each matrix product runs on one thread meanwhile: the tasks are the unit of parallel work.

    >>> list(run_in_order(lambda k: k * k, 4, jobs=2))
    [0, 1, 4, 9]
    """
    client = _CLIENT.get()
    if client is not None:
        yield from _run_on_cluster(task, n_tasks, client)
        return
    with _blas().limit(limits=1, user_api="blas"):
        if jobs == 1:
            yield from map(task, range(n_tasks))
            return
        from joblib import Parallel, delayed

        # Threads: products, draws and compiled loops all release the interpreter's lock, and
        # nothing is copied.
        results = Parallel(n_jobs=jobs, backend="threading", return_as="generator")(
            delayed(task)(k) for k in range(n_tasks)
        )
        try:
            for result in results:  # noqa: UP028 - `yield from` would close them before the warning is silenced
                yield result
        finally:
            with warnings.catch_warnings():  # of tasks that are dropped, as after a cancel
                warnings.simplefilter("ignore")
                results.close()


def runs_elsewhere() -> bool:
    """Whether other machines compute."""
    return _CLIENT.get() is not None


def _run_on_cluster(task: Callable[[int], _Result], n_tasks: int, client: Any) -> Iterator[_Result]:
    """Yield the results of a task that goes to the scheduler once, and from there to the workers.

    Each worker may die. So many tasks are sent at once that all workers are busy.
    """
    n_at_once = _AT_ONCE * sum(client.ncores().values())
    size = max(1, n_at_once // _BATCHES)
    with warnings.catch_warnings():  # that a task is large, which is why it goes there once
        warnings.simplefilter("ignore", UserWarning)
        remote_task = client.submit(_return, task, pure=False)
    waiting: deque[list[Any]] = deque()
    for first in range(0, n_tasks, size):
        numbers = range(first, min(first + size, n_tasks))
        waiting.append(client.map(_run, [remote_task for _ in numbers], numbers, pure=False))
        if len(waiting) * size >= n_at_once:
            yield from client.gather(waiting.popleft())
    while waiting:
        yield from client.gather(waiting.popleft())


def _return(task: Callable[[int], _Result]) -> Callable[[int], _Result]:
    return task


def _run(task: Callable[[int], _Result], k: int) -> _Result:
    """One task on another machine, on one thread."""
    with _blas().limit(limits=1, user_api="blas"):
        return task(k)


def _check_scheduler(address: str) -> None:
    """Raise unless a Dask scheduler listens: a client would wait for ever for another server."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from distributed.comm.core import connect
    from distributed.security import Security

    async def greet() -> None:
        arguments = Security().get_connection_args("client")
        connecting = connect(address, timeout=_PATIENCE, **arguments)
        connection = await asyncio.wait_for(connecting, _PATIENCE + 1)
        await connection.close()

    try:
        with ThreadPoolExecutor(1) as thread:  # in a notebook this one has an event loop already
            thread.submit(asyncio.run, greet()).result()
    except Exception as error:  # another server may answer anything
        raise ClusterError(
            f"No Dask scheduler answers at {address}. Expected an address such as tcp://host:8786, of "
            "one that runs: start it with dask scheduler."
        ) from error


def _check_workers(client: Any, address: str) -> None:
    try:
        versions = client.run(_version)
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"A worker of the Dask cluster at {address} lacks {error.name}. Install mtsig there."
        ) from error
    if not versions:
        raise ClusterError(
            f"The Dask cluster at {address} has no workers. Start some: dask worker {address}."
        )
    for worker, version in versions.items():
        if version != __version__:
            raise ClusterError(
                f"The worker {worker} of the Dask cluster has mtsig {version}, and this is "
                f"{__version__}. Install the same version on all machines."
            )


def _version() -> str:
    from mtsig_core.version import __version__

    return __version__


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
