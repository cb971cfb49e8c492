"""Records that do not fit: the reasons are grouped, Python warns, and a run may set aside only so many."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem, NoResultWarning, SetAsideWarning, UsageProblem
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
    assert "1 condition without a result" not in err
    assert "2 conditions without a result" in err
    assert main([*run, "--max-set-aside", "5%"]) == 3
    assert "20 of 30 records set aside" in capsys.readouterr().err


# -- missing values ----------------------------------------------------------------------------------------------------


def test_a_missing_value_is_a_constant_if_its_column_may_lack_values() -> None:
    given = trips(3, 9), "happensAt(speed(v, kmh?), ts)"
    with pytest.warns(NoResultWarning, match="expected a number, found `none`"):
        hf.recognise(hf.load_text(RULES), given)
    tested = hf.load_text("happensAt(fast(V), T) :- happensAt(speed(V, Kmh), T), Kmh \\= none, Kmh > 50.")
    assert hf.recognise(tested, given).happens_at("fast(a)") == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    "guard", ["number(Kmh), Kmh > 50", "Kmh \\= unknown, Kmh > 50", "Kind = car, Kmh > 50", "kind(Kind), Kmh > 50"]
)
def test_a_text_that_is_excluded_before_the_arithmetic_is_not_reported(guard: str) -> None:
    rules = hf.load_text(
        f"happensAt(fast(V), T) :- happensAt(speed(V, Kind, Kmh), T), {guard}.\nkind(car).\n"
        "happensAt(seen(V), T) :- happensAt(speed(V, _, _), T)."
    )
    found = hf.recognise(rules, ["speed|1|1|a|car|60", "speed|2|2|b|bike|unknown"])
    assert (found.happens_at("fast(a)"), found.happens_at("seen(b)")) == ([1], [2])
    assert not found.without_result
