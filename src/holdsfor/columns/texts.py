"""Constants, FVPs and events as Arrow columns of text, in the form of `show`.

Each distinct constant of a column is formatted once. Integers, names that need no quotes and structures of such
constants are formatted as columns; other constants one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols, integer_values, is_integer, is_symbol, symbol_numbers
from holdsfor.columns.structures import structures_of
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.syntax.operators import Operators
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term

__all__ = ["Texts", "argument_texts", "entity_texts", "is_compound_name", "term_texts", "text_lists", "value_texts"]

Texts: TypeAlias = Any
"""An Arrow array of strings."""

_EXAMPLE = Atom("x")
_OPERATORS = Operators()
_MANY = 16
_MAX_DEPTH = 3


def argument_texts(words: Int64, symbols: Symbols, depth: int = 0) -> Texts:
    """The constants as arguments of a term."""
    return _texts(words, symbols, depth)


def term_texts(words: Int64, symbols: Symbols) -> Texts:
    """The constants as terms of their own: an operator has parentheses."""
    ids, first = dense_ids([words], len(words))
    distinct = words[first]
    return _with_operators(_texts(distinct, symbols, 0), distinct, symbols, show).take(pa.array(ids))


def value_texts(words: Int64, symbols: Symbols) -> Texts:
    """The constants as values of a fluent, with the equals sign before them."""
    ids, first = dense_ids([words], len(words))
    distinct = words[first]
    texts = _texts(distinct, symbols, 0)
    sign = pc.if_else(pc.match_substring_regex(texts, r"^[-+*/\\^<>=~:.?@#&$]"), "= ", "=")
    whole = pc.binary_join_element_wise(sign, texts, "")
    return _with_operators(whole, distinct, symbols, _as_value).take(pa.array(ids))


def entity_texts(name: str, columns: Sequence[Int64], values: Int64 | None, n: int, symbols: Symbols) -> Texts:
    """Events, or FVPs if `values` are given. The name is one of `is_compound_name`."""
    fluent: Atom | Struct = Struct(name, (_EXAMPLE,) * len(columns)) if columns else Atom(name)
    before = show(fluent) if values is None else show(Struct("=", (fluent, _EXAMPLE)))[: -len("=x")]
    parts: list[Any] = []
    if columns:
        opening, _, rest = before.partition("(x")
        between = [f"{opening}(", *[","] * (len(columns) - 1)]
        for text, column in zip(between, columns, strict=True):
            parts += [pa.scalar(text), argument_texts(column, symbols)]
        parts.append(pa.scalar(rest[2 * (len(columns) - 1) :]))
    else:
        parts.append(pa.repeat(pa.scalar(before), n))
    if values is not None:
        parts.append(value_texts(values, symbols))
    return pc.binary_join_element_wise(*parts, "")


def text_lists(columns: Sequence[Texts], n: int) -> Any:
    """A list for each of `n` rows with its texts in the columns."""
    offsets = pa.array(np.arange(n + 1, dtype=np.int32) * len(columns))
    if not columns:
        return pa.ListArray.from_arrays(offsets, pa.array([], pa.string()))
    if len(columns) == 1:
        return pa.ListArray.from_arrays(offsets, columns[0])
    order = np.arange(n * len(columns), dtype=np.int64).reshape(len(columns), n).T.reshape(-1)
    return pa.ListArray.from_arrays(offsets, pa.concat_arrays(list(columns)).take(pa.array(order)))


@lru_cache(maxsize=4_096)
def is_compound_name(name: str, arity: int) -> bool:
    """Whether terms of this name and arity are written as a name with arguments, not as an operation or a list."""
    if arity == 0:
        return True
    return show(Struct(name, (_EXAMPLE,) * arity)).endswith(f"({','.join('x' * arity)})")


# -- distinct constants ----------------------------------------------------------------------------------------------


def _texts(words: Int64, symbols: Symbols, depth: int) -> Texts:
    if is_integer(words).all():
        return pa.array(integer_values(words)).cast(pa.string())
    ids, first = dense_ids([words], len(words))
    distinct = words[first]
    named = is_symbol(distinct)
    numbers, symbolic = (~named).nonzero()[0], named.nonzero()[0]
    texts = pa.concat_arrays(
        [_number_texts(distinct[numbers], symbols), _symbol_texts(distinct[symbolic], symbols, depth)]
    )
    place = np.empty(len(distinct), dtype=np.int64)
    place[numbers] = np.arange(len(numbers))
    place[symbolic] = np.arange(len(symbolic)) + len(numbers)
    return texts.take(pa.array(place[ids]))


def _number_texts(words: Int64, symbols: Symbols) -> Texts:
    return pa.array(list(map(show, symbols.terms(words))), pa.string())


def _symbol_texts(words: Int64, symbols: Symbols, depth: int) -> Texts:
    plain = _plain_texts(words, symbols)
    if plain.null_count == 0:
        return plain
    is_plain = plain.is_valid().to_numpy(zero_copy_only=False)
    rows, found = [np.flatnonzero(is_plain)], [plain.drop_null()]
    for (name, arity), members in _by_functor(words, np.flatnonzero(~is_plain), symbols).items():
        rows.append(np.array(members, dtype=np.int64))
        own = words[rows[-1]]
        if arity and len(members) >= _MANY and depth < _MAX_DEPTH and is_compound_name(name, arity):
            found.append(_structure_texts(own, name, arity, symbols, depth))
        else:
            found.append(pa.array(list(map(_as_argument, symbols.terms(own))), pa.string()))
    place = np.empty(len(words), dtype=np.int64)
    place[np.concatenate(rows)] = np.arange(len(words))
    return pa.concat_arrays(found).take(pa.array(place))


def _plain_texts(words: Int64, symbols: Symbols) -> Texts:
    """The texts of symbols that are written as they are; null for other symbols."""
    return symbols.plain_texts.column().take(pa.array(symbol_numbers(words)))


def _by_functor(words: Int64, rows: Int64, symbols: Symbols) -> dict[tuple[str, int], list[int]]:
    """The rows of structures by name and arity, and of other terms."""
    found: dict[tuple[str, int], list[int]] = {}
    for row, term in zip(rows.tolist(), symbols.terms(words[rows]), strict=True):
        functor = (term.name, len(term.args)) if isinstance(term, Struct) else ("", 0)
        found.setdefault(functor, []).append(row)
    return found


def _structure_texts(words: Int64, name: str, arity: int, symbols: Symbols, depth: int) -> Texts:
    _, columns = structures_of(symbols, name, arity).arguments(words)
    opening = show(Struct(name, (_EXAMPLE,) * arity)).removesuffix(f"({','.join('x' * arity)})")
    parts: list[Any] = []
    for i, column in enumerate(columns):
        parts += [pa.scalar("," if i else f"{opening}("), argument_texts(column, symbols, depth + 1)]
    return pc.binary_join_element_wise(*parts, pa.scalar(")"), "")


def _with_operators(texts: Texts, words: Int64, symbols: Symbols, write: Callable[[Term], str]) -> Texts:
    """The texts of arguments, with operators and operations written by a function instead."""
    terms = {row: term for row, term in _other_terms(words, symbols) if _has_operator(term)}
    if not terms:
        return texts
    mask = np.zeros(len(words), dtype=bool)
    mask[list(terms)] = True
    return pc.replace_with_mask(texts, pa.array(mask), pa.array(list(map(write, terms.values())), pa.string()))


def _other_terms(words: Int64, symbols: Symbols) -> Iterator[tuple[int, Term]]:
    """The rows of symbols that are not written as they are, with their terms."""
    rows = is_symbol(words).nonzero()[0]
    rows = rows[_plain_texts(words[rows], symbols).is_null().to_numpy(zero_copy_only=False)]
    return zip(rows.tolist(), symbols.terms(words[rows]), strict=True)


def _has_operator(term: Term) -> bool:
    """Whether a term is an operator, or a structure that is not written as a name with arguments."""
    if type(term) is Atom:
        return _OPERATORS.is_operator(term.name)
    return type(term) is Struct and not is_compound_name(term.name, len(term.args))


def _as_argument(term: Term) -> str:
    """The text of a term as an argument of another."""
    return show(Struct("f", (term,)))[2:-1]


def _as_value(term: Term) -> str:
    """The text of a term as the value of a fluent, with the equals sign."""
    return show(Struct("=", (_EXAMPLE, term)))[1:]
