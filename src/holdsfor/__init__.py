"""Composite event recognition that people trust.

`import holdsfor as hf`, then `hf.load`, `hf.recognise`, `hf.Session`; see `holdsfor.api`. For intervals alone,
`hf.intervals` and `hf.allen`; on Apache Spark, `hf.spark`. `hf.errors` has the errors and warnings. Submodules are
loaded at their first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdsfor import allen, intervals, spark
    from holdsfor import errors as errors
    from holdsfor.api import Change, Event, Fluent, Report, Result, RuleSet, Session, load, load_text, recognise, term

__all__ = [
    "Change",
    "Event",
    "Fluent",
    "Report",
    "Result",
    "RuleSet",
    "Session",
    "__version__",
    "allen",
    "intervals",
    "load",
    "load_text",
    "recognise",
    "spark",
    "term",
]

__version__ = "0.1.0.dev0"

_LIBRARY = (
    "Change",
    "Event",
    "Fluent",
    "Report",
    "Result",
    "RuleSet",
    "Session",
    "load",
    "load_text",
    "recognise",
    "term",
)


def __dir__() -> list[str]:
    return sorted([*__all__, "errors"])


def __getattr__(name: str) -> Any:
    if name in _LIBRARY:
        return globals().setdefault(name, getattr(import_module("holdsfor.api"), name))
    if name in ("allen", "errors", "intervals", "spark"):
        return import_module(f"holdsfor.{name}")
    raise AttributeError(f"module `holdsfor` has no attribute `{name}`")
