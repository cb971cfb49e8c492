"""Background knowledge for the workers of a session: large tables of facts are broadcast, once for all jobs.

Spark sends a broadcast variable to every executor once, and a worker reads it when it compiles the rules. Rules with
few facts stay in the functions of a job, as do all rules in Spark Connect, which has no broadcast variables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdsfor.parallel.exchange.shipped_rules import Inline, Rules
from holdsfor.spark.cluster.connect import is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["broadcast_rules"]

_MANY_FACTS = 10_000
_MOST_KEPT = 4

_KEPT: dict[tuple[str, str], Any] = {}


def broadcast_rules(spark: SparkSession, rules: Rules) -> Rules:
    """The rules with their programs in a broadcast variable, if they have many facts."""
    carrier = rules.carrier
    if not isinstance(carrier, Inline) or carrier.n_facts < _MANY_FACTS or is_connect(spark):
        return rules
    context = spark.sparkContext
    key = str(context.applicationId), rules.digest
    if key not in _KEPT:
        while len(_KEPT) >= _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = context.broadcast(carrier.value)
    return replace(rules, carrier=_KEPT[key])
