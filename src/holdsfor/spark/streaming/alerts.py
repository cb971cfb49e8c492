"""Alerts: changes of some fluents and events, sent to a webhook or a topic, at least once and with an idempotency key.

After a crash a micro-batch is repeated, and its alerts are sent again. The key of an alert is a hash of its content, so
it is the same then, and a receiver that stores the keys handles each alert once.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from holdsfor.analysis.result_columns import TableColumns
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.spark.streaming.sinks import KafkaSink, Sink, SinkOf, SinkSettings, refuse_output, sink_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["WebhookSink", "alert_rows", "alert_sink_of"]

_ATTEMPTS, _TIMEOUT, _PAUSE = 5, 10.0, 0.5
_AGAIN = (408, 425, 429, 500, 502, 503, 504)
"""Answers after which a request is repeated."""

_HEADER = "header."


def alert_rows(
    changes: DataFrame, tables: Sequence[TableColumns], operations: Sequence[str], where: str | None
) -> DataFrame:
    """The changes of some tables with some operations, with an `id` that depends on their content alone."""
    from pyspark.sql import functions as F

    is_wanted = F.lit(not tables)
    for each in tables:
        name, arity = each.key
        is_wanted = is_wanted | ((F.col("name") == name) & (F.size("arguments") == arity))
    found = changes.where(is_wanted & F.col("op").isin(*operations))
    found = found if where is None else found.where(where)
    return found.withColumn("id", F.sha2(F.to_json(F.struct(*changes.columns)), 256))


@dataclass(frozen=True)
class WebhookSink:
    """Posts each alert as JSON, in the order of query times; the header `Idempotency-Key` has its `id`.

    A request is repeated after a lost connection and after answers that ask for it. If all attempts fail, the query
    stops, and sends the alerts of the micro-batch again when it is started again.
    """

    needs_every_batch: ClassVar[bool] = False

    url: str
    headers: Mapping[str, str]
    n_attempts: int = _ATTEMPTS
    timeout: float = _TIMEOUT

    def write(self, frame: DataFrame, number: int) -> None:
        from pyspark.sql import functions as F

        ordered = frame.orderBy("query_time", F.desc("op"), "fvp", "start")
        for row in ordered.select("id", F.to_json(F.struct("*")).alias("body")).toLocalIterator():
            self._post(row["id"], row["body"].encode())

    def _post(self, key: str, body: bytes) -> None:
        headers = {"Content-Type": "application/json", **self.headers, "Idempotency-Key": key}
        for attempt in range(1, self.n_attempts + 1):
            request = urllib.request.Request(self.url, body, headers, method="POST")
            try:
                with urllib.request.urlopen(request, timeout=self.timeout):
                    return
            except urllib.error.HTTPError as answer:
                reason, is_final = f"the answer {answer.code}", answer.code not in _AGAIN
                answer.close()
            except OSError as problem:
                reason, is_final = str(getattr(problem, "reason", problem)) or type(problem).__name__, False
            if is_final or attempt == self.n_attempts:
                raise self._failure(reason)
            time.sleep(_PAUSE * 2 ** (attempt - 1))

    def _failure(self, reason: str) -> ExecutionProblem:
        parts = urlsplit(self.url)
        message = f"an alert cannot be sent to `{parts.scheme}://{parts.hostname}{parts.path}`: {reason}"
        hint = "start the stream again: it sends the alerts of this micro-batch again"
        return ExecutionProblem(Diagnostic("HF620", message, hint=hint))


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


def _webhook_sink(settings: SinkSettings) -> Sink:
    options = settings.options
    url = settings.path or options.get("url")
    parts = urlsplit(url or "")
    if url is None or parts.scheme not in ("http", "https") or not parts.hostname:
        refuse_output("the format `webhook` needs an address `http://…` or `https://…`", 'write `.option("url", …)`')
    headers = {key.removeprefix(_HEADER): value for key, value in options.items() if key.startswith(_HEADER)}
    return WebhookSink(
        str(url), headers, _number(options, "attempts", _ATTEMPTS), _number(options, "timeout", _TIMEOUT)
    )


_SINKS: Mapping[str, SinkOf] = {"webhook": _webhook_sink, "kafka": lambda settings: _AlertTopic(settings.options)}


def _number(options: Mapping[str, str], name: str, default: Any) -> Any:
    """A positive number among the options of a writer."""
    try:
        found = type(default)(json.loads(options[name])) if name in options else default
    except (ValueError, TypeError):
        found = 0
    if not found > 0:
        refuse_output(
            f"expected a positive number for `{name}`, found `{options[name]}`", f"by default it is {default}"
        )
    return found
