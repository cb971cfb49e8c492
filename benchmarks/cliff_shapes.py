"""Shapes of work whose cost is measured as it grows: rules with records, kernels on arrays, readers and writers.

A shape has a *case* for every size. A case prepares a measurement, which does not count, and returns the function that
is measured. The function returns the number of rows of its output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from streams import Stream

from holdsfor.analysis.pipeline import Compiled, compile_text
from holdsfor.runtime.reports.report import ReportColumns

__all__ = ["Case", "Dimension", "Lines", "Program", "Shape", "Work", "function_shape", "n_rows", "rule_shape"]

Dimension = Literal["row", "entity", "rule", "window"]
Text = str | Callable[[int], str]
Lines = Callable[[int], Iterable[str]]
Work = Callable[[], int]


@dataclass(frozen=True)
class Case:
    """A shape at one size: `start` prepares a measurement of work on `n_rows` rows of input."""

    n_rows: int
    start: Callable[[], Work]


@dataclass(frozen=True)
class Program:
    """Rules with their background knowledge, and the records of a size."""

    rules: str
    lines: tuple[str, ...]
    window: int | None = None
    step: int | None = None

    @property
    def compiled(self) -> Compiled:
        return compile_text(self.rules, "shape")

    def stream(self, compiled: Compiled) -> Stream:
        return Stream(compiled, "".join(f"{line}\n" for line in self.lines).encode())


@dataclass(frozen=True)
class Shape:
    """Work that grows in a dimension; it is measured at `n`, 10 `n` and 100 `n` of it.

    `reason` explains a cost that grows faster than the input by its nature. `program` has the rules of a size.
    """

    name: str
    family: str
    case: Callable[[int], Case]
    dimension: Dimension = "row"
    n: int = 1_000
    reason: str = ""
    program: Callable[[int], Program] | None = None


def rule_shape(
    name: str,
    family: str,
    rules: Text,
    lines: Lines,
    *,
    dimension: Dimension = "row",
    n: int = 1_000,
    window: Callable[[int], tuple[int, int]] | None = None,
    is_compiled_too: bool = False,
    is_read_too: bool = False,
    reason: str = "",
) -> Shape:
    """The recognition of records of a size with rules; windows are reported one by one."""

    @cache
    def program(size: int) -> Program:
        text = rules if isinstance(rules, str) else rules(size)
        return Program(text, tuple(lines(size)), *(window(size) if window is not None else (None, None)))

    def case(size: int) -> Case:
        given = program(size)
        program.cache_clear()
        compiled = None if is_compiled_too else given.compiled
        start = _recognising(given) if not (is_compiled_too or is_read_too) else _from_text(given, compiled)
        return Case(size if dimension in ("rule", "window") else len(given.lines), start)

    return Shape(name, family, case, dimension, n, reason, program)


def _recognising(program: Program) -> Callable[[], Work]:
    compiled = program.compiled
    stream = program.stream(compiled)

    def start() -> Work:
        run = stream.run(program.window, program.step)
        if program.window is None:
            return lambda: n_rows(run.settle())
        return lambda: sum(map(n_rows, run.reports()))

    return start


def _from_text(program: Program, compiled: Compiled | None) -> Callable[[], Work]:
    """From the text of the records, and of the rules unless they are compiled."""
    return lambda: lambda: n_rows(program.stream(compiled or program.compiled).run(program.window).settle())


def n_rows(report: ReportColumns) -> int:
    """The number of intervals and events of a report."""
    return report.n_intervals + report.n_occurrences


def function_shape(
    name: str,
    family: str,
    start: Callable[[int], Callable[[], Work]],
    *,
    n: int = 2_000,
    reason: str = "",
) -> Shape:
    """A function on `n` rows."""
    return Shape(name, family, lambda size: Case(size, start(size)), "row", n, reason)
