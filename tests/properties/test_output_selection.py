"""selected output = the selected part of all output: in one query, in windows, in stages, and in the reference.

These laws are for components that are left out although shown output depends on them, rows that a filter keeps or drops
wrongly, settled time-points and changes that depend on output that is not computed, and stages that filter results
which later stages still need.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest

from holdsfor.analysis.pipeline import Compiled, with_output
from holdsfor.errors import ExecutionProblem, PlanningProblem
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.runtime.session import EngineSession
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.terms import Atom, Struct, Term, Var, name_and_arity
from tests.properties.answers import batch_answer, explained, read_case, reference_answer
from tests.properties.deciding_programs import deciding_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.programs import Case, random_case
from tests.properties.staged import (
    Reports,
    embedded_reports,
    embedded_settled,
    staged_reports,
    staged_settled,
    stages_of,
)
from tests.properties.test_staged_reports import arriving_late, narrow_windows
from tests.seeds import chunks, named, share

pytestmark = pytest.mark.in_turn(2)

ANY = range(12_000, 12_100)
IN_WINDOWS = range(12_100, 12_200)
DELAYED = range(12_200, 12_250)
DECIDING = range(12_300, 12_350)
KEYED = range(12_400, 12_450)

Found = TypeVar("Found")


@dataclass(frozen=True)
class Shown:
    """A selector, and its conditions on FVPs and events: a name, an arity, a value, a text."""

    selector: str
    name: str
    arity: int | None = None
    value: Term | None = None
    instance: str | None = None

    def selects(self, text: str) -> bool:
        """Whether the FVP or event of a text is selected."""
        term = parse_term(text)
        named, value = term.args if isinstance(term, Struct) and term.name == "=" else (term, None)
        name, arity = name_and_arity(named)
        return (
            name == self.name
            and self.arity in (None, arity)
            and self.value in (None, value)
            and self.instance in (None, text)
        )


def _selectors(compiled: Compiled, answered: list[str]) -> list[Shown]:
    """Selectors of all kinds: names, names with arities, values, and instances."""
    found: list[Shown] = []
    for pattern in (vertex.pattern for vertex in compiled.graph.vertices if not vertex.is_input):
        named, value = pattern.args if isinstance(pattern, Struct) and pattern.name == "=" else (pattern, None)
        name, arity = name_and_arity(named)
        found += [Shown(show(Atom(name)), name), Shown(show_indicator(name, arity), name, arity)]
        if isinstance(value, Atom):
            any_fluent = Struct(name, tuple(Var(f"_#{i}") for i in range(arity))) if arity else named
            found.append(Shown(show(Struct("=", (any_fluent, value))), name, arity, value))
    for text in answered:
        term = parse_term(text)
        if isinstance(term, Struct):  # the name of an event without arguments selects every arity
            named = term.args[0] if term.name == "=" else term
            found.append(Shown(text, *name_and_arity(named), instance=text))
    return found


def chosen(compiled: Compiled, answered: list[str], chance: random.Random) -> list[Shown]:
    """One to three selectors."""
    known = _selectors(compiled, answered)
    return chance.sample(known, min(len(known), chance.randint(1, 3)))


def selected(answer: dict[str, Found], shown: list[Shown]) -> dict[str, Found]:
    """The part of an answer that the selectors select."""
    return {text: each for text, each in answer.items() if _is_selected(text, shown)}


def _is_selected(text: str, shown: list[Shown]) -> bool:
    return any(each.selects(text) for each in shown)


@pytest.mark.parametrize("seeds", chunks(share(ANY, 25)), ids=named)
def test_one_query_and_the_reference_report_the_selected_part(seeds: range) -> None:
    for seed in seeds:
        given, chance = read_case(random_case(seed)), random.Random(seed)
        try:
            expected = batch_answer(given, given.case.end)
        except PlanningProblem:
            continue
        if isinstance(expected, str):
            continue
        shown = chosen(given.compiled, list(expected), chance)
        if not shown:
            continue
        selectors = [each.selector for each in shown]
        narrow = replace(given, compiled=with_output(given.compiled, selectors))
        for answer in (batch_answer(narrow, given.case.end), reference_answer(narrow)):
            if answer != selected(expected, shown):
                message = explained(seed, given, selected(expected, shown), answer, shown=selectors)
                pytest.fail(message, pytrace=False)


def compare(seed: int, case: Case, n_buckets: int | None) -> None:
    """Compare reports, changes and settled results in windows, with late and retracted records."""
    chance = random.Random(seed)
    window, step = narrow_windows(case, chance)
    given, lines = read_case(case), arriving_late(case, window, chance)
    run = RunSchedule(case.start, case.end, case.tick, window, step, case.allen_memory)
    try:
        reports, settled = embedded_reports(lines, given.compiled, run), embedded_settled(lines, given.compiled, run)
    except (PlanningProblem, ExecutionProblem):
        return
    shown = chosen(given.compiled, list(settled), chance)
    if not shown:
        return
    selectors = [each.selector for each in shown]
    compiled = with_output(given.compiled, selectors)
    expected = Reports(
        {at: selected(known, shown) for at, known in reports.known.items()},
        {at: {each for each in found if _is_selected(each[0], shown)} for at, found in reports.changes.items()},
    )
    if n_buckets is None:
        found = embedded_reports(lines, compiled, run), embedded_settled(lines, compiled, run)
    else:
        stages = stages_of(replace(given, compiled=compiled))
        found = (
            staged_reports(lines, compiled, stages, run, n_buckets),
            staged_settled(lines, compiled, stages, run, n_buckets),
        )
    if found != (expected, selected(settled, shown)):
        message = explained(seed, given, selected(settled, shown), found[1], shown=selectors, lines=lines, run=run)
        pytest.fail(f"{message}\nexpected {expected}\nfound    {found[0]}", pytrace=False)


@pytest.mark.parametrize("seeds", chunks(share(IN_WINDOWS, 10)), ids=named)
def test_windows_report_the_selected_part(seeds: range) -> None:
    for seed in seeds:
        compare(seed, random_case(seed), None)


@pytest.mark.parametrize("seeds", chunks(share(DELAYED, 5)), ids=named)
def test_windows_over_delays_report_the_selected_part(seeds: range) -> None:
    for seed in seeds:
        compare(seed, delayed_case(seed), None)


@pytest.mark.parametrize("seeds", chunks(share(DECIDING, 5)), ids=named)
def test_windows_over_interval_constructs_report_the_selected_part(seeds: range) -> None:
    for seed in seeds:
        compare(seed, deciding_case(seed), None)


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 5)), ids=named)
def test_incremental_evaluation_reports_the_selected_part(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = EngineSession.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "incremental", "on")
    for seed in seeds:
        compare(seed, keyed_case(seed), None)
        compare(seed, deciding_case(seed), None)


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 5)), ids=named)
def test_stages_report_the_selected_part(seeds: range) -> None:
    for seed in seeds:
        compare(seed, keyed_case(seed), 1 + seed % 3)


def test_many_selections_leave_components_out() -> None:
    n_left_out = 0
    for seed in ANY[:30]:
        compiled = read_case(random_case(seed)).compiled
        shown = chosen(compiled, [], random.Random(seed))
        selection = with_output(compiled, [each.selector for each in shown]).selection if shown else None
        n_left_out += selection is not None and bool(selection.left_out)
    assert n_left_out > 5
