"""Rules in the form that workers receive: the texts of a program, compiled once in every process.

The compiled form cannot be sent: it stores hashes of names, which differ between processes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from holdsfor.analysis.pipeline import Compiled, analyse
from holdsfor.errors import Diagnostics
from holdsfor.syntax.parser import parse_program, parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Term

__all__ = ["Rules"]


@dataclass(frozen=True)
class Rules:
    """The texts of an event description with their names, and the goals to prove before a run."""

    texts: tuple[tuple[str, str], ...]
    goals: tuple[str, ...] = ()

    @staticmethod
    def of(compiled: Compiled, goals: Iterable[Term] = ()) -> Rules:
        texts = tuple((program.source.name, program.source.text) for program in compiled.programs)
        return Rules(texts, tuple(map(show, goals)))

    def compiled(self) -> Compiled:
        """The compiled event description; the driver has checked that it has no errors."""
        return _compiled(self.texts)

    def goal_terms(self) -> list[Term]:
        return [parse_term(goal) for goal in self.goals]


@lru_cache(maxsize=4)
def _compiled(texts: tuple[tuple[str, str], ...]) -> Compiled:
    diagnostics = Diagnostics()
    compiled = analyse([parse_program(Source(name, text), diagnostics) for name, text in texts], diagnostics)
    assert compiled is not None, diagnostics.render()
    return compiled
