"""a stream with changed rules keeps unchanged definitions, and computes the others anew from the records in the window.

Unchanged names have the output of a stream whose rules were never changed. The others have the output of one session
that begins with the window, reads the records in it, and gets the results of the unchanged names from such a stream.
These laws are for state that is lost or given to another rule, for records that new sessions miss, for results between
old and new stages, and for rows of the old rules that stay.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdsfor.analysis.pipeline import Compiled, compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, PointTable
from holdsfor.errors import DataProblem, ExecutionProblem, PlanningProblem
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.runtime.cuts import dated_cuts
from holdsfor.runtime.reports.changes import Changes, changes_since
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import read_columns
from holdsfor.spark.streaming.identity import Manifest, read_manifest
from holdsfor.spark.streaming.keep import keep
from holdsfor.spark.streaming.state_files import FILES
from holdsfor.spark.streaming.stopped_stream import StoppedStream
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Struct, name_and_arity
from holdsfor.syntax.time_points import LATEST
from tests.properties.answers import as_answer, read_case
from tests.properties.deciding_programs import deciding_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.edited_programs import Key, affected_names, edited, mentioning_names, rewritten
from tests.properties.keyed_programs import keyed_case
from tests.properties.programs import Case, random_case
from tests.properties.staged import stages_of
from tests.properties.streamed import SimulatedStream, random_cuts
from tests.properties.test_rescaled import begun, leave_an_attempt, rescaled
from tests.properties.test_restarted import ends_by, known, since
from tests.properties.test_staged_reports import arriving_late, narrow_windows
from tests.properties.test_streamed import ANY, CUT, DECIDING, DELAYED, KEYED, cut_case, on_executors, with_members
from tests.seeds import chunks, named, share

Row = tuple[str, Any]
pytestmark = pytest.mark.in_turn(2)

BUCKETS = (1, 2, 3, 5)


def name_of(shown: str) -> Key:
    """The name of a row."""
    term = parse_term(shown)
    is_fvp = isinstance(term, Struct) and term.name == "="
    return name_and_arity(term.args[0] if is_fvp and isinstance(term, Struct) else term)


# -- the expected rows -------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """One session over all records, with the rows that are known at each query time, and the changes there."""

    session: EngineSession
    rows: dict[int, set[Row]]
    changes: list[Changes]


def evaluated(session: EngineSession, queries: range) -> Run:
    run, rows = Run(session, {}, []), set[Row]()
    for at in queries:
        before = session.last_report() or ReportColumns(session.start - 1, {}, {})
        changes = changes_since(before, session.query(at), session.frontier)
        rows = rows - set(_rows(changes.gone, session.symbols)) | set(_rows(changes.come, session.symbols))
        run.rows[at] = rows
        run.changes.append(changes)
    return run


def _rows(report: ReportColumns, symbols: Symbols) -> Iterator[Row]:
    for name, found in as_answer(report, symbols).items():
        yield from ((name, each) for each in found)


def session_of(lines: list[str], rules: Compiled, run: RunSchedule, symbols: Symbols, **given: Any) -> EngineSession:
    reading = ColumnReading()
    read_columns("\n".join(lines).encode(), "text", rules.names, run.tick, symbols, reading)
    session = EngineSession(
        rules, start=run.start, tick=run.tick, window=run.window, allen_memory=run.reach, symbols=symbols, **given
    )
    session.apply(reading.unsettled())
    return session


def changed_run(lines: list[str], rules: Compiled, run: RunSchedule, old: Run, kept: set[Key], queries: range) -> Run:
    """A session that computes the names that are not kept, with the results of the kept ones as of each query time."""
    every = EngineSession(rules, start=0, window=run.window).rules.program.logical.components
    numbers = [each.number for each in every if not {name_of(v.label) for v in each.vertices} <= kept]
    session = session_of(lines, rules, run, old.session.symbols, components=numbers)
    for changes in old.changes:
        for report, is_gone in ((changes.gone, 1), (changes.come, 0)):
            tables: list[tuple[Key, FluentTable | PointTable]] = [*report.fluents.items(), *report.events.items()]
            for key, table in tables:
                if key in kept and table.n:
                    query_times = np.full(table.n, changes.query_time)
                    session.change_computed(key, table, query_times, np.full(table.n, is_gone))
    for key, found in old.session.state.cuts.items():
        if key in kept:
            session.state.computed_cuts[key] = dated_cuts(found)
    return evaluated(session, queries)


# -- the stream --------------------------------------------------------------------------------------------------------


def changed(stream: SimulatedStream, checkpoint: Path, rules: Compiled, n_buckets: int) -> Manifest:
    """Continue a stream with other rules."""
    found = read_manifest(stream.files)
    assert found is not None
    shipped = Rules.of(rules)
    leave_an_attempt(stream)
    identity = replace(found.identity, fingerprint=shipped.fingerprint())
    manifest = keep(StoppedStream(str(checkpoint), stream.files), identity, shipped)
    if manifest.begins is not None:
        stages = StoppedStream(str(checkpoint), stream.files).stages
        stream.change_rules(rules, stages, n_buckets, manifest)
    return manifest


def kept_names(manifest: Manifest) -> set[Key]:
    return {name_of(vertex.split(" ", 1)[1]) for stage in manifest.fixed for vertex in stage}


def outputs(rules: Compiled) -> set[Key]:
    return {name_of(vertex.label) for vertex in rules.graph.vertices if not vertex.is_input}


@dataclass
class Change:
    """A stream of a program, and its change to another program before a micro-batch."""

    old: Compiled
    new: Compiled
    run: RunSchedule
    batches: list[list[str]]
    stop: int
    names: set[Key]
    """The names of the rules that differ."""
    texts: tuple[str, str]

    @property
    def unchanged(self) -> set[Key]:
        """The names that both programs define, and that depend on no other definitions."""
        affected = affected_names(self.old, self.names) | affected_names(self.new, self.names)
        return outputs(self.old) & outputs(self.new) - affected

    @property
    def unmentioned(self) -> set[Key]:
        """The names that both programs define, and whose rules mention no other definitions."""
        mentioned = set[Key]().union(*(mentioning_names(text, self.names) for text in self.texts))
        return outputs(self.old) & outputs(self.new) - mentioned

    @property
    def has_other_inputs(self) -> bool:
        """Whether other records may fill domains: a fluent without rules is an input fluent."""
        one, other = self.old.names, self.new.names
        return (set(one.input_events), set(one.input_fluents)) != (set(other.input_events), set(other.input_fluents))

    @property
    def lines(self) -> list[str]:
        return [line for batch in self.batches for line in batch]

    @property
    def readable(self) -> list[str]:
        """The records that the new rules have: those before the change only if the old rules read their names."""
        names = {key[0] for key in (*self.old.names.input_events, *self.old.names.input_fluents)}
        earlier = [line for batch in self.batches[: self.stop] for line in batch]
        later = [line for batch in self.batches[self.stop :] for line in batch]
        return [line for line in earlier if line.lstrip("-").split("|")[0] in names] + later


def followed(seed: int, given: Change, stream: SimulatedStream, checkpoint: Path, again: str) -> tuple[int, int]:
    """Compare all query times of a stream whose rules are changed; the numbers of kept and of changed rows."""
    chance = random.Random(seed)
    n_buckets = chance.choice(BUCKETS)
    stream.divide(n_buckets, "")
    begun(stream, checkpoint, n_buckets)
    manifest: Manifest | None = None
    once_more = chance.randint(given.stop, len(given.batches))
    for number, batch in enumerate(given.batches):
        if number == given.stop:
            if chance.random() < 0.5:
                n_buckets = chance.choice(BUCKETS)
                rescaled(stream, checkpoint, n_buckets)
            manifest = changed(stream, checkpoint, given.new, n_buckets)
            if manifest.restarted is None:
                return 0, 0
        elif number == once_more and manifest is not None and stream.log.before(number).last != manifest.restarted:
            n_buckets = _continued(stream, checkpoint, again, n_buckets, chance)
        if number >= given.stop and chance.random() < 0.3:
            stream.batch(number, batch, fails_at=chance.randint(0, 4))
        decision = stream.batch(number, batch)
        (checkpoint / "commits" / str(number)).touch()
    if manifest is None or manifest.restarted is None or decision.last in (None, manifest.restarted):
        return 0, 0
    assert decision.last is not None
    return check(seed, given, stream, manifest, decision.last)


def _continued(stream: SimulatedStream, checkpoint: Path, text: str, n_buckets: int, chance: random.Random) -> int:
    """Change the rules again, to others with the same meaning, or rescale the stream."""
    if chance.random() < 0.5:
        changed(stream, checkpoint, compile_text(text), n_buckets)
        return n_buckets
    stream.manifest = None
    wanted = chance.choice(BUCKETS)
    rescaled(stream, checkpoint, wanted)
    return wanted


def check(seed: int, given: Change, stream: SimulatedStream, manifest: Manifest, until: int) -> tuple[int, int]:
    step, last, begins = given.run.step, manifest.restarted, manifest.begins
    assert step is not None
    assert last is not None
    assert begins is not None
    session = session_of(given.lines, given.old, given.run, Symbols())
    session.keeps_cuts = True
    old = evaluated(session, range(given.run.start + step, until + 1, step))
    kept = kept_names(manifest)
    assert kept >= given.unmentioned or given.has_other_inputs, f"seed {seed}: kept {kept}, not {given.unmentioned}"
    assert kept <= given.unchanged, f"seed {seed}: kept {kept}, not {given.unchanged}"
    later, queries = replace(given.run, start=begins), range(last + step, until + 1, step)
    new = changed_run(given.readable, given.new, later, old, kept, queries)
    settled = {row for row in old.rows[last] if name_of(row[0]) not in kept and ends_by(row[1], begins)}
    n_kept = n_changed = 0
    for at in range(given.run.start + step, until + 1, step):
        found = known(stream.outcome, at, set())
        if at <= last:
            expected = old.rows[at]
        else:
            unchanged = {row for row in old.rows[at] if name_of(row[0]) in kept}
            others = since(new.rows[at], begins if begins > given.run.start else begins - 10**6)
            expected = unchanged | others | settled
            n_kept, n_changed = n_kept + len(unchanged), n_changed + len(others)
        shown = f"seed {seed} at {at}, changed after {last}, begins {begins}, kept {sorted(kept)}"
        assert found == expected, f"{shown}\nmissing {expected - found}\nwrong {found - expected}"
    assert len(stream.outcome.settled) == len(set(stream.outcome.settled)), f"seed {seed}: settled twice"
    assert set(stream.outcome.settled) <= known(stream.outcome, until, set()), f"seed {seed}: settled and removed"
    return n_kept, n_changed


# -- random programs ---------------------------------------------------------------------------------------------------


def compare(seed: int, case: Case, checkpoint: Path) -> tuple[int, int] | str:
    """The numbers of kept and of changed rows, or the reason for which a change is refused."""
    chance = random.Random(seed)
    window, step = narrow_windows(case, chance)
    read_case(case)
    found = (
        edited(case.text, chance) if chance.random() < 0.8 else (case.text, rewritten(case.text, chance), set[Key]())
    )
    if found is None:
        return "no edit"
    before, after, names = found
    batches = random_cuts(arriving_late(case, window, chance), chance)
    run = RunSchedule(case.start, LATEST, case.tick, window, step, case.allen_memory)
    old, new = compile_text(before), compile_text(after)
    given = Change(old, new, run, batches, _stop(batches, run, chance), names, (before, after))
    try:
        last = case.start + (max(int(line.split("|")[1]) for line in given.lines) // step + 1) * step
        for rules in (old, new):
            evaluated(session_of(given.lines, rules, run, Symbols()), range(case.start + step, last, step))
    except (PlanningProblem, ExecutionProblem):
        return "not evaluated"
    stream = SimulatedStream(old, stages_of(replace(read_case(case), compiled=old)), run, 1, checkpoint / FILES)
    on_executors(stream, seed)
    try:
        return followed(seed, given, stream, checkpoint, rewritten(after, chance))
    except DataProblem as problem:
        if "HF797" not in str(problem):
            raise
        return str(problem).splitlines()[0]


def _stop(batches: list[list[str]], run: RunSchedule, chance: random.Random) -> int:
    """The number of a micro-batch after the first query time of a run, and before the last one, if there is one."""
    assert run.step is not None
    arrivals = [max([int(line.split("|")[1]) for line in batch], default=run.start) for batch in batches]
    first, last = run.start + run.step + 1, max(arrivals) - run.step
    at = chance.randint(first, max(first, last))
    return next((number for number, arrival in enumerate(arrivals, start=1) if arrival >= at), len(batches))


def compare_all(seeds: range, made: Callable[[int], Case], folder: Path) -> None:
    for seed in seeds:
        checkpoint = folder / str(seed)
        checkpoint.mkdir()
        print(f"seed {seed}: kept and changed rows", compare(seed, made(seed), checkpoint))


@pytest.mark.parametrize("seeds", chunks(share(ANY, 5)), ids=named)
def test_streams_of_any_program_keep_unchanged_definitions(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, random_case, tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 2)), ids=named)
def test_streams_of_programs_with_keys_keep_unchanged_definitions(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, lambda seed: with_members(keyed_case(seed)), tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(DELAYED, 2)), ids=named)
def test_changed_streams_keep_pending_effects(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, delayed_case, tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(CUT, 5)), ids=named)
def test_changed_streams_keep_intervals_that_are_cut(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, cut_case, tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(DECIDING, 2)), ids=named)
def test_changed_stages_keep_undecided_intervals(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, deciding_case, tmp_path)
