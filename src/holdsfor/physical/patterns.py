"""Terms with variables on columns of words: matching words and building words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.structures import structures_of
from holdsfor.columns.tables import Relation
from holdsfor.kernels.keys import Int64
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Struct, Term, Var, is_ground, variables

__all__ = [
    "ANYTHING",
    "bound_positions",
    "build",
    "is_plain",
    "join",
    "linear",
    "named_variables",
    "prune_patterns",
    "scan",
    "unify_column",
]


ANYTHING = Var("_")
"""A pattern that matches every word and binds nothing."""


def bound_positions(patterns: Sequence[Term], bound: set[str] | dict[str, Int64]) -> tuple[int, ...]:
    """The positions whose patterns have no unbound variable."""
    return tuple(i for i, pattern in enumerate(patterns) if all(name in bound for name in variables(pattern)))


def named_variables(patterns: Sequence[Term]) -> set[str]:
    """The variables of patterns that have a column."""
    return set(variables(*(pattern for pattern in patterns if pattern is not ANYTHING)))


def prune_patterns(patterns: Sequence[Term], bound: Collection[str], keep: Collection[str]) -> tuple[Term, ...]:
    """The patterns, with `ANYTHING` for variables that occur once and are neither bound nor kept."""
    counts = Counter(name for pattern in patterns for name in variables(pattern))
    return tuple(
        ANYTHING if isinstance(p, Var) and counts[p.name] == 1 and p.name not in bound and p.name not in keep else p
        for p in patterns
    )


def build(pattern: Term, rows: Rows, symbols: Symbols) -> Int64:
    """The column of words of a pattern without unbound variables."""
    if isinstance(pattern, Var):
        return rows.columns[pattern.name]
    if is_ground(pattern):
        return np.full(rows.n, symbols.word(pattern), dtype=np.int64)
    assert isinstance(pattern, Struct)
    arguments = [build(argument, rows, symbols) for argument in pattern.args]
    return structures_of(symbols, pattern.name, len(arguments)).words(arguments, rows.n)


def unify_column(pattern: Term, words: Int64, rows: Rows, symbols: Symbols) -> Rows:
    """The rows extended so that the pattern equals the column of words; rows without a match are dropped."""
    if isinstance(pattern, Var):
        if pattern.name in rows.columns:
            return rows.take(rows.columns[pattern.name] == words)
        return rows.with_columns({pattern.name: words})
    if is_ground(pattern):
        return rows.take(words == symbols.word(pattern))
    assert isinstance(pattern, Struct)
    fits, parts = structures_of(symbols, pattern.name, len(pattern.args)).arguments(words)
    rows = rows.take(fits)
    here = f"#{len(rows.columns)}"
    rows = rows.with_columns({here: np.arange(rows.n, dtype=np.int64)})
    for argument, part in zip(pattern.args, parts, strict=True):
        rows = unify_column(argument, part[rows.columns[here]], rows, symbols)
    return Rows(rows.n, {name: column for name, column in rows.columns.items() if name != here}, rows.times)


def is_plain(patterns: Sequence[Term]) -> bool:
    """Whether the patterns are constants and distinct variables."""
    names = [pattern.name for pattern in patterns if isinstance(pattern, Var) and pattern is not ANYTHING]
    return len(set(names)) == len(names) and all(isinstance(p, Var) or is_ground(p) for p in patterns)


def linear(patterns: Sequence[Term]) -> list[Term]:
    """The patterns with distinct variables."""
    numbers = count()

    def fresh(pattern: Term) -> Term:
        if isinstance(pattern, Var):
            return Var(f"#v{next(numbers)}")
        if isinstance(pattern, Struct):
            return Struct(pattern.name, tuple(fresh(argument) for argument in pattern.args))
        return pattern

    return [fresh(pattern) for pattern in patterns]


def scan(relation: Relation, patterns: Sequence[Term], symbols: Symbols) -> tuple[Rows, Int64 | None]:
    """The rows of a relation that match plain patterns: a filter, and columns by name.

    Also returns the row of the relation that each came from, or None if all rows match.
    """
    found: NDArray[np.bool_] | None = None
    named: list[tuple[str, Int64]] = []
    for i, pattern in enumerate(patterns):
        if not isinstance(pattern, Var):
            fits = relation.column(i) == symbols.word(pattern)
            found = fits if found is None else found & fits
        elif pattern is not ANYTHING:
            named.append((pattern.name, relation.column(i)))
    if found is None or np.count_nonzero(found) == relation.n:
        return Rows(relation.n, dict(named)), None
    partner = found.nonzero()[0]
    return Rows(len(partner), {name: column[partner] for name, column in named}), partner


def join(
    rows: Rows,
    relation: Relation,
    patterns: Sequence[Term],
    symbols: Symbols,
    also_equal: tuple[int, Int64] | None = None,
) -> tuple[Rows, Int64]:
    """The rows combined with every row of the relation that matches the patterns of its first columns.

    `also_equal` is one more column of the relation and the column it must equal, such as time-points. Also returns the
    row of the relation that each resulting row came from.
    """
    if rows.is_empty_binding and also_equal is None and is_plain(patterns):
        found, row = scan(relation, patterns, symbols)
        return found, np.arange(relation.n, dtype=np.int64) if row is None else row
    constants = tuple((i, symbols.word(p)) for i, p in enumerate(patterns) if not isinstance(p, Var) and is_ground(p))
    if constants:
        some, origin = relation.restricted(constants)
        rest = [p if isinstance(p, Var) or not is_ground(p) else ANYTHING for p in patterns]
        found, row = join(rows, some, rest, symbols, also_equal)
        return found, origin[row]
    positions = bound_positions(patterns, rows.columns)
    keys = [build(patterns[p], rows, symbols) for p in positions]
    if also_equal is not None:
        positions, keys = (*positions, also_equal[0]), [*keys, also_equal[1]]
    owner, partner = relation.partners(keys, positions, rows.n)
    joined = rows.take(owner).with_columns({"#partner": partner})
    for p, pattern in enumerate(patterns):
        if p not in positions and pattern is not ANYTHING:
            words = relation.columns[p][joined.columns["#partner"]]
            joined = unify_column(pattern, words, joined, symbols)
    columns = dict(joined.columns)
    partner = columns.pop("#partner")
    return Rows(joined.n, columns, joined.times), partner
