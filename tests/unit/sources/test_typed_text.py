"""Text of a typed column stays text; text that the rules use as numbers is refused before the run.

The bug this is for: ids such as `4e12` and `40e11` of a Parquet column became one entity.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom

IDS = ["4e12", "40e11", "1.50", "1.5", " a", "a", "a ", "003", "3", "f(a)", "'q'", "", "-7", "Élan", "x|y"]
SEEN = hf.load_text("initiatedAt(seen(X)=true, T) :- happensAt(see(X), T).")
OWN = "happensAt(see(id), ts)"


def ids_of(result: Any) -> set[str]:
    return {show(fvp) for fvp in result.intervals}


EXPECTED = {show(hf.term(f"seen({show(Atom(each))})=true")) for each in IDS}


def test_text_of_every_typed_source_is_an_atom(tmp_path: Path) -> None:
    own = pa.table({"id": IDS, "ts": range(len(IDS))})
    table = pa.table({"name": ["see"] * len(IDS), "start": range(len(IDS)), "arg1": IDS})
    pyarrow.parquet.write_table(own, tmp_path / "ids.parquet")
    lines = [json.dumps({"id": each, "ts": i}) for i, each in enumerate(IDS)]
    (tmp_path / "ids.jsonl").write_text("\n".join(lines))
    records = [{"name": "see", "time": i, "args": [each]} for i, each in enumerate(IDS)]
    (tmp_path / "records.jsonl").write_text(
        "\n".join(map(json.dumps, [*records, {"name": "x", "time": 1, "args": [3]}]))
    )
    for given in (
        table,
        table.set_column(2, "arg1", table["arg1"].combine_chunks().dictionary_encode()),
        (own, OWN),
        (own.to_pandas(), OWN),
        f"{tmp_path / 'ids.parquet'}: {OWN}",
        f"{tmp_path / 'ids.jsonl'}: {OWN}",
        tmp_path / "records.jsonl",
        [hf.Event("see", each, at=i) for i, each in enumerate(IDS)],
    ):
        assert ids_of(hf.recognise(SEEN, given)) == EXPECTED


def test_text_and_numbers_of_one_column_are_different_constants(tmp_path: Path) -> None:
    (tmp_path / "ids.jsonl").write_text('{"id": "3", "ts": 1}\n{"id": 3, "ts": 2}\n{"id": 3.0, "ts": 3}\n')
    expected = {"seen('3')=true", "seen(3)=true", "seen(3.0)=true"}
    assert ids_of(hf.recognise(SEEN, f"{tmp_path / 'ids.jsonl'}: {OWN}")) == expected
    objects = [hf.Event("see", "3", at=1), hf.Event("see", 3, at=2), hf.Event("see", 3.0, at=3)]
    assert ids_of(hf.recognise(SEEN, objects)) == expected


def test_fields_of_csv_are_numbers_unless_the_mapping_says_text(tmp_path: Path) -> None:
    (tmp_path / "ids.csv").write_text("id,ts\n1.50,1\n1.5,2\n003,3\n7,4\n")
    file = str(tmp_path / "ids.csv")
    plain = {"seen(1.5)=true", "seen('003')=true", "seen(7)=true"}
    assert ids_of(hf.recognise(SEEN, f"{file}: {OWN}")) == plain
    texts = {"seen('1.50')=true", "seen('1.5')=true", "seen('003')=true", "seen('7')=true"}
    assert ids_of(hf.recognise(SEEN, f"{file}: happensAt(see(id:text), ts)")) == texts
    numbers = {"seen(1.5)=true", "seen(3)=true", "seen(7)=true"}
    assert ids_of(hf.recognise(SEEN, f"{file}: happensAt(see(id:number), ts)")) == numbers
    (tmp_path / "records.csv").write_text("name,time,arg1:text\nsee,1,1.50\nsee,2,1.5\n")
    assert ids_of(hf.recognise(SEEN, tmp_path / "records.csv")) == {"seen('1.50')=true", "seen('1.5')=true"}


def test_a_kind_converts_texts_and_numbers() -> None:
    table = pa.table({"id": ["3", " 2.50", "+7", "x", None, "1e999"], "n": [1, 2, 3, 4, 5, 6], "ts": range(6)})
    result = hf.recognise(SEEN, (table, "happensAt(see(id:number), ts)"))
    assert ids_of(result) == {"seen(3)=true", "seen(2.5)=true", "seen(7)=true"}
    assert [(each.line, each.reason) for each in result.reading.set_aside] == [
        (4, "expected a number as `id`, found `x`"),
        (5, "`id` is null"),
        (6, "expected a number as `id`, found `1e999`"),
    ]
    assert "seen('6')=true" in ids_of(hf.recognise(SEEN, (table, "happensAt(see(n:text), ts)")))
    assert "seen(3)=true" in ids_of(hf.recognise(SEEN, (table.slice(0, 1), "happensAt(see(id:term), ts)")))
    named = table.slice(0, 1).append_column("name", pa.array(["see"]))
    roles = {"name": "name", "ts": "time", "id": "arg1:number"}
    assert ids_of(hf.recognise(SEEN, (named, roles))) == {"seen(3)=true"}


COMPUTING = {
    "a comparison": "initiatedAt(fast(V)=true, T) :- happensAt(speed(V, K), T), K > 50.",
    "arithmetic": "initiatedAt(at(V)=D, T) :- happensAt(speed(V, K), T), D is K * 2.",
    "a negation": "initiatedAt(fast(V)=true, T) :- happensAt(speed(V, K), T), \\+ K =< 50.",
    "a number in the rule": "initiatedAt(fast(V)=true, T) :- happensAt(speed(V, 60), T).",
    "an equation": "initiatedAt(fast(V)=true, T) :- happensAt(speed(V, K), T), K = 60.",
    "facts": "limit(60). limit(70). initiatedAt(fast(V)=true, T) :- happensAt(speed(V, K), T), limit(K).",
    "a clause": "high(K) :- K > 50. initiatedAt(fast(V)=true, T) :- happensAt(speed(V, K), T), high(K).",
    "another rule": (
        "happensAt(measured(V, K), T) :- happensAt(speed(V, K), T). "
        "initiatedAt(fast(V)=true, T) :- happensAt(measured(V, K), T), K > 50."
    ),
    "a sum": (
        "initiatedAt(total(V)=S, T) :- happensAt(stop(V), T), aggregate_all(sum(K), happensAt(speed(V, K), T), S)."
    ),
}


@pytest.mark.parametrize("rule", COMPUTING.values(), ids=list(COMPUTING))
def test_a_text_column_that_is_used_as_numbers_is_refused(rule: str, tmp_path: Path) -> None:
    rules = hf.load_text(rule)
    own = pa.table({"vehicle": ["v1"], "kmh": ["60"], "ts": [1]})
    with pytest.raises(
        DataProblem, match=r"HF507.*column `kmh` of `speed/2` is text[^`]*`[\s\S]*`kmh:(number|integer)`"
    ):
        hf.recognise(rules, (own, "happensAt(speed(vehicle, kmh), ts)"))
    with pytest.raises(DataProblem, match=r"HF507"):
        hf.recognise(rules, (own.slice(0, 0), "happensAt(speed(vehicle, kmh), ts)"))
    assert hf.recognise(rules, (own, "happensAt(speed(vehicle, kmh:number), ts)")).reading.set_aside == []
    with pytest.raises(DataProblem, match=r"HF507.*column `arg2` of `speed/2` is text[^`]*`[\s\S]*`arg2:number`"):
        hf.recognise(rules, pa.table({"name": ["speed"], "start": [1], "arg1": ["v1"], "arg2": ["60"]}))
    with pytest.raises(DataProblem, match="HF507"):
        hf.recognise(rules, hf.Event("speed", "v1", "60", at=1))
    (tmp_path / "speeds.jsonl").write_text('{"name": "speed", "time": 1, "args": ["v1", "60"]}\n')
    with pytest.raises(DataProblem, match="HF507"):
        hf.recognise(rules, tmp_path / "speeds.jsonl")


def test_text_where_the_rules_use_text_and_numbers_needs_terms() -> None:
    rules = hf.load_text("""
        initiatedAt(g(V)=one, T) :- happensAt(gear(V, 1), T).
        initiatedAt(g(V)=none, T) :- happensAt(gear(V, neutral), T).
    """)
    own = pa.table({"vehicle": ["v1", "v2"], "gear": ["1", "neutral"], "ts": [1, 1]})
    with pytest.raises(DataProblem, match="`gear:term`"):
        hf.recognise(rules, (own, "happensAt(gear(vehicle, gear), ts)"))
    result = hf.recognise(rules, (own, "happensAt(gear(vehicle, gear:term), ts)"))
    assert ids_of(result) == {"g(v1)=one", "g(v2)=none"}


def test_ids_outside_arithmetic_stay_text() -> None:
    rules = hf.load_text("""
        vesselType(v1, tanker). vesselType('257', fishing). limit(tanker, 10). limit(fishing, 5).
        initiatedAt(fast(V)=true, T) :- happensAt(speed(V, K), T), vesselType(V, Type), limit(Type, L), K > L.
        initiatedAt(level(V)=0, T) :- happensAt(stop(V), T).
        initiatedAt(level(V)=L, T) :- happensAt(set(V, L), T).
    """)
    own = pa.table({"vessel": ["257", "v1"], "knots": [6.5, 6.5], "ts": [1, 1]})
    assert ids_of(hf.recognise(rules, (own, "happensAt(speed(vessel, knots), ts)"))) == {"fast('257')=true"}


def test_an_unknown_kind_is_an_error() -> None:
    table = pa.table({"id": ["a"], "ts": [1]})
    with pytest.raises(DataProblem, match=r"expected the kind of a column[\s\S]*`id:number`"):
        hf.recognise(SEEN, (table, "happensAt(see(id:int), ts)"))
    with pytest.raises(DataProblem, match="column with times"):
        hf.recognise(SEEN, (table, "happensAt(see(id), ts:number)"))


def test_text_for_numbers_is_an_error_beside_valid_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.prolog").write_text(COMPUTING["a comparison"], encoding="utf-8")
    (tmp_path / "speeds.txt").write_text("speed|1|1|v1|60\n", encoding="utf-8")
    pyarrow.parquet.write_table(pa.table({"v": ["v1"], "kmh": ["60"], "ts": [1]}), tmp_path / "speeds.parquet")
    own = f"{tmp_path}/speeds.parquet: happensAt(speed(v, kmh), ts)"
    assert main(["run", f"{tmp_path}/rules.prolog", "--input", f"{tmp_path}/speeds.txt", own]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "error[HF507]" in err


def test_facts_of_an_unrelated_rule_do_not_make_ids_numbers() -> None:
    rules = hf.load_text("""
        room(1). room(2).
        initiatedAt(open(X)=true, T) :- happensAt(morning, T), room(X).
        initiatedAt(open(X)=true, T) :- happensAt(enter(X), T).
        initiatedAt(known(X)=true, T) :- happensAt(check(X), T), room(X).
    """)
    own = pa.table({"id": ["lobby"], "ts": [1]})
    assert ids_of(hf.recognise(rules, (own, "happensAt(enter(id), ts)"))) == {"open(lobby)=true"}
    with pytest.raises(DataProblem, match=r"a rule joins `check\(X\)` with `room\(X\)`"):
        hf.recognise(rules, (own, "happensAt(check(id), ts)"))


JOINING = {
    "two events": "happensAt(o(V), T) :- happensAt(speed(V, _), T), happensAt(stop(V), T).",
    "a negation": "happensAt(o(V), T) :- happensAt(speed(V, _), T), \\+ happensAt(stop(V), T).",
    "a termination": (
        "initiatedAt(moving(V)=true, T) :- happensAt(speed(V, _), T). "
        "terminatedAt(moving(V)=true, T) :- happensAt(stop(V), T)."
    ),
    "a derived fluent": (
        "initiatedAt(moving(V)=true, T) :- happensAt(speed(V, _), T). "
        "happensAt(o(V), T) :- happensAt(stop(V), T), holdsAt(moving(V)=true, T)."
    ),
    "an intersection": (
        "initiatedAt(moving(V)=true, T) :- happensAt(speed(V, _), T). "
        "initiatedAt(stopped(V)=true, T) :- happensAt(stop(V), T). "
        "holdsFor(o(V)=true, I) :- holdsFor(moving(V)=true, A), holdsFor(stopped(V)=true, B), intersect_all([A, B], I)."
    ),
}
NOT_JOINING = {
    "a choice": "happensAt(o(V), T) :- (happensAt(speed(V, _), T) ; happensAt(stop(V), T)).",
    "a union": (
        "initiatedAt(moving(V)=true, T) :- happensAt(speed(V, _), T). "
        "initiatedAt(stopped(V)=true, T) :- happensAt(stop(V), T). "
        "holdsFor(o(V)=true, I) :- holdsFor(moving(V)=true, A), holdsFor(stopped(V)=true, B), union_all([A, B], I)."
    ),
    "a fluent of both": (
        "initiatedAt(known(V)=true, T) :- happensAt(speed(V, _), T). "
        "initiatedAt(known(V)=true, T) :- happensAt(stop(V), T). "
        "happensAt(o(V), T) :- happensAt(stop(V), T), holdsAt(known(V)=true, T)."
    ),
    "other places": "happensAt(o(V), T) :- happensAt(speed(_, V), T), happensAt(stop(V), T).",
}
SPEEDS = pa.table({"vehicle": [7, 8], "kmh": ["60", "x"], "ts": [1, 2]})
STOPS = pa.table({"vehicle": ["7", "8"], "ts": [1, 2]})


def joined(rule: str, stops: str = "vehicle") -> hf.Result:
    inputs = [(SPEEDS, "happensAt(speed(vehicle, kmh), ts)"), (STOPS, f"happensAt(stop({stops}), ts)")]
    return hf.recognise(hf.load_text(rule), *inputs)


@pytest.mark.parametrize("rule", JOINING.values(), ids=list(JOINING))
def test_a_text_column_that_is_joined_with_numbers_of_another_input_is_refused(rule: str, tmp_path: Path) -> None:
    with pytest.raises(DataProblem, match=r"HF507.*column `vehicle` of `stop/1` is text[\s\S]*`vehicle:integer`"):
        joined(rule)
    assert joined(rule, "vehicle:number").reading.set_aside == []
    (tmp_path / "speeds.txt").write_text("speed|1|1|7|60\n")
    with pytest.raises(DataProblem, match="HF507"):
        hf.recognise(hf.load_text(rule), tmp_path / "speeds.txt", (STOPS, "happensAt(stop(vehicle), ts)"))


@pytest.mark.parametrize("rule", NOT_JOINING.values(), ids=list(NOT_JOINING))
def test_text_and_numbers_that_no_rule_joins_are_accepted(rule: str) -> None:
    assert joined(rule).reading.set_aside == []


SPEED = hf.Event("speed", 7, "60", at=1)
STOP = hf.Event("stop", "7", at=1)


@pytest.mark.parametrize("rule", JOINING.values(), ids=list(JOINING))
def test_a_session_refuses_the_insertion_that_joins_text_with_numbers(rule: str) -> None:
    for first, second in ((SPEED, STOP), (STOP, SPEED)):
        session = hf.Session(hf.load_text(rule), start=0, window=10)
        assert session.insert(first).n_records == 1
        session.query()
        session = hf.Session.restore(session.snapshot(), hf.load_text(rule))
        with pytest.raises(DataProblem, match=r"HF507.*column `arg1` of `stop/1` is text[\s\S]*give numbers"):
            session.insert(second)
        assert session.n_records == 1
        session.insert(first)


def test_a_session_accepts_a_place_with_text_and_numbers() -> None:
    rules = hf.load_text(JOINING["two events"])
    session = hf.Session(rules, start=0, window=10)
    session.insert([STOP, hf.Event("stop", 7, at=1)])
    session.insert(SPEED)
    session = hf.Session.restore(session.snapshot(), rules)
    session.insert(STOP)
    assert session.query().happens_at("o(7)") == [1]


@pytest.mark.parametrize("rule", NOT_JOINING.values(), ids=list(NOT_JOINING))
def test_a_session_accepts_text_and_numbers_that_no_rule_joins(rule: str) -> None:
    session = hf.Session(hf.load_text(rule), start=0, window=10)
    session.insert(SPEED)
    session.insert(STOP)


@pytest.mark.parametrize("options", [["--engine", "reference"], [], ["--live", "--window", "10", "--step", "5"]])
def test_every_engine_refuses_text_that_is_joined_with_numbers(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.prolog").write_text(JOINING["two events"], encoding="utf-8")
    (tmp_path / "stops.jsonl").write_text('{"name": "stop", "time": 1, "args": ["7"]}\n')
    (tmp_path / "speeds.txt").write_text("speed|1|1|v1|60\nspeed|1|2|v1|60\n")
    given = [
        "run",
        f"{tmp_path}/rules.prolog",
        *options,
        "--input",
        f"{tmp_path}/speeds.txt",
        f"{tmp_path}/stops.jsonl",
    ]
    assert main(given) == 0
    (tmp_path / "speeds.txt").write_text("speed|1|1|7|60\nspeed|1|2|8|60\n")
    assert main(given) == 2
    assert "error[HF507]: column `arg1` of `stop/1` is text, but a rule joins" in capsys.readouterr().err
