"""A parsed text: clauses, directives and tables of plain facts, in source order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from holdsfor.syntax.source import Source, Span
from holdsfor.syntax.terms import Constant, Term

__all__ = ["Clause", "Directive", "FactTable", "GivenRow", "InputFactTable", "Program", "constant_types"]


@dataclass(frozen=True, slots=True)
class Clause:
    """`head.` or `head :- body.`"""

    head: Term
    body: Term | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Directive:
    """`:- goal.`"""

    goal: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FactTable:
    """A run of plain ground facts of one predicate, as columns: the fast path for large background knowledge."""

    name: str
    columns: tuple[Sequence[Constant], ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def arity(self) -> int:
        return len(self.columns)

    def __len__(self) -> int:
        return len(self.columns[0])


def constant_types(column: Sequence[Constant]) -> set[type]:
    """The classes of the constants of a column, from its attribute `types` if it has one."""
    known: set[type] | None = getattr(column, "types", None)
    return set(map(type, column)) if known is None else known


GivenRow: TypeAlias = tuple[str, tuple[Constant, ...], Constant | None, int, int | None]
"""The name of an event or fluent, its arguments, the value of a fluent, and a time-point, or start and end."""


@dataclass(frozen=True, slots=True)
class InputFactTable:
    """A run of ground facts that are input records, such as `happensAt(go_to(chris, work), 9).`"""

    rows: list[GivenRow]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Program:
    """One parsed text."""

    source: Source
    items: tuple[Clause | Directive | FactTable | InputFactTable, ...]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        return tuple(item for item in self.items if isinstance(item, Clause))

    @property
    def directives(self) -> tuple[Directive, ...]:
        return tuple(item for item in self.items if isinstance(item, Directive))

    @property
    def tables(self) -> tuple[FactTable, ...]:
        return tuple(item for item in self.items if isinstance(item, FactTable))
