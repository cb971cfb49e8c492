"""The operators of a rule, one binding at a time, for components that are walked through time.

A binding maps names of variables to words. A row step takes the bindings of one time-point and returns those that
satisfy one more condition, extended by what it binds. Not every operator has such a form; a component that needs one
that has not is evaluated in turns instead.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from holdsfor.columns.tables import Key, Relation
from holdsfor.columns.tuple_ids import Words
from holdsfor.kernels.keys import Int64
from holdsfor.physical.broken_values import BrokenValue
from holdsfor.physical.ownership import Owned
from holdsfor.physical.patterns import ANYTHING
from holdsfor.physical.steps import (
    AnyClause,
    AnyOf,
    Broken,
    Context,
    Forget,
    Gather,
    HoldsNow,
    JoinFacts,
    MatchPoints,
    NoneOf,
    PointKind,
    Prove,
    StampTime,
    Step,
    TestNumbers,
    Unify,
)
from holdsfor.runtime.recursion.scalar_patterns import Binding, RowPatterns
from holdsfor.syntax.terms import Int, Term, Var, variables

__all__ = ["Binding", "NotByRow", "Now", "RowCompiler", "RowStep", "Words"]

RowStep: TypeAlias = Callable[[list[Binding]], list[Binding]]


class NotByRow(Exception):
    """An operator has no form for single bindings."""


class Now(Protocol):
    """What a walk knows of its own component at the time-point it has reached."""

    time: int

    def value_of(self, key: Key, arguments: Words) -> int | None: ...
    def happening(self, kind: PointKind, key: Key) -> Iterable[Words]: ...
    def is_broken(self, key: Key, arguments: Words, value: int) -> bool: ...


class RowCompiler(RowPatterns):
    """Turns steps into row steps; `own` is what the component that is walked computes."""

    def __init__(self, now: Now, context: Context, own: Owned) -> None:
        super().__init__(context.symbols)
        self.now = now
        self.context = context
        self.own = own

    def compiled(self, steps: Sequence[Step], bound: set[str]) -> list[RowStep]:
        """Row steps for steps; `bound` are the variables with values, and grows along."""
        profile = self.context.profile
        compiled = [(step, self.step(step, bound)) for step in steps if not isinstance(step, Forget)]
        return [row_step if profile is None else profile.counted(step, row_step) for step, row_step in compiled]

    def step(self, step: Step, bound: set[str]) -> RowStep:
        test = self.test(step, bound)
        if test is not None:
            return lambda bindings: [b for b in bindings if test(b)]
        match step:
            case HoldsNow() if self.is_own(step):
                return self.holds_own(step, bound)
            case MatchPoints():
                return self.points_own(step, bound) if self.is_own(step) else self.points_outside(step, bound)
            case NoneOf(steps):
                return self.none_of(steps, bound)
            case AnyOf(branches, names):
                return self.any_of(branches, names, bound)
            case AnyClause(branches, outputs):
                return self.any_of(branches, outputs, bound)
            case TestNumbers(otherwise=prove):
                return self.prove(prove, bound)
            case Prove(is_stable=True):
                return self.prove(step, bound)
            case JoinFacts(key, patterns):
                return self.indexed(self.context.facts(key), patterns, bound, is_timed=False)
            case StampTime(name):
                return self.stamp_time(name, bound)
            case Unify(pattern, built):
                return self.unify(pattern, built, bound)
            case Gather(aggregate="count"):
                return self.count(step, bound)
        raise NotByRow

    def test(self, step: Step, bound: set[str]) -> Callable[[Binding], bool] | None:
        """What a step asks of each binding alone, if it binds nothing."""
        if isinstance(step, BrokenValue):
            raise NotByRow
        if not isinstance(step, HoldsNow | MatchPoints | Broken) or not _is_bound(step.patterns, bound):
            return None
        match step:
            case HoldsNow():
                return self.holds_own_value(step) if self.is_own(step) else self.holds_outside(step)
            case Broken() if self.own.includes(step):
                return self.broken(step)
            case MatchPoints() if not self.is_own(step):
                return self.happens_outside(step)
        return None

    def is_own(self, step: MatchPoints | HoldsNow) -> bool:
        """Whether the component computes all that a step may find; `NotByRow` if it computes only some."""
        if not self.own.includes(step):
            return False
        if self.own.is_shared(step):
            raise NotByRow
        return True

    # -- the component itself ------------------------------------------------------------------------------------------

    def holds_own_value(self, step: HoldsNow) -> Callable[[Binding], bool]:
        *arguments, value = step.patterns
        key, get, wanted, value_of = step.key, self.key_getter(arguments), self.getter(value), self.now.value_of
        return lambda binding: value_of(key, get(binding)) == wanted(binding)

    def holds_own(self, step: HoldsNow, bound: set[str]) -> RowStep:
        """The value that a fluent has, where that is left open."""
        *arguments, value = step.patterns
        if not _is_bound(arguments, bound):
            raise NotByRow
        key, get, value_of = step.key, self.key_getter(arguments), self.now.value_of
        match = self.matcher([value], bound)

        def run(bindings: list[Binding]) -> list[Binding]:
            now = [(b, value_of(key, get(b))) for b in bindings]
            matched = [match((word,), b) for b, word in now if word is not None]
            return [b for b in matched if b is not None]

        return run

    def points_own(self, step: MatchPoints, bound: set[str]) -> RowStep:
        kind, key, match = step.kind, step.key, self.matcher(step.patterns, bound)

        def run(bindings: list[Binding]) -> list[Binding]:
            words = list(self.now.happening(kind, key))
            matched = [match(each, b) for b in bindings for each in words]
            return [b for b in matched if b is not None]

        return run

    def broken(self, step: Broken) -> Callable[[Binding], bool]:
        *arguments, value = step.patterns
        key, get, wanted, is_broken = step.key, self.key_getter(arguments), self.getter(value), self.now.is_broken
        return lambda binding: is_broken(key, get(binding), wanted(binding))

    # -- what is outside -----------------------------------------------------------------------------------------------

    def happens_outside(self, step: MatchPoints) -> Callable[[Binding], bool]:
        columns = self.context.points(step.kind, step.key).columns
        known = set(zip(*(column.tolist() for column in columns), strict=True))
        get, now = self.key_getter(step.patterns), self.now
        return lambda binding: (*get(binding), now.time) in known

    def points_outside(self, step: MatchPoints, bound: set[str]) -> RowStep:
        return self.indexed(self.context.points(step.kind, step.key), step.patterns, bound, is_timed=True)

    def indexed(self, relation: Relation, patterns: Sequence[Term], bound: set[str], *, is_timed: bool) -> RowStep:
        """Rows of a relation, found by those of its columns that are bound, and by the time-point."""
        at = [i for i, p in enumerate(patterns) if p is not ANYTHING and set(variables(p)) <= bound]
        if not at and not is_timed:
            raise NotByRow
        rest = [i for i in range(len(patterns)) if i not in at]
        columns = [column.tolist() for column in relation.columns]
        keys = zip(*(columns[i] for i in at), *((columns[-1],) if is_timed else ()), strict=True)
        values = zip(*(columns[i] for i in rest), strict=True) if rest else iter([()] * relation.n)
        index: dict[Words, list[Words]] = {}
        for key, value in zip(keys, values, strict=True):
            index.setdefault(key, []).append(value)
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

    def holds_outside(self, step: HoldsNow) -> Callable[[Binding], bool]:
        *arguments, value = step.patterns
        table, instances = self.context.fluents(step.key), self.symbols.instances
        get, wanted, now = self.key_getter(arguments), self.getter(value), self.now
        known: dict[int, _Intervals] = {}

        def holds(binding: Binding) -> bool:
            word = wanted(binding)
            if word not in known:
                known[word] = _Intervals(*table.of_value(word, instances))
            number = instances.find(get(binding))
            return number is not None and known[word].contain(number, now.time)

        return holds

    # -- tests ---------------------------------------------------------------------------------------------------------

    def prove(self, prove: Prove, bound: set[str]) -> RowStep:
        if not set(prove.inputs) <= bound or not (prove.is_stable and prove.is_sure):
            raise NotByRow
        bound.update(prove.outputs)
        inputs, outputs, context = prove.inputs, prove.outputs, self.context

        def run(bindings: list[Binding]) -> list[Binding]:
            found: list[Binding] = []
            for b in bindings:
                for answer in prove.answers(tuple(b[name] for name in inputs), context):
                    found.append({**b, **dict(zip(outputs, answer, strict=True))} if outputs else b)
            return found

        return run

    def none_of(self, steps: Sequence[Step], bound: set[str]) -> RowStep:
        test = self.test(steps[0], bound) if len(steps) == 1 and self.context.profile is None else None
        if test is not None:
            return lambda bindings: [b for b in bindings if not test(b)]
        inner = self.compiled(steps, set(bound))
        return lambda bindings: [b for b in bindings if not solved(inner, [b])]

    def stamp_time(self, name: str, bound: set[str]) -> RowStep:
        match, word = self.matcher([Var(name)], bound), self.symbols.word

        def run(bindings: list[Binding]) -> list[Binding]:
            now = (word(Int(self.now.time)),)
            return [b for b in (match(now, b) for b in bindings) if b is not None]

        return run

    def unify(self, pattern: Term, built: Term, bound: set[str]) -> RowStep:
        get = self.getter(built)
        match = self.matcher([pattern], bound)

        def run(bindings: list[Binding]) -> list[Binding]:
            matched = [match((get(b),), b) for b in bindings]
            return [b for b in matched if b is not None]

        return run

    def any_of(self, branches: Sequence[Sequence[Step]], names: Sequence[str], bound: set[str]) -> RowStep:
        compiled = [self.compiled(branch, set(bound)) for branch in branches]
        kept = tuple(bound | set(names))
        bound.update(names)

        def run(bindings: list[Binding]) -> list[Binding]:
            found = [b for branch in compiled for b in solved(branch, bindings)]
            return [{name: b[name] for name in kept if name in b} for b in found]

        return run

    def count(self, step: Gather, bound: set[str]) -> RowStep:
        inner = self.compiled(step.steps, set(bound))
        match = self.matcher([step.result], bound)
        names, word = step.inner, self.symbols.word

        def run(bindings: list[Binding]) -> list[Binding]:
            found: list[Binding] = []
            for b in bindings:
                n = len({tuple(each.get(name) for name in names) for each in solved(inner, [b])})
                extended = match((word(Int(n)),), b)
                found += [] if extended is None else [extended]
            return found

        return run


def _is_bound(patterns: Sequence[Term], bound: set[str]) -> bool:
    """Whether no pattern has an unbound variable."""
    return all(pattern is not ANYTHING and set(variables(pattern)) <= bound for pattern in patterns)


def solved(steps: Sequence[RowStep], bindings: list[Binding]) -> list[Binding]:
    """The bindings after all steps."""
    for step in steps:
        if not bindings:
            return bindings
        bindings = step(bindings)
    return bindings


class _Intervals:
    """The intervals of fluents that have a value, by the numbers of their arguments."""

    def __init__(self, numbers: Int64, starts: Int64, ends: Int64) -> None:
        order = np.lexsort((starts, numbers))
        numbers = numbers[order]
        begins = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])) if len(numbers) else numbers
        stops = [*begins[1:].tolist(), len(numbers)]
        self.starts: list[int] = starts[order].tolist()
        self.ends: list[int] = ends[order].tolist()
        self.ranges = dict(zip(numbers[begins].tolist(), zip(begins.tolist(), stops, strict=False), strict=False))

    def contain(self, number: int, time: int) -> bool:
        first, last = self.ranges.get(number, (0, 0))
        position = bisect_right(self.starts, time, first, last) - 1
        return position >= first and time < self.ends[position]
