"""The properties of the background knowledge that rewrites and the planner may use before a run begins."""

from __future__ import annotations

from typing import Protocol

from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import Struct, Term

__all__ = ["Knowledge"]


class Knowledge(Protocol):
    """Predicates that are tables, goals with the same answers throughout a run, and definitions."""

    def is_relation(self, key: tuple[str, int]) -> bool:
        """Whether a predicate consists of ground facts, possibly with members from the input."""

    def is_defined(self, key: tuple[str, int]) -> bool:
        """Whether the background knowledge defines a predicate, which may be built in too."""

    def is_grounded(self, key: tuple[str, int]) -> bool:
        """Whether a fluent has groundings."""

    def is_stable(self, goal: Term) -> bool:
        """Whether the answers of a goal are the same throughout the run."""

    def tested_members(self, goal: Term, ground: set[str]) -> tuple[Struct, ...] | None:
        """The members of dynamic domains on which the answers of a goal depend, over variables with values.

        None if the answers may depend on other members too, or on anything else that changes.
        """

    def only_answer(self, goal: Term) -> dict[str, Term] | None:
        """The values of the goal's variables, if exactly one fact of a stable table matches the goal."""

    def ground_after(self, goal: Term, ground: set[str]) -> set[str]:
        """The variables that have values after the proof of a goal, given the variables with values before it."""

    def needed(self, goal: Term, ground: set[str]) -> set[str]:
        """The variables that a proof of a goal needs, besides the variables with values before it."""

    def definition(self, key: tuple[str, int]) -> tuple[Clause, ...] | None:
        """The clauses of a predicate, if they are complete and the predicate does not call itself."""
