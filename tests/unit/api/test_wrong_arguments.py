"""A wrong argument of the library is a diagnostic; results can be pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.errors import HoldsforError, SetAsideWarning

RULES = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
WIN: Any = hf.Event("win", "chris", at=13)
TABLE = pa.table({"ts": [1], "x": ["a"]})
HALF: Any = "\ud800"


def session() -> hf.Session:
    made = hf.Session(RULES, start=0, window=20)
    made.insert(WIN)
    return made


def result() -> hf.Result:
    return hf.recognise(RULES, WIN)


def with_mapping(named: Any) -> hf.Result:
    return hf.recognise(RULES, (TABLE, named))


WRONG: dict[str, tuple[str, Callable[[], Any]]] = {
    "unit": ("HF715.*`h` is not a unit of time", lambda: hf.recognise(RULES, WIN, time_unit="h")),  # type: ignore[arg-type]
    "unit with a duration": ("HF715", lambda: hf.recognise(RULES, WIN, time_unit="h", window="2h")),  # type: ignore[arg-type]
    "unit of a session": ("HF715", lambda: hf.Session(RULES, time_unit="h")),  # type: ignore[arg-type]
    "zone": ("HF715", lambda: hf.recognise(RULES, WIN, tz=5)),  # type: ignore[arg-type]
    "tick": ("HF701", lambda: hf.recognise(RULES, WIN, tick="5")),  # type: ignore[arg-type]
    "query time": ("HF705.*between -2^62 and 2^62".replace("^", r"\^"), lambda: session().query(2**63)),
    "no time": ("HF705.*found `NoneType`", lambda: result().holds_at(None)),  # type: ignore[arg-type]
    "large time": ("HF705", lambda: result().holds_at(2**80)),
    "no snapshot": ("HF508", lambda: hf.Session.restore(None, RULES)),  # type: ignore[arg-type]
    "text as a snapshot": ("HF508", lambda: hf.Session.restore("text", RULES)),  # type: ignore[arg-type]
    "no path": ("HF508", lambda: hf.Session.load(None, RULES)),  # type: ignore[arg-type]
    "path with half of a character": ("HF508", lambda: hf.Session.load(HALF, RULES)),
    "no rules": ("HF704", lambda: hf.Session.restore(session().snapshot(), None)),  # type: ignore[arg-type]
    "role": ("HF505.*`'ts': 5`", lambda: with_mapping({"ts": 5})),
    "column": ("HF505.*`5: 'start'`", lambda: with_mapping({5: "start"})),
    "half in a name": ("HF502", lambda: hf.recognise(RULES, hf.Event(HALF, "a", at=1))),
    "half in an argument": ("HF502", lambda: hf.recognise(RULES, hf.Event("win", HALF, at=1))),
    "half beside a number": ("HF502", lambda: hf.recognise(RULES, [hf.Event("win", each, at=1) for each in (HALF, 3)])),
    "half in a time": ("HF502", lambda: hf.recognise(RULES, hf.Event("win", "a", at=HALF))),
    "half in a description": ("HF102", lambda: with_mapping(f"happensAt(win('{HALF}'), ts)")),
    "half in a condition": ("HF102", lambda: with_mapping(f"happensAt(win(x), ts), x='{HALF}'")),
    "half in rules": ("HF102", lambda: hf.load_text(f"initiatedAt(r('{HALF}')=true, T) :- happensAt(w, T).")),
    "half in facts of rules": ("HF102", lambda: hf.load_text(f"place('{HALF}').")),
    "half in a fact": ("HF502", lambda: RULES.with_facts([{"name": HALF}], "person(name)")),
    "half in a goal": ("HF102", lambda: result().query(f"X = '{HALF}'")),
    "half in a pattern": ("HF102", lambda: result().holds_for(f"rich('{HALF}')=true")),
    "half in a term": ("HF102", lambda: hf.term(f"'{HALF}'")),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_argument_is_a_diagnostic(case: str) -> None:
    expected, call = WRONG[case]
    with pytest.raises(HoldsforError, match=expected):
        call()


def test_a_line_with_half_of_a_character_is_set_aside() -> None:
    with pytest.warns(SetAsideWarning, match="is not UTF-8"):
        found = hf.recognise(RULES, ["win|1|1|a", f"win|2|2|{HALF}", "win|3|3|b"])
    assert [str(fvp) for fvp in found.holds_for("rich")] == ["rich(a)=true", "rich(b)=true"]


def test_results_and_reports_can_be_pickled() -> None:
    for found in (result(), session().query()):
        answers = found.query("holdsFor(F, I)")
        again = pickle.loads(pickle.dumps(found))
        assert again.to_arrow().equals(found.to_arrow())
        assert again.query("holdsFor(F, I)").equals(answers)
        assert repr(again) == repr(found)


def test_a_database_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    monkeypatch.chdir(tmp_path)
    assert result().to_duckdb(":memory:").execute("SELECT start FROM rich").fetchall() == [(14,)]
    assert list(tmp_path.iterdir()) == []
