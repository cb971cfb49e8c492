"""A case with the rewrites and without them, and the text of its rules after the rewrites."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from holdsfor.analysis.pipeline import Compiled
from holdsfor.errors import ExecutionProblem
from holdsfor.logical.rewrites import OPTIONAL_REWRITES
from holdsfor.physical.rewritten_text import show_rewritten
from holdsfor.runtime.session import EngineSession
from holdsfor.syntax.printer import show_program
from holdsfor.syntax.program import Clause, Directive, FactTable, InputFactTable
from holdsfor.syntax.terms import is_callable, name_and_arity
from tests.properties.answers import Answer, Input, as_answer

__all__ = ["answer_as_written", "answer_rewritten", "answer_without", "rewritten_text"]

_REWRITTEN = {("initiatedAt", 2), ("terminatedAt", 2), ("happensAt", 2), ("holdsFor", 2), ("initially", 1)}
_REWRITTEN |= {("fi", 3), ("ft", 2)}


def rewritten_text(compiled: Compiled) -> str:
    """The rules as the logical stage shows them, with the declarations and the background knowledge as they were."""
    session = EngineSession(compiled, start=0)
    rules = show_rewritten(session.rules.program, session.rules.domains.planner)
    programs = [replace(p, items=tuple(item for item in p.items if _is_kept(item))) for p in compiled.programs]
    return "\n".join([rules, *(show_program(program) for program in programs)])


def _is_kept(item: Clause | Directive | FactTable | InputFactTable) -> bool:
    if not isinstance(item, Clause):
        return True
    assert is_callable(item.head)
    return name_and_arity(item.head) not in _REWRITTEN


def answer_as_written(given: Input, at: int) -> Answer:
    """The answer of the engine without rewrites."""
    return answer_without(OPTIONAL_REWRITES, given, at)


def answer_rewritten(given: Input, at: int) -> Answer:
    """The answer of the engine with all rewrites."""
    return answer_without((), given, at)


def answer_without(rewrites: Collection[str], given: Input, at: int) -> Answer:
    """The answer of the engine without some rewrites."""
    session = EngineSession(given.compiled, start=given.case.start, tick=given.case.tick, without=rewrites)
    session.insert((at, fact) for fact in given.facts)
    try:
        return as_answer(session.query(at), session.symbols)
    except ExecutionProblem as problem:
        return f"fails with {problem.diagnostics.in_order()[0].code}"
