"""The interface of the engines behind `holdsfor run`."""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from holdsfor.analysis.pipeline import Compiled, refuse_unknown_unit
from holdsfor.cli.checkpoint.checkpoint import Checkpoint
from holdsfor.cli.outcome.counts import Counts
from holdsfor.cli.outcome.run_log import RunLog
from holdsfor.cli.outcome.set_aside import SetAsideLog
from holdsfor.cli.terminal.diagnostics import print_diagnostics
from holdsfor.cli.terminal.interruption import Interruption
from holdsfor.cli.terminal.progress import Progress
from holdsfor.errors import Diagnostic, HoldsforError, UsageProblem
from holdsfor.prolog.faults import Fault, fault_diagnostics, fault_problem
from holdsfor.sinks.change_feed import ChangeFeed
from holdsfor.sinks.change_lines import ChangeReport
from holdsfor.sinks.result_lines import ReportView
from holdsfor.sinks.time_formats import ShowTime, as_integer, shown_as
from holdsfor.sinks.written_lines import WrittenReport
from holdsfor.sources.unreadable import Unreadable
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.analysis.place_types import InputColumn
    from holdsfor.analysis.result_columns import ResultColumns
    from holdsfor.analysis.sorts import Place
    from holdsfor.columns.time_type import TimeType
    from holdsfor.sources.inputs import ReadingOptions

__all__ = ["Engine"]


class Engine(ABC):
    """A run of rules on input.

    `load` reads the input, `reports` or `changes` evaluates it. The changes of each query time also go to `feed`, if
    there is one. `stop` ends the run between two query times.
    """

    def __init__(self, compiled: Compiled, options: argparse.Namespace, goals: list[Term]) -> None:
        self.compiled = compiled
        self.options = options
        self.goals = goals
        self.counts = Counts()
        self.set_aside = SetAsideLog()
        self.progress = Progress()
        self.log = RunLog()
        self.stop = Interruption()
        self.checkpoint: Checkpoint | None = None
        self.feed: ChangeFeed | None = None
        self.unreadable: list[Unreadable] | None = None
        """Collects the inputs that cannot be read. Without a list, such an input ends the run."""
        self.seconds: dict[str, float] = {"load": 0.0, "recognise": 0.0}
        self.start = 0
        self.time_type: TimeType | None = None
        self.resources = ExitStack()
        """Contexts to leave at the end of the run."""

    @cached_property
    def input_columns(self) -> dict[Place, InputColumn]:
        """The columns of the inputs; inputs that cannot be read have none."""
        from holdsfor.sources.input_columns import input_columns, merged_columns

        given: dict[Place, InputColumn] = {}
        for each in self.options.input:
            with suppress(HoldsforError):
                found = input_columns([each], self.compiled.names, self.options.input_format)
                given = merged_columns(given, found)
        return given

    @cached_property
    def result_columns(self) -> ResultColumns:
        """The tables of the output fluents and events."""
        from holdsfor.analysis.result_columns import result_columns

        return result_columns(self.compiled, self.input_columns)

    def findings(self) -> list[Diagnostic]:
        """Warnings about constants of the rules and joins that the records read so far never match."""
        return []

    @property
    def continues(self) -> bool:
        """Whether the run continues after a query time of an earlier process."""
        return self.checkpoint is not None and self.checkpoint.is_begun

    @abstractmethod
    def load(self) -> None:
        """Read the input."""

    @abstractmethod
    def reports(self, *, final: bool) -> Iterator[ReportView]:
        """The results known at each query time; with `final`, the settled results once."""

    def written_reports(self) -> Iterator[WrittenReport] | None:
        """The same reports, if other processes write their lines; None if they are to be written here."""
        return None

    @abstractmethod
    def changes(self) -> Iterator[ChangeReport]:
        """The changes of each query time to the results known before."""

    def bounds(self, first: int | None, last: int | None) -> tuple[int, int]:
        """The first and last time-point of the run, from the options, else from the records."""
        from holdsfor.analysis.input_facts import with_input_facts

        first, last = with_input_facts((first, last), self.compiled.names, self.options.tick)
        start = self.options.start if self.options.start is not None else (first or 0)
        end = self.options.end if self.options.end is not None else (start if last is None else last)
        if end < start:
            message = f"the run ends at {end}, before its start {start}"
            raise UsageProblem(Diagnostic("HF702", message, hint=self._bounds_hint()))
        self.start = start
        return start, end

    def check_unit(self, *, has_moments: bool) -> None:
        """Refuse rules with durations if the times of records are integers of a unit that is not given."""
        n_used = self.counts.n_records - self.counts.unused.total() - self.set_aside.n
        if n_used and not has_moments and not self.options.given_time_unit:
            refuse_unknown_unit(self.compiled, "write `--time-unit s`, `--time-unit ms` or `--time-unit us`")

    def report_faults(self, faults: Iterable[Fault]) -> None:
        """Warn of conditions without a result; a strict run ends."""
        found, programs = list(faults), self.compiled.programs
        self.counts.faults.add(found)
        problem = fault_problem(found, programs) if self.options.strict else None
        if problem is not None:
            raise problem
        print_diagnostics(fault_diagnostics(found, programs))

    def reading_options(self) -> ReadingOptions:
        """Options for the readers of the inputs."""
        options = self.options
        unit, zone = options.given_time_unit, options.tz
        return {"form": options.input_format, "unit": unit, "zone": zone, "unreadable": self.unreadable}

    def input_times(self) -> TimeType | None:
        """The type of the times of the records that have been read: None for integers."""
        return self.time_type

    @property
    def shown(self) -> ShowTime:
        """The notation of times: that of the input, unless the options choose another."""
        from holdsfor.columns.time_type import TimeType

        options = self.options
        if options.times == "integer":
            return as_integer
        is_wanted = options.times == "iso"
        return shown_as(self.input_times() or (TimeType(options.time_unit, options.tz or "UTC") if is_wanted else None))

    def _bounds_hint(self) -> str:
        if self.options.start is None or self.options.end is None:
            return "without `--start` or `--end`, the records set the first or last time-point"
        return "see `--start` and `--end`"
