"""Run a command on Spark: start the session, show progress, cancel on Ctrl-C and report failures."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from holdsfor.cli.terminal.interruption import Interruption
from holdsfor.cli.terminal.progress import Line
from holdsfor.errors import Diagnostic, HoldsforError, UsageProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.spark.cluster.session_start import Log

__all__ = ["Failed", "has_local_files", "on_spark", "shown_progress"]

_EVERY_SECONDS = 0.2
_CONFIGURING = ("HADOOP_CONF_DIR", "SPARK_CONF_DIR", "SPARK_ENV_LOADED", "SPARK_HOME", "SPARK_REMOTE")
"""Variables of the environment whose settings may name a cluster or another file system."""

_WAITING = "has not accepted any resources"

WorkResult = TypeVar("WorkResult")


class Failed(Exception):
    """Work on Spark that failed. Its error has been printed."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


def on_spark(
    options: argparse.Namespace,
    shown: str | None,
    work: Callable[[SparkSession, bool], WorkResult],
    *,
    stop: Interruption | None = None,
    checkpoint: str | None = None,
) -> WorkResult:
    """The result of `work`, which gets a session of Spark and whether the session is new.

    `shown` is the place for the results, as error messages name it; None if `work` names it itself. `checkpoint` is
    that of a stream. A signal cancels the jobs of Spark, unless `work` ends by itself when `stop` is asked.
    """
    from holdsfor.spark.cluster.session_start import log, started_session

    settings = dict(map(_setting, options.conf))
    with log() as spark_log, Line() as starting:
        starting.show("starting Spark")
        try:
            with started_session(options.master, settings, spark_log) as (spark, is_new):
                starting.clear()
                return _until_interrupted(spark, lambda: work(spark, is_new), spark_log, stop)
        except Exception as problem:
            if isinstance(problem, HoldsforError) and all(each.code != "HF620" for each in problem.diagnostics):
                raise
            from holdsfor.spark.cluster.failures import failure_of

            failure = failure_of(problem, shown, spark_log, checkpoint)
            print(failure.text, file=sys.stderr)
            raise Failed(failure.exit_code) from None


def has_local_files(options: argparse.Namespace) -> bool:
    """Whether paths are certainly those of this machine: Spark runs here, and no other file system is the default."""
    is_here = options.master is None or options.master.startswith("local")
    configuring = _CONFIGURING if options.master is None else ("HADOOP_CONF_DIR",)
    is_configured = any(re.search(r"fs\.default|spark\.(?:master|remote)", each) for each in options.conf)
    return is_here and not is_configured and not any(name in os.environ for name in configuring)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageProblem(Diagnostic("HF772", f"expected `NAME=VALUE` as a setting of Spark, found `{text}`"))
    return name, value


def _until_interrupted(
    spark: SparkSession, work: Callable[[], WorkResult], spark_log: Log, own_stop: Interruption | None
) -> WorkResult:
    """The result of `work`, which runs in a thread. A signal cancels its jobs and lets the thread clean up.

    The thread waits for the JVM and cannot handle signals. The main thread can still send commands to Spark.
    """
    from holdsfor.spark.cluster.connect import cancel

    is_reported = False
    with own_stop or Interruption() as stop, ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        while not done.done():
            wait([done], _EVERY_SECONDS)
            if not is_reported and _WAITING in spark_log.read():
                is_reported = True
                print(
                    f"Spark waits: a job {_WAITING}; check that the cluster has room for such executors",
                    file=sys.stderr,
                )
            if stop.is_asked and own_stop is None:
                cancel(spark)
    if stop.is_asked and done.exception() is not None:
        raise KeyboardInterrupt
    return done.result()


@contextmanager
def shown_progress(spark: SparkSession) -> Iterator[None]:
    """Show the progress of Spark on a terminal while the block runs."""
    from holdsfor.spark.cluster.progress import reporting_progress

    with Line() as line, reporting_progress(spark, lambda reached, seconds: line.show(f"{reached}, {seconds:.0f} s")):
        yield
