"""The distributed driver: the same rules and the same engine over DataFrames of Apache Spark.

`hf.spark.recognise(frame, rules)`, with `hf.spark.events` and `hf.spark.fluents` for tables of one kind of record each.
`hf.spark.ship(session)` sends the package to the workers of a cluster.

It needs the extra `holdsfor[spark]` and Java 17.
"""

from __future__ import annotations

from holdsfor.spark.inputs import events, fluents
from holdsfor.spark.recognition import Recognition, recognise
from holdsfor.spark.shipping import ship

__all__ = ["Recognition", "events", "fluents", "recognise", "ship"]
