"""Streams of records: the rules over streaming DataFrames, with feeds of changes, settled results and problems."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from holdsfor.analysis.fingerprint import fingerprint
from holdsfor.analysis.output_selection import chosen_patterns
from holdsfor.analysis.pipeline import Compiled, check_clock, with_clock, with_output
from holdsfor.analysis.result_columns import find_table
from holdsfor.distribution.one_bucket import one_bucket_warnings
from holdsfor.distribution.stages import Stages, plan_stages
from holdsfor.errors import Diagnostic, ParallelismWarning, UsageProblem
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import check_bounds, check_windows
from holdsfor.sources.ahead import MaxAheadArgument, max_ahead_of
from holdsfor.sources.time_arguments import DurationArgument, TimeArgument, duration_of, time_point_of
from holdsfor.sources.times import Unit
from holdsfor.spark.cluster.connect import parallelism, refuse_connect
from holdsfor.spark.input.ingestion import MOST_STREAM_BUCKETS, check_buckets
from holdsfor.spark.input.inputs import Columns, Given
from holdsfor.spark.job.job_input import in_order
from holdsfor.spark.streaming.alerts import alert_rows, alert_sink_of, check_condition
from holdsfor.spark.streaming.batch_progress import BatchProgress
from holdsfor.spark.streaming.current_view import current_sink_of, last_changes
from holdsfor.spark.streaming.decisions import DecisionLog, Pace, check_idle
from holdsfor.spark.streaming.feeds import Feed, OutputWriter
from holdsfor.spark.streaming.identity import (
    LATER,
    Identity,
    Manifest,
    begin_generation,
    check_identity,
    given_columns,
    last_commit,
    read_manifest,
)
from holdsfor.spark.streaming.keep import keep
from holdsfor.spark.streaming.micro_batches import MicroBatches, StreamPlan
from holdsfor.spark.streaming.restart import restart
from holdsfor.spark.streaming.state_files import FILES, StreamFiles
from holdsfor.spark.streaming.stopped_stream import StoppedStream, digest_of_stages, planned_rules
from holdsfor.spark.streaming.stored_rules import has_rules, store_rules
from holdsfor.spark.streaming.stream_input import stream_input
from holdsfor.syntax.output_selectors import Selectors
from holdsfor.syntax.terms import Term

__all__ = ["RecognitionStream", "stream"]

OnChange: TypeAlias = Literal["refuse", "keep", "restart"]
"""The treatment of a checkpoint of other rules."""

ClockChoice: TypeAlias = Literal["event", "wall"]
"""The clock that makes query times due."""

Operation: TypeAlias = Literal["+", "-"]
"""The operation of a change: an insert or a delete."""

_PER_SECOND: dict[Unit, int] = {"s": 1, "ms": 1_000, "us": 1_000_000}


@dataclass(frozen=True, repr=False)
class RecognitionStream:
    """The results of the rules on streams, as feeds that `writeStream` writes.

    `changes` has the changes of every query time, `changes_of` those of one fluent or event with typed columns,
    `settled` the results that no later record changes, and `problems` the records that are late, dropped, cut, set
    aside or unmatched. `current` keeps a table of all known results, and `alerts` has some of the changes for a
    webhook or a topic. `writeStream` writes several of them with one evaluation.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> ticks = spark.readStream.format("rate").load().selectExpr("value as ts", "'chris' as person")
    >>> found = hf.spark.stream(ticks, rules, columns="happensAt(win(person), ts)", window=20, step=5, buckets=1)
    >>> found.changes, found.changes_of("rich"), found.settled, found.problems
    (Feed of changes, Feed of changes of rich, Feed of settled, Feed of problems)
    >>> writer = found.changes.writeStream.format("parquet").option("checkpointLocation", "checkpoint")
    """

    plan: StreamPlan
    _identity: Identity
    _has_buckets: bool = True
    _on_change: OnChange = "refuse"

    @property
    def changes(self) -> Feed:
        """`query_time, op, kind, name, arguments, value, fvp, start, end`; rows with the `op` `-` are deletes."""
        return Feed(self, "changes", lambda output: output.change_rows, lambda output: output.counts.get("changes", 0))

    def changes_of(self, name: str) -> Feed:
        """The changes of one fluent or event: `query_time`, `op`, and the columns of its table."""
        layout = find_table(self.plan.columns, self.plan.compiled.names, name)
        name = f"changes of {layout.table}"
        return Feed(self, name, lambda output: output.typed_changes(layout), lambda output: output.n_changes_of(layout))

    @property
    def settled(self) -> Feed:
        """`kind, name, arguments, value, fvp, start, end`; each interval and time-point once."""
        return Feed(self, "settled", lambda output: output.settled_rows, lambda output: output.counts.get("settled", 0))

    @property
    def current(self) -> Feed:
        """All known results: a table of PostgreSQL or snapshots of Parquet that each micro-batch brings up to date.

        A row has the columns of `changes` without `op`; `query_time` is that of its last change. `foreachBatch` gets
        the rows to delete and to insert, with their `op`.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> ticks = spark.readStream.format("rate").load().selectExpr("value as ts", "'chris' as person")
        >>> found = hf.spark.stream(ticks, rules, columns="happensAt(win(person), ts)", window=20, step=5, buckets=1)
        >>> writer = found.current.writeStream.format("parquet").option("checkpointLocation", "checkpoint")
        """
        n_rows = self.changes.n_rows
        return Feed(self, "current", lambda output: last_changes(output.changes), n_rows, current_sink_of)

    def alerts(self, *selectors: str, where: str | None = None, ops: Sequence[Operation] = ("+",)) -> Feed:
        """The changes of some fluents and events, with an `id` that is the same when an alert is sent again.

        A selector is a name, a name with its arity such as `gap/1`, or a pattern such as `gap(_)=farFromPorts`.
        `where` is a condition in SQL on the columns of `changes`; `ops` are the operations of the changes. Besides the
        formats of other feeds there is `webhook`, with the option `url`.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> ticks = spark.readStream.format("rate").load().selectExpr("value as ts", "'chris' as person")
        >>> found = hf.spark.stream(ticks, rules, columns="happensAt(win(person), ts)", window=20, step=5, buckets=1)
        >>> alerts = found.alerts("rich", where="arguments[0] = 'chris'")
        >>> writer = alerts.writeStream.format("webhook").option("url", "https://example.org/hook")
        """
        for each in ops:
            _check_choice("ops", each, get_args(Operation))
        if where is not None:
            check_condition(self.plan.input.spark, where)
        compiled, n_rows = self.plan.compiled, self.changes.n_rows
        patterns = chosen_patterns(selectors, "alerts", compiled.names, compiled.graph, compiled.selection)
        return Feed(
            self, "alerts", lambda output: alert_rows(output.changes, patterns, ops, where), n_rows, alert_sink_of
        )

    @property
    def problems(self) -> Feed:
        """Records without the usual effect, with their `kind`: late, dropped, cut, set aside or unmatched."""
        return Feed(self, "problems", lambda output: output.problems, lambda output: output.n_problems)

    @property
    def writeStream(self) -> OutputWriter:
        """A writer of all feeds: its `foreachBatch` gets a `MicroBatch` with `changes`, `settled` and `problems`."""
        return OutputWriter(self)

    def micro_batches(
        self,
        checkpoint: str,
        on_progress: Callable[[BatchProgress], None] = lambda _: None,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> MicroBatches:
        """The micro-batches of a query with a checkpoint; the checkpoint of another stream is refused."""
        files, committed = StreamFiles(f"{checkpoint}/{FILES}"), last_commit(checkpoint)
        known = read_manifest(files)
        DecisionLog(files).check_committed(committed)
        identity = self._identity_in(known)
        plan = replace(self.plan, n_buckets=identity.n_buckets, stages=self._stages_in(known))
        manifest = check_identity(files, identity, plan.rules, digest_of_stages(plan.stages), is_new=committed < 0)
        begin_generation(files, manifest, committed)
        if not has_rules(files.inside(manifest.folder)):
            store_rules(files.inside(manifest.folder), plan.rules)
        return MicroBatches(plan, files, manifest, on_progress, is_stopping)

    def adapt(self, checkpoint: str) -> None:
        """Rewrite the state in a checkpoint for the rules of this stream, if they are others and that is asked for.

        The caller has the lock on the checkpoint.
        """
        files = StreamFiles(f"{checkpoint}/{FILES}")
        known = read_manifest(files)
        if self._on_change == "refuse" or known is None:
            return
        identity = self._identity_in(known)
        others = replace(known.identity, fingerprint=identity.fingerprint)
        if others != identity or known.identity == identity:
            return  # another setting is refused, with other rules too
        stream = StoppedStream(checkpoint, files)
        if self._on_change == "keep":
            keep(stream, identity, self.plan.rules)
        else:
            restart(stream, identity, self.plan.rules, self.plan.stages)

    def _identity_in(self, known: Manifest | None) -> Identity:
        """The identity of this stream in a checkpoint; without a number of buckets, it takes that of the checkpoint."""
        if known is None:
            return self._identity
        n_buckets = self._identity.n_buckets if self._has_buckets else known.identity.n_buckets
        noted = {name: getattr(self._identity, name) for name in LATER if getattr(known.identity, name) is not None}
        return replace(self._identity, n_buckets=n_buckets, **{**dict.fromkeys(LATER), **noted})

    def _stages_in(self, known: Manifest | None) -> Stages:
        """The stages of this stream in a checkpoint; some may continue from those of earlier rules."""
        if known is None or not known.fixed or known.identity.fingerprint != self._identity.fingerprint:
            return self.plan.stages
        return planned_rules(self.plan.rules, self.plan.tick, self.plan.window).plan(known.fixed_stages)

    def __repr__(self) -> str:
        tables = ", ".join(layout.table for layout in self.plan.columns)
        return f"RecognitionStream of {tables}, windows of {self.plan.window} every {self.plan.step}"


def stream(
    data: Given | Iterable[Given] | Compiled,
    rules: Given | Iterable[Given] | Compiled,
    *,
    window: DurationArgument,
    step: DurationArgument | None = None,
    columns: Columns | None = None,
    start: TimeArgument | None = None,
    arrival: str | None = None,
    source: str | None = None,
    idle: DurationArgument | None = None,
    max_ahead: MaxAheadArgument | None = None,
    clock: ClockChoice = "event",
    buckets: int | None = None,
    tick: int = 1,
    allen_memory: DurationArgument | None = None,
    goals: Iterable[Term] = (),
    time_unit: Unit | None = None,
    tz: str | None = None,
    times: Literal["integer"] | None = None,
    show: Selectors | None = None,
    on_change: OnChange = "refuse",
) -> RecognitionStream:
    """The results of the rules on streaming DataFrames, at query times that are `step` apart.

    A streaming DataFrame is described as in `hf.spark.recognise`: by the columns of records, or by `columns`, or in a
    list of pairs. `arrival` is the column with the arrival of each record, such as the `timestamp` of Kafka; without
    it a record arrives when it occurs, or when it is read, if a query time has passed before.

    A query time is due when all sources have delivered a record that arrives later. `source` is a column that
    distinguishes sources, such as the partition of a topic; otherwise each DataFrame is one source. A source that is
    silent for longer than `idle` is not waited for. A record that is more than `max_ahead` after the wall clock (by
    default one day), or with integer times after the other sources (no default), is set aside; "none" allows all. With
    `clock="wall"`, a query time is due when its time has come. A query time covers the `window` before it; records that
    arrive later than that are dropped and counted.

    `start` is the first time-point of the run, by default the first record of the first micro-batch, rounded down to a
    multiple of the step. `buckets` is the number of partitions of the keys, which is fixed by the first start of a
    query; `hf.spark.rescale` changes it. A checkpoint of other rules is refused, unless `on_change` is "restart" or
    "keep": "restart" computes all results anew from the records in the window, "keep" those of changed definitions, and
    continues with the state of the others. The other arguments are those of `hf.spark.recognise`.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> ticks = spark.readStream.format("rate").load().selectExpr("value as ts", "'chris' as person")
    >>> hf.spark.stream(ticks, rules, columns="happensAt(win(person), ts)", window=20, step=5, buckets=1)
    RecognitionStream of rich, windows of 20 every 5
    """
    compiled, inputs = in_order(rules, [data])
    _check_choice("on_change", on_change, get_args(OnChange))
    _check_choice("clock", clock, get_args(ClockChoice))
    check_clock(time_unit, tz)
    check_buckets(buckets, MOST_STREAM_BUCKETS)
    unit = time_unit or "s"
    lengths = _lengths(window, step, allen_memory, start, tick, unit, tz)
    compiled, goals = with_clock(with_output(compiled, show), unit, tz), list(goals)
    stages = _planned_stages(compiled, tick, lengths.window, goals)
    timeout = duration_of(idle, "idle", "s")
    check_idle(timeout)
    has_clock = clock == "wall" or timeout is not None
    given = stream_input(inputs, compiled, tick, columns, arrival, source, has_clock=has_clock)
    refuse_connect(given.spark, "a stream")
    seconds = None if timeout is None else float(timeout)
    unit_of_clock = _PER_SECOND[unit] if clock == "wall" else None
    plan = StreamPlan(
        compiled,
        Rules.of(compiled, goals),
        stages,
        given,
        Pace(
            lengths.start,
            lengths.step,
            seconds,
            unit_of_clock,
            len(given.sources),
            max_ahead=max_ahead_of(max_ahead, unit),
        ),
        tick,
        lengths.window,
        lengths.step,
        lengths.allen_memory,
        parallelism(given.spark) if buckets is None else buckets,
        unit,
        tz,
        times == "integer",
    )
    progress = [f"{what} {name}" for what, name in (("source", source), ("arrival", arrival)) if name is not None]
    identity = _identity(plan, fingerprint(compiled, goals), lengths.start, clock, progress, has_clock=has_clock)
    return RecognitionStream(plan, identity, buckets is not None, on_change)


def _check_choice(name: str, found: str, choices: Sequence[str]) -> None:
    """Refuse another value of an argument than its choices."""
    if found not in choices:
        *others, last = (f'"{each}"' for each in choices)
        message = f"expected {', '.join(others)} or {last} for `{name}`, found `{found}`"
        raise UsageProblem(Diagnostic("HF704", message))


@dataclass(frozen=True)
class _Lengths:
    """The first time-point of a stream, and the lengths of its windows, steps and Allen memory, in time-points."""

    start: int | None
    window: int
    step: int
    allen_memory: int | None


def _lengths(
    window: DurationArgument,
    step: DurationArgument | None,
    allen_memory: DurationArgument | None,
    start: TimeArgument | None,
    tick: int,
    unit: Unit,
    tz: str | None,
) -> _Lengths:
    """The arguments as integers, checked."""
    length, memory = duration_of(window, "window", unit), duration_of(allen_memory, "allen_memory", unit)
    distance = length if step is None else duration_of(step, "step", unit)
    first = time_point_of(start, "start", unit, tz)
    check_windows(tick, length, distance, memory)
    check_bounds(first, None)
    assert length is not None
    assert distance is not None
    return _Lengths(first, length, distance, memory)


def _planned_stages(compiled: Compiled, tick: int, window: int, goals: list[Term]) -> Stages:
    """The stages of the rules, with a warning for rules whose keys cannot be divided."""
    planned = EngineSession(compiled, start=0, tick=tick, window=window, goals=goals)
    stages = plan_stages(compiled, planned.rules.program, has_start_up_goals=bool(goals))
    for each in one_bucket_warnings(stages):
        warnings.warn(each.render(), ParallelismWarning, stacklevel=3)
    return stages


def _identity(
    plan: StreamPlan, rules: str, start: int | None, clock: str, progress: list[str], *, has_clock: bool
) -> Identity:
    """The settings that a restart must have in common."""
    inputs = [
        given_columns(",".join(f"{field.name} {field.dataType.simpleString()}" for field in source.frame.schema))
        for source in plan.input.sources
    ]
    return Identity(
        rules,
        plan.window,
        plan.step,
        plan.tick,
        start,
        plan.allen_memory,
        plan.unit,
        plan.zone,
        clock,
        plan.n_buckets,
        inputs,
        list(plan.input.descriptions),
        progress,
        list(plan.input.formats),
        plan.has_integers,
        has_clock,
    )
