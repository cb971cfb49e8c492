"""The instances that a bucket of a stream computes: those of the keys that it owns.

A record with two entities goes to the buckets of both. Each of these buckets could derive results of both entities, but
it lacks the other records of an entity that it does not own: an interval that it begins might never end. Such results
would stay in its state for ever, and an Allen relation would wait for their ends. No result of an own key depends on
them, so a session treats them as instances outside the grounding.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import Key, Relation
from holdsfor.kernels.keys import Int64
from holdsfor.parallel.exchange.facts import SymbolHashes
from holdsfor.parallel.stages.buckets import Bucket
from holdsfor.runtime.domains import EntityKey

__all__ = ["OwnedKeys", "owned_keys"]


class OwnedKeys:
    """The instances of the keys that a bucket owns, with words of a table of symbols."""

    def __init__(self, bucket: Bucket, number: int, symbols: Symbols) -> None:
        self._bucket = bucket
        self._number = number
        self._hashes = SymbolHashes(symbols)
        self._restrictions: dict[EntityKey, Hashable] = {}

    def restriction(self, key: EntityKey) -> Hashable:
        """The paths to the keys; None if the bucket does not compute the name, or if a key is a value."""
        if key not in self._restrictions:
            paths = self._bucket.key_paths(_name(key))
            is_of_arguments = all(path[0] < key[2] for path in paths)
            self._restrictions[key] = (paths, key) if paths and is_of_arguments else None
        return self._restrictions[key]

    def mask(self, key: EntityKey, columns: Sequence[Int64], n: int) -> NDArray[np.bool_]:
        """The rows of arguments, perhaps with a value, that the bucket owns."""
        is_owned = np.zeros(n, dtype=bool)
        is_owned[self._bucket.owned(_name(key), Relation(tuple(columns), n), self._number, self._hashes)] = True
        return is_owned

    def recoded(self) -> OwnedKeys:
        """The same, for a table of symbols whose words were replaced."""
        return OwnedKeys(self._bucket, self._number, self._hashes.symbols)


def owned_keys(bucket: Bucket, number: int, symbols: Symbols) -> OwnedKeys | None:
    """The instances that one of several buckets computes; None if it computes all."""
    is_divided = bool(bucket.paths) and bucket.destination.n_buckets > 1
    return OwnedKeys(bucket, number, symbols) if is_divided else None


def _name(key: EntityKey) -> tuple[str, Key]:
    is_fvp, name, arity = key
    return ("fluent" if is_fvp else "event"), (name, arity)
