"""All that a run is given, DataFrames and prepared history together, and how it comes to the stages.

Prepared history stays where it is, and stages find in it what they need (`holdsfor.spark.prepared.colocated`), unless
other input may take back what is in it, or there is more than one: then it is read like any other input.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.input_facts import with_given
from holdsfor.analysis.pipeline import Compiled
from holdsfor.sources.times import Unit
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.exchange.facts import Facts
from holdsfor.spark.exchange.routing import Destination, Sender
from holdsfor.spark.exchange.shipped_rules import Rules
from holdsfor.spark.exchange.shuffle_blocks import NOWHERE, Parcel, loads_of
from holdsfor.spark.input.frame_reader import Setting
from holdsfor.spark.input.frame_sources import has_offset
from holdsfor.spark.input.ingestion import Intake, frame_of, keep, rows_frame, union
from holdsfor.spark.input.inputs import Columns, Given, inputs_of
from holdsfor.spark.input.rule_facts import given_loads
from holdsfor.spark.input.set_aside import unreadable_facts
from holdsfor.spark.job.admission import Admission
from holdsfor.spark.prepared.colocated import AtHand, Division, divide
from holdsfor.spark.prepared.history import Prepared

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Gathered", "gather"]


@dataclass(frozen=True)
class Gathered:
    """The inputs of a run; `near` is prepared history that stays where it is."""

    compiled: Compiled
    rules: Rules
    intake: Intake
    near: Prepared | None
    histories: Sequence[Prepared]
    unreadable: Sequence[Unreadable]

    @property
    def kept(self) -> list[DataFrame]:
        return self.intake.kept

    @property
    def everything(self) -> Intake:
        """All inputs as ordinary ones."""
        if self.near is None:
            return self.intake
        return replace(self.intake, parcels=[*self.intake.parcels, self.near.all_of(self.compiled.names)])

    @cached_property
    def n_buckets(self) -> int:
        return self.intake.n_buckets if self.near is None else self.near.n_buckets

    def bounds(self, n_buckets: int) -> tuple[int | None, int | None]:
        """The first and last time-point of all records; of prepared history they are known."""
        found = [history.extent(self.compiled.names) for history in self.histories]
        if self.intake.sources:
            found.append(self.intake.bounds(n_buckets))
        first = min((first for first, _ in found if first is not None), default=None)
        last = max((last for _, last in found if last is not None), default=None)
        return with_given((first, last), self.compiled.description, self.compiled.names, self.intake.setting.tick)

    def sent(
        self, admission: Admission, destinations: tuple[Destination, ...], n_buckets: int
    ) -> tuple[DataFrame, dict[int, AtHand]]:
        """Parcels to all stages and to none, and what stages have at hand, by their number."""
        frames = [self.intake.sent(admission, Sender(destinations), n_buckets)] if self.intake.has_any else []
        frames += self._given(admission, Sender(destinations))
        at_hand: dict[int, AtHand] = {}
        if self.near is not None:
            division = divide(self.near, self.compiled, destinations)
            frames += [self._left(self.near, admission, division)] if division.left else []
            files = self.near.files_by_bucket()
            at_hand = {
                number: AtHand(tables, wanted, replace(admission, telling=telling), files)
                for number, (tables, wanted, telling) in division.at_hand.items()
            }
            frames.append(self.near.remarks())
        return keep(union(frames), self.kept), at_hand

    def _given(self, admission: Admission, sender: Sender) -> list[DataFrame]:
        """The parcels of what the rules give as facts, made on the driver."""
        batches = list(sender(admission(given_loads(self.compiled, self.intake.setting.tick))))
        return [self.intake.spark.createDataFrame(pa.Table.from_batches(batches))] if batches else []

    def _left(self, near: Prepared, admission: Admission, division: Division) -> DataFrame:
        sender, judge = Sender(division.destinations), replace(admission, telling=division.telling)
        return frame_of(near.parcels(division.left), lambda batches: sender(judge(loads_of(batches))))

    def through_spark(self, number: int, at_hand: AtHand | None) -> list[DataFrame]:
        """The parcels that the buckets of a stage have at hand, where workers cannot open the files."""
        if self.near is None or at_hand is None or at_hand.files:
            return []
        return [self.near.parcels(at_hand.tables, stage=number)]


def gather(
    data: Given | Iterable[Given],
    compiled: Compiled,
    rules: Rules,
    tick: int,
    columns: Columns | None = None,
    time_unit: Unit = "s",
) -> Gathered:
    """The inputs of a run, if they fit its rules."""
    inputs = inputs_of(data, compiled.names, tick, columns)
    sources, histories = inputs.sources, inputs.histories
    may_take_back = any(source.may_take_back for source in sources)
    setting = Setting(rules, tick, time_unit, has_offset(sources), may_take_back)
    near = histories[0] if len(histories) == 1 and not may_take_back else None
    spark = (sources[0].frame if sources else histories[0].frame).sparkSession
    parcels = [] if near is not None else [history.all_of(compiled.names) for history in histories]
    parcels += [unused for history in histories if (unused := _unused(history, compiled)) is not None]
    if inputs.unreadable:
        told = [Parcel(NOWHERE, (0,), 1, unreadable_facts(each)) for each in inputs.unreadable]
        parcels.append(rows_frame(spark, told))
    intake = Intake(spark, sources, parcels, setting, [])
    return Gathered(compiled, rules, intake, near, histories, inputs.unreadable)


def _unused(history: Prepared, compiled: Compiled) -> DataFrame | None:
    """How many records were prepared for rules that had more names."""
    counts = history.unused_by(compiled.names)
    parcels = [Parcel(NOWHERE, (0,), 1, Facts("unused", name, 0, n)) for name, n in counts.items()]
    return rows_frame(history.frame.sparkSession, parcels) if parcels else None
