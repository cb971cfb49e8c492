"""Resolve effects of one fluent that are due at the same time-point and postpone each other.

An effect is postponed by an initiation of its source at the time-point at which it is due, and that initiation may come
from another effect that is due then. Usually no effect depends on another. In a chain, the first takes effect and the
next is postponed; in a cycle, the effect whose FVP comes first in the standard order of terms takes effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.analysis.connected_components import strong_components
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import PointTable, empty_points, point_table
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import pairs_of_equal_keys
from holdsfor.prolog import standard_order_key
from holdsfor.runtime.delays import DueEffects

__all__ = ["resolve_postponements"]

Rivals: TypeAlias = dict[int, set[int]]


def resolve_postponements(found: Sequence[DueEffects], n_columns: int, symbols: Symbols) -> PointTable:
    """The initiations by effects on fluents of one name that do not postpone each other."""
    if not found:
        return empty_points(n_columns)
    effects = concatenate_columns(each.effects.columns for each in found)
    sources = concatenate_columns(each.sources for each in found)
    n = len(effects[0])
    waiting, rival = pairs_of_equal_keys([*sources, effects[-1]], n, effects, n)
    others = np.zeros(len(waiting), dtype=bool)
    for source, effect in zip(sources, effects, strict=False):
        others |= (source[waiting] != source[rival]) | (effect[waiting] != effect[rival])
    acts = np.ones(n, dtype=bool)
    if others.any():
        names = _Names([*effects[:-1], *sources], symbols)
        acts = _settled(waiting[others], rival[others], names, n)
    return point_table([column[acts] for column in effects])


class _Names:
    """The order of contenders: by the initiated FVP, then by the source."""

    def __init__(self, columns: Sequence[NDArray[np.int64]], symbols: Symbols) -> None:
        self.columns = columns
        self.symbols = symbols

    def key(self, row: int) -> list[object]:
        return [standard_order_key(self.symbols.term(int(column[row]))) for column in self.columns]


def _settled(waiting: NDArray[np.int64], rival: NDArray[np.int64], names: _Names, n: int) -> NDArray[np.bool_]:
    """A mask of the rows that take effect, given the pairs of a row and a row that would postpone it."""
    rivals: Rivals = {}
    for row, other in zip(waiting.tolist(), rival.tolist(), strict=True):
        rivals.setdefault(row, set()).add(other)
    acts = np.ones(n, dtype=bool)
    involved = sorted({*rivals, *(other for some in rivals.values() for other in some)})
    for cycle in strong_components(involved, lambda row: sorted(rivals.get(row, ()))):
        _settle(cycle, rivals, names, acts)
    return acts


def _settle(cycle: Iterable[int], rivals: Rivals, names: _Names, acts: NDArray[np.bool_]) -> None:
    """Decide rows that depend on each other, after all other rows that they depend on."""
    left = set(cycle)
    for row in sorted(left):
        if any(other not in left and acts[other] for other in rivals.get(row, ())):
            acts[row] = False
    left = {row for row in left if acts[row]}
    while left:
        free = {row for row in left if not rivals.get(row, set()) & left}
        chosen = free or {_first_of_a_cycle(left, rivals, names)}
        left -= chosen
        postponed = {row for row in left if rivals.get(row, set()) & chosen}
        acts[list(postponed)] = False
        left -= postponed


def _first_of_a_cycle(rows: set[int], rivals: Rivals, names: _Names) -> int:
    """The first row of a cycle that depends on no row outside it."""
    parts = strong_components(sorted(rows), lambda row: sorted(rivals.get(row, set()) & rows))
    return min(parts[0], key=names.key)
