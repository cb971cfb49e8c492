"""The fluents that have received their initial values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import Key, Relation, point_table
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.kernels.keys import Int64, dense_ids, pairs_of_equal_keys
from holdsfor.logical.nodes import FluentId
from holdsfor.physical.plan import PlannedFluent
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct

__all__ = ["InitialValues"]


_NO_VERSION = -1  # of domains: forces a check for further initial values


class InitialValues:
    """The fluents whose initial values are part of the state: each fluent gets its value once in a run."""

    def __init__(self, known: dict[FluentId, Relation] | None = None) -> None:
        self._known = {each: (relation, _NO_VERSION) for each, relation in (known or {}).items()}
        self._given: dict[FluentId, tuple[Relation, int]] = {}

    def copy(self) -> InitialValues:
        """The same values, for an evaluation of its own."""
        other = InitialValues()
        other._known, other._given = dict(self._known), dict(self._given)
        return other

    @property
    def known(self) -> dict[FluentId, Relation]:
        """The arguments of the fluents whose initial values are part of the state."""
        return {each: relation for each, (relation, _) in self._known.items()}

    def settle(self) -> None:
        """Make the initial values of this evaluation part of the state."""
        self._known.update(self._given)

    def is_settled(self, fluent: PlannedFluent, version: int) -> bool:
        """Whether all initial values, with the domains of a version, are part of the state."""
        known = self._known.get(fluent.id)
        return known is not None and known[1] == version

    def fresh(
        self,
        key: Key,
        fluent: PlannedFluent,
        columns: list[Int64],
        symbols: Symbols,
        version: int,
        *,
        is_grounded: bool,
    ) -> Relation:
        """The FVPs whose fluents' initial values are not part of the state yet, each once.

        The state has no instance that has left the grounding; such an instance is fresh when it returns.
        """
        distinct = point_table([*columns, np.zeros(len(columns[0]), dtype=np.int64)]).columns[:-1]
        arguments, n = distinct[:-1], len(distinct[-1])
        ids, first = dense_ids(arguments, n)
        if len(first) < n:
            self._refuse(key, distinct, ids, symbols)
        known, _ = self._known.get(fluent.id, (None, version))
        given = Relation(arguments, n)
        self._given[fluent.id] = (given if known is None or is_grounded else _union(known, given)), version
        is_new = np.ones(n, dtype=bool)
        if known is not None:
            is_new[pairs_of_equal_keys(arguments, n, known.columns, known.n)[0]] = False
        return Relation(tuple(column[is_new] for column in distinct), int(is_new.sum()))

    def _refuse(self, key: Key, columns: Sequence[Int64], ids: Int64, symbols: Symbols) -> None:
        order = np.argsort(ids)
        twice = order[np.flatnonzero(ids[order][1:] == ids[order][:-1])[0] :][:2]
        first, second = ([symbols.term(int(column[row])) for column in columns] for row in twice)
        fluent = Struct(key[0], tuple(first[:-1])) if key[1] else Atom(key[0])
        message = f"`{show(fluent)}` has two initial values, `{show(first[-1])}` and `{show(second[-1])}`"
        raise ExecutionProblem(Diagnostic("HF607", message, None, "a fluent has at most one value at a time"))


def _union(known: Relation, given: Relation) -> Relation:
    """The rows of both; `known` adds nothing unless members of a domain have disappeared."""
    is_gone = ~given.has(known.columns, known.n)
    if not is_gone.any():
        return given
    columns = zip(given.columns, known.columns, strict=True)
    return Relation(tuple(np.concatenate((a, b[is_gone])) for a, b in columns), given.n + int(is_gone.sum()))
