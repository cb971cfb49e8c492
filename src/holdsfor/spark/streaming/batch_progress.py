"""The progress of a stream after a micro-batch, as a line of text or JSON, and the seconds of its phases."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from holdsfor.columns.time_type import TimeType
from holdsfor.errors import Diagnostic, counted
from holdsfor.sources.text_records import SetAside
from holdsfor.spark.cluster.progress import described
from holdsfor.spark.streaming.decisions import Decision
from holdsfor.spark.streaming.stage_costs import StageCost
from holdsfor.spark.streaming.state_files import StreamFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000}

__all__ = ["BatchProgress", "Phase", "Phases"]

Phase = Literal["read", "evaluate", "wait", "write"]

_SHOWN: dict[Phase, str] = {
    "read": "read the records, and route them to buckets",
    "evaluate": "evaluate the due query times in all buckets",
    "wait": "store the records until a query time is due",
    "write": "write the output",
}


@dataclass
class Phases:
    """Measures the phases of a micro-batch, and names their jobs on Spark's web page."""

    spark: SparkSession
    batch: int
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def measured(self, phase: Phase) -> Iterator[None]:
        """A context whose jobs and seconds are those of a phase."""
        began = time.perf_counter()
        with described(self.spark, f"micro-batch {self.batch}: {_SHOWN[phase]}"):
            yield
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - began


@dataclass(frozen=True)
class BatchProgress:
    """A micro-batch in numbers: its decision, the records by outcome, its seconds, and those of its phases.

    `times` is the type of the times of the output; None for integers. `set_aside` are records that do not fit: the
    first ones since the start of the query, and `without_result` warnings about conditions that had no result for some
    values, and had always had one before. `stages` are the costs of stages by their numbers; without a due query time
    there are none.
    """

    decision: Decision
    counts: dict[str, int]
    seconds: float
    phases: dict[str, float]
    files: StreamFiles
    times: TimeType | None = None
    set_aside: Sequence[SetAside] = ()
    without_result: Sequence[Diagnostic] = ()
    stages: Mapping[int, StageCost] = field(default_factory=dict)

    @property
    def lag(self) -> int | None:
        """The distance of the last query time from the arrivals that all sources have reached."""
        if self.decision.last is None or self.decision.reached is None:
            return None
        return max(0, self.decision.reached - self.decision.last)

    @property
    def records_per_second(self) -> float:
        return self.counts.get("read", 0) / max(self.seconds, 1e-9)

    @cached_property
    def state_bytes(self) -> int:
        """The size of the state of all buckets, with the records that wait."""
        return self.files.size("state")

    @property
    def state_rows(self) -> int | None:
        """The number of rows of the state of all buckets; None without a due query time."""
        return sum(stage.state_rows for stage in self.stages.values()) if self.stages else None

    def as_json(self) -> str:
        """One line of JSON."""
        reached = {"batch": self.decision.batch, "query_time": self.decision.last, "arrival": self.decision.reached}
        counts = {name.replace(" ", "_"): n for name, n in self.counts.items()}
        phases = {f"{phase}_seconds": round(seconds, 3) for phase, seconds in self.phases.items()}
        speed = {"records_per_second": round(self.records_per_second), "state_bytes": self.state_bytes}
        if self.state_rows is not None:
            speed["state_rows"] = self.state_rows
        stages = {f"stage_{number}_seconds": round(stage.seconds, 3) for number, stage in self.stages.items()}
        idle = {"idle": list(self.decision.idle)} if self.decision.idle else {}
        seconds = {"seconds": round(self.seconds, 3), **phases, **stages}
        without_result = (
            {"without_result": [each.to_json() for each in self.without_result]} if self.without_result else {}
        )
        content = {**reached, "lag": self.lag, **counts, **speed, **seconds, **idle, **without_result}
        return json.dumps(content, ensure_ascii=False)

    def as_text(self, show_time: Callable[[int], object] = str) -> str:
        """One line of text; `show_time` is the notation of time-points."""
        last = self.decision.last
        reached = "no query time yet" if last is None else f"query time {show_time(last)}"
        behind = "" if self.lag is None else f", {self._shown_lag(self.lag)} behind the records"
        counts = [_shown_count(name, n) for name, n in self.counts.items() if n and name not in ("read", "unused")]
        speed = f"{counted(self.counts.get('read', 0), 'record')} read, {self.records_per_second:,.0f}/s"
        rows = "" if self.state_rows is None else f"{counted(self.state_rows, 'row')}, "
        state = f"state {rows}{_shown_size(self.state_bytes)}"
        phases = [f"{phase} {seconds:.1f} s" for phase, seconds in self.phases.items()]
        if len(self.stages) > 1:
            phases += [f"stage {number} {stage.seconds:.1f} s" for number, stage in self.stages.items()]
        return ", ".join([f"micro-batch {self.decision.batch}: {reached}{behind}", speed, *counts, state, *phases])

    def _shown_lag(self, lag: int) -> str:
        return str(lag) if self.times is None else f"{lag / _PER_SECOND[self.times.unit]:g} s"


def _shown_count(name: str, n: int) -> str:
    """A number of rows by its name in progress.

    >>> _shown_count("changes", 1), _shown_count("changes", 2_000), _shown_count("set aside", 1)
    ('1 change', '2,000 changes', '1 set aside')
    """
    return counted(n, "change") if name == "changes" else f"{n:,} {name}"


def _shown_size(n_bytes: int) -> str:
    """A number of bytes with its unit.

    >>> _shown_size(312), _shown_size(31_400), _shown_size(2_250_000)
    ('312 bytes', '31 KB', '2.2 MB')
    """
    if n_bytes < 1e3:
        return counted(n_bytes, "byte")
    return f"{n_bytes / 1e3:.0f} KB" if n_bytes < 1e6 else f"{n_bytes / 1e6:.1f} MB"
