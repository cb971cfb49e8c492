"""Choice points: the continuation when a goal fails.

Each choice point records the length of the trail and the stamp that separates older cells from newer ones. The machine
resumes `ClausesLeft` itself; the other choice points have a `resume` method, which returns the next registers, or None
to backtrack further. A choice point without further alternatives is removed from the stack before it resumes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdsfor.prolog.clauses import CompiledClause
from holdsfor.prolog.code import PROCEED, Frame, Registers
from holdsfor.prolog.unify import Trail, unify
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.prolog.machine import Machine

__all__ = ["Alternative", "Choice", "ClausesLeft", "RowsLeft", "unify_row"]


class Choice:
    """A point to backtrack to."""

    __slots__ = ("mark", "stamp")

    def __init__(self) -> None:
        self.mark = 0
        self.stamp = 0

    def resume(self, machine: Machine) -> Registers | None:
        raise NotImplementedError


class Alternative(Choice):
    """Another branch; None if a soft cut has removed it."""

    __slots__ = ("registers",)

    def __init__(self, registers: Registers | None) -> None:
        self.registers = registers

    def resume(self, machine: Machine) -> Registers | None:
        machine.cut_to(len(machine.choices) - 1)
        return self.registers


class RowsLeft(Choice):
    """Rows of a table or a built-in that may still match; `row` is the next."""

    __slots__ = ("args", "parent", "row", "rows")

    def __init__(self, args: tuple[Term, ...], row: tuple[Term, ...], rows: Iterator[tuple[Term, ...]], parent: Frame):
        self.args = args
        self.row = row
        self.rows = rows
        self.parent = parent

    def resume(self, machine: Machine) -> Registers | None:
        trail = machine.trail
        while True:
            row = self.row
            machine.count_step()
            following = next(self.rows, None)
            if following is None:
                machine.cut_to(len(machine.choices) - 1)
                return (PROCEED, [], 0, self.parent) if unify_row(self.args, row, trail) else None
            self.row = following
            if unify_row(self.args, row, trail):
                return PROCEED, [], 0, self.parent
            trail.undo(self.mark)


class ClausesLeft(Choice):
    """Clauses from number `at` on that may still match a call."""

    __slots__ = ("args", "at", "clauses", "dead", "n", "parent", "time")

    def __init__(
        self,
        args: tuple[Term, ...],
        clauses: list[CompiledClause],
        n: int,
        dead: dict[CompiledClause, int],
        time: int,
        parent: Frame,
    ) -> None:
        self.args = args
        self.at = 0
        self.clauses = clauses
        self.n = n
        self.dead = dead
        self.time = time
        self.parent = parent


def unify_row(args: tuple[Term, ...], row: tuple[Term, ...], trail: Trail) -> bool:
    """Unify the arguments of a call with a row; on failure some cells may be bound."""
    for arg, value in zip(args, row):  # noqa: B905
        if not unify(arg, value, trail):
            return False
    return True
