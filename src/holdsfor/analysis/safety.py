"""In which order the conditions of a rule can be evaluated, and what is left unbound.

A condition on events or fluents binds its variables. A comparison needs all of its variables, `is` those on its right;
a negation or a collection needs those of its variables that also stand elsewhere in the rule, for a variable that
stands only under a negation is quantified inside it. Head variables that no condition binds range over the grounding.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdsfor.errors import Diagnostics
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Delay,
    Duration,
    Either,
    Ends,
    Happens,
    HoldsFor,
    Initiated,
    IntervalCall,
    IntervalRule,
    Not,
    PointRule,
    Starts,
    Terminated,
    Test,
    condition_variables,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, variables

__all__ = ["RuleSafety", "check_safety", "needed_variables", "rule_safety", "show_safety"]

_NEED_ALL = frozenset(["<", ">", "=<", ">=", "=:=", "=\\=", "\\=", "\\==", "@<", "@>", "@=<", "@>="])


@dataclass(frozen=True)
class RuleSafety:
    """The order of evaluation of a rule with a time-point.

    `before` can be evaluated first; then the head variables `left_to_grounding` take their values; then `after`.
    `stuck` can never be evaluated.
    """

    before: tuple[Condition, ...]
    left_to_grounding: tuple[str, ...]
    after: tuple[Condition, ...]
    stuck: tuple[tuple[Condition, str], ...]


def rule_safety(rule: PointRule) -> RuleSafety:
    """The order of evaluation of one rule."""
    head = variables(rule.head_term)
    bound = {rule.time.name}
    shared = _shared_names(head, rule.body)
    before, rest = _take_ready(rule.body, bound, shared)
    left = tuple(name for name in head if name not in bound)
    after: list[Condition] = []
    if rest:
        bound.update(left)
        after, rest = _take_ready(rest, bound, shared)
    stuck = tuple((c, _missing(c, bound, shared)) for c in rest)
    return RuleSafety(tuple(before), left, tuple(after), stuck)


def _shared_names(head: Iterable[str], body: tuple[Condition, ...]) -> set[str]:
    """The variables that stand in the head or in a condition that is not a negation."""
    positive = {name for c in body if not isinstance(c, Not | Collect) for name in condition_variables(c)}
    results = {name for c in body if isinstance(c, Collect) for name in variables(c.result)}
    return set(head) | positive | results


def _take_ready(
    body: Iterable[Condition], bound: set[str], shared: set[str]
) -> tuple[list[Condition], list[Condition]]:
    """The conditions in an order in which each has what it needs, and those that never have."""
    waiting: list[Condition] = list(body)
    taken: list[Condition] = []
    while True:
        ready = next((c for c in waiting if needed_variables(c, shared, bound) <= bound), None)
        if ready is None:
            return taken, waiting
        waiting.remove(ready)
        taken.append(ready)
        bound.update(_bound_by(ready))


def needed_variables(condition: Condition, shared: set[str], bound: set[str]) -> set[str]:
    """The variables that must be bound before the condition can be evaluated."""
    match condition:
        case Test(Struct(name="=", args=(left, right))):
            return set() if set(variables(right)) <= bound else set(variables(left))
        case Test(Struct(name="is", args=(_, right))):
            return set(variables(right))
        case Test(Struct(name=name, args=(_, _)) as goal) if name in _NEED_ALL:
            return set(variables(goal))
        case Not(body) | Collect(body=body):
            return {name for c in body for name in condition_variables(c)} & shared - _template(condition)
        case Either(branches):
            return {name for branch in branches for name in _branch_needs(branch, shared, bound)}
    return set()


def _template(condition: Condition) -> set[str]:
    """What a collection quantifies itself."""
    if not isinstance(condition, Collect):
        return set()
    return set(variables(condition.template)) - set(variables(condition.result))


def _branch_needs(branch: tuple[Condition, ...], shared: set[str], bound: set[str]) -> set[str]:
    """What a branch needs from outside: what its conditions need and none of them binds."""
    inside = {name for c in branch for name in _bound_by(c)}
    return {name for c in branch for name in needed_variables(c, shared, bound | inside)} - inside


def _bound_by(condition: Condition) -> set[str]:
    match condition:
        case Not():
            return set()
        case Collect(result=result):
            return set(variables(result))
        case Either(branches):
            return set.intersection(*({name for c in branch for name in _bound_by(c)} for branch in branches))
    return set(condition_variables(condition))


def _missing(condition: Condition, bound: set[str], shared: set[str]) -> str:
    return min(needed_variables(condition, shared, bound) - bound)


def _binds_time(body: tuple[Condition, ...]) -> bool:
    """Whether a positive condition says at which time-points something happens."""
    for condition in body:
        if isinstance(condition, Happens | Starts | Ends | Initiated | Terminated):
            return True
        if isinstance(condition, Either) and all(map(_binds_time, condition.branches)):
            return True
    return False


def check_safety(description: EventDescription, diagnostics: Diagnostics) -> None:
    """Errors: time-points and variables that nothing binds."""
    for rule in description.point_rules:
        if not _binds_time(rule.body):
            diagnostics.add(
                "HF205",
                f"nothing in the body says at which time-points `{show(rule.head_term)}` {_verb(rule)}",
                rule.span,
                "add a positive `happensAt(…)`, such as `happensAt(start(F=V), T)`",
            )
        for condition, name in rule_safety(rule).stuck:
            _report(name, condition.span, diagnostics)
    for delay in description.delays:
        _check_delay(delay, diagnostics)
    for interval_rule in description.interval_rules:
        _check_interval_rule(interval_rule, diagnostics)


def _verb(rule: PointRule) -> str:
    return {"happensAt": "happens", "initiatedAt": "is initiated", "terminatedAt": "is terminated"}[rule.kind]


def _report(name: str, span: Span | None, diagnostics: Diagnostics) -> None:
    diagnostics.add(
        "HF206",
        f"`{name}` has no value here",
        span,
        f"bind `{name}` by a condition of the same rule, or check its spelling",
    )


def _check_delay(delay: Delay, diagnostics: Diagnostics) -> None:
    bound = set(variables(delay.source.term)) | ({delay.time.name} if delay.time else set())
    shared = _shared_names(bound, delay.body)
    _, rest = _take_ready(delay.body, bound, shared)
    for condition in rest:
        _report(_missing(condition, bound, shared), condition.span, diagnostics)
    wanted = variables(delay.delay) if delay.target is None else variables(delay.delay, delay.target.term)
    for name, var in wanted.items():
        if name not in bound and not rest:
            _report(name, var.span or delay.span, diagnostics)


def _check_interval_rule(rule: IntervalRule, diagnostics: Diagnostics) -> None:
    bound = set(variables(rule.fvp.term))
    tests: list[Condition] = []
    bounds: list[tuple[Term, Span | None]] = []
    for step in rule.body:
        match step:
            case HoldsFor(fvp):
                bound.update(variables(fvp.term))
            case Test() | Not():
                tests.append(step)
            case IntervalCall(outputs=outputs):
                bound.update(outputs)
            case Duration(bound=limit, span=span):
                bounds.append((limit, span))
    shared = _shared_names(bound, tuple(tests))
    _, rest = _take_ready(tests, bound, shared)
    for condition in rest:
        _report(_missing(condition, bound, shared), condition.span, diagnostics)
    for limit, span in bounds:
        for name in variables(limit):
            if name not in bound:
                _report(name, span, diagnostics)


def show_safety(description: EventDescription) -> str:
    """The order of evaluation of every rule with a time-point."""
    lines: list[str] = []
    for rule in description.point_rules:
        safety = rule_safety(rule)
        lines.append(f"{rule.kind} {show(rule.head_term)}")
        lines += [f"  {_show_condition(c)}" for c in safety.before]
        if safety.left_to_grounding:
            lines.append(f"  from the grounding: {', '.join(safety.left_to_grounding)}")
        lines += [f"  {_show_condition(c)}" for c in safety.after]
    return "\n".join(lines) + "\n" if lines else ""


def _show_condition(condition: Condition) -> str:
    return " ".join(condition.span.text.split()) if condition.span else repr(condition)
