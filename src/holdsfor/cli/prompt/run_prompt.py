"""`run --interactive`: goals over the results of a run, after it or, live, while it goes on."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from holdsfor.cli.engines.columnar import ColumnarEngine
from holdsfor.cli.engines.engine import Engine
from holdsfor.cli.engines.parallel import is_reported_by_query_time
from holdsfor.errors import Diagnostic, HoldsforError, UsageProblem
from holdsfor.sinks.result_lines import ReportView
from holdsfor.sinks.time_formats import time_type_of

if TYPE_CHECKING:
    from holdsfor.columns.time_type import TimeType
    from holdsfor.query.query_engine import QueryEngine
    from holdsfor.query.result_index import ResultIndex, RunSettings
    from holdsfor.runtime.reports.recorded_results import RecordedResults

__all__ = ["RunPrompt", "check_interactive"]


def check_interactive(interactive: bool, inputs: Sequence[str], *, has_checkpoint: bool) -> None:
    """Refuse a prompt that shares standard input with records, and a prompt without the results before a checkpoint."""
    if interactive and "-" in inputs:
        hint = "read the records from a file, a pipe or a socket"
        raise UsageProblem(Diagnostic("HF706", "standard input has both the records and the goals", hint=hint))
    if interactive and has_checkpoint:
        message = "`--interactive` keeps all results until the end, so it has no checkpoints"
        raise UsageProblem(Diagnostic("HF706", message, hint="leave out one of the two"))


@dataclass
class RunPrompt:
    """The prompt of a run. `last` has the last report, which is the whole result of a run without query times."""

    engine: Engine
    last: list[ReportView]
    recorded: RecordedResults | None = None
    _made: tuple[int, QueryEngine] | None = None
    _problems: list[BaseException] = field(default_factory=list)

    def record(self) -> None:
        """Record the results of every query time, if they are reported one by one; call this before the run."""
        from holdsfor.runtime.reports.recorded_results import RecordedResults

        options, engine = self.engine.options, self.engine
        if isinstance(engine, ColumnarEngine) and (options.live or is_reported_by_query_time(options)):
            self.recorded = engine.recorded = RecordedResults()

    def ask(self) -> int:
        """Answer goals after the run; the exit code."""
        from holdsfor.cli.prompt.prompt import ask

        return ask(self._query_engine, greeting="`help.` shows what to ask")

    def ask_during(self, run: Callable[[], None]) -> int:
        """Answer goals while the run goes on in another thread; the run stops when the input of goals ends."""
        from holdsfor.cli.prompt.prompt import ask

        worker = threading.Thread(target=partial(self._guarded, run), name="run")
        worker.start()
        try:
            code = ask(self._query_engine, greeting="`help.` shows what to ask", has_messages=True)
        finally:
            self.engine.stop.request()
            worker.join()
        return 2 if self._problems else code

    def _guarded(self, run: Callable[[], None]) -> None:
        """The run in its thread. A failure is shown at once, and the prompt goes on with the results so far."""
        try:
            run()
        except (HoldsforError, OSError, MemoryError) as problem:
            self._problems.append(problem)
            shown = problem.diagnostics.render() if isinstance(problem, HoldsforError) else f"error: {problem}"
            print(shown, file=sys.stderr, flush=True)

    def _query_engine(self) -> QueryEngine:
        """The engine for the newest results."""
        from holdsfor.query.query_engine import QueryEngine

        version = 0 if self.recorded is None else self.recorded.version
        if self._made is None or self._made[0] != version:
            self._made = version, QueryEngine(self._index(), self.engine.compiled, self.engine.goals)
        return self._made[1]

    def _index(self) -> ResultIndex:
        from holdsfor.query.report_index import index_of_columns, index_of_terms
        from holdsfor.runtime.reports.report_tables import DecodedReport

        if self.recorded is not None and isinstance(self.engine, ColumnarEngine):
            report = self.recorded.report()
            if report is not None:
                return index_of_columns(report, self.engine.symbols.view, self._settings(report.query_time))
        elif self.last:
            known = self.last[-1]
            settings = self._settings(known.query_time)
            if isinstance(known, DecodedReport):
                return index_of_columns(known.report, known.symbols, settings)
            return index_of_terms(known.intervals, known.times, settings)
        return index_of_terms({}, {}, self._settings(None))

    def _settings(self, query_time: int | None) -> RunSettings:
        from holdsfor.query.result_index import RunSettings

        return RunSettings(self.engine.start, query_time, self.engine.options.tick, self._times())

    def _times(self) -> TimeType | None:
        """The type of times that the run shows; None for integers."""
        return time_type_of(self.engine.shown)
