"""Goals over results: the answers, their tables, and the errors of goals that the results cannot answer."""

from __future__ import annotations

import random

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.errors import ExecutionProblem, SyntaxProblem
from holdsfor.prolog import Engine
from holdsfor.query.query_engine import QueryEngine
from holdsfor.query.report_index import index_of_columns, index_of_terms
from holdsfor.query.result_index import RunSettings
from holdsfor.reference import intervals as reference
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

RULES = hf.load("apps/toy/rules.prolog", "apps/toy/background.prolog")
SETTINGS = RunSettings(start=0, query_time=30)
ALARMS = """
initiatedAt(on(X)=true, T) :- happensAt(smoke(X), T).
terminatedAt(on(X)=true, T) :- happensAt(clear(X), T).
happensAt(alarm(X,'Top floor'), T) :- happensAt(smoke(X), T), heavy(X).
heavy(b1). heavy(b3).
"""


@pytest.fixture(scope="module")
def result() -> hf.Result:
    return hf.recognise(RULES, "apps/toy/events.txt", start=0, end=30)


@pytest.fixture(scope="module")
def alarms() -> hf.Result:
    records = ["smoke|3|3|b1", "smoke|4|4|b2", "clear|9|9|b1", "smoke|12|12|b1", "smoke|12|12|b3"]
    return hf.recognise(hf.load_text(ALARMS), records)


def answers(engine: QueryEngine, goal: str) -> list[dict[str, str]]:
    return [{name: show(term) for name, term in each.items()} for each in engine.answers(engine.read(goal))]


@pytest.fixture(params=["columns", "terms"])
def engine(request: pytest.FixtureRequest, result: hf.Result) -> QueryEngine:
    if request.param == "columns":
        index = index_of_columns(result.reported.report, result.reported.symbols, SETTINGS)
    else:
        index = index_of_terms(result.intervals, result.times, SETTINGS)
    return QueryEngine(index, RULES)


def test_the_questions_of_the_manual_have_its_answers(engine: QueryEngine) -> None:
    assert answers(engine, "holdsFor(happy(chris)=true, I).") == [{"I": "[(14,22)]"}]
    assert answers(engine, "holdsFor(F, I).") == [
        {"F": "happy(chris)=true", "I": "[(14,22)]"},
        {"F": "location(chris)=home", "I": "[(22,inf)]"},
        {"F": "location(chris)=pub", "I": "[(18,22)]"},
        {"F": "location(chris)=work", "I": "[(10,18)]"},
        {"F": "rich(chris)=true", "I": "[(14,20)]"},
    ]
    assert answers(engine, "holdsAt(F, 16).") == [
        {"F": "happy(chris)=true"},
        {"F": "location(chris)=work"},
        {"F": "rich(chris)=true"},
    ]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("holdsFor(location(X)=V, I), V \\= work", [("chris", "home", "[(22,inf)]"), ("chris", "pub", "[(18,22)]")]),
        ("holdsFor(rich(X)=true,I), holdsFor(happy(X)=true,J), intersect_all([I,J],K)", None),
        ("person(X), \\+ holdsAt(rich(X)=true, 20)", [("chris",)]),
        ("holdsAt(location(chris)=V, 17)", [("work",)]),
        ("holdsAt(location(chris)=V, 18)", [("pub",)]),
        ("holdsFor(F, I), member((S,E), I), E - S > 7, S > 11", None),
        ("holdsFor(happy(nobody)=true, I)", [("[]",)]),
        ("findall(F, holdsAt(F, 21), L), length(L, N)", None),
        ("holdsFor(F, [(22,_)])", [("location(chris)=home",)]),
    ],
)
def test_conjunctions(engine: QueryEngine, goal: str, expected: list[tuple[str, ...]] | None) -> None:
    found = [tuple(each.values()) for each in answers(engine, goal)]
    assert found == expected if expected is not None else len(found) == 1 or "member" in goal


def test_output_events_and_their_times(alarms: hf.Result) -> None:
    found = alarms.query("happensAt(alarm(X, Where), T)")
    assert found.to_pylist() == [
        {"X": "b1", "Where": "Top floor", "T": 3},
        {"X": "b1", "Where": "Top floor", "T": 12},
        {"X": "b3", "Where": "Top floor", "T": 12},
    ]
    assert alarms.query("happensAt(E, 12)").column("E").to_pylist() == [
        "alarm(b1,'Top floor')",
        "alarm(b3,'Top floor')",
    ]
    assert alarms.query("happensAt(alarm(b1,_), T), holdsAt(on(b2)=true, T)").to_pydict() == {"T": [12]}


def test_columns_have_the_types_of_their_values(alarms: hf.Result) -> None:
    found = alarms.query("holdsFor(on(X)=true, I), member((S,E), I), Half is S / 2.0")
    assert found.schema.types[0] == pa.string()
    assert found.schema.field("I").type == pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())]))
    assert [found.schema.field(name).type for name in ("S", "E", "Half")] == [pa.int64(), pa.int64(), pa.float64()]
    assert found.to_pylist()[0] == {
        "X": "b1",
        "I": [{"start": 4, "end": 10}, {"start": 13, "end": None}],
        "S": 4,
        "E": 10,
        "Half": 2.0,
    }
    empty = alarms.query("happensAt(alarm(b2,_), T), holdsFor(on(X)=true, I)")
    assert len(empty) == 0
    assert empty.schema.field("T").type == pa.int64()
    assert alarms.query("holdsAt(on(b1)=true, 5)").num_rows == 1
    assert alarms.query("holdsAt(on(b1)=true, 10)").num_rows == 0


def test_a_result_over_windows_answers_for_all_of_them() -> None:
    whole = hf.recognise(RULES, "apps/toy/events.txt", start=0, end=30, window=6, step=3)
    assert whole.query("holdsFor(F, I), member((S,_), I), S < 12").column("F").to_pylist() == ["location(chris)=work"]


def test_a_report_of_a_session_answers_goals() -> None:
    session = hf.Session(RULES, start=0, window=12, goals=["assertz(person(anna))"])
    session.insert(hf.Event("win_lottery", "anna", at=5))
    report = session.query(12)
    assert report.query("person(X), holdsFor(rich(X)=true, I), I \\= []").column("X").to_pylist() == ["anna"]


RANDOM = random.Random(5)


def random_list() -> list[tuple[int, int]]:
    spans, at = [], RANDOM.randint(0, 4)
    for _ in range(RANDOM.randint(0, 4)):
        length = RANDOM.randint(1, 5)
        spans.append((at, at + length))
        at += length + RANDOM.randint(1, 4)
    return spans


def written(spans: list[tuple[int, int]]) -> str:
    return "[" + ",".join(f"({s},{'inf' if e == 99 else e})" for s, e in spans) + "]"


def test_interval_operations_agree_with_the_reference(engine: QueryEngine) -> None:
    for _ in range(60):
        a, b = random_list(), random_list()
        cases = {
            f"union_all([{written(a)},{written(b)}],I)": reference.union([a, b]),
            f"intersect_all([{written(a)},{written(b)}],I)": reference.intersect([a, b]),
            f"relative_complement_all({written(a)},[{written(b)}],I)": reference.relative_complement(a, [b]),
            f"intDurGreater({written(a)},2,I)": reference.longer_than(a, 2, 31),
            f"intDurLess({written(a)},2+1,I)": reference.shorter_than(a, 3, 31),
            f"allen(before,{written(a)},{written(b)},source,I)": reference.allen("before", a, b, "source", None),
            f"meets({written(a)},{written(b)},rhs,I)": reference.allen("meets", a, b, "target", None),
            f"contains({written(b)},{written(a)},union,I)": reference.allen("during", a, b, "union", None),
        }
        for goal, expected in cases.items():
            assert answers(engine, goal) == [{"I": written([(s, int(e)) for s, e in expected])}], goal


def test_a_complement_begins_at_the_start_of_the_run(engine: QueryEngine) -> None:
    assert answers(engine, "complement_all([[(3,5)],[(5,8)]], I)") == [{"I": "[(0,3),(8,inf)]"}]
    assert answers(engine, "holdsFor(location(chris)=home, I), intDurGreater(I, 8, J)")[0]["J"] == "[(22,inf)]"
    assert answers(engine, "holdsFor(location(chris)=home, I), intDurGreater(I, 9, J)")[0]["J"] == "[]"


@pytest.mark.parametrize(
    ("goal", "code", "hint"),
    [
        ("holdsFor(hapy(X)=true, I)", "HF630", "did you mean `happy/1`?"),
        ("holdsFor(happy(X,Y)=true, I)", "HF630", "`happy` has 1 argument"),
        ("holdsFor(happy(chris), I)", "HF630", "`happy(chris)=true`"),
        ("holdsAt(win_lottery(X)=true, 3)", "HF630", "is input"),
        ("happensAt(happy(X), T)", "HF630", "`happy/1` is a fluent: use `holdsFor`"),
        ("happensAt(start(happy(X)=true), T)", "HF630", "member((S,E), I)"),
        ("initiatedAt(happy(X)=true, T)", "HF630", "`holdsFor(F=V, I)`"),
        ("holdsAt(F, T)", "HF602", "`holdsFor(F=V, I)` has the times"),
        ("holdsAt(F, soon)", "HF603", None),
        ("holdsAt(F, 99999999999999999999999)", "HF603", None),
        ("intDurGreaterThan([], 3, I)", "HF601", "did you mean `intDurGreater/3`?"),
        ("allen(befor, [], [], source, I)", "HF603", "did you mean `before`?"),
        ("intersect_all([[(1,x)]], I)", "HF603", None),
        ("intersect_all([I], J)", "HF602", None),
        ("intersect_all([], J)", "HF603", None),
        ("union_all(nothing, J)", "HF603", None),
        ("holdsAt(F, 3)) , x", "HF106", None),
        ("repeat_for_ever(X)", "HF601", None),
    ],
)
def test_a_goal_without_answers_says_why(engine: QueryEngine, goal: str, code: str, hint: str | None) -> None:
    with pytest.raises((ExecutionProblem, SyntaxProblem)) as problem:
        answers(engine, goal)
    (found,) = problem.value.diagnostics
    assert found.code == code
    assert hint is None or hint in (found.hint or "")
    assert found.span is not None


def test_a_goal_has_a_budget(result: hf.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T). loop(X) :- loop(X).")
    budget = Engine.__init__.__kwdefaults__
    assert budget is not None
    monkeypatch.setitem(budget, "max_steps", 10_000)
    with pytest.raises(ExecutionProblem, match="HF605"):
        hf.recognise(rules, hf.Event("win", "chris", at=13)).query("holdsFor(rich(X)=true, I), loop(X)")


def test_a_dynamic_domain_is_not_part_of_the_results() -> None:
    rules = hf.load_text(
        "dynamicDomain(ship(V)). grounding(seen(V)) :- ship(V). grounding(at_sea(V)=true) :- ship(V). "
        "initiatedAt(at_sea(V)=true, T) :- happensAt(seen(V), T)."
    )
    found = hf.recognise(rules, hf.Event("seen", "v1", at=3))
    assert found.query("holdsFor(at_sea(V)=true, I)").num_rows == 1
    with pytest.raises(ExecutionProblem, match="dynamic domain"):
        found.query("ship(V), holdsFor(at_sea(V)=true, I)")


def test_background_definitions_win_over_relations_of_the_same_name() -> None:
    rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T). during(a, b, c, d).")
    found = hf.recognise(rules, hf.Event("win", "chris", at=13))
    assert found.query("during(X, b, c, d)").to_pydict() == {"X": ["a"]}


def test_a_lookup_by_first_argument_reads_no_other_instance() -> None:
    rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    found = hf.recognise(rules, [hf.Event("win", f"p{i}", at=i) for i in range(200)])
    index = index_of_columns(found.reported.report, found.reported.symbols, SETTINGS)
    instances = index.fvps_of(("rich", 1))
    assert instances is not None
    pattern: Term = hf.term("rich(p7)")
    assert list(instances.candidates(pattern)) == [instances.number(hf.term("rich(p7)=true"))]


def test_timestamps_of_the_input_are_those_of_the_answers() -> None:
    rules = hf.load_text("initiatedAt(on(X)=true, T) :- happensAt(smoke(X), T).")
    smoke = pa.table({"room": ["a", "b"], "ts": pa.array([3600, 7200], pa.timestamp("s", "UTC"))})
    found = hf.recognise(rules, (smoke, "happensAt(smoke(room), ts)"))
    answer = found.query("holdsAt(on(X)=true, '1970-01-01T01:30:00Z'), holdsFor(on(X)=true, I), member((S,_), I)")
    assert answer.column("X").to_pylist() == ["a"]
    assert answer.schema.field("S").type == pa.timestamp("s", "UTC")
