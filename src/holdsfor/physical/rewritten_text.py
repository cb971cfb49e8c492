"""The rules after the rewrites as text: a rule file, with comments that name the rewrites.

The text is produced from the physical program, because unfolding depends on the variables that a plan has bound at a
call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdsfor.logical.program import LogicalComponent
from holdsfor.logical.rewritten import Rewritten, RewrittenIntervals
from holdsfor.logical.rule_text import delay_clause, initial_clause, interval_clause, point_clause
from holdsfor.physical.instance_planner import plan_instances, scope_of
from holdsfor.physical.operators.operator import Operator, all_operators
from holdsfor.physical.operators.union_clauses import UnionClauses
from holdsfor.physical.plan import PhysicalProgram, PlannedComponent
from holdsfor.physical.planner import Planner
from holdsfor.physical.rule_scope import list_variables
from holdsfor.syntax.printer import show, show_clause
from holdsfor.syntax.rules import show_condition
from holdsfor.syntax.terms import Var, name_and_arity

__all__ = ["show_rewritten"]


def show_rewritten(program: PhysicalProgram, planner: Planner) -> str:
    """The logical program, component by component in processing order."""
    unfolded: dict[tuple[str, int], None] = {}
    blocks: list[str] = []
    for number, (logical, planned) in enumerate(zip(program.logical.components, program.components, strict=True), 1):
        lines = [f"% component {number}, level {logical.level}: {logical.label}"]
        for clause, steps in _clauses(logical, planned, planner):
            calls = _unfolded_calls(steps)
            unfolded.update(dict.fromkeys(name_and_arity(call.goal) for call in _unfolded(steps)))
            lines += [f"% unfolded: {call}" for call in calls]
            lines.append(clause)
        blocks.append("\n".join(lines) + "\n")
    if unfolded:
        blocks.append("% definitions of unfolded predicates\n" + "".join(_definitions(unfolded, planner)))
    return "\n".join(blocks)


def _clauses(
    logical: LogicalComponent, planned: PlannedComponent, planner: Planner
) -> Iterator[tuple[str, Sequence[Operator]]]:
    """The clauses of a component with their comments, and their plans."""
    fluents = planned.fluents.values()
    rules = [*planned.events, *(rule for f in fluents for rule in (*f.initiations, *f.terminations))]
    steps_of = {id(each.rule): each.operators for each in rules}
    for initially in logical.initially:
        plans = [each.operators for f in fluents for each in f.initially if each.head == initially.fvp.term]
        yield initial_clause(initially), [step for steps in plans for step in steps]
    for rewritten in logical.rules:
        yield _remarks(rewritten) + point_clause(rewritten.rule), steps_of[id(rewritten.rule)]
    for delay, plan in zip(logical.delays, planned.delays, strict=True):
        yield delay_clause(delay), (*plan.set_up, *plan.when_due)
    for intervals in logical.intervals:
        rule = intervals.rule
        names = list_variables(rule).get(rule.result.name, ()) if isinstance(rule.result, Var) else ()
        yield (
            _remarks(intervals) + interval_clause(rule),
            plan_instances(planner, scope_of(rule, planner.knowledge), frozenset(names)),
        )


def _remarks(rewritten: Rewritten | RewrittenIntervals) -> str:
    lines = [f"% folded: {show(fact)}" for fact in rewritten.facts]
    if isinstance(rewritten, Rewritten):
        time = show(rewritten.rule.time)
        lines += [f"% moved forward, evaluated once: {show_condition(c, time)}" for c in rewritten.first]
    return "".join(f"{line}\n" for line in lines)


def _unfolded(steps: Sequence[Operator]) -> list[UnionClauses]:
    return [step for step in all_operators(steps) if isinstance(step, UnionClauses)]


def _unfolded_calls(steps: Sequence[Operator]) -> list[str]:
    """The unfolded calls of the rule itself; calls inside unfolded clauses are part of the definitions."""
    inside = {id(each) for step in _unfolded(steps) for branch in step.branches for each in all_operators(branch)}
    return list(dict.fromkeys(show(step.goal) for step in _unfolded(steps) if id(step) not in inside))


def _definitions(keys: dict[tuple[str, int], None], planner: Planner) -> Iterator[str]:
    for key in keys:
        for clause in planner.knowledge.definition(key) or ():
            yield "".join(f"% {line}\n" for line in show_clause(clause).splitlines())
