"""Aggregation over the solutions of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import integer_words
from holdsfor.kernels.keys import Int64
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator, Plan, run_operators
from holdsfor.physical.operators.scalar import Binding, NotScalar, ScalarCompiler, ScalarOperator, run_scalar
from holdsfor.physical.patterns import unify_column
from holdsfor.physical.rows import Rows
from holdsfor.prolog import Engine, standard_order_key
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Float, Int, Struct, Term, list_term, substitute, variables

__all__ = ["Aggregate"]


@dataclass(frozen=True)
class Aggregate(Operator):
    """Aggregates the solutions of a plan, one result per row; solutions with equal `names` count once.

    Rows that agree in the time-point and in the variables of the plan have the same solutions: the plan runs once for
    each group of such rows, so that a count of n events costs n for n rows at one time-point, not n².
    """

    template: Term
    plan: Plan
    names: tuple[str, ...]
    result: Term
    aggregate: Literal["list", "count", "sum", "max", "min", "bag", "set"]
    span: Span | None = None

    @property
    def inner(self) -> tuple[Plan, ...]:
        return (self.plan,)

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(variables(self.result))

    def run(self, rows: Rows, context: Context) -> Rows:
        outer = rows.keep(self.names)
        groups, first = outer.groups()
        numbered = outer.take(first).with_columns({"#group": np.arange(len(first), dtype=np.int64)})
        found = run_operators(self.plan, numbered, context)
        if found.n:
            found = Rows(found.n, found.keep([*self.names, "#group"]).columns).distinct()
            owner = found.columns["#group"]
        else:
            owner = np.empty(0, dtype=np.int64)
        if self.aggregate == "count":
            counts = np.bincount(owner, minlength=len(first)).astype(np.int64)[groups]
            return unify_column(self.result, integer_words(counts), rows, context.symbols)
        exists, words = self.collected(len(first), found, owner, context)
        return unify_column(self.result, words[groups[exists[groups]]], rows.take(exists[groups]), context.symbols)

    def collected(self, n_groups: int, found: Rows, owner: Int64, context: Context) -> tuple[NDArray[np.bool_], Int64]:
        """Whether each group has a result, and its word."""
        items: list[list[Term]] = [[] for _ in range(n_groups)]
        if found.n:
            names = list(variables(self.template))
            columns = [context.symbols.terms(found.columns[name]) for name in names]
            for i, group in enumerate(owner.tolist()):
                binding = {name: column[i] for name, column in zip(names, columns, strict=True)}
                items[group].append(substitute(self.template, binding))
        results = [self._aggregated(sorted(each, key=standard_order_key), context.engine) for each in items]
        exists = np.array([result is not None for result in results], dtype=bool)
        words = np.zeros(n_groups, dtype=np.int64)
        words[exists] = context.symbols.words(result for result in results if result is not None)
        return exists, words

    def _aggregated(self, items: list[Term], engine: Engine) -> Term | None:
        """The result for solutions; those whose expression has no value are left out."""
        if self.aggregate in ("list", "bag"):
            return list_term(items)
        if self.aggregate == "set":
            return list_term(dict.fromkeys(items))
        numbers = [number for item in items if (number := engine.number(item, self.span)) is not None]
        if self.aggregate == "sum":
            total: Int | Float | None = Int(0)
            for number in numbers:
                total = None if total is None else engine.number(Struct("+", (total, number)), self.span)
            return total
        if not numbers:
            return None
        return (max if self.aggregate == "max" else min)(numbers, key=lambda number: number.value)

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        if self.aggregate != "count":
            raise NotScalar
        plan = compiler.compiled(self.plan, set(bound))
        match = compiler.matcher([self.result], bound)
        names, word = self.names, compiler.symbols.word

        def run(bindings: list[Binding]) -> list[Binding]:
            found: list[Binding] = []
            for b in bindings:
                n = len({tuple(each.get(name) for name in names) for each in run_scalar(plan, [b])})
                extended = match((word(Int(n)),), b)
                found += [] if extended is None else [extended]
            return found

        return run

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        subject = "" if self.aggregate == "count" else wording.show(self.template)
        binds = self.binds(wording, bound, is_timed=is_timed)
        return Description(f"aggregate {self.aggregate}", subject, "per row, each solution once", binds)
