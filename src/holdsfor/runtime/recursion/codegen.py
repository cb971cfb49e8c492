"""Generated code for time stepping: one Python function for each shape of the rules of a component.

Most rules of a recursive component depend only on current values of the component's fluents; all other conditions are
evaluated before time stepping begins. A general interpreter of such rules (find the rules with rows, the guards of each
rule, the table of each fluent) costs several times their real work. So the loop is generated for the given rules and
compiled once: rows that several rules share are visited together, and a fluent that several rules test is looked up
once.

The function works on plain lists and dictionaries of integers. A *cell* is the number of a fluent's arguments; `values`
are the current values of cells, `initiated` and `terminated` the effects at the time-point. Other rules and delayed
effects are run by callbacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

__all__ = ["GuardShape", "LoopData", "LoopShape", "RuleShape", "compiled_loop", "loop_text"]

_Effects: TypeAlias = dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class GuardShape:
    """A value that a fluent must have, or must not have; `column` has the fluent's cell for every row."""

    fluent: int
    column: int
    is_wanted: bool


@dataclass(frozen=True)
class RuleShape:
    """The effect of a rule on the fluent whose cells are in a column; `is_constant` if it is the same in every row."""

    effect: Literal["initiated", "terminated"]
    fluent: int
    column: int
    guards: tuple[GuardShape, ...]
    is_constant: bool


@dataclass(frozen=True)
class LoopShape:
    """The number of fluents of a component, and its rules grouped by shared rows, with their number of columns.

    `has_others` is true if there are other rules or delays. A shape consists of numbers only: no name of a rule file or
    a record may reach the text that is compiled.
    """

    n_fluents: int
    groups: tuple[tuple[int, tuple[RuleShape, ...]], ...]
    has_others: bool


@dataclass(frozen=True)
class LoopData:
    """The data for a loop of some shape, up to a `last` time-point.

    For every fluent: its values, initiations and terminations, and the function that applies these. For every group:
    the times of its rows, followed by a later time, and its columns of cells. For every rule of a group: the list of
    rows for which it fires, its effect (for all rows, or for each), and the values of its guards. For all else: the
    next time-point, and the function to call there.
    """

    last: int
    fluents: Sequence[tuple[dict[int, int], _Effects, _Effects, Callable[[int], None]]]
    columns: Sequence[Sequence[Sequence[int]]]
    effects: Sequence[Sequence[tuple[Any, ...]]]
    next_time: Callable[[], int]
    act: Callable[[int], None]


@lru_cache(maxsize=256)
def compiled_loop(shape: LoopShape) -> Callable[[LoopData], int]:
    """The function that runs the loop, and returns the number of visited time-points."""
    names: dict[str, Any] = {"together": _together}
    exec(compile(loop_text(shape), "<time stepping>", "exec"), names)
    loop: Callable[[LoopData], int] = names["loop"]
    return loop


def _together(effects: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    """All values of both, each once."""
    return effects if more[0] in effects else effects + more


def loop_text(shape: LoopShape) -> str:
    """The text of the function."""
    lines = ["def loop(data):", *_indented(1, _beginning(shape)), "    while True:", *_indented(2, _next_time(shape))]
    for number, (_, rules) in enumerate(shape.groups):
        lines += _indented(2, _rows(number, rules))
    if shape.has_others:
        lines.append("        data.act(time)")
    for number in range(shape.n_fluents):
        lines.append(f"        if initiated_{number} or terminated_{number}:")
        lines.append(f"            change_{number}(time)")
    return "\n".join(lines) + "\n"


def _indented(depth: int, lines: Iterator[str]) -> Iterator[str]:
    return ("    " * depth + line for line in lines)


def _beginning(shape: LoopShape) -> Iterator[str]:
    for number in range(shape.n_fluents):
        yield f"values_{number}, initiated_{number}, terminated_{number}, change_{number} = data.fluents[{number}]"
    for number, (n_columns, rules) in enumerate(shape.groups):
        columns = "".join(f", cells_{number}_{column}" for column in range(n_columns))
        yield f"times_{number}{columns} = data.columns[{number}]"
        for place, rule in enumerate(rules):
            wanted = "".join(f", {_wanted(number, place, guard)}" for guard in range(len(rule.guards)))
            yield f"fires_{number}_{place}, effect_{number}_{place}{wanted} = data.effects[{number}][{place}]"
        yield f"row_{number}, time_{number} = 0, times_{number}[0]"
    yield "last, n_visited = data.last, 0"


def _next_time(shape: LoopShape) -> Iterator[str]:
    times = [f"time_{number}" for number in range(len(shape.groups))]
    times += ["data.next_time()"] if shape.has_others else []
    yield f"time = {times[0]}" if len(times) == 1 else f"time = min({', '.join(times)})"
    yield "if time > last:"
    yield "    return n_visited"
    yield "n_visited += 1"


def _rows(number: int, rules: Sequence[RuleShape]) -> Iterator[str]:
    """The rows of a group at the time-point: the values that its rules test, then each rule."""
    yield f"while time_{number} == time:"
    tested = dict.fromkeys((guard.fluent, guard.column) for rule in rules for guard in rule.guards)
    for fluent, column in tested:
        yield f"    {_value(fluent, column)} = values_{fluent}.get(cells_{number}_{column}[row_{number}])"
    for place, rule in enumerate(rules):
        yield from _indented(1, _rule(number, place, rule))
    yield f"    row_{number} += 1"
    yield f"    time_{number} = times_{number}[row_{number}]"


def _rule(number: int, place: int, rule: RuleShape) -> Iterator[str]:
    tests = [
        f"{_value(g.fluent, g.column)} {'==' if g.is_wanted else '!='} {_wanted(number, place, i)}"
        for i, g in enumerate(rule.guards)
    ]
    depth = 1 if tests else 0
    if tests:
        yield f"if {' and '.join(tests)}:"
        yield f"    fires_{number}_{place}(row_{number})"
    yield from _indented(depth, _effect(number, place, rule))


def _effect(number: int, place: int, rule: RuleShape) -> Iterator[str]:
    effect = f"effect_{number}_{place}" if rule.is_constant else f"effect_{number}_{place}[row_{number}]"
    effects = f"{rule.effect}_{rule.fluent}"
    yield f"cell = cells_{number}_{rule.column}[row_{number}]"
    yield f"{effects}[cell] = together({effects}[cell], {effect}) if cell in {effects} else {effect}"


def _value(fluent: int, column: int) -> str:
    return f"value_{fluent}_{column}"


def _wanted(number: int, place: int, guard: int) -> str:
    return f"wanted_{number}_{place}_{guard}"
