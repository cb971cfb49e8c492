"""Durations in rules: `60*days` is a number of time-points.

The words `milliseconds`, `seconds`, `minutes`, `hours`, `days` and `weeks`, also in the singular, are numbers in
delays, in bounds of durations, in comparisons and under `is`. A time-point is a second, unless a run adds the directive
`'$time_unit'`. A duration that is computed from constants is replaced by its number, so later passes see integers.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var, inside_out

__all__ = ["DURATIONS", "UNITS", "Durations", "is_time_zone"]

UNITS = {"ms": 1_000, "s": 1, "us": 1_000_000}
"""The number of time-points in a second, by the unit of time."""

_SECONDS = {
    "millisecond": Fraction(1, 1000),
    "second": Fraction(1),
    "minute": Fraction(60),
    "hour": Fraction(3_600),
    "day": Fraction(86_400),
    "week": Fraction(604_800),
}
_WORDS = {**_SECONDS, **{f"{name}s": seconds for name, seconds in _SECONDS.items()}}
DURATIONS = frozenset(_WORDS)
"""The words for durations."""

_COMPARISONS = frozenset(["<", ">", "=<", ">=", "=:=", "=\\="])
_DELAYS = {("fi", 3): 2, ("maxDuration", 3): 2, ("maxDurationUE", 3): 2, ("ft", 2): 1}
_FILTERS = ("intDurGreater", "intDurLess")


class Durations:
    """Replaces durations in clauses; `is_used` is true after a clause with a duration."""

    def __init__(self, per_second: int = 1) -> None:
        self.per_second = per_second
        self.is_used = False
        self._n_computed = 0

    def replaced(self, clause: Clause) -> Clause:
        """The clause with numbers instead of durations."""
        goals: list[Term] = []
        head = self._head(clause.head, goals)
        body = None if clause.body is None else self._goal(clause.body)
        for goal in reversed(goals):
            body = goal if body is None else Struct(",", (goal, body), goal.span)
        return clause if head is clause.head and body is clause.body else replace(clause, head=head, body=body)

    def _head(self, head: Term, goals: list[Term]) -> Term:
        """The head with its delay replaced; a delay that is computed from variables becomes a goal."""
        at = _DELAYS.get((head.name, len(head.args))) if isinstance(head, Struct) else None
        if at is None or not isinstance(head, Struct):
            return head
        return self._with_argument(head, at, goals)

    def _with_argument(self, term: Struct, at: int, goals: list[Term]) -> Struct:
        given = term.args[at]
        found = self._expression(given)
        if found is given:
            return term
        if isinstance(found, Struct):
            self._n_computed += 1
            variable = Var(f"Duration_{self._n_computed}", given.span)
            goals.append(Struct("is", (variable, found), given.span))
            found = variable
        return Struct(term.name, (*term.args[:at], found, *term.args[at + 1 :]), term.span)

    def _goal(self, goal: Term) -> Term:
        """A goal with the durations of its inner goals replaced."""
        if not isinstance(goal, Struct) or not _has_word(goal):
            return goal
        done: dict[int, Term] = {}
        for here in inside_out(goal):
            done[id(here)] = self._inner_goal(here, tuple(done.get(id(arg), arg) for arg in here.args))
        return done[id(goal)]

    def _inner_goal(self, goal: Struct, args: tuple[Term, ...]) -> Term:
        """A goal with its own durations replaced; `args` are its arguments if they are goals."""
        if goal.name in _FILTERS and len(goal.args) == 3:
            goals: list[Term] = []
            found = self._with_argument(goal, 1, goals)
            return Struct(",", (goals[0], found), goal.span) if goals else found
        if len(goal.args) == 2 and (goal.name in _COMPARISONS or goal.name == "is"):
            left, right = goal.args
            args = (left if goal.name == "is" else self._expression(left), self._expression(right))
        is_same = all(new is old for new, old in zip(args, goal.args, strict=True))
        return goal if is_same else Struct(goal.name, args, goal.span)

    def _expression(self, term: Term) -> Term:
        """An arithmetic expression with numbers for durations, computed if it has no variables."""
        if not _has_word(term):
            return term
        self.is_used = True
        done: dict[int, _Part] = {}
        for here in inside_out(term) if isinstance(term, Struct) else ():
            args = [done[id(arg)] if isinstance(arg, Struct) else self._leaf(arg) for arg in here.args]
            done[id(here)] = _combined(here, args)
        return done[id(term)].term if isinstance(term, Struct) else self._leaf(term).term

    def _leaf(self, term: Term) -> _Part:
        """A part of an expression that is not a structure."""
        match term:
            case Int(value):
                return _Part(term, Fraction(value))
            case Float(value):
                return _Part(term, Fraction(str(value)))
            case Atom(name) if name in _WORDS:
                number = _WORDS[name] * self.per_second
                return _Part(_constant(number, term), number, has_word=True)
        return _Part(term, None)


class _Part(NamedTuple):
    """A part of an expression with its durations replaced, its value if it is known, and whether it had a duration."""

    term: Term
    number: Fraction | None
    has_word: bool = False


def _combined(term: Struct, args: list[_Part]) -> _Part:
    """A structure of an expression; one without durations stays as it is."""
    number = _computed(term.name, [arg.number for arg in args])
    if not any(arg.has_word for arg in args):
        return _Part(term, number)
    replaced = Struct(term.name, tuple(arg.term for arg in args), term.span)
    return _Part(replaced if number is None else _constant(number, term), number, has_word=True)


def _computed(name: str, values: list[Fraction | None]) -> Fraction | None:
    """The value of a sum, a difference or a product of numbers."""
    match name, values:
        case "+", [Fraction() as a, Fraction() as b]:
            return a + b
        case "-", [Fraction() as a, Fraction() as b]:
            return a - b
        case "*", [Fraction() as a, Fraction() as b]:
            return a * b
    return None


def _has_word(term: Term) -> bool:
    stack = [term]
    while stack:
        here = stack.pop()
        if isinstance(here, Atom) and here.name in _WORDS:
            return True
        if isinstance(here, Struct):
            stack.extend(here.args)
    return False


def _constant(number: Fraction, term: Term) -> Term:
    span = None if isinstance(term, Var) else term.span
    return Int(int(number), span) if number.denominator == 1 else Float(float(number), span)


def is_time_zone(name: str) -> bool:
    """Whether the time zone database has a name.

    >>> is_time_zone("Europe/Athens"), is_time_zone("Middle/Earth")
    (True, False)
    """
    try:
        return bool(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
