"""Blocks that must not leave reference cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_garbage"]


@contextmanager
def no_garbage() -> Iterator[None]:
    """Fail if objects that the block has made are left, and only the cyclic garbage collector frees them.

    Objects from before the block are frozen, and stay so: a collection of all objects of a run takes seconds.
    """
    gc.disable()
    gc.freeze()
    try:
        yield
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        assert sorted({type(each).__qualname__ for each in gc.garbage}) == []
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
