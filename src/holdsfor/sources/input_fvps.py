"""The FVPs that may arrive as records. Input is declared by FVP: one value may be input and another computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from holdsfor.analysis.names import Record
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.records import Records
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.syntax.terms import Atom, Struct, Term, Var

__all__ = ["fitting_fvps", "fitting_records", "fvp_of"]


def fitting_records(shape: Record, records: Records, symbols: Symbols) -> NDArray[np.bool_]:
    """Which records are of FVPs that arrive in this shape."""
    if shape.patterns is None:
        return np.ones(len(records), dtype=np.bool_)
    return fitting_fvps(shape, records.columns, symbols)


def fitting_fvps(shape: Record, columns: Sequence[Int64], symbols: Symbols) -> NDArray[np.bool_]:
    """Which rows of arguments and value are FVPs that arrive in this shape.

    Contract: each combination of constants at the positions that the declared patterns restrict is checked once.
    """
    asked = [i for i in range(len(columns)) if any(_is_restricted(p, i) for p in shape.patterns or ())]
    if not asked:
        return np.ones(len(columns[0]), dtype=np.bool_)
    ids, first = dense_ids([columns[i] for i in asked], len(columns[0]))
    fits = [shape.fits(fvp_of(shape, [int(column[row]) for column in columns], symbols)) for row in first.tolist()]
    return np.array(fits, dtype=np.bool_)[ids]


def fvp_of(shape: Record, words: Sequence[int], symbols: Symbols) -> Term:
    """The FVP of the words of arguments and value."""
    *arguments, value = (symbols.term(word) for word in words)
    return Struct("=", (Struct(shape.name, tuple(arguments)) if arguments else Atom(shape.name), value))


def _is_restricted(pattern: Term, column: int) -> bool:
    """Whether a pattern restricts a column: an argument, or after the arguments the value."""
    assert isinstance(pattern, Struct)
    fluent, value = pattern.args
    columns = (*(fluent.args if isinstance(fluent, Struct) else ()), value)
    return not isinstance(columns[column], Var)
