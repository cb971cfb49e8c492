"""Outputs of streams that cannot work are refused when they are described, with the option that is missing."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark.streaming import webhooks
from holdsfor.spark.streaming.delta_tables import DeltaSink
from holdsfor.spark.streaming.folder_sinks import FolderSink
from holdsfor.spark.streaming.output_owner import StreamId
from holdsfor.spark.streaming.sinks import CsvSink, SinkSettings, check_options, sink_of
from holdsfor.spark.streaming.webhooks import WebhookSink, webhook_sink


def settings(form: str, path: str | None = None, table: str | None = None, **options: str) -> SinkSettings:
    return SinkSettings(form, options, path, table, (), None, StreamId("id"), "changes", "/checkpoint")


@pytest.mark.parametrize("form", ["parquet", "json", "csv", "orc", "avro", "delta"])
def test_a_format_of_files_needs_a_path(form: str) -> None:
    with pytest.raises(HoldsforError, match=rf"HF795.*the format `{form}` needs a path") as problem:
        sink_of(settings(form))
    assert '`.option("path", …)`' in str(problem.value)


@pytest.mark.parametrize(
    ("form", "given", "missing"),
    [
        ("kafka", {"kafka.bootstrap.servers": "host:9092"}, "topic"),
        ("kafka", {"topic": "changes"}, "kafka.bootstrap.servers"),
        ("jdbc", {"url": "jdbc:postgresql://host/sea"}, "dbtable"),
        ("jdbc", {"dbtable": "known"}, "url"),
        ("jdbc", {"dbtable": "known", "url": ""}, "url"),
    ],
)
def test_a_format_without_an_option_that_it_needs_is_refused(form: str, given: Mapping[str, str], missing: str) -> None:
    with pytest.raises(HoldsforError, match=rf"HF795.*the format `{form}` needs the option `{missing}`") as problem:
        check_options(settings(form, **given))
    assert f'hint: write `.option("{missing}", …)`' in str(problem.value)


@pytest.mark.parametrize(
    ("form", "given"),
    [
        ("kafka", {"kafka.bootstrap.servers": "host:9092", "topic": "changes"}),
        ("jdbc", {"url": "jdbc:postgresql://host/sea", "dbtable": "known"}),
        ("parquet", {}),
        ("console", {}),
    ],
)
def test_a_format_with_its_options_is_accepted(form: str, given: Mapping[str, str]) -> None:
    check_options(settings(form, **given))


def test_a_delta_table_needs_a_path_or_a_name() -> None:
    assert isinstance(sink_of(settings("delta", path="/data")), DeltaSink)
    assert isinstance(sink_of(settings("delta", table="known")), DeltaSink)


def test_text_files_are_refused_with_the_formats_that_work() -> None:
    with pytest.raises(HoldsforError, match=r"HF795.*the format `text` has one column") as problem:
        sink_of(settings("text", path="/data"))
    assert "hint: write `parquet`, `json`, `csv`, `orc`, `avro` or `delta`" in str(problem.value)


def test_csv_files_alone_have_lists_as_texts() -> None:
    assert isinstance(sink_of(settings("csv", path="/data")), CsvSink)
    json_files = sink_of(settings("json", path="/data"))
    assert isinstance(json_files, FolderSink)
    assert not isinstance(json_files, CsvSink)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("attempts", "Infinity"),
        ("attempts", "1001"),
        ("attempts", "NaN"),
        ("attempts", "0"),
        ("timeout", "1e12"),
        ("timeout", "86401"),
        ("timeout", "Infinity"),
        ("timeout", "1" + "0" * 400),
    ],
)
def test_numbers_of_a_webhook_out_of_range_are_refused(name: str, value: str) -> None:
    with pytest.raises(HoldsforError, match=rf"HF795.*a positive number up to \d+ for `{name}`, found `{value}`"):
        webhook_sink(settings("webhook", url="https://example.org/hook", **{name: value}))


def test_a_misspelt_option_of_a_webhook_is_refused() -> None:
    options = {"header.Authorization": "Bearer 1", "atempts": "3"}
    with pytest.raises(HoldsforError, match=r"HF795.*no option `atempts`\n.*url, attempts, timeout and header.NAME"):
        webhook_sink(settings("webhook", url="https://example.org/hook", **options))


def test_the_largest_numbers_of_a_webhook_are_accepted() -> None:
    found: Any = webhook_sink(settings("webhook", url="https://example.org", attempts="1000", timeout="86400"))
    assert (found.n_attempts, found.timeout) == (1000, 86_400)


def test_the_pauses_between_attempts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    def refused(*_: Any, **__: Any) -> None:
        raise OSError("refused")

    monkeypatch.setattr("holdsfor.spark.streaming.webhooks.time.sleep", pauses.append)
    monkeypatch.setattr(webhooks._OPENER, "open", refused)
    with pytest.raises(HoldsforError, match="HF620"):
        WebhookSink("http://127.0.0.1:9", {}, n_attempts=1000)._post("key", b"{}")
    assert pauses[:3] == [0.5, 1, 2]
    assert (len(pauses), max(pauses)) == (999, 60)


def test_a_webhook_follows_no_redirect_and_its_message_has_no_secret() -> None:
    """Python would send the headers to the other address, with a GET that delivers nothing."""
    asked: list[str] = []

    class Redirecting(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{server.server_port}/other")
            self.end_headers()

        do_GET = do_POST

        def log_message(self, *_: Any) -> None:
            """Write nothing to standard error."""

    with HTTPServer(("127.0.0.1", 0), Redirecting) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://user:password@127.0.0.1:{server.server_port}/hook?token=secret"
        found: Any = webhook_sink(settings("webhook", url=url, attempts="1"))
        with pytest.raises(HoldsforError, match=r"HF620.*the answer 302") as problem:
            found._post("key", b"{}")
        server.shutdown()
        thread.join()
    assert asked == ["/hook?token=secret"]
    assert not [each for each in ("hook?", "secret", "password") if each in str(problem.value)]
