"""`holdsFor/2`, `holdsAt/2` and `happensAt/2` over an index of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from holdsfor.prolog.database import Foreign
from holdsfor.prolog.problems import GoalProblem, not_a
from holdsfor.prolog.unify import deref, resolve, unifies
from holdsfor.query.interval_operations import interval_list
from holdsfor.query.result_index import Instances, Key, ResultIndex, fluent_of, key_of
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import EMPTY_LIST, Int, Term, Var, is_ground

__all__ = ["temporal_predicates"]

Rows = Iterator[tuple[Term, ...]]


def temporal_predicates(results: ResultIndex, is_shown: Callable[[Term], bool]) -> dict[Key, Foreign]:
    """The predicates by name and arity; an FVP that is not shown has unknown intervals."""
    over = _Temporal(results, is_shown)
    return {("holdsFor", 2): over.holds_for, ("holdsAt", 2): over.holds_at, ("happensAt", 2): over.happens_at}


@dataclass(frozen=True)
class _Temporal:
    results: ResultIndex
    is_shown: Callable[[Term], bool]

    def holds_for(self, args: tuple[Term, ...], run: Any) -> Rows:
        """The FVPs that hold at some time with their intervals. A ground FVP that never holds has no intervals."""
        fvp = resolve(args[0])
        if is_ground(fvp):
            return iter([(fvp, self._intervals_of(fvp))])
        return (
            (found.terms[number], interval_list(found.rows(number)))
            for found, number in self._fvps(fvp)
            if unifies(fvp, found.terms[number])
        )

    def _intervals_of(self, fvp: Term) -> Term:
        if not self.is_shown(fvp):
            raise GoalProblem("HF630", f"`{show(fvp)}` is not shown", "the results have the output that the run shows")
        found = self.results.fvps_of(key_of(fluent_of(fvp)) or ("", 0))
        number = None if found is None else found.number(fvp)
        return EMPTY_LIST if found is None or number is None else interval_list(found.rows(number))

    def _fvps(self, fvp: Term) -> Iterator[tuple[Instances, int]]:
        """The FVPs that may unify with a term."""
        fluent = deref(fluent_of(fvp))
        for found in self._of_name(fluent, self.results.fluents, self.results.fvps_of):
            yield from ((found, number) for number in found.candidates(fluent))

    def holds_at(self, args: tuple[Term, ...], run: Any) -> Rows:
        """The FVPs that hold at a time-point."""
        fvp, time = resolve(args[0]), self._time_point(args[1], "holdsFor(F=V, I)")
        fluent = deref(fluent_of(fvp))
        for found in self._of_name(fluent, self.results.fluents, self.results.fvps_of):
            narrowed = found.candidates(fluent)
            if isinstance(narrowed, range):
                numbers = found.holding_at(time)
            else:
                numbers = [number for number in narrowed if found.holds_at(number, time)]
            yield from ((found.terms[number], args[1]) for number in numbers)

    def happens_at(self, args: tuple[Term, ...], run: Any) -> Rows:
        """The output events with their time-points."""
        event, time = resolve(args[0]), args[1]
        wanted = None if isinstance(time, Var) else self._time_point(time, "happensAt(E, T)")
        for found in self._of_name(event, self.results.events, self.results.events_of):
            for number in found.candidates(event):
                if wanted is not None and not found.happens_at(number, wanted):
                    continue
                if unifies(event, found.terms[number]):
                    times = [time] if wanted is not None else [Int(start) for start, _ in found.rows(number)]
                    yield from ((found.terms[number], each) for each in times)

    def _time_point(self, term: Term, instead: str) -> int:
        if isinstance(term, Var):
            raise GoalProblem("HF602", "the time-point is not bound", f"`{instead}` has the times")
        time = self.results.settings.time_point(term)
        if time is None:
            raise not_a("a time-point between -2^62 and 2^62", term)
        return time

    def _of_name(self, named: Term, keys: Mapping[Key, Any], instances: Any) -> Iterator[Instances]:
        """The instances of a fluent or event; those of all names for a variable."""
        key = key_of(named)
        for each in keys if key is None else (key,):
            found = instances(each)
            if found is not None:
                yield found
