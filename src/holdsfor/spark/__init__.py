"""The Spark driver: the same rules and the same engine over DataFrames of Apache Spark.

`hf.spark.recognise(frame, rules)` evaluates rules, `hf.spark.stream(frame, rules)` evaluates them on a stream, and
`hf.spark.read_current` reads the current results that a stream writes; `hf.spark.failure` is the reason why a query of
a stream has failed, and `hf.spark.rescale` changes the number of buckets of a stopped stream; `hf.spark.register` adds
the format `holdsfor` of text files and named pipes to a session; `hf.spark.events` and `hf.spark.fluents` describe
tables that have one kind of record. `hf.spark.write` writes all results, `hf.spark.prepare` stores a history for many
runs, and `hf.spark.ship(session)` sends the package to the workers of a cluster. The driver needs `holdsfor[spark]` and
Java 17.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.spark.cluster.shipping import ship
from holdsfor.spark.input.inputs import events, files, fluents
from holdsfor.spark.job.recognition import Recognition, recognise
from holdsfor.spark.output.write import write
from holdsfor.spark.prepared.history import Prepared, prepared
from holdsfor.spark.prepared.preparation import prepare
from holdsfor.spark.streaming.current_view import read_current
from holdsfor.spark.streaming.query_failures import failure
from holdsfor.spark.streaming.rescale import Rescaled, rescale
from holdsfor.spark.streaming.stream import RecognitionStream, stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(session: SparkSession) -> None:
    """Make `format("holdsfor")` known to a session: text files of RTEC and named pipes, for batches and streams.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import holdsfor as hf
    >>> hf.spark.register(spark)
    >>> file = Path(mkdtemp()) / "wins.txt"
    >>> _ = file.write_text("win|13|13|chris")
    >>> lines = spark.read.format("holdsfor").load(str(file))
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> hf.spark.recognise(lines, rules).intervals.first().fvp
    'rich(chris)=true'
    """
    from holdsfor.spark.input.text_source import TextSource

    session.dataSource.register(TextSource)


__all__ = [
    "Prepared",
    "Recognition",
    "RecognitionStream",
    "Rescaled",
    "events",
    "failure",
    "files",
    "fluents",
    "prepare",
    "prepared",
    "read_current",
    "recognise",
    "register",
    "rescale",
    "ship",
    "stream",
    "write",
]
