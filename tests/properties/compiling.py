"""One compilation per program: the generator compiles a case to see whether it is valid, and every law uses it
again.
"""

from __future__ import annotations

from functools import lru_cache

from holdsfor.analysis.pipeline import Compiled, compile_text

__all__ = ["compiled_once"]


@lru_cache(maxsize=100)
def compiled_once(text: str) -> Compiled:
    """The compiled rules of a text. A `Compiled` never changes, so equal texts may share one."""
    return compile_text(text)
