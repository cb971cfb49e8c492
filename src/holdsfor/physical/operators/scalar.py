"""Operators on single bindings, for components evaluated by time stepping.

A binding maps names of variables to words. A scalar operator takes the bindings of one time-point and returns the
bindings that satisfy one more condition, extended by the variables that it binds. Not every operator has a scalar form;
a component with an operator that has none is evaluated by fixpoint iteration instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from holdsfor.columns.tables import Relation
from holdsfor.columns.tuple_ids import Words
from holdsfor.physical.operators.context import Context, TimePointState
from holdsfor.physical.operators.scalar_patterns import Binding, ScalarPatterns
from holdsfor.physical.ownership import Lookup, Owned
from holdsfor.physical.patterns import ANYTHING
from holdsfor.syntax.terms import Term, variables

if TYPE_CHECKING:
    from holdsfor.physical.operators.operator import Operator

__all__ = ["Binding", "NotScalar", "ScalarCompiler", "ScalarOperator", "ScalarTest", "is_bound", "run_scalar"]

ScalarOperator: TypeAlias = Callable[[list[Binding]], list[Binding]]
ScalarTest: TypeAlias = Callable[[Binding], bool]


class NotScalar(Exception):
    """An operator has no form for single bindings."""


class ScalarCompiler(ScalarPatterns):
    """Compiles operators to functions on bindings; `own` has the events and FVPs that the component computes."""

    def __init__(self, now: TimePointState, context: Context, own: Owned) -> None:
        super().__init__(context.symbols)
        self.now = now
        self.context = context
        self.own = own

    def compiled(self, operators: Sequence[Operator], bound: set[str]) -> list[ScalarOperator]:
        """Scalar operators for a plan; extends `bound`, the variables with values."""
        profile = self.context.profile
        compiled = [(operator, self.operator(operator, bound)) for operator in operators]
        return [
            scalar if profile is None else profile.counted(operator, scalar)
            for operator, scalar in compiled
            if scalar is not None
        ]

    def operator(self, operator: Operator, bound: set[str]) -> ScalarOperator | None:
        test = operator.scalar_test(self, bound)
        if test is None:
            return operator.scalar(self, bound)
        return lambda bindings: [b for b in bindings if test(b)]

    def is_own(self, lookup: Lookup) -> bool:
        """Whether the component computes all matches of a lookup; `NotScalar` if it computes only some."""
        if not self.own.includes(lookup):
            return False
        if self.own.is_shared(lookup):
            raise NotScalar
        return True

    def indexed(
        self, relation: Relation, patterns: Sequence[Term], bound: set[str], *, is_timed: bool
    ) -> ScalarOperator:
        """Rows of a relation, found by its bound columns and by the time-point."""
        at = [i for i, p in enumerate(patterns) if p is not ANYTHING and set(variables(p)) <= bound]
        if not at and not is_timed:
            raise NotScalar
        rest = [i for i in range(len(patterns)) if i not in at]
        index = _index(relation, at, rest, is_timed=is_timed)
        get = self.key_getter([patterns[i] for i in at]) if at else (lambda binding: ())
        match = self.matcher([patterns[i] for i in rest], bound)
        now = self.now

        def run(bindings: list[Binding]) -> list[Binding]:
            found: list[Binding] = []
            for b in bindings:
                key = (*get(b), now.time) if is_timed else get(b)
                matched = [match(words, b) for words in index.get(key, ())]
                found += [each for each in matched if each is not None]
            return found

        return run


def _index(relation: Relation, at: Sequence[int], rest: Sequence[int], *, is_timed: bool) -> dict[Words, list[Words]]:
    """The columns `rest` of the rows of a relation, by its columns `at` and the time-point, which comes last."""
    columns = [column.tolist() for column in relation.columns]
    keys = zip(*(columns[i] for i in at), *((columns[-1],) if is_timed else ()), strict=True)
    values = zip(*(columns[i] for i in rest), strict=True) if rest else iter([()] * relation.n)
    index: dict[Words, list[Words]] = {}
    for key, value in zip(keys, values, strict=True):
        index.setdefault(key, []).append(value)
    return index


def is_bound(patterns: Sequence[Term], bound: set[str]) -> bool:
    """Whether no pattern has an unbound variable."""
    return all(pattern is not ANYTHING and set(variables(pattern)) <= bound for pattern in patterns)


def run_scalar(operators: Sequence[ScalarOperator], bindings: list[Binding]) -> list[Binding]:
    """The bindings after all operators."""
    for operator in operators:
        if not bindings:
            return bindings
        bindings = operator(bindings)
    return bindings
