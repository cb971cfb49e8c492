"""One compilation per program: a case is compiled to see whether it has a meaning, and again by every law."""

from __future__ import annotations

from functools import lru_cache

from holdsfor.analysis.pipeline import Compiled, compile_text

__all__ = ["compiled_once"]


@lru_cache(maxsize=100)
def compiled_once(text: str) -> Compiled:
    """The rules of a text. Nothing changes a `Compiled`, so those of equal texts may be the same."""
    return compile_text(text)
