"""The current view and the alerts of a stream: the known results after every micro-batch, also after repeated ones."""

from __future__ import annotations

import json
import random
import re
import string
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from holdsfor.analysis.output_selection import chosen_patterns
from holdsfor.errors import HoldsforError
from holdsfor.spark.streaming import alerts, postgres_tables, webhooks
from holdsfor.spark.streaming.current_view import last_changes
from tests.apps.data import ROOT
from tests.spark import delta, kafka, postgresql
from tests.spark.conftest import why_not
from tests.spark.test_streams import BATCHES, CHANGES, RICH, read_lines, write_batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(2)

KNOWN = {("rich(bob)=true", 26, 51), ("rich(bob)=true", 56, None), ("rich(chris)=true", 2, 13)}
"""The results after all batches."""


def started(spark: SparkSession, tmp_path: Path) -> Any:
    folder = write_batches(tmp_path / "records", BATCHES)
    return hf.spark.stream(read_lines(spark, folder), hf.load_text(RICH), window=20, step=10, start=0, buckets=1)


def repeat_last(tmp_path: Path, number: int = 4) -> None:
    """Make the next start of a query repeat its last micro-batch, as after a crash."""
    (tmp_path / f"checkpoint/commits/{number}").unlink()
    (tmp_path / f"checkpoint/commits/.{number}.crc").unlink(missing_ok=True)


def test_snapshots_have_the_known_results(spark: SparkSession, tmp_path: Path) -> None:
    writer = started(spark, tmp_path).current.writeStream.format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    view = str(tmp_path / "view")
    with pytest.raises(HoldsforError, match=r"HF501.*no snapshot"):
        hf.spark.read_current(spark, view)
    for _ in range(2):
        writer.start(view).awaitTermination()
        rows = hf.spark.read_current(spark, view).collect()
        assert sorted((row.fvp, row.start, row.end) for row in rows) == sorted(KNOWN, key=str)
        assert {row.query_time for row in rows} == {20, 60}
        assert len(list((tmp_path / "view").glob("snapshot=*"))) == 2
        repeat_last(tmp_path)


ROW = "query_time long, op string, kind string, fvp string, start long, end long"


def test_of_the_changes_with_one_key_the_last_one_counts(spark: SparkSession) -> None:
    """Other rules delete all rows of the old ones, and insert those that they derive again."""
    rows: list[Any] = [
        (10, "+", "stays", None),
        (20, "-", "stays", None),
        (20, "+", "stays", None),
        (10, "+", "goes", None),
        (20, "-", "goes", None),
        (20, "-", "returns", 5),
        (30, "+", "returns", 5),
        (20, "-", "closed, then gone", None),
        (20, "+", "closed, then gone", 5),
        (30, "-", "closed, then gone", 5),
    ]
    changes = spark.createDataFrame([(at, op, "fluent", fvp, 1, end) for at, op, fvp, end in rows], ROW)
    found = last_changes(changes)
    assert found.columns == changes.columns
    assert sorted((row.fvp, row.op, row.query_time, row.end) for row in found.collect()) == [
        ("closed, then gone", "-", 30, 5),
        ("goes", "-", 20, None),
        ("returns", "+", 30, 5),
        ("stays", "+", 20, None),
    ]


@pytest.mark.parametrize("where", ["nosuch > 3", "fvp = = 3", "no_such_function(fvp)", "value", "arguments > 3"])
def test_a_condition_of_alerts_that_cannot_be_read_is_refused_at_once(
    where: str, spark: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(HoldsforError, match=r"HF795.*the condition `.*` of alerts cannot be read") as problem:
        started(spark, tmp_path).alerts("rich", where=where)
    assert "hint: the columns of changes are query_time, op, kind, name, arguments, value, fvp, start, end" in str(
        problem.value
    )


@pytest.mark.parametrize(
    "where", ["start > 5", "start > timestamp'2026-01-01'", "hour(end) = 3 and size(arguments) = 1"]
)
def test_a_condition_of_alerts_may_need_any_type_of_times(where: str, spark: SparkSession, tmp_path: Path) -> None:
    assert repr(started(spark, tmp_path).alerts("rich", where=where)) == "Feed of alerts"


def test_a_table_of_postgresql_has_the_known_results(spark: SparkSession, tmp_path: Path) -> None:
    reason = postgresql.why_not()
    if reason is not None:
        pytest.skip(reason)
    with postgresql.running() as server:
        writer = started(spark, tmp_path).current.writeStream.format("jdbc").trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer = writer.options(url=server.url, dbtable="known", user="tester", password=postgresql.PASSWORD)
        for _ in range(2):
            writer.start().awaitTermination()
            rows = server.ask('select fvp, start, "end" from known order by 1, 2')
            assert rows == ["rich(bob)=true|26|51", "rich(bob)=true|56|", "rich(chris)=true|2|13"]
            repeat_last(tmp_path)
        tables = server.ask("select tablename from pg_tables where schemaname = 'public' order by 1")
        assert tables == ["holdsfor_batches", "known"]


def test_names_may_be_longer_than_a_row_of_an_index(spark: SparkSession) -> None:
    reason = postgresql.why_not()
    if reason is not None:
        pytest.skip(reason)
    long = "".join(random.Random(1).choices(string.ascii_letters, k=6_000))
    rows = [(f"rich({long}{end})=true", 5) for end in "ab"]
    with postgresql.running() as server:
        options = {"url": server.url, "dbtable": "known", "user": "tester", "password": postgresql.PASSWORD}
        view = postgres_tables.PostgresView("holdsfor id current", options, ("kind", "fvp", "start"), long="fvp")
        for number, (op, end) in enumerate((("+", None), ("+", 9), ("-", 9))):
            changes = [(op, "fluent", fvp, start, end) for fvp, start in rows[: 2 - number // 2]]
            view.write(
                spark.createDataFrame(changes, "op string, kind string, fvp string, start long, end long"), number
            )
            found = server.ask('select md5(fvp) in (select md5(fvp) from known), start, "end" from known order by fvp')
            assert found == [f"t|5|{end or ''}"] * (2 if number < 2 else 1)
        assert server.ask("select right(fvp, 7) from known") == ["b)=true"]


def test_two_drivers_add_the_rows_of_a_micro_batch_once(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other driver writes the micro-batch after the first one has looked for its number."""
    reason = postgresql.why_not()
    if reason is not None:
        pytest.skip(reason)
    plain = postgres_tables.with_json_lists

    def write_meanwhile(frame: Any) -> Any:
        monkeypatch.setattr(postgres_tables, "with_json_lists", plain)
        sink.write(frame, 0)
        return plain(frame)

    with postgresql.running() as server:
        options = {"url": server.url, "dbtable": "known", "user": "tester", "password": postgresql.PASSWORD}
        sink = postgres_tables.PostgresSink("holdsfor id changes", options)
        frame = spark.createDataFrame([(1, ["a"]), (2, ["b"])], "query_time long, arguments array<string>")
        monkeypatch.setattr(postgres_tables, "with_json_lists", write_meanwhile)
        sink.write(frame, 0)
        assert server.ask("select * from known order by 1") == ['1|["a"]', '2|["b"]']
        assert server.ask("select batch from holdsfor_batches") == ["0"]
        left = f"{postgres_tables._prefix(sink.application)}1"
        server.ask(f"create table {left} (query_time bigint); create table {left}_0a (query_time bigint)")
        sink.write(frame.where("query_time = 2"), 1)
        assert server.ask("select query_time from known order by 1") == ["1", "2", "2"]
        tables = server.ask("select tablename from pg_tables where schemaname = 'public' order by 1")
        assert tables == ["holdsfor_batches", "known"], "tables that a crash or the other driver has left are dropped"


class Receiver(BaseHTTPRequestHandler):
    """Stores the requests of a webhook; the first ones are answered with 503."""

    received: list[tuple[str, dict[str, Any]]]
    n_refused: int

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kind = type(self)
        if kind.n_refused:
            kind.n_refused -= 1
            self.send_response(503)
        else:
            assert self.headers["Authorization"] == "Bearer sesame"
            kind.received.append((self.headers["Idempotency-Key"], json.loads(body)))
            self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Print nothing."""


@contextmanager
def receiving(n_refused: int) -> Iterator[tuple[str, type[Receiver]]]:
    handler = type("Handler", (Receiver,), {"received": [], "n_refused": n_refused})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook?token=secret", handler
        server.shutdown()


def test_a_webhook_gets_alerts_with_keys_that_a_repetition_repeats(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "_PAUSE", 0.01)
    feed = started(spark, tmp_path).alerts("rich", where="arguments[0] = 'bob'")
    with receiving(n_refused=2) as (url, receiver):
        writer = feed.writeStream.format("webhook").option("url", url).option("header.Authorization", "Bearer sesame")
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
        writer.start().awaitTermination()
        sent = list(receiver.received)
        assert [(body["query_time"], body["fvp"], body["start"]) for _, body in sent] == [
            (30, "rich(bob)=true", 26),
            (60, "rich(bob)=true", 26),
            (60, "rich(bob)=true", 56),
        ]
        assert [key for key, _ in sent] == [body["id"] for _, body in sent]
        assert len({key for key, _ in sent}) == 3
        repeat_last(tmp_path)
        writer.start().awaitTermination()
        assert receiver.received[3:] == sent[1:], "the repeated micro-batch has the same alerts with the same keys"


class Redirecting(BaseHTTPRequestHandler):
    """Redirects every request to a page that answers."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(302)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Print nothing."""


def test_a_redirected_alert_is_not_delivered() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Redirecting) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sink = webhooks.WebhookSink(f"http://127.0.0.1:{server.server_port}/secret", {})
        with pytest.raises(HoldsforError, match="the answer 302") as problem:
            sink._post("key", b"{}")
        server.shutdown()
    assert "secret" not in str(problem.value)


def test_the_user_of_an_address_becomes_a_header() -> None:
    found = webhooks.webhook_address("https://ann:se%2Fsame@example.org:8443/hook?x=1")
    assert found == ("https://example.org:8443/hook?x=1", {"Authorization": "Basic YW5uOnNlL3NhbWU="})


@pytest.mark.parametrize(
    ("selectors", "where", "expected"),
    [
        (("rich(bob)=true",), None, {"rich(bob)=true"}),
        (("rich(X)=X",), None, set()),
        (("rich/1", "rich(nobody)=_"), "start < 10", {"rich(chris)=true"}),
        ((), None, {"rich(bob)=true", "rich(chris)=true"}),
    ],
)
def test_alerts_are_the_changes_that_match_a_selector(
    selectors: tuple[str, ...], where: str | None, expected: set[str], spark: SparkSession, tmp_path: Path
) -> None:
    stream = started(spark, tmp_path)
    patterns = chosen_patterns(selectors, "alerts", stream.plan.compiled.names, stream.plan.compiled.graph, None)
    columns = "query_time long, op string, kind string, name string, arguments array<string>, fvp string, start long"
    changes = [
        (20, op, "fluent", "rich", [name], f"rich({name})=true", at)
        for op, name, at in (("+", "chris", 2), ("+", "bob", 26), ("-", "bob", 26))
    ]
    found = alerts.alert_rows(spark.createDataFrame(changes, columns), patterns, ["+"], where).collect()
    assert {row.fvp for row in found} == expected
    assert len(found) == len(expected)


def test_a_webhook_that_refuses_alerts_stops_the_query(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.errors import StreamingQueryException

    with receiving(n_refused=100) as (url, receiver):
        writer = started(spark, tmp_path).alerts().writeStream.format("webhook").options(url=url, attempts=1)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
        query = writer.start()
        with pytest.raises(StreamingQueryException, match=r"HF620.*`http://127.0.0.1:\d+`: the answer 503"):
            query.awaitTermination()
        assert receiver.received == []
    failure = hf.spark.failure(query)
    assert failure is not None
    assert failure.startswith("error[HF620]: an alert cannot be sent to `http://127.0.0.1:")
    assert "Traceback" not in failure


def test_outputs_that_do_not_fit_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    stream = started(spark, tmp_path)
    checkpoint = {"checkpointLocation": str(tmp_path / "checkpoint")}
    with pytest.raises(HoldsforError, match=r"HF795.*`parquet`, `delta` or `jdbc`, found the format `orc`"):
        stream.current.writeStream.format("orc").options(**checkpoint).start(str(tmp_path / "view"))
    with pytest.raises(HoldsforError, match=r"HF795.*http"):
        stream.alerts().writeStream.format("webhook").options(url="file:///etc/passwd", **checkpoint).start()
    given = {"url": "http://127.0.0.1:1", "attempts": "none", **checkpoint}
    with pytest.raises(HoldsforError, match=r"HF795.*positive number up to 1000 for `attempts`, found `none`"):
        stream.alerts().writeStream.format("webhook").options(**given).start()
    with pytest.raises(HoldsforError, match=r"HF220.*no rule defines the output `poor`"):
        stream.alerts("poor")
    given = {"url": "http://127.0.0.1:1", "header.Bad Name": "x", **checkpoint}
    with pytest.raises(HoldsforError, match=r"HF795.*`Bad Name` is not a header"):
        stream.alerts().writeStream.format("webhook").options(**given).start()
    out = str(tmp_path / "out")
    for spelt in (f"{out}/", f"{tmp_path}//out", f"file:{out}", f"{tmp_path}/x/../out"):
        same = [stream.changes.writeStream.options(path=out), stream.settled.writeStream.options(path=spelt)]
        with pytest.raises(HoldsforError, match=r"HF795.*one query cannot write several feeds to `.*out`"):
            stream.writeStream.feeds(*same).options(**checkpoint).start()
    tables = [stream.changes.writeStream.format("jdbc").options(url="x", dbtable=name) for name in ("a", "b")]
    with pytest.raises(HoldsforError, match=r"HF795.*the feed `changes` to several tables"):
        stream.writeStream.feeds(*tables).options(**checkpoint).start()
    with pytest.raises(HoldsforError, match=r"HF795.*needs their writers or a function"):
        stream.writeStream.options(**checkpoint).start()
    others = [stream.changes.writeStream, started(spark, tmp_path).settled.writeStream]
    with pytest.raises(HoldsforError, match=r"HF795.*must be those of one stream"):
        stream.writeStream.feeds(*others)


def test_places_for_the_files_of_others_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    stream, checkpoint = started(spark, tmp_path), tmp_path / "checkpoint"

    def start(out: Path, checkpoint: Path) -> Any:
        writer = stream.changes.writeStream.trigger(availableNow=True).option("checkpointLocation", str(checkpoint))
        return writer.start(str(out))

    for out in (checkpoint, checkpoint / "out"):
        with pytest.raises(HoldsforError, match=r"HF795.*the output `.*` is inside the checkpoint"):
            start(out, checkpoint)
    with pytest.raises(HoldsforError, match=r"HF795.*the checkpoint is inside the output `.*/out`"):
        start(tmp_path / "out", tmp_path / "out/checkpoint")
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious.txt").touch()
    with pytest.raises(HoldsforError, match=r"HF798.*has other files, such as `precious.txt`"):
        start(other, checkpoint)
    start(tmp_path / "out", tmp_path / "out/_checkpoint").awaitTermination()
    assert spark.read.parquet(str(tmp_path / "out")).count() > 0


def test_csv_files_have_lists_as_texts_of_json(spark: SparkSession, tmp_path: Path) -> None:
    stream = started(spark, tmp_path)
    feeds = {
        "changes": stream.changes,
        "settled": stream.settled,
        "problems": stream.problems,
        "alerts": stream.alerts(),
    }
    writers = [
        feed.writeStream.format("csv").options(path=str(tmp_path / name), header=True) for name, feed in feeds.items()
    ]
    query = stream.writeStream.feeds(*writers).option("checkpointLocation", str(tmp_path / "checkpoint"))
    query.trigger(availableNow=True).start().awaitTermination()
    rows = {name: spark.read.option("header", True).csv(str(tmp_path / name)).collect() for name in feeds}
    for name in ("changes", "settled", "alerts"):
        assert rows[name], name
        assert all(row.fvp == f"rich({json.loads(row.arguments)[0]})=true" for row in rows[name]), name
    assert {(row.kind, row.arguments) for row in rows["problems"]} >= {("dropped", '["eve"]'), ("set aside", None)}


def test_start_takes_the_arguments_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"
    writer = started(spark, tmp_path).changes.writeStream.trigger(availableNow=True)
    checkpoint = str(tmp_path / "checkpoint")
    query = writer.start(str(out), "json", "append", ["op", "kind"], "named", checkpointLocation=checkpoint)
    assert query.name == "named"
    query.awaitTermination()
    parts = {str(path.parent.relative_to(out)) for path in out.glob("batch=*/**/*.json")}
    assert {part.partition("/")[2] for part in parts} == {"op=+/kind=fluent", "op=-/kind=fluent"}


def test_a_table_takes_the_arguments_of_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = started(spark, tmp_path).changes.writeStream
    checkpoint = str(tmp_path / "checkpoint")
    with pytest.raises(HoldsforError, match=r"HF795.*a table of the format `orc` cannot be written once"):
        writer.toTable("known", "orc", checkpointLocation=checkpoint)
    with pytest.raises(HoldsforError, match=r"HF795.*found the output mode `complete`"):
        writer.toTable("known", format="delta", outputMode="complete", checkpointLocation=checkpoint)
    started_with: list[Any] = []
    monkeypatch.setattr(writer, "_started", lambda _, __, outputs: started_with.extend(outputs))
    writer.toTable("known", format="delta", partitionBy="op", queryName="named", checkpointLocation=checkpoint)
    (output,) = started_with
    assert (output.sink.table, output.sink.partition_by, output.settings.query_name) == ("known", ("op",), "named")


@pytest.mark.long
def test_tables_of_delta_lake_are_written_by_name(tmp_path: Path) -> None:
    """Delta Lake needs an environment of its own."""
    reason = why_not() or delta.why_not()
    if reason is not None:
        pytest.skip(reason)
    write_batches(tmp_path / "records", BATCHES)
    (tmp_path / "rules.prolog").write_text(RICH, encoding="utf-8")
    given = [str(tmp_path / name) for name in ("rules.prolog", "records")]
    command = [str(delta.python()), "-m", "tests.spark.delta_job", json.dumps(delta.configuration()), *given]
    environment = kafka.job_environment(delta.python())
    done = subprocess.run(
        [*command, str(tmp_path)], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    changes, known, refusal = done.stdout.splitlines()[-3:]
    assert len(json.loads(changes)) == sum(map(len, CHANGES.values()))
    assert {(row["fvp"], row["start"], row["end"]) for row in json.loads(known)} == KNOWN
    assert re.search(r"HF798.*`current` lacks micro-batch \d: it was deleted", refusal)


@pytest.mark.parametrize(
    ("feed", "form", "given", "missing"),
    [
        ("changes", "jdbc", {"url": "jdbc:postgresql://host/sea"}, "needs the option `dbtable`"),
        ("current", "jdbc", {"dbtable": "known"}, "needs the option `url`"),
        ("settled", "kafka", {"kafka.bootstrap.servers": "host:9092"}, "needs the option `topic`"),
        ("alerts", "kafka", {"kafka.bootstrap.servers": "host:9092"}, "needs the option `topic`"),
        ("changes", "delta", {}, "needs a path or a table"),
        ("changes", "orc", {"path": ""}, "needs a path"),
        ("problems", "text", {"path": "out"}, "has one column"),
    ],
)
def test_a_start_without_a_place_is_refused(
    feed: str, form: str, given: dict[str, str], missing: str, spark: SparkSession, tmp_path: Path
) -> None:
    stream = started(spark, tmp_path)
    writer = (stream.alerts() if feed == "alerts" else getattr(stream, feed)).writeStream.format(form)
    with pytest.raises(HoldsforError, match=rf"HF795.*the format `{form}` {missing}"):
        writer.options(**given).option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    assert not (tmp_path / "checkpoint").exists()
