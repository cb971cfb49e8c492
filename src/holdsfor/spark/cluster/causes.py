"""The chain of exceptions behind a failure of Spark: the class, the error condition and the message of each.

Spark identifies many of its errors by an *error condition* such as `SCHEMA_NOT_FOUND`, which does not depend on the
wording of the message. Java and Hadoop have classes of exceptions, databases have SQL states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Cause", "causes_of", "java_trace"]

_MAX_DEPTH = 50


@dataclass(frozen=True)
class Cause:
    """One exception: its class, and its error condition and SQL state if it has them."""

    type: str
    message: str
    condition: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    sql_state: str | None = None

    @property
    def name(self) -> str:
        """The class without its package.

        >>> Cause("java.io.EOFException", "unexpected end").name
        'EOFException'
        """
        return self.type.rpartition(".")[2]


def causes_of(problem: BaseException) -> tuple[Cause, ...]:
    """The exception of Python, then the exceptions of Java behind it; the first cause is the last.

    >>> causes_of(ValueError("no"))
    (Cause(type='ValueError', message='no', condition=None, parameters={}, sql_state=None),)
    """
    return (_own(problem), *_in_java(problem))


def java_trace(problem: BaseException) -> str:
    """The stack traces of the exceptions of Java behind a failure; empty if there are none.

    >>> java_trace(ValueError("no"))
    ''
    """
    thrown: Any = getattr(problem, "java_exception", None) or getattr(problem, "_origin", None)
    if thrown is None:
        return ""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    jvm: Any = SparkContext._jvm
    try:
        return str(jvm.org.apache.spark.util.Utils.exceptionString(thrown))
    except (Py4JError, OSError, AttributeError):  # the JVM has ended
        return ""


def _own(problem: BaseException) -> Cause:
    name, message = type(problem).__name__, str(problem)
    known: Any = problem
    if not hasattr(known, "getCondition"):
        return Cause(name, message)
    return Cause(name, message, known.getCondition(), dict(known.getMessageParameters() or {}))


def _in_java(problem: BaseException) -> Iterator[Cause]:
    # PySpark has no public name for the exception of Java behind an exception of its own.
    thrown: Any = getattr(problem, "java_exception", None) or getattr(problem, "_origin", None)
    if thrown is None:
        return
    from py4j.protocol import Py4JError

    try:
        for _ in range(_MAX_DEPTH):
            if thrown is None:
                return
            yield _described(thrown)
            thrown = thrown.getCause()
    except (Py4JError, OSError):  # the JVM has ended
        return


def _described(thrown: Any) -> Cause:
    from py4j.java_gateway import is_instance_of
    from pyspark import SparkContext

    name, message = str(thrown.getClass().getName()), str(thrown.getMessage() or "")
    if is_instance_of(SparkContext._gateway, thrown, "org.apache.spark.SparkThrowable"):
        return Cause(name, message, thrown.getCondition(), dict(thrown.getMessageParameters()))
    if is_instance_of(SparkContext._gateway, thrown, "java.sql.SQLException"):
        return Cause(name, message, sql_state=str(thrown.getSQLState() or ""))
    return Cause(name, message)
