"""The interfaces through which operators read data: a window of columns, and one time-point of time stepping.

`runtime/` implements both. Operators depend only on these protocols, so plans can run on tables written by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, Key, PointTable, Relation
from holdsfor.columns.tuple_ids import Words
from holdsfor.kernels.keys import Int64
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows
from holdsfor.prolog import Engine
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.physical.operators.range_head import RangeHead
    from holdsfor.physical.operators.range_over import RangeOver

__all__ = ["Context", "EdgeKind", "PointKind", "TimePointState"]

EdgeKind: TypeAlias = Literal["startI", "endI"]
PointKind: TypeAlias = Literal["events", "starts", "ends", "startI", "endI", "initiations"]


class Context(Protocol):
    """The tables of the window in which operators run."""

    symbols: Symbols
    engine: Engine
    profile: Profile | None
    version: int
    """Changes whenever the answers of goals that depend on dynamic domains or on the query time may change."""

    def points(self, kind: PointKind, key: Key) -> PointTable: ...
    def terminations(self, key: Key) -> PointTable: ...
    def fluents(self, key: Key) -> FluentTable: ...
    def facts(self, key: Key) -> Relation: ...
    def ground(self, head: Term, rows: Rows, *, over_all_values: bool = False) -> Rows: ...
    def members(self, ranging: RangeOver, known: Int64) -> Int64: ...
    def head_members(self, ranging: RangeHead) -> Int64: ...
    def synchronise(self) -> None: ...


class TimePointState(Protocol):
    """The state of a component at the current time-point of time stepping."""

    time: int

    def value_of(self, key: Key, arguments: Words) -> int | None: ...
    def happening(self, kind: PointKind, key: Key) -> Iterable[Words]: ...
    def is_broken(self, key: Key, arguments: Words, value: int) -> bool: ...
