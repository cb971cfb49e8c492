"""The counts of an analysis: rows and times that add up, iterations and steps; counting changes no answer."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.cli.main import main
from holdsfor.errors import PlanningProblem
from holdsfor.physical.operators.aggregate import Aggregate
from holdsfor.physical.operators.anti_join import AntiJoin
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.project import Project
from holdsfor.physical.plan import PlannedComponent
from holdsfor.physical.profile import Profile
from holdsfor.runtime.explain import explain
from holdsfor.runtime.recursion.steppable import is_steppable
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.text_records import Reading, read_text_records
from tests.apps.data import ROOT
from tests.apps.runs import RUNS
from tests.properties.answers import Input, as_answer, read_case
from tests.properties.programs import Case, random_case

SEEDS = range(4000, 4060)
CYCLE = """
initiatedAt(lit(X)=true, T) :- happensAt(push(X), T), not holdsAt(lit(X)=true, T).
terminatedAt(lit(X)=true, T) :- happensAt(push(X), T), holdsAt(lit(X)=true, T).
ft(lit(X)=true, 5).
"""
OPEN_CYCLE = """
initiatedAt(lit(X)=true, T) :- happensAt(push(X), T), not holdsAt(lit(_)=true, T).
terminatedAt(lit(X)=true, T) :- happensAt(push(_), T), holdsAt(lit(X)=true, T).
"""
CHAIN = """
initiatedAt(lamp(X)=bright, T) :- happensAt(push(X), T).
fi(lamp(X)=bright, lamp(X)=dim, 3).
fi(lamp(X)=dim, lamp(X)=dark, 3).
"""
COUNTS = 42  # the counts come before the plan
PUSHES = "push|1|1|a\npush|3|3|a\npush|4|4|b\n"


def profiled(given: Input) -> EngineSession:
    """A session that has answered one query with a profile."""
    session = EngineSession(given.compiled, start=given.case.start, tick=given.case.tick)
    session.profile = Profile()
    session.insert((given.case.end, fact) for fact in given.facts)
    session.query(given.case.end)
    return session


def test_an_analysis_shows_how_many_intervals_allen_relations_keep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, events = tmp_path / "rules.prolog", tmp_path / "events.txt"
    rules.write_text(
        "holdsFor(d(X)=true, I) :- holdsFor(s(X)=true, S), holdsFor(t(X)=true, U), allen(equal, S, U, source, I).\n"
    )
    events.write_text("s|1|1|40|true|a\nt|3|3|40|true|a\ns|2|2|30|true|b\n")
    arguments = ["plan", str(rules), "--analyse", "--input", str(events), "--start", "0", "--end", "40"]
    assert main([*arguments, "--window", "10"]) == 0
    assert "at most 3 intervals kept between query times" in capsys.readouterr().out
    assert main(arguments) == 0
    assert "at most 0 intervals kept between query times" in capsys.readouterr().out


def random_sessions() -> Iterator[EngineSession]:
    for seed in SEEDS:
        try:
            yield profiled(read_case(random_case(seed)))
        except PlanningProblem:
            continue


def pushed(rules: str) -> EngineSession:
    """The cycle or chain of delays after three pushes, analysed."""
    compiled = compile_text(rules)
    reading = Reading()
    read_text_records(PUSHES.splitlines(), "pushes", compiled.names, 1, reading)
    return profiled(Input(Case("", [], 0, 20, 1), compiled, reading.facts()))


def counted(session: EngineSession) -> Profile:
    assert session.profile is not None
    return session.profile


def rows_out_of(session: EngineSession, place: Hashable) -> int:
    return counted(session).of(place).rows_out


def rules_of(component: PlannedComponent) -> list[Sequence[Operator]]:
    fluents = component.fluents.values()
    effects = [rule for fluent in fluents for rule in (*fluent.initiations, *fluent.terminations)]
    return [rule.operators for rule in (*component.events, *effects)]


def test_the_output_of_a_step_is_the_input_of_the_next() -> None:
    """Only for components without recursion; a recursive one runs its external steps once and the others repeatedly."""
    n_rows = 0
    for session in random_sessions():
        profile = counted(session)
        for component in session.rules.program.components:
            for steps in [] if component.is_recursive else rules_of(component):
                n_rows += sum(profile.of(id(step)).rows_in for step in steps)
                for one, following in pairwise(steps):
                    assert profile.of(id(following)).rows_in == profile.of(id(one)).rows_out, explain(session)
    assert n_rows > 1_000


def test_inner_operators_begin_with_the_rows_of_the_outer_operator() -> None:
    n_found = 0
    for session in random_sessions():
        profile = counted(session)
        steps = [
            s for c in session.rules.program.components if not c.is_recursive for rule in rules_of(c) for s in rule
        ]
        for step in steps:
            for inside in step.inner if isinstance(step, AntiJoin | Aggregate) else ():
                first = next((inner for inner in inside if not isinstance(inner, Project)), None)
                if first is None:  # a condition without goals
                    continue
                n_inner, n_outer = profile.of(id(first)).rows_in, profile.of(id(step)).rows_in
                # Rows with the same solutions are aggregated once.
                assert n_inner <= n_outer if isinstance(step, Aggregate) else n_inner == n_outer
                n_found += 1
    assert n_found > 10


def test_own_seconds_of_all_places_add_up_to_the_seconds_of_the_components() -> None:
    for session in random_sessions():
        profile = counted(session)
        components = [profile.of(("component", n)).seconds for n in range(len(session.rules.program.components))]
        assert sum(tally.own for tally in profile.tallies.values()) == pytest.approx(sum(components), abs=1e-9)
        assert sum(components) <= session.seconds


def test_counting_does_not_change_the_answer() -> None:
    for seed in SEEDS:
        given = read_case(random_case(seed))
        try:
            plain = EngineSession(given.compiled, start=given.case.start, tick=given.case.tick)
        except PlanningProblem:
            continue
        assert plain.profile is None
        analysed = EngineSession(given.compiled, start=given.case.start, tick=given.case.tick)
        analysed.profile = Profile()
        for session in (plain, analysed):
            session.insert((given.case.end, fact) for fact in given.facts)
        expected = as_answer(plain.query(given.case.end), plain.symbols)
        assert as_answer(analysed.query(given.case.end), analysed.symbols) == expected


def test_time_stepping_counts_visited_time_points_and_effects() -> None:
    session = pushed(CYCLE)
    assert is_steppable(session.rules.program.components[0], session.symbols)
    assert rows_out_of(session, ("iterations", 0)) == 0
    assert rows_out_of(session, ("stepped", 0)) == 5  # pushes at 1, 3, 4; deadlines at 6 (cancelled) and 9
    assert rows_out_of(session, ("set up", 0)) == 2
    assert "recursive: stepped through time" in explain(session)


def test_a_component_without_scalar_form_is_iterated_and_the_plan_shows_it() -> None:
    session = pushed(OPEN_CYCLE)
    assert not is_steppable(session.rules.program.components[0], session.symbols)
    assert rows_out_of(session, ("iterations", 0)) >= 2
    assert rows_out_of(session, ("stepped", 0)) == 0
    assert "recursive: fixpoint iteration" in explain(session)


def test_a_chain_of_delays_takes_a_few_iterations() -> None:
    session = pushed(CHAIN)
    assert 2 <= rows_out_of(session, ("iterations", 0)) <= 6
    assert rows_out_of(session, ("stepped", 0)) == 0
    assert rows_out_of(session, ("set up", 0)) == 5  # three pushes, a dims once and b once
    assert "a few iterations" in explain(session)


@pytest.mark.parametrize("name", RUNS)
def test_every_application_can_be_analysed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, *arguments = RUNS[name].arguments
    assert main(["plan", *arguments, "--analyse", "--window", str(RUNS[name].window)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["ms", "calls", "rows", "in", "rows", "out"]
    assert lines[-1].startswith("total ")


def milliseconds(line: str) -> float:
    return float(line[:COUNTS].split()[0].replace(",", "")) if line[:COUNTS].strip() else 0.0


def depth(line: str) -> int:
    return (len(line) - COUNTS - len(line[COUNTS:].lstrip())) // 2


@pytest.mark.parametrize("rules", [CYCLE, OPEN_CYCLE, CHAIN])
def test_the_times_that_are_shown_add_up(rules: str) -> None:
    """The operators, except inner ones, and the rest make up the component; components make up the total."""
    _, *shown, _, total = explain(pushed(rules)).splitlines()
    component, *parts = shown
    spent = [milliseconds(line) for line in parts if depth(line) in (1, 2)]
    assert sum(spent) == pytest.approx(milliseconds(component), abs=0.01 * len(spent))
    total_milliseconds = float(total.split("components ")[1].split(" ms")[0].replace(",", ""))
    assert total_milliseconds == pytest.approx(milliseconds(component), abs=0.01)


def test_invalid_records_are_counted_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, events = tmp_path / "rules.prolog", tmp_path / "events.txt"
    rules.write_text(CYCLE, encoding="utf-8")
    events.write_text(PUSHES + "push|7\n", encoding="utf-8")
    assert main(["plan", str(rules), "--analyse", "--input", str(events)]) == 0
    out, err = capsys.readouterr()
    assert "1 set aside" in err
    assert "set aside" not in out


def counted_rows(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """The rows of an analysis of single query times, without the seconds."""
    analysis = ["--analyse", "--incremental", "off", *arguments]
    assert main(["plan", *RUNS["toy"].files, "--input", "apps/toy/events.txt", *analysis]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("total ")]
    return [[*line[:COUNTS].split()[1:], line[COUNTS:]] for line in shown]


def test_times_are_written_as_for_a_run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    expected = counted_rows(["--start", "0", "--end", "30", "--window", "10"], capsys)
    iso = ["--start", "1970-01-01T00:00:00Z", "--end", "1970-01-01T00:00:30Z", "--window", "10s"]
    assert counted_rows(iso, capsys) == expected
    assert counted_rows(["--start", "0", "--end", "30", "--window", "30"], capsys) != expected


def test_checks_of_groundings_are_counted_also_where_instances_are_numbers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    lines = counted_rows(["--start", "0", "--end", "30"], capsys)
    checked = {line[-1].strip(): line[:-1] for line in lines}
    for fluent in ("fluent rich/1", "fluent location/1", "fluent happy/1"):
        calls, rows_in, rows_out = map(int, checked[fluent])
        assert calls > 0
        assert rows_in >= rows_out > 0


def test_operators_whose_rows_multiply_have_a_sign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, records = tmp_path / "rules.prolog", tmp_path / "records.txt"
    rules.write_text(
        "initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).\n"
        "happensAt(pair(X,Y), T) :- happensAt(probe(X), T), holdsAt(lit(Y)=true, T).\n"
    )
    records.write_text("".join(f"on|{t}|{t}|x{t}\nprobe|{t + 40}|{t + 40}|p{t}\n" for t in range(30)))
    assert main(["plan", str(rules), "--analyse", "--input", str(records)]) == 0
    lines = capsys.readouterr().out.splitlines()
    marked = [line for line in lines if "×" in line]
    assert ["join fluents" in line and " ×30 " in line for line in marked] == [True, False]
    assert marked[-1].startswith("×N: rows multiply.")
    assert main(["plan", str(rules), "--analyse", "--input", str(records), "--end", "30"]) == 0
    assert "×" not in capsys.readouterr().out
