"""An evaluation that counts components and kernels; the answers are the same."""

from __future__ import annotations

import numpy as np

from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.physical.plan import PlannedComponent
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.recursion.fixpoint import RecursionOutcome
from holdsfor.syntax.terms import Term

__all__ = ["ProfiledEvaluation"]


class ProfiledEvaluation(Evaluation):
    """The components of one time range, with a `profile`."""

    number = 0

    @property
    def counts(self) -> Profile:
        assert self.profile is not None
        return self.profile

    def evaluate(self, component: PlannedComponent) -> None:
        number = self.number = component.number
        with self.counts.at(("component", number), 0):
            super().evaluate(component)
        if component.number in self.recursions:
            self.note_recursion(number, self.recursions[component.number])
        own = {rule.rule.number for rule in component.interval_rules}
        self.counts.note_most(("kept", number), sum(k.n for (rule, _), k in self.state.allen.items() if rule in own))

    def note_recursion(self, number: int, outcome: RecursionOutcome) -> None:
        self.counts.note(("iterations", number), outcome.n_iterations)
        self.counts.note(("stepped", number), outcome.n_visited)
        since = self.time_range.first
        for until, delayed_effects in outcome.parts:
            for each in delayed_effects:
                if each is not None:
                    times = each.set_up.times
                    self.counts.note(("set up", number), int(np.count_nonzero((times >= since) & (times < until))))
            since = until

    def ground(self, head: Term, rows: Rows, *, over_all_values: bool = False) -> Rows:
        with self.counts.at(("ground", id(head)), rows.n) as tally:
            found = super().ground(head, rows, over_all_values=over_all_values)
            tally.rows_out += found.n
        return found

    def inertia(self, key: Key, initiations: PointTable, terminations: PointTable, state: FluentTable) -> FluentTable:
        n = state.n + initiations.n + terminations.n
        with self.counts.at(("inertia", self.number, key), n) as tally:
            found = super().inertia(key, initiations, terminations, state)
            tally.rows_out += found.n
        return found
