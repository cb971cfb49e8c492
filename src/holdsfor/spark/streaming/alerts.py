"""Alerts: changes of some fluents and events, sent to a webhook or a topic, at least once and with an idempotency key.

After a crash a micro-batch is repeated, and its alerts are sent again. The key of an alert is a hash of its content, so
it is the same then, and a receiver that stores the keys handles each alert once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from holdsfor.analysis.names import is_fvp_term
from holdsfor.analysis.patterns import is_instance, pattern_name
from holdsfor.spark.input.listing import first_sentence
from holdsfor.spark.streaming.output_rows import ChangeRows
from holdsfor.spark.streaming.sinks import KafkaSink, Sink, SinkOf, SinkSettings, refuse_output, sink_of
from holdsfor.spark.streaming.webhooks import webhook_sink
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Struct, Term, Var

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["alert_rows", "alert_sink_of", "check_condition"]

_TIMES = ("query_time", "start", "end")
_TIME_TYPES = ("bigint", "timestamp", "timestamp_ntz")
"""The types that times of changes can have; the first records decide which."""


def check_condition(spark: SparkSession, where: str) -> None:
    """Refuse a condition that is not SQL, or that changes with times of no type can be compared with (HF795)."""
    problems = [problem for kind in _TIME_TYPES if (problem := _problem_with(spark, where, kind)) is not None]
    if len(problems) == len(_TIME_TYPES):
        hint = f"the columns of changes are {', '.join(ChangeRows().schema.names)}"
        refuse_output(f"the condition `{where}` of alerts cannot be read: {problems[0]}", hint)


def _problem_with(spark: SparkSession, where: str, kind: str) -> str | None:
    """What Spark says of a condition on changes with times of a type; None if it accepts the condition."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.types import from_arrow_schema

    changes = spark.createDataFrame([], from_arrow_schema(ChangeRows().schema))
    logger = logging.getLogger("SQLQueryContextLogger")
    is_disabled, logger.disabled = logger.disabled, True  # it prints what this function returns
    try:
        changes.withColumns({name: F.lit(None).cast(kind) for name in _TIMES}).where(where)
    except AnalysisException as problem:
        return first_sentence(str(problem))
    finally:
        logger.disabled = is_disabled
    return None


def alert_rows(changes: DataFrame, patterns: Sequence[Term], operations: Sequence[str], where: str | None) -> DataFrame:
    """The changes of events and FVPs that match a pattern, with an `id` that depends on their content alone.

    No patterns choose all changes.
    """
    from pyspark.sql import functions as F

    is_wanted = F.lit(not patterns)
    for each in patterns:
        kind, (name, arity) = "fluent" if is_fvp_term(each) else "event", pattern_name(each)
        is_of_pattern = (F.col("kind") == kind) & (F.col("name") == name) & (F.size("arguments") == arity)
        is_wanted = is_wanted | is_of_pattern
    found = changes.where(is_wanted & F.col("op").isin(*operations))
    if not all(map(_is_most_general, patterns)):
        found = found.mapInArrow(_MatchingRows(tuple(patterns)), found.schema)
    found = found if where is None else found.where(where)
    return found.withColumn("id", F.sha2(F.to_json(F.struct(*changes.columns)), 256))


def _is_most_general(pattern: Term) -> bool:
    """Whether all arguments of a pattern, and its value, are variables of their own."""
    event, rest = (
        (pattern.args[0], pattern.args[1:]) if isinstance(pattern, Struct) and is_fvp_term(pattern) else (pattern, ())
    )
    places = [*(event.args if isinstance(event, Struct) else ()), *rest]
    named = [each.name for each in places if isinstance(each, Var) and not each.is_anonymous]
    return all(isinstance(each, Var) for each in places) and len(set(named)) == len(named)


@dataclass(frozen=True)
class _MatchingRows:
    """The rows whose event or FVP is an instance of a pattern; runs in the workers."""

    patterns: tuple[Term, ...]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa  # type: ignore[import-untyped]

        for batch in batches:
            described = batch.column("fvp").dictionary_encode()
            is_of = [self._matches(text) for text in described.dictionary.to_pylist()]
            yield batch.filter(pa.array(is_of, pa.bool_()).take(described.indices))

    def _matches(self, text: str) -> bool:
        found = parse_term(text, "alert")
        return any(is_instance(found, pattern) for pattern in self.patterns)


@dataclass(frozen=True)
class _AlertTopic:
    """A topic of Kafka: alerts as JSON, with their `id` as the key."""

    needs_every_batch: ClassVar[bool] = False

    options: Mapping[str, str]

    def write(self, frame: DataFrame, number: int) -> None:
        from pyspark.sql import functions as F

        messages = frame.select(F.col("id").alias("key"), F.to_json(F.struct("*")).alias("value"))
        KafkaSink(self.options).write(messages, number)


def alert_sink_of(settings: SinkSettings) -> Sink:
    """The sink of alerts for a format: `webhook`, `kafka`, or a format of feeds."""
    return _SINKS.get(settings.known_form, sink_of)(settings)


_SINKS: Mapping[str, SinkOf] = {"webhook": webhook_sink, "kafka": lambda settings: _AlertTopic(settings.options)}
