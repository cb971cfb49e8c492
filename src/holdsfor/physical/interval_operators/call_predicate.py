"""Predicates of the background knowledge over whole interval lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.kernels.sweep import Keyed
from holdsfor.physical.interval_lists import natural_join, onto
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.enumerate_instances import EnumerateInstances
from holdsfor.physical.interval_operators.interval_terms import term_of_intervals
from holdsfor.physical.interval_operators.operator import NaryOperator, Registers
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Plan
from holdsfor.physical.rows import Rows
from holdsfor.syntax.printer import show
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Term, is_ground, substitute

__all__ = ["CallPredicate"]


@dataclass(frozen=True)
class CallPredicate(NaryOperator):
    """A goal, proved instance by instance, with the lists as terms. Its answers are rows of data: the `outputs`."""

    goal: Term
    lists: tuple[str, ...]
    outputs: tuple[str, ...]
    instances: EnumerateInstances
    names: tuple[str, ...]
    span: Span | None
    output: str = ""

    @property
    def plans(self) -> tuple[Plan, ...]:
        return self.instances.plans

    def run(self, registers: Registers, context: IntervalContext) -> None:
        keys = self.instances.run(context)
        for rows in registers.computed:
            keys = natural_join(keys, rows)
        answers = list(self._answers(keys, registers, context))
        rows = keys.take(np.array([row for row, _ in answers], dtype=np.int64))
        more = {name: context.symbols.words(values[name] for _, values in answers) for name in self.outputs}
        registers.computed.append(rows.with_columns(more))

    def _answers(
        self, keys: Rows, registers: Registers, context: IntervalContext
    ) -> Iterator[tuple[int, dict[str, Term]]]:
        """The answers of the goal, each with the row of its instance."""
        lists = {name: _by_instance(onto(keys, registers.lists[name]), keys.n) for name in self.lists}
        columns = {name: context.symbols.terms(column) for name, column in keys.columns.items()}
        for i in range(keys.n):
            binding: dict[str, Term] = {name: terms[i] for name, terms in columns.items()}
            binding |= {name: term_of_intervals(intervals[i]) for name, intervals in lists.items()}
            for answer in context.engine.solve(substitute(self.goal, binding)):
                yield i, {name: self._value(name, answer[name]) for name in self.outputs}

    def _value(self, name: str, term: Term) -> Term:
        if not is_ground(term):
            message = f"`{name}` has no value after `{show(self.goal)}`"
            hint = f"let the predicate bind `{name}`, or bind it by another condition"
            raise ExecutionProblem(Diagnostic("HF602", message, self.span, hint))
        return term

    def describe(self, wording: Wording) -> Description:
        binds = wording.binds(self.outputs)
        return Description("prove", wording.show(self.goal), "background engine, instance by instance", binds)


def _by_instance(keyed: Keyed, n: int) -> list[list[tuple[int, int]]]:
    result: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for key, start, end in zip(*(column.tolist() for column in keyed), strict=True):
        result[key].append((start, end))
    return [sorted(intervals) for intervals in result]
