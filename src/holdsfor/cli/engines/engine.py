"""The interface of the engines behind `holdsfor run`."""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from holdsfor.analysis.pipeline import Compiled
from holdsfor.cli.checkpoint.checkpoint import Checkpoint
from holdsfor.cli.outcome.counts import Counts
from holdsfor.cli.outcome.run_log import RunLog
from holdsfor.cli.outcome.set_aside import SetAsideLog
from holdsfor.cli.terminal.interruption import Interruption
from holdsfor.cli.terminal.progress import Progress
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.change_lines import ChangeReport
from holdsfor.sinks.result_lines import ReportView
from holdsfor.sources.unreadable import Unreadable
from holdsfor.syntax.terms import Term

__all__ = ["Engine"]


class Engine(ABC):
    """A run of rules on input.

    `load` reads the input, `reports` or `changes` evaluates it. `stop` ends the run between two query times.
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
        self.unreadable: list[Unreadable] | None = None
        """Collects the inputs that cannot be read. Without a list, such an input ends the run."""
        self.seconds: dict[str, float] = {"load": 0.0, "recognise": 0.0}
        self.start = 0

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

    def reading_options(self) -> dict[str, Any]:
        """Options for the readers of the inputs."""
        return {"form": self.options.input_format, "unit": self.options.time_unit, "unreadable": self.unreadable}

    def _bounds_hint(self) -> str:
        if self.options.start is None or self.options.end is None:
            return "without `--start` or `--end`, the records set the first or last time-point"
        return "see `--start` and `--end`"
