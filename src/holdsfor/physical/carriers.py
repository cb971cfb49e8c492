"""Carriers: the conditions of a rule that number the arguments of its head, or of a fluent that it looks up.

A scan provides the numbers of the instances that it reads. If the words of an instance are only passed on or looked up,
the plan carries its number instead, and drops the columns of its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from holdsfor.physical.fvp_shape import fvp_patterns, shape_of
from holdsfor.physical.number_columns import number_column_of
from holdsfor.syntax.rules import Condition, Ends, Happens, Holds, Initiated, Not, Starts, condition_variables
from holdsfor.syntax.terms import Struct, Var

__all__ = ["Carriers", "carriers_of", "live_variables", "numbered_columns", "tested_arguments"]

Carriers: TypeAlias = Mapping[tuple[str, ...], Condition]
"""For tuples of variables, the condition that numbers their instances."""


def carriers_of(body: Sequence[Condition], arguments: tuple[str, ...]) -> dict[tuple[str, ...], Condition]:
    """For the tuples of variables whose numbers are useful, the first condition that has all of them.

    Such tuples are the arguments of the head, and of fluents that later conditions look up.
    """
    tested = {names: i for i, c in reversed(list(enumerate(body))) if (names := tested_arguments(c))}
    carriers: dict[tuple[str, ...], Condition] = {}
    for names in dict.fromkeys([*([arguments] if arguments else []), *tested]):
        for condition in body[: tested.get(names, len(body))]:
            is_of_use = isinstance(condition, Happens | Starts | Ends | Initiated)
            if is_of_use and _places(condition, names) is not None:
                carriers.setdefault(names, condition)
    return carriers


def tested_arguments(condition: Condition) -> tuple[str, ...] | None:
    """The arguments of a fluent that a condition tests for a constant value, if they are distinct variables."""
    if isinstance(condition, Not) and len(condition.body) == 1:
        return tested_arguments(condition.body[0])
    shape = shape_of(condition.fvp) if isinstance(condition, Holds) else None
    return shape.arguments if shape is not None and shape.value is not None else None


def numbered_columns(condition: Condition, carriers: Carriers) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The columns of numbers that a condition carries, and the positions whose words are numbered together."""
    carried = [names for names, carrier in carriers.items() if carrier is condition]
    return tuple((number_column_of(names), _places(condition, names) or ()) for names in carried)


def live_variables(body: Sequence[Condition], used_after: set[str], carriers: Carriers) -> list[set[str]]:
    """For each condition, the variables that later conditions or the head use."""
    lives: list[set[str]] = []
    needed = set(used_after)
    for condition in reversed(body):
        lives.append(set(needed))
        if tested_arguments(condition) not in carriers:
            needed |= set(condition_variables(condition))
    return lives[::-1]


def _places(condition: Condition, names: tuple[str, ...]) -> tuple[int, ...] | None:
    """The positions of variables among the columns of a condition that binds the time-point, if it has all of them."""
    if isinstance(condition, Happens):
        patterns = condition.event.args if isinstance(condition.event, Struct) else ()
    else:
        assert isinstance(condition, Starts | Ends | Initiated)
        patterns = fvp_patterns(condition.fvp)[1]
    places = {pattern.name: i for i, pattern in enumerate(patterns) if isinstance(pattern, Var)}
    return tuple(places[name] for name in names) if set(names) <= set(places) else None
