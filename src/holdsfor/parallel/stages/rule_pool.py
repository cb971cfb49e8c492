"""Prepared rules that the buckets of one process use one after another.

Planning the rules takes longer than the evaluation of a small bucket. A bucket borrows the rules together with their
table of symbols; the next bucket gets them without the members that the input of this one added to domains and sorts.
After a bucket with many constants the rules are not used again: their table of symbols would stay in memory. After one
with conditions without a result neither: these belong to its run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.runtime.prepared_rules import PreparedRules

__all__ = ["borrowed_rules", "new_rules"]

_MANY_SYMBOLS = 20_000
_MANY_POOLED = 8  # stages of programs

_POOLED: dict[tuple[Rules, tuple[int, ...], bool], PreparedRules] = {}


def new_rules(rules: Rules, components: tuple[int, ...], *, is_last: bool = False) -> PreparedRules:
    """Rules with a table of symbols of their own; no later stage reads the results of the last one."""
    prepared = PreparedRules(rules.compiled(), Symbols(), rules.goal_terms(), components=components, is_last=is_last)
    prepared.fingerprint = rules.fingerprint()
    return prepared


@contextmanager
def borrowed_rules(rules: Rules, components: tuple[int, ...], *, is_last: bool = False) -> Iterator[PreparedRules]:
    """Rules without members from input, and their table of symbols, for the evaluation of one bucket."""
    key = rules, components, is_last
    prepared = _POOLED.pop(key, None)
    if prepared is None:
        prepared = new_rules(rules, components, is_last=is_last)
    yield prepared
    if prepared.symbols.size < _MANY_SYMBOLS and not prepared.background.faults:
        prepared.reset()
        while len(_POOLED) >= _MANY_POOLED:
            del _POOLED[next(iter(_POOLED))]
        _POOLED[key] = prepared
