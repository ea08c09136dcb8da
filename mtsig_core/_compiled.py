"""Compiled functions, kept on disk between processes where there is a place for them."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function on its first call, without the interpreter's lock.

    The machine code is kept beside the source or in the user's cache folder (NUMBA_CACHE_DIR for another); where
    nothing can be written, every process compiles anew, which takes a few seconds.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        made: Function = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba's word for: no folder to keep it in
        made = numba.njit(**options)(function)
    return made
