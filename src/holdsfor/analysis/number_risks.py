"""Operands of arithmetic that have no value for some numbers: `X mod 2` for 3.5, `10 / X` for 0, `sqrt(X)` for -1.

A *risk* is such an operand, as an expression over the fields of a record. Only records whose numbers may be at risk are
examined one by one (`holdsfor.analysis.computed_texts`); a rule without such operands has no risks, and most values of
an operand are harmless, which columns show at once (`holdsfor.sources.number_fields`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from holdsfor.analysis.sorts import places
from holdsfor.analysis.text_uses import COMPUTING, Step, Use
from holdsfor.prolog.arithmetic import number_term
from holdsfor.prolog.background import called_predicates
from holdsfor.prolog.functions import CONSTANTS, FUNCTIONS, Number
from holdsfor.prolog.problems import GoalProblem
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var, name_and_arity, substitute, variables

__all__ = ["Risk", "bound_value", "clause_risks", "fault_of", "risks_of"]

Key = tuple[str, int]
RiskKind = Literal["fraction", "zero", "negative", "not positive", "beyond one"]

_WHOLE = ("mod", "rem", "//", "div", ">>", "<<", "/\\", "\\/", "xor", "gcd")
_DIVIDING = ("mod", "rem", "//", "div", "/")
_ROUNDING = ("truncate", "trunc", "integer", "round", "ceiling", "floor", "sign", "succ", "\\", *_WHOLE)
_DOMAINS: dict[Key, tuple[tuple[int, RiskKind], ...]] = {
    **{(name, 2): ((0, "fraction"), (1, "fraction")) for name in _WHOLE if name not in _DIVIDING},
    **{(name, 2): ((0, "fraction"), (1, "fraction"), (1, "zero")) for name in _DIVIDING if name != "/"},
    ("/", 2): ((1, "zero"),),
    ("\\", 1): ((0, "fraction"),),
    ("succ", 1): ((0, "fraction"),),
    ("sqrt", 1): ((0, "negative"),),
    ("log", 1): ((0, "not positive"),),
    ("log2", 1): ((0, "not positive"),),
    ("log", 2): ((0, "not positive"), (1, "not positive")),
    ("asin", 1): ((0, "beyond one"),),
    ("acos", 1): ((0, "beyond one"),),
    ("cot", 1): ((0, "zero"),),
}
_WHOLE_ARGUMENTS: dict[Key, tuple[int, ...]] = {
    ("between", 3): (0, 1, 2),
    ("succ", 2): (0, 1),
    **dict.fromkeys((("hour_of_day", 2), ("day_of_week", 2), ("date", 4)), (0,)),
}
_LARGEST = 40  # variables and functions of an operand


@dataclass(frozen=True)
class Risk:
    """An operand, as an expression, that is no value of its function if it is of a kind."""

    kind: RiskKind
    operand: Term


def risks_of(uses: Iterable[Use], clauses: Mapping[Key, set[Risk]]) -> dict[Key, set[Risk]]:
    """The risks of each record, event and FVP; the variables of operands are named by the positions of fields."""
    found: dict[Key, set[Risk]] = {}
    all_uses = [(use, _operands(use.steps, clauses)) for use in uses]
    size = -1
    while size != (size := sum(map(len, found.values()))):
        for use, (own, values) in all_uses:
            passed = [risk for head in use.heads for risk in _passed_on(head, found, values)]
            names = {
                part.name: str(place[2])
                for place, part in places(use.pattern)
                if isinstance(part, Var) and _is_field(place)
            }
            for risk in [*own, *passed]:
                if (renamed := _in_fields(risk, names)) is not None:
                    found.setdefault(_key(use.pattern), set()).add(renamed)
    return found


def clause_risks(background: Iterable[Clause | FactTable]) -> dict[Key, set[Risk]]:
    """The risks of calls of predicates; the variables of operands are named by the positions of arguments."""
    clauses = [item for item in background if isinstance(item, Clause) and item.body is not None]
    found: dict[Key, set[Risk]] = {}
    size = -1
    while size != (size := sum(map(len, found.values()))):
        for clause in clauses:
            head, body = clause.head, clause.body
            if isinstance(head, Struct) and body is not None:
                names = {arg.name: str(i) for i, arg in enumerate(head.args) if isinstance(arg, Var)}
                for risk in _operands((Step(body),), found)[0]:
                    if (renamed := _in_fields(risk, names)) is not None:
                        found.setdefault(name_and_arity(head), set()).add(renamed)
    return found


def _key(pattern: Term) -> Key:
    fluent = pattern.args[0] if isinstance(pattern, Struct) and pattern.name == "=" else pattern
    return name_and_arity(fluent)


def _is_field(place: tuple[str | int, ...]) -> bool:
    return len(place) == 3


def _in_fields(risk: Risk, names: Mapping[str, str]) -> Risk | None:
    """The risk with variables named by positions, if all of them have one."""
    used = variables(risk.operand)
    if not used or len(used) > _LARGEST or any(name not in names for name in used):
        return None
    return Risk(risk.kind, substitute(risk.operand, {name: Var(names[name]) for name in used}))


def _passed_on(head: Term, found: Mapping[Key, set[Risk]], values: dict[str, Term]) -> Iterator[Risk]:
    """The risks of the event or FVP that a rule derives, over the variables of the rule."""
    fields = {str(place[2]): part for place, part in places(head) if _is_field(place)}
    for risk in found.get(_key(head), ()):
        if all(name in fields for name in variables(risk.operand)):
            yield Risk(risk.kind, substitute(substitute(risk.operand, fields), values))


def _operands(steps: Iterable[Step], clauses: Mapping[Key, set[Risk]]) -> tuple[list[Risk], dict[str, Term]]:
    """The operands at risk in some conditions, and the expressions of variables that an `is` binds."""
    found: list[Risk] = []
    values: dict[str, Term] = {}
    for step in steps:
        goals = [] if step.goal is None else [step.goal]
        found += _operands(step.branch, clauses)[0]
        for goal in goals:
            found += [Risk(risk.kind, substitute(risk.operand, values)) for risk in _of_goal(goal, clauses)]
            if isinstance(goal, Struct) and name_and_arity(goal) == ("is", 2) and isinstance(goal.args[0], Var):
                values.setdefault(goal.args[0].name, substitute(goal.args[1], values))
    return found, values


def _of_goal(goal: Term, clauses: Mapping[Key, set[Risk]]) -> Iterator[Risk]:
    stack = [goal]
    while stack:
        here = stack.pop()
        if isinstance(here, Struct):
            key = name_and_arity(here)
            yield from (Risk("fraction", here.args[i]) for i in _WHOLE_ARGUMENTS.get(key, ()))
            if key in COMPUTING:
                yield from (risk for i in COMPUTING[key] for risk in _of_expression(here.args[i]))
            else:
                stack.extend(here.args)
    for call in called_predicates(goal):
        if isinstance(call, Struct):
            arguments = {str(i): arg for i, arg in enumerate(call.args)}
            for risk in clauses.get(name_and_arity(call), ()):
                yield Risk(risk.kind, substitute(risk.operand, arguments))


def _of_expression(expression: Term) -> Iterator[Risk]:
    stack = [expression]
    while stack:
        here = stack.pop()
        if isinstance(here, Struct):
            key = name_and_arity(here)
            domains = _DOMAINS.get(key, ()) if key[0] not in ("**", "^") else _power_domains(here)
            yield from (Risk(kind, here.args[i]) for i, kind in domains if _may_be(kind, here.args[i]))
            stack.extend(here.args)


def _power_domains(power: Struct) -> tuple[tuple[int, RiskKind], ...]:
    exponent = power.args[-1]
    if isinstance(exponent, Int) and exponent.value >= 0:
        return ()
    return ((0, "zero"), (0, "negative"), (1, "negative"))


def _may_be(kind: RiskKind, operand: Term) -> bool:
    """Whether an operand with variables may have a value of the kind."""
    if not variables(operand):
        return False
    if isinstance(operand, Struct):
        if kind == "fraction":
            return operand.name not in _ROUNDING
        if kind == "negative":
            return not _is_never_negative(operand)
    return True


def _is_never_negative(operand: Term) -> bool:
    match operand:
        case Int() | Float():
            return operand.value >= 0
        case Struct(name="abs" | "sqrt" | "exp"):
            return True
        case Struct(name="**" | "^", args=(_, Int() as exponent)):
            return exponent.value >= 0 and exponent.value % 2 == 0
        case Struct(name="*", args=(left, right)) if left == right:
            return True
        case Struct(name="+" | "*" | "/" | "max" | "min", args=(left, right)):
            return _is_never_negative(left) and _is_never_negative(right)
    return False


# -- faults ------------------------------------------------------------------------------------------------------------


def fault_of(goal: Term, binding: Mapping[str, Term]) -> GoalProblem | None:
    """The error of a built-in predicate that computes with the numbers of a binding; None if it has none.

    Variables that are not bound may have any value.

    >>> from holdsfor.syntax.parser import parse_term
    >>> goal = parse_term("Y is (X + 1) mod Z")
    >>> fault_of(goal, {"X": Float(2.5)}).message, fault_of(goal, {"X": Int(2)})
    ('expected an integer, found `3.5`', None)
    """
    if not isinstance(goal, Struct):
        return None
    key = name_and_arity(goal)
    try:
        for i in COMPUTING.get(key, ()):
            value = _value(goal.args[i], binding)
            if isinstance(value, float) and i in _WHOLE_ARGUMENTS.get(key, ()):
                return GoalProblem("HF603", f"expected an integer, found `{value}`")
    except GoalProblem as problem:
        return problem
    return None


def _value(expression: Term, binding: Mapping[str, Term]) -> Number | None:
    """The value of an expression, None if it depends on unbound variables or on texts; a `GoalProblem` if it has none.

    Contract: an expression of a rule, which is not deep.
    """
    match expression:
        case Int() | Float():
            return expression.value
        case Atom():
            return CONSTANTS.get(expression.name)
        case Var():
            bound = binding.get(expression.name)
            return None if bound is None or isinstance(bound, Var) else _value(bound, {})
        case Struct() if name_and_arity(expression) in FUNCTIONS:
            values = [_value(arg, binding) for arg in expression.args]
            known = [value for value in values if value is not None]
            if len(known) == len(values):
                return FUNCTIONS[name_and_arity(expression)](*known)
            _check_known(expression, values)
    return None


def _check_known(expression: Struct, values: list[Number | None]) -> None:
    """Refuse a known operand that is no value of the function for any value of the other operand."""
    for i, kind in _DOMAINS.get(name_and_arity(expression), ()):
        value = values[i]
        if kind == "fraction" and isinstance(value, float):
            raise GoalProblem("HF603", f"expected an integer, found `{value}`")
        if kind == "zero" and value == 0:
            raise GoalProblem("HF604", "division by zero")


def bound_value(goal: Term, binding: Mapping[str, Term]) -> tuple[str, Term] | None:
    """The variable that an `is` binds, and its value, if the value follows from the binding."""
    if not (isinstance(goal, Struct) and name_and_arity(goal) == ("is", 2) and isinstance(goal.args[0], Var)):
        return None
    name = goal.args[0].name
    try:
        value = None if name in binding else _value(goal.args[1], binding)
    except GoalProblem:
        return None
    return None if value is None else (name, number_term(value))
