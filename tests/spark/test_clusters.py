"""Clusters of several processes give the embedded answer, with the package shipped to their workers.

The Python of the workers has NumPy, pyarrow and pandas, but not this package: every answer proves that it was shipped.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.cli.terminal.interruption import INTERRUPTED
from tests.apps.data import ROOT
from tests.apps.runs import RUNS, SmallRun
from tests.properties.staged import in_any_order
from tests.seeds import ROTATION
from tests.spark.answers import Row, embedded_rows, embedded_tables, options_of, records_of
from tests.spark.cluster import Cluster, Home, packed, python_without_us
from tests.spark.conftest import why_not
from tests.spark.processes import Process, Program, Programs, processes, wait_for
from tests.spark.random_stream import RULES, changes_of_rows, expected_changes, random_batches
from tests.spark.test_stream_kills import KILLS
from tests.spark.test_streams import write_batches
from tests.spark.victims import bucket_processes, executors_of, killed, python_workers

pytestmark = pytest.mark.long

DAY, SEA = RUNS["toy"], RUNS["maritime"]
GIGABYTES = 4
PATIENCE = 300
DRIVER = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from holdsfor.cli.main import main; sys.exit(main())"
SMALL = {
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}
SETTINGS = [word for name, value in SMALL.items() for word in ("--conf", f"{name}={value}")]


def why_no_cluster() -> str | None:
    """The reason why a cluster cannot be tested here, if any."""
    meminfo = Path("/proc/meminfo")
    if not meminfo.exists():
        return "processes are looked up in /proc, which this system does not have"
    free = {line.split()[0]: int(line.split()[1]) for line in meminfo.read_text(encoding="utf-8").splitlines()}
    if free["MemAvailable:"] < GIGABYTES << 20:
        return f"a cluster needs {GIGABYTES} GB of free memory"
    return why_not()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    reason = why_no_cluster()
    if reason is not None:
        pytest.skip(reason)
    return Home.make(tmp_path_factory.mktemp("spark"))


@pytest.fixture(scope="module")
def bare(home: Home) -> Path:
    """A Python that can import all dependencies of this package, but not the package."""
    python = python_without_us(home.folder / "bare")

    def can_import(*names: str) -> bool:
        tried = subprocess.run([python, "-c", f"import {', '.join(names)}"], env=home.environment, capture_output=True)
        return tried.returncode == 0

    assert can_import("numpy", "pyarrow", "pandas", "pyspark")
    assert not can_import("holdsfor")
    return python


@pytest.fixture(scope="module")
def programs(home: Home) -> Iterator[Programs]:
    with Programs(home.folder, home.environment) as programs:
        yield programs
    assert not [process.command for process in programs.members()]


@pytest.fixture(scope="module")
def cluster(home: Home, programs: Programs) -> Cluster:
    return Cluster.start(home, programs)


def expected(run: SmallRun) -> list[Row]:
    return embedded_rows(hf.load(*run.files), records_of(run), **options_of(run))


def has_the_answer(place: Path, run: SmallRun) -> bool:
    """Whether a folder has the tables of the embedded engine."""
    tables = embedded_tables(hf.load(*run.files), records_of(run), **options_of(run))
    found = {name: in_any_order(pq.read_table(place / name).replace_schema_metadata()) for name in tables}
    return found == tables and {path.name for path in place.iterdir() if path.is_dir()} >= {*tables, "tables"}


def command(place: Path, *more: str) -> list[str]:
    """`holdsfor spark run` as a process without any path to this package in its environment."""
    given = [*DAY.files, "--input", str(records_of(DAY)), *DAY.options, "-o", str(place)]
    return [sys.executable, "-c", DRIVER, "spark", "run", *given, *more, *SETTINGS]


def test_a_cluster_inside_the_driver_receives_the_package(
    home: Home, programs: Programs, bare: Path, tmp_path: Path
) -> None:
    asked = ["--master", "local-cluster[2,1,1024]", "--conf", f"spark.pyspark.python={bare}"]
    run = programs.start("local-cluster", command(tmp_path / "found", *asked))
    assert run.exit_code() == 0, run.said
    assert has_the_answer(tmp_path / "found", DAY)
    wait_for(lambda: not run.members(), seconds=PATIENCE, otherwise=lambda: str(run.members()))


def test_the_command_runs_on_a_cluster_with_only_another_master(
    cluster: Cluster, programs: Programs, bare: Path, tmp_path: Path
) -> None:
    """The environment is shipped as an archive."""
    archive = packed(bare.parents[1], tmp_path / "environment.tar.gz")
    shipped = {"spark.archives": f"{archive}#environment", "spark.pyspark.python": "environment/bin/python"}
    settings = [word for name, value in shipped.items() for word in ("--conf", f"{name}={value}")]
    run = programs.start("run", command(tmp_path / "found", "--master", cluster.url, *settings))
    assert run.exit_code() == 0, run.said
    assert has_the_answer(tmp_path / "found", DAY)
    wait_for(lambda: not run.members(), seconds=PATIENCE, otherwise=lambda: str(run.members()))


def test_waiting_for_cores_is_reported_and_can_be_interrupted(
    cluster: Cluster, programs: Programs, tmp_path: Path
) -> None:
    run = programs.start(
        "waiting", command(tmp_path / "found", "--master", cluster.url, "--conf", "spark.executor.cores=9")
    )
    run.waits_for(lambda: "has not accepted any resources" in run.said)
    run.leader.send_signal(signal.SIGINT)
    assert run.exit_code() == INTERRUPTED
    assert run.said.endswith("interrupted\n")
    assert "Traceback" not in run.said
    assert not list(tmp_path.iterdir())
    wait_for(lambda: not run.members(), seconds=PATIENCE, otherwise=lambda: str(run.members()))


def test_a_killed_executor_does_not_change_the_answer(
    cluster: Cluster, programs: Programs, bare: Path, tmp_path: Path
) -> None:
    """The executor is killed when tasks of the last stage have results; its shuffle files and cache are lost."""
    zipped, job = tmp_path / "holdsfor.zip", Path(__file__).parent / "submitted_job.py"
    assert main(["spark", "package", "-o", str(zipped)]) == 0
    submit = [cluster.home.program("bin/spark-submit"), "--master", cluster.url, "--py-files", str(zipped), *SETTINGS]
    given = [str(job), str(tmp_path), str(records_of(SEA)), *SEA.files]
    run = programs.start("submitted", [*submit, *given], PYSPARK_PYTHON=str(bare))
    run.waits_for(lambda: bool(marks(tmp_path)))
    (partition, worker), *_ = marks(tmp_path)
    executor = executor_of(worker)
    os.kill(executor.pid, signal.SIGKILL)
    wait_for(lambda: executor not in processes(), seconds=PATIENCE, otherwise=lambda: "it cannot be killed")
    (tmp_path / "go").touch()
    assert run.exit_code() == 0, run.said
    answer: dict[str, Any] = json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert sorted((tuple(row) for row in answer["intervals"] + answer["events"]), key=str) == expected(SEA)
    assert len([pid for part, pid in marks(tmp_path) if part == partition]) == 2
    sources = {answer["code"], *(path.read_text(encoding="utf-8") for path in tmp_path.glob("task-*"))}
    assert all("/holdsfor.zip/" in source for source in sources)


def marks(folder: Path) -> list[tuple[int, int]]:
    """The partitions and processes of the waiting tasks."""
    return [(int(part), int(pid)) for _, part, pid in (path.name.split("-") for path in folder.glob("task-*[0-9]"))]


def executor_of(worker: int) -> Process:
    """The JVM of a Python worker."""
    by_pid = {process.pid: process for process in processes()}
    process = by_pid[worker]
    while "CoarseGrainedExecutorBackend" not in process.command:
        process = by_pid[process.parent]
    return process


def submitted_stream(cluster: Cluster, bare: Path, folder: Path, *more: str) -> Program:
    """A stream whose records, checkpoint and output are in a folder."""
    zipped, job = folder / "holdsfor.zip", Path(__file__).parent / "submitted_stream.py"
    assert main(["spark", "package", "-o", str(zipped)]) == 0
    submit = [cluster.home.program("bin/spark-submit"), "--master", cluster.url, "--py-files", str(zipped)]
    given = [str(folder / name) for name in ("rules.prolog", "records", "checkpoint", "out")]
    name = f"stream{len(cluster.programs.started)}"
    return cluster.programs.start(name, [*submit, *SETTINGS, *more, str(job), *given], PYSPARK_PYTHON=str(bare))


def evaluations(log: Path) -> list[tuple[int, int, str]]:
    """The micro-batch, partition and executor of each task that has evaluated a bucket, from the events of Spark."""
    batches: dict[int, int] = {}
    found: list[tuple[int, int, str]] = []
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerJobStart":
            named = re.match(r"micro-batch (\d+): evaluate", event["Properties"].get("spark.job.description", ""))
            batches |= dict.fromkeys(event["Stage IDs"], int(named.group(1))) if named else {}
        elif event["Event"] == "SparkListenerTaskEnd" and event["Stage ID"] in batches:
            task = event["Task Info"]
            if any(each.get("Name") == "data sent to Python workers" for each in task["Accumulables"]):
                found.append((batches[event["Stage ID"]], task["Partition ID"], task["Executor ID"]))
    return found


def test_a_stream_has_the_same_answers_when_its_buckets_move_and_an_executor_is_lost(
    cluster: Cluster, programs: Programs, bare: Path, tmp_path: Path
) -> None:
    """While one executor is gone, the other one evaluates all buckets, from the files that both have written."""
    print(f"seed {ROTATION}")
    chance = random.Random(ROTATION)
    batches = random_batches(chance, 12)
    write_batches(tmp_path / "records", batches)
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "events").mkdir()
    logged = {"enabled": "true", "compress": "false", "rolling.enabled": "false", "dir": str(tmp_path / "events")}
    settings = [word for name, value in logged.items() for word in ("--conf", f"spark.eventLog.{name}={value}")]
    run = submitted_stream(cluster, bare, tmp_path, *settings)
    for done in (2, 6):
        run.waits_for(lambda done=done: f"batch {done} done" in run.said)  # type: ignore[misc]
        executors = executors_of(programs.members())
        assert bucket_processes([each.pid for each in executors])
        time.sleep(chance.random())
        os.kill(executors[-1].pid, signal.SIGKILL)
    assert run.exit_code() == 0, run.said
    assert changes_of_rows(pq.read_table(tmp_path / "out").to_pylist()) == expected_changes(batches)
    (log,) = (tmp_path / "events").iterdir()
    found = evaluations(log)
    for bucket in (0, 1):
        assert len({executor for _, number, executor in found if number == bucket}) > 1, "the bucket has moved"
    undisturbed = sorted((batch, number) for batch, number, _ in found if batch < 2)
    assert undisturbed == [(batch, number) for batch in (0, 1) for number in (0, 0, 1, 1)], "once in each of two stages"


def test_killed_executors_workers_and_bucket_processes_do_not_change_the_output_of_a_stream(
    cluster: Cluster, programs: Programs, bare: Path, tmp_path: Path
) -> None:
    """Spark repeats the tasks of killed processes; a stream that has failed too often is submitted again."""
    print(f"seed {ROTATION}")
    chance = random.Random(ROTATION)
    batches = random_batches(chance, 2 * KILLS)
    write_batches(tmp_path / "records", batches)
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")

    def executors() -> list[Process]:
        return executors_of(programs.members())

    def pids() -> list[int]:
        return [each.pid for each in executors()]

    kinds: list[Callable[[], list[Process]]] = [
        executors,
        lambda: python_workers(pids()),
        lambda: bucket_processes(pids()),
    ]
    left = [chance.choice(kinds) for _ in range(KILLS)]
    while True:
        run, may_fail = submitted_stream(cluster, bare, tmp_path), bool(left)
        while left and run.leader.poll() is None:
            time.sleep(2 * chance.random())
            if "done" in run.said and killed(left[-1](), chance):
                left.pop()
        if run.exit_code() == 0:
            break
        assert may_fail, run.said
    assert not left, "the stream has ended before the last kill"
    assert changes_of_rows(pq.read_table(tmp_path / "out").to_pylist()) == expected_changes(batches)


@pytest.mark.skipif(importlib.util.find_spec("grpc") is None, reason="pip install 'holdsfor[connect]'")
def test_a_spark_connect_server_receives_the_package_from_the_client(
    cluster: Cluster, programs: Programs, bare: Path, tmp_path: Path
) -> None:
    serve = [cluster.home.program("sbin/start-connect-server.sh"), "--wait", "--master", cluster.url, *SETTINGS]
    any_port = ["--conf", "spark.connect.grpc.binding.port=0"]
    server = programs.start("server", [*serve, *any_port], PYSPARK_PYTHON=str(bare))
    server.waits_for(lambda: port_of(server) is not None)
    job, answer_file = Path(__file__).parent / "connected_job.py", tmp_path / "answer.json"
    given = [f"sc://127.0.0.1:{port_of(server)}", str(answer_file), str(records_of(SEA)), *SEA.files]
    client = programs.start("client", [sys.executable, str(job), *given], PYTHONPATH=str(ROOT / "src"))
    assert client.exit_code() == 0, client.said
    answer = json.loads(answer_file.read_text(encoding="utf-8"))
    assert sorted(map(tuple, answer["rows"]), key=str) == expected(SEA)
    assert (answer["code"], answer["errors"].partition(":")[0]) == (2, "error[HF787]")


def port_of(server: Program) -> int | None:
    """The port of a Spark Connect server, once the server listens."""
    found = re.search(r"Spark Connect server started at: \S*:(\d+)", server.said)
    return None if found is None else int(found.group(1))
