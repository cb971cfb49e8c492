"""The standard order of terms on columns of words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols, as_numbers, is_integer, is_symbol, symbol_numbers
from holdsfor.columns.structures import structures_of
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.prolog import standard_order_key
from holdsfor.syntax.terms import Atom, Int, Struct, Term

__all__ = ["standard_ranks"]

_MAX_DEPTH = 4


def standard_ranks(words: Int64, symbols: Symbols, depth: int = 0) -> Int64:
    """Numbers that order words by the standard order of their terms; equal words have equal numbers.

    Contract: O(n log n); only structures of structures below some depth are compared one by one.
    """
    if len(words) == 0 or is_integer(words).all():
        return words
    known = symbols.plain_texts.ranks(symbol_numbers(words)) if is_symbol(words).all() else None
    if known is not None:
        return known
    ids, first = dense_ids([words], len(words))
    order = _order(words[first], symbols, depth)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks[ids]


def _order(words: Int64, symbols: Symbols, depth: int) -> Int64:
    """The positions of distinct words in standard order: numbers, atoms, texts, structures."""
    named = is_symbol(words).nonzero()[0]
    numbers = (~is_symbol(words)).nonzero()[0]
    plain = symbols.plain_texts.column().take(pa.array(symbol_numbers(words[named])))
    if plain.null_count == 0:
        parts = [numbers[_order_of_numbers(words[numbers])], named[pc.sort_indices(plain).to_numpy().astype(np.int64)]]
        return np.concatenate(parts)
    terms = symbols.terms(words[named])
    kinds = np.fromiter((_kind(term) for term in terms), dtype=np.int64, count=len(terms))
    if depth > _MAX_DEPTH or (kinds == _LARGE).any():
        return _order_of_terms(symbols.terms(words))
    atoms, texts, structures = (np.flatnonzero(kinds == kind) for kind in (_ATOM, _TEXT, _STRUCTURE))
    parts = [
        numbers[_order_of_numbers(words[numbers])],
        named[atoms[_order_of_names([terms[i] for i in atoms.tolist()])]],
        named[texts[_order_of_terms([terms[i] for i in texts.tolist()])]],
    ]
    groups: dict[tuple[int, str], list[int]] = {}
    for i in structures.tolist():
        term = terms[i]
        assert isinstance(term, Struct)
        groups.setdefault((len(term.args), term.name), []).append(i)
    for (arity, name), members in sorted(groups.items()):
        own = named[np.array(members, dtype=np.int64)]
        _, arguments = structures_of(symbols, name, arity).arguments(words[own])
        parts.append(own[np.lexsort([standard_ranks(each, symbols, depth + 1) for each in reversed(arguments)])])
    return np.concatenate(parts)


_ATOM, _TEXT, _STRUCTURE, _LARGE = range(4)


def _kind(term: Term) -> int:
    if type(term) is Atom:
        return _ATOM
    if type(term) is Struct:
        return _STRUCTURE
    return _LARGE if isinstance(term, Int) else _TEXT


def _order_of_numbers(words: Int64) -> Int64:
    """By value, a float before the integer that it equals, and NaN first."""
    values = as_numbers(words).astype(np.float64)
    ties = is_integer(words).astype(np.int64)
    is_nan = np.isnan(values)
    return np.lexsort((np.where(is_nan, -1, ties), np.where(is_nan, -math.inf, values)))


def _order_of_names(atoms: Sequence[Term]) -> Int64:
    names = [atom.name for atom in atoms if isinstance(atom, Atom)]
    try:
        order: Int64 = pc.sort_indices(pa.array(names, pa.string())).to_numpy().astype(np.int64)
    except UnicodeEncodeError:  # half of a surrogate pair
        return _order_of_terms(atoms)
    return order


def _order_of_terms(terms: Sequence[Term]) -> Int64:
    keys = [standard_order_key(term) for term in terms]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
