"""Parquet files that workers open: through any file system of Arrow, with the values of folders, in pieces."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.fs as pafs  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from holdsfor.errors import DataProblem
from holdsfor.spark.input import parquet_files
from holdsfor.spark.input.parquet_files import pieces_of, tables_of
from holdsfor.spark.input.parquet_relation import ParquetRelation, PartitionedFile

NOON = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)
TYPES = {"vessel": pa.string(), "ts": pa.timestamp("us", "UTC"), "day": pa.date32(), "area": pa.string()}


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[PartitionedFile]:
    """Two files of three row groups each in a file system that is a folder of another one, with another scheme."""
    parts: list[PartitionedFile] = []
    for number, area in enumerate(["a b", None]):
        folder = tmp_path / f"day=2026-01-0{number + 1}"
        folder.mkdir()
        times = pa.array([NOON + datetime.timedelta(seconds=i) for i in range(6)], pa.timestamp("ms", "UTC"))
        table = pa.table({"ts": times, "vessel": [f"v{i % 2}" for i in range(6)], "unused": [[i] for i in range(6)]})
        pq.write_table(table, folder / "part 1.parquet", row_group_size=2)
        values = (("day", datetime.date(2026, 1, number + 1)), ("area", area))
        parts.append(PartitionedFile(f"store://bucket/{folder.name}/part%201.parquet", values))
    system = pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())
    monkeypatch.setattr(parquet_files, "file_system", lambda scheme, place: system)
    return parts


def relation(files: list[PartitionedFile]) -> ParquetRelation:
    return ParquetRelation(files, TYPES, ("day", "area"))


def test_pieces_have_the_rows_of_the_files_and_the_values_of_their_folders(stored: list[PartitionedFile]) -> None:
    pieces = pieces_of(relation(stored), n_tasks=1)
    assert pieces is not None
    assert [(piece.first, piece.last, piece.n) for piece in pieces] == [(0, 3, 6), (0, 3, 6)]
    (_, before, table), (_, _, other) = tables_of(pieces, TYPES)
    assert before == 0
    assert table.schema.names == list(TYPES)
    assert table.column("ts").type == TYPES["ts"]
    assert table.to_pylist()[3] == {
        "vessel": "v1",
        "ts": NOON + datetime.timedelta(seconds=3),
        "day": datetime.date(2026, 1, 1),
        "area": "a b",
    }
    assert other.column("area").null_count == 6


def test_a_file_without_a_wanted_column_or_with_another_type_is_left_to_spark(
    stored: list[PartitionedFile], tmp_path: Path
) -> None:
    for table in ({"ts": [1], "vessel": ["v"]}, {"vessel": ["v"]}):
        pq.write_table(pa.table(table), tmp_path / "other.parquet")
        assert pieces_of(relation([*stored, PartitionedFile("store://bucket/other.parquet")]), n_tasks=1) is None


def test_files_that_this_process_cannot_open_are_left_to_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pieces_of(relation([PartitionedFile("unknown://bucket/a.parquet")]), n_tasks=1) is None
    assert pieces_of(relation([PartitionedFile("file:///no/such/file.parquet")]), n_tasks=1) is None


def test_paths_in_object_stores_begin_with_the_bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    class Store:
        type_name = "s3"

        def open_input_file(self, path: str) -> Any:
            opened.append(path)
            raise OSError("no network")

    monkeypatch.setattr(parquet_files, "file_system", lambda scheme, place: Store())
    assert pieces_of(relation([PartitionedFile("s3a://bucket/day=1/a%20b.parquet")]), n_tasks=1) is None
    assert opened == ["bucket/day=1/a b.parquet"]


def test_a_file_that_disappears_is_reported_with_its_name(stored: list[PartitionedFile], tmp_path: Path) -> None:
    pieces = pieces_of(relation(stored), n_tasks=1)
    assert pieces is not None
    (tmp_path / "day=2026-01-02" / "part 1.parquet").unlink()
    with pytest.raises(DataProblem, match=r"store://bucket/day=2026-01-02/part 1.parquet` cannot be read"):
        list(tables_of(pieces, TYPES))
