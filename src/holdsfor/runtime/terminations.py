"""The terminations by rules, and those that conditions see.

The head of a rule may leave arguments or the value open. For inertia they range over the fluents that exist in the time
range; a condition `terminatedAt(F=V, T)` ranges over all instances of the domain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from holdsfor.columns.tables import FluentTable, Key, PointTable, Relation, concatenate_tables
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64, dense_ids, rows_with_a_partner
from holdsfor.kernels.stabbing import Stabbing
from holdsfor.physical.operators.operator import all_operators
from holdsfor.physical.patterns import build, join
from holdsfor.physical.plan import PlannedFluent, PlannedRule
from holdsfor.syntax.terms import Atom, Struct, Var, variables

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["Terminations", "terminations_of", "visible_breaks"]


_Effects: TypeAlias = tuple[Int64, Int64, Int64]
"""Numbers of fluents, their values, and time-points."""


class Terminations(NamedTuple):
    """The terminations of a fluent. `firm` are those of bound arguments, and of open ones in their whole domain.

    The others are those of open arguments that the fluent has in the time range, even outside the domain.
    """

    points: PointTable
    firm: PointTable


def terminations_of(
    evaluation: Evaluation, key: Key, fluent: PlannedFluent, initiations: PointTable, state: FluentTable
) -> Terminations:
    """The terminations, with `ANY_VALUE` for an open value; open arguments range over the existing fluents."""
    is_ranging = [any(each.reads_affected for each in all_operators(rule.operators)) for rule in fluent.terminations]
    if any(is_ranging):
        numbers, values = _existing_fluents(evaluation, key, initiations, state, with_values=True)
        columns = (*evaluation.instances.words(key[1], numbers), values)
        evaluation.affected = Relation(columns, len(numbers))
    found = [_terminated(evaluation, key, rule, initiations, state) for rule in fluent.terminations]
    evaluation.affected = None
    points = evaluation.effects(key, [part for part in found if part is not None])
    if not fluent.has_break_conditions:
        return Terminations(points, points)
    firm: list[_Effects | None] = []
    for rule, part, ranges in zip(fluent.terminations, found, is_ranging, strict=True):
        inside = _terminated_in_domain(evaluation, rule)
        bound = _terminated(evaluation, key, rule, initiations, state) if ranges else part
        firm.append(bound if inside is None else inside)
    return Terminations(points, evaluation.effects(key, [part for part in firm if part is not None]))


def visible_breaks(
    evaluation: Evaluation,
    fluent: PlannedFluent,
    firm: PointTable,
    points: PointTable,
    initiations: PointTable,
    held: FluentTable,
) -> PointTable:
    """The terminations that a condition sees: firm ones, and others whose fluents hold or are initiated then."""
    if not fluent.has_break_conditions or firm is points:
        return points
    width = tuple(range(len(fluent.patterns[0]) - 1))
    numbers = points.numbers(width, evaluation.instances)
    begun = initiations.numbers(width, evaluation.instances), initiations.times
    keep = rows_with_a_partner([numbers, points.times], points.n, begun, initiations.n)
    if held.n:
        keep |= Stabbing(held.arguments(evaluation.instances), held.starts, held.ends).contains(numbers, points.times)
    return concatenate_tables([firm, points.take(keep.nonzero()[0])])


def _terminated_in_domain(evaluation: Evaluation, rule: PlannedRule) -> _Effects | None:
    """The terminations by a rule with open arguments of all instances of the domain, whether or not they ever hold."""
    *arguments, value = rule.columns
    rows = evaluation.solutions(rule)
    if rows.n == 0 or rule.numbered is not None or set(variables(*arguments)) <= set(rows.columns):
        return None
    fluent, _ = rule.head.args if isinstance(rule.head, Struct) else (rule.head, None)
    has_value = set(variables(value)) <= {*rows.columns, *variables(*arguments)}
    rows = evaluation.ground(Struct("=", (fluent, Atom("any"))), rows, over_all_values=True)
    assert rows.times is not None
    values = build(value, rows, evaluation.symbols) if has_value else np.full(rows.n, ANY_VALUE, np.int64)
    return (
        evaluation.instances.numbers([build(p, rows, evaluation.symbols) for p in arguments], rows.n),
        values,
        rows.times,
    )


def _terminated(
    evaluation: Evaluation, key: Key, rule: PlannedRule, initiations: PointTable, state: FluentTable
) -> _Effects | None:
    """The terminations by one rule: numbers of fluents, their values, and time-points; None if there are none."""
    rows = evaluation.solutions(rule)
    if rows.n == 0:
        return None
    *arguments, value = rule.columns
    has_open_value = isinstance(value, Var) and value.name in {*rule.unbound} - {*variables(*arguments)}
    wanted = set(variables(*(arguments if has_open_value else rule.columns)))
    if rule.numbered is None and wanted - set(rows.columns):
        numbers, values = _existing_fluents(evaluation, key, initiations, state, with_values=not has_open_value)
        columns = (*evaluation.instances.words(key[1], numbers), *([] if has_open_value else [values]))
        patterns = arguments if has_open_value else rule.columns
        rows, partner = join(rows, Relation(columns, len(numbers)), patterns, evaluation.symbols)
        numbers = numbers[partner]
    else:
        numbers = evaluation.arguments(rule, rows)
    assert rows.times is not None
    values = np.full(rows.n, ANY_VALUE, np.int64) if has_open_value else build(value, rows, evaluation.symbols)
    return numbers, values, rows.times


def _existing_fluents(
    evaluation: Evaluation, key: Key, initiations: PointTable, state: FluentTable, *, with_values: bool
) -> tuple[Int64, Int64]:
    """The fluents that are initiated or hold, by number, and their values: each FVP once, or else each fluent."""
    width = tuple(range(key[1]))
    numbers = np.concatenate((initiations.numbers(width, evaluation.instances), state.arguments(evaluation.instances)))
    values = np.concatenate((initiations.column(key[1]), state.values))
    rows = dense_ids([numbers, values] if with_values else [numbers], len(numbers))[1]
    return numbers[rows], values[rows]
