"""Completions of a goal: predicates, fluents, events, and the constants that occur in a fluent or event."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdsfor.prolog import builtin_keys
from holdsfor.query.query_engine import QueryEngine
from holdsfor.query.result_index import Instances, fluent_of
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Struct

__all__ = ["suggestions"]

_WORD = re.compile(r"[a-z]\w*\Z|\Z")
_CALL = re.compile(r"([a-z]\w*)\([^()]*\Z")
_TEMPORAL = ("holdsFor", "holdsAt", "happensAt")
_MANY = 20_000
"""The number of instances of a name up to which their constants are offered."""


def suggestions(text: str, engine: QueryEngine) -> tuple[str, list[str]]:
    """The word before the cursor, and the words that may replace it.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T). person(chris).")
    >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
    >>> suggestions("holdsF", result._query_engine), suggestions("holdsAt(rich(c", result._query_engine)
    (('holdsF', ['holdsFor(']), ('c', ['chris']))
    """
    found = _WORD.search(text)
    word = found.group() if found else ""
    before = text[: len(text) - len(word)]
    return word, sorted({each for each in _candidates(before, engine) if each.startswith(word) and each != word})


def _candidates(before: str, engine: QueryEngine) -> Iterator[str]:
    """All words that may follow a text."""
    called = _CALL.search(before)
    name = called.group(1) if called else None
    is_first = called is not None and before.endswith("(")
    if name == "happensAt" and is_first:
        yield from _written(engine.known.events)
    elif name in _TEMPORAL and is_first:
        yield from _written(engine.known.fluents)
    elif name is not None and any(name == known for known, _ in (*engine.known.fluents, *engine.known.events)):
        yield from _constants(name, engine)
    else:
        yield from _written(engine.database.predicates())
        yield from _written(builtin_keys())


def _written(keys: object) -> Iterator[str]:
    assert hasattr(keys, "__iter__")
    for name, arity in keys:
        if name[:1].isalpha() and name[:1].islower():
            yield f"{name}(" if arity else name


def _constants(name: str, engine: QueryEngine) -> Iterator[str]:
    """The arguments of the instances of a name."""
    results = engine.results
    parts = [results.fvps_of(key) for key in results.fluents if key[0] == name]
    parts += [results.events_of(key) for key in results.events if key[0] == name]
    for part in parts:
        if isinstance(part, Instances) and len(part.terms) <= _MANY:
            for term in part.terms:
                named = fluent_of(term)
                yield from (show(arg) for arg in named.args) if isinstance(named, Struct) else ()
