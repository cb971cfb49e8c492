"""The outputs of `holdsfor spark stream`: a feed, the current view and alerts, each with its place.

A place is a folder, a table of PostgreSQL (`postgresql://HOST/DATABASE?table=NAME`), a topic (`kafka://HOST:PORT/TOPIC`)
or a webhook (`https://…`). Messages show places without users, passwords and parameters.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from holdsfor.cli.options.config import missing
from holdsfor.cli.spark.properties import database_properties, read_properties
from holdsfor.errors import Diagnostic, UsageProblem

if TYPE_CHECKING:
    from holdsfor.spark.streaming.feeds import FeedWriter
    from holdsfor.spark.streaming.stream import RecognitionStream

__all__ = ["StreamOutput", "kafka_options", "stream_outputs", "writers_of"]

_DATABASE = ("postgresql:", "postgres:", "jdbc:")
_KINDS = {"feed": "-o", "current": "--current", "alerts": "--alerts"}
_ALERTS = ("alert_on", "alert_where", "alert_ops")
_TABLE = "table"


@dataclass(frozen=True)
class StreamOutput:
    """A feed with the format and the options of its writer."""

    feed: str
    form: str
    options: Mapping[str, str]


def stream_outputs(options: argparse.Namespace) -> list[StreamOutput]:
    """The outputs of a command, checked before Spark starts; a command without an output is HF704."""
    given = [
        (feed, place, what)
        for feed, place, what in (
            (options.feed, options.output, "feed"),
            ("current", options.current, "current"),
            ("alerts", options.alerts, "alerts"),
        )
        if place
    ]
    if not given:
        raise missing("output", "`-o`, `--current` or `--alerts` with a place for the output", "spark stream")
    if options.alerts is None and any(getattr(options, name) for name in _ALERTS):
        _refuse("there is no place for the alerts", "give `--alerts` with a topic or a webhook")
    found = [_output(feed, place, what, options) for feed, place, what in given]
    _refuse_unused_files(options, [*(output.form for output in found), *_input_forms(options.input)])
    return found


def writers_of(
    stream: RecognitionStream, outputs: Sequence[StreamOutput], options: argparse.Namespace
) -> list[FeedWriter]:
    """The writers of the outputs; rows of tables and folders are written before alerts are sent."""
    writers = []
    for output in outputs:
        if output.feed == "alerts":
            ops = options.alert_ops or ["+"]
            feed = stream.alerts(*options.alert_on, where=options.alert_where, ops=ops)
        else:
            feed = getattr(stream, output.feed)
        writers.append(feed.writeStream.format(output.form).options(**output.options))
    return writers


def kafka_options(options: argparse.Namespace) -> dict[str, str]:
    """The properties of Kafka clients as options of Spark's sources and sinks."""
    given = read_properties(options.kafka_properties, "the properties of Kafka")
    return {f"kafka.{name}": value for name, value in given.items()}


def _output(feed: str, place: str, what: str, options: argparse.Namespace) -> StreamOutput:
    """The output at a place; a place that the feed does not have is HF795."""
    from holdsfor.spark.streaming.command_inputs import topic_of

    is_current = feed == "current"
    if place.startswith(_DATABASE):
        return StreamOutput(feed, "jdbc", _table_options(feed, place, options.jdbc_properties))
    if place.startswith(("http:", "https:")) and what == "alerts":
        return StreamOutput(feed, "webhook", _webhook_options(place, options.webhook_headers))
    if place.startswith("kafka:") and not is_current:
        brokers, topic = topic_of(place, "HF795")
        servers = {"kafka.bootstrap.servers": brokers, "topic": topic}
        return StreamOutput(feed, "kafka", {**kafka_options(options), **servers})
    if what == "alerts" or place.startswith(("http:", "https:", "kafka:")):
        expected = {
            "feed": "a folder, `postgresql://…` or `kafka://…`" if not is_current else "a folder or `postgresql://…`",
            "current": "a folder or `postgresql://…`",
            "alerts": "`kafka://…`, `https://…` or `postgresql://…`",
        }[what]
        found = place if "://" not in place else f"{place.partition('://')[0]}://…"
        _refuse(f"expected {expected} after `{_KINDS[what]}`, found `{found}`", "`--alerts` posts changes to a webhook")
    return StreamOutput(feed, "parquet" if what == "current" else options.format, {"path": place})


def _table_options(feed: str, place: str, properties: str | None) -> dict[str, str]:
    """The options of a table of PostgreSQL; the address of the database is that of its clients or of JDBC."""
    from holdsfor.spark.output.databases import check_url, without_secrets

    address = place.removeprefix("jdbc:")
    shown = without_secrets(place)
    try:
        parts = urlsplit(address)
        is_known = address.startswith(("postgresql://", "postgres://"))
        is_valid = is_known and parts.path.strip("/") != "" and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        _refuse(
            f"expected `postgresql://HOST:PORT/DATABASE?table=NAME`, found `{shown}`",
            "`HOLDSFOR_JDBC_USER` and `HOLDSFOR_JDBC_PASSWORD` have the user and the password",
        )
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    table = next((value for name, value in parameters if name == _TABLE), f"holdsfor_{feed}")
    query = urlencode([(name, value) for name, value in parameters if name != _TABLE])
    url = f"jdbc:postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}" + (f"?{query}" if query else "")
    check_url(url, table)
    own = {"user": parts.username, "password": parts.password}
    credentials = {name: unquote(value) for name, value in own.items() if value is not None}
    return {**database_properties(properties), **credentials, "url": url, "dbtable": table}


def _webhook_options(place: str, headers: str | None) -> dict[str, str]:
    from holdsfor.spark.streaming.webhooks import webhook_address

    webhook_address(place)
    given = read_properties(headers, "the headers of the webhook", ":")
    return {**{f"header.{name}": value for name, value in given.items()}, "url": place}


def _input_forms(inputs: Sequence[str]) -> list[str]:
    return ["kafka" for each in inputs if re.match("kafka:", each)]


def _refuse_unused_files(options: argparse.Namespace, forms: Sequence[str]) -> None:
    """Refuse files with settings of places that the command does not have."""
    for name, form in (("jdbc_properties", "jdbc"), ("kafka_properties", "kafka"), ("webhook_headers", "webhook")):
        if getattr(options, name) is not None and form not in forms:
            places = {"jdbc": "database", "kafka": "topic", "webhook": "webhook"}[form]
            _refuse(f"`--{name.replace('_', '-')}` is given, but no {places}", f"leave it out, or name a {places}")


def _refuse(message: str, hint: str) -> NoReturn:
    raise UsageProblem(Diagnostic("HF795", message, hint=hint))
