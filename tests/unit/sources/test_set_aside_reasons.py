"""Records that do not fit: the reasons are grouped, Python warns, and a run may set aside only so many."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, SetAsideWarning, UsageProblem
from holdsfor.sources.inputs import read_inputs
from holdsfor.sources.set_aside_reasons import SetAsideLimit

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V, Kmh), T), Kmh > 50.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V, Kmh), T), Kmh =< 50.
"""
SPEED = "happensAt(speed(v, kmh), ts)"


def trips(n_null: int, n: int) -> pa.Table:
    return pa.table({"ts": range(n), "v": ["a"] * n, "kmh": [None if i < n_null else 60.0 for i in range(n)]})


def test_python_warns_with_the_grouped_reasons() -> None:
    with pytest.warns(SetAsideWarning, match=r"3 of 9 records set aside: 3 × `kmh` is null \(table:1\)"):
        hf.recognise(hf.load_text(RULES), (trips(3, 9), SPEED))


def test_a_run_in_which_all_records_are_set_aside_is_an_error() -> None:
    with pytest.raises(DataProblem, match="all 9 records set aside: 9 × `kmh` is null"):
        hf.recognise(hf.load_text(RULES), (trips(9, 9), SPEED))
    with pytest.warns(SetAsideWarning):
        assert not hf.recognise(hf.load_text(RULES), (trips(9, 9), SPEED), max_set_aside="100%").intervals


@pytest.mark.parametrize(("limit", "fits"), [("33.4%", True), ("33%", False), (3, True), ("2", False), (0.5, True)])
def test_more_records_than_the_limit_are_an_error(limit: str | float, fits: bool) -> None:
    assert SetAsideLimit.of(limit).allows(3, 9) == fits


@pytest.mark.parametrize("limit", ["few", "101%", -1, 1.5, True, "-5%", "5 %%"])
def test_another_limit_is_refused(limit: str | float) -> None:
    with pytest.raises(UsageProblem, match="not a limit"):
        SetAsideLimit.of(limit)


def test_the_summary_groups_reasons_and_the_exit_code_is_3_for_too_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    cells = ["" if i % 3 else f"x{i}" if i % 2 else "60" for i in range(30)]
    rows = "".join(f"{i},a,{cell}\n" for i, cell in enumerate(cells))
    (tmp_path / "s.csv").write_text(f"ts,v,kmh\n{rows}", encoding="utf-8")
    run = ["run", str(tmp_path / "r.prolog"), "--input", f"{tmp_path / 's.csv'}: {SPEED}"]
    assert main(run) == 0
    err = capsys.readouterr().err
    assert "20 × `kmh` is null (first: " in err
    assert "5 × expected a number as `kmh` (first: " in err
    assert main([*run, "--max-set-aside", "5%"]) == 3
    assert "25 of 30 records set aside" in capsys.readouterr().err


# -- text in a field that rules compute with ---------------------------------------------------------------------------


def test_one_dirty_cell_sets_its_record_aside(tmp_path: Path) -> None:
    """In every format, in windows and in a session; the other records keep their answer."""
    text, table = tmp_path / "s.txt", tmp_path / "s.csv"
    text.write_text("speed|1|1|a|60\nspeed|2|2|a|n/a\nspeed|4|4|a|40\n", encoding="utf-8")
    table.write_text("ts,v,kmh\n1,a,60\n2,a,n/a\n4,a,40\n", encoding="utf-8")
    rules = hf.load_text(RULES)
    for data in (str(text), f"{table}: {SPEED}", text.read_text(encoding="utf-8").splitlines()):
        for window in (None, 2):
            found = hf.recognise(rules, data, window=window)
            assert found.holds_for("fast(a)=true") == [(2, 5)]
            assert [each.line for each in found.reading.set_aside] == [3 if "csv" in str(data) else 2]
    session = hf.Session(rules, start=0, window=10)
    done = session.insert([hf.Event("speed", "a", 60, at=1), hf.Event("speed", "a", "n/a", at=2)])
    assert [each.reason for each in done.set_aside] == ["expected a number as `arg2`, found `'n/a'`"]


def test_all_records_of_a_block_may_be_set_aside_in_a_reading_on_disk(tmp_path: Path) -> None:
    file = tmp_path / "s.txt"
    file.write_text("speed|1|1|a|n/a\nspeed|2|2|a|n/a\n", encoding="utf-8")
    reading = read_inputs([str(file)], hf.load_text(RULES).names, 1, Symbols(), on_disk=True)
    assert (reading.n_records, len(reading.set_aside)) == (2, 2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_record_with_text_where_a_rule_computes_is_set_aside_for_all_rules(jobs: int, tmp_path: Path) -> None:
    """The rules decide, and not which of them reads the record."""
    rules = hf.load_text(RULES + "happensAt(seen(V), T) :- happensAt(speed(V, _), T).")
    file = tmp_path / "s.csv"
    file.write_text("ts,v,kmh\n1,a,60\n2,a,n/a\n4,a,40\n", encoding="utf-8")
    found = hf.recognise(rules, f"{file}: {SPEED}", jobs=jobs)
    assert (found.happens_at("seen(a)"), found.holds_for("fast(a)=true")) == ([1, 4], [(2, 5)])
    assert [(each.line, each.reason) for each in found.reading.set_aside] == [
        (3, "expected a number as `kmh`, found `'n/a'`")
    ]


@pytest.mark.parametrize("options", [["--jobs", "1"], ["--jobs", "2"], ["--window", "4"], ["--engine", "reference"]])
def test_a_text_that_a_rule_expects_is_kept_and_the_error_names_the_record(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = RULES + "happensAt(silent(V), T) :- happensAt(speed(V, unknown), T)."
    (tmp_path / "r.prolog").write_text(rules, encoding="utf-8")
    rows = "".join(f"{i},v{i},{'unknown' if i == 38 else 60}\n" for i in range(1, 40))
    (tmp_path / "s.csv").write_text(f"ts,v,kmh\n{rows}", encoding="utf-8")
    run = ["run", str(tmp_path / "r.prolog"), "--input", f"{tmp_path / 's.csv'}: {SPEED}", *options]
    assert main(run) == 2
    err = capsys.readouterr().err
    assert "error[HF603]: expected a number, found `unknown`" in err
    if options != ["--engine", "reference"]:
        assert f"the record is line 39 of `{tmp_path / 's.csv'}`: `38,v38,unknown`" in err


def test_a_missing_value_with_which_a_rule_computes_sets_its_record_aside() -> None:
    """`kmh?` keeps the record if a rule tests for `none`, else the record is set aside like `n/a`."""
    given = trips(3, 9), "happensAt(speed(v, kmh?), ts)"
    with pytest.warns(SetAsideWarning, match="3 × expected a number as `kmh`"):
        hf.recognise(hf.load_text(RULES), given)
    tested = hf.load_text("happensAt(fast(V), T) :- happensAt(speed(V, Kmh), T), Kmh \\= none, Kmh > 50.")
    assert hf.recognise(tested, given).happens_at("fast(a)") == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    "guard", ["number(Kmh), Kmh > 50", "Kmh \\= unknown, Kmh > 50", "Kind = car, Kmh > 50", "kind(Kind), Kmh > 50"]
)
def test_guarded_text_is_no_error_and_is_kept_if_a_rule_reads_it(guard: str) -> None:
    rules = hf.load_text(
        f"happensAt(fast(V), T) :- happensAt(speed(V, Kind, Kmh), T), {guard}.\nkind(car).\n"
        "happensAt(seen(V), T) :- happensAt(speed(V, _, _), T)."
    )
    found = hf.recognise(rules, ["speed|1|1|a|car|60", "speed|2|2|b|bike|unknown"])
    assert (found.happens_at("fast(a)"), found.happens_at("seen(b)")) == ([1], [2])
