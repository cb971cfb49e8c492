"""All inputs of a job, DataFrames and prepared history, and how they reach the stages.

Stages read prepared history in place (`holdsfor.spark.prepared.colocated`). Prepared history is read like other input
if another input may retract its records, or if there are several histories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.input_facts import with_input_facts
from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.place_types import InputColumn
from holdsfor.analysis.sorts import Place
from holdsfor.columns.time_type import TimeType
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.parallel.exchange.routing import Destination, Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.stages.admission import JobAdmission
from holdsfor.parallel.stages.rule_facts import rule_fact_loads
from holdsfor.sources.input_columns import merged_columns
from holdsfor.sources.times import Clock
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.cluster.broadcast_rules import broadcast_rules
from holdsfor.spark.exchange.shuffle_rows import loads_of, sent_rows
from holdsfor.spark.input.frame_reader import ReaderSettings
from holdsfor.spark.input.frame_sources import TimeForms, time_forms
from holdsfor.spark.input.ingestion import Ingestion, frame_of, keep, rows_frame, union
from holdsfor.spark.input.inputs import Columns, Given, Inputs, inputs_of
from holdsfor.spark.input.set_aside import unreadable_facts
from holdsfor.spark.prepared.colocated import Colocated, Division, divide
from holdsfor.spark.prepared.history import Prepared

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["JobInput", "in_order", "read_job_input"]

_MANY_MORE = 4


@dataclass(frozen=True)
class JobInput:
    """The inputs of a run; `in_place` is prepared history that stages read in place.

    `columns` are the columns of all inputs in the places of records, and `time_type` is the type of their times.
    """

    compiled: Compiled
    rules: Rules
    ingestion: Ingestion
    in_place: Prepared | None
    histories: Sequence[Prepared]
    unreadable: Sequence[Unreadable]
    columns: Mapping[Place, InputColumn]
    time_type: TimeType | None

    @property
    def kept(self) -> list[DataFrame]:
        return self.ingestion.kept

    @property
    def everything(self) -> Ingestion:
        """All inputs, with prepared history read like other input."""
        if self.in_place is None:
            return self.ingestion
        return replace(
            self.ingestion, shuffle_blocks=[*self.ingestion.shuffle_blocks, self.in_place.all_of(self.compiled.names)]
        )

    @cached_property
    def n_buckets(self) -> int:
        return self.ingestion.n_buckets if self.in_place is None else self.in_place.n_buckets

    def n_tasks(self, n_buckets: int) -> int:
        """The number of tasks of a stage; a task evaluates several buckets if there are more than the input needs.

        The buckets of prepared history are chosen for its size, so a few of them more than needed have their own tasks.
        """
        if self.in_place is None:
            return min(n_buckets, self.n_buckets)
        needed = self.ingestion.n_buckets_of(sum(table.n for table in self.in_place.used(self.compiled.names)))
        return needed if _MANY_MORE * needed <= n_buckets else n_buckets

    def bounds(self, n_buckets: int) -> tuple[int | None, int | None]:
        """The first and last time-point of all records; prepared history stores its own."""
        found = [history.extent(self.compiled.names) for history in self.histories]
        if self.ingestion.sources:
            found.append(self.ingestion.bounds(n_buckets))
        first = min((first for first, _ in found if first is not None), default=None)
        last = max((last for _, last in found if last is not None), default=None)
        return with_input_facts((first, last), self.compiled.names, self.ingestion.setting.tick)

    def sent(
        self, admission: JobAdmission, destinations: tuple[Destination, ...], n_buckets: int
    ) -> tuple[DataFrame, dict[int, Colocated]]:
        """Shuffle blocks of all inputs, and the colocated blocks of each stage by its number."""
        frames = [self.ingestion.sent(admission, Router(destinations), n_buckets)] if self.ingestion.has_any else []
        frames += self._given(admission, Router(destinations))
        colocated: dict[int, Colocated] = {}
        if self.in_place is not None:
            division = divide(self.in_place, self.compiled, destinations)
            frames += [self._routed(self.in_place, admission, division)] if division.left else []
            files = self.in_place.files_by_bucket()
            colocated = {
                number: Colocated(tables, wanted, replace(admission, count_scope=count_scope), files)
                for number, (tables, wanted, count_scope) in division.colocated.items()
            }
            frames.append(self.in_place.remarks())
            frames.append(_sent_kinds(self.in_place, Router(destinations)))
        return keep(union(frames), self.kept), colocated

    def _given(self, admission: JobAdmission, sender: Router) -> list[DataFrame]:
        """The shuffle blocks of input facts in the rules, made on the driver."""
        batches = list(
            sent_rows(admission(rule_fact_loads(self.compiled, self.ingestion.setting.tick)), sender.shuffle_blocks)
        )
        return [self.ingestion.spark.createDataFrame(pa.Table.from_batches(batches))] if batches else []

    def _routed(self, in_place: Prepared, admission: JobAdmission, division: Division) -> DataFrame:
        sender, admit = Router(division.destinations), replace(admission, count_scope=division.count_scope)
        return frame_of(
            in_place.shuffle_blocks(division.left),
            lambda batches: sent_rows(admit(loads_of(batches)), sender.shuffle_blocks),
        )

    def through_spark(self, number: int, colocated: Colocated | None) -> list[DataFrame]:
        """The colocated blocks of a stage read by Spark, if workers cannot open the files."""
        if self.in_place is None or colocated is None or colocated.files:
            return []
        return [self.in_place.shuffle_blocks(colocated.tables, stage=number)]


def _sent_kinds(in_place: Prepared, sender: Router) -> DataFrame:
    """The kinds of constants in prepared history, sent to the first stage."""
    return frame_of(in_place.kinds(), lambda batches: sent_rows(loads_of(batches), sender.shuffle_blocks))


def in_order(first: Any, others: Sequence[Any]) -> tuple[Compiled, Given | list[Given]]:
    """Rules and data, given in either order."""
    if not isinstance(first, Compiled) and len(others) == 1 and isinstance(others[0], Compiled):
        first, others = others[0], [first]
    if not isinstance(first, Compiled):
        found = next((each for each in (first, *others) if not hasattr(each, "mapInArrow")), first)
        hint = "`hf.load` reads the rules of files, `hf.load_text` those of a text"
        raise UsageProblem(Diagnostic("HF704", f"expected rules, found `{type(found).__name__}`", hint=hint))
    if not others:
        hint = "give a DataFrame, a path or a list of them: `hf.spark.recognise(rules, data)`"
        raise UsageProblem(Diagnostic("HF704", "expected data to recognise the rules in, found none", hint=hint))
    return first, others[0] if len(others) == 1 else list(others)


def read_job_input(
    data: Given | Iterable[Given],
    compiled: Compiled,
    rules: Rules,
    tick: int,
    columns: Columns | None = None,
    clock: Clock | None = None,
) -> JobInput:
    """The inputs of a run, checked against its rules."""
    clock = clock or Clock()
    inputs = inputs_of(data, compiled.names, tick, columns)
    sources, histories = inputs.sources, inputs.histories
    for source in sources:
        _refuse_stream(source.frame)
    for history in histories:
        history.check_clock(clock)
    may_retract = any(source.may_retract for source in sources)
    spark = (sources[0].frame if sources else histories[0].frame).sparkSession
    rules = broadcast_rules(spark, rules)
    forms = _time_forms(inputs)
    has_offset = True if forms.has_offset is None else forms.has_offset
    setting = ReaderSettings(rules, tick, clock.given_unit, has_offset, may_retract, clock.zone)
    in_place = histories[0] if len(histories) == 1 and not may_retract else None
    shuffle_blocks = [] if in_place is not None else [history.all_of(compiled.names) for history in histories]
    shuffle_blocks += [unused for history in histories if (unused := _unused(history, compiled)) is not None]
    if inputs.unreadable:
        blocks = [ShuffleBlock(NO_STAGE, (0,), 1, unreadable_facts(each)) for each in inputs.unreadable]
        shuffle_blocks.append(rows_frame(spark, blocks))
    ingestion = Ingestion(spark, sources, shuffle_blocks, setting, [])
    times = Clock(clock.unit, has_offset=forms.records, zone=clock.zone).time_type
    return JobInput(compiled, rules, ingestion, in_place, histories, inputs.unreadable, _input_columns(inputs), times)


def _refuse_stream(frame: DataFrame) -> None:
    """Refuse a streaming DataFrame: a job needs a table."""
    if frame.isStreaming:
        hint = "`hf.spark.stream` takes streams: `hf.spark.stream(frame, rules, window=…, step=…).changes`"
        raise UsageProblem(Diagnostic("HF794", "expected a table, found a streaming DataFrame", hint=hint))


def _time_forms(inputs: Inputs) -> TimeForms:
    """The forms of the times of all inputs; prepared history has been read, so it decides."""
    prepared = next((each.has_offset for each in inputs.histories if each.has_offset is not None), None)
    return time_forms(inputs.sources) if prepared is None else TimeForms(prepared)


def _input_columns(inputs: Inputs) -> dict[Place, InputColumn]:
    found: dict[Place, InputColumn] = {}
    columns = [*(source.columns for source in inputs.sources), *(history.columns for history in inputs.histories)]
    for each in columns:
        found = merged_columns(found, each)
    return found


def _unused(history: Prepared, compiled: Compiled) -> DataFrame | None:
    """The number of prepared records that these rules do not use."""
    counts = history.unused_by(compiled.names)
    shuffle_blocks = [ShuffleBlock(NO_STAGE, (0,), 1, Facts("unused", name, 0, n)) for name, n in counts.items()]
    return rows_frame(history.frame.sparkSession, shuffle_blocks) if shuffle_blocks else None
