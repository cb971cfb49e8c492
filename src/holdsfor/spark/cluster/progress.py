"""The progress of Spark: the running stage, its tasks, its rows.

Spark's listener collects these numbers for the web page, even if the page is off; a thread polls them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["StageProgress", "described", "reporting_progress", "wait_for_tasks"]

_EVERY_SECONDS = 0.5
_TIMEOUT_SECONDS = 10


@dataclass(frozen=True)
class StageProgress:
    """The progress of a stage: completed tasks, all tasks, and the rows read."""

    phase: str
    stage: int
    n_done: int
    n_tasks: int
    n_rows: int

    def __str__(self) -> str:
        return f"{self.phase}: stage {self.stage}, {self.n_done} of {self.n_tasks} tasks, {self.n_rows:,} rows"


@contextmanager
def described(spark: SparkSession, phase: str) -> Iterator[None]:
    """A context that describes its jobs, also on Spark's web page."""
    context: Any = spark.sparkContext
    before = context.getLocalProperty("spark.job.description")
    context.setJobDescription(phase)
    try:
        yield
    finally:
        context.setJobDescription(before)


@contextmanager
def reporting_progress(spark: SparkSession, report: Callable[[StageProgress, float], None]) -> Iterator[None]:
    """A context that reports the running stage and the seconds since the start of the block."""
    done = threading.Event()
    began = time.perf_counter()
    status = _status(spark)

    def watch() -> None:
        with suppress(Exception):  # if Spark has stopped, the block fails by itself
            while not done.wait(_EVERY_SECONDS):
                reached = _reached(status)
                if reached is not None:
                    report(reached, time.perf_counter() - began)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()


def wait_for_tasks(spark: SparkSession) -> None:
    """Wait until no task is running: a cancelled task may still write for a moment."""
    status, until = _status(spark), time.perf_counter() + _TIMEOUT_SECONDS
    while time.perf_counter() < until:
        if not sum(executor.activeTasks() for executor in _listed(status.executorList(True))):
            return
        time.sleep(_EVERY_SECONDS / 5)


def _status(spark: SparkSession) -> Any:
    context: Any = spark.sparkContext
    return context._jsc.sc().statusStore()


def _reached(status: Any) -> StageProgress | None:
    """The progress of the running stage that started last."""
    running = _listed(status.activeStages())
    if not running:
        return None
    stage = max(running, key=lambda stage: stage.stageId())
    phase = stage.description()
    return StageProgress(
        phase.get() if phase.isDefined() else "running",
        stage.stageId(),
        stage.numCompleteTasks(),
        stage.numTasks(),
        stage.inputRecords() + stage.shuffleReadRecords(),
    )


def _listed(sequence: Any) -> list[Any]:
    return [sequence.apply(i) for i in range(sequence.size())]
