"""The texts of the names in a symbol table that are written as they are, as one Arrow column.

Most symbols of a stream are names of entities: short words without quotes. Their texts are collected once for each
symbol, so that a report takes them by number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdsfor.kernels.compact import Int64
from holdsfor.syntax.operators import Operators
from holdsfor.syntax.terms import Atom, Term

if TYPE_CHECKING:
    from holdsfor.columns.encoding import SymbolTable

__all__ = ["PlainTexts"]

_OPERATORS = Operators()
_FEW = 4
_PLAIN = r"^[a-z][a-zA-Z0-9_]*$"


class PlainTexts:
    """The names of the atoms in a symbol table that need no quotes and are not operators, by number of the symbol."""

    def __init__(self, symbols: SymbolTable) -> None:
        self._symbols = symbols
        self._texts: Any = None
        self._names: Any = None
        self._ranks: Any = None

    def column(self) -> Any:
        """A text for each symbol; null for symbols that are written in another way."""
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        known = 0 if self._texts is None else len(self._texts)
        if self._texts is None or known < len(self._symbols):
            names = pa.array(list(map(_name, self._symbols.symbol_terms(known))), pa.string())
            is_plain = pc.fill_null(pc.match_substring_regex(names, _PLAIN), False)
            texts = pc.if_else(is_plain, names, pa.scalar(None, pa.string()))
            self._texts = texts if self._texts is None else pa.concat_arrays([self._texts, texts])
        return self._texts

    def names(self) -> Any:
        """The name of each symbol that is an atom, without quotes; null for other symbols."""
        import pyarrow as pa

        known = 0 if self._names is None else len(self._names)
        if self._names is None or known < len(self._symbols):
            terms = self._symbols.symbol_terms(known)
            names = pa.array([term.name if type(term) is Atom else None for term in terms], pa.string())
            self._names = names if self._names is None else pa.concat_arrays([self._names, names])
        return self._names

    def ranks(self, numbers: Int64) -> Int64 | None:
        """Numbers that order some symbols alphabetically; None if one of them has no text here, or if they are few."""
        texts = self.column()
        if len(numbers) * _FEW < len(texts):
            return None
        if self._ranks is None or len(self._ranks) < len(texts):
            self._ranks = _alphabetical_ranks(texts)
        ranks: Int64 = self._ranks[numbers]
        return ranks if len(ranks) and ranks.min() >= 0 else None


def _alphabetical_ranks(texts: Any) -> Int64:
    """The position of each text in alphabetical order, -1 for null."""
    import numpy as np
    import pyarrow.compute as pc

    order = pc.sort_indices(texts).to_numpy().astype(np.int64)
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[order] = np.arange(len(texts))
    ranks[texts.is_null().to_numpy(zero_copy_only=False)] = -1
    return ranks


def _name(term: Term) -> str | None:
    """The name of an atom of ASCII characters that is not an operator."""
    if type(term) is Atom and term.name.isascii() and not _OPERATORS.is_operator(term.name):
        return term.name
    return None
