"""What the rewrites and the planner may know of the background knowledge before a run begins."""

from __future__ import annotations

from typing import Protocol

from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import Term

__all__ = ["Knowledge"]


class Knowledge(Protocol):
    """Predicates that are tables, goals that have the same answers all the time, and definitions."""

    def is_relation(self, key: tuple[str, int]) -> bool:
        """Whether a predicate consists of ground facts, perhaps with members from the input."""

    def is_grounded(self, key: tuple[str, int]) -> bool:
        """Whether a fluent has groundings."""

    def is_stable(self, goal: Term) -> bool:
        """Whether the answers of a goal are the same throughout the run."""

    def only_answer(self, goal: Term) -> dict[str, Term] | None:
        """The values of the goal's variables, if exactly one fact of a stable table matches it."""

    def ground_after(self, goal: Term, ground: set[str]) -> set[str]:
        """The variables that have values once a goal is proved, given those that have values before."""

    def needed(self, goal: Term, ground: set[str]) -> set[str]:
        """The variables that a goal needs to be proved, besides those that have values before."""

    def definition(self, key: tuple[str, int]) -> tuple[Clause, ...] | None:
        """The clauses of a predicate, if they are all there is to it and it does not call itself."""
