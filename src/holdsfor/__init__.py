"""Composite event recognition that people trust.

`import holdsfor as hf`, then `hf.load`, `hf.recognise`; see `holdsfor.api`. For intervals alone, `hf.intervals` and
`hf.allen`. They are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdsfor import allen, intervals
    from holdsfor.api import Result, load, load_text, recognise

__all__ = ["Result", "__version__", "allen", "intervals", "load", "load_text", "recognise"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in ("Result", "load", "load_text", "recognise"):
        return getattr(import_module("holdsfor.api"), name)
    if name in ("allen", "intervals"):
        return import_module(f"holdsfor.{name}")
    raise AttributeError(f"module `holdsfor` has no attribute `{name}`")
