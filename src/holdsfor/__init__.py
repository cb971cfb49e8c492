"""Composite event recognition that people trust.

`import holdsfor as hf`, then `hf.load`, `hf.recognise`; see `holdsfor.api`. They are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdsfor.api import Result, load, load_text, recognise

__all__ = ["Result", "__version__", "load", "load_text", "recognise"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in ("Result", "load", "load_text", "recognise"):
        from holdsfor import api

        return getattr(api, name)
    raise AttributeError(f"module `holdsfor` has no attribute `{name}`")
