"""An output target has all results of a run or its previous content: folders, catalogue tables, a database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import ExecutionProblem, UsageProblem
from holdsfor.spark.cluster.failures import failure_of
from holdsfor.spark.cluster.session_start import Log
from holdsfor.spark.output.catalogue import refuse_in_memory_catalogue
from holdsfor.spark.output.databases import DatabaseTarget
from holdsfor.spark.output.result_tables import Part
from tests.spark import postgresql
from tests.spark.postgresql import PASSWORD, PostgreSQL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.spark import Recognition

pytestmark = pytest.mark.in_turn(3)

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V, N), T), N > 5.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V, N), T), N =< 5.
initiatedAt(seen(V)=true, T) :- happensAt(speed(V, _), T).
terminatedAt(seen(V)=true, T) :- happensAt(gone(V), T).
happensAt(slow(V), T) :- happensAt(speed(V, N), T), N < 2.
"""
DAY = 86_400_000
LINES = [f"speed|1|{DAY - 2}|ann|9", f"speed|1|{DAY + 5}|ann|1", "speed|1|-3|bob|7", "speed|1|x|bob|7"]
NAMES = ["fast", "seen", "set_aside", "slow", "tables"]
WHO = {"user": "tester", "password": PASSWORD}


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> Iterator[Recognition]:
    lines = spark.createDataFrame([(line,) for line in LINES], "value string")
    found = hf.spark.recognise(hf.load_text(RULES), lines, start=-10, end=2 * DAY, buckets=2)
    yield found
    found.unpersist()


@pytest.fixture(scope="module")
def failing(spark: SparkSession) -> Recognition:
    """Results whose events cannot be computed; the records set aside can be written."""
    rules = hf.load_text("initiatedAt(rare(V)=0, T) :- happensAt(speed(V, _), T). fi(rare(V)=N, rare(V)=gone, N).")
    lines = spark.createDataFrame([(LINES[0],)], "value string")
    return hf.spark.recognise(lines, rules, start=0, end=DAY, buckets=1)


@pytest.fixture(scope="module")
def schema(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("catalogue")
    spark.sql(f"CREATE DATABASE sea LOCATION '{folder}'")
    yield "sea"
    spark.sql("DROP DATABASE sea CASCADE")


@pytest.fixture(scope="module")
def database(spark: SparkSession) -> Iterator[PostgreSQL]:
    reason = postgresql.why_not()
    if reason is not None:
        pytest.skip(reason)
    with postgresql.running() as server:
        yield server


# -- folders -----------------------------------------------------------------------------------------------------------


def test_tables_without_rows_can_be_read(spark: SparkSession, tmp_path: Path) -> None:
    rules = hf.load_text("initiatedAt(seen(V)=true, T) :- happensAt(speed(V, _), T).")
    found = hf.spark.recognise(rules, spark.createDataFrame([(LINES[0],)], "value string"), start=0, end=1, buckets=1)
    choices: list[list[Part]] = [[], ["day"]]
    for parts in choices:
        place = str(tmp_path / f"found{len(parts)}")
        hf.spark.write(found, place, partition_by=parts, time_unit="ms")
        seen = spark.read.parquet(f"{place}/seen")
        assert (seen.count(), seen.columns) == (0, ["arg1", "value", "start", "end", *parts])
    found.unpersist()


def test_parquet_is_partitioned_by_the_day_of_the_start(found: Recognition, tmp_path: Path) -> None:
    place = tmp_path / "found"
    hf.spark.write(found, str(place), partition_by=["day"], time_unit="ms")
    for table, days in {"fast": ["1969-12-31", "1970-01-01"], "slow": ["1970-01-02"]}.items():
        assert sorted({path.parent.name for path in place.glob(f"{table}/*/*.parquet")}) == [f"day={d}" for d in days]
    rows = pq.read_table(place / "fast", partitioning=None).to_pylist()
    assert sorted(rows, key=str) == [
        {"arg1": "ann", "value": "true", "start": DAY - 1, "end": DAY + 6},
        {"arg1": "bob", "value": "true", "start": -2, "end": None},
    ]
    assert pq.read_table(place / "set_aside").num_rows == 1
    assert sorted(pq.read_table(place / "tables").column("table").to_pylist()) == ["fast", "seen", "set_aside", "slow"]


def test_a_failed_or_killed_run_leaves_the_previous_folder(
    found: Recognition, failing: Recognition, tmp_path: Path
) -> None:
    place = tmp_path / "found"
    hf.spark.write(found, str(place), format="json")
    before = sorted(place.rglob("*"))
    with pytest.raises(Exception, match="HF608"):
        hf.spark.write(failing, str(place), overwrite=True)
    assert (sorted(place.rglob("*")), list(tmp_path.iterdir())) == (before, [place])
    place.rename(tmp_path / ".found.before")  # the state after a run that was killed between two renames
    with pytest.raises(UsageProblem, match="HF771"):
        hf.spark.write(found, str(place))
    assert (sorted(place.rglob("*")), list(tmp_path.iterdir())) == (before, [place])


def test_a_folder_without_results_is_not_replaced(found: Recognition, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("all my work", encoding="utf-8")
    for place in (tmp_path, tmp_path / "thesis.txt", "/"):
        with pytest.raises(UsageProblem, match="HF780"):
            hf.spark.write(found, str(place), overwrite=True)
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "all my work"
    with pytest.raises(UsageProblem, match="HF781"):
        hf.spark.write(found, str(tmp_path / "found"), partition_by=["week"])  # type: ignore[list-item]


# -- tables of the catalogue -------------------------------------------------------------------------------------------


def test_tables_of_the_catalogue_are_replaced_together(
    spark: SparkSession, found: Recognition, failing: Recognition, schema: str
) -> None:
    place, names = f"table:{schema}.found", [f"found_{name}" for name in NAMES]

    def tables() -> list[str]:
        return sorted(row.tableName for row in spark.sql(f"SHOW TABLES IN {schema}").collect())

    hf.spark.write(found, place, partition_by=["day"], time_unit="ms")
    assert tables() == names
    with pytest.raises(UsageProblem, match=r"HF771.*sea\.found_tables"):
        hf.spark.write(found, place)
    with pytest.raises(Exception, match="HF608"):
        hf.spark.write(failing, place, overwrite=True)
    assert tables() == names
    assert spark.table(f"{schema}.found_fast").where("day = date'1970-01-01'").count() == 1
    # The state after a run of other rules that was killed between two renames.
    for name in ("tables", "fast"):
        spark.sql(f"ALTER TABLE {schema}.found_{name} RENAME TO {schema}.found_{name}_before")
    spark.sql(f"CREATE TABLE {schema}.found_tables_next AS SELECT 'other' AS table")
    spark.sql(f"CREATE TABLE {schema}.found_other AS SELECT 1 AS x")
    spark.sql(f"CREATE TABLE {schema}.found_gone AS SELECT 1 AS x")
    spark.sql(f"INSERT INTO {schema}.found_tables_before SELECT 'gone', 'fluent', 'gone', 1")
    hf.spark.write(found, place, overwrite=True)
    assert tables() == names
    assert spark.table(f"{schema}.found_fast").columns == ["arg1", "value", "start", "end"]
    assert spark.table(f"{schema}.found_fast").count() == 2


def test_a_table_that_is_not_one_of_results_is_not_replaced(
    spark: SparkSession, found: Recognition, schema: str
) -> None:
    spark.sql(f"CREATE TABLE {schema}.my_fast AS SELECT 1 AS work")
    with pytest.raises(UsageProblem, match=r"HF780.*sea\.my_fast"):
        hf.spark.write(found, f"table:{schema}.my", overwrite=True)
    assert spark.table(f"{schema}.my_fast").columns == ["work"]
    spark.sql(f"DROP TABLE {schema}.my_fast")


def test_a_catalogue_in_memory_is_refused(spark: SparkSession) -> None:
    with pytest.raises(UsageProblem, match="HF782"):
        refuse_in_memory_catalogue(spark)


TIMED = [
    ("2026-03-29T00:59:30Z", "a b", 9),
    ("2026-03-29T01:00:30.250Z", "a b", 1),
    ("2026-10-25T01:30:00Z", "v-1", 9),
]


@pytest.fixture(scope="module")
def timed(spark: SparkSession) -> Iterator[Recognition]:
    """Results with timestamps, around the days on which clocks change."""
    frame = spark.createDataFrame(TIMED, "ts string, vessel string, knots long").selectExpr(
        "to_timestamp(ts) as ts", "vessel", "knots"
    )
    given = (frame, "happensAt(speed(vessel, knots), ts)")
    found = hf.spark.recognise(hf.load_text(RULES), given, buckets=2, time_unit="ms")
    yield found
    found.unpersist()


@pytest.mark.parametrize(("form", "parts"), [("parquet", []), ("parquet", ["day"]), ("csv", []), ("json", [])])
def test_queries_read_the_folders_of_spark(
    timed: Recognition, tmp_path: Path, form: Any, parts: list[Part], capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "found")
    hf.spark.write(timed, place, format=form, partition_by=parts)
    frame = pa.table(dict(zip(("ts", "vessel", "knots"), zip(*TIMED, strict=True), strict=True)))
    frame = frame.set_column(0, "ts", frame["ts"].cast(pa.timestamp("ms", "UTC")))
    given = (frame, "happensAt(speed(vessel, knots), ts)")
    embedded = hf.recognise(hf.load_text(RULES), given, time_unit="ms").to_arrow()
    pq.write_table(embedded, tmp_path / "embedded.parquet")
    goals = (
        "holdsFor(F, I)",
        "happensAt(E, T)",
        "holdsAt(fast(V)=X, '2026-03-29T01:00:00Z')",
        "holdsFor(fast('v-1')=true, I)",
    )
    for goal in goals:
        answers = []
        for results in (place, str(tmp_path / "embedded.parquet")):
            assert main(["query", results, goal, "--format", "csv"]) == 0
            answers.append(sorted(capsys.readouterr().out.splitlines()))
        assert answers[0] == answers[1]
        assert len(answers[0]) > 1, goal
    assert main(["query", f"{place}/fast", "holdsFor(fast(V)=true, I)"]) == 0
    assert "'2026-03-29T01:00:30.251Z'" in capsys.readouterr().out


# -- a database --------------------------------------------------------------------------------------------------------


def test_tables_of_postgresql_are_replaced_in_one_transaction(
    found: Recognition, failing: Recognition, database: PostgreSQL
) -> None:
    def tables() -> list[str]:
        return database.ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")

    names = [f"found_{name}" for name in NAMES]
    hf.spark.write(found, database.url, properties=WHO)
    assert tables() == names
    fast = 'SELECT arg1, value, start, "end" FROM found_fast ORDER BY 1'
    assert database.ask(fast) == [f"ann|true|{DAY - 1}|{DAY + 6}", "bob|true|-2|"]
    with pytest.raises(UsageProblem, match=r"HF771.*found_tables"):
        hf.spark.write(found, database.url, properties=WHO)
    with pytest.raises(Exception, match="HF608"):
        hf.spark.write(failing, database.url, overwrite=True, properties=WHO)
    database.ask("CREATE VIEW fast AS SELECT * FROM found_fast")
    with pytest.raises(Exception, match="other objects depend on it"):
        hf.spark.write(found, database.url, overwrite=True, properties=WHO)
    assert tables() == names
    database.ask("DROP VIEW fast; DELETE FROM found_fast; CREATE TABLE found_old (x int)")
    database.ask("INSERT INTO found_tables VALUES ('old', 'fluent', 'old', 1); CREATE TABLE my_slow (x int)")
    hf.spark.write(found, database.url, overwrite=True, properties=WHO)
    assert (tables(), len(database.ask(fast))) == ([*names, "my_slow"], 2)
    with pytest.raises(UsageProblem, match=r"HF780.*my_slow"):
        hf.spark.write(found, database.url, table="my", overwrite=True, properties=WHO)
    with pytest.raises(UsageProblem, match=r"HF781.*more than 63 bytes"):
        DatabaseTarget(found.spark, database.url, "found", WHO).begin(["m" * 60])


def test_timestamps_of_postgresql_are_moments(spark: SparkSession, timed: Recognition, database: PostgreSQL) -> None:
    before = spark.conf.get("spark.sql.session.timeZone")
    columns = "SELECT data_type FROM information_schema.columns WHERE table_name = '{}_fast' AND column_name = 'start'"
    moments = """SET TIME ZONE 'UTC'; SELECT vessel, start, "end" FROM {}_fast ORDER BY start"""
    try:
        for name, zone in (("athens", "Europe/Athens"), ("utc", "UTC")):
            spark.conf.set("spark.sql.session.timeZone", zone)
            hf.spark.write(timed, database.url, table=name, properties=WHO)
            assert database.ask(columns.format(name)) == ["timestamp with time zone"]
            assert database.ask(moments.format(name)) == [
                "a b|2026-03-29 00:59:30.001+00|2026-03-29 01:00:30.251+00",
                "v-1|2026-10-25 01:30:00.001+00|",
            ]
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(before))


def test_rows_lost_by_a_database_are_detected(found: Recognition, database: PostgreSQL) -> None:
    database.ask("""
        CREATE SCHEMA leaky;
        CREATE FUNCTION leak() RETURNS event_trigger LANGUAGE plpgsql AS $$
        DECLARE made record;
        BEGIN
            FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE schema_name = 'leaky' LOOP
                EXECUTE format('CREATE RULE lost AS ON INSERT TO %s DO INSTEAD NOTHING', made.object_identity);
            END LOOP;
        END $$;
        CREATE EVENT TRIGGER leaking ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION leak();
    """)
    try:
        with pytest.raises(ExecutionProblem, match="the database has 0 rows of `set_aside`, expected 1"):
            hf.spark.write(found, database.url, table="leaky.found", properties=WHO)
    finally:
        database.ask("DROP EVENT TRIGGER leaking")
    assert database.ask("SELECT tablename FROM pg_tables WHERE schemaname = 'leaky'") == []


def test_a_password_comes_from_the_environment_or_a_file_and_is_never_printed(
    spark: SparkSession,
    database: PostgreSQL,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rules, records, properties = tmp_path / "rules.prolog", tmp_path / "records.txt", tmp_path / "who"
    rules.write_text(RULES, encoding="utf-8")
    records.write_text(LINES[0] + "\n", encoding="utf-8")
    properties.write_text(f"# credentials\nuser = tester\npassword = {PASSWORD}\n", encoding="utf-8")
    arguments = ["spark", "run", str(rules), "--input", str(records), "--table", "sent", "-o", database.url]
    monkeypatch.setenv("HOLDSFOR_JDBC_USER", "tester")
    monkeypatch.setenv("HOLDSFOR_JDBC_PASSWORD", "guessed")
    assert main(arguments) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"error[HF620]: results cannot be written to `{database.url}`: ")
    assert "HOLDSFOR_JDBC_PASSWORD" in err
    assert "guessed" not in err
    assert main([*arguments, "--jdbc-properties", str(properties)]) == 0
    assert database.ask("SELECT count(*) FROM sent_fast") == ["1"]


# -- failures ----------------------------------------------------------------------------------------------------------


def test_a_target_that_cannot_be_written_is_reported_in_one_line(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, records = tmp_path / "rules.prolog", tmp_path / "records.txt"
    rules.write_text(RULES, encoding="utf-8")
    records.write_text(LINES[0] + "\n", encoding="utf-8")
    arguments = ["spark", "run", str(rules), "--input", str(records), "--start", "0", "--end", "9", "-o"]
    for place in (f"{records}/found", "nosuch://host/found"):
        assert main([*arguments, place]) == 1
        err = capsys.readouterr().err
        assert err.startswith(f"error[HF620]: results cannot be written to `{place}`: ")
        assert len(err.splitlines()) == 2


def test_a_killed_worker_is_reported_with_the_path_of_the_log(spark: SparkSession, tmp_path: Path) -> None:
    def die(batches: Iterator[Any]) -> Iterator[Any]:
        os._exit(3)

    with pytest.raises(Exception, match="crashed") as problem:
        spark.range(1).mapInArrow(die, "id long").collect()
    failure = failure_of(problem.value, "found", Log(tmp_path / "log"))
    assert failure.exit_code == 1
    assert failure.text.startswith("error[HF621]: Spark could not finish the run: Python worker exited unexpectedly")
    assert "--buckets" in failure.text
    assert f"the full text is in {tmp_path / 'log'}" in failure.text
    assert "PythonRunner.scala" in (tmp_path / "log").read_text(encoding="utf-8")
