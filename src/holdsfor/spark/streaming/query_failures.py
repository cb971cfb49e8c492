"""Why a query of a stream has failed, in one diagnostic.

Spark raises a `StreamingQueryException`, whose text has the stack traces of Java and of Python around the cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.errors import Diagnostic
from holdsfor.spark.cluster.failures import cause_of
from holdsfor.spark.cluster.worker_problems import worker_message

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["failure"]


def failure(query: StreamingQuery) -> str | None:
    """The diagnostic of a query that has failed, as `holdsfor spark stream` prints it; None if it has not failed.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> ticks = spark.readStream.format("rate").load().selectExpr("value as ts", "'chris' as person")
    >>> found = hf.spark.stream(ticks, rules, columns="happensAt(win(person), ts)", window=20, step=5, buckets=1)
    >>> query = found.changes.writeStream.format("memory").queryName("rich").start()
    >>> hf.spark.failure(query) is None
    True
    >>> query.stop()
    """
    problem = query.exception()
    if problem is None:
        return None
    text = f"{type(problem).__name__}: {problem}"
    message = f"Spark could not finish the run: {cause_of(text)}"
    hint = "`query.exception()` has the full text"
    return worker_message(text) or Diagnostic("HF621", message, hint=hint).render()
