"""Results read again from files: the same terms and times as those that the run found."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from holdsfor.cli.main import main
from holdsfor.errors import DataProblem
from holdsfor.query.query_engine import QueryEngine
from holdsfor.query.result_files import read_results
from holdsfor.sinks.table_sets import duckdb
from holdsfor.syntax.printer import show

RULES = """
initiatedAt(seen(X)=Y, T) :- happensAt(see(X, Y), T).
initiatedAt(level(X)=N, T) :- happensAt(measure(X, N), T).
initiatedAt(open(claim(X))=true, T) :- happensAt(see(X, _), T).
happensAt(odd(X), T) :- happensAt(measure(X, N), T), N > 2.
initiatedAt(never(X)=true, T) :- happensAt(measure(X, N), T), N > 1000.
terminatedAt(never(X)=true, T) :- happensAt(measure(X, N), T), N =< 1000.
"""
RECORDS = "see|3|3|a b|7\nsee|4|4|'q'|x(y)\nsee|5|5|7|x\nmeasure|6|6|p|1.5\nmeasure|9|9|p|3\n"
FORMS = [
    "out/",
    "csv/",
    "jsonl/",
    "found.duckdb",
    "found.parquet",
    "found.arrow",
    "found.csv",
    "found.jsonl",
    "found.txt",
]


def output(place: Path, form: str) -> list[str]:
    """The options that write results in a form."""
    chosen = ["--format", form.rstrip("/")] if form in ("csv/", "jsonl/") else []
    return ["-o", f"{place}/{form}", *chosen]


def answers(path: Path, goal: str) -> list[dict[str, str]]:
    engine = QueryEngine(read_results(path))
    return [{name: show(term) for name, term in each.items()} for each in engine.answers(engine.read(goal))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("results")
    (place / "rules.prolog").write_text(RULES, encoding="utf-8")
    (place / "records.txt").write_text(RECORDS, encoding="utf-8")
    for form in FORMS:
        run = ["run", str(place / "rules.prolog"), "--input", str(place / "records.txt")]
        assert main([*run, *output(place, form)]) == 0
    return place


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("goal", ["holdsFor(F, I)", "happensAt(E, T)"])
def test_every_form_has_the_terms_of_the_run(folder: Path, form: str, goal: str) -> None:
    found = answers(folder / form, goal)
    assert found
    assert found == answers(folder / "found.txt", goal)


def test_a_table_without_rows_is_a_known_fluent(folder: Path) -> None:
    assert answers(folder / "out", "holdsFor(never(X)=true, I)") == []
    assert answers(folder / "out", "holdsFor(never(p)=true, I)") == [{"I": "[]"}]


def test_a_file_of_a_folder_is_read_alone(folder: Path) -> None:
    found = answers(folder / "csv" / "seen.csv", "holdsFor(F, I)")
    assert found == answers(folder / "out" / "seen.parquet", "holdsFor(F, I)")


def test_tables_of_single_fluents_need_their_description(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "seen.csv").write_bytes((folder / "csv" / "seen.csv").read_bytes())
    with pytest.raises(Exception, match=r"need the file `_tables\.json`"):
        read_results(tmp_path)


def test_other_databases_and_broken_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.duckdb").write_text("no database", encoding="utf-8")
    with pytest.raises(DataProblem, match=r"HF515.*not a database of DuckDB"):
        read_results(tmp_path / "text.duckdb")
    with duckdb().connect(str(tmp_path / "other.duckdb")) as connection:
        connection.execute("CREATE TABLE numbers AS SELECT 1 AS n")
    with pytest.raises(DataProblem, match="no table of the database is a table of results"):
        read_results(tmp_path / "other.duckdb")


@pytest.fixture(scope="module")
def hot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("timestamps") / "hot"
    assert main(["init", str(place)]) == 0
    for form in FORMS:
        assert main(["run", "--config", str(place / "holdsfor.toml"), *output(place, form)]) == 0
    return place


@pytest.mark.parametrize("form", FORMS)
def test_timestamps_are_asked_and_answered_as_text(hot: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    goal = "holdsAt(hot(M)=true, '2026-03-02T08:11:00Z'), holdsFor(hot(M)=true, I), intDurGreater(I, 400, J)"
    capsys.readouterr()
    assert main(["query", str(hot / form), goal]) == 0
    lathe, press = capsys.readouterr().out.splitlines()
    assert lathe == "M = lathe, I = [('2026-03-02T08:06:01Z','2026-03-02T08:11:01Z')], J = []"
    assert press.endswith("J = [('2026-03-02T08:05:01Z','2026-03-02T08:40:01Z')]")


def test_timestamps_are_timestamps_in_tables(hot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    goal = "holdsFor(alarm(M)=true, I), member((S,E), I)"
    table = QueryEngine(read_results(hot / "out")).table(goal)
    time = pa.timestamp("s", "UTC")
    assert table.schema.field("S").type == table.schema.field("E").type == time
    assert table.schema.field("I").type == pa.list_(pa.struct([("start", time), ("end", time)]))
    capsys.readouterr()
    assert main(["query", str(hot / "out"), goal, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith(",2026-03-02T08:05:01Z,2026-03-02T08:30:01Z")


def test_intervals_of_a_goal_may_be_texts(hot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    day = "[('2026-03-02T08:08:00Z',inf)]"
    assert main(["query", str(hot / "out"), f"holdsFor(hot(lathe)=true, I), intersect_all([I,{day}], J)"]) == 0
    assert capsys.readouterr().out.endswith("J = [('2026-03-02T08:08:00Z','2026-03-02T08:11:01Z')]\n")
    assert main(["query", str(hot / "out"), "holdsAt(F, 'yesterday')"]) == 2
    assert "error[HF603]" in capsys.readouterr().err


def test_durations_and_dates_have_the_unit_of_the_results(hot: Path, folder: Path) -> None:
    assert (
        answers(hot / "out", "holdsFor(hot(M)=true, I), intDurGreater(I, 30*minutes, J), J \\= []")[0]["M"] == "press"
    )
    late = "holdsFor(hot(M)=true, I), member((S,E), I), hour_of_day(S, H), E - S > 4*minutes + 1*second"
    assert [each["H"] for each in answers(hot / "out", late)] == ["8", "8"]
    with pytest.raises(Exception, match="HF631"):
        answers(folder / "out", "holdsFor(seen(X)=V, I), intDurGreater(I, 30*minutes, J)")


def test_brackets_that_are_nested_too_deeply_are_an_error_with_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nested, rules = "[" * 10_000, tmp_path / "rules.ecf"
    rules.write_text(RULES)
    doors = {
        "found.jsonl": ["query", "found.jsonl", "holdsAt(F, 1)"],
        "areas.geojson": ["run", str(rules), "--areas", "areas.geojson"],
        "run.toml": ["run", "--config", "run.toml"],
    }
    for name, arguments in doors.items():
        (tmp_path / name).write_text(f"rules = {nested}" if name == "run.toml" else nested)
        code = main([str(tmp_path / name) if each == name else each for each in arguments])
        shown = capsys.readouterr().err
        assert (code, name in shown, "Traceback" in shown) == (2, True, False), shown
