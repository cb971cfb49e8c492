"""The times of a file are integers or dates, as its first start is: records with the other form are set aside.

These laws are for decisions that depend on more than the file: on its division into blocks, parts and chunks, on the
format, and on the checkpoint at which a live run continues.
"""

from __future__ import annotations

import datetime
import json
import random
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.analysis.pipeline import compile_text
from holdsfor.cli.main import main
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import ParallelismWarning, SetAsideWarning
from holdsfor.parallel.processes import job, parts
from holdsfor.sources.live_inputs import open_feed
from holdsfor.sources.times import Clock
from tests.properties.simulated_pool import SimulatedPool
from tests.seeds import share

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(go(X), T).
terminatedAt(on(X)=true, T) :- happensAt(stop(X), T).
"""
FIRST = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
Row = tuple[str, str | int, str]


def random_rows(chance: random.Random) -> list[Row]:
    """Records with integers, dates and other texts as times; mostly one form."""
    share_of_dates = chance.choice([0.1, 0.5, 0.9])
    rows: list[Row] = []
    for i in range(1, 31):
        moment = (FIRST + datetime.timedelta(seconds=60 * i)).isoformat().replace("+00:00", "Z")
        time: str | int = moment if chance.random() < share_of_dates else i
        time = chance.choice(["soon", "2026-13-01", ""]) if chance.random() < 0.1 else time
        rows.append((chance.choice(["go", "stop"]), time, chance.choice("ab")))
    return rows


def lines_expected_aside(rows: list[Row]) -> list[int]:
    """The numbers of the records that have no time, or not the form of the first time; `2026-13-01` is a form."""
    forms = [None if time in ("soon", "") else isinstance(time, str) for _, time, _ in rows]
    first = next((form for form in forms if form is not None), None)
    return [
        i
        for i, (form, (_, time, _)) in enumerate(zip(forms, rows, strict=True), start=1)
        if form is None or form != first or time == "2026-13-01"
    ]


def as_csv(rows: list[Row]) -> str:
    return "name,time,arg1\n" + "".join(f"{name},{time},{arg}\n" for name, time, arg in rows)


def as_json(rows: list[Row]) -> str:
    return "".join(json.dumps({"name": name, "time": time, "args": [arg]}) + "\n" for name, time, arg in rows)


def outcome(path: Path | Any, **options: Any) -> tuple[list[int], Any]:
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always", SetAsideWarning)
        warnings.simplefilter("ignore", ParallelismWarning)
        found = hf.recognise(hf.load_text(RULES), path, max_set_aside="100%", **options)
    return [each.line for each in found.reading.set_aside], found.to_arrow().to_pylist()


@pytest.mark.parametrize("seed", share(range(80), 10))
def test_a_file_has_one_form_of_times_however_it_is_read(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "Pool", SimulatedPool)
    monkeypatch.setattr(parts, "_BYTES_OF_A_PART", (50, 200))
    monkeypatch.setattr(parts, "_ROWS_OF_A_PART", (3, 7))
    rows = random_rows(random.Random(seed))
    aside = lines_expected_aside(rows)
    csv, jsonl, parquet = (tmp_path / f"m.{suffix}" for suffix in ("csv", "jsonl", "parquet"))
    csv.write_text(as_csv(rows), encoding="utf-8")
    jsonl.write_text(as_json(rows), encoding="utf-8")
    columns = zip(*((name, str(time), arg) for name, time, arg in rows), strict=True)
    pq.write_table(pa.table(dict(zip(("name", "time", "arg1"), map(list, columns), strict=True))), parquet)
    lines, results = outcome(jsonl, jobs=1)
    assert lines == aside
    assert not any(row["start"] is not None and getattr(row["start"], "year", 2026) == 1970 for row in results)
    for path, n_before in ((csv, 1), (jsonl, 0), (parquet, 0)):
        for options in ({"jobs": 1}, {"jobs": 3}):
            assert outcome(path, **options) == ([line + n_before for line in aside], results), (path, options)
    assert outcome(jsonl, window="2h", jobs=1)[0] == aside
    for n_bytes in (40, 400):
        assert live_lines(csv, n_bytes, random.Random(seed)) == [line + 1 for line in aside]


def live_lines(path: Path, n_bytes: int, chance: random.Random) -> list[int]:
    """The lines that a live input sets aside; it stops and continues at a position now and then."""
    names, clock = compile_text(RULES).names, Clock()
    feed = open_feed(str(path), names, 1, Symbols(), clock, n_bytes=n_bytes)
    lines: list[int] = []
    while not feed.has_ended:
        feed.read(0)
        if chance.random() < 0.5 and not feed.has_ended:
            position = json.loads(json.dumps(feed.position()))
            lines += [each.line for each in feed.reading.set_aside]
            feed.close()
            clock = Clock(has_offset=clock.has_offset)
            feed = open_feed(str(path), names, 1, Symbols(), clock, n_bytes=n_bytes, position=position)
    return lines + [each.line for each in feed.reading.set_aside]


def test_the_reference_evaluator_agrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "m.csv").write_text("name,time,arg1\ngo,5,a\nstop,2026-03-01,a\nstop,9,a\n", encoding="utf-8")
    answers = []
    for engine in ("reference", "columnar"):
        run = ["run", str(tmp_path / "r.prolog"), "--input", str(tmp_path / "m.csv"), "--engine", engine, "--jobs", "1"]
        assert main(run) == 0
        answers.append(capsys.readouterr())
    assert answers[0] == answers[1]
    assert answers[0].out == "% query time 9\nholdsFor(on(a)=true, [(6,10)]).\n"
    assert "m.csv:3: the time `2026-03-01` is a date, and others are integers: stop,2026-03-01,a" in answers[0].err


def test_columns_with_types_declare_their_form() -> None:
    moments = pa.array([FIRST, FIRST + datetime.timedelta(seconds=60)], pa.timestamp("s", "UTC"))
    table = pa.table({"name": ["go", "stop"], "time": moments, "arrival": [1, 2], "arg1": ["a", "a"]})
    lines, results = outcome(table)
    assert lines == []
    assert results[0]["start"] == FIRST + datetime.timedelta(seconds=1)
    texts = table.set_column(2, "arrival", pa.array(["1", "2026-03-01T00:01:00Z"]))
    assert outcome(texts)[0] == [1]


def test_times_of_a_categorical_column_are_texts() -> None:
    times = pa.array(["2026-03-01T00:00:00Z", "2026-03-01T00:01:00Z"]).dictionary_encode()
    table = pa.table({"name": ["go", "stop"], "time": times, "arg1": ["a", "a"]})
    assert outcome(table)[1][0]["end"] == FIRST + datetime.timedelta(seconds=61)


def test_dates_among_the_arguments_do_not_decide_the_form(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text("who,due,ts\na,2026-03-01,5\nb,2026-03-02,9\n", encoding="utf-8")
    rules = hf.load_text("happensAt(late(X), T) :- happensAt(bill(X, Due), T), Due > T.")
    found = hf.recognise(rules, f"{file}: happensAt(bill(who, due:time), ts)")
    assert found.to_arrow()["start"].to_pylist() == [5, 9]
