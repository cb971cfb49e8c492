"""Conditions without a result: a text where a number is needed, a division by zero, the root of a negative number.

Such a condition is not satisfied for these values. An engine with `Faults` notes it and goes on; an engine
without raises an `ExecutionProblem`, as start-up goals and goals on results need.

Of each condition, the example with the least values in standard order is kept, so that what a run reports depends
neither on the order of evaluation nor on the number of processes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.prolog.order import standard_order_key
from holdsfor.prolog.problems import shown
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Program
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, is_larger, name_and_arity, substitute, variables

__all__ = ["Fault", "Faults", "Place", "fault_diagnostics", "fault_problem"]

_LARGEST_EXAMPLE = 1_000
Place = tuple[str, int, int, int]
"""The file, line, column and length of a condition. A goal that is not in a file has its name, arity and no line."""


@dataclass(frozen=True)
class Fault:
    """A condition without a result: the code and the reason of the example, which is the goal with its values."""

    code: str
    reason: str
    example: Term
    place: Place

    def to_text(self) -> str:
        """The fault for other processes."""
        return json.dumps([self.code, self.reason, show(self.example), *self.place])

    @classmethod
    def of_text(cls, text: str) -> Fault:
        """The fault of a text that `to_text` returned."""
        code, reason, example, file, line, column, length = json.loads(text)
        return cls(code, reason, parse_term(example), (file, line, column, length))

    @property
    def rank(self) -> Any:
        return standard_order_key(self.example), self.code, self.reason


class Faults:
    """The conditions without a result, each with its least example."""

    def __init__(self) -> None:
        self._least: dict[Place, Fault] = {}
        self._reported: set[Place] = set()
        self.n_noted = 0

    def __len__(self) -> int:
        return len(self._least)

    def __iter__(self) -> Iterator[Fault]:
        return iter(sorted(self._least.values(), key=lambda fault: fault.place))

    def note(self, code: str, reason: str, goal: Term, span: Span | None) -> None:
        """Keep a goal without a result, if its values are less than those of the example so far."""
        self.n_noted += 1
        if span is None:
            name, arity = name_and_arity(goal) if isinstance(goal, Struct) else (shown(goal), 0)
            place = name, 0, arity, 0
        else:
            place = span.source.name, span.line, span.column, span.end - span.start
        example = substitute(goal, dict.fromkeys(variables(goal), Var("_")))
        if isinstance(example, Struct) and is_larger(example, _LARGEST_EXAMPLE):
            example = Struct(example.name, (Var("_"),) * len(example.args))
        self._keep(Fault(code, reason, example, place))

    def _keep(self, fault: Fault) -> None:
        known = self._least.get(fault.place)
        if known is None or fault.rank < known.rank:
            self._least[fault.place] = fault

    def add(self, faults: Iterable[Fault]) -> None:
        """Add the faults of other engines."""
        for fault in faults:
            self._keep(fault)

    def report_again(self) -> None:
        """Let `unreported` return all faults again."""
        self._reported.clear()

    def unreported(self) -> list[Fault]:
        """The faults of conditions that no earlier call returned."""
        found = [fault for fault in self if fault.place not in self._reported]
        self._reported.update(fault.place for fault in found)
        return found


def fault_diagnostics(faults: Iterable[Fault], programs: Sequence[Program]) -> list[Diagnostic]:
    """The faults as warnings, with the rules and lines of their conditions."""
    return [_diagnostic("HF614", fault, programs) for fault in faults]


def fault_problem(faults: Iterable[Fault], programs: Sequence[Program]) -> ExecutionProblem | None:
    """The first fault as an error, for a strict run."""
    first = next(iter(faults), None)
    return None if first is None else ExecutionProblem(_diagnostic(first.code, first, programs))


def _diagnostic(code: str, fault: Fault, programs: Sequence[Program]) -> Diagnostic:
    name, line, column, length = fault.place
    program = next((each for each in programs if line and each.source.name == name), None)
    start = 0 if program is None else program.source.offset(line, column)
    span = None if program is None else Span(program.source, start, start + length)
    condition = shown(fault.example) if span is None else " ".join(span.text.split())
    clauses = () if program is None else program.clauses
    rule = next((each for each in clauses if each.span and each.span.start <= start < each.span.end), None)
    of = "" if rule is None else f" in the rule for `{shown(rule.head)}`"
    message = f"`{condition}`{of} has no result for some values, and is not satisfied there"
    where = f" in `{shown(fault.example)}`" if isinstance(fault.example, Struct) else ""
    return Diagnostic(code, f"{message}: {fault.reason}{where}", span, _hint(fault))


def _hint(fault: Fault) -> str | None:
    if fault.code == "HF604":
        return "test for it before, for example with `X =\\= 0`"
    is_number = fault.reason.startswith(("expected a number", "expected an integer"))
    return "test for it before, for example with `number(X)`" if is_number else None
