"""The distributed driver: the same rules and the same engine over DataFrames of Apache Spark.

`hf.spark.recognise(frame, rules)`, with `hf.spark.events` and `hf.spark.fluents` for tables of one kind of record each;
`hf.spark.write` puts all results in their place, `hf.spark.prepare` writes history once for many runs, and
`hf.spark.ship(session)` sends the package to the workers of a cluster. It needs `holdsfor[spark]` and Java 17.
"""

from __future__ import annotations

from holdsfor.spark.cluster.shipping import ship
from holdsfor.spark.input.inputs import events, files, fluents
from holdsfor.spark.job.recognition import Recognition, recognise
from holdsfor.spark.output.write import write
from holdsfor.spark.prepared.history import Prepared, prepared
from holdsfor.spark.prepared.preparation import prepare

__all__ = [
    "Prepared",
    "Recognition",
    "events",
    "files",
    "fluents",
    "prepare",
    "prepared",
    "recognise",
    "ship",
    "write",
]
