"""Composite event recognition that people trust.

`import holdsfor as hf`, then `hf.load`, `hf.recognise`, `hf.Session`; see `holdsfor.api` and `holdsfor.session`. They
are loaded when first used, and so is `hf.spark` (`holdsfor.spark`), the same on Apache Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdsfor import spark
    from holdsfor.api import Result, load, load_text, recognise
    from holdsfor.session import Change, Event, Fluent, Report, Session

__all__ = [
    "Change",
    "Event",
    "Fluent",
    "Report",
    "Result",
    "Session",
    "__version__",
    "load",
    "load_text",
    "recognise",
    "spark",
]

__version__ = "0.1.0"

_HOMES = {
    **dict.fromkeys(("Result", "load", "load_text", "recognise"), "holdsfor.api"),
    **dict.fromkeys(("Change", "Event", "Fluent", "Report", "Session"), "holdsfor.session"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "spark":
        return import_module("holdsfor.spark")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module `holdsfor` has no attribute `{name}`")
