"""Programs and goals as text, and answers as text, for the tests of the engine."""

from __future__ import annotations

from itertools import islice

from holdsfor.errors import Diagnostics, ExecutionProblem
from holdsfor.prolog import Database, Engine
from holdsfor.syntax.parser import parse_program, parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause, Directive, FactTable
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Term


def database(text: str = "") -> Database:
    """The clauses of a program; its directives are run."""
    diagnostics = Diagnostics()
    program = parse_program(Source("test.prolog", text), diagnostics)
    assert not diagnostics.has_errors, diagnostics.render()
    result = Database()
    for item in program.items:
        if isinstance(item, Clause):
            result.add_clause(item.head, item.body, item.span)
        elif isinstance(item, FactTable):
            result.add_table(item.name, item.arity, item.columns)
        elif isinstance(item, Directive):
            assert Engine(result).run(item.goal)
    return result


def engine(text: str = "", *, max_steps: int = 1_000_000, max_depth: int = 1_000_000) -> Engine:
    return Engine(database(text), max_steps=max_steps, max_depth=max_depth)


def answers(program: str | Engine, goal: str, limit: int = 100) -> list[str]:
    """The first solutions, each as `X=1 Y=a`; `yes` for a goal without variables."""
    asked = program if isinstance(program, Engine) else engine(program)
    return [_text(solution) for solution in islice(asked.solve(parse_term(goal)), limit)]


def _text(solution: dict[str, Term]) -> str:
    parts = [f"{name}={show(value)}" for name, value in solution.items() if not name.startswith("_")]
    return " ".join(parts) or "yes"


def values(program: str | Engine, goal: str, variable: str = "X", limit: int = 100) -> list[str]:
    """The values of one variable in the first solutions."""
    asked = program if isinstance(program, Engine) else engine(program)
    return [show(solution[variable]) for solution in islice(asked.solve(parse_term(goal)), limit)]


def holds(goal: str, program: str | Engine = "") -> bool:
    asked = program if isinstance(program, Engine) else engine(program)
    return asked.holds(parse_term(goal))


def problem(program: str | Engine, goal: str) -> tuple[str, str, str | None]:
    """Code, message and hint of the problem a goal runs into."""
    asked = program if isinstance(program, Engine) else engine(program)
    try:
        solutions = list(asked.solve(parse_term(goal)))
    except ExecutionProblem as raised:
        (diagnostic,) = raised.diagnostics
        return diagnostic.code, diagnostic.message, diagnostic.hint
    raise AssertionError(f"{goal} has no problem but {len(solutions)} solutions")
