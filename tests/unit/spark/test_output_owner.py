"""The id of a stream in tables and folders: written once, and another one for a new checkpoint."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark.streaming.identity import Identity, Manifest, write_manifest
from holdsfor.spark.streaming.output_owner import StreamId
from holdsfor.spark.streaming.state_files import StreamFiles


def manifest() -> Manifest:
    return Manifest(Identity("", 20, 10, 1, 0, None, "s", None, "event", 1, []))


def commit(checkpoint: Path, number: int) -> None:
    (checkpoint / "commits").mkdir(parents=True, exist_ok=True)
    (checkpoint / f"commits/{number}").write_text("v1\n{}", encoding="utf-8")


def test_a_stream_keeps_its_id_and_another_stream_has_another_one(tmp_path: Path) -> None:
    place = str(tmp_path / "state")
    first = StreamId.read(place)
    first.save(place)
    write_manifest(StreamFiles(f"{place}/holdsfor"), manifest())
    assert StreamId.read(place) == first
    commit(Path(place), 4)
    assert StreamId.read(place) == StreamId(first.id, is_older=False, last=5)
    shutil.rmtree(place)
    assert StreamId.read(place).id != first.id


def test_a_stream_of_an_older_version_is_known_by_the_place_of_its_checkpoint(tmp_path: Path) -> None:
    place = str(tmp_path)
    write_manifest(StreamFiles(f"{place}/holdsfor"), manifest())
    commit(tmp_path, 1)
    found = StreamId.read(place)
    assert found == StreamId(place, is_older=True, last=2)
    found.save(place)
    assert StreamId.read(place) == found


def test_the_checkpoint_of_another_query_of_spark_is_unchanged(tmp_path: Path) -> None:
    commit(tmp_path, 0)
    StreamId.read(str(tmp_path)).save(str(tmp_path))
    assert not (tmp_path / "holdsfor").exists()


def test_a_damaged_id_is_reported(tmp_path: Path) -> None:
    (tmp_path / "holdsfor").mkdir()
    (tmp_path / "holdsfor/id.json").write_text("{", encoding="utf-8")
    with pytest.raises(HoldsforError, match=r"HF792.*`id.json` of the checkpoint is damaged"):
        StreamId.read(str(tmp_path))
