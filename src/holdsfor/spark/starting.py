"""A session of Spark for a command, and where everything goes that Spark itself has to say."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.errors import Diagnostic, UsageProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Log", "log", "started"]

_JAVA_HINT = "install Java 17 or newer, for example: apt install openjdk-17-jre-headless"


class Log:
    """A file for what Spark says, which is kept if somebody has to read it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_kept = False

    def read(self) -> str:
        """What Spark has said so far."""
        return self.path.read_text(encoding="utf-8", errors="replace")

    def keep(self, text: str) -> Path:
        """Add what went wrong in full length, and keep the file."""
        self.is_kept = True
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")
        return self.path


@contextmanager
def log() -> Iterator[Log]:
    """A file in the folder for temporary files; it goes with the block, unless it is to be kept."""
    handle, path = tempfile.mkstemp(prefix="holdsfor-spark-", suffix=".log")
    os.close(handle)
    written = Log(Path(path))
    try:
        yield written
    finally:
        if not written.is_kept:
            written.path.unlink()


@contextmanager
def started(master: str | None, options: Mapping[str, str], log: Log) -> Iterator[tuple[SparkSession, bool]]:
    """A session that ends with the block, and its JVM with it; one that is there already is used, and stays.

    It comes with whether it is a new one. What a new one says on its own goes to the log.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        hint = "pip install 'holdsfor[spark]'"
        raise UsageProblem(Diagnostic("HF773", "Spark needs the package `pyspark`", hint=hint)) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active, False
        return
    session = _new_session(master, options, log)
    try:
        session.sparkContext.setLogLevel("ERROR")
        yield session, True
    finally:
        session.stop()


def _new_session(master: str | None, options: Mapping[str, str], log: Log) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {"spark.app.name": "holdsfor", "spark.ui.showConsoleProgress": "false", **options}
    if master is not None:
        settings["spark.master"] = master
    conf = SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    SparkContext(conf=conf, gateway=_gateway(conf, log))
    return SparkSession.builder.getOrCreate()


def _gateway(conf: Any, log: Log) -> Any:
    """A JVM that is quiet on the terminal."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") if home is None else os.access(f"{home}/bin/java", os.X_OK)):
        raise UsageProblem(Diagnostic("HF773", "Spark needs Java, which was not found", hint=_JAVA_HINT))
    with log.path.open("ab") as said:
        try:
            launch: Any = launch_gateway
            return launch(conf, {"stdout": said, "stderr": said})
        except PySparkRuntimeError as problem:
            if "UnsupportedClassVersionError" not in log.read():
                raise
            message = "Spark needs a newer Java than the one that was found"
            raise UsageProblem(Diagnostic("HF773", message, hint=_JAVA_HINT)) from problem
