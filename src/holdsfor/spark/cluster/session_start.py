"""The Spark session of a command, local, on a cluster or through Spark Connect, and the log of Spark."""

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
from holdsfor.python_process import SAFE_PATH
from holdsfor.spark.cluster.causes import causes_of
from holdsfor.spark.cluster.connect import is_elsewhere
from holdsfor.spark.cluster.shipping import ship
from holdsfor.spark.input.listing import first_sentence, java_message

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Log", "log", "started_session"]

_CONNECT = "sc://"
_SECONDS_TO_ANSWER = 20
_SETTINGS = {
    "spark.app.name": "holdsfor",
    "spark.ui.showConsoleProgress": "false",
    # With Spark's default, a tenth of this, the transfer to Python takes a third longer.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # Workers start in the current folder: a file there with the name of a module would be imported.
    f"spark.executorEnv.{SAFE_PATH}": "1",
}
_JAVA_HINT = "install Java 17 or newer, for example: apt install openjdk-17-jre-headless"


class Log:
    """A file with the output of Spark, deleted at the end unless a message refers to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_kept = False

    def read(self) -> str:
        """The output of Spark so far."""
        return self.path.read_text(encoding="utf-8", errors="replace")

    def keep(self, text: str) -> Path:
        """Append the full text of a failure, and keep the file."""
        self.is_kept = True
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")
        return self.path


@contextmanager
def log() -> Iterator[Log]:
    """A temporary log file, deleted at the end of the block unless it is kept."""
    handle, path = tempfile.mkstemp(prefix="holdsfor-spark-", suffix=".log")
    os.close(handle)
    written = Log(Path(path))
    try:
        yield written
    finally:
        if not written.is_kept:
            written.path.unlink()


@contextmanager
def started_session(master: str | None, options: Mapping[str, str], log: Log) -> Iterator[tuple[SparkSession, bool]]:
    """A session, and whether it is new. A new session and its JVM end with the block; an existing session stays.

    The output of Spark goes to the log. Workers on other machines receive this package.
    """
    try:
        active = _existing_session()
    except ImportError:
        hint = "pip install 'holdsfor[spark]'"
        raise UsageProblem(Diagnostic("HF773", "Spark needs the package `pyspark`", hint=hint)) from None
    if active is not None:
        _ship_package(active)
        yield active, False
        return
    session = _new_session(master, options, log)
    try:
        _ship_package(session)
        yield session, True
    finally:
        session.stop()


def _existing_session() -> SparkSession | None:
    """The session of this process: the active one of this thread, else the default one."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is None and SparkContext._active_spark_context is not None:
        return SparkSession.builder.getOrCreate()
    return active


def _ship_package(session: SparkSession) -> None:
    """Send this package to workers that may lack it."""
    if is_elsewhere(session):
        ship(session)


def _new_session(master: str | None, options: Mapping[str, str], log: Log) -> SparkSession:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    _choose_python(options)
    try:
        if master is not None and master.startswith(_CONNECT):
            return _connected(master, options)
        return _with_a_jvm(master, options, log)
    except (Py4JJavaError, PySparkException) as problem:
        raise _not_started(master, problem, log) from None


def _connected(url: str, options: Mapping[str, str]) -> SparkSession:
    from pyspark.sql import SparkSession

    _check_connection(url)
    return SparkSession.builder.remote(url).appName("holdsfor").config(map=dict(options)).getOrCreate()


def _with_a_jvm(master: str | None, options: Mapping[str, str], log: Log) -> SparkSession:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    settings = {**_SETTINGS, **_worker_settings(master), **options}
    if master is not None:
        settings["spark.master"] = master
    conf = SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    context = _context(conf, _gateway(conf, log))
    context.setLogLevel("ERROR")
    session = SparkSession.builder.getOrCreate()
    if is_elsewhere(session):
        _log_scheduler_warnings(session)
    return session


def _worker_settings(master: str | None) -> dict[str, str]:
    """Local workers that run in the Python of this process have this package, and start as forks with it."""
    is_local = master is not None and (master == "local" or master.startswith("local["))
    is_same = os.environ.get("PYSPARK_PYTHON") == sys.executable
    return {"spark.python.daemon.module": "holdsfor.spark.cluster.worker_daemon"} if is_local and is_same else {}


def _context(conf: Any, gateway: Any) -> Any:
    """The Spark context of a JVM; if the context cannot start, the JVM ends."""
    from pyspark import SparkContext

    try:
        return SparkContext(conf=conf, gateway=gateway)
    except BaseException:
        gateway.shutdown()
        gateway.proc.communicate()
        raise


def _gateway(conf: Any, log: Log) -> Any:
    """A JVM whose output goes to the log."""
    from pyspark.java_gateway import launch_gateway

    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") if home is None else os.access(f"{home}/bin/java", os.X_OK)):
        raise UsageProblem(Diagnostic("HF773", "Spark needs Java, which was not found", hint=_JAVA_HINT))
    launch: Any = launch_gateway
    own_group = {"process_group": 0} if os.name == "posix" else {}
    with log.path.open("ab") as output:
        # A signal to the group of this process, as that of `timeout`, ends a run in order only if the JVM goes on. The
        # JVM ends with this process all the same: its standard input ends.
        return launch(conf, {"stdout": output, "stderr": output, **own_group})


def _log_scheduler_warnings(session: SparkSession) -> None:
    """Log the warnings of the scheduler: a cluster without free cores or a lost executor is reported only there."""
    jvm: Any = session.sparkContext._jvm
    log4j = jvm.org.apache.logging.log4j
    log4j.core.config.Configurator.setLevel("org.apache.spark.scheduler.TaskSchedulerImpl", log4j.Level.WARN)


def _choose_python(options: Mapping[str, str]) -> None:
    """Set the Python of the workers: the configured one, by default the running one.

    PySpark itself only reads the environment variable, not the setting of `spark-submit`.
    """
    chosen = options.get("spark.pyspark.python")
    if chosen is not None:
        os.environ["PYSPARK_PYTHON"] = chosen
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def _check_connection(url: str) -> None:
    """Report an invalid or unreachable address in one line: a session would start and retry for many minutes."""
    try:
        from pyspark.sql.connect.client.core import DefaultChannelBuilder
    except ImportError as problem:
        hint = "pip install 'holdsfor[connect]'"
        message = f"Spark Connect needs packages that are not installed: {first_sentence(str(problem))}"
        raise UsageProblem(Diagnostic("HF773", message, hint=hint)) from None
    import grpc

    try:
        with DefaultChannelBuilder(url).toChannel() as channel:
            grpc.channel_ready_future(channel).result(timeout=_SECONDS_TO_ANSWER)
    except ValueError as problem:
        message = f"`{url}` is not an address of Spark Connect: {first_sentence(str(problem))}"
        raise UsageProblem(Diagnostic("HF785", message, hint="such as `sc://host:15002`")) from None
    except grpc.FutureTimeoutError:
        message = f"no Spark Connect server answers at `{url}`"
        raise UsageProblem(Diagnostic("HF785", message, hint="the usual port is 15002")) from None


def _not_started(master: str | None, problem: Exception, log: Log) -> UsageProblem:
    """The reason why a session could not start."""
    at, message, output = "" if master is None else f" at `{master}`", str(problem), log.read()
    if "UnsupportedClassVersionError" in output:
        message = "Spark needs a newer Java than the one that was found"
        return UsageProblem(Diagnostic("HF773", message, hint=_JAVA_HINT))
    # A context stops itself when no master answers, and then fails with an exception that has no condition.
    if "stopped SparkContext" in message:
        hint = "check that a master of the same version of Spark runs at this address"
        return UsageProblem(Diagnostic("HF785", f"Spark gave up while it started{at}", hint=hint))
    hint = f"see `--master` and `--conf`; the full text is in {log.keep(message)}"
    why = _last_error(output) if causes_of(problem)[0].condition == "JAVA_GATEWAY_EXITED" else java_message(problem)
    return UsageProblem(Diagnostic("HF785", f"Spark could not be started{at}: {why}", hint=hint))


def _last_error(output: str) -> str:
    """The error message of a JVM that did not start."""
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.strip().startswith("at ")]
    return next((line for line in lines if "Error" in line or "Exception" in line), (lines or ["no output"])[-1])
