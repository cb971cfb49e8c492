"""Key maps: for the constants of a column the buckets of the keys to which facts of the background knowledge lead.

The facts of a map are encoded once per process, with a table of symbols of their own. The constants of a column are
looked up in this table, each distinct one once.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from holdsfor.columns.constant_columns import column_words
from holdsfor.columns.encoding import Symbols, is_symbol
from holdsfor.distribution.background_maps import Hop
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64, dense_ids, pairs_of_equal_keys
from holdsfor.parallel.exchange.facts import Texts, owners
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.syntax.program import FactTable
from holdsfor.syntax.terms import Struct, Term, name_and_arity

__all__ = ["KeyMap", "key_map"]

_MANY_MAPS = 16


class KeyMap:
    """Pairs of a constant and a key, as words of a table of symbols of its own."""

    def __init__(self, rules: Rules, hops: tuple[Hop, ...]) -> None:
        symbols = Symbols()
        first, *others = ([columns[hop.source], columns[hop.target]] for hop, columns in _facts(rules, hops, symbols))
        sources, keys = first
        for here, there in others:
            one, other = pairs_of_equal_keys([keys], len(keys), [here], len(here))
            sources, keys = sources[one], there[other]
            distinct = dense_ids([sources, keys], len(sources))[1]
            sources, keys = sources[distinct], keys[distinct]
        self._symbols, self._sources, self._keys = symbols, sources, keys
        self._by_bucket = lru_cache(maxsize=4)(self._pairs)

    def buckets(self, words: Int64, symbols: Symbols, n_buckets: int) -> tuple[Int64, Int64]:
        """The rows of a column whose constants lead to keys, with the bucket of each key, each pair once."""
        ids, first = dense_ids([words], len(words))
        sources, buckets = self._by_bucket(n_buckets)
        constant, pair = pairs_of_equal_keys([self._own(words[first], symbols)], len(first), [sources], len(sources))
        rows, found = pairs_of_equal_keys([ids], len(ids), [constant], len(constant))
        return rows, buckets[pair[found]]

    def _pairs(self, n_buckets: int) -> tuple[Int64, Int64]:
        """The constants with the buckets of their keys, each pair once."""
        buckets = owners(self._keys, n_buckets, Texts(self._symbols))
        distinct = dense_ids([self._sources, buckets], len(buckets))[1]
        return self._sources[distinct], buckets[distinct]

    def _own(self, words: Int64, symbols: Symbols) -> Int64:
        """Words of another table of symbols as words of this one; -1, which no fact has, for unknown symbols."""
        own = words.copy()
        here = np.flatnonzero(is_symbol(words))
        own[here] = self._symbols.known_words(symbols.terms(words[here]))
        return own


@lru_cache(maxsize=_MANY_MAPS)
def key_map(rules: Rules, hops: tuple[Hop, ...]) -> KeyMap:
    """The map along some facts; a process makes it once."""
    return KeyMap(rules, hops)


def _facts(rules: Rules, hops: tuple[Hop, ...], symbols: Symbols) -> list[tuple[Hop, tuple[Int64, ...]]]:
    """The facts of each hop as columns."""
    tables: dict[tuple[str, int], list[list[Int64]]] = {(hop.name, hop.arity): [] for hop in hops}
    single: dict[tuple[str, int], list[tuple[Term, ...]]] = {key: [] for key in tables}
    for item in rules.compiled().description.background:
        key = (item.name, item.arity) if isinstance(item, FactTable) else name_and_arity(item.head)
        if key not in tables:
            continue
        if isinstance(item, FactTable):
            tables[key].append([column_words(column, symbols) for column in item.columns])
        elif isinstance(item.head, Struct):
            single[key].append(item.head.args)
    for key, rows in single.items():
        tables[key].append([symbols.words(row[i] for row in rows) for i in range(key[1])])
    return [(hop, concatenate_columns(tables[hop.name, hop.arity])) for hop in hops]
