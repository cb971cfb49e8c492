"""A session of Spark for a command: here, on a cluster, or through a server of Spark Connect."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.spark.connect import is_connect, is_elsewhere
from holdsfor.spark.shipping import ship

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["started"]

_CONNECT = "sc://"
_SECONDS_TO_ANSWER = 20
# What goes wrong is told once, by the exception.
_QUIET = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "FATAL"}


@contextmanager
def started(master: str | None, options: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session that ends with the block, and its JVM with it; one that is there already is used, and stays.

    Workers elsewhere get our code.
    """
    try:
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        hint = "pip install 'holdsfor[spark]'"
        raise UsageProblem(Diagnostic("HF773", "Spark needs the package `pyspark`", hint=hint)) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        _equip(active)
        yield active
        return
    try:
        session = _start(SparkSession.builder, master, options)
    except (Py4JJavaError, PySparkException) as problem:
        raise _not_started(master, problem) from None
    with _interruptible():
        try:
            _equip(session)
            yield session
        finally:
            session.stop()


def _start(builder: Any, master: str | None, options: Mapping[str, str]) -> SparkSession:
    """A session at a master, else where Spark is configured to run."""
    _choose_python(options)
    if master is not None and master.startswith(_CONNECT):
        _check_that_it_answers(master)
        builder = builder.remote(master)
    else:
        builder = builder.config(map=_QUIET) if master is None else builder.config(map=_QUIET).master(master)
    session: SparkSession = builder.appName("holdsfor").config(map=dict(options)).getOrCreate()
    if not is_connect(session) and is_elsewhere(session):
        _let_it_say_that_it_waits(session)
    return session


def _equip(session: SparkSession) -> None:
    """Send our code along where it may be missing."""
    if is_elsewhere(session):
        ship(session)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end the block as it ends any other: PySpark's own way logs the stacks of all that is going on."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        logging.disable(before)


def _let_it_say_that_it_waits(session: SparkSession) -> None:
    """Let the scheduler warn where a cluster has no room, or loses an executor: else it would wait without a word."""
    jvm: Any = session.sparkContext._jvm
    log4j = jvm.org.apache.logging.log4j
    log4j.core.config.Configurator.setLevel("org.apache.spark.scheduler.TaskSchedulerImpl", log4j.Level.WARN)


def _choose_python(options: Mapping[str, str]) -> None:
    """The Python of the workers: as asked for, else the one that runs this.

    PySpark itself looks at the variable only, and not at the setting that `spark-submit` has for it.
    """
    chosen = options.get("spark.pyspark.python")
    if chosen is not None:
        os.environ["PYSPARK_PYTHON"] = chosen
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def _check_that_it_answers(url: str) -> None:
    """Refuse a server that cannot be reached: a session would begin all the same, and try for many minutes."""
    try:
        from pyspark.sql.connect.client.core import DefaultChannelBuilder
    except ImportError as problem:
        hint = "pip install 'holdsfor[connect]'"
        message = f"Spark Connect needs packages that are not installed: {_first_line(problem)}"
        raise UsageProblem(Diagnostic("HF773", message, hint=hint)) from None
    import grpc

    try:
        with DefaultChannelBuilder(url).toChannel() as channel:
            grpc.channel_ready_future(channel).result(timeout=_SECONDS_TO_ANSWER)
    except ValueError as problem:
        raise _not_started(url, problem) from None
    except grpc.FutureTimeoutError:
        message = f"no server of Spark Connect answers at `{url}`"
        raise UsageProblem(Diagnostic("HF780", message, hint="the usual port is 15002")) from None


def _not_started(master: str | None, problem: Exception) -> UsageProblem:
    """Why there is no session."""
    at = "" if master is None else f" at `{master}`"
    if "stopped SparkContext" in str(problem):  # it stops itself when nobody answers, and then fails over that
        hint = "does a master run there, of the same version of Spark?"
        return UsageProblem(Diagnostic("HF780", f"Spark gave up while it started{at}", hint=hint))
    if "JAVA_GATEWAY" not in str(problem):
        return UsageProblem(Diagnostic("HF780", f"Spark could not be started{at}: {_first_line(problem)}"))
    if not _has_java():
        hint = "install Java 17 or newer, for example: apt install openjdk-17-jre-headless"
        return UsageProblem(Diagnostic("HF773", "Spark needs Java, and it could not be started", hint=hint))
    return UsageProblem(Diagnostic("HF780", f"Spark could not be started{at}", hint="what it says itself is above"))


def _has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java" if not home else f"{home}/bin/java") is not None


def _first_line(problem: Exception) -> str:
    """What went wrong, without the codes and the stack of whoever tells it."""
    inner = getattr(problem, "java_exception", None)
    text = str(problem if inner is None else inner.getMessage()).strip()
    line = text.splitlines()[0] if text else type(problem).__name__
    return (line.partition("] ")[2] or line).rstrip(".")
