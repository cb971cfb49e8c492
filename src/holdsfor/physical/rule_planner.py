"""Plans of rules with a time-point, and of initial values."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.analysis.safety import binds_time, scoped
from holdsfor.logical.defer_open_goals import defer_open_goals, names_left_open
from holdsfor.logical.time_first import time_first, without_time
from holdsfor.physical.carriers import carriers_of, live_variables
from holdsfor.physical.head_ranges import HeadRanges
from holdsfor.physical.operators.operator import Operator, Plan
from holdsfor.physical.planner import Planner, Untimed, mentions
from holdsfor.syntax.rules import Condition, condition_variables
from holdsfor.syntax.terms import Struct, Term, Var, variables

__all__ = ["plan_initial_value", "plan_rule"]


def plan_rule(
    planner: Planner,
    head: Term,
    time: Var,
    body: tuple[Condition, ...],
    arguments: tuple[str, ...] | None = None,
    open_value: str | None = None,
    *,
    is_termination: bool = False,
) -> tuple[Plan, set[str]]:
    """The plan of a rule and the variables that it binds; head variables may be left to the grounding.

    With `arguments` given, instances are numbers instead of words where this is useful: the instances of the arguments
    if one condition has all of them, unless the head has to be grounded; an `open_value` needs no grounding.
    """
    bound = {time.name}
    ranges = HeadRanges(head, planner.knowledge, is_termination)
    body = tuple(time_first(body, time.name))
    body = defer_open_goals(body, bound, set(variables(head)), planner.knowledge, frozenset(variables(head)))
    if names_left_open(body, bound, planner.knowledge):
        arguments = None
    before, rest = ranges.take_ready(scoped(body, set(variables(head)) | bound), bound)
    untimed = Untimed(time.name, mentions(body, time.name) or time.name in variables(head))
    waiting: list[Condition] = []
    if not binds_time(tuple(before)):
        before, waiting = without_time(before, time.name)
    done: set[str] = set()
    in_order = time_first(before, time.name)
    later = [*waiting, *(condition for condition, _ in rest)]
    used_after = {name for condition in later for name in condition_variables(condition)} | set(variables(head))
    is_grounded = not rest and set(variables(head)) <= bound | {open_value}
    carriers = {} if arguments is None else carriers_of(in_order, arguments if is_grounded else ())
    if is_grounded and arguments in carriers:
        used_after = set(variables(*_beside_the_arguments(head)))
    operators = planner.plan_conditions(
        in_order, done, untimed, live_variables(in_order, used_after, carriers), carriers
    )
    is_untimed = not binds_time(tuple(in_order))
    for ranging, ready in ranges.rounds(rest, bound):
        operators.append(ranging)
        done |= ranging.bound_after(done)
        if is_untimed and binds_time(tuple(ready)):
            ready, waiting = time_first([*waiting, *ready], time.name), []
        elif is_untimed:
            ready, more = without_time(ready, time.name)
            waiting += more
        operators += planner.plan_conditions(ready, done, untimed if is_untimed else None)
        is_untimed = is_untimed and not binds_time(tuple(ready))
    return _with_head_ranges(operators, ranges), done


def plan_initial_value(planner: Planner, head: Term, body: tuple[Condition, ...]) -> Plan:
    """The plan of atemporal conditions; head variables that they need and do not bind range over their domain."""
    bound: set[str] = set()
    ranges = HeadRanges(head, planner.knowledge)
    body = defer_open_goals(body, bound, set(variables(head)), planner.knowledge, frozenset(variables(head)))
    before, rest = ranges.take_ready(scoped(body, set(variables(head))), bound)
    done: set[str] = set()
    operators = planner.plan_conditions(before, done, None)
    for ranging, ready in ranges.rounds(rest, bound):
        operators.append(ranging)
        done |= ranging.bound_after(done)
        operators += planner.plan_conditions(ready, done, None)
    return _with_head_ranges(operators, ranges)


def _with_head_ranges(operators: Sequence[Operator], ranges: HeadRanges) -> Plan:
    """The plan, with ranges for head variables that a goal leaves unbound."""
    names = tuple((name, ranges.step(name, set(variables(ranges.head)))) for name in variables(ranges.head))
    return tuple(operator.with_ranges(names) for operator in operators)


def _beside_the_arguments(head: Term) -> tuple[Term, ...]:
    """The parts of a head besides the arguments of a fluent: its value."""
    return head.args[1:] if isinstance(head, Struct) and head.name == "=" else ()
