"""A stream on Spark that is stopped, rescaled and continued has the changes of one that was never stopped."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import HoldsforError
from tests.spark.test_streams import BATCHES, CHANGES, RICH, Collected, read_lines, run, write_batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_stream_continues_after_it_is_rescaled(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, checkpoint = write_batches(tmp_path / "records", BATCHES[:3]), tmp_path / "checkpoint"
    found = Collected()
    first = hf.spark.stream(read_lines(spark, folder), hf.load_text(RICH), window=20, step=10, start=0, buckets=2)
    run(first, checkpoint, found)
    for unfinished in (checkpoint / "commits/2", checkpoint / "commits/.2.crc"):
        unfinished.unlink(missing_ok=True)  # the third micro-batch is repeated after the change
    writer: Any = first.writeStream.foreachBatch(lambda _: None).option("checkpointLocation", str(checkpoint))
    stopping = threading.Event()
    query = writer.stopWhen(lambda: stopping.wait(60)).start()
    with pytest.raises(HoldsforError, match=r"HF797.*running"):
        hf.spark.rescale(str(checkpoint), buckets=3)
    stopping.set()
    with pytest.raises(Exception, match="StreamStopped"):
        query.awaitTermination()
    assert main(["spark", "rescale", str(checkpoint), "--buckets", "3"]) == 0
    assert capsys.readouterr().out.startswith("2 buckets are now 3: 2 entities, ")
    for number, lines in enumerate(BATCHES[3:], start=3):
        path = Path(folder) / f"{number:03}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    rules = hf.load_text(RICH)
    again = hf.spark.stream(read_lines(spark, folder), rules, window=20, step=10, start=0)  # without `buckets`
    run(again, checkpoint, found)
    assert found.by_query_time() == CHANGES
    assert not (checkpoint / "holdsfor/state").exists()
    with pytest.raises(HoldsforError, match=r"HF793.*number of buckets 3, found 2"):
        run(first, checkpoint, found)
