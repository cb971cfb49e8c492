"""A file of another format is refused with the name of its format and a hint."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem, NoResultWarning, SetAsideWarning

RULES = hf.load_text("initiatedAt(fast(V)=true, T) :- happensAt(speed(V, K), T), K > 50.")
TRIPS = "ts,vehicle,kmh\n1,b1,60\n5,b1,40\n"
SPEED = "happensAt(speed(vehicle, kmh), ts)"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("packed.csv", gzip.compress(TRIPS.encode(), mtime=0), "is packed with gzip"),
        ("table", b"PAR1\x15\x04\xcc", "is a Parquet file"),
        ("sheet.xlsx", b"PK\x03\x04\x00\x00\xff", "is a spreadsheet or a zip archive"),
        ("wide.csv", TRIPS.encode("utf-16"), "is UTF-16 text"),
        ("plain.csv.gz", TRIPS.encode(), "cannot be read: not a gzipped file"),
        ("list.json", b'[{"ts": 1, "vehicle": "b1", "kmh": 60}]', r"`jq -c '\.\[\]'`"),
        ("pretty.json", b'{\n"ts": 1, "vehicle": "b1", "kmh": 60\n}', r"`jq -c \.`"),
        ("trip.csv", None, "did you mean `trips.csv`"),
        ("", None, "an input without a name"),
    ],
)
def test_a_file_of_another_format_is_refused(name: str, content: bytes | None, message: str, tmp_path: Path) -> None:
    (tmp_path / "trips.csv").write_text(TRIPS, encoding="utf-8")
    path = tmp_path / name if name else Path()
    if content is not None:
        path.write_bytes(content)
    given = f"{path}" if name else ""
    with pytest.raises(DataProblem, match=message):
        hf.recognise(RULES, (given, SPEED))


@pytest.mark.parametrize("content", [TRIPS.replace("\n", "\r\n"), f"\ufeff{TRIPS}", TRIPS.replace(",", ";")])
def test_byte_order_marks_line_breaks_and_delimiters_are_accepted(content: str, tmp_path: Path) -> None:
    (tmp_path / "trips.csv").write_bytes(content.encode())
    result = hf.recognise(RULES, f"{tmp_path / 'trips.csv'}: {SPEED}")
    assert result.holds_for("fast(b1)=true") == [(2, None)]


def test_a_frame_with_values_of_several_types_in_a_column_is_refused() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame({"ts": [1, 2], "vehicle": ["b1", "b1"], "kmh": [60, "n/a"]})
    with pytest.raises(DataProblem, match=r"HF502.*column `kmh` has values of several types"):
        hf.recognise(RULES, (frame, SPEED))


def test_a_timestamp_between_two_time_points_has_its_reason() -> None:
    times = pa.array([1_000_500_000, 2_000_000_000], pa.timestamp("ns"))
    table = pa.table({"ts": times, "vehicle": ["b1", "b1"], "kmh": [60, 40]})
    with pytest.warns(SetAsideWarning, match="falls between two time-points"):
        hf.recognise(RULES, (table, SPEED), time_unit="s")


def test_a_file_in_another_encoding_has_a_hint(tmp_path: Path) -> None:
    (tmp_path / "trips.csv").write_bytes(b"ts,vehicle,kmh\n1,Z\xfcrich,60\n")
    with pytest.raises(DataProblem, match="save the file as UTF-8"):
        hf.recognise(RULES, f"{tmp_path / 'trips.csv'}: {SPEED}")


def test_an_output_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.prolog").write_text("happensAt(e(X), T) :- happensAt(go(X), T).\n", encoding="utf-8")
    (tmp_path / "e.txt").write_text("go|1|1|a\n", encoding="utf-8")
    run = ["run", str(tmp_path / "r.prolog"), "--input", str(tmp_path / "e.txt")]
    assert main([*run, "-o", str(tmp_path / "none" / "x.csv")]) == 1
    assert capsys.readouterr().err.endswith(f"No such file or directory: {tmp_path / 'none' / 'x.csv'}\n")


@pytest.mark.parametrize("asked", ["fast(b1)=tru", "fast(_)=tru"])
def test_a_value_that_no_rule_gives_has_a_hint(asked: str) -> None:
    found = hf.recognise(RULES, ["speed|1|1|b1|60"])
    with pytest.raises(KeyError, match="did you mean `true`"):
        found.holds_for(asked)


def test_a_field_that_is_not_a_number_has_a_hint(tmp_path: Path) -> None:
    (tmp_path / "trips.csv").write_text(TRIPS.replace("40", "n/a"), encoding="utf-8")
    also_text = hf.load_text("""
        happensAt(fast(V), T) :- happensAt(speed(V, Kmh), T), Kmh > 50.
        happensAt(silent(V), T) :- happensAt(speed(V, 'n/a'), T).
    """)
    with pytest.warns(NoResultWarning, match=r"test for it before, for example with `number\(X\)`"):
        hf.recognise(also_text, f"{tmp_path / 'trips.csv'}: {SPEED}")
    result = hf.recognise(RULES, f"{tmp_path / 'trips.csv'}: {SPEED.replace('kmh', 'kmh:number')}")
    assert [each.reason for each in result.reading.set_aside] == ["expected a number as `kmh`, found `n/a`"]
