"""CSV, JSON lines and tables with their own columns: the same records as text, and every other row is reported."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor as hf
from holdsfor.analysis.names import Names
from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem
from holdsfor.sources.column_kinds import as_field
from holdsfor.sources.csv_rows import CsvReader
from holdsfor.sources.inputs import read_facts, read_inputs
from holdsfor.sources.json_rows import JsonLinesReader
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_records import Fact, Reading, read_text_records
from holdsfor.sources.times import Clock
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Term
from tests.seeds import examples

NAMES = compile_text(
    """
    initiatedAt(fast(V)=true, T) :- happensAt(speed(V, K), T), K > 50.
    terminatedAt(fast(V)=true, T) :- happensAt(stop(V), T).
    initiatedAt(late(V)=true, T) :- happensAt(start(on_duty(V)=true), T), holdsAt(gear(V)=1, T).
    terminatedAt(late(V)=true, T) :- happensAt(end(on_duty(V)=true), T).
    collectIntervals(on_duty(_)=true).
    points(gear(_)=1).
    """
).names
WITHOUT_NUMBERS = replace(NAMES, number_uses={})
"""The names without the fields that rules compute with, so that text there is no error."""
ROOT = Path(__file__).parents[3]
SPEED = "happensAt(speed(vehicle, kmh), ts)"


def facts(inputs: list[Any], names: Names = NAMES, **options: Any) -> tuple[list[Fact], list[tuple[int, str]]]:
    """The facts of inputs, and the lines set aside with the reasons; both engines' readers must agree."""
    reading = read_facts(inputs, names, 1, **options)
    found = reading.facts()
    symbols = Symbols()
    columns = read_inputs(inputs, names, 1, symbols, **options)
    assert (columns.n_records, columns.unused) == (reading.n_records, reading.unused)
    assert columns.set_aside == reading.set_aside
    assert sum(map(len, (*columns.events.values(), *columns.fluents.values()))) >= len(found)
    return found, [(misfit.line, misfit.reason) for misfit in reading.set_aside]


def event(text: str, time: int) -> Fact:
    return Fact(parse_term(text), None, time, time)


def write(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


# -- the same records in every format ----------------------------------------------------------------------------------

texts = st.sampled_from(["a", "v 1", "1", "1.50", "003", "-7", "1e5", "f(a)", "été", "a,b", 'say "x"', "x;y", "o'hara"])


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(st.sampled_from(["speed", "stop", "on_duty", "gear", "walk", "fast"]))
    row: dict[str, Any] = {"name": name, "start": draw(st.integers(-3, 9)), "arrival": draw(st.integers(0, 9))}
    if name in ("on_duty", "gear"):
        row["value"] = draw(texts)
    if name == "on_duty":
        row["end"] = draw(st.integers(-1, 12))
    n_args = {"speed": 2}.get(name, 1) if draw(st.integers(0, 9)) else 3
    row.update({f"arg{i + 1}": draw(texts) for i in range(n_args)})
    return {**row, "op": draw(st.sampled_from([None, None, None, "-"]))}


COLUMNS = ("name", "arrival", "start", "end", "value", "arg1", "arg2", "arg3", "op")


def as_text(rows: list[dict[str, Any]]) -> list[str]:
    order = COLUMNS[:-1]
    return [
        ("-" if row["op"] == "-" else "") + "|".join(str(row[c]) for c in order if row.get(c) is not None)
        for row in rows
    ]


def quoted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with texts quoted, so that fields are read as these texts."""
    return [{c: as_field(value) if isinstance(value, str) else value for c, value in row.items()} for row in rows]


def as_csv(rows: list[dict[str, Any]], delimiter: str) -> bytes:
    content = io.StringIO()
    writer = csv.writer(content, delimiter=delimiter, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([[row.get(column) for column in COLUMNS] for row in rows])
    return content.getvalue().encode()


def as_jsonl(rows: list[dict[str, Any]], *, lists: bool) -> bytes:
    lines = []
    for row in rows:
        found = {key: value for key, value in row.items() if value is not None}
        if lists:
            found["args"] = [found.pop(key) for key in ("arg1", "arg2", "arg3") if key in found]
        lines.append(json.dumps(found))
    return "".join(f"{line}\n" for line in lines).encode()


def outcome(reading: Reading) -> tuple[list[Fact], int, dict[str, int], list[int]]:
    return reading.facts(), reading.n_records, dict(reading.unused), sorted(misfit.line for misfit in reading.set_aside)


def read_in_blocks(reader_type: Any, content: bytes, n_lines: int) -> Reading:
    """The reading of a text that is read in blocks of some lines."""
    symbols, columns = Symbols(), ColumnReading()
    reader = reader_type("f", WITHOUT_NUMBERS, 1, symbols, columns)
    lines = [line + b"\n" for line in content.split(b"\n")[:-1]]
    for i in range(0, len(lines), n_lines):
        reader.read(b"".join(lines[i : i + n_lines]))
    reading = Reading(columns.n_records, columns.unused, columns.set_aside)
    reading.add_operations(columns.operations(symbols))
    return reading


@given(st.lists(records(), max_size=12), st.sampled_from([",", ";", "\t", "|"]), st.sampled_from([1, 3, 100]))
@settings(max_examples=examples(37))
def test_csv_and_json_lines_give_the_same_records_as_text(
    rows: list[dict[str, Any]], delimiter: str, n_lines: int
) -> None:
    text, texts = Reading(), Reading()
    read_text_records(as_text(rows), "f", WITHOUT_NUMBERS, 1, text)
    read_text_records(as_text(quoted(rows)), "f", WITHOUT_NUMBERS, 1, texts)
    *expected, lines = outcome(text)
    of_csv = outcome(read_in_blocks(CsvReader, as_csv(rows, delimiter), n_lines))
    assert of_csv == (*expected, [line + 1 for line in lines])
    expected_of_json = outcome(texts)
    for lists in (False, True):
        assert outcome(read_in_blocks(JsonLinesReader, as_jsonl(rows, lists=lists), n_lines)) == expected_of_json


# -- any text ---------------------------------------------------------------------------------------------------------

pieces = st.sampled_from(
    [
        *('"', '""', "\\", *",;|a5- \t\0\x85é\u2028{}[]:", "stop", "speed", "1.5", "2026-03-01", "T08:00Z"),
        *('"name"', '"time"', '"args"', "\\ud800", "NaN", "null", "1e999"),
    ]
)
lines_of_anything = st.lists(st.lists(pieces, max_size=9).map("".join), max_size=8)


@given(lines_of_anything, st.sampled_from([1, 3, 100]))
@settings(max_examples=examples(50))
def test_every_line_is_a_record_or_set_aside(lines: list[str], n_lines: int) -> None:
    """Every line counts once, for all lines and all divisions into blocks."""
    filled = [number for number, line in enumerate(lines, start=1) if line.encode().strip()]
    for reader, header in ((CsvReader, ["name,time,arg1,arg2"]), (JsonLinesReader, [])):
        content = "".join(f"{line}\n" for line in [*header, *lines]).encode()
        whole, cut = (read_in_blocks(reader, content, n) for n in (1000, n_lines))
        assert outcome(whole) == outcome(cut)
        assert whole.n_records == len(filled)
        numbers = [misfit.line - len(header) for misfit in whole.set_aside]
        assert set(numbers) <= set(filled)
        assert len(numbers) == len(set(numbers))


# -- CSV ---------------------------------------------------------------------------------------------------------------


def test_one_line_describes_the_columns_of_a_file(tmp_path: Path) -> None:
    file = write(tmp_path / "trips.csv", "ts,vehicle,kmh\n1970-01-01T00:01:00Z,v1,57.5\n1970-01-01 00:01:30Z,v1,40\n")
    found, misfits = facts([f"{file}: {SPEED}"])
    assert found == [event("speed(v1, 57.5)", 60), event("speed(v1, 40)", 90)]
    assert misfits == []


@pytest.mark.parametrize("name", ["trips.csv", "trips.csv.gz", "trips.txt"])
def test_compression_and_line_breaks_do_not_change_the_records(tmp_path: Path, name: str) -> None:
    content = "\N{BOM}\r\nts ; vehicle;kmh\r\n\r\n1; v1 ;2\r\n3;v1; \r\n".encode()
    file = write(tmp_path / name, gzip.compress(content) if name.endswith(".gz") else content)
    assert facts([f"{file}: {SPEED}"]) == (
        [event("speed(v1, 2)", 1)],
        [(5, "`kmh` is null")],
    )


QUOTES = [
    ('1,"v1,2', "a quote is not closed on its line"),
    ('1,v1,"2', "a quote is not closed on its line"),
    ('1,v"1,"2', "a quote is not closed on its line"),
    ("1,v1", "expected 3 fields, found 2"),
    ("1,v1,2,3", "expected 3 fields, found 4"),
]


@pytest.mark.parametrize(("line", "reason"), QUOTES)
@pytest.mark.parametrize("place", [0, 500, 999])
def test_a_malformed_line_is_set_aside_alone(tmp_path: Path, line: str, reason: str, place: int) -> None:
    lines = [f'{i},"v ""{i % 3}""",{i}' for i in range(1000)]
    lines[place] = line
    found, misfits = facts([write(tmp_path / "trips.csv", "\n".join(["ts,vehicle,kmh", *lines])) + f": {SPEED}"])
    assert [fact.start for fact in found] == [i for i in range(1000) if i != place]
    assert misfits == [(place + 2, reason)]


def test_conditions_select_rows_and_constants_are_literal(tmp_path: Path) -> None:
    file = write(tmp_path / "log.csv", "when,Kind,Vehicle ID,until\n1,stop,v1,\n2,duty,v1,9\n3,go,v1,\n")
    stops = f"{file}: happensAt(stop('Vehicle ID'), when), Kind=stop"
    duties = f"{file}: holdsFor(on_duty('Vehicle ID')=\"true\", [(when, until)]), Kind=duty"
    expected = [event("stop(v1)", 1), Fact(parse_term("on_duty(v1)"), parse_term("true"), 2, 9)]
    assert facts([stops, duties]) == (expected, [])


def test_arrival_and_operation_may_be_mapped(tmp_path: Path) -> None:
    file = write(tmp_path / "stops.csv", "t,v,seen,sign\n1,v1,5,+\n2,v1,5,\n1,v1,6,-\n")
    found, misfits = facts([f"{file}: happensAt(stop(v), t), arrival(seen), op(sign)"])
    assert (found, misfits) == ([event("stop(v1)", 2)], [])


# -- JSON lines --------------------------------------------------------------------------------------------------------


def test_json_numbers_keep_their_type_and_value(tmp_path: Path) -> None:
    values = ["3", "3.0", '"3"', '"x"', "true", "123456789012345678901234567890", "1e2", '"1e2"']
    expected = ["3", "3.0", "'3'", "x", "true", "123456789012345678901234567890", "100.0", "'1e2'"]
    lines = [f'{{"name": "speed", "time": {i}, "args": ["v", {value}]}}' for i, value in enumerate(values)]
    found, misfits = facts([write(tmp_path / "speeds.jsonl", "\n".join(lines))], WITHOUT_NUMBERS)
    assert found == [event(f"speed(v, {value})", i) for i, value in enumerate(expected)]
    assert misfits == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON: expecting property name enclosed in double quotes at column 2"),
        ("[" * 100_000, "not JSON: a number has too many digits, or brackets are nested too deeply"),
        ("3", "expected an object `{…}`"),
        ('{"name": "stop", "time": 1, "args": ["a"]} {}', "expected one object, found more text after it at column 43"),
        ('{"name": "stop", "time": 1, "time": 2}', "the key `time` occurs more than once"),
        ('{"name": "stop", "time": 1, "start": 2}', "expected `start` or `time`, found both"),
        ('{"name": "stop", "time": 1, "args": [], "arg1": 2}', "expected `args` or `arg1`, found both"),
        ('{"name": "stop", "time": 1, "arg999999999": 2}', "arg1 is missing"),
        ('{"name": "stop", "time": 1, "args": [NaN]}', "`NaN` is not a number"),
        ('{"name": "stop", "time": 1, "args": [1e999]}', "the number `1e999` is too large"),
        ('{"name": "stop", "time": 1, "args": ["\\ud800"]}', "half of a character, such as `\\ud800`"),
        ('{"name": "stop", "time": 1, "args": [null]}', "arg1 is missing"),
        ('{"name": "stop", "time": 1, "args": {}}', "expected a list as `args`"),
        ('{"name": "stop", "time": 1, "args": [{}]}', "expected text or a number as `arg1`, found a list or an object"),
        ('{"name": "stop", "tme": 1}', "`tme` is not a key of a record, did you mean `time`?"),
        ('{"name": "stop", "args": ["a"]}', "expected an integer as occurrence, found nothing"),
        ('{"time": 1}', "expected a name, found nothing"),
    ],
)
def test_a_malformed_object_is_set_aside_alone(tmp_path: Path, line: str, reason: str) -> None:
    good = '{"name": "stop", "time": 5, "args": ["v1"]}'
    found, misfits = facts([write(tmp_path / "stops.jsonl", f"{good}\n\n{line}\n{good}\n")])
    assert found == [event("stop(v1)", 5)]
    assert misfits == [(3, reason)]


def test_mapped_objects_may_have_other_keys(tmp_path: Path) -> None:
    lines = ['{"ts": 1, "vehicle": "v1", "kmh": 60, "driver": {"id": 3}}', '{"ts": 1, "vehicle": "v1", "kmp": 60}']
    found, misfits = facts([write(tmp_path / "speeds.ndjson", "\n".join(lines)) + f": {SPEED}"])
    assert found == [event("speed(v1, 60)", 1)]
    assert misfits == [(2, "key `kmh` not found, found `ts`, `vehicle`, `kmp`")]


# -- tables ------------------------------------------------------------------------------------------------------------


def test_tables_with_timestamps_and_mapped_columns(tmp_path: Path) -> None:
    noon = datetime.datetime(1970, 1, 1, 12, tzinfo=datetime.UTC)
    half = noon + datetime.timedelta(milliseconds=500)
    table = pa.table({"ts": [noon, half, None], "vehicle": ["v1"] * 3, "kmh": [60, 70, 80]})
    pyarrow.parquet.write_table(table, tmp_path / "trips.parquet")
    for each in ((table, SPEED), f"{tmp_path / 'trips.parquet'}: {SPEED}"):
        found, misfits = facts([each])
        assert found == [event("speed(v1, 60)", 43200)]
        assert misfits[0][1].endswith("falls between two time-points: the unit of time is `s`, and `ms` fits")
        assert misfits[1] == (3, "`ts` is null")
        assert facts([each], unit="ms")[0] == [event("speed(v1, 60)", 43200000), event("speed(v1, 70)", 43200500)]


def test_real_timestamps_read_as_seconds() -> None:
    file = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data")) / "bc-2018" / "ais.parquet"
    if not file.exists():
        pytest.skip(f"no real data: {file} not found (set HOLDSFOR_DATA)")
    times = pyarrow.parquet.read_table(file, columns=["t"])["t"].cast(pa.timestamp("s"), safe=False).cast(pa.int64())
    reading = read_inputs([f"{file}: happensAt(speed(vessel, sog), t)"], NAMES, 1, Symbols())
    assert reading.n_records == len(times)
    assert reading.events["speed", 2].starts.tolist() == times.to_pylist()
    assert reading.set_aside == []


# -- times -------------------------------------------------------------------------------------------------------------


@given(st.datetimes(timezones=st.just(datetime.UTC)), st.sampled_from([0, 60, -330, 14 * 60]))
@settings(max_examples=examples(50))
def test_iso_times_are_microseconds_since_1970(moment: datetime.datetime, offset: int) -> None:
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    zone = datetime.timezone(datetime.timedelta(minutes=offset))
    if not 1 < moment.year < 9999:
        moment = moment.replace(year=2000, day=1)
    expected = (moment - epoch) // datetime.timedelta(microseconds=1)
    assert Clock("us").read(moment.astimezone(zone).isoformat()) == expected
    assert Clock("us").read(moment.replace(tzinfo=None).isoformat(sep=" ")) == expected


@pytest.mark.parametrize(
    "text",
    [
        "01/03/2026",
        "2026-3-1",
        "2026-03-01T24:00",
        "2026-03-01T08:60",
        "20260301T080000Z",
        "1.5",
        "",
        "2026-03-01Z",
        "1e3",
    ],
)
def test_an_invalid_time_is_refused(text: str) -> None:
    assert str(Clock().read(text)).startswith("expected an integer or a time")


def test_times_with_and_without_an_offset_are_not_mixed_even_in_two_files(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", "name,time,arg1\nstop,2026-03-01T08:00:00Z,v1\n")
    third = write(tmp_path / "c.csv", "name,time,arg1\nstop,5,v1\n")
    second = write(tmp_path / "b.csv", "name,time,arg1\nstop,2026-03-01T08:00:00,v1\n")
    found, misfits = facts([first, second, third])
    assert [fact.start for fact in found] == [5, 1772352000]
    assert misfits == [(2, "the time `2026-03-01T08:00:00` has no offset from UTC, and others have one")]


# -- formats -----------------------------------------------------------------------------------------------------------

STOP: list[Term | Fact] = [event("stop(v1)", 1)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rtec.csv", "stop|1|1|v1\n"),
        ("rtec.csv", "walk|1|1|v1\nstop|1|1|v1\n"),
        ("rtec.csv", "-stop|1|0|v1\nstop|1|1|v1\n"),
        ("header.csv", "name|time|arg1\nstop|1|v1\n"),
        ("header.tsv", "name\ttime\targ1\nstop\t1\tv1\n"),
        ("events", "name,start,arg1\nstop,1,v1\n"),
        ("events", '{"name": "stop", "time": 1, "args": ["v1"]}\n'),
        ("events.txt", "stop|1|1|v1\n"),
    ],
)
def test_the_first_line_decides_if_the_suffix_does_not(tmp_path: Path, name: str, content: str) -> None:
    assert facts([write(tmp_path / name, content)])[0] == STOP


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    for name in ("a.csv", "a.jsonl", "a.txt"):
        assert facts([write(tmp_path / name, "\n")]) == ([], [])
    assert facts([write(tmp_path / "b.csv", "") + f": {SPEED}"]) == ([], [])


@pytest.mark.parametrize("content", ["ts,vehicle,kmh\n1,v1,2\n", "ts|vehicle|kmh\n", "hello\n", "1,2,3\n"])
def test_an_ambiguous_csv_file_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataProblem, match="HF504"):
        facts([write(tmp_path / "trips.csv", content)])


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    for content in (b"not zipped", gzip.compress(b"stop|1|1|v1\n" * 99)[:-9]):
        with pytest.raises(DataProblem, match="HF501"):
            facts([write(tmp_path / "events.txt.gz", content)])


def test_a_value_in_quotes_is_a_constant_like_that_of_a_condition(tmp_path: Path) -> None:
    rules = hf.load_text('points(mode(_)=_). happensAt(seen(X), T) :- happensAt(start(mode(X)="Create Fine"), T).')
    (tmp_path / "log.csv").write_text("activity,case,ts\nCreate Fine,c1,3\nPay,c1,9\n", encoding="utf-8")
    for value in ("'Create Fine'", '"Create Fine"'):
        described = f"holdsAt(mode(case)={value}, ts), activity={value}"
        assert hf.recognise(rules, (tmp_path / "log.csv", described), start=0).happens_at("seen") == {"seen(c1)": [2]}
    for value in ("activity", "'activity':text"):
        described = f"holdsAt(mode(case)={value}, ts)"
        assert hf.recognise(rules, (tmp_path / "log.csv", described), start=0).happens_at("seen") == {"seen(c1)": [2]}
    with pytest.raises(DataProblem, match=r"a value in quotes is a constant, and `.*` has a column `activity`"):
        hf.recognise(rules, (tmp_path / "log.csv", "holdsAt(mode(case)='activity', ts)"))
