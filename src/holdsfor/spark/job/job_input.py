"""All that a run is given, DataFrames and prepared history together, and how it comes to the stages.

Prepared history stays where it is, and stages find in it what they need (`holdsfor.spark.prepared.colocated`), unless
other input may retract what is in it, or there is more than one: then it is read like any other input.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.input_facts import with_input_facts
from holdsfor.analysis.pipeline import Compiled
from holdsfor.sources.times import Unit
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.exchange.facts import Facts
from holdsfor.spark.exchange.routing import Destination, Router
from holdsfor.spark.exchange.shipped_rules import Rules
from holdsfor.spark.exchange.shuffle_blocks import NOWHERE, ShuffleBlock, loads_of
from holdsfor.spark.input.frame_reader import Setting
from holdsfor.spark.input.frame_sources import has_offset
from holdsfor.spark.input.ingestion import Ingestion, frame_of, keep, rows_frame, union
from holdsfor.spark.input.inputs import Columns, Given, inputs_of
from holdsfor.spark.input.rule_facts import rule_fact_loads
from holdsfor.spark.input.set_aside import unreadable_facts
from holdsfor.spark.job.admission import JobAdmission
from holdsfor.spark.prepared.colocated import Colocated, Division, divide
from holdsfor.spark.prepared.history import Prepared

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["JobInput", "read_job_input"]


@dataclass(frozen=True)
class JobInput:
    """The inputs of a run; `near` is prepared history that stays where it is."""

    compiled: Compiled
    rules: Rules
    ingestion: Ingestion
    near: Prepared | None
    histories: Sequence[Prepared]
    unreadable: Sequence[Unreadable]

    @property
    def kept(self) -> list[DataFrame]:
        return self.ingestion.kept

    @property
    def everything(self) -> Ingestion:
        """All inputs as ordinary ones."""
        if self.near is None:
            return self.ingestion
        return replace(
            self.ingestion, shuffle_blocks=[*self.ingestion.shuffle_blocks, self.near.all_of(self.compiled.names)]
        )

    @cached_property
    def n_buckets(self) -> int:
        return self.ingestion.n_buckets if self.near is None else self.near.n_buckets

    def bounds(self, n_buckets: int) -> tuple[int | None, int | None]:
        """The first and last time-point of all records; of prepared history they are known."""
        found = [history.extent(self.compiled.names) for history in self.histories]
        if self.ingestion.sources:
            found.append(self.ingestion.bounds(n_buckets))
        first = min((first for first, _ in found if first is not None), default=None)
        last = max((last for _, last in found if last is not None), default=None)
        return with_input_facts((first, last), self.compiled.names, self.ingestion.setting.tick)

    def sent(
        self, admission: JobAdmission, destinations: tuple[Destination, ...], n_buckets: int
    ) -> tuple[DataFrame, dict[int, Colocated]]:
        """Shuffle blocks to all stages and to none, and what stages have at hand, by their number."""
        frames = [self.ingestion.sent(admission, Router(destinations), n_buckets)] if self.ingestion.has_any else []
        frames += self._given(admission, Router(destinations))
        colocated: dict[int, Colocated] = {}
        if self.near is not None:
            division = divide(self.near, self.compiled, destinations)
            frames += [self._left(self.near, admission, division)] if division.left else []
            files = self.near.files_by_bucket()
            colocated = {
                number: Colocated(tables, wanted, replace(admission, count_scope=count_scope), files)
                for number, (tables, wanted, count_scope) in division.colocated.items()
            }
            frames.append(self.near.remarks())
        return keep(union(frames), self.kept), colocated

    def _given(self, admission: JobAdmission, sender: Router) -> list[DataFrame]:
        """The shuffle blocks of what the rules give as facts, made on the driver."""
        batches = list(sender(admission(rule_fact_loads(self.compiled, self.ingestion.setting.tick))))
        return [self.ingestion.spark.createDataFrame(pa.Table.from_batches(batches))] if batches else []

    def _left(self, near: Prepared, admission: JobAdmission, division: Division) -> DataFrame:
        sender, judge = Router(division.destinations), replace(admission, count_scope=division.count_scope)
        return frame_of(near.shuffle_blocks(division.left), lambda batches: sender(judge(loads_of(batches))))

    def through_spark(self, number: int, colocated: Colocated | None) -> list[DataFrame]:
        """The shuffle blocks that the buckets of a stage have at hand, where workers cannot open the files."""
        if self.near is None or colocated is None or colocated.files:
            return []
        return [self.near.shuffle_blocks(colocated.tables, stage=number)]


def read_job_input(
    data: Given | Iterable[Given],
    compiled: Compiled,
    rules: Rules,
    tick: int,
    columns: Columns | None = None,
    time_unit: Unit = "s",
) -> JobInput:
    """The inputs of a run, if they fit its rules."""
    inputs = inputs_of(data, compiled.names, tick, columns)
    sources, histories = inputs.sources, inputs.histories
    may_take_back = any(source.may_take_back for source in sources)
    setting = Setting(rules, tick, time_unit, has_offset(sources), may_take_back)
    near = histories[0] if len(histories) == 1 and not may_take_back else None
    spark = (sources[0].frame if sources else histories[0].frame).sparkSession
    shuffle_blocks = [] if near is not None else [history.all_of(compiled.names) for history in histories]
    shuffle_blocks += [unused for history in histories if (unused := _unused(history, compiled)) is not None]
    if inputs.unreadable:
        told = [ShuffleBlock(NOWHERE, (0,), 1, unreadable_facts(each)) for each in inputs.unreadable]
        shuffle_blocks.append(rows_frame(spark, told))
    ingestion = Ingestion(spark, sources, shuffle_blocks, setting, [])
    return JobInput(compiled, rules, ingestion, near, histories, inputs.unreadable)


def _unused(history: Prepared, compiled: Compiled) -> DataFrame | None:
    """How many records were prepared for rules that had more names."""
    counts = history.unused_by(compiled.names)
    shuffle_blocks = [ShuffleBlock(NOWHERE, (0,), 1, Facts("unused", name, 0, n)) for name, n in counts.items()]
    return rows_frame(history.frame.sparkSession, shuffle_blocks) if shuffle_blocks else None
