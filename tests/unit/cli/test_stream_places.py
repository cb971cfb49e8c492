"""The places of `holdsfor spark stream` are checked before Spark starts, and messages show no secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.cli.main import main

RULES = "initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).\n"

REFUSED = {
    (): "error[HF704]: `spark stream` has no output",
    ("--alerts", "alerts/"): "expected `kafka://…`, `https://…` or `postgresql://…` after `--alerts`, found `alerts/`",
    ("--alerts", "ftp://ann:sesame@host"): "after `--alerts`, found `ftp://…`",
    ("--alerts", "https://ann:sesame@ho st/"): "needs an address `http://…` or `https://…`",
    ("--alerts", "kafka://broker"): "expected `kafka://HOST:PORT/TOPIC`, found `kafka://broker`",
    ("--current", "kafka://broker:9092/topic"): "expected a folder or `postgresql://…` after `--current`",
    ("--current", "postgresql://ann:sesame@host"): "found `postgresql://host`",
    ("--current", "postgresql://ann:sesame/ses@host/sea"): "found `postgresql://…`",
    ("--current", "jdbc:mysql://ann:sesame@host/sea"): "found `jdbc:mysql://host/sea`",
    ("--current", "postgresql://host/sea?table=a.b.c"): "expected `NAME` or `SCHEMA.NAME`",
    ("-o", "https://host/sesame"): "expected a folder, `postgresql://…` or `kafka://…` after `-o`",
    ("-o", "out", "--alert-on", "rich"): "there is no place for the alerts",
    ("-o", "out", "--jdbc-properties", "x"): "`--jdbc-properties` is given, but no database",
    ("--alerts", "https://host", "--webhook-headers", "missing"): "the headers of the webhook cannot be read",
    ("--alerts", "https://host", "--webhook-headers", "headers"): "expected `name:value` in line 2",
    ("-o", "out", "--step", "30"): "error[HF703]: the step 30 is longer than the window 20",
    ("-o", "out", "--step", "0"): "error[HF703]: the step is 0, expected at least 1",
    ("-o", "out", "--window", "0"): "error[HF703]: the window is 0, expected at least 1",
    ("-o", "out", "--tick", "0"): "error[HF701]: the clock tick is 0, expected at least 1",
    ("-o", "out", "--input", "records"): "error[HF501]: `records` not found",
    ("-o", "out", "--input", "records: happensAt(win(person, time)"): "error[HF107]",
    ("-o", "out", "--input", "records: happensAt(lose(person), time)"): "error[HF505]: no rule uses `lose`",
    ("--alerts", "https://host", "--alert-on", "poor"): "error[HF220]: no rule defines the output `poor`",
}
"""Options, and the message that refuses them."""


@pytest.mark.parametrize("given", REFUSED)
def test_a_place_that_does_not_fit_is_refused(
    given: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.prolog").write_text(RULES, encoding="utf-8")
    Path("headers").write_text("X-Name: value\nAuthorization Bearer sesame\n", encoding="utf-8")
    common = ["--input", "records", "--window", "20", "--checkpoint", "state", "--master", "local[nothing]"]
    assert main(["spark", "stream", "rules.prolog", *common, *given]) == 2
    shown = capsys.readouterr().err
    assert REFUSED[given] in shown
    assert "sesame" not in shown
