"""Declarations with bodies: every answer of the body is declared."""

from __future__ import annotations

from holdsfor.errors import Diagnostics, ExecutionProblem
from holdsfor.prolog import Engine
from holdsfor.prolog.background import background_database
from holdsfor.syntax.description import EventDescription, declare
from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import substitute

__all__ = ["prove_declarations"]


def prove_declarations(description: EventDescription, diagnostics: Diagnostics) -> None:
    """Add a declaration for every answer of its body; a body that cannot be proved is reported."""
    if not description.conditional:
        return
    engine = Engine(background_database(description))
    for clause in description.conditional:
        assert clause.body is not None
        try:
            answers = list(engine.solve(clause.body))
        except ExecutionProblem as problem:
            for each in problem.diagnostics:
                diagnostics.append(each)
            continue
        heads = dict.fromkeys(substitute(clause.head, answer) for answer in answers)
        declare([Clause(head, None, clause.span) for head in heads], description, diagnostics)
