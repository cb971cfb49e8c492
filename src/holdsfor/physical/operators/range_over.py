"""The values of a variable that no condition binds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.columns.tables import Key
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.patterns import join
from holdsfor.physical.rows import Rows, one_row
from holdsfor.syntax.terms import Term

__all__ = ["RangeOver"]


@dataclass(frozen=True)
class RangeOver(Operator):
    """Lets a variable of an interval rule range over its sort, and over its values in fluents that mention it.

    The `pattern` determines the sort. `known` are the keys and patterns of the fluents. If `is_any`, one value is
    enough. With an `id`, the values known in one time range stay in the range for later time ranges.
    """

    name: str
    pattern: Term | None
    known: tuple[tuple[Key, tuple[Term, ...]], ...]
    is_any: bool = False
    id: NodeId | None = None

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | {self.name}

    def run(self, rows: Rows, context: Context) -> Rows:
        members = context.members(self, self.known_members(context))
        return rows.cross(self.name, members[:1] if self.is_any else members)

    def known_members(self, context: Context) -> Int64:
        """The values of the variable in the intervals of the fluents."""
        tables = [(context.fluents(key), patterns) for key, patterns in self.known]
        found = [join(one_row(), table, patterns, context.symbols)[0] for table, patterns in tables if table.n]
        return np.unique(concatenate_column(rows.columns[self.name] for rows in found))

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        how = "some member of its sort" if self.is_any else "members of its sort"
        return Description("range", wording.names([self.name]), how, self.binds(wording, bound, is_timed=is_timed))
