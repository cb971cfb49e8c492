"""An event description on its way through the passes of the analysis."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from holdsfor.analysis.dependencies import DependencyGraph
from holdsfor.analysis.levels import Levels, Moment
from holdsfor.analysis.names import Names
from holdsfor.errors import Diagnostics
from holdsfor.prolog import Database
from holdsfor.prolog.background import background_database
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import Clause, Program

__all__ = ["Draft"]


@dataclass
class Draft:
    """An event description with what the passes so far have found out about it."""

    programs: tuple[Program, ...]
    description: EventDescription
    diagnostics: Diagnostics
    names: Names = field(init=False)
    graph: DependencyGraph = field(init=False)
    levels: Levels = field(init=False)
    moments: tuple[tuple[Moment, ...], ...] = field(init=False)

    @cached_property
    def clauses(self) -> list[Clause]:
        return [clause for program in self.programs for clause in program.clauses]

    @cached_property
    def database(self) -> Database:
        """The background knowledge, for goals that a lint proves."""
        return background_database(self.description)
