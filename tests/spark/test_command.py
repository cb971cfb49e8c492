"""`holdsfor spark run` reads files and writes a folder of results, or nothing if the run fails."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from holdsfor.cli.main import main
from tests.apps.runs import RUNS
from tests.properties.staged import in_any_order
from tests.seeds import some
from tests.spark.answers import embedded_tables, options_of, records_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(3)

TOY = RUNS["toy"]


def embedded_counts(path: Path) -> dict[str, int]:
    """The counts of a run of the embedded engine, without those of its process."""
    assert main([*TOY.arguments, "--stats", str(path), "-o", str(path.with_suffix(".txt"))]) == 0
    stats: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    path.with_suffix(".txt").unlink()
    own = ("seconds", "peak_memory_bytes", "kept_for_allen", "per_query_time", "processes")
    return {name: n for name, n in stats.items() if name not in own}


def test_results_are_written_completely_and_replaced_only_with_overwrite(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import holdsfor as hf

    place, stats = tmp_path / "found", tmp_path / "stats.json"
    arguments = ["spark", "run", *TOY.files, "--input", str(records_of(TOY)), "-o", str(place), *TOY.options]
    assert main([*arguments, "--stats", str(stats)]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == ["5 records read", "1 query time, 5 FVPs and 5 intervals reported"]
    assert re.fullmatch(r"start [\d.]+ s, plan [\d.]+ s, recognise [\d.]+ s", said[2])
    expected = embedded_tables(hf.load(*TOY.files), records_of(TOY), **options_of(TOY))
    assert {name: in_any_order(pq.read_table(place / name).replace_schema_metadata()) for name in expected} == expected
    assert sorted(path.name for path in place.iterdir() if path.is_dir()) == sorted([*expected, "set_aside", "tables"])
    assert embedded_counts(tmp_path / "embedded.json").items() <= json.loads(stats.read_text(encoding="utf-8")).items()
    assert main(arguments) == 2
    assert "error[HF771]" in capsys.readouterr().err
    assert main([*arguments, "--overwrite", "--format", "json"]) == 0
    assert not list(place.rglob("*.parquet"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found", "stats.json"]


def test_a_failed_run_reports_the_reason_and_leaves_no_output(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, records = tmp_path / "rules.prolog", tmp_path / "records.txt"
    text = "initiatedAt(rare(X)=N, T) :- happensAt(seen(X, N), T).\nfi(rare(X)=N, rare(X)=gone, N).\n"
    rules.write_text(text, encoding="utf-8")
    records.write_text("seen|1|1|a|0\n", encoding="utf-8")
    arguments = ["spark", "run", str(rules), "-o", str(tmp_path / "found"), "--start", "0", "--end", "9"]
    assert main([*arguments, "--input", str(records)]) == 2
    err = capsys.readouterr().err
    assert "error[HF608]: the delay of `rare(a)=0` is `0`" in err
    assert "Traceback" not in err
    assert main([*arguments, "--input", str(tmp_path / "nothing.parquet")]) == 2
    assert "error[HF501]" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["records.txt", "rules.prolog"]


def test_shown_output_is_written(spark: SparkSession, tmp_path: Path) -> None:
    place = tmp_path / "found"
    arguments = ["spark", "run", *TOY.files, "--input", str(records_of(TOY)), "-o", str(place), *TOY.options]
    assert main([*arguments, "--show", "happy", "--show", "location(_)=work"]) == 0
    assert pq.read_table(place / "location").column("value").to_pylist() == ["work"]
    assert len(pq.read_table(place / "happy")) == 1
    assert not (place / "rich").exists()


def test_csv_has_the_columns_of_records_by_name(spark: SparkSession, tmp_path: Path) -> None:
    rules, records, place = tmp_path / "rules.prolog", tmp_path / "records.csv", tmp_path / "found"
    rules.write_text("happensAt(often(X), T) :- happensAt(seen(X, N), T), N > 2.5.\n", encoding="utf-8")
    records.write_text("name,start,arg1,arg2\nseen,3,a,3\nseen,4,b,2\nseen,soon,a,9\n", encoding="utf-8")
    assert main(["spark", "run", str(rules), "--input", str(records), "-o", str(place), "--format", "csv"]) == 0
    written = [line for path in place.glob("often/*.csv") for line in path.read_text(encoding="utf-8").splitlines()]
    assert {*written} == {"arg1,time", "a,3"}
    assert any("expected an integer" in path.read_text(encoding="utf-8") for path in place.glob("set_aside/*.csv"))


def test_a_configuration_file_of_run_serves_spark_run(spark: SparkSession, tmp_path: Path) -> None:
    rules = "initiatedAt(on(X)=true, T) :- happensAt(go(X), T), lamp(X).\n"
    (tmp_path / "rules.prolog").write_text(rules, encoding="utf-8")
    (tmp_path / "lamps.prolog").write_text("lamp(a).\n", encoding="utf-8")
    (tmp_path / "records.txt").write_text("go|3|3|a\ngo|4|4|b\n", encoding="utf-8")
    config = tmp_path / "app.toml"
    inputs = 'rules = "rules.prolog"\nbackground = "lamps.prolog"\ninput = "*.txt"\n'
    config.write_text(inputs + 'end = 9\nfinal = true\noutput = "found"\n', encoding="utf-8")
    assert main(["spark", "run", "--config", str(config)]) == 0
    rows = pq.read_table(tmp_path / "found" / "on").to_pylist()
    assert rows == [{"arg1": "a", "value": "true", "start": 4, "end": None}]


def log_of(path: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("window", some([[], ["--window", "30", "--step", "20"]], 1))
def test_the_log_has_the_figures_of_the_embedded_run(window: list[str], spark: SparkSession, tmp_path: Path) -> None:
    run = RUNS["ctm"]
    logs = [tmp_path / "embedded.jsonl", tmp_path / "spark.jsonl"]
    assert main([*run.arguments, *window, "--log", str(logs[0]), "-o", str(tmp_path / "embedded.txt")]) == 0
    given = ["spark", "run", *run.files, "--input", str(records_of(run)), *run.options, *window]
    stats = tmp_path / "stats.json"
    assert main([*given, "-o", str(tmp_path / "found"), "--log", str(logs[1]), "--stats", str(stats)]) == 0
    embedded, found = map(log_of, logs)
    assert [line.keys() for line in embedded] == [line.keys() for line in found]
    assert len(found) == (5 if window else 1)
    assert all(line.pop("seconds") > 0 for line in found)
    assert all(line.pop("seconds") > 0 for line in embedded)
    # The embedded engine counts equal records once, and those of the settled time-point before the window.
    records = [(line.pop("records"), other.pop("records")) for line, other in zip(found, embedded, strict=True)]
    assert found == embedded
    assert all(abs(n - other) <= 4 for n, other in records), records
    assert window or records[0][0] == 55
    assert json.loads(stats.read_text(encoding="utf-8"))["per_query_time"]["records"]["mean"] > 0
