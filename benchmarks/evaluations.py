"""Rule evaluations per window: by the engine, and by the rules (α)–(γ) of the delayed-effects paper.

`python benchmarks/evaluations.py [--long]` prints a table, writes `build/benchmarks/evaluations.json` and draws
`evaluations.png`, in the manner of Figure 4 of the paper: voting and NetBill, windows of 10 to 80 time-points, steps of
ten. One evaluation is one rule tried for one of its triggers, or one delayed effect checked for one initiation. The
engine's evaluations are counted during a run; for the rules, see `naive.py`. Neither number includes rules for
intervals. `--long` takes the average over thirty windows instead of five.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import mean
from typing import Any
from unittest.mock import patch

from naive import Fluent, FutureInitiation, naive_evaluations
from showing import Curve, Panel, draw_charts, print_table, size_options
from streams import Stream, generated
from timing import write_results

from holdsfor.columns.tables import Key, PointTable
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.scalar import Binding, ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import build
from holdsfor.physical.plan import PlannedComponent, PlannedDelay, PlannedRule
from holdsfor.physical.rows import Rows, one_row
from holdsfor.runtime.delays import DelayedEffects, SetUp, set_up_by
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.session import EngineSession
from holdsfor.syntax.terms import Var

WINDOWS = range(10, 81, 10)
STEP = 10
DURATION, DURATION_LONG = 120, 390
# A small market has many deals about the same goods, which cost most without memory.
STREAMS = {
    "voting, 1,000 agents": ("voting", 1_000),
    "NetBill, 40 agents": ("netbill", 40),
    "NetBill, 2 agents": ("netbill", 2),
}

Words = tuple[int, ...]


class OpenSession(EngineSession):
    """A session that exposes its last evaluation."""

    @property
    def evaluation(self) -> Evaluation:
        assert self._evaluation is not None
        return self._evaluation


# -- the engine --------------------------------------------------------------------------------------------------------


@dataclass
class Count:
    """The number of evaluations so far."""

    n: int = 0


@contextmanager
def counted() -> Iterator[Count]:
    """Count the engine's evaluations: triggers of rules, for all entities at once or stepwise, and delayed effects."""
    count = Count()
    match, match_own, found = JoinPoints.run, JoinPoints.of_component, DelayedEffects.__init__

    def run(self: JoinPoints, rows: Rows, context: Context) -> Rows:
        result = match(self, rows, context)
        count.n += result.n if rows.times is None else 0
        return result

    def of_component(self: JoinPoints, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        step_on = match_own(self, compiler, bound)

        def run_row(bindings: list[Binding]) -> list[Binding]:
            result = step_on(bindings)
            count.n += len(result) if bindings == [{}] else 0
            return result

        return run_row

    def delayed_effects(self: DelayedEffects, set_up: SetUp, schedule: Any, is_contested: Any = None) -> None:
        found(self, set_up, schedule, is_contested)
        count.n += set_up.rows.n

    with ExitStack() as stack:
        for owner, name, counting in (
            (JoinPoints, "run", run),
            (JoinPoints, "of_component", of_component),
            (DelayedEffects, "__init__", delayed_effects),
        ):
            stack.enter_context(patch.object(owner, name, counting))
        yield count


# -- the rules (α)–(γ) -------------------------------------------------------------------------------------------------


def triggers(rule: PlannedRule, evaluation: Evaluation) -> Rows:
    """The triggers of a rule: its rows after the first operators that bind the time."""
    rows = one_row()
    for step in rule.operators:
        if rows.n == 0 or rows.times is not None:
            break
        rows = step.run(rows, evaluation)
    return rows


def rules_of(component: PlannedComponent) -> Iterator[PlannedRule]:
    yield from component.events
    for fluent in component.fluents.values():
        yield from (*fluent.initiations, *fluent.terminations)


def naive(evaluation: Evaluation) -> int:
    """The evaluations of the rules themselves, and of the delayed effects by (α)–(γ)."""
    n = 0
    for number, component in enumerate(evaluation.program.components):
        n += sum(
            rows.n for rows in (triggers(rule, evaluation) for rule in rules_of(component)) if rows.times is not None
        )
        attempts = evaluation.waiting.get(number, ())
        for fluent in fluents(component, evaluation, attempts):
            n += naive_evaluations(fluent, evaluation.stretch.first, evaluation.stretch.last)
    return n


def fluents(component: PlannedComponent, evaluation: Evaluation, attempts: tuple[SetUp | None, ...]) -> list[Fluent]:
    """The fluents with delayed effects, and their initiations, terminations and triggers."""
    found: dict[tuple[Key, Words], Fluent] = defaultdict(Fluent)
    for number, delay in enumerate(component.delays):
        if delay.key != delay.target_key or delay.is_termination:
            raise ValueError("rules (α)–(γ) cover initiations of the same fluent only")
        for set_up in (
            set_up_by(delay, evaluation.points("initiations", delay.key), evaluation),
            *attempts[number : number + 1],
        ):
            if set_up is not None:
                _add_future(found, delay, set_up, evaluation)
    for key in {delay.key for delay in component.delays}:
        _add_points(found, key, evaluation)
        _add_triggers(found, key, component, evaluation)
    for fluent in found.values():
        fluent.sort()
    return [fluent for fluent in found.values() if fluent.future]


def _add_future(
    found: dict[tuple[Key, Words], Fluent], delay: PlannedDelay, set_up: SetUp, evaluation: Evaluation
) -> None:
    targets = build(delay.target[-1], set_up.rows, evaluation.symbols)
    sources = zip(*(column.tolist() for column in set_up.sources), strict=True)
    details = zip(targets.tolist(), set_up.delays.tolist(), set_up.is_postponable.tolist(), strict=True)
    for (*arguments, source), time, (target, length, postponed) in zip(
        sources, set_up.times.tolist(), details, strict=True
    ):
        future = FutureInitiation(source, target, length, postponed)
        fluent = found[delay.key, tuple(arguments)]
        fluent.future.add(future)
        if time < evaluation.stretch.first:
            fluent.attempts.add((future, time + length))


def _add_points(found: dict[tuple[Key, Words], Fluent], key: Key, evaluation: Evaluation) -> None:
    """The time-points at which the values of the fluents were initiated and terminated."""
    for words, time in _points(evaluation.points("initiations", key)):
        found[key, words[:-1]].initiated[words[-1]].append(time)
    for words, time in _points(evaluation.terminations(key)):
        fluent = found[key, words[:-1]]
        for value in fluent.values if words[-1] == ANY_VALUE else {words[-1]}:
            fluent.terminated[value].append(time)


def _add_triggers(
    found: dict[tuple[Key, Words], Fluent], key: Key, component: PlannedComponent, evaluation: Evaluation
) -> None:
    """The time-points at which the rules of the fluents were triggered."""
    planned = component.fluents[key]
    for rule in (*planned.initiations, *planned.terminations):
        rows = triggers(rule, evaluation)
        if rows.times is None:
            continue
        is_open = isinstance(rule.columns[-1], Var) and rule.columns[-1].name not in rows.columns
        columns: list[Int64] = [build(pattern, rows, evaluation.symbols) for pattern in rule.columns[:-1]]
        columns += [] if is_open else [build(rule.columns[-1], rows, evaluation.symbols)]
        for words, time in _points(PointTable((*columns, rows.times), rows.n)):
            fluent = found[key, words[: key[1]]]
            tried = fluent.tried if rule in planned.initiations else fluent.tried_to_end
            for value in fluent.values if is_open else {words[-1]}:
                tried[value].append(time)


def _points(table: PointTable) -> Iterator[tuple[Words, int]]:
    rows = zip(*(column.tolist() for column in table.columns), strict=True)
    return ((row[:-1], row[-1]) for row in rows)


# -- both --------------------------------------------------------------------------------------------------------------


def measured(name: str, stream: Stream, window: int) -> dict[str, Any]:
    """Evaluations per window, the average over the query times at which the longest window is full."""
    run = stream.run(window, STEP, OpenSession)
    assert isinstance(run.session, OpenSession)
    engine: list[int] = []
    rules: list[int] = []
    reports = run.reports()
    for at in run.queries:
        with counted() as count:
            next(reports)
        if at >= WINDOWS[-1]:
            engine.append(count.n)
            rules.append(naive(run.session.evaluation))
    return {"stream": name, "window": window, "engine": mean(engine), "rules": mean(rules)}


def panel(name: str, rows: list[dict[str, Any]]) -> Panel:
    own = [row for row in rows if row["stream"] == name]
    curves = [
        Curve(label, [row["window"] for row in own], [row[of] for row in own])
        for label, of in (("rules (α)–(γ)", "rules"), ("holdsfor", "engine"))
    ]
    return Panel(name, "window in time-points", "rule evaluations per window", curves, "linear", "linear")


def main() -> None:
    options = size_options("How many rules are evaluated per window?")
    rows = []
    for name, (app, entities) in STREAMS.items():
        stream = generated(app, entities, DURATION_LONG if options.long else DURATION)
        rows += [measured(name, stream, window) for window in WINDOWS]
    cells = [
        [r["stream"], str(r["window"]), f"{r['engine']:,.0f}", f"{r['rules']:,.0f}", f"{r['rules'] / r['engine']:,.1f}"]
        for r in rows
    ]
    print_table(["stream", "window", "engine", "rules (α)–(γ)", "ratio"], cells)
    write_results("evaluations", rows)
    draw_charts(options.pictures / "evaluations.png", [panel(name, rows) for name in STREAMS])


if __name__ == "__main__":
    main()
