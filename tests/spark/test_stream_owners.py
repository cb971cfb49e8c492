"""A folder has the output of one feed of one stream: another one is refused before it reads a record."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import HoldsforError
from tests.spark import postgresql
from tests.spark.test_stream_outputs import KNOWN, repeat_last, started
from tests.spark.test_stream_places import arguments
from tests.spark.test_streams import BATCHES, CHANGES, RICH, SECOND, read_lines, write_batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

N_CHANGES = sum(map(len, CHANGES.values()))


def with_option(command: list[str], option: str, value: str) -> list[str]:
    """The command with another value of an option."""
    at = command.index(option)
    return [*command[: at + 1], value, *command[at + 2 :]]


def files_below(folder: Path) -> set[tuple[str, bytes]]:
    return {(str(path), path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("output", [["-o", "out"], ["-o", "out", "--format", "json"], ["--current", "out"]])
def test_the_folder_of_another_stream_is_refused(
    output: list[str], spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = [*arguments(tmp_path), *(str(out) if each == "out" else each for each in output)]
    assert main(command) == 0
    before = files_below(out)
    other = write_batches(tmp_path / "others", [["win|2|2|eve", "win|40|40|eve"]])
    another = with_option(with_option(command, "--input", other), "--checkpoint", str(tmp_path / "another"))
    capsys.readouterr()
    for _ in range(2):
        assert main(another) == 2
        shown = capsys.readouterr().err
        assert f"error[HF798]: `{out}` has the output of another stream\n" in shown
        assert "hint: give another place, or the `--checkpoint` of the stream" in shown
        assert not (tmp_path / "another/offsets").exists()
    assert files_below(out) == before
    assert main(command) == 0


def test_another_feed_or_format_of_the_same_stream_is_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    command = [*arguments(tmp_path), "-o", out]
    assert main([*command, "--feed", "problems"]) == 0
    assert main([*command, "--feed", "changes"]) == 2
    assert (
        f"HF798]: `{out}` has the feed `problems` of this stream, found the feed `changes`" in capsys.readouterr().err
    )
    assert main([*command, "--feed", "problems", "--format", "csv"]) == 2
    assert "has files of the format `parquet`, found the format `csv`" in capsys.readouterr().err


def test_a_stream_of_an_older_version_continues_in_its_folders(spark: SparkSession, tmp_path: Path) -> None:
    stream = started(spark, tmp_path)
    out, view, checkpoint = tmp_path / "out", tmp_path / "view", tmp_path / "checkpoint"

    def run(place: Path) -> None:
        changes = stream.changes.writeStream.format("parquet").option("path", str(place))
        current = stream.current.writeStream.option("path", str(view))
        writer: Any = stream.writeStream.feeds(changes, current).option("checkpointLocation", str(checkpoint))
        writer.trigger(availableNow=True).start().awaitTermination()

    run(out)
    for path in (checkpoint / "holdsfor/id.json", *tmp_path.glob("*/_holdsfor"), *tmp_path.glob("*/._holdsfor.crc")):
        path.unlink(missing_ok=True)
    repeat_last(tmp_path)
    write_batches(tmp_path / "records", [*BATCHES, ["win|75|75|bob"]])
    run(out)
    assert spark.read.parquet(str(out)).count() == N_CHANGES
    assert {(row.fvp, row.start, row.end) for row in hf.spark.read_current(spark, str(view)).collect()} == KNOWN
    assert (out / "_holdsfor").exists()
    later = tmp_path / "later"
    (later / "batch=99").mkdir(parents=True)
    with pytest.raises(HoldsforError, match=r"HF798.*another stream"):
        run(later)


def test_a_new_stream_at_the_place_of_a_deleted_checkpoint_adds_its_rows_to_a_table(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The table of numbers has the id of a stream, not the place of its checkpoint."""
    reason = postgresql.why_not()
    if reason is not None:
        pytest.skip(reason)
    with postgresql.running() as server:
        for _ in range(2):
            writer = started(spark, tmp_path).changes.writeStream.format("jdbc").trigger(availableNow=True)
            writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
            writer = writer.options(url=server.url, dbtable="changes", user="tester", password=postgresql.PASSWORD)
            writer.start().awaitTermination()
            shutil.rmtree(tmp_path / "checkpoint")
        rows = server.ask(
            'select query_time, op, fvp, start, "end" from changes where query_time = 20 order by 1, 2, 3'
        )
        assert rows == sorted(SECOND * 2)
        assert server.ask("select count(*) from changes") == [str(2 * N_CHANGES)]


def test_an_output_that_was_left_out_is_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A view that begins later would lack results, and changes would delete rows that they have not inserted."""
    out, other, view = (str(tmp_path / name) for name in ("out", "other", "view"))
    command = arguments(tmp_path)
    assert main([*command, "-o", out]) == 0
    write_batches(tmp_path / "records", [*BATCHES, ["win|90|90|eve", "win|111|111|eve"]])
    for more in (["-o", out, "--current", view], ["-o", other]):
        assert main([*command, *more]) == 2
        assert f"error[HF798]: `{more[-1]}` has no rows of micro-batch 0, which the stream" in capsys.readouterr().err
    shutil.move(out, other)
    assert main([*command, "-o", other, "--alerts", "http://127.0.0.1:9/", "--alert-on", "rich(nobody)=true"]) == 0
    assert not Path(view).exists()
    assert len(spark.read.parquet(other).where("fvp = 'rich(eve)=true'").collect()) == 1
    write_batches(tmp_path / "records", [*BATCHES, ["win|90|90|eve", "win|111|111|eve"], ["win|130|130|ann"]])
    assert main([*command, "-o", str(tmp_path / "problems"), "--feed", "problems"]) == 0
    for place in (other, out):
        if place == out:
            shutil.move(other, out)
        assert main([*command, "-o", place]) == 2
        assert f"error[HF798]: `{place}` has no rows of micro-batch 2, which the stream" in capsys.readouterr().err


def test_a_current_view_that_was_deleted_or_is_an_older_copy_is_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The next micro-batch would change a view that lacks rows."""
    view, copy = tmp_path / "view", tmp_path / "copy"
    command = [*arguments(tmp_path), "--current", str(view)]
    more = [["win|90|90|eve", "win|111|111|eve"], ["win|130|130|ann", "win|151|151|ann"]]
    assert main(command) == 0
    shutil.copytree(view, copy)
    write_batches(tmp_path / "records", [*BATCHES, more[0]])
    assert main(command) == 0
    write_batches(tmp_path / "records", [*BATCHES, *more])
    for place in (None, copy):
        shutil.move(view, tmp_path / "last")
        if place is not None:
            shutil.copytree(place, view)
        assert main(command) == 2
        message = f"HF798]: the current view `{view}` lacks micro-batch 1: it was deleted or is an older copy"
        assert message in capsys.readouterr().err
        shutil.rmtree(view, ignore_errors=True)
        shutil.move(tmp_path / "last", view)
    assert main(command) == 0
    found = {row.fvp for row in hf.spark.read_current(spark, str(view)).collect()}
    assert {"rich(eve)=true", "rich(ann)=true", "rich(bob)=true"} <= found


@pytest.mark.parametrize("output", ["-o", "--current"])
def test_an_older_copy_of_the_checkpoint_is_refused(
    output: str, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output would take the next micro-batch for a repetition, and its rows would be lost."""
    out, state, copy = tmp_path / "out", tmp_path / "state", tmp_path / "copy"
    command = [*with_option(arguments(tmp_path), "--checkpoint", str(state)), output, str(out)]
    assert main(command) == 0
    shutil.copytree(state, copy)
    more = [["win|90|90|eve", "win|111|111|eve"], ["win|130|130|ann", "win|151|151|ann"]]
    write_batches(tmp_path / "records", [*BATCHES, more[0]])
    assert main(command) == 0
    before = files_below(out)
    shutil.rmtree(state)
    shutil.move(copy, state)
    write_batches(tmp_path / "records", [*BATCHES, *more])
    assert main(command) == 2
    message = (
        f"HF798]: `{out}` has micro-batch 1 of this stream, and the checkpoint ends at micro-batch 0: it is an older"
    )
    assert message in capsys.readouterr().err
    assert files_below(out) == before


def test_a_checkpoint_has_one_query(spark: SparkSession, tmp_path: Path) -> None:
    stream, checkpoint = started(spark, tmp_path), str(tmp_path / "checkpoint")
    begun, stopping = threading.Event(), threading.Event()

    def wait() -> bool:
        begun.set()
        return stopping.wait(60)

    writer = stream.changes.writeStream.option("checkpointLocation", checkpoint).format("parquet").stopWhen(wait)
    query = writer.start(str(tmp_path / "out"))
    assert begun.wait(60)
    other = stream.problems.writeStream.option("checkpointLocation", checkpoint).format("parquet")
    with pytest.raises(HoldsforError, match=rf"HF797.*`{checkpoint}` is in use"):
        other.start(str(tmp_path / "problems"))
    stopping.set()
    with pytest.raises(Exception, match="StreamStopped"):
        query.awaitTermination()
    other.trigger(availableNow=True).start(str(tmp_path / "problems")).awaitTermination()


def test_a_current_view_that_is_deleted_while_the_stream_runs_stops_it(spark: SparkSession, tmp_path: Path) -> None:
    view = tmp_path / "view"

    def remove(_: Any) -> None:
        shutil.rmtree(view, ignore_errors=True)

    writer = started(spark, tmp_path).current.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.onProgress(remove).trigger(availableNow=True).start(str(view))
    with pytest.raises(Exception, match=r"HF798.*lacks micro-batch"):
        query.awaitTermination()


def test_a_current_view_whose_table_was_dropped_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    reason = postgresql.why_not()
    if reason is not None:
        pytest.skip(reason)
    with postgresql.running() as server:

        def run() -> None:
            writer = started(spark, tmp_path).current.writeStream.format("jdbc").trigger(availableNow=True)
            writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
            writer = writer.options(url=server.url, dbtable="known", user="tester", password=postgresql.PASSWORD)
            writer.start().awaitTermination()

        run()
        run()
        server.ask("alter table known rename to elsewhere")
        with pytest.raises(HoldsforError, match=r"HF798.*known` lacks micro-batch \d: it was deleted"):
            run()
        server.ask("alter table elsewhere rename to known")
        server.ask("update holdsfor_batches set batch = batch - 1")
        with pytest.raises(HoldsforError, match=r"HF798.*lacks micro-batch \d.*is an older copy"):
            run()
        server.ask("update holdsfor_batches set batch = batch + 2")
        with pytest.raises(HoldsforError, match=r"HF798.*known` has micro-batch \d of this stream.*is an older copy"):
            run()


def test_a_timeout_and_integer_times_are_neither_added_nor_removed(spark: SparkSession, tmp_path: Path) -> None:
    """Spark has the clock of a timeout as a source, and an output would have two types of times."""
    lines = read_lines(spark, write_batches(tmp_path / "records", BATCHES))

    def begin(checkpoint: str, **given: Any) -> None:
        rules = hf.load_text(RICH)
        stream = hf.spark.stream(lines, rules, window=20, step=10, start=0, buckets=1, **given)
        stream.micro_batches(str(tmp_path / checkpoint))

    begin("plain")
    begin("idle", idle="10m")
    begin("idle", idle="5m")
    begin("integers", times="integer")
    for checkpoint, given, shown in [
        ("plain", {"idle": "10m"}, "without a timeout of idle sources"),
        ("idle", {}, "with a timeout of idle sources"),
        ("plain", {"times": "integer"}, 'without `times="integer"`'),
        ("integers", {}, 'with `times="integer"`'),
    ]:
        with pytest.raises(HoldsforError, match=f"HF793.*the checkpoint is of a stream {shown}"):
            begin(checkpoint, **given)


def test_another_description_of_columns_is_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*arguments(tmp_path), "-o", str(tmp_path / "out"), "--input-format", "jsonl"]
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines/0.jsonl").write_text('{"who": "bob", "whom": "eve", "t": 26}\n', encoding="utf-8")

    def run(columns: str) -> int:
        return main(with_option(command, "--input", f"{tmp_path / 'lines'}/: {columns}"))

    assert run("happensAt(win(who), t)") == 0
    assert run("happensAt( win(who),t )") == 0
    capsys.readouterr()
    assert run("happensAt(win(whom), t)") == 2
    message = "HF793]: the checkpoint is of a stream with the columns `happensAt(win(who),t)`, found"
    assert message in capsys.readouterr().err
