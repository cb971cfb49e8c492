"""`holdsfor spark stream` writes a feed, the current view and alerts with one evaluation, and shows no secrets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from tests.apps.data import ROOT
from tests.spark import kafka, postgresql
from tests.spark.conftest import why_not
from tests.spark.test_stream_outputs import KNOWN, receiving, repeat_last
from tests.spark.test_streams import BATCHES, CHANGES, RICH, write_batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def arguments(tmp_path: Path) -> list[str]:
    """The command without its outputs; it reads all files in one micro-batch."""
    (tmp_path / "rules.prolog").write_text(RICH, encoding="utf-8")
    records = write_batches(tmp_path / "records", BATCHES)
    common = ["--input", records, "--window", "20", "--step", "10", "--start", "0", "--buckets", "1", "--once"]
    return ["spark", "stream", str(tmp_path / "rules.prolog"), *common, "--checkpoint", str(tmp_path / "checkpoint")]


def texts_below(folder: Path) -> str:
    return "".join(path.read_bytes().decode("latin-1") for path in folder.rglob("*") if path.is_file())


def test_one_command_writes_changes_the_current_view_and_alerts(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reason = postgresql.why_not()
    if reason is not None:
        pytest.skip(reason)
    monkeypatch.setenv("HOLDSFOR_JDBC_PASSWORD", postgresql.PASSWORD)
    (tmp_path / "headers").write_text("Authorization: Bearer sesame\n", encoding="utf-8")
    with postgresql.running() as server, receiving(n_refused=0) as (url, receiver):
        place = f"{server.url.removeprefix('jdbc:').replace('//', '//tester@')}?table=known"
        command = [*arguments(tmp_path), "-o", str(tmp_path / "out"), "--current", place, "--alerts", url]
        command += ["--alert-on", "rich(bob)=true", "--webhook-headers", str(tmp_path / "headers")]
        assert main(command) == 0
        sent = list(receiver.received)
        repeat_last(tmp_path, 0)
        assert main(command) == 0
        rows = server.ask('select fvp, start, "end" from known order by 1, 2')
    assert rows == ["rich(bob)=true|26|51", "rich(bob)=true|56|", "rich(chris)=true|2|13"]
    assert [(body["query_time"], body["start"]) for _, body in sent] == [(30, 26), (60, 26), (60, 56)]
    assert receiver.received[3:] == sent, "the repeated micro-batch has the same alerts with the same keys"
    written = spark.read.parquet(str(tmp_path / "out")).collect()
    found = [(row.query_time, row.op, row.fvp, (row.start, row.end)) for row in written]
    assert sorted(found, key=str) == sorted(((at, *one) for at, all_ in CHANGES.items() for one in all_), key=str)
    shown = capsys.readouterr()
    for secret in ("sesame", "token=secret"):
        assert secret not in shown.err + shown.out
        assert secret not in texts_below(tmp_path / "checkpoint")


def test_snapshots_of_the_current_view_need_no_other_output(spark: SparkSession, tmp_path: Path) -> None:
    assert main([*arguments(tmp_path), "--current", str(tmp_path / "known")]) == 0
    rows = hf.spark.read_current(spark, str(tmp_path / "known")).collect()
    assert {(row.fvp, row.start, row.end) for row in rows} == KNOWN


def test_the_command_writes_lists_to_csv_files(spark: SparkSession, tmp_path: Path) -> None:
    assert main([*arguments(tmp_path), "-o", str(tmp_path / "out"), "--format", "csv"]) == 0
    rows = spark.read.csv(str(tmp_path / "out")).collect()
    assert {(row["_c4"], row["_c6"]) for row in rows} >= {('["bob"]', "rich(bob)=true")}


def test_a_wrong_password_is_reported_without_the_password(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reason = postgresql.why_not()
    if reason is not None:
        pytest.skip(reason)
    with postgresql.running() as server:
        place = f"{server.url.removeprefix('jdbc:').replace('//', '//tester:gu%2Fess@')}?table=known"
        assert main([*arguments(tmp_path), "--current", place]) == 1
    shown = capsys.readouterr().err
    assert f"error[HF620]: results cannot be written to `{server.url} known`" in shown
    assert "password authentication failed" in shown
    assert "HOLDSFOR_JDBC_PASSWORD" in shown
    assert "gu%2Fess" not in shown
    assert "gu/ess" not in shown


def test_a_webhook_without_a_server_ends_the_command_as_a_failure_outside(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("holdsfor.spark.streaming.webhooks._PAUSE", 0.0)
    assert main([*arguments(tmp_path), "--alerts", "http://127.0.0.1:9/services/sesame?token=sesame"]) == 1
    shown = capsys.readouterr().err
    assert "error[HF620]: an alert cannot be sent to `http://127.0.0.1:9`" in shown
    assert "sesame" not in shown


@pytest.mark.long
def test_alerts_to_a_topic_have_the_keys_that_a_repetition_repeats(tmp_path: Path) -> None:
    reason = why_not() or kafka.why_not()
    if reason is not None:
        pytest.skip(reason)
    jars = ",".join(map(str, kafka.connector_jars()))
    (tmp_path / "kafka.properties").write_text("acks=all\ncompression.type=gzip\n", encoding="utf-8")
    with kafka.running(tmp_path) as broker:
        command = [sys.executable, "-m", "holdsfor", *arguments(tmp_path), "--conf", f"spark.jars={jars}"]
        command += ["--alerts", f"kafka://{broker.address}/alerts", "--alert-on", "rich(bob)=true"]
        command += ["--kafka-properties", str(tmp_path / "kafka.properties")]
        for _ in range(2):
            done = subprocess.run(
                command, env=kafka.job_environment(), cwd=ROOT, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr[-3000:]
            repeat_last(tmp_path, 0)
        messages = kafka.messages(broker.address, "alerts")
    alerts = [(key, json.loads(value)) for key, value in messages]
    assert all(key == alert["id"] for key, alert in alerts)
    seen: dict[str, tuple[int, int]] = {}
    for key, alert in alerts:
        at = (alert["query_time"], alert["start"])
        assert seen.setdefault(key, at) == at, "a key has one alert"
    assert sorted(seen.values()) == [(30, 26), (60, 26), (60, 56)]
    assert len(alerts) == 6, "the alerts of the repeated micro-batch are delivered again"


@pytest.mark.long
def test_a_broker_that_does_not_answer_is_named(tmp_path: Path) -> None:
    reason = why_not() or kafka.why_not()
    if reason is not None:
        pytest.skip(reason)
    jars = ",".join(map(str, kafka.connector_jars()))
    (tmp_path / "kafka.properties").write_text("max.block.ms=2000\n", encoding="utf-8")
    command = [sys.executable, "-m", "holdsfor", *arguments(tmp_path), "--conf", f"spark.jars={jars}"]
    command += ["-o", "kafka://127.0.0.1:9/changes", "--kafka-properties", str(tmp_path / "kafka.properties")]
    done = subprocess.run(command, env=kafka.job_environment(), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr[-3000:]
    assert "error[HF620]: results cannot be written to `kafka://127.0.0.1:9/changes`" in done.stderr
