"""Terms with variables on columns of words: matching words and building words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.structures import structures_of
from holdsfor.columns.tables import FluentTable, Relation, Table
from holdsfor.kernels.keys import Int64
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Struct, Term, Var, is_ground, variables

__all__ = [
    "ANYTHING",
    "bound_positions",
    "build",
    "is_filter",
    "is_free",
    "is_plain",
    "join",
    "join_holding",
    "linear",
    "n_holding",
    "named_variables",
    "prune_patterns",
    "scan",
    "semijoin",
    "unify_column",
]


ANYTHING = Var("_")
"""A pattern that matches every word and binds nothing."""


@dataclass(frozen=True)
class _Analysis:
    """What patterns restrict and bind, given the names of bound variables.

    `constants` are the positions of ground patterns, `positions` of patterns without an unbound variable, `keys` of
    those with bound variables, `open` of those that bind something.
    """

    patterns: Sequence[Term]
    constants: tuple[int, ...]
    positions: tuple[int, ...]
    keys: tuple[int, ...]
    open: tuple[int, ...]
    is_filter: bool
    is_free: bool


_analyses: dict[tuple[int, tuple[str, ...]], _Analysis] = {}
_MANY_ANALYSES = 10_000


def _analysis(patterns: Sequence[Term], bound: Collection[str]) -> _Analysis:
    """The analysis of patterns; plans run for every window, so those of their patterns are kept."""
    place = id(patterns), tuple(bound)
    known = _analyses.get(place)
    if known is None or known.patterns is not patterns:
        known = _analysed(patterns, bound)
        if isinstance(patterns, tuple):
            if len(_analyses) > _MANY_ANALYSES:
                _analyses.clear()
            _analyses[place] = known
    return known


def _analysed(patterns: Sequence[Term], bound: Collection[str]) -> _Analysis:
    ground = [is_ground(pattern) for pattern in patterns]
    is_bound = [all(name in bound for name in variables(pattern)) for pattern in patterns]
    unbound = [p for p, fits in zip(patterns, is_bound, strict=True) if not fits and p is not ANYTHING]
    names = [pattern.name for pattern in unbound if isinstance(pattern, Var)]
    everywhere = range(len(patterns))
    return _Analysis(
        patterns,
        constants=tuple(i for i in everywhere if ground[i]),
        positions=tuple(i for i in everywhere if is_bound[i]),
        keys=tuple(i for i in everywhere if is_bound[i] and not ground[i]),
        open=tuple(i for i in everywhere if not is_bound[i] and patterns[i] is not ANYTHING),
        is_filter=not unbound,
        is_free=len(names) == len(unbound) == len(set(names)),
    )


def bound_positions(patterns: Sequence[Term], bound: Collection[str]) -> tuple[int, ...]:
    """The positions whose patterns have no unbound variable."""
    return _analysis(patterns, bound).positions


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
        return np.broadcast_to(np.int64(symbols.word(pattern)), rows.n)
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
    return [_fresh(pattern, numbers) for pattern in patterns]


def _fresh(pattern: Term, numbers: Iterator[int]) -> Term:
    """The pattern with new variables."""
    if isinstance(pattern, Var):
        return Var(f"#v{next(numbers)}")
    if isinstance(pattern, Struct):
        return Struct(pattern.name, tuple(_fresh(argument, numbers) for argument in pattern.args))
    return pattern


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
    part = _bound_part(rows, relation, patterns, symbols, also_equal)
    return _combined(rows, patterns, symbols, part, part.relation.partners(part.keys, part.positions, rows.n))


def join_holding(rows: Rows, table: FluentTable, patterns: Sequence[Term], symbols: Symbols) -> Rows:
    """The rows combined with every FVP that matches the patterns and holds at the rows' time-points."""
    part = _bound_part(rows, table, patterns, symbols)
    assert rows.times is not None
    pairs = part.relation.holding_partners(part.keys, part.positions, rows.times)
    return _combined(rows, patterns, symbols, part, pairs)[0]


def semijoin(
    rows: Rows,
    relation: Relation,
    patterns: Sequence[Term],
    symbols: Symbols,
    also_equal: tuple[int, Int64] | None = None,
) -> NDArray[np.bool_]:
    """Which rows match some row of the relation; variables that are not bound match every word."""
    part = _bound_part(rows, relation, patterns, symbols, also_equal)
    return part.relation.matches(part.keys, part.positions, rows.n)


def n_holding(rows: Rows, table: FluentTable, patterns: Sequence[Term], symbols: Symbols) -> Int64:
    """The number of matching FVPs that hold at each row; variables that are not bound match every word."""
    part = _bound_part(rows, table, patterns, symbols)
    assert rows.times is not None
    return part.relation.n_holding(part.keys, part.positions, rows.times)


@dataclass(frozen=True)
class _BoundPart(Generic[Table]):
    """The rows of a relation that have the constants of some patterns, and the columns that bound patterns restrict.

    `origin` are the rows of the relation, or None for all rows.
    """

    relation: Table
    origin: Int64 | None
    positions: tuple[int, ...]
    keys: tuple[Int64, ...]


def _bound_part(
    rows: Rows,
    relation: Table,
    patterns: Sequence[Term],
    symbols: Symbols,
    also_equal: tuple[int, Int64] | None = None,
) -> _BoundPart[Table]:
    """The part of a relation that constants select, and the keys by which it is joined with the rows."""
    analysis = _analysis(patterns, rows.columns)
    constants = tuple((i, symbols.word(patterns[i])) for i in analysis.constants)
    some, origin = relation.restricted(constants) if constants else (relation, None)
    positions = analysis.keys
    keys = tuple(build(patterns[i], rows, symbols) for i in positions)
    if also_equal is not None:
        positions, keys = (*positions, also_equal[0]), (*keys, also_equal[1])
    return _BoundPart(some, origin, positions, keys)


def _combined(
    rows: Rows, patterns: Sequence[Term], symbols: Symbols, part: _BoundPart[Table], pairs: tuple[Int64, Int64]
) -> tuple[Rows, Int64]:
    """The rows of pairs with the variables that the patterns bind, and their rows of the whole relation."""
    owner, partner = pairs
    # Unique keys alone are not enough: pairs may be in the order of the relation.
    is_every = len(owner) == rows.n and np.array_equal(owner, np.arange(rows.n))
    joined = (rows if is_every else rows.take(owner)).with_columns({"#partner": partner})
    for i in _analysis(patterns, rows.columns).open:
        words = part.relation.gathered(i, joined.columns["#partner"])
        joined = unify_column(patterns[i], words, joined, symbols)
    columns = dict(joined.columns)
    partner = columns.pop("#partner")
    return Rows(joined.n, columns, joined.times), partner if part.origin is None else part.origin[partner]


def is_free(patterns: Sequence[Term], bound: Collection[str]) -> bool:
    """Whether the patterns restrict a relation by bound variables only: the others are distinct variables."""
    return _analysis(patterns, bound).is_free


def is_filter(patterns: Sequence[Term], bound: Collection[str]) -> bool:
    """Whether the patterns bind nothing: each is bound, or matches every word."""
    return _analysis(patterns, bound).is_filter
