"""The Spark driver: the same rules and the same engine over DataFrames of Apache Spark.

`hf.spark.recognise(frame, rules)` evaluates rules, `hf.spark.stream(frame, rules)` evaluates them on a stream, and
`hf.spark.read_current` reads the current results that a stream writes; `hf.spark.rescale` changes the number of buckets
of a stopped stream;
`hf.spark.events` and `hf.spark.fluents` describe tables that have one kind of record. `hf.spark.write` writes all
results, `hf.spark.prepare` stores a history for many runs, and `hf.spark.ship(session)` sends the package to the
workers of a cluster. The driver needs `holdsfor[spark]` and Java 17.
"""

from __future__ import annotations

from holdsfor.spark.cluster.shipping import ship
from holdsfor.spark.input.inputs import events, files, fluents
from holdsfor.spark.job.recognition import Recognition, recognise
from holdsfor.spark.output.write import write
from holdsfor.spark.prepared.history import Prepared, prepared
from holdsfor.spark.prepared.preparation import prepare
from holdsfor.spark.streaming.current_view import read_current
from holdsfor.spark.streaming.rescale import Rescaled, rescale
from holdsfor.spark.streaming.stream import RecognitionStream, stream

__all__ = [
    "Prepared",
    "Recognition",
    "RecognitionStream",
    "Rescaled",
    "events",
    "files",
    "fluents",
    "prepare",
    "prepared",
    "read_current",
    "recognise",
    "rescale",
    "ship",
    "stream",
    "write",
]
