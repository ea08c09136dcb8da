"""Compiled functions, kept on disk between processes where there is a place for them."""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

# Nanoseconds that it takes to load a compiler, and those that compiled code would have saved until now.
_LOADING = 250_000_000
_saved = 0


def worth_compiling(nanoseconds: int) -> bool:
    """Whether to take compiled code for what numpy can do too, with the same result, in so much
    more time.

    It is where a compiler is loaded already, or else once it would have paid for itself: so no
    process takes longer than twice as long as if it had known, and one with little to do never
    loads it.
    """
    global _saved
    _saved += nanoseconds
    return _saved > _LOADING or "numba" in sys.modules


def compiled(function: Function, *helpers: Callable[..., Any]) -> Function:
    """Compile a function on its first call, with those it calls, without the interpreter's lock.

    The machine code is kept beside the source or in the user's cache folder (NUMBA_CACHE_DIR for
    another); where nothing can be written, every process compiles anew, which takes a few seconds.
    """
    # late: a sixth of a second; and before any part of it, so that a thread waits for another to
    # load it
    import numba
    from numba.extending import register_jitable

    for helper in helpers:
        register_jitable(helper)
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        dispatcher: Function = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba's word for: no folder to keep it in
        dispatcher = numba.njit(**options)(function)
    else:
        with suppress(
            AttributeError, ImportError
        ):  # a numba that is made otherwise loads as it likes
            _load_quickly(dispatcher)
    return dispatcher


def _load_quickly(dispatcher: Any) -> None:
    """Load machine code that is kept without all that a compiler has to know of numpy, a quarter of
    a second.

    numba's own `load_overload` tells the compiler of it first. Where nothing is kept yet, compiling
    does so itself.
    """
    from numba.core.runtime.nrt import rtsys

    cache = dispatcher._cache
    load = cache.load_overload

    def load_overload(
        signature: Any, context: Any
    ) -> Any:  # called under the lock of numba's compiler
        rtsys.initialize(context)  # memory for arrays
        context.refresh = lambda: None
        try:
            return load(signature, context)
        finally:
            del context.refresh

    cache.load_overload = load_overload
