"""The library: `load` rules, `recognise` records of files and tables, or open a `Session` and query it.

Modules that need NumPy and Arrow are loaded at their first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from holdsfor.api.loading import load, load_text, term
from holdsfor.api.recognition import recognise
from holdsfor.api.results import Result
from holdsfor.api.rules import RuleSet

if TYPE_CHECKING:
    from holdsfor.api.session import Change, Event, Fluent, Inserted, Report, Session

__all__ = [
    "Change",
    "Event",
    "Fluent",
    "Inserted",
    "Report",
    "Result",
    "RuleSet",
    "Session",
    "load",
    "load_text",
    "recognise",
    "term",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("holdsfor.api.session"), name)
    raise AttributeError(f"module `holdsfor.api` has no attribute `{name}`")
