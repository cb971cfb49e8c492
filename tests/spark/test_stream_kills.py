"""Nothing lost, nothing twice: a stream that is killed at any moment and started again has the output of one engine."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from pyarrow import fs

import holdsfor as hf
from tests.apps.data import ROOT
from tests.seeds import IS_LONG, ROTATION
from tests.spark import delta, kafka, object_store, postgresql
from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER, why_not
from tests.spark.object_store import BUCKET, ObjectStore
from tests.spark.processes import Process, processes
from tests.spark.random_stream import (
    RULES,
    STEP,
    WINDOW,
    changes_of_rows,
    expected_changes,
    expected_results,
    random_batches,
)
from tests.spark.test_streams import read_lines, write_batches
from tests.spark.victims import bucket_processes, killed, python_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(2)

KILLS = int(os.environ.get("HOLDSFOR_KILLS", "30" if IS_LONG else "1"))
N_BATCHES = 4 * KILLS if KILLS > 1 else 5
START_SECONDS = 20
"""The time in which a job starts, restores its state and repeats a micro-batch."""


@dataclass(frozen=True)
class Output:
    """Places to which a stream writes feeds, and a function that reads them and compares them with one engine."""

    feeds: Sequence[tuple[str, str, Mapping[str, str]]]
    check: Callable[[list[list[str]]], None]
    configuration: Mapping[str, str] = field(default_factory=dict)
    python: Path = Path(sys.executable)
    store: ObjectStore | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {**kafka.job_environment(self.python), **(self.store.environment if self.store is not None else {})}

    def checkpoint(self, folder: Path) -> str:
        return f"{folder if self.store is None else self.store.root}/checkpoint"

    @property
    def described(self) -> str:
        feeds = [{"feed": feed, "format": place, "options": {**options}} for feed, place, options in self.feeds]
        configuration = {
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": JAVA_OPTIONS,
            **WITHOUT_COMPILER,
            **self.configuration,
        }
        return json.dumps({"feeds": feeds, "configuration": configuration, "window": WINDOW, "step": STEP})


def jars(*paths: Path) -> dict[str, str]:
    return {"spark.jars": ",".join(map(str, paths))}


@contextmanager
def files(folder: Path) -> Iterator[Output]:
    """Files of Parquet, which have each change once."""

    def check(batches: list[list[str]]) -> None:
        assert changes_of_rows(pq.read_table(folder / "out").to_pylist()) == expected_changes(batches)

    yield Output([("changes", "parquet", {"path": str(folder / "out")})], check)


@contextmanager
def topic(folder: Path) -> Iterator[Output]:
    """A topic, which has each change at least once, and with the same key every time."""
    skip_without(kafka.why_not())
    with kafka.running(folder) as broker:

        def check(batches: list[list[str]]) -> None:
            messages = kafka.messages(broker.address, "changes")
            print(f"{len(messages)} messages, {len(set(messages))} of them different")
            by_key = dict(messages)
            assert len(by_key) == len(set(messages)), "two messages have the same key"
            assert changes_of_rows([json.loads(value) for value in by_key.values()]) == expected_changes(batches)

        options = {"kafka.bootstrap.servers": broker.address, "topic": "changes"}
        yield Output([("changes", "kafka", options)], check, jars(*kafka.connector_jars()))


@contextmanager
def table(folder: Path) -> Iterator[Output]:
    """A table of PostgreSQL, which has each change once."""
    skip_without(postgresql.why_not())
    with postgresql.running() as server:

        def check(batches: list[list[str]]) -> None:
            rows = server.ask("select row_to_json(changes) from changes")
            assert changes_of_rows(list(map(json.loads, rows))) == expected_changes(batches)
            assert tables_of(server) == ["changes", "holdsfor_batches"]

        yield Output([("changes", "jdbc", options_of(server, "changes"))], check, jars(postgresql.DRIVER))


@contextmanager
def view(folder: Path) -> Iterator[Output]:
    """A table of PostgreSQL with the current results."""
    skip_without(postgresql.why_not())
    with postgresql.running() as server:

        def check(batches: list[list[str]]) -> None:
            rows = map(json.loads, server.ask("select row_to_json(known) from known"))
            found = sorted(((row["fvp"], row["start"], row["end"]) for row in rows), key=str)
            assert found == expected_results(batches)
            assert tables_of(server) == ["holdsfor_batches", "known"]

        yield Output([("current", "jdbc", options_of(server, "known"))], check, jars(postgresql.DRIVER))


@contextmanager
def snapshots(folder: Path) -> Iterator[Output]:
    """Snapshots of Parquet with the current results."""

    def check(batches: list[list[str]]) -> None:
        last = max((folder / "view").glob("snapshot=*"), key=lambda path: int(path.name.partition("=")[2]))
        found = [(row["fvp"], row["start"], row["end"]) for row in pq.read_table(last).to_pylist()]
        assert sorted(found, key=str) == expected_results(batches)

    yield Output([("current", "parquet", {"path": str(folder / "view")})], check)


@contextmanager
def delta_tables(folder: Path) -> Iterator[Output]:
    """Tables of Delta Lake with the changes and the current results."""
    skip_without(delta.why_not())
    changes, current = folder / "tables" / "changes", folder / "tables" / "the `current` view"

    def check(batches: list[list[str]]) -> None:
        found, known = delta.rows(changes, current)
        assert changes_of_rows(found) == expected_changes(batches)
        results = [(row["fvp"], row["start"], row["end"]) for row in known]
        assert sorted(results, key=str) == expected_results(batches)

    feeds = [("changes", "delta", {"path": str(changes)}), ("current", "delta", {"path": str(current)})]
    yield Output(feeds, check, delta.configuration(), delta.python())


@contextmanager
def objects(folder: Path) -> Iterator[Output]:
    """Files of Parquet with the changes and the current results, and the checkpoint, in an object store."""
    skip_without(object_store.why_not())
    with object_store.running(folder) as store:

        def check(batches: list[list[str]]) -> None:
            rows = pq.read_table(f"{BUCKET}/out", filesystem=store.system).to_pylist()
            assert changes_of_rows(rows) == expected_changes(batches)
            found = store.system.get_file_info(fs.FileSelector(f"{BUCKET}/view"))
            numbers = [
                int(each.base_name.partition("=")[2]) for each in found if each.base_name.startswith("snapshot=")
            ]
            known = pq.read_table(f"{BUCKET}/view/snapshot={max(numbers)}", filesystem=store.system).to_pylist()
            results = [(row["fvp"], row["start"], row["end"]) for row in known]
            assert sorted(results, key=str) == expected_results(batches)

        feeds = [("changes", "parquet", {"path": f"{store.root}/out"})]
        feeds.append(("current", "parquet", {"path": f"{store.root}/view"}))
        yield Output(feeds, check, store.configuration, store=store)


def options_of(server: postgresql.PostgreSQL, name: str) -> dict[str, str]:
    return {"url": server.url, "dbtable": name, "user": "tester", "password": postgresql.PASSWORD}


def tables_of(server: postgresql.PostgreSQL) -> list[str]:
    return server.ask("select tablename from pg_tables where schemaname = 'public' order by 1")


def skip_without(reason: str | None) -> None:
    if reason is not None:
        pytest.skip(reason)


def in_test_long(output: Any) -> Any:
    return pytest.param(output, marks=pytest.mark.long, id=output.__name__)


OUTPUTS = [pytest.param(files, id="files"), *map(in_test_long, [topic, table, view, snapshots, delta_tables, objects])]


@pytest.mark.parametrize("opened", OUTPUTS)
def test_a_killed_stream_continues_without_loss_or_repetition(
    opened: Callable[[Path], AbstractContextManager[Output]], tmp_path: Path
) -> None:
    skip_without(why_not())
    print(f"seed {ROTATION}")
    chance = random.Random(ROTATION)
    batches = random_batches(chance, N_BATCHES)
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    write_batches(tmp_path / "records", batches)
    n_killed = 0
    with opened(tmp_path) as output:
        while not run_job(tmp_path, output, next_kill(chance) if n_killed < KILLS else None):
            n_killed += 1
        output.check(batches)
        if KILLS > 1:
            repeat_last(output, tmp_path)
            run_job(tmp_path, output, None)
            output.check(batches)
    assert n_killed == KILLS, "the stream has ended before the last kill"


@dataclass(frozen=True)
class Kill:
    """A kill some seconds after some micro-batches; without a micro-batch, the job is starting.

    One of the `victims` is killed first, and all processes of the job some time later, if it has not failed by then.
    """

    n_batches: int
    seconds: float
    victims: Callable[[Sequence[int]], Sequence[Process]] | None
    later: float


def next_kill(chance: random.Random) -> Kill:
    n_batches = chance.randint(0 if KILLS > 1 else 1, 2)
    seconds = chance.random() * (1 if n_batches else START_SECONDS)
    victims = chance.choice([None, python_workers, bucket_processes]) if KILLS > 1 and n_batches else None
    return Kill(n_batches, seconds, victims, 10 * chance.random())


def repeat_last(output: Output, folder: Path) -> None:
    """Make the next start repeat the last micro-batch, as after a kill between its output and its commit."""
    system = fs.LocalFileSystem() if output.store is None else output.store.system
    commits = f"{output.checkpoint(folder).removeprefix('s3a://')}/commits"
    names = [each.base_name for each in system.get_file_info(fs.FileSelector(commits))]
    last = max((name for name in names if name.isdecimal()), key=int)
    for name in {last, f".{last}.crc"}.intersection(names):
        system.delete_file(f"{commits}/{name}")


def test_killed_workers_and_bucket_processes_do_not_change_the_output(spark: SparkSession, tmp_path: Path) -> None:
    """Spark does not repeat the tasks of a local session: the query fails with its worker, and is started again."""
    from pyspark.errors import StreamingQueryException

    print(f"seed {ROTATION}")
    chance = random.Random(ROTATION)
    batches = random_batches(chance, N_BATCHES)
    folder = write_batches(tmp_path / "records", batches)
    stream = hf.spark.stream(
        read_lines(spark, folder), hf.load_text(RULES), window=WINDOW, step=STEP, start=0, buckets=2
    )
    writer = stream.changes.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    context: Any = spark.sparkContext
    jvm = [context._gateway.proc.pid]
    kinds = [lambda: python_workers(jvm), lambda: bucket_processes(jvm)]
    chance.shuffle(kinds)
    left = [kinds[number % 2] for number in range(max(2, KILLS))]
    while True:
        query = writer.trigger(availableNow=True).start(str(tmp_path / "out"))
        try:
            while left and not query.awaitTermination(chance.random() / 2):
                if killed(left[-1](), chance):
                    left.pop()
            query.awaitTermination()
        except StreamingQueryException:
            continue
        break
    assert not left, "the stream has ended before the last kill"
    rows = pq.read_table(tmp_path / "out").to_pylist()
    assert changes_of_rows(rows) == expected_changes(batches)


def run_job(folder: Path, output: Output, kill: Kill | None) -> bool:
    """Run the stream to its end, or until its processes are killed; whether it ended."""
    command = [str(output.python), "-m", "tests.spark.streamed_job", str(folder / "rules.prolog")]
    command += [str(folder / "records"), output.checkpoint(folder), output.described]
    log = folder / "job.log"
    with log.open("ab") as errors:
        job = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=output.environment,
            cwd=ROOT,
            process_group=0,
        )
    assert job.stdout is not None
    try:
        if kill is None:
            assert job.wait() == 0, log.read_text(encoding="utf-8")
            return True
        for _ in range(kill.n_batches):
            job.stdout.readline()
        time.sleep(kill.seconds)
        assert job.poll() in (None, 0), log.read_text(encoding="utf-8")
        if kill.victims is not None and job.poll() is None:
            jvms = [each.pid for each in processes() if each.parent == job.pid and "java" in each.command]
            if killed(kill.victims(jvms), random.Random(kill.later)):
                with suppress(subprocess.TimeoutExpired):
                    job.wait(kill.later)
        return job.poll() == 0
    finally:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
        job.stdout.close()
        job.wait()
