"""An event description while the analysis passes run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from holdsfor.analysis.dependencies import DependencyGraph
from holdsfor.analysis.domain_uses import DomainUses
from holdsfor.analysis.levels import Levels, Moment
from holdsfor.analysis.names import Names
from holdsfor.errors import Diagnostics
from holdsfor.prolog import Database
from holdsfor.prolog.background import background_database
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import Clause, Program

if TYPE_CHECKING:
    from holdsfor.analysis.output_selection import OutputSelection

__all__ = ["Draft"]


@dataclass
class Draft:
    """An event description with the results of the passes that have run.

    `provided` are the fluents, by name and arity, that descriptions of inputs declare.
    """

    programs: tuple[Program, ...]
    description: EventDescription
    diagnostics: Diagnostics
    provided: Collection[tuple[str, int]] = ()
    names: Names = field(init=False)
    graph: DependencyGraph = field(init=False)
    levels: Levels = field(init=False)
    moments: tuple[tuple[Moment, ...], ...] = field(init=False)
    domain_uses: DomainUses = field(init=False)
    selection: OutputSelection | None = field(init=False)

    @cached_property
    def clauses(self) -> list[Clause]:
        return [clause for program in self.programs for clause in program.clauses]

    @cached_property
    def database(self) -> Database:
        """The background knowledge, for lints that prove goals."""
        return background_database(self.description)
