"""Problems of Spark, of its workers and of the places it writes to, in a sentence for the person who can mend them.

Spark tells what went wrong as two stack traces, of Java and of Python, and the cause is the last exception in them.
"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass

from holdsfor.errors import Diagnostic, HoldsforError
from holdsfor.spark.cluster.session_start import Log
from holdsfor.spark.cluster.worker_problems import worker_message

__all__ = ["Failure", "cause_of", "failure_of"]

_EXCEPTION = re.compile(
    r"^(?:Caused by: |: |Exception in thread \S+ )?((?:[\w$]+\.)*[\w$]*(?:Exception|Error|Failure))(?:: (.*))?$"
)
_TASK = re.compile(r"^Job aborted due to .*?executor [^)]*\): (.*)$")
_LONGEST = 300

_WORKER_LOST = re.compile(r"exited unexpectedly|ExecutorLostFailure|OutOfMemoryError|MemoryError|executor .* exited")
_UNFINISHED = (
    (
        _WORKER_LOST,
        "more buckets are smaller ones (`--buckets`); `--conf spark.executor.memory=…` gives more memory",
    ),
    (re.compile(r"JAVA_GATEWAY_EXITED|stopped SparkContext"), "see `--master` and `--conf`"),
)
_READING = re.compile(r"FAILED_READ_FILE|FileScanRDD|HadoopRDD")
_UNWRITABLE = (
    (
        re.compile(r"No space left on device|Disk quota exceeded"),
        "make room; what Spark puts aside while it works is in `--conf spark.local.dir=…`",
    ),
    (
        re.compile(r"Permission denied|AccessControlException|Read-only file system|Mkdirs failed|not a directory"),
        "name a place where you may write with `-o`",
    ),
    (
        re.compile(r"No FileSystem for scheme|No AbstractFileSystem"),
        "Spark needs the package of this file system, see `--conf spark.jars.packages=…`",
    ),
    (
        re.compile(r"ClassNotFoundException: org\.postgresql|No suitable driver"),
        "Spark needs the driver of the database: `--conf spark.jars=/usr/share/java/postgresql.jar`, or where it is",
    ),
    (
        re.compile(r"authentication failed|no password was provided"),
        "`HOLDSFOR_JDBC_USER` and `HOLDSFOR_JDBC_PASSWORD`, or a file of `--jdbc-properties`, tell who you are",
    ),
    (re.compile(r"PSQLException|java\.sql\.\w*Exception"), "what was there before is still there"),
    (re.compile(r"SCHEMA_NOT_FOUND|TABLE_OR_VIEW_ALREADY_EXISTS"), "see `-o`"),
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
    # A JVM that does not start says why in the log only.
    cause = cause_of((log.read().strip() if "JAVA_GATEWAY_EXITED" in full else "") or full)
    for pattern, hint in () if _READING.search(full) else _UNWRITABLE:
        if pattern.search(full):
            message = f"results cannot be written to `{place}`: {cause}"
            return Failure(Diagnostic("HF620", message, hint=hint).render(), 1)
    kept = f"the full text is in {log.keep(''.join(traceback.format_exception(problem)))}"
    hint = next((f"{hint}; {kept}" for pattern, hint in _UNFINISHED if pattern.search(full)), kept)
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
