"""Untyped constants that never join are warned of, in every kind of run, with counts and an example.

The bug this is for: ids that are integers in one file and floats in another gave an empty answer without a word.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import Diagnostic, MismatchWarning

RULES = """
initiatedAt(moving(V)=true, T) :- happensAt(speed(V, _), T).
terminatedAt(moving(V)=true, T) :- happensAt(speed(V, 0), T).
happensAt(both(V), T) :- happensAt(stop(V), T), holdsAt(moving(V)=true, T), vessel(V, _).
"""
SPEED, STOP = "happensAt(speed(v, k), ts)", "happensAt(stop(v), ts)"


def inputs(folder: Path, speeds: list[Any], stops: list[Any]) -> list[str]:
    """Two CSV files with ids as they are written, and a table of facts with the ids of the first."""
    (folder / "rules.prolog").write_text(RULES)
    (folder / "speeds.csv").write_text("v,k,ts\n" + "".join(f"{each},0,{i}\n" for i, each in enumerate(speeds)))
    (folder / "stops.csv").write_text("v,ts\n" + "".join(f"{each},{i}\n" for i, each in enumerate(stops)))
    (folder / "vessels.csv").write_text("v,type\n" + "".join(f"{each},tug\n" for each in speeds))
    return [f"{folder}/speeds.csv: {SPEED}", f"{folder}/stops.csv: {STOP}"]


def rules(folder: Path) -> hf.RuleSet:
    return hf.load(folder / "rules.prolog").with_facts(folder / "vessels.csv", "vessel(v, type)")


def joins(found: tuple[Diagnostic, ...]) -> list[str]:
    return [each.message for each in found if each.code == "HF325"]


@pytest.mark.parametrize(
    ("speeds", "stops", "shown"),
    [
        ([7, 8], ["7.0", "8.0"], "such as `7.0`"),
        ([7, 8], ["007", "008"], "such as `'007'`"),
        (["ab", "cd"], ["AB", "x"], "such as `'AB'`"),
        (["a", "b"], ["x", "y"], "such as `x`"),
        ([7], ["x"], "such as `x`"),
    ],
)
def test_a_join_of_which_one_side_never_matches_is_warned_of(
    speeds: list[Any], stops: list[Any], shown: str, tmp_path: Path
) -> None:
    given = inputs(tmp_path, speeds, stops)
    found = joins(rules(tmp_path).check(*given))
    assert [message.partition(" never")[0] for message in found] == [
        "`stop(V)` and `moving(V)=true`",
        "`stop(V)` and `vessel(V,_)`",
    ]
    assert all(f"the {len(stops)} constant" in message and shown in message for message in found)
    with pytest.warns(MismatchWarning, match="HF325"):
        hf.recognise(rules(tmp_path), *given)


@pytest.mark.parametrize(
    ("speeds", "stops"),
    [([7, 8], [8, 9]), ([7], [8]), ([*range(100), "x"], [*range(200, 300), "x"]), ([7, 8], [])],
    ids=["one in common", "one id each", "the last in common", "no records"],
)
def test_a_join_that_may_match_is_not_warned_of(speeds: list[Any], stops: list[Any], tmp_path: Path) -> None:
    given = inputs(tmp_path, speeds, stops)
    assert joins(rules(tmp_path).check(*given)) == []


def test_a_union_and_a_complement_may_have_the_constants_of_any_operand() -> None:
    text = """
        initiatedAt(a(V)=true, T) :- happensAt(up(V), T).
        initiatedAt(b(V)=true, T) :- happensAt(down(V), T).
        holdsFor(either(V)=true, I) :- holdsFor(a(V)=true, A), holdsFor(b(V)=true, B), union_all([A, B], I).
        holdsFor(neither(V)=true, I) :- holdsFor(a(V)=true, A), complement_all([A], I).
        happensAt(seen(V), T) :- happensAt(look(V), T), holdsAt(either(V)=true, T).
        happensAt(gone(V), T) :- happensAt(look(V), T), holdsAt(neither(V)=true, T).
    """
    records = [hf.Event(name, v, at=1) for name, vs in {"up": "ab", "down": "cd", "look": "cd"}.items() for v in vs]
    assert joins(hf.load_text(text).check(records)) == []


@pytest.mark.parametrize("options", ["", "--jobs 2", "--window 10", "--window 10 --live"])
def test_every_run_warns_of_ids_of_other_types(
    options: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = inputs(tmp_path, [7, 8], ["7.0", "8.0"])
    facts = f"{tmp_path}/vessels.csv: vessel(v, type)"
    run = ["run", f"{tmp_path}/rules.prolog", "--facts", facts, "--input", *given]
    assert main([*run, *shlex.split(options)]) == 0
    err = capsys.readouterr().err
    assert err.count("warning[HF325]: `stop(V)`") == 1
    assert ", and 1 more" in err
    assert "2 constants" in err or "(2, such as `7.0`)" in err
    assert "holdsfor check" in err


def test_records_on_disk_are_compared_by_their_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdsfor.sources.input_sizes.are_large", lambda _: True)
    given = inputs(tmp_path, [7, 8], ["7.0", "8.0"])
    with pytest.warns(MismatchWarning, match=r"`stop\(V\)` has floats \(2, such as `7.0`\)"):
        hf.recognise(rules(tmp_path), *given, window=10)


def test_misspelt_constants_are_shown_by_runs_and_in_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "happensAt(left(V), T) :- happensAt(move(V, leave-house), T)."
    (tmp_path / "rules.prolog").write_text(text)
    (tmp_path / "moves.txt").write_text("move|1|1|ann|leave-house\n")
    table = pa.table({"v": ["ann"], "how": ["leave-house"], "ts": [1]})
    with pytest.warns(MismatchWarning, match=r"HF324[\s\S]*did you mean `'leave-house'`"):
        hf.recognise(hf.load_text(text), (table, "happensAt(move(v, how), ts)"))
    assert main(["run", f"{tmp_path}/rules.prolog", "--input", f"{tmp_path}/moves.txt"]) == 0
    assert "warning[HF324]: `leave-house` never occurs as argument 2 of `move`" in capsys.readouterr().err


def test_a_run_shows_every_code_of_warnings_once_the_worst_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.prolog").write_text("""
        initiatedAt(a(V)=true, T) :- happensAt(up(V, Kind), T).
        initiatedAt(b(V)=true, T) :- happensAt(up(V, Other), T), holdsAt(c(V)=true, T).
    """)
    (tmp_path / "up.txt").write_text("up|1|1|v|k\n")
    assert main(["run", f"{tmp_path}/rules.prolog", "--input", f"{tmp_path}/up.txt"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line[:14] for line in lines] == ["warning[HF301]", "warning[HF308]", "warning[HF304]"]
    assert [", and 1 more" in line for line in lines] == [False, True, True]
    assert [line.endswith(" explains") for line in lines] == [False, False, True]
