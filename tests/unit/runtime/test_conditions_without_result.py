"""A condition without a result: it fails for its binding, other rules keep the record, and it is named once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import ExecutionProblem, NoResultWarning, ParallelismWarning
from holdsfor.parallel.processes import job, parts
from holdsfor.syntax.printer import show
from tests.properties.simulated_pool import SimulatedPool
from tests.unit.runtime.cases import Example

RECORDS = ("m|1|a|5", "m|2|b|n/a", "m|3|c|0", "m|4|a|-2", "m|5|d|2.5", "m|6|b|x")
"""Texts, zero, a negative number and a fraction."""
SEEN = "happensAt(seen(E), T) :- happensAt(m(E, _), T).\n"
ALL_SEEN = {"seen(a)": [1, 4], "seen(b)": [2, 6], "seen(c)": [3], "seen(d)": [5]}
AREAS = """area(port, 'POLYGON ((-5 -5, 4 -5, 4 4, -5 4, -5 -5))')."""


@dataclass(frozen=True)
class Form:
    """A body over `X`, the entities that satisfy it, and the condition that is named, with its example."""

    body: str
    found: dict[str, list[int]]
    condition: str
    example: str
    clauses: str = ""

    @property
    def rules(self) -> str:
        return f"{SEEN}happensAt(e(E), T) :- happensAt(m(E, X), T), {self.body}.\n{self.clauses}"


TEXT = "expected a number, found `n/a`"
NUMBERS = {"e(a)": [1, 4], "e(c)": [3], "e(d)": [5]}
FORMS = {
    "comparison": Form("X > 1", {"e(a)": [1], "e(d)": [5]}, "X > 1", f"{TEXT} in `'n/a'>1`"),
    "equality": Form("X =:= 0", {"e(c)": [3]}, "X =:= 0", f"{TEXT} in `'n/a'=:=0`"),
    "is": Form("Y is X + 1, Y > 3", {"e(a)": [1], "e(d)": [5]}, "Y is X + 1", f"{TEXT} in `_ is 'n/a'+1`"),
    "division by zero": Form(
        "number(X), 10 / X > 3", {"e(d)": [5]}, "10 / X > 3", "division by zero in `10/0>3`"
    ),
    "division by zero in a clause": Form(
        "p(X)", {"e(a)": [1]}, "Y is 1 / 0", "division by zero in `_ is 1/0`", "p(5). p(_) :- Y is 1 / 0, Y > 0."
    ),
    "mod": Form(
        "number(X), X mod 2 =:= 0", {"e(a)": [4], "e(c)": [3]}, "X mod 2 =:= 0", "found `2.5` in `2.5 mod 2=:=0`"
    ),
    "root": Form("number(X), sqrt(X) > 2", {"e(a)": [1]}, "sqrt(X) > 2", "the result is undefined in `sqrt(-2)>2`"),
    "logarithm": Form("number(X), log(X) > 1", {"e(a)": [1]}, "log(X) > 1", "is undefined in `log(-2)>1`"),
    "overflow": Form(
        "number(X), exp(X * 1000) < 1", {"e(a)": [4]}, "exp(X * 1000) < 1", "too large for a float in `exp(2.5*1000)<1`"
    ),
    "truncate": Form(
        "truncate(X) > 1", {"e(a)": [1], "e(d)": [5]}, "truncate(X) > 1", f"{TEXT} in `truncate('n/a')>1`"
    ),
    "plus": Form("number(X), plus(X, 1, Y), Y > 3", {"e(a)": [1]}, "plus(X, 1, Y)", "an integer, found `2.5`"),
    "succ": Form("integer(X), succ(X, 6)", {"e(a)": [1]}, "succ(X, 6)", "expected a natural number, found `-2`"),
    "between": Form("between(0, 9, X)", {"e(a)": [1], "e(c)": [3]}, "between(0, 9, X)", "an integer, found `2.5`"),
    "distance": Form(
        "distance(X, 0, 0, 0, D), D > 300000", {"e(a)": [1]}, "distance(X, 0, 0, 0, D)", "expected a number"
    ),
    "sum_list": Form("sum_list([X, 1], S), S > 3", {"e(a)": [1], "e(d)": [5]}, "sum_list([X, 1], S)", TEXT),
    "max_list": Form("max_list([X, 1], M), M > 3", {"e(a)": [1]}, "max_list([X, 1], M)", TEXT),
    "nth0": Form("nth0(X, [a, b], Y), Y = a", {"e(c)": [3]}, "nth0(X, [a, b], Y)", "an integer, found `2.5`"),
    "length": Form("length(L, X), L = []", {"e(c)": [3]}, "length(L, X)", "an integer, found `2.5`"),
    "length of no list": Form("length(X, N), N > 0", {}, "length(X, N)", "expected a list, found `-2`"),
    "msort": Form("msort(X, L), L = []", {}, "msort(X, L)", "expected a list, found `-2`"),
    "arg": Form("arg(1, X, Y), Y = 1", {}, "arg(1, X, Y)", "expected a structure, found `-2`"),
    "clause": Form("big(X)", {"e(a)": [1], "e(d)": [5]}, "Y > 1", f"{TEXT} in `'n/a'>1`", "big(Y) :- Y > 1."),
    "recursive clause": Form(
        "down(X)", {"e(a)": [1], "e(c)": [3]}, "Y > 0", f"{TEXT} in `'n/a'>0`",
        "down(0). down(Y) :- Y > 0, Z is Y - 1, down(Z).",
    ),
    "negation": Form(
        "\\+ X > 1", {"e(a)": [4], "e(b)": [2, 6], "e(c)": [3]}, "X > 1", f"{TEXT} in `'n/a'>1`"
    ),
    "negation of a clause": Form(
        "\\+ big(X)", {"e(a)": [4], "e(b)": [2, 6], "e(c)": [3]}, "Y > 1", f"{TEXT} in `'n/a'>1`", "big(Y) :- Y > 1."
    ),
    "disjunction": Form(
        "(X > 1 ; X = x)", {"e(a)": [1], "e(b)": [6], "e(d)": [5]}, "X > 1", f"{TEXT} in `'n/a'>1`"
    ),
    "if-then-else": Form(
        "(X > 1 -> fail ; true)", {"e(a)": [4], "e(b)": [2, 6], "e(c)": [3]}, "X > 1", f"{TEXT} in `'n/a'>1`"
    ),
    "forall": Form(
        "forall(member(Y, [X, 1]), Y < 2)", {"e(a)": [4], "e(c)": [3]}, "Y < 2", TEXT
    ),
    "findall": Form(
        "findall(Y, (member(Y, [X, 1]), Y > 0), [_])", {"e(a)": [4], "e(b)": [2, 6], "e(c)": [3]}, "Y > 0", TEXT
    ),
    "maplist": Form("maplist(<(1), [X, 2])", {"e(a)": [1], "e(d)": [5]}, "<(1)", TEXT),
    "include": Form(
        "include(<(1), [X], L), L = []", {"e(a)": [4], "e(b)": [2, 6], "e(c)": [3]}, "<(1)", TEXT
    ),
    "sum of a goal": Form(
        "aggregate_all(sum(Y), member(Y, [X, 2]), S), S =:= 2", {"e(b)": [2, 6], "e(c)": [3]},
        "aggregate_all(sum(Y), member(Y, [X, 2]), S)", TEXT,
    ),
    "sum of records": Form(
        "aggregate_all(sum(Y * 2), happensAt(m(_, Y), T), S), S =:= 0", {"e(b)": [2, 6], "e(c)": [3]},
        "aggregate_all(sum(Y * 2), happensAt(m(_, Y), T), S)", f"{TEXT} in `'n/a'*2`",
    ),
    "maximum of records": Form(
        "aggregate_all(max(Y), happensAt(m(_, Y), T), _)", NUMBERS,
        "aggregate_all(max(Y), happensAt(m(_, Y), T), _)", TEXT,
    ),
}  # fmt: skip


def name_of_first(answer: dict[str, Any]) -> str:
    """The fluent of the first FVP of an answer; empty without one."""
    return next(iter(answer), "").partition("(")[0]


def named(found: Any) -> list[tuple[str, str]]:
    """The text of each condition that is named, and the message."""
    return [(" ".join(each.span.text.split()), each.message) for each in found.without_result]


def recognised(rules: str, records: tuple[str, ...] = RECORDS, **options: Any) -> Any:
    lines = ["|".join([name, time, time, *rest]) for name, time, *rest in (each.split("|") for each in records)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoResultWarning)
        warnings.simplefilter("ignore", ParallelismWarning)
        return hf.recognise(hf.load_text(rules), lines, start=0, end=30, **options)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_fails_for_its_binding_alone_and_is_named_once(name: str) -> None:
    form = FORMS[name]
    assert Example(form.rules, RECORDS).batch() == form.found | ALL_SEEN
    Example(form.rules, RECORDS).check(3, 10)
    runs: list[dict[str, Any]] = [{}, {"window": 4}, {"window": 4, "merge_windows": False}]
    for options in runs:
        found = recognised(form.rules, jobs=1, **options)
        assert not found.set_aside
        ((condition, message),) = named(found)
        assert condition == form.condition
        assert form.example in message


ELSEWHERE: dict[str, tuple[str, dict[str, Any], str]] = {
    "grounding": (
        "initiatedAt(f(E)=true, T) :- happensAt(m(E, _), T). grounding(f(E)=true) :- rank(E, N), N > 1.\n"
        "rank(a, 5). rank(b, none).",
        {"f(a)=true": [(2, None)]},
        "N > 1",
    ),
    "initial value": (
        "initially(f(E)=true) :- rank(E, N), N > 1. rank(a, 5). rank(b, none).\n"
        "terminatedAt(f(E)=true, T) :- happensAt(m(E, _), T).",
        {"f(a)=true": [(0, 2)]},
        "N > 1",
    ),
    "goal among intervals": (
        "initiatedAt(f(E)=X, T) :- happensAt(m(E, X), T).\n"
        "holdsFor(g(E)=true, I) :- holdsFor(f(E)=X, I), X > 1.",
        {"g(a)=true": [(2, 5)], "g(d)=true": [(6, None)]},
        "X > 1",
    ),
    "duration": (
        "initiatedAt(f(E)=X, T) :- happensAt(m(E, X), T).\n"
        "holdsFor(g(E, X)=true, J) :- holdsFor(f(E)=X, I), intDurGreater(I, X * 2, J).",
        {"g(a,-2)=true": [(5, None)], "g(c,0)=true": [(4, None)], "g(d,2.5)=true": [(6, None)]},
        "intDurGreater(I, X * 2, J)",
    ),
    "cycle": (
        "initiatedAt(f(E)=X, T) :- happensAt(m(E, X), T), \\+ holdsAt(f(E)=_, T).\n"
        "initiatedAt(f(E)=Y, T) :- happensAt(m(_, _), T), holdsAt(f(E)=X, T), Y is X + 1, Y < 8.",
        {},
        "Y is X + 1",
    ),
    "delay": (
        "initiatedAt(f(E)=X, T) :- happensAt(m(E, X), T). fi(f(E)=X, f(E)=late, 3) :- X > 1.",
        {},
        "X > 1",
    ),
    "condition of a delay when it is due": (
        "initiatedAt(f(E)=X, T) :- happensAt(m(E, X), T). fi(f(E)=X, f(E)=late, 3) :- holdsAt(f(E)=X, T), X > 1.",
        {},
        "X > 1",
    ),
    "interval-wise predicate": (
        ":- intervalwise(longer/2). longer([(S, E)], [(S, E)]) :- E > S + 1. longer([(_, inf)], []).\n"
        "initiatedAt(f(E)=on, T) :- happensAt(m(E, 5), T). terminatedAt(f(E)=on, T) :- happensAt(m(E, -2), T).\n"
        "holdsFor(g(E)=true, J) :- holdsFor(f(E)=on, I), holdsFor(f(E)=on, K), longer(I, J), Y is 1 / 0, Y > 0.",
        {},
        "Y is 1 / 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_condition_elsewhere_fails_for_its_binding_alone(name: str) -> None:
    rules, expected, condition = ELSEWHERE[name]
    example = Example(SEEN + rules, RECORDS)
    example.check(3, 10)
    answer = example.batch()
    assert isinstance(answer, dict)
    assert ALL_SEEN.items() <= answer.items()
    fluent = name_of_first(expected)
    assert {fvp: spans for fvp, spans in answer.items() if fluent and fvp.startswith(fluent)} == expected
    for window in (None, 4):
        assert [each for each, _ in named(recognised(SEEN + rules, jobs=1, window=window))] == [condition]


@pytest.mark.parametrize("goal", ["in_area(X, 0, _)", "near_area(X, 0, 1000, _)", "near_area(0, 0, X, _)"])
def test_a_text_or_nan_among_positions_leaves_the_others(goal: str, tmp_path: Path) -> None:
    pytest.importorskip("shapely")
    areas = tmp_path / "areas.geojson"
    areas.write_text(
        '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "port"}, "geometry": '
        '{"type": "Polygon", "coordinates": [[[-3, -3], [3, -3], [3, 3], [-3, 3], [-3, -3]]]}}]}'
    )
    rules = hf.load_text(f"{SEEN}happensAt(e(E), T) :- happensAt(m(E, X), T), {goal}.").with_areas(str(areas))
    values = ["1", "n/a", "2.5", "nan", "inf"]
    with pytest.warns(NoResultWarning, match="expected a number, found `inf`") as caught:
        found = hf.recognise(rules, [f"m|{i}|{i}|v{i}|{value}" for i, value in enumerate(values)])
    assert {show(event): times for event, times in found.times.items() if "e(" in show(event)} == {
        "e(v0)": [0],
        "e(v2)": [2],
    }
    assert len(caught) == len(found.without_result) == 1
    assert sum(len(times) for times in found.times.values()) == len(values) + 2


def test_processes_name_the_same_conditions_with_the_same_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "Pool", SimulatedPool)
    monkeypatch.setattr(parts, "_BYTES_OF_A_PART", (50, 200))
    facts = "p(1).\np(2). big(X) :- X > 1.\n"
    rules = f"{facts}{FORMS['comparison'].rules}{FORMS['sum of records'].rules}"
    alone, divided = recognised(rules, jobs=1), recognised(rules, jobs=3)
    assert divided.n_processes == 3
    assert [each.render() for each in divided.without_result] == [each.render() for each in alone.without_result]


def test_a_session_names_a_condition_when_it_first_has_no_result() -> None:
    session = hf.Session(hf.load_text(FORMS["comparison"].rules), start=0, window=10)
    session.insert(hf.Event("m", "a", 3, at=1))
    assert not session.query(10).without_result
    session.insert(["m|11|11|b|n/a"])
    with pytest.warns(NoResultWarning, match="`X > 1` in the rule for"):
        assert len(session.query(20).without_result) == 1
    session.insert(["m|21|21|b|n/a"])
    assert not session.query(30).without_result


def test_a_strict_session_raises() -> None:
    session = hf.Session(hf.load_text(FORMS["division by zero"].rules), start=0, window=10, strict=True)
    session.insert(hf.Event("m", "a", 0, at=1))
    with pytest.raises(ExecutionProblem, match=r"HF604.*10 / X > 3"):
        session.query(10)


@pytest.mark.parametrize("options", [[], ["--window", "4"], ["--engine", "reference"], ["--window", "4", "--live"]])
def test_the_command_names_a_condition_once_and_a_strict_run_ends(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.prolog").write_text(FORMS["comparison"].rules)
    lines = ["|".join([name, time, time, *rest]) for name, time, *rest in (each.split("|") for each in RECORDS)]
    (tmp_path / "e.txt").write_text("\n".join(lines) + "\n")
    run = ["run", str(tmp_path / "r.prolog"), "--input", str(tmp_path / "e.txt"), "--jobs", "1", *options]
    assert main(run) == 0
    out, err = capsys.readouterr()
    assert "seen(b)" in out
    assert err.count("warning[HF614]: `X > 1` in the rule for `happensAt(e(E),T)` has no result") == 1
    assert "1 condition without a result" in err
    assert main([*run, "--strict"]) == 2
    err = capsys.readouterr().err
    assert "error[HF603]: `X > 1` in the rule for `happensAt(e(E),T)` has no result" in err
    assert "r.prolog:2:" in err


def test_a_start_up_goal_without_a_result_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ExecutionProblem, match="HF604"):
        hf.Session(hf.load_text(SEEN), goals=["X is 1 / 0"])


def test_rules_that_are_used_again_name_a_condition_again() -> None:
    """Answers of goals are kept with the rules; a condition without a result is noted in each run."""
    rules = FORMS["recursive clause"].rules
    for _ in range(2):
        assert len(recognised(rules, jobs=1).without_result) == 1
