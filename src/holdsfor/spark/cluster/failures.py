"""Failures of Spark, of its workers and of output targets, as one-line diagnostics with a hint.

Spark reports a failure as two stack traces, of Java and of Python; the cause is the last exception in them.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.errors import Diagnostic, Hint, HoldsforError
from holdsfor.spark.cluster.causes import Cause, causes_of, java_trace
from holdsfor.spark.cluster.session_start import Log
from holdsfor.spark.cluster.worker_problems import worker_message

__all__ = ["Failure", "cause_of", "failure_of", "unwritten"]

_EXCEPTION = re.compile(
    r"^(?:Caused by: |: |Exception in thread \S+ )?((?:[\w$]+\.)*[\w$]*(?:Exception|Error|Failure))(?:: (.*))?$"
)
_TASK = re.compile(r"^Job aborted due to .*?executor [^)]*\): (.*)$")
_QUERY = re.compile(r"\[STREAM_FAILED\] Query \[[^]]*\] terminated with exception: (.*?)(?: SQLSTATE: \w+)?$")
_LONGEST = 300


@dataclass(frozen=True)
class _FailurePattern:
    """A kind of failure, and the hint to solve it.

    `conditions` are error conditions of Spark without their details, `names` are classes of exceptions, `sql_states`
    are prefixes of SQL states. A failure without any of these is recognised by a `text` in its stack trace.
    """

    hint: str
    conditions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    sql_states: tuple[str, ...] = ()
    text: re.Pattern[str] | None = None

    def fits(self, causes: Sequence[Cause], full: str) -> bool:
        return any(map(self._is_of, causes)) or (self.text is not None and self.text.search(full) is not None)

    def _is_of(self, cause: Cause) -> bool:
        condition = (cause.condition or "").partition(".")[0]
        is_of_sql = cause.sql_state is not None and cause.sql_state.startswith(self.sql_states)
        return condition in self.conditions or cause.name in self.names or is_of_sql


# A killed worker leaves only text, no exception; memory errors may be inside the report of a task.
_WORKER_LOST = re.compile(r"exited unexpectedly|ExecutorLostFailure|OutOfMemoryError|MemoryError|executor .* exited")
_GATEWAY = "JAVA_GATEWAY_EXITED"
_UNFINISHED = (
    _FailurePattern(
        "more buckets need less memory each (`--buckets`); `--conf spark.executor.memory=…` gives more memory",
        names=("OutOfMemoryError",),
        text=_WORKER_LOST,
    ),
    _FailurePattern(
        "Spark needs the package of this data source; for topics `--conf spark.jars.packages=org.apache.spark:"
        "spark-sql-kafka-0-10_2.13:VERSION`, with the version of Spark",
        ("DATA_SOURCE_NOT_FOUND",),
        text=re.compile("Failed to find data source"),
    ),
    _FailurePattern(
        "Kafka has deleted records before the stream read them: keep records longer in the topic, and start the stream "
        "with a new checkpoint",
        ("KAFKA_DATA_LOSS",),
    ),
    # The exception of a stopped context is an IllegalStateException like many others.
    _FailurePattern("see `--master` and `--conf`", (_GATEWAY,), text=re.compile("stopped SparkContext")),
)
# Text files are read by RDDs of Hadoop, whose exceptions do not name the operation.
_READING = _FailurePattern("", ("FAILED_READ_FILE",), text=re.compile("FileScanRDD|HadoopRDD"))
_UNWRITABLE = (
    # A full disk is an IOException like many others.
    _FailurePattern(
        Hint(
            "free disk space; the setting `spark.local.dir` moves the temporary files of Spark",
            on_command_line="free disk space; `--conf spark.local.dir=…` moves the temporary files of Spark",
        ),
        text=re.compile(r"No space left on device|Disk quota exceeded"),
    ),
    # Local file systems report these as IOException.
    _FailurePattern(
        Hint(
            "give a place with write permission",
            on_command_line="give a place with write permission to `-o`",
        ),
        names=("AccessControlException", "AccessDeniedException", "ParentNotDirectoryException"),
        text=re.compile(r"Permission denied|Read-only file system|Mkdirs failed|not a directory"),
    ),
    _FailurePattern(
        Hint(
            "Spark needs the package of this file system, see the setting `spark.jars.packages`",
            on_command_line="Spark needs the package of this file system, see `--conf spark.jars.packages=…`",
        ),
        names=("UnsupportedFileSystemException",),
    ),
    # A missing class is only known by its name; `No suitable driver` has the SQL state of a lost connection.
    _FailurePattern(
        Hint(
            "Spark needs the driver of the database, see the setting `spark.jars`",
            on_command_line="Spark needs the driver of the database, for example `--conf "
            "spark.jars=/usr/share/java/postgresql.jar`",
        ),
        text=re.compile(r"ClassNotFoundException: org\.postgresql|No suitable driver"),
    ),
    _FailurePattern(
        Hint(
            "see the options `user` and `password`",
            on_command_line="set `HOLDSFOR_JDBC_USER` and `HOLDSFOR_JDBC_PASSWORD`, or give a file with "
            "`--jdbc-properties`",
        ),
        sql_states=("28", "08004"),
    ),
    _FailurePattern("the previous results are unchanged", sql_states=("",)),
    _FailurePattern("see `-o`", ("SCHEMA_NOT_FOUND", "TABLE_OR_VIEW_ALREADY_EXISTS")),
)
# Spark's own files of a checkpoint are written by these classes.
_OF_CHECKPOINT = re.compile(r"CheckpointFileManager|HDFSMetadataLog|OffsetSeqLog|CommitLog|StreamMetadata")
# The source of a stream has the same exceptions, so these are failures of an output only while it is written.
_UNSENT = _FailurePattern(
    Hint(
        "check the address of the broker and the options `kafka.…`; a restart writes the rows again",
        on_command_line="check the address of the broker and `--kafka-properties`; a restart writes the rows again",
    ),
    text=re.compile(r"org\.apache\.kafka\.common\.(?:errors\.\w+|KafkaException)"),
)


@dataclass(frozen=True)
class Failure:
    """The message of a failed run, and its exit code: 2 if the input or the call is wrong, else 1."""

    text: str
    exit_code: int


def failure_of(problem: BaseException, place: str | None, log: Log, checkpoint: str | None = None) -> Failure:
    """The message for a problem; the full text of an unknown problem is kept in the log.

    A run that reports the failures of its outputs itself has no `place`, and a stream has a `checkpoint`.
    """
    if isinstance(problem, HoldsforError):
        is_outside = any(diagnostic.code == "HF620" for diagnostic in problem.diagnostics)
        return Failure(problem.diagnostics.render(), 1 if is_outside else 2)
    full = f"{type(problem).__name__}: {problem}"
    known = worker_message(full)
    if known is not None:
        return Failure(known, 1 if known.startswith("error[HF620]") else 2)
    causes = causes_of(problem)
    # A JVM that does not start reports the reason only in the log.
    cause = cause_of((log.read().strip() if causes[0].condition == _GATEWAY else "") or full)
    for pattern in () if _READING.fits(causes, full) else _UNWRITABLE:
        if pattern.fits(causes, full):
            what = "files of Spark cannot be written" if place is None else f"results cannot be written to `{place}`"
            hint = pattern.hint
            if checkpoint is not None and _OF_CHECKPOINT.search(java_trace(problem)):
                what = f"the checkpoint `{checkpoint}` cannot be written"
                hint = "free disk space, or check the permissions of the folder; the same command then continues"
            return Failure(Diagnostic("HF620", f"{what}: {cause}", hint=hint).render(), 1)
    kept = f"the full text is in {log.keep(''.join(traceback.format_exception(problem)))}"
    hint = next((f"{pattern.hint}; {kept}" for pattern in _UNFINISHED if pattern.fits(causes, full)), kept)
    return Failure(Diagnostic("HF621", f"Spark could not finish the run: {cause}", hint=hint).render(), 1)


def unwritten(problem: BaseException, place: str) -> Diagnostic | None:
    """The diagnostic of a problem while results were written to a place; None for problems of another kind."""
    full, causes = f"{type(problem).__name__}: {problem}", causes_of(problem)
    if worker_message(full) is not None or _READING.fits(causes, full):
        return None
    hint = next((each.hint for each in (*_UNWRITABLE, _UNSENT) if each.fits(causes, full)), None)
    message = f"results cannot be written to `{place}`: {cause_of(full)}"
    return None if hint is None else Diagnostic("HF620", message, hint=hint)


def cause_of(text: str) -> str:
    """The first cause in a text with stack traces, in one line.

    >>> cause_of("Py4JJavaError: An error\\n: a.SparkException: no\\n\\tat a.b\\nCaused by: c.IOException: is full\\n")
    'is full'
    >>> cause_of("A: [STREAM_FAILED] Query [id = 1] terminated with exception: c.IOException: is full SQLSTATE: XXKST")
    'is full'
    """
    found = [match for line in text.splitlines() if (match := _EXCEPTION.match(line.strip()))]
    found = [match for match in found if _WORKER_LOST.search(match[0])] or found  # later exceptions are consequences
    name, message = found[-1].groups() if found else ("", text.strip().splitlines()[0])
    message = message or name
    within = _TASK.match(message)
    if within is not None:
        inner = _EXCEPTION.match(within[1])
        message = (inner[2] or inner[1]) if inner else within[1]
    if query := _QUERY.search(message):
        inner = _EXCEPTION.match(query[1])
        message = (inner[2] or inner[1]) if inner else query[1]
    message = re.sub(r"^\[[A-Z_.]+\] ", "", message).partition(". ")[0].rstrip(".")
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"
