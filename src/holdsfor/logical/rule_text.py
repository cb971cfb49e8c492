"""Rules as text: clauses that parse to the same rules."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import (
    Allen,
    Complement,
    Delay,
    Duration,
    HoldsFor,
    Initially,
    Intersect,
    IntervalCall,
    IntervalRule,
    IntervalStep,
    Not,
    PointRule,
    RelativeComplement,
    Test,
    Union,
    show_condition,
)
from holdsfor.syntax.terms import Term

__all__ = ["delay_clause", "initial_clause", "interval_clause", "point_clause", "show_step"]


def point_clause(rule: PointRule) -> str:
    time = show(rule.time)
    head = f"{rule.kind}({show(rule.head_term)}, {time})"
    return _clause(head, [show_condition(condition, time) for condition in rule.body])


def interval_clause(rule: IntervalRule) -> str:
    return _clause(f"holdsFor({rule.fvp}, {show(rule.result)})", [show_step(step) for step in rule.body])


def initial_clause(initially: Initially) -> str:
    return _clause(f"initially({initially.fvp})", [show_condition(condition) for condition in initially.body])


def delay_clause(delay: Delay) -> str:
    target = "" if delay.target is None else f"{delay.target}, "
    head = f"{'ft' if delay.target is None else 'fi'}({delay.source}, {target}{show(delay.delay)})"
    time = "T" if delay.time is None else show(delay.time)
    return _clause(head, [show_condition(condition, time) for condition in delay.body])


def _clause(head: str, body: Sequence[str]) -> str:
    return f"{head} :-\n    " + ",\n    ".join(body) + "." if body else f"{head}."


def show_step(step: IntervalStep) -> str:
    """A step of an interval rule as text, in the current spelling."""
    match step:
        case HoldsFor(fvp, result):
            return f"holdsFor({fvp}, {show(result)})"
        case Union(lists, result):
            return f"union_all({_lists(lists)}, {show(result)})"
        case Intersect(lists, result):
            return f"intersect_all({_lists(lists)}, {show(result)})"
        case RelativeComplement(base, lists, result):
            return f"relative_complement_all({show(base)}, {_lists(lists)}, {show(result)})"
        case Complement(lists, result):
            return f"complement_all({_lists(lists)}, {show(result)})"
        case Duration(comparison, intervals, bound, result):
            return f"intDur{comparison.capitalize()}({show(intervals)}, {show(bound)}, {show(result)})"
        case Allen(relation, source, target, mode, result):
            return f"allen({relation}, {show(source)}, {show(target)}, {mode}, {show(result)})"
        case IntervalCall(goal):
            return show(goal)
        case Test() | Not():
            return show_condition(step)


def _lists(lists: Sequence[Term]) -> str:
    return "[" + ", ".join(show(each) for each in lists) + "]"
