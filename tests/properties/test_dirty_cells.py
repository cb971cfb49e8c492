"""A condition without a result fails for its binding alone, in every kind of run alike.

Texts, fractions where integers are needed and divisors of 0 stand where rules compute. No record is set aside and no
run ends: other rules, and other bindings of the same rule, are not affected. All runs of the engine name the same
conditions with the same examples; the reference evaluator, which may choose another order, names at least those without
which a rule would have been satisfied.
"""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from typing import Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import NoResultWarning, ParallelismWarning
from holdsfor.parallel.processes import job, parts
from tests.properties.simulated_pool import SimulatedPool
from tests.seeds import share

TEXTS = ("'n/a'", "open", "unknown", "'-'")
KNOWLEDGE = """
known(a, 3). known(b, none). known(c, 1). level(X) :- X > 3 ; X = open.
limit(heat, 30). limit(load, 5). noted(open). trusted(a). trusted(b).
over(X, Max) :- X > Max. even(X) :- X mod 2 =:= 0. ratio(X, Y) :- Y is 12 / (X - 4).
sound(X) :- number(X). safe(X) :- sound(X), X > 3.
weight(X, heavy) :- X > 10. weight(X, 2) :- X =< 10. weight(_, 3).
"""
GUARDS = (
    "Kind = heat", "Kind \\= door", "trusted(E)", "number(X)", "X \\= unknown", "\\+ noted(X)", "sound(X)",
    "\\+ member(X, [open, unknown])", "(number(X) ; Kind = load)", "integer(X)", "X \\= 0", "X \\= 4",
)  # fmt: skip
COMPUTING = (
    "X > 3", "Y is X + 1, Y < 40", "limit(Kind, Max), X > Max", "over(X, 3)", "safe(X)", "\\+ X > 30",
    "(number(X) -> X > 3 ; fail)", "limit(Kind, Max), over(X, Max)", "X mod 2 =:= 0", "Y is X // 2, Y > 1",
    "Y is 10 / X, Y > 2", "limit(Kind, Max), X mod Max < 3", "limit(Kind, Max), Max / X > 1", "even(X)",
    "ratio(X, Y), Y > 1",
    "sqrt(X) > 1", "Y is X - 4, Z is 12 / Y, Z > 1", "\\+ X mod 2 =:= 0", "(X > 3 ; X mod 2 =:= 0)", "log(X + 2) < 1",
    "round(X) mod 2 =:= 0", "sqrt(X ** 2) > 3", "between(0, 5, X)", "distance(X, 1, 2, X, D), D > 100000",
    "sum_list([X, 1], S), S > 3", "max_list([3, X], M), M > 3", "plus(X, 1, Y), Y > 3", "nth0(X, [a, b, c, d, e], a)",
    "length(L, X), member(_, L)", "aggregate_all(sum(N * X), member(N, [1, 2]), S), S > 6", "truncate(X) > 3",
    "findall(N, (member(N, [1, 2, X]), N < 3), [_, _])", "forall(member(N, [1, X]), N < 4)", "weight(X, W), W > 1",
)  # fmt: skip
OTHERS = (
    "happensAt(note(E), T) :- happensAt(m(E, _, open), T).",
    "happensAt(note(E), T) :- happensAt(m(E, Kind, X), T), X = unknown.",
    "happensAt(note(E), T) :- happensAt(m(E, _, X), T), noted(X).",
    "happensAt(seen(E), T) :- happensAt(m(E, _, _), T).",
    "initiatedAt(last(E)=X, T) :- happensAt(m(E, Kind, X), T), {guard}.\n"
    "happensAt(high(E), T) :- happensAt(tick(E), T), holdsAt(last(E)=X, T), {computing}.",
    "initiatedAt(on(E, X)=true, T) :- happensAt(m(E, _, X), T).\n"
    "terminatedAt(on(E, _)=true, T) :- happensAt(tick(E), T).\n"
    "holdsFor(risk(E)=true, I) :- holdsFor(on(E, X)=true, I), X > 3.",
    "initiatedAt(up(E)=X, T) :- happensAt(m(E, _, X), T), \\+ holdsAt(up(E)=_, T), {computing}.\n"
    "initiatedAt(up(E)=Y, T) :- happensAt(tick(E), T), holdsAt(up(E)=X, T), Y is X / 2.\n"
    "terminatedAt(up(E)=X, T) :- happensAt(m(E, load, _), T), holdsAt(up(E)=X, T), {computing}.",
    "initiatedAt(kept(E)=X, T) :- happensAt(m(E, _, X), T).\n"
    "holdsFor(long(E)=X, J) :- holdsFor(kept(E)=X, I), intDurGreater(I, X, J).",
    "initiatedAt(big(E)=true, T) :- happensAt(m(E, _, X), T), level(X).\ngrounding(big(E)=true) :- known(E, N), N > 2.",
    "happensAt(total(E, N), T) :- happensAt(tick(E), T), aggregate_all(sum(X), happensAt(m(E, heat, X), T), N).",
)


def body(chance: random.Random) -> str:
    goals = [*chance.sample(GUARDS, chance.choice([0, 0, 1, 2])), chance.choice(COMPUTING)]
    chance.shuffle(goals)
    return ", ".join(goals)


def random_rules(chance: random.Random) -> str:
    rules = [
        f"happensAt(e{i}(E), T) :- happensAt(m(E, Kind, X), T), {body(chance)}." for i in range(chance.choice([1, 2]))
    ]
    for other in chance.sample(OTHERS, chance.choice([0, 1, 2, 3])):
        computing = chance.choice([goal for goal in COMPUTING if "Kind" not in goal])
        rules.append(other.replace("{guard}", chance.choice(GUARDS)).replace("{computing}", computing))
    return "\n".join(rules) + KNOWLEDGE


def random_rows(chance: random.Random) -> list[tuple[int, str, str, Any]]:
    values = [1, 4, 35, 3.5, 0, -2, 0.0, *TEXTS]
    return [
        (t, chance.choice("abc"), chance.choice(["heat", "load", "door"]), chance.choice(values)) for t in range(1, 25)
    ]


def plain(value: Any) -> Any:
    return value.strip("'") if isinstance(value, str) else value


def as_text(rows: list[tuple[int, str, str, Any]]) -> str:
    lines = [
        f"tick|{t}|{t}|{entity}" if kind == "load" and t % 2 else f"m|{t}|{t}|{entity}|{kind}|{plain(value)}"
        for t, entity, kind, value in rows
    ]
    return "\n".join(lines) + "\n"


def as_json(rows: list[tuple[int, str, str, Any]]) -> str:
    lines = [
        {"name": "tick", "time": t, "args": [entity]}
        if kind == "load" and t % 2
        else {"name": "m", "time": t, "args": [entity, kind, plain(value)]}
        for t, entity, kind, value in rows
    ]
    return "\n".join(map(json.dumps, lines)) + "\n"


def outcome(rules: Any, path: Path, **options: Any) -> tuple[list[Any], list[str]]:
    """The results, and the conditions without a result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoResultWarning)
        warnings.simplefilter("ignore", ParallelismWarning)
        found = hf.recognise(rules, str(path), start=0, end=40, **options)
    assert not found.set_aside
    return found.to_arrow().to_pylist(), [each.render() for each in found.without_result]


def in_steps(rules: Any, path: Path, incremental: Any) -> tuple[list[Any], set[tuple[str, str]]]:
    """The results of a session, and the places of conditions without a result; each is reported once."""
    session = hf.Session(rules, start=0, window=7, incremental=incremental)
    found: list[Any] = []
    named: list[tuple[str, str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoResultWarning)
        session.insert(str(path))
        for at in range(7, 49, 7):
            report = session.query(at)
            found += list(report.changes)
            named += [(each.code, str(each.span)) for each in report.without_result]
    assert len(named) == len(set(named))
    return found, set(named)


def answer_of(engine: str, rules: Path, path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The results that an engine of the command writes."""
    run = ["run", str(rules), "--input", str(path), "--start", "0", "--end", "40", "--jobs", "1"]
    assert main([*run, "--engine", engine]) == 0
    return capsys.readouterr()[0]


@pytest.mark.parametrize("seed", share(range(240), 30))
def test_every_kind_of_run_has_the_same_results_and_names_the_same_conditions(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(job, "Pool", SimulatedPool)
    monkeypatch.setattr(parts, "_BYTES_OF_A_PART", (50, 200))
    chance = random.Random(seed)
    text, rows = random_rules(chance), random_rows(chance)
    rules = hf.load_text(text)
    (tmp_path / "r.prolog").write_text(text, encoding="utf-8")
    path = tmp_path / "events.txt"
    path.write_text(as_text(rows), encoding="utf-8")
    expected = outcome(rules, path, jobs=1)
    for options in ({"jobs": 3}, {"window": 7, "jobs": 1}, {"window": 7, "jobs": 2}):
        assert outcome(rules, path, **options) == expected, options
    written = [answer_of(engine, tmp_path / "r.prolog", path, capsys) for engine in ("reference", "columnar")]
    assert written[0] == written[1]
    (tmp_path / "events.jsonl").write_text(as_json(rows), encoding="utf-8")
    assert outcome(rules, tmp_path / "events.jsonl", jobs=1) == expected
    (changes, named), others = in_steps(rules, path, "off"), in_steps(rules, path, "on")
    assert (changes, named) == others
    assert len(named) == len(expected[1])
