"""The rules of a walk: what is known of them from outside, row by row in time, and what is left to ask on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from holdsfor.columns.tables import Key
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64
from holdsfor.physical.patterns import build
from holdsfor.physical.rows import Rows, one_row
from holdsfor.physical.rules import PlannedComponent, PlannedRule
from holdsfor.physical.steps import Forget, HoldsNow, MatchPoints, NoneOf, run_steps
from holdsfor.runtime.row_steps import Binding, NotByRow, RowCompiler, RowStep, Words
from holdsfor.syntax.terms import Term, Var, is_ground, variables

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["Effect", "GuardedRows", "WalkRule", "check_rule", "effects_of", "walk_delays", "walk_rules"]

Effect = Literal["happens", "initiated", "terminated"]


@dataclass(frozen=True)
class Guard:
    """The arguments of a fluent in every row, and the value that it must have, or must not have."""

    key: Key
    arguments: list[Words]
    value: int
    is_wanted: bool


@dataclass(frozen=True)
class GuardedRows:
    """The rows of a rule that only asks whether fluents of its component have certain values.

    Everything but that is known beforehand: for every row the arguments and the value of the head.
    """

    guards: tuple[Guard, ...]
    heads: list[Words]
    values: list[int]


@dataclass(frozen=True)
class WalkRule:
    """Something that has effects at a time-point: a rule, or a delay whose time has come.

    `rows` are the bindings known from outside, by time; a rule without them `is_triggered_inside`. If it `is_grounded`,
    all of them are in the grounding. `possible` are the columns of FVPs it may initiate, where that is known. `guarded`
    is the short form of a rule that has one.
    """

    rank: int
    effect: Effect
    key: Key
    columns: tuple[Term, ...]
    steps: list[RowStep]
    head: Callable[[Binding], Words]
    rows: Rows | None = None
    is_grounded: bool = False
    possible: list[Int64] | None = None
    guarded: GuardedRows | None = None

    @property
    def is_triggered_inside(self) -> bool:
        return self.rows is None

    def ranges(self) -> Iterator[tuple[int, int, int]]:
        """The time-points of the rows, with the first and the last row of each."""
        times = None if self.rows is None else self.rows.times
        if times is None or len(times) == 0:
            return iter(())
        begins = np.flatnonzero(np.append(True, times[1:] != times[:-1]))
        return zip(times[begins].tolist(), begins.tolist(), [*begins[1:].tolist(), len(times)], strict=True)

    def bindings(self, first: int, last: int) -> list[Binding]:
        assert self.rows is not None
        if not self.rows.columns:
            return [{}]
        names = tuple(self.rows.columns)
        rows = zip(*(column[first:last].tolist() for column in self.rows.columns.values()), strict=True)
        return [dict(zip(names, row, strict=True)) for row in rows]


def walk_rules(component: PlannedComponent, part: Evaluation, compiler: RowCompiler) -> list[WalkRule]:
    """The rules that may have effects, by rank; one whose conditions outside never hold is none of them."""
    compiled = [_walk_rule(rule, effect, part, compiler) for rule, effect in effects_of(component)]
    return sorted((rule for rule in compiled if rule is not None), key=lambda rule: rule.rank)


def effects_of(component: PlannedComponent) -> list[tuple[PlannedRule, Effect]]:
    """The rules of a component with the kind of effect that each has."""
    rules: list[tuple[PlannedRule, Effect]] = [(rule, "happens") for rule in component.events]
    for fluent in component.fluents.values():
        rules += [(rule, "initiated") for rule in fluent.initiations]
        rules += [(rule, "terminated") for rule in fluent.terminations]
    return rules


def check_rule(
    rule: PlannedRule, effect: Effect, compiler: RowCompiler, bound: set[str], *, is_timed: bool
) -> tuple[list[RowStep], Callable[[Binding], Words]]:
    """What a walk is left to do for a rule, given what is known of it from outside; `NotByRow` if it cannot."""
    head = _head(rule.columns, set(rule.unbound), compiler, may_leave_value_open=effect == "terminated")
    is_triggered_inside = rule.n_outside == 0 and bool(rule.steps) and isinstance(rule.steps[0], MatchPoints)
    if not is_timed and not is_triggered_inside:
        raise NotByRow
    return compiler.compiled(rule.steps[rule.n_outside :], bound), head


def walk_delays(component: PlannedComponent, compiler: RowCompiler) -> list[WalkRule]:
    """The effects of the component's delays when they are due."""
    found: list[WalkRule] = []
    for delay in component.delays:
        if delay.may_contend:
            raise NotByRow
        bound = set(delay.bound)
        steps = compiler.compiled(delay.when_due, bound)
        if set(variables(*delay.target)) - bound:
            raise NotByRow
        effect: Effect = "terminated" if delay.is_termination else "initiated"
        head = compiler.key_getter(delay.target)
        found.append(WalkRule(delay.rank, effect, delay.target_key, delay.target, steps, head))
    return found


def _walk_rule(rule: PlannedRule, effect: Effect, part: Evaluation, compiler: RowCompiler) -> WalkRule | None:
    outside = rule.steps[: rule.n_outside]
    if not outside:
        steps, head = check_rule(rule, effect, compiler, set(), is_timed=False)
        return WalkRule(rule.rank, effect, rule.key, rule.columns, steps, head)
    rows = run_steps(outside, one_row(), part).distinct()
    if rows.n == 0:
        return None
    steps, head = check_rule(rule, effect, compiler, set(rows.columns), is_timed=rows.times is not None)
    made = WalkRule(rule.rank, effect, rule.key, rule.columns, steps, head, rows)
    made = made if effect == "terminated" else _in_grounding(made, rows, part)
    assert made.rows is not None
    assert made.rows.times is not None
    rows = made.rows.take(np.argsort(made.rows.times, kind="stable"))
    return replace(made, rows=rows, guarded=_guarded(rule, made, rows, compiler))


def _head(
    columns: Sequence[Term], unbound: set[str], compiler: RowCompiler, *, may_leave_value_open: bool
) -> Callable[[Binding], Words]:
    """The words of a head; a termination may leave its value open."""
    if may_leave_value_open and isinstance(columns[-1], Var) and columns[-1].name in unbound:
        if set(variables(*columns[:-1])) & unbound:
            raise NotByRow
        get = compiler.key_getter(columns[:-1])
        return lambda binding: (*get(binding), ANY_VALUE)
    if unbound:
        raise NotByRow
    return compiler.key_getter(columns)


def _in_grounding(rule: WalkRule, rows: Rows, part: Evaluation) -> WalkRule:
    """The rule with only the rows whose heads are in the grounding, where that can be said of all of them at once."""
    columns = rule.columns if rule.effect == "happens" else rule.columns[:-1]
    if set(variables(*columns)) - set(rows.columns):
        return rule
    words = [build(pattern, rows, part.symbols) for pattern in columns]
    inside = part.domains.includes((rule.effect != "happens", *rule.key), words, rows.n, part)
    possible: list[Int64] | None = None
    if rule.effect == "initiated" and not set(variables(rule.columns[-1])) - set(rows.columns):
        possible = [column[inside] for column in (*words, build(rule.columns[-1], rows, part.symbols))]
    return replace(rule, rows=rows.take(inside), is_grounded=True, possible=possible)


def _guarded(rule: PlannedRule, made: WalkRule, rows: Rows, compiler: RowCompiler) -> GuardedRows | None:
    """The short form of a rule for an initiation or termination that asks only for values of bound fluents."""
    if made.effect == "happens" or (made.effect == "initiated" and not made.is_grounded):
        return None
    guards: list[Guard] = []
    known: dict[tuple[Term, ...], list[Words]] = {}
    for step in rule.steps[rule.n_outside :]:
        if isinstance(step, Forget):
            continue
        inner, is_wanted = (step.steps[0], False) if isinstance(step, NoneOf) and len(step.steps) == 1 else (step, True)
        if not isinstance(inner, HoldsNow) or inner.key not in compiler.own or not is_ground(inner.patterns[-1]):
            return None
        arguments = inner.patterns[:-1]
        if set(variables(*arguments)) - set(rows.columns):
            return None
        if arguments not in known:
            known[arguments] = _words(arguments, rows, compiler)
        guards.append(Guard(inner.key, known[arguments], compiler.symbols.word(inner.patterns[-1]), is_wanted))
    head, value = rule.columns[:-1], rule.columns[-1]
    if set(variables(*head)) - set(rows.columns):
        return None
    is_open = isinstance(value, Var) and value.name not in rows.columns
    values = [ANY_VALUE] * rows.n if is_open else build(value, rows, compiler.symbols).tolist()
    return GuardedRows(tuple(guards), known.get(head) or _words(head, rows, compiler), values)


def _words(patterns: Sequence[Term], rows: Rows, compiler: RowCompiler) -> list[Words]:
    """What patterns stand for, row by row."""
    if not patterns:
        return [()] * rows.n
    return list(zip(*(build(pattern, rows, compiler.symbols).tolist() for pattern in patterns), strict=True))
