"""Problems of Spark, of its workers and of the places it writes to, in a sentence for the person who can mend them.

Spark tells what went wrong as two stack traces, of Java and of Python, and the cause is the last exception in them.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.errors import Diagnostic, HoldsforError
from holdsfor.spark.cluster.causes import Cause, causes_of
from holdsfor.spark.cluster.session_start import Log
from holdsfor.spark.cluster.worker_problems import worker_message

__all__ = ["Failure", "cause_of", "failure_of"]

_EXCEPTION = re.compile(
    r"^(?:Caused by: |: |Exception in thread \S+ )?((?:[\w$]+\.)*[\w$]*(?:Exception|Error|Failure))(?:: (.*))?$"
)
_TASK = re.compile(r"^Job aborted due to .*?executor [^)]*\): (.*)$")
_LONGEST = 300


@dataclass(frozen=True)
class _Sign:
    """What a failure is recognised by, and what to do about it.

    `conditions` are error conditions of Spark without their details, `names` are classes of exceptions, `sql_states`
    are beginnings of SQL states. A failure that has none of these is recognised by a `text` in its stack trace.
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


# A worker that was killed leaves no exception but a text; those of memory may be inside the report of a task.
_WORKER_LOST = re.compile(r"exited unexpectedly|ExecutorLostFailure|OutOfMemoryError|MemoryError|executor .* exited")
_GATEWAY = "JAVA_GATEWAY_EXITED"
_UNFINISHED = (
    _Sign(
        "more buckets are smaller ones (`--buckets`); `--conf spark.executor.memory=…` gives more memory",
        names=("OutOfMemoryError",),
        text=_WORKER_LOST,
    ),
    # The exception of a stopped context is an IllegalStateException like many others.
    _Sign("see `--master` and `--conf`", (_GATEWAY,), text=re.compile("stopped SparkContext")),
)
# The readers of lines are RDDs of Hadoop, whose exceptions do not say that they were reading.
_READING = _Sign("", ("FAILED_READ_FILE",), text=re.compile("FileScanRDD|HadoopRDD"))
_UNWRITABLE = (
    # A full disk is an IOException like many others.
    _Sign(
        "make room; what Spark puts aside while it works is in `--conf spark.local.dir=…`",
        text=re.compile(r"No space left on device|Disk quota exceeded"),
    ),
    # Local file systems report these as IOException.
    _Sign(
        "name a place where you may write with `-o`",
        names=("AccessControlException", "AccessDeniedException", "ParentNotDirectoryException"),
        text=re.compile(r"Permission denied|Read-only file system|Mkdirs failed|not a directory"),
    ),
    _Sign(
        "Spark needs the package of this file system, see `--conf spark.jars.packages=…`",
        names=("UnsupportedFileSystemException",),
    ),
    # A class that is missing is known by its name alone; `No suitable driver` has the SQL state of a lost connection.
    _Sign(
        "Spark needs the driver of the database: `--conf spark.jars=/usr/share/java/postgresql.jar`, or where it is",
        text=re.compile(r"ClassNotFoundException: org\.postgresql|No suitable driver"),
    ),
    _Sign(
        "`HOLDSFOR_JDBC_USER` and `HOLDSFOR_JDBC_PASSWORD`, or a file of `--jdbc-properties`, tell who you are",
        sql_states=("28", "08004"),
    ),
    _Sign("what was there before is still there", sql_states=("",)),
    _Sign("see `-o`", ("SCHEMA_NOT_FOUND", "TABLE_OR_VIEW_ALREADY_EXISTS")),
)


@dataclass(frozen=True)
class Failure:
    """What is told about a failed run, and its exit code: 2 if the input or the call is wrong, else 1."""

    text: str
    exit_code: int


def failure_of(problem: BaseException, place: str, log: Log) -> Failure:
    """What to tell about a problem; of one that nobody has foreseen all is kept in the log."""
    if isinstance(problem, HoldsforError):
        is_outside = any(diagnostic.code == "HF620" for diagnostic in problem.diagnostics)
        return Failure(problem.diagnostics.render(), 1 if is_outside else 2)
    full = f"{type(problem).__name__}: {problem}"
    told = worker_message(full)
    if told is not None:
        return Failure(told, 2)
    causes = causes_of(problem)
    # A JVM that does not start says why in the log only.
    cause = cause_of((log.read().strip() if causes[0].condition == _GATEWAY else "") or full)
    for sign in () if _READING.fits(causes, full) else _UNWRITABLE:
        if sign.fits(causes, full):
            message = f"results cannot be written to `{place}`: {cause}"
            return Failure(Diagnostic("HF620", message, hint=sign.hint).render(), 1)
    kept = f"the full text is in {log.keep(''.join(traceback.format_exception(problem)))}"
    hint = next((f"{sign.hint}; {kept}" for sign in _UNFINISHED if sign.fits(causes, full)), kept)
    return Failure(Diagnostic("HF621", f"Spark could not finish the run: {cause}", hint=hint).render(), 1)


def cause_of(text: str) -> str:
    """The first cause in a text with stack traces, in one line.

    >>> cause_of("Py4JJavaError: An error\\n: a.SparkException: no\\n\\tat a.b\\nCaused by: c.IOException: is full\\n")
    'is full'
    """
    found = [match for line in text.splitlines() if (match := _EXCEPTION.match(line.strip()))]
    found = [match for match in found if _WORKER_LOST.search(match[0])] or found  # what follows from it is no cause
    name, said = found[-1].groups() if found else ("", text.strip().splitlines()[0])
    said = said or name
    within = _TASK.match(said)
    if within is not None:
        inner = _EXCEPTION.match(within[1])
        said = (inner[2] or inner[1]) if inner else within[1]
    said = re.sub(r"^\[[A-Z_.]+\] ", "", said).partition(". ")[0].rstrip(".")
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
