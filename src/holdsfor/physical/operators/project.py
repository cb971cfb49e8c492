"""Projection: fewer columns."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.scalar import ScalarCompiler
from holdsfor.physical.rows import Rows

__all__ = ["Project"]


@dataclass(frozen=True)
class Project(Operator):
    """Drops the columns of the named variables, which no later operator reads."""

    dropped: tuple[str, ...]

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound - set(self.dropped)

    def run(self, rows: Rows, context: Context) -> Rows:
        return Rows(rows.n, {n: c for n, c in rows.columns.items() if n not in self.dropped}, rows.times)

    @property
    def guards(self) -> list[tuple[JoinFluents, bool]]:
        return []

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> None:
        """No function: a binding may keep values that no later operator reads."""
        return

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description | None:
        dropped = [name for name in self.dropped if name in bound]
        return Description("drop", wording.names(dropped)) if dropped else None
