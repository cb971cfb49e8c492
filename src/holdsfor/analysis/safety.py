"""The order in which the conditions of a rule can be evaluated, and the variables that stay unbound.

A condition on events or fluents binds its variables. A comparison needs all of its variables, `is` the variables on its
right. A negation or a collection needs its variables that also occur elsewhere in the rule; a variable that occurs only
under a negation is quantified inside it. The template of a collection takes values from inside or from elsewhere.
`member(X, L)` and `length(L, N)` wait for the `findall` that collects `L`: an unbound list gives them infinitely many
answers. Head variables that no condition binds range over the grounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from holdsfor.errors import Diagnostics, did_you_mean
from holdsfor.prolog.library import open_lists
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Delay,
    Duration,
    Either,
    Ends,
    Fvp,
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
    elsewhere,
    outer_variables,
    show_condition,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, conjuncts, equations, name_and_arity, variables

__all__ = [
    "RuleSafety",
    "Scoped",
    "awaiting_lists",
    "binds_time",
    "bound_by",
    "check_safety",
    "needed_variables",
    "rule_safety",
    "scoped",
    "show_safety",
    "take_ready",
]

_NEED_ALL = frozenset(["<", ">", "=<", ">=", "=:=", "=\\=", "\\=", "\\==", "@<", "@>", "@=<", "@>="])


@dataclass(frozen=True)
class RuleSafety:
    """The order of evaluation of a rule with a time-point.

    The conditions `before` are evaluated first; then the grounding binds the head variables `left_to_grounding`; then
    the conditions `after` are evaluated. The conditions `stuck` can never be evaluated.
    """

    before: tuple[Condition, ...]
    left_to_grounding: tuple[str, ...]
    after: tuple[Condition, ...]
    stuck: tuple[tuple[Condition, Var], ...]


def rule_safety(rule: PointRule) -> RuleSafety:
    """The order of evaluation of one rule."""
    head = variables(rule.head_term)
    bound = {rule.time.name}
    body = scoped(rule.body, set(head) | bound)
    before, rest = take_ready(body, bound)
    left = tuple(name for name in head if name not in bound)
    after: list[Condition] = []
    if rest:
        bound.update(left)
        after, rest = take_ready(rest, bound)
    stuck = tuple(_missing(rest, bound))
    return RuleSafety(tuple(before), left, tuple(after), stuck)


Scoped = list[tuple[Condition, set[str]]]
Needs = Callable[[Condition, set[str], set[str]], set[str]]
"""The variables that a condition needs, given the variables that also occur outside it and the bound ones."""


def scoped(body: tuple[Condition, ...], inherited: set[str]) -> Scoped:
    """Each condition with the variables that also occur outside it."""
    return list(zip(body, elsewhere(body, inherited), strict=True))


def take_ready(body: Scoped, bound: set[str], needed: Needs | None = None) -> tuple[list[Condition], Scoped]:
    """The conditions in an order of evaluation, and the conditions that can never be evaluated; extends `bound`.

    `needed` gives the variables that a condition needs, by default `needed_variables`.
    """
    needed = needed or needed_variables
    waiting, taken = list(body), list[Condition]()
    while True:
        awaiting = awaiting_lists([condition for condition, _ in waiting], bound)
        able = (each for each in waiting if needed(*each, bound) <= bound)
        ready = next((each for each in able if each[0] not in awaiting), None)
        if ready is None:
            return taken, waiting
        waiting.remove(ready)
        taken.append(ready[0])
        bound.update(bound_by(ready[0]))


def needed_variables(condition: Condition, outside: set[str], bound: set[str]) -> set[str]:
    """The variables that must be bound before the condition can be evaluated."""
    match condition:
        case Test(Struct(name="=", args=(left, right))):
            return set() if set(variables(right)) <= bound else set(variables(left))
        case Test(Struct(name="is", args=(_, right))):
            return set(variables(right))
        case Test(Struct(name=name, args=(_, _)) as goal) if name in _NEED_ALL:
            return set(variables(goal))
        case Not(body):
            return {name for inner in body for name in condition_variables(inner)} & outside
        case Collect(template, body):
            own = {name for inner in body for name in condition_variables(inner)}
            return (own & outside) | (set(variables(template)) - own)
        case Either(branches):
            return {name for branch in branches for name in _branch_needs(branch, outside, bound)}
    return set()


def awaiting_lists(waiting: Sequence[Condition], bound: set[str]) -> list[Condition]:
    """The goals on lists that other conditions have not computed yet."""
    on_lists = [condition for condition in waiting if _list_names(condition)]
    computed = _computed(waiting, bound) if on_lists else set()
    return [condition for condition in on_lists if _list_names(condition) & computed - bound]


def _computed(waiting: Sequence[Condition], bound: set[str]) -> set[str]:
    """The variables that conditions compute; a goal on a list computes variables once the list is computed."""
    found: set[str] = set()
    left = [condition for condition in waiting if not isinstance(condition, Not)]
    while able := [condition for condition in left if _may_compute(condition, bound | found)]:
        left = [condition for condition in left if not any(condition is each for each in able)]
        found = found.union(*(_results(condition) for condition in able))
    return found


def _may_compute(condition: Condition, known: set[str]) -> bool:
    """Whether a condition has the list and the other values that it needs, apart from variables of other conditions."""
    return _list_names(condition) <= known and needed_variables(condition, set(), known) <= known


def _results(condition: Condition) -> set[str]:
    """The variables that a condition may compute: none for a comparison, all but the list for a goal on a list."""
    if isinstance(condition, Test) and isinstance(condition.goal, Struct) and condition.goal.name in _NEED_ALL:
        return set()
    return bound_by(condition) - _list_names(condition)


def _list_names(condition: Condition) -> set[str]:
    """The list variable of a goal on lists."""
    return open_lists(condition.goal) if isinstance(condition, Test) else set()


def _branch_needs(branch: tuple[Condition, ...], outside: set[str], bound: set[str]) -> set[str]:
    """The variables that a branch needs from outside."""
    known = set(bound)
    _, rest = take_ready(scoped(branch, outside), known)
    return {name for condition, scope in rest for name in needed_variables(condition, scope, known) - known}


def bound_by(condition: Condition) -> set[str]:
    """The variables that have a value once the condition is satisfied."""
    match condition:
        case Not():
            return set()
        case Collect(result=result):
            return set(variables(result))
        case Either(branches):
            return set.intersection(*({name for c in branch for name in bound_by(c)} for branch in branches))
    return set(condition_variables(condition))


def _missing(stuck: Scoped, bound: set[str]) -> Iterator[tuple[Condition, Var]]:
    """The conditions that need a variable which no condition binds, each with one such variable."""
    for condition, outside in stuck:
        missing = needed_variables(condition, outside, bound) - bound
        if missing:
            yield condition, condition_variables(condition)[min(missing)]


def binds_time(body: tuple[Condition, ...]) -> bool:
    """Whether a positive condition determines the time-points."""
    for condition in body:
        if isinstance(condition, Happens | Starts | Ends | Initiated | Terminated):
            return True
        if isinstance(condition, Either) and all(map(binds_time, condition.branches)):
            return True
    return False


_NO_TIME = "add a positive `happensAt(…)`, such as `happensAt(start(F=V), T)`"


def _absence(rule: PointRule) -> str | None:
    """A hint for a rule about an event that does not happen."""
    is_absence = any(isinstance(each, Not) and any(isinstance(c, Happens) for c in each.body) for each in rule.body)
    return "an event that does not happen in time is a delay: `fi(F=V, F=V2, Delay)`" if is_absence else None


def _misspelt(rule: PointRule) -> str | None:
    """A hint if the name of a goal resembles that of a temporal predicate."""
    goals = (condition.goal for condition in rule.body if isinstance(condition, Test))
    hints = (did_you_mean(name_and_arity(goal)[0], ["happensAt", "initiatedAt", "terminatedAt"]) for goal in goals)
    return next((hint for hint in hints if hint), None)


def check_safety(description: EventDescription, diagnostics: Diagnostics) -> None:
    """Report unbound time-points and variables."""
    for rule in description.point_rules:
        if not binds_time(rule.body):
            diagnostics.add(
                "HF205",
                f"no condition determines the time-points at which `{show(rule.head_term)}` {_verb(rule)}",
                rule.span,
                _misspelt(rule) or _absence(rule) or _NO_TIME,
            )
        for condition, variable in rule_safety(rule).stuck:
            _report_condition(variable, condition, None, diagnostics)
        _check_negations(rule.body, [rule.head_term, rule.time], diagnostics)
    for delay in description.delays:
        _check_delay(delay, diagnostics)
        _check_negations(delay.body, [delay.source.term, *([delay.time] if delay.time else [])], diagnostics)
    for fvp, body in [(each.fvp, each.body) for each in description.initially]:
        _check_negations(body, [fvp.term], diagnostics)
    for fvp, body in [(each.fvp, each.body) for each in description.postponable]:
        _check_negations(body, [fvp.term], diagnostics)
    for interval_rule in description.interval_rules:
        _check_interval_rule(interval_rule, diagnostics)
    for grounding in description.groundings:
        entity = grounding.entity.term if isinstance(grounding.entity, Fvp) else grounding.entity
        _check_negations(tuple(map(_condition, grounding.goals)), [entity], diagnostics)


def _check_negations(body: tuple[Condition, ...], around: list[Term], diagnostics: Diagnostics) -> None:
    """Report variables of negations and collections that neither their own conditions nor the enclosing ones bind."""
    opened = tuple(map(_opened, body))
    _check_inner(opened, set(variables(*around)).union(*map(outer_variables, opened)), diagnostics)


def _check_inner(body: tuple[Condition, ...], bound: set[str], diagnostics: Diagnostics) -> None:
    for condition in body:
        match _opened(condition):
            case Not(inner) | Collect(body=inner):
                known = set(bound)
                _, rest = take_ready(scoped(tuple(map(_opened, inner)), known), known)
                for stuck, variable in _missing(rest, known):
                    _report_condition(variable, stuck, condition.span, diagnostics)
                if not rest:
                    _check_inner(tuple(map(_opened, inner)), known, diagnostics)
            case Either(branches):
                for branch in (tuple(map(_opened, each)) for each in branches):
                    _check_inner(branch, bound.union(*map(outer_variables, branch)), diagnostics)


def _opened(condition: Condition) -> Condition:
    return _condition(condition.goal) if isinstance(condition, Test) else condition


def _body(goal: Term) -> tuple[Condition, ...]:
    return tuple(_condition(each) for goal in conjuncts(goal) for each in equations(goal))


def _condition(goal: Term) -> Condition:
    """A goal as a condition; quantifiers of the background engine have a scope, as in rules."""
    match goal:
        case Struct(name="\\+" | "not", args=(inner,)):
            return Not(_body(inner), goal.span)
        case Struct(name="forall", args=(each, then)):
            negated = Not(_body(then), goal.span)
            return Not((*_body(each), negated), goal.span)
        case Struct(name="findall" | "aggregate_all", args=(template, each, result)):
            return Collect(template, _body(each), result, "list", goal.span)
    return Test(goal, goal.span)


def _verb(rule: PointRule) -> str:
    return {"happensAt": "happens", "initiatedAt": "is initiated", "terminatedAt": "is terminated"}[rule.kind]


def _report_condition(variable: Var, condition: Condition, around: Span | None, diagnostics: Diagnostics) -> None:
    span = condition.span or around
    if isinstance(condition, Collect) and any(variable.name in condition_variables(each) for each in condition.body):
        name = show(variable)
        hint = f"`{name}` also occurs outside the collection; use another variable inside it to collect all values"
        diagnostics.add("HF206", f"`{name}` has no value here", variable.span or span, hint)
    else:
        _report(variable, span, diagnostics)


def _report(variable: Var, span: Span | None, diagnostics: Diagnostics) -> None:
    name = show(variable)
    hint = "give it a name and bind it by a condition of the same rule"
    if not variable.is_anonymous:
        hint = f"bind `{name}` by a condition of the same rule, or check its spelling"
    diagnostics.add("HF206", f"`{name}` has no value here", variable.span or span, hint)


def _check_delay(delay: Delay, diagnostics: Diagnostics) -> None:
    bound = set(variables(delay.source.term)) | ({delay.time.name} if delay.time else set())
    _, rest = take_ready(scoped(delay.body, set(bound)), bound)
    for condition, variable in _missing(rest, bound):
        _report_condition(variable, condition, None, diagnostics)
    if rest:
        return
    known = set(variables(delay.source.term))
    _, rest = take_ready(scoped(delay.tests_at_set_up, set(known)), known)
    for condition, variable in _missing(rest, known):
        hint = "the delay is computed when the effect is set up: by the source and by atemporal conditions"
        diagnostics.add("HF206", f"`{show(variable)}` has no value here", variable.span or condition.span, hint)
    if rest:
        return
    for name, variable in variables(delay.delay).items():
        if name not in known:
            _report(variable, delay.span, diagnostics)
    for name, variable in variables(delay.target.term).items() if delay.target else ():
        if name not in bound:
            _report(variable, delay.span, diagnostics)


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
    _, rest = take_ready(scoped(tuple(tests), set(bound)), bound)
    for condition, variable in _missing(rest, bound):
        _report_condition(variable, condition, None, diagnostics)
    _check_negations(tuple(tests), [Struct("", tuple(Var(name) for name in bound))] if bound else [], diagnostics)
    for limit, span in bounds:
        for name, variable in variables(limit).items():
            if name not in bound:
                _report(variable, span, diagnostics)


def show_safety(description: EventDescription) -> str:
    """The order of evaluation of every rule with a time-point."""
    lines: list[str] = []
    for rule in description.point_rules:
        safety = rule_safety(rule)
        time = show(rule.time)
        lines.append(f"{rule.kind} {show(rule.head_term)}")
        lines += [f"  {show_condition(c, time)}" for c in safety.before]
        if safety.left_to_grounding:
            names = ", ".join("_" if name.startswith("_#") else name for name in safety.left_to_grounding)
            lines.append(f"  from the grounding: {names}")
        lines += [f"  {show_condition(c, time)}" for c in safety.after]
    return "\n".join(lines) + "\n" if lines else ""
