"""Work on Spark for a command: started, watched, ended by Ctrl-C, and told in a sentence if it fails."""

from __future__ import annotations

import argparse
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

__all__ = ["Failed", "on_spark", "shown_progress"]

_EVERY_SECONDS = 0.2
_WAITING = "has not accepted any resources"

Made = TypeVar("Made")


class Failed(Exception):
    """Work that did not come to its end; why has been told."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


def on_spark(options: argparse.Namespace, shown: str, work: Callable[[SparkSession, bool], Made]) -> Made:
    """What the work makes of a session; whether it is a new one is told too. `shown` is where results go."""
    from holdsfor.spark.cluster.session_start import log, started_session

    settings = dict(map(_setting, options.conf))
    with log() as said:
        try:
            with started_session(options.master, settings, said) as (spark, is_new):
                return _until_interrupted(spark, lambda: work(spark, is_new), said)
        except HoldsforError:
            raise
        except Exception as problem:
            from holdsfor.spark.cluster.failures import failure_of

            failure = failure_of(problem, shown, said)
            print(failure.text, file=sys.stderr)
            raise Failed(failure.exit_code) from None


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageProblem(Diagnostic("HF772", f"expected `NAME=VALUE` as a setting of Spark, found `{text}`"))
    return name, value


def _until_interrupted(spark: SparkSession, work: Callable[[], Made], said: Log) -> Made:
    """Do the work in a thread; when somebody asks for an end, cancel its jobs, and let it clean up.

    The thread waits for the answer of a JVM, and does not hear of signals; this one can still talk to Spark.
    """
    from holdsfor.spark.cluster.connect import cancel

    is_told = False
    with Interruption() as stop, ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        while not done.done():
            wait([done], _EVERY_SECONDS)
            if not is_told and _WAITING in said.read():
                is_told = True
                print(f"Spark waits: a job {_WAITING}; has the cluster room for such executors?", file=sys.stderr)
            if stop.is_asked:
                cancel(spark)
    if stop.is_asked and done.exception() is not None:
        raise KeyboardInterrupt
    return done.result()


@contextmanager
def shown_progress(spark: SparkSession) -> Iterator[None]:
    """A line for a person at a terminal, as long as the block runs."""
    from holdsfor.spark.cluster.progress import watching_progress

    with Line() as line, watching_progress(spark, lambda reached, seconds: line.show(f"{reached}, {seconds:.0f} s")):
        yield
