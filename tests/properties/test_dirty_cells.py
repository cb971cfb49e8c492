"""A record with which a rule cannot compute is set aside: by every reader and in every kind of run alike.

A rule cannot compute with a text, with a fraction where an integer is expected, or with a divisor of 0.

These laws are for decisions that depend on more than the record and the rules: on the format of the input, on the order
of conditions that an evaluator chooses, on the process that reads a record. A run may still end with HF603, but only
because of a text that a rule expects.
"""

from __future__ import annotations

import json
import random
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import ExecutionProblem, ParallelismWarning, SetAsideWarning
from holdsfor.parallel.processes import job, parts
from tests.properties.simulated_pool import SimulatedPool
from tests.seeds import share

TEXTS = ("'n/a'", "open", "unknown", "'-'")
KNOWLEDGE = """
limit(heat, 30). limit(load, 5). noted(open). trusted(a). trusted(b).
over(X, Max) :- X > Max. even(X) :- X mod 2 =:= 0. ratio(X, Y) :- Y is 12 / (X - 4).
sound(X) :- number(X). safe(X) :- sound(X), X > 3.
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
    "round(X) mod 2 =:= 0", "sqrt(X ** 2) > 3", "between(0, 5, X)",
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


def as_text(rows: list[tuple[int, str, str, Any]], skipped: set[int]) -> str:
    lines = [
        f"tick|{t}|{t}|{entity}" if kind == "load" and t % 2 else f"m|{t}|{t}|{entity}|{kind}|{plain(value)}"
        for t, entity, kind, value in rows
    ]
    return "\n".join(line for i, line in enumerate(lines, start=1) if i not in skipped) + "\n"


def as_json(rows: list[tuple[int, str, str, Any]]) -> str:
    lines = [
        {"name": "tick", "time": t, "args": [entity]}
        if kind == "load" and t % 2
        else {"name": "m", "time": t, "args": [entity, kind, plain(value)]}
        for t, entity, kind, value in rows
    ]
    return "\n".join(map(json.dumps, lines)) + "\n"


def outcome(rules: Any, path: Path, **options: Any) -> tuple[list[int], Any]:
    """The lines set aside, and the results or the text of the error."""
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always", SetAsideWarning)
        warnings.simplefilter("ignore", ParallelismWarning)
        try:
            found = hf.recognise(rules, str(path), start=0, end=40, max_set_aside="100%", **options)
        except ExecutionProblem as problem:
            return [], str(problem)
    return [each.line for each in found.reading.set_aside], found.to_arrow().to_pylist()


def reference(rules: Path, path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code and the messages of the reference evaluator."""
    run = ["run", str(rules), "--input", str(path), "--start", "0", "--end", "40", "--max-set-aside", "100%"]
    answers = []
    for engine in ("reference", "columnar"):
        code = main([*run, "--engine", engine, "--jobs", "1"])
        out, err = capsys.readouterr()
        answers.append((code, out, err))
    if answers[1][0] == 0:
        assert answers[0][:2] == answers[1][:2]
    return answers[0][0], answers[0][2]


@pytest.mark.parametrize("seed", share(range(240), 30))
def test_dirty_cells_set_their_records_aside_in_every_kind_of_run(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(job, "Pool", SimulatedPool)
    monkeypatch.setattr(parts, "_BYTES_OF_A_PART", (50, 200))
    chance = random.Random(seed)
    text, rows = random_rules(chance), random_rows(chance)
    rules = hf.load_text(text)
    (tmp_path / "r.prolog").write_text(text, encoding="utf-8")
    path = tmp_path / "events.txt"
    path.write_text(as_text(rows, set()), encoding="utf-8")
    lines, results = outcome(rules, path, jobs=1)
    code, messages = reference(tmp_path / "r.prolog", path, capsys)
    if isinstance(results, str):
        found = re.search(r"found `([^`]*)`", results)
        assert found is not None
        assert found[1] in ("open", "unknown"), results
        assert re.search(r"the record is line \d+ of", results), results
        assert code == 0 or re.search(r"the record is line \d+ of", messages), messages
        return
    assert code == 0
    for options in ({"jobs": 3}, {"window": 7, "jobs": 1}, {"window": 7, "jobs": 2}):
        assert outcome(rules, path, **options)[0] == lines
    assert outcome(rules, path, jobs=3)[1] == results
    (tmp_path / "events.jsonl").write_text(as_json(rows), encoding="utf-8")
    assert outcome(rules, tmp_path / "events.jsonl", jobs=1) == (lines, results)
    path.write_text(as_text(rows, set(lines)), encoding="utf-8")
    assert outcome(rules, path, jobs=1) == ([], results)
