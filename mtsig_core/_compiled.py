"""Compiled functions, kept on disk between processes where there is a place for them."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

# Nanoseconds that it takes to load a compiler, and that compiled code would have saved so far.
_LOADING = 250_000_000
_saved = 0

_dispatchers: list[Any] = []  # numba's, of all functions that are compiled
_announcers: list[Callable[[str], None]] = []  # called when a function begins to be compiled
_ANNOUNCEMENT = "compiling, only this first time"
_switching = threading.RLock()  # one compiled function may compile another


def worth_compiling(nanoseconds: int) -> bool:
    """Whether to use compiled code, which saves this much time over numpy with the same result.

    True if a compiler is already loaded, or if loading it would have paid off by now. So a process
    takes at most twice as long as with the best choice, and a short process never loads a compiler.
    """
    global _saved
    _saved += nanoseconds
    return _saved > _LOADING or "numba" in sys.modules


def compiled(function: Function, *helpers: Callable[..., Any]) -> Function:
    """Compile a function on its first call, with those it calls, without the interpreter's lock.

    The machine code is kept next to the source or in the user's cache folder; NUMBA_CACHE_DIR names
    another folder. If no folder is writable, every process compiles again, which takes a few
    seconds.
    """
    # Imported late, as it takes a sixth of a second; and before any part of numba, so that a thread
    # waits while another one loads it.
    import numba
    from numba.extending import register_jitable

    _listen()
    for helper in helpers:
        register_jitable(helper)
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    with _always_compiling() as is_switched_off:
        try:
            dispatcher: Any = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # numba found no folder to keep it in
            dispatcher = numba.njit(**options)(function)
    if is_switched_off:  # numba asks again when the function is first called
        dispatcher.compile = _always_compiling()(dispatcher.compile)
    _dispatchers.append(dispatcher)
    return cast(Function, dispatcher)


def list_code_folders() -> set[str]:
    """List where the code is kept that this process has used; empty if no folder is writable."""
    folders = {dispatcher.stats.cache_path for dispatcher in _dispatchers}
    return folders - {None}


@contextmanager
def announce_compiling(announce: Callable[[str], None]) -> Iterator[None]:
    """Call a function with a text whenever code is compiled that is not kept on disk."""
    _announcers.append(announce)
    try:
        yield
    finally:
        _announcers.remove(announce)


@cache
def _listen() -> None:
    """Let numba say when it compiles."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:  # noqa: ARG002  numba calls it
            for announce in _announcers:
                announce(_ANNOUNCEMENT)

        def on_end(self, event: Any) -> None:
            pass

    register: Any = event.register
    register("numba:compile", Listener())


def compiled_helper(function: Function) -> Function:
    """Compile a function that only compiled functions call."""
    import numba

    with _always_compiling():
        helper = numba.njit()(function)
    return cast(Function, helper)


@contextmanager
def _always_compiling() -> Iterator[bool]:
    """Let numba compile even where NUMBA_DISABLE_JIT is set, which is for the user's own functions.

    Without it there are no numbers: Python's integers do not wrap around at 64 bits.
    """
    import numba

    config: Any = numba.config
    with _switching:
        is_switched_off = bool(config.DISABLE_JIT)
        config.DISABLE_JIT = 0
        try:
            yield is_switched_off
        finally:
            config.DISABLE_JIT = is_switched_off
