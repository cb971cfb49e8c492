"""The variables of a goal that are time-points or interval lists, by the places where they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdsfor.prolog.background import inner_calls
from holdsfor.query.interval_operations import interval_operations
from holdsfor.query.result_index import RunSettings
from holdsfor.syntax.terms import Atom, Int, Struct, Term, Var, list_items, list_term, name_and_arity

__all__ = ["TimeVariables", "time_variables"]

_LISTS = {("holdsFor", 2), *interval_operations(RunSettings())}
_OF_TIMES = {("holdsAt", 2), ("happensAt", 2)}


@dataclass(frozen=True)
class TimeVariables:
    """The names of the variables that are interval lists, and of those that are time-points."""

    lists: frozenset[str]
    times: frozenset[str]

    def shown(self, name: str, value: Term, show_time: Callable[[int], int | str]) -> Term:
        """The value of a variable with its time-points as texts."""
        if name in self.times and isinstance(value, Int):
            return _text(value, show_time)
        if name in self.lists:
            items, tail = list_items(value)
            return list_term([_pair(item, show_time) for item in items], tail)
        return value


def _text(time: Term, show_time: Callable[[int], int | str]) -> Term:
    return Atom(str(show_time(time.value))) if isinstance(time, Int) else time


def _pair(item: Term, show_time: Callable[[int], int | str]) -> Term:
    if isinstance(item, Struct) and name_and_arity(item) == (",", 2):
        return Struct(",", tuple(_text(each, show_time) for each in item.args))
    return item


def time_variables(goal: Term) -> TimeVariables:
    """The variables of a goal that have times.

    >>> from holdsfor.syntax.parser import parse_term
    >>> found = time_variables(parse_term("holdsFor(F, I), member((S,E), I), happensAt(alarm, T)"))
    >>> sorted(found.lists), sorted(found.times)
    (['I'], ['E', 'S', 'T'])
    """
    calls = [call for call in inner_calls(goal) if isinstance(call, Struct)]
    lists = {arg.name for call in calls if name_and_arity(call) in _LISTS if isinstance(arg := call.args[-1], Var)}
    times = {arg.name for call in calls if name_and_arity(call) in _OF_TIMES if isinstance(arg := call.args[-1], Var)}
    for call in calls:
        if name_and_arity(call) in _LISTS:
            times |= _bounds(list_items(call.args[-1])[0])
        elif name_and_arity(call) == ("member", 2) and isinstance(of := call.args[1], Var) and of.name in lists:
            times |= _bounds([call.args[0]])
    return TimeVariables(frozenset(lists), frozenset(times))


def _bounds(items: list[Term]) -> set[str]:
    """The variables in pairs `(S,E)`."""
    pairs = [item for item in items if isinstance(item, Struct) and name_and_arity(item) == (",", 2)]
    return {each.name for pair in pairs for each in pair.args if isinstance(each, Var)}
