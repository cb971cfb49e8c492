"""The base class of operators: the parts that every operator has, and the parts that some operators have.

A plan is a tuple of operators. Each operator takes rows and returns the rows that satisfy one more condition, extended
by the variables that the operator binds. An operator is one class in one module of this package, with all of its parts:

- `bound_after`: the columns that rows have after the operator, known before the plan runs;
- `run`: the operator on rows, all bindings at once;
- `scalar` or `scalar_test`: the operator on single bindings, for components evaluated by time stepping. An operator
  without these parts has no scalar form, and a component that needs one is evaluated by fixpoint iteration;
- `describe`: the line that `plan --stage physical` shows.

`OPERATORS` in `physical/operators/__init__.py` lists the classes; `tests/unit/physical/test_operators.py` checks that
the list is complete and that no operator lacks a part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import Key
from holdsfor.physical.operators.context import Context, EdgeKind
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.scalar import NotScalar, ScalarCompiler, ScalarOperator, ScalarTest
from holdsfor.physical.ownership import Lookup, Owned
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.physical.operators.join_fluents import JoinFluents

__all__ = ["Operator", "Plan", "Ranges", "all_operators", "run_operators", "solved"]


class Operator(ABC):
    """A step of a plan, from rows to rows."""

    # -- bound columns
    # ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def bound_after(self, bound: set[str]) -> set[str]:
        """The columns of variables and of instance numbers after the operator, given the columns before it."""

    @property
    def binds_time(self) -> bool:
        """Whether rows have time-points after the operator if they had none before."""
        return False

    @property
    def inner(self) -> tuple[Plan, ...]:
        """The plans that the operator runs itself, each from its own rows."""
        return ()

    # -- the operator on rows ------------------------------------------------------------------------------------------

    @abstractmethod
    def run(self, rows: Rows, context: Context) -> Rows:
        """The rows that satisfy the condition, extended by the columns that the operator binds."""

    @property
    def is_cheap_test(self) -> bool:
        """Whether a test of all rows costs less than forming the rows that satisfy the conditions before it."""
        return False

    def matched(self, rows: Rows, context: Context) -> NDArray[np.bool_] | None:
        """Which rows satisfy the condition, without the rows that it makes of them; None if `run` is needed."""
        return None

    # -- the operator on single bindings -------------------------------------------------------------------------------

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator | None:
        """The function on the bindings of one time-point; None if the operator changes no binding.

        `bound` are the variables with values; the operator adds the variables that it binds. Raises `NotScalar` if
        there is no such function.
        """
        raise NotScalar

    def scalar_test(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarTest | None:
        """The condition on one binding, if the operator binds nothing; None for other operators."""
        return None

    @property
    def guards(self) -> list[tuple[JoinFluents, bool]] | None:
        """The FVPs that must hold, or must not, if the operator tests nothing else."""
        return None

    # -- text of the operator
    # --------------------------------------------------------------------------------------------

    @abstractmethod
    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description | None:
        """The operator as text; None if it is not shown.

        `bound` are the columns before the operator, and `is_timed` is true if the rows have time-points.
        """

    def binds(self, wording: Wording, bound: set[str], *, is_timed: bool) -> str:
        """The columns that the operator adds, as text."""
        time = ["time"] if self.binds_time and not is_timed else []
        return wording.binds([*wording.in_order(self.bound_after(bound) - bound), *time])

    # -- tables the operator reads
    # ---------------------------------------------------------------------------------------

    @property
    def lookup(self) -> Lookup | None:
        """The events or FVPs that the operator reads itself."""
        return None

    def reads_from(self, own: Owned) -> bool:
        """Whether the operator, or a plan inside it, reads events or FVPs that a component computes."""
        if self.lookup is not None:
            return own.includes(self.lookup)
        return any(operator.reads_from(own) for plan in self.inner for operator in plan)

    @property
    def edge(self) -> tuple[EdgeKind, Key] | None:
        """The fluent whose interval edges the operator reads at the edge itself."""
        return None

    @property
    def enumerates_head(self) -> bool:
        """Whether the operator may enumerate the instances of the rule's head."""
        return False

    @property
    def reads_affected(self) -> bool:
        """Whether the operator reads the FVPs that a termination may affect."""
        return False

    @property
    def ranged(self) -> Term | None:
        """The FVP whose variables the operator lets range over their sorts."""
        return None

    # -- adaptation by the planner
    # ---------------------------------------------------------------------------------------

    def pruned(self, bound: Collection[str], keep: Collection[str]) -> Operator:
        """The operator without columns for variables that are neither bound before nor kept."""
        return self

    def with_ranges(self, ranges: Ranges) -> Operator:
        """The operator, with other operators that enumerate the variables which a goal leaves unbound."""
        return self

    def leaving_open(self, names: frozenset[str]) -> Operator:
        """The operator, with a goal that may leave the named variables unbound."""
        return self


Plan: TypeAlias = tuple[Operator, ...]
Ranges: TypeAlias = tuple[tuple[str, Operator], ...]
"""By the name of a variable, the operator that enumerates its values."""


def run_operators(operators: Sequence[Operator], rows: Rows, context: Context) -> Rows:
    """The rows after all operators; stops when no row is left."""
    if context.profile is not None:
        return _run_and_count(operators, rows, context, context.profile)
    for operator in operators:
        if rows.n == 0:
            return rows
        rows = operator.run(rows, context)
    return rows


def _run_and_count(operators: Sequence[Operator], rows: Rows, context: Context, profile: Profile) -> Rows:
    for operator in operators:
        if rows.n == 0:
            return rows
        with profile.at(id(operator), rows.n) as tally:
            rows = operator.run(rows, context)
            tally.rows_out += rows.n
    return rows


def solved(plan: Sequence[Operator], rows: Rows, context: Context) -> NDArray[np.bool_]:
    """Which rows have a solution of a plan; the solutions of a single condition are not formed if that is possible."""
    mask = _all_matched(plan, rows, context) if rows.n else None
    if mask is None:
        mask = np.zeros(rows.n, dtype=bool)
        found = run_operators(plan, rows.with_columns({"#row": np.arange(rows.n, dtype=np.int64)}), context)
        mask[found.columns["#row"] if found.n else []] = True
    return mask


def _all_matched(plan: Sequence[Operator], rows: Rows, context: Context) -> NDArray[np.bool_] | None:
    """Which rows satisfy a single condition, or several cheap ones; None if rows must be formed."""
    if len(plan) > 1 and not all(operator.is_cheap_test for operator in plan):
        return None
    found: NDArray[np.bool_] | None = None
    for operator in plan:
        mask = _matched(operator, rows, context)
        if mask is None:
            return None
        found = mask if found is None else found & mask
    return found


def _matched(operator: Operator, rows: Rows, context: Context) -> NDArray[np.bool_] | None:
    if context.profile is None:
        return operator.matched(rows, context)
    with context.profile.at(id(operator), 0) as tally:
        mask = operator.matched(rows, context)
        if mask is not None:
            tally.rows_in += rows.n
            tally.rows_out += int(np.count_nonzero(mask))
    return mask


def all_operators(operators: Sequence[Operator]) -> Iterator[Operator]:
    """Every operator of a plan, including operators inside others."""
    for operator in operators:
        yield operator
        for plan in operator.inner:
            yield from all_operators(plan)
