"""A session: records are inserted and retracted between query times.

>>> import holdsfor as hf
>>> rules = hf.load_text('''
... initiatedAt(rich(X)=true, T) :- happensAt(win_lottery(X), T).
... terminatedAt(rich(X)=true, T) :- happensAt(lose_wallet(X), T).
... ''')
>>> session = hf.Session(rules, start=0, window=20, step=10)
>>> _ = session.insert(hf.Event("win_lottery", "chris", at=3))
>>> session.query()
Report at 10: 1 FVP, 0 events, 1 change
  rich(chris)=true  [(4,inf)]
>>> _ = session.insert(hf.Event("lose_wallet", "chris", at=9))
>>> print(*session.query().changes)
shortened rich(chris)=true (4,inf) → (4,10)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn, SupportsIndex

from holdsfor.analysis.pipeline import Compiled, check_clock, refuse_unknown_unit, with_clock, with_output
from holdsfor.analysis.place_types import InputColumn
from holdsfor.analysis.sorts import Place
from holdsfor.analysis.variable_types import ConstantType
from holdsfor.api.recognition import Input, check_arguments, warn_no_result, warn_set_aside
from holdsfor.api.report import Report
from holdsfor.columns.query_times import QueryTimes
from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.prolog.faults import fault_problem
from holdsfor.query.query_engine import QueryContext
from holdsfor.runtime import session as engine
from holdsfor.runtime.reports.report import ReportColumns as Known
from holdsfor.runtime.reports.report import merged
from holdsfor.runtime.reports.report_tables import DecodedReport
from holdsfor.runtime.snapshot import Snapshot, integer, integer_or_none, reading_of
from holdsfor.runtime.windows import busy_query_times, check_bounds, check_windows
from holdsfor.sinks.changes import Change
from holdsfor.sinks.output_files import replace_file
from holdsfor.sources.input_columns import input_columns, is_untyped, merged_columns, with_schema
from holdsfor.sources.input_files import files_of_inputs
from holdsfor.sources.inputs import InputReader, listed_together, open_input
from holdsfor.sources.number_checks import refuse_conflicts
from holdsfor.sources.python_objects import Event, Fluent
from holdsfor.sources.reading import ColumnReading, Operations
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.time_arguments import DurationArgument, TimeArgument, duration_of, time_point_of
from holdsfor.sources.times import Clock, Unit
from holdsfor.syntax.output_selectors import Selectors, selector_texts
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term
from holdsfor.syntax.time_points import LATEST

__all__ = ["Change", "Event", "Fluent", "Inserted", "Report", "Session"]


@dataclass(frozen=True)
class Inserted:
    """The outcome of an insertion: the number of records, and the records without effect, with reasons.

    `unmatched` are retractions without a record among those inserted so far.
    """

    n_records: int
    unused: Counter[str]
    set_aside: list[SetAside]
    unmatched: list[SetAside]


_AS_SAVED: Any = object()


class Session:
    """A run of the rules over records that are inserted step by step.

    A query time covers the window before it (without a window: all time since the start). Query times are `step` apart,
    by default a window. The run starts at `start`, by default at the first record of the first query time. `goals` are
    proved before the run. An interval that ended more than `allen_memory` ago, by default the window, is no longer
    `before` a later one. Records that do not fit are set aside, and conditions without a result for some values are a
    `NoResultWarning`; both are errors if `strict`. With `incremental` "on", a query time evaluates only what changed,
    with "off" the whole window, and by default what costs less; the results are the same. It may keep
    `incremental_memory` bytes to do so. `show` are the fluents and events to report, and `time_unit` is the length of a
    time-point, both as in `recognise`.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> session = hf.Session(rules, start=0, window=20, step=10)
    >>> _ = session.insert(hf.Event("win", "chris", at=3))
    >>> session.query().holds_for("rich(chris)=true")
    [(4, None)]
    >>> session
    <Session over windows of 20, queried at 10, 1 records>
    """

    def __init__(
        self,
        rules: Compiled,
        *,
        window: DurationArgument | None = None,
        step: DurationArgument | None = None,
        start: TimeArgument | None = None,
        tick: int = 1,
        allen_memory: DurationArgument | None = None,
        goals: Iterable[str | Term] = (),
        time_unit: Unit | None = None,
        tz: str | None = None,
        times: Literal["integer"] | None = None,
        strict: bool = False,
        incremental: engine.Incremental = "auto",
        incremental_memory: int = engine.INCREMENTAL_MEMORY,
        show: Selectors | None = None,
    ) -> None:
        check_arguments(rules, [self])
        check_clock(time_unit, tz)
        self._show = None if show is None else selector_texts(show, "show")
        self._has_unit, time_unit = time_unit is not None, time_unit or "s"
        rules = with_clock(with_output(rules, show), time_unit, tz)
        length, distance = duration_of(window, "window", time_unit), duration_of(step, "step", time_unit)
        memory, first = (
            duration_of(allen_memory, "allen_memory", time_unit),
            time_point_of(start, "start", time_unit, tz),
        )
        check_windows(tick, length, distance, memory)
        check_bounds(first, None)
        self.window = length
        self.step = length if distance is None else distance
        self._has_integers = times == "integer"
        self.tick = tick
        self.strict = strict
        self.n_records = 0
        self._rules = rules
        self._given: dict[Place, InputColumn] = {}
        self._has_untyped = False
        self._clock = Clock(time_unit, zone=tz)
        self._engine = engine.EngineSession(
            rules,
            start=first or 0,
            tick=tick,
            window=length,
            allen_memory=memory,
            goals=_proved(goals),
            incremental=incremental,
            incremental_memory=incremental_memory,
        )
        self._start = first
        self._last_report = Known(self._engine.start - 1, {}, {})
        self._n_outside = 0
        self._n_set_aside = 0
        self._counted = [0, 0, 0, 0, 0, 0]

    @property
    def start(self) -> int | None:
        """The start of the run, or None before the first record.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> session = hf.Session(rules, start=0, window=20)
        >>> session.start, hf.Session(rules).start
        (0, None)
        """
        return self._start

    @property
    def query_time(self) -> int | None:
        """The last query time.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> session = hf.Session(rules, start=0, window=20)
        >>> session.query().query_time == session.query_time == 20
        True
        """
        return self._engine.previous

    @property
    def n_kept_for_allen(self) -> int:
        """The number of intervals before the window that are kept for Allen relations.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> session = hf.Session(rules, start=0, window=20)
        >>> session.n_kept_for_allen
        0
        """
        return self._engine.n_kept_for_allen

    @property
    def mismatches(self) -> tuple[Diagnostic, ...]:
        """A warning for each join of records, or of records and facts, whose constants have had no type in common.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("happensAt(both(X), T) :- happensAt(a(X), T), happensAt(b(X), T).")
        >>> session = hf.Session(rules, start=0, window=20)
        >>> _ = session.insert(["a|1|1|7", "b|1|1|7.0"])
        >>> session.mismatches[0].message
        '`a(X)` has integers (1, such as `7`) and `b(X)` has floats (1, such as `7.0`), so they never join'
        """
        return tuple(self._engine.state.place_kinds.mismatches(self._rules.names.joins))

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse `copy`, `pickle` and their like with a `TypeError`; save and load a session instead."""
        self._engine.__reduce_ex__(protocol)

    def __repr__(self) -> str:
        at = "not queried yet" if self.query_time is None else f"queried at {self.query_time}"
        window = "the whole history" if self.window is None else f"windows of {self.window}"
        return f"<Session over {window}, {at}, {self.n_records} records>"

    # -- snapshots -----------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the session to a file, from which `load` continues, also in another process.

        The file has the open FVPs and the records in the window, not the history. It is replaced atomically: a crash
        leaves the old file or the new one. The file contains the records inserted so far; the caller inserts all later
        records again, and therefore saves its position in the input beside the session.

        >>> import holdsfor as hf, tempfile
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> session = hf.Session(rules, start=0, window=20, step=10)
        >>> _ = session.insert(hf.Event("win", "chris", at=3))
        >>> _ = session.query()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     session.save(f"{folder}/state")
        ...     again = hf.Session.load(f"{folder}/state", rules)
        >>> again
        <Session over windows of 20, queried at 10, 1 records>
        >>> again.query().holds_for("rich(chris)=true")
        [(4, None)]
        """
        replace_file(path, self.snapshot())

    def snapshot(self) -> bytes:
        """The session as bytes, for `restore`; `save` writes them to a file.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> hf.Session.restore(hf.Session(rules, start=0, window=20).snapshot(), rules)
        <Session over windows of 20, not queried yet, 0 records>
        """
        more = {
            "step": self.step,
            "strict": self.strict,
            "time": [self._clock.unit, self._clock.has_offset, self._clock.zone, self._has_integers],
            "are_arguments": self._clock.are_arguments,
            "has_unit": self._has_unit,
            "time_columns": sorted(map(list, self._clock.columns), key=str),
            "zone": self._rules.description.time_zone,
            "show": self._show,
            "start": self._start,
            "columns": [[*place, int(column.types), column.name] for place, column in self._given.items()],
            "counts": [self.n_records, self._n_outside, self._n_set_aside],
            "reported": self._counted,
        }
        return self._engine.snapshot({"session": more}).to_bytes()

    @classmethod
    def load(
        cls,
        path: str | Path,
        rules: Compiled,
        *,
        window: DurationArgument | None = _AS_SAVED,
        step: DurationArgument | None = _AS_SAVED,
        tick: int = _AS_SAVED,
        allen_memory: DurationArgument | None = _AS_SAVED,
        show: Selectors | None = _AS_SAVED,
        goals: Iterable[str | Term] = (),
    ) -> Session:
        """The session of a file, which continues exactly like the saved session.

        Rules and goals must be those of the saved session. Window, step, tick, memory and the output to show are read
        from the file; a different value given here is an error. So is a file that is damaged, or in the format of
        another version.

        >>> import holdsfor as hf, tempfile
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hf.Session(rules, start=0, window=20).save(f"{folder}/state")
        ...     hf.Session.load(f"{folder}/state", rules, window=30)
        Traceback (most recent call last):
        holdsfor.errors.UsageProblem: ...HF744... the snapshot ... has the window 20, expected 30...
        """
        try:
            data = Path(path).read_bytes()
        except (OSError, TypeError, ValueError) as error:
            message = f"the snapshot `{path}` cannot be read: {getattr(error, 'strerror', None) or error}"
            raise DataProblem(Diagnostic("HF508", message, hint="`Session.save` writes snapshots")) from None
        expected: dict[str, Any] = {"window": window, "step": step, "tick": tick, "allen_memory": allen_memory}
        expected["show"] = show if show is None or show is _AS_SAVED else selector_texts(show, "show")
        return cls._restored(data, rules, goals, expected, str(path))

    @classmethod
    def restore(cls, data: bytes, rules: Compiled, *, goals: Iterable[str | Term] = ()) -> Session:
        """The session of the bytes from `snapshot`.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> hf.Session.restore(b"something", rules)
        Traceback (most recent call last):
        holdsfor.errors.DataProblem: ...HF508... `snapshot` is not a snapshot of a session...
        """
        return cls._restored(data, rules, goals, {}, "snapshot")

    @classmethod
    def _restored(
        cls, data: bytes, rules: Compiled, goals: Iterable[str | Term], expected: dict[str, Any], name: str
    ) -> Session:
        check_arguments(rules, [name])
        snapshot = Snapshot.from_bytes(data, name)
        saved = snapshot.more.get("session")
        if not isinstance(saved, dict):
            message = f"the snapshot `{name}` is of a run of the command `holdsfor`, expected one of a session"
            raise UsageProblem(Diagnostic("HF744", message, hint="`Session.save` writes snapshots of sessions"))
        with reading_of(name):
            for setting, value in expected.items():
                if setting in ("window", "step", "allen_memory") and value is not _AS_SAVED:
                    value = duration_of(value, setting, saved["time"][0])
                known = saved.get(setting) if setting in ("step", "show") else snapshot.settings[setting]
                if value is not _AS_SAVED and value != known:
                    shown = {"show": "output to show"}.get(setting, setting.replace("_", " "))
                    found, wanted = (", ".join(each) if isinstance(each, list) else each for each in (known, value))
                    message = f"the snapshot `{name}` has the {shown} {found}, expected {wanted}"
                    hint = f"leave the {shown} out to continue as before, or start the run again"
                    raise UsageProblem(Diagnostic("HF744", message, hint=hint))
            rules = with_clock(with_output(rules, saved.get("show")), saved["time"][0], saved.get("zone"))
            session = cls.__new__(cls)
            session._engine = engine.EngineSession.restored(snapshot, rules, _proved(goals), name=name)
            session._rules, session._has_untyped = rules, False
            session._restore_fields(saved)
            return session

    def _restore_fields(self, saved: dict[str, Any]) -> None:
        """Set the fields of a session besides its engine."""
        self.window, self.tick = self._engine.window, self._engine.tick
        self.step, self.strict = integer_or_none(saved["step"], 1), bool(saved["strict"])
        self._start = integer_or_none(saved["start"])
        self._show = saved.get("show")
        unit, has_offset, zone, self._has_integers = saved["time"]
        self._clock = Clock(unit, has_offset=has_offset, zone=zone)
        self._clock.are_arguments, self._has_unit = saved["are_arguments"], saved["has_unit"]
        self._clock.columns = {(unit, zone) for unit, zone in saved["time_columns"]}
        self._given = {
            (*place,): InputColumn(ConstantType(types), name) for *place, types, name in saved.get("columns", [])
        }
        self.n_records, self._n_outside, self._n_set_aside = (integer(count) for count in saved["counts"])
        late, dropped, cut, set_aside, unmatched, new = map(integer, saved["reported"])
        self._counted = [late, dropped, cut, set_aside, unmatched, new]
        self._last_report = self._engine.last_report() or Known(self._engine.start - 1, {}, {})

    # -- records -------------------------------------------------------------------------------------------------------

    def insert(self, *records: Input) -> Inserted:
        """Add records: files, tables, frames, `Event` and `Fluent` objects, or lists of such objects or of text lines.

        A record arrives at the arrival that it states, but not before the next query time. A record with `op` `-`, in
        text with a leading `-`, retracts another. An exact duplicate is the same record. A retraction and an insertion
        with one `revision` id are a revision; both are inserted in one call. Records that do not fit are set aside,
        with a `SetAsideWarning`.

        >>> import holdsfor as hf, warnings
        >>> warnings.simplefilter("ignore", hf.errors.SetAsideWarning)
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> session = hf.Session(rules, start=0, window=20)
        >>> done = session.insert(hf.Event("win", "chris", at=3), ["win|5|5|anna", "win|soon|soon|bob"])
        >>> done.n_records, [record.text for record in done.set_aside]
        (3, ['win|soon|soon|bob'])
        """
        reading = self._read(records)
        operations = reading.unsettled()
        missing = [_origin(each, number) for each, number in self._engine.missing(operations)]
        missing += reading.incomplete
        if self.strict:
            _refuse([*reading.set_aside, *missing])
        self._engine.check_joins(operations, reading.typed)
        self._engine.records.add_unmatched(reading.incomplete)
        self._add(reading, operations)
        warn_set_aside(reading.n_records, reading.set_aside, stacklevel=3)
        return Inserted(reading.n_records, reading.unused, reading.set_aside, missing)

    def retract(self, *records: Input) -> None:
        """Retract records that were inserted; a record that was not inserted is an error, and no record is retracted.

        A record that ends before the last window cannot be retracted any more, and is counted as dropped.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> session = hf.Session(rules, start=0, window=20)
        >>> _ = session.insert(hf.Event("win", "chris", at=3))
        >>> session.retract(hf.Event("win", "chris", at=3))
        >>> session.query().holds_for("rich(chris)=true")
        []
        """
        reading = self._read(records)
        _refuse(reading.set_aside)
        operations = reading.unsettled()
        for each in operations:
            if each.retractions is not None:
                message = f"`{each.retractions.origins[0].text}` is itself a retraction"
                raise DataProblem(Diagnostic("HF506", message, hint="`retract` takes the records that were inserted"))
        operations = [each.inverted(_NOWHERE) for each in operations]
        for each, number in self._engine.missing(operations):
            assert each.retractions is not None
            self._refuse_missing(each.key, each.retractions.records, number)
        self._engine.apply(operations)

    def _add(self, reading: ColumnReading, operations: list[Operations]) -> None:
        for each in operations:
            self._n_outside += each.records.count_outside(self._engine.start, LATEST) if self._start is not None else 0
        self._engine.apply(operations)
        self.n_records += reading.n_records
        self._n_set_aside += len(reading.set_aside)

    def _read(self, records: Iterable[Input]) -> ColumnReading:
        names, inputs = self._rules.names, [with_schema(each) for each in files_of_inputs(listed_together(records))]
        input_reader = InputReader(names, self.tick, self._engine.symbols, ColumnReading(), self._clock)
        has_types = [each for each in inputs if not (is_untyped(each) and self._has_untyped)]
        given = merged_columns(self._given, input_columns(has_types, names))
        refuse_conflicts(names, given)
        for each in inputs:
            input_reader.add(open_input(each, names))
        self._has_untyped |= any(map(is_untyped, inputs))
        self._given = given
        return input_reader.reading

    def _refuse_missing(self, key: Key, columns: Records, row: int) -> None:
        terms = [self._engine.symbols.term(int(column[row])) for column in columns.columns]
        named = Struct(key[0], tuple(terms[: key[1]])) if key[1] else Atom(key[0])
        start = int(columns.starts[row])
        if columns.ends is None:
            what = f"`{show(named)}` at {start}"
        else:
            what = f"`{show(Struct('=', (named, terms[-1])))}` from {start} to {int(columns.ends[row])}"
        hint = "a record that was inserted twice is one record, and is retracted once"
        raise DataProblem(Diagnostic("HF506", f"{what} not found among the inserted records", hint=hint))

    # -- query times ---------------------------------------------------------------------------------------------------

    def query(self, at: TimeArgument | None = None, *, window: DurationArgument | None = None) -> Report:
        """The result at a query time, by default one step after the previous one.

        A later query time is reached in steps, so that no record falls between two windows; the report has the changes
        of all of them. A `window` applies to this query time only, and must not reach settled time-points.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> session = hf.Session(rules, start=0, window=20)
        >>> _ = session.insert(hf.Event("win", "chris", at=3))
        >>> session.query(15)
        Report at 15: 1 FVP, 0 events, 1 change
          rich(chris)=true  [(4,inf)]
        """
        self._check_unit()
        unit = self._clock.unit
        length = duration_of(window, "window", unit)
        start = self._begin() if self._start is None else self._start
        last = self._next_query_time(start, time_point_of(at, "at", unit, self._clock.zone))
        if length is not None:
            self._check_window(last, length)
        parts: list[Known] = []
        frontier: int | None = None
        for time in self._query_times(start, last):
            self._engine.window = self.window if length is None or time < last else length
            if parts:
                parts[-1] = parts[-1].before(self._engine.settled_at(time))
            parts.append(self._engine.query(time))
            frontier = self._engine.frontier if frontier is None else frontier
        assert frontier is not None
        faults = self._engine.faults.unreported()
        if self.strict and (problem := fault_problem(faults, self._rules.programs)) is not None:
            raise problem
        without_result = warn_no_result(faults, self._rules, stacklevel=3)
        report = self._report(parts, frontier, without_result)
        self._engine.window = self.window
        self._engine.records.take_unmatched()
        if self._engine.compact() is not None:
            self._last_report = self._engine.last_report() or self._last_report
        return report

    def _check_unit(self) -> None:
        """Refuse rules with durations if the times of records are integers of a unit that is not given."""
        if not self._has_unit and self._clock.has_offset is None and any(map(len, self._engine.records.all)):
            refuse_unknown_unit(self._rules, 'give the session a `time_unit`, such as `time_unit="s"`')

    def _check_window(self, at: int, window: int) -> None:
        """Refuse a window that misses time-points since the previous query time, or reaches settled time-points."""
        if self.window is None:
            message = "a session without a window covers all time since the start at every query time"
            raise UsageProblem(Diagnostic("HF740", message, hint="give the session a `window` first"))
        check_windows(self.tick, window, None)
        before, settled = self._engine.previous, self._engine.state.watermark
        if before is not None and window < min(at - before, self.step or 0):
            message = f"a window of {window} at {at} misses time-points after the previous query time, {before}"
            raise UsageProblem(Diagnostic("HF740", message, hint="give a longer window, or query more often"))
        if at - window < settled:
            message = f"a window of {window} at {at} begins at {at - window}, but time up to {settled} is settled"
            raise UsageProblem(Diagnostic("HF740", message, hint=f"give a window of at most {at - settled}"))

    def _begin(self) -> int:
        """Start the run at the first record, and return the start."""
        stores = self._engine.records.all
        first = min((int(records.starts.min()) for records in stores if len(records)), default=None)
        if first is None:
            message = "the session has no start and no record"
            raise UsageProblem(Diagnostic("HF740", message, hint="give the session its `start`, or insert records"))
        self._engine.begin(first)
        self._start = first
        return first

    def _next_query_time(self, start: int, at: int | None) -> int:
        """The next query time, or `at` if given."""
        before = start if self.query_time is None else self.query_time
        if at is None and self.step is None:
            raise UsageProblem(Diagnostic("HF740", "without a window there is no next query time", hint="give `at`"))
        last = before + (self.step or 0) if at is None else at
        if last < before or last == self.query_time:
            what = "start" if self.query_time is None else "previous query time"
            message = f"the query time {last} is not after the {what}, {before}"
            raise UsageProblem(Diagnostic("HF740", message, hint="query times ascend"))
        return last

    def _query_times(self, start: int, last: int) -> Iterator[int]:
        """The query times from the previous one (exclusive) to `last`."""
        before = start if self.query_time is None else self.query_time
        if self.step is None or self.query_time is None:
            yield last
        else:
            yield from busy_query_times(self._engine, QueryTimes(before, last, self.step, self.window), last)

    def _report(self, parts: list[Known], frontier: int, without_result: tuple[Diagnostic, ...]) -> Report:
        run, current = self._engine, parts[-1]
        known = current
        if self.window is not None:
            known = current.after(run.window_start(current.query_time), self.tick, self._last_report)
        late, dropped, cut, unmatched = run.records.counts
        counted = [late, dropped + self._n_outside, cut, self._n_set_aside, unmatched, run.state.n_new_members]
        late, dropped, cut, set_aside, unmatched, new = (
            now - before for now, before in zip(counted, self._counted, strict=True)
        )
        compared = self._last_report, current if len(parts) == 1 else merged(parts), frontier
        self._last_report, self._counted = current, counted
        counts = (late, dropped, cut, set_aside, unmatched, new)
        context = QueryContext(run.rules.compiled, run.rules.goals, self._start, self.tick)
        decoded = DecodedReport(known, run.symbols.view)
        times = None if self._has_integers else self._clock.time_type
        return Report(decoded, self._given, *counts, compared, without_result, context=context, time_type=times)


def _proved(goals: Iterable[str | Term]) -> list[Term]:
    return [parse_term(goal) if isinstance(goal, str) else goal for goal in goals]


def _origin(operations: Operations, number: int) -> SetAside:
    assert operations.retractions is not None
    return operations.retractions.origins[number]


_NOWHERE = SetAside("", 0, "", "retracts a record that is not there")


def _refuse(set_aside: list[SetAside]) -> None:
    if set_aside:
        first = set_aside[0]
        message = f"record {first.line} does not fit: {first.reason}"
        raise DataProblem(Diagnostic("HF503", message, hint=f"the record is `{first.text}`", file=first.file))
