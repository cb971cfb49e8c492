"""Answers of goals over results: the background knowledge of the rules with `holdsFor/2` and its like as predicates.

>>> import holdsfor as hf
>>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
>>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
>>> result.query("holdsAt(F, 14)").to_pylist()
[{'F': 'rich(chris)=true'}]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.analysis.pipeline import Compiled
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.prolog import Database, Engine
from holdsfor.prolog.background import background_database
from holdsfor.query.goals import Goal, KnownNames, read_goal
from holdsfor.query.interval_operations import interval_operations
from holdsfor.query.result_index import ResultIndex, RunSettings
from holdsfor.query.temporal_predicates import temporal_predicates
from holdsfor.query.time_variables import time_variables
from holdsfor.sinks.time_formats import shown_as
from holdsfor.syntax.durations import UNITS, Durations
from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import Atom, Int, Struct, Term, Var

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

    from holdsfor.columns.time_type import TimeType

__all__ = ["QueryContext", "QueryEngine"]

_KEPT_DEFINITIONS = 4
"""The arity of Allen relations such as `during/4`, whose names background knowledge may define otherwise."""


@dataclass(frozen=True)
class QueryContext:
    """What goals over a result need besides it: the rules, the start-up goals, the first time-point and the tick."""

    rules: Compiled
    goals: tuple[Term, ...] = ()
    start: int | None = None
    tick: int = 1

    def settings(self, query_time: int, times: TimeType | None) -> RunSettings:
        """The settings of a run up to a query time, with times of a type."""
        return RunSettings(self.start, query_time, self.tick, times)


class QueryEngine:
    """Proves goals over the results of a run, and the background knowledge of its rules if they are given.

    `goals` are the start-up goals of the run. Every goal has the budget of steps, depth and memory of background goals.
    """

    def __init__(self, results: ResultIndex, rules: Compiled | None = None, goals: Iterable[Term] = ()) -> None:
        self.results = results
        self.known = KnownNames(results.fluents, results.events) if rules is None else KnownNames.of_rules(rules)
        self.database = Database() if rules is None else background_database(rules.description)
        Engine(self.database).start_up(goals)
        self._define_predicates()
        self._engine = Engine(self.database)

    def _define_predicates(self) -> None:
        for key, rows in interval_operations(self.results.settings).items():
            if key[1] != _KEPT_DEFINITIONS or not self.database.defines(*key):
                self.database.add_foreign(*key, rows)
        for key, rows in temporal_predicates(self.results, self.known.is_shown).items():
            self.database.add_foreign(*key, rows)
        if self.results.settings.query_time is not None and not self.database.n_clauses("queryTime", 1):
            self.database.set_fact(Struct("queryTime", (Int(self.results.settings.query_time),)))

    def read(self, text: str) -> Goal:
        """The goal of a text, checked against the names of the results, with numbers instead of durations."""
        goal, times = read_goal(text, self.known), self.results.settings.times
        durations = Durations(1 if times is None else UNITS[times.unit])
        body = durations.replaced(Clause(Atom("goal"), goal.term)).body
        if durations.is_used and times is None:
            message = "a duration has no length, because the times of the results are integers"
            span = None if isinstance(goal.term, Var) else goal.term.span
            raise ExecutionProblem(Diagnostic("HF631", message, span, "write a number of time-points"))
        assert body is not None
        return Goal(body, goal.names)

    def answers(self, goal: Goal) -> Iterator[dict[str, Term]]:
        """The answers one by one: the value of each variable of the goal."""
        for answer in self._engine.solve(goal.term):
            yield {name: answer[name] for name in goal.names}

    def table(self, text: str) -> pa.Table:
        """All answers of a goal as an Arrow table, with one column for each variable."""
        from holdsfor.query.answer_table import answer_table

        goal = self.read(text)
        return answer_table(goal, list(self.answers(goal)), self.results.settings.times)

    def shown(self, goal: Goal) -> Iterator[dict[str, Term]]:
        """The answers with times as texts, if the times of the results are timestamps."""
        times = self.results.settings.times
        if times is None:
            return self.answers(goal)
        show_time, found = shown_as(times), time_variables(goal.term)
        return (
            {name: found.shown(name, value, show_time) for name, value in answer.items()}
            for answer in self.answers(goal)
        )
