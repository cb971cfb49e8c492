"""Runs on the reference evaluator."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdsfor.analysis.input_facts import input_fact_records
from holdsfor.cli.engines.engine import Engine
from holdsfor.cli.outcome.run_log import Figures
from holdsfor.columns.pending import Pending, merged_pending
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.prolog.faults import Faults
from holdsfor.sinks.change_feed import ChangeRows
from holdsfor.sinks.change_lines import ChangeReport
from holdsfor.sinks.changes import event_changes, interval_changes
from holdsfor.sinks.result_lines import ReportView, TermReport
from holdsfor.sources.text_records import Fact
from holdsfor.syntax.time_points import last_time_point

if TYPE_CHECKING:
    from holdsfor.reference import ReferenceResult


__all__ = ["ReferenceEngine"]


class ReferenceEngine(Engine):
    """Evaluates the whole history at once, time-point by time-point."""

    def load(self) -> None:
        if self.options.window is not None:
            message = "the reference evaluator has no windows"
            raise UsageProblem(Diagnostic("HF703", message, hint="leave out `--window` or `--engine reference`"))
        from holdsfor.sources.inputs import read_facts

        reading = read_facts(self.options.input, self.compiled.names, self.options.tick, **self.reading_options())
        reading.add_input_facts(self.compiled.names, self.options.tick)
        self.facts = reading.facts()
        self.time_type = reading.time_type
        self.counts.n_records = reading.n_records
        self.counts.unused = reading.unused
        self.counts.n_unmatched = len(reading.unmatched)
        self.set_aside.add(reading.set_aside)
        self.set_aside.add_unmatched(reading.unmatched)
        self.check_unit(has_moments=reading.has_moments)

    def reports(self, *, final: bool) -> Iterator[ReportView]:
        from holdsfor.reference import INF, History, RunBounds, recognise

        began = time.perf_counter()
        history = History(has_input_facts=True)
        for fact in self.facts:
            if fact.value is None:
                history.add_event(fact.entity, fact.start)
            else:
                history.add_interval(fact.entity, fact.value, fact.start, fact.end)
        start, end = self.bounds(*_extent(self.facts, self.options.tick))
        given = {Fact(*fact) for fact in input_fact_records(self.compiled.names, self.options.tick)}
        records = [fact for fact in self.facts if fact not in given]
        self.counts.n_outside = sum(f.start > end or max(f.start, f.end - 1) < start for f in records)
        bounds = RunBounds(start, end, self.options.tick, self.options.allen_memory)
        faults = Faults()
        answer = recognise(self.compiled, history, bounds, self.goals, faults)
        self.report_faults(faults)
        if self.options.end is None:
            pending = (Pending(f"{name}/{arity}", 1, due) for (name, arity), due in answer.pending)
            self.counts.pending = merged_pending(pending)
        self.counts.n_query_times = 1
        self.counts.n_fvps = len(answer.intervals)
        self.counts.n_intervals = sum(map(len, answer.intervals.values()))
        self.seconds["recognise"] = time.perf_counter() - began
        self.log.add(end, _figures(answer, len(self.facts), self.seconds["recognise"], end, self.options.tick))
        intervals = {
            fvp: [(s, None if e == INF else int(e)) for s, e in spans] for fvp, spans in answer.intervals.items()
        }
        known = TermReport(end, intervals, {event: list(times) for event, times in answer.times.items()})
        yield known
        if self.feed is not None:
            self.feed.add(ChangeRows(end, TermReport(end, {}, {}), known))

    def changes(self) -> Iterator[ChangeReport]:
        for known in self.reports(final=False):
            added = [*interval_changes({}, known.intervals), *event_changes({}, known.times)]
            yield ChangeReport(known.query_time, added)


def _figures(answer: ReferenceResult, n_facts: int, seconds: float, end: int, tick: int) -> Figures:
    """The figures of the evaluation for the log."""
    following = (end // tick + 1) * tick
    spans = [span for spans in answer.intervals.values() for span in spans]
    held = sum(max(0, min(int(following), stop) - start) for start, stop in spans) // tick
    n_times = sum(map(len, answer.times.values()))
    return Figures(seconds, n_facts, len(answer.intervals), len(spans), int(held), n_times)


def _extent(facts: list[Fact], tick: int) -> tuple[int | None, int | None]:
    """The first and the last time-point of the records."""
    first = min((fact.start for fact in facts), default=None)
    last = max((f.start if f.value is None else last_time_point(f.start, f.end, tick) for f in facts), default=None)
    return first, last
