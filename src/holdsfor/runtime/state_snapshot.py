"""The state of a session and the members of its domains as a snapshot, and back.

Instance numbers are not part of a snapshot: its tables have words, and a restored session numbers the instances again
on demand. A snapshot has the members of dynamic domains and sorts that come from records; the others follow from the
rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple
from typing import Any, TypeAlias

from holdsfor.analysis.fingerprint import fingerprint
from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.kernels.inertia import BEFORE_EVERYTHING
from holdsfor.kernels.keys import Int64
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.cuts import DatedCuts
from holdsfor.runtime.initial_values import InitialValues
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.snapshot import Snapshot, integer, integer_or_none
from holdsfor.runtime.snapshot_parts import Part, PartReader, PartWriter
from holdsfor.runtime.state import State
from holdsfor.runtime.upstream_results import UpstreamResults
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.syntax.terms import Term

__all__ = [
    "DOMAINS",
    "Members",
    "check_rules",
    "members_of",
    "recoded_state",
    "report_of",
    "snapshot_of",
    "snapshot_with",
    "state_of",
    "stored_members",
    "stored_state",
    "written_state",
]

_CLOCK = ("start", "settled", "watermark", "first_query_time", "previous", "evaluated_at")
_COUNTS = ("is_announced", "n_new_members")
DOMAINS = ("brought", "lasting")
"""The members of domains in a snapshot; the others are those of sorts."""

Members: TypeAlias = dict[str, dict[Any, list[Int64]]]
"""Columns of members: those that records have `brought` to domains, the `lasting` ones, and those of sorts."""


def snapshot_of(
    state: State,
    rules: PreparedRules,
    settings: dict[str, Any],
    more: dict[str, Any] | None = None,
    report: ReportColumns | None = None,
) -> Snapshot:
    """A state with the members of the domains of its rules. O(n) in the open FVPs and the records in the window.

    With the last `report`, a restored session has it without an evaluation.
    """
    return snapshot_with(state, members_of(rules), rules.symbols, rules.fingerprint, settings, more, report)


def snapshot_with(
    state: State,
    members: Members,
    symbols: Symbols,
    fingerprint: str,
    settings: dict[str, Any],
    more: dict[str, Any] | None = None,
    report: ReportColumns | None = None,
) -> Snapshot:
    """A state with members of domains and sorts, all with words of the symbols."""
    writer = PartWriter(symbols)
    parts = {
        "state": written_state(state, writer),
        "members": _written_members(members, writer),
    }
    if report is not None:
        fluents, events = writer.by_id(report.fluents, writer.fluents), writer.by_id(report.events, writer.points)
        parts["report"] = [report.query_time, fluents, events]
    return Snapshot(fingerprint, settings, parts, writer.columns, writer.recoding.terms, more or {})


def check_rules(
    snapshot: Snapshot, compiled: Compiled, goals: Iterable[Term], name: str, prepared: PreparedRules | None = None
) -> None:
    """Refuse a snapshot of other rules or goals; `prepared` are the rules and goals of an earlier session."""
    if snapshot.fingerprint != (fingerprint(compiled, goals) if prepared is None else prepared.fingerprint):
        message = f"the snapshot `{name}` is of other rules, background facts or start-up goals"
        raise UsageProblem(Diagnostic("HF744", message, hint="give the rules and goals with which it was saved"))


def state_of(snapshot: Snapshot, rules: PreparedRules) -> State:
    """The state of a snapshot with the words of the rules' symbols; its members are added to the rules' domains."""
    reader = PartReader(snapshot, rules.symbols)
    _read_members(snapshot.parts["members"], rules, reader)
    return _read(snapshot.parts["state"], reader, rules.symbols)


def stored_state(snapshot: Snapshot, symbols: Symbols) -> State:
    """The state of a snapshot with words of the symbols, without the members of domains."""
    return _read(snapshot.parts["state"], PartReader(snapshot, symbols), symbols)


def report_of(snapshot: Snapshot, symbols: Symbols) -> ReportColumns | None:
    """The last report of a session, if the snapshot has it."""
    part = snapshot.parts.get("report")
    if part is None:
        return None
    read = PartReader(snapshot, symbols)
    query_time, fluents, events = part
    return ReportColumns(integer(query_time), read.all_fluents(fluents), read.all_points(events))


def recoded_state(state: State, old: Symbols, new: Symbols) -> State:
    """The state with words of another symbol table, which gets only the symbols that the state refers to."""
    writer = PartWriter(old)
    part = written_state(state, writer)
    plain = Snapshot("", {}, {}, writer.columns, writer.recoding.terms, {})
    return _read(part, PartReader(plain, new), new)


def written_state(state: State, write: PartWriter) -> Part:
    """The parts of a state."""
    time_range = None if state.time_range is None else list(astuple(state.time_range))
    edges = {(kind, *key): points for (kind, key), points in state.edges.items()}
    return {
        **{name: getattr(state, name) for name in (*_CLOCK, *_COUNTS)},
        "time_range": time_range,
        "reported_until": state.reported_until,
        "place_kinds": state.place_kinds.to_json(),
        "records": write.store(state.records),
        "held": write.by_id(state.held, write.fluents),
        "edges": write.by_id(edges, write.points),
        "pending": [[number, write.set_ups(found)] for number, found in state.pending.items()],
        "prefixes": write.by_id(state.prefixes, write.lists),
        "allen": write.by_id(state.allen, write.kept),
        "made": write.by_id(state.made, write.lists),
        "complements": write.by_id(state.complements, write.rows),
        "ranges": write.by_id(state.ranges, write.words),
        "settled_cuts": write.by_id(state.settled_cuts, write.fluents),
        "settled_input_cuts": write.by_id(state.settled_input_cuts, write.fluents),
        "horizons": write.by_id(state.horizons, int),
        "initial": write.by_id(state.initial.known, write.relation),
        "computed": _written_upstream(state.computed, write),
        "computed_cuts": write.by_id(state.computed_cuts, lambda each: _written_dated(each, write)),
        "cuts": write.by_id(state.cuts, lambda found: [[at, write.fluents(cuts)] for at, cuts in found]),
    }


def _read(part: Part, read: PartReader, symbols: Symbols) -> State:
    edges = read.by_key(part["edges"], read.points, 2)
    return State(
        start=integer(part["start"]),
        settled=integer(part["settled"]),
        watermark=integer(part["watermark"]),
        first_query_time=integer_or_none(part["first_query_time"]),
        previous=integer_or_none(part["previous"]),
        evaluated_at=integer_or_none(part["evaluated_at"]),
        is_announced=bool(part["is_announced"]),
        n_new_members=integer(part["n_new_members"], 0),
        time_range=None if part["time_range"] is None else _time_range(*part["time_range"]),
        reported_until=integer(part.get("reported_until", BEFORE_EVERYTHING)),
        place_kinds=PlaceKinds().with_json(part["place_kinds"]),
        records=read.store(part["records"]),
        held=read.all_fluents(part["held"]),
        edges={(place[0], place[1:]): points for place, points in edges.items()},
        pending={number: read.set_ups(found) for number, found in part["pending"]},
        prefixes=read.by_id(part["prefixes"], read.lists),
        allen=read.by_id(part["allen"], read.kept),
        made=read.by_id(part["made"], read.lists),
        complements=read.by_id(part["complements"], read.rows),
        ranges=read.by_id(part["ranges"], read.words),
        settled_cuts=read.all_fluents(part["settled_cuts"]),
        settled_input_cuts=read.all_fluents(part["settled_input_cuts"]),
        horizons=read.by_id(part["horizons"], integer),
        initial=InitialValues(read.by_id(part["initial"], read.relation)),
        computed=_read_upstream(part["computed"], read, symbols),
        computed_cuts=read.by_id(part["computed_cuts"], lambda each: _read_dated(each, read)),
        cuts=read.by_id(part["cuts"], lambda found: [(at, read.fluents(cuts)) for at, cuts in found]),
    )


def _time_range(first: Part, last: Part, tick: Part, first_of_run: Part, is_resumed: Part) -> TimeRange:
    return TimeRange(
        integer(first), integer(last), integer(tick, 1), integer(first_of_run), is_resumed=bool(is_resumed)
    )


def _written_dated(found: DatedCuts, write: PartWriter) -> Part:
    cuts, since, until = found
    return [write.fluents(cuts), write.numbers(since), write.numbers(until)]


def _read_dated(part: Part, read: PartReader) -> DatedCuts:
    return read.fluents(part[0]), read.numbers(part[1]), read.numbers(part[2])


def _written_upstream(computed: UpstreamResults, write: PartWriter) -> Part:
    events = [[*key, write.points(table), *map(write.numbers, known)] for key, table, *known in computed.all_events()]
    fluents = [
        [*key, write.fluents(table), *map(write.numbers, known)] for key, table, *known in computed.all_fluents()
    ]
    return [events, fluents]


def _read_upstream(part: Part, read: PartReader, symbols: Symbols) -> UpstreamResults:
    computed = UpstreamResults(symbols.instances)
    events, fluents = part
    for name, arity, table, since, until in events:
        computed.add_events((name, arity), read.points(table), read.numbers(since), read.numbers(until))
    for name, arity, table, since, until in fluents:
        computed.add_fluents((name, arity), read.fluents(table), read.numbers(since), read.numbers(until))
    return computed


def members_of(rules: PreparedRules) -> Members:
    """The members of domains and sorts that come from records."""
    found: Members = {
        "brought": {key: list(columns) for key, columns in rules.background.brought().items()},
        "lasting": dict(rules.members.lasting),
    }
    if rules.ranges_over_sorts:
        words = rules.symbols.words
        for name, terms in (("sorts", rules.sorts().of_input), ("lasting_sorts", rules.sorts().lasting)):
            found[name] = {place: [words(each)] for place, each in terms.items()}
    return found


def _written_members(members: Members, write: PartWriter) -> Part:
    return {
        name: write.by_id(found, write.all_words if name in DOMAINS else lambda columns: write.words(columns[0]))
        for name, found in members.items()
    }


def stored_members(snapshot: Snapshot, symbols: Symbols) -> Members:
    """The members in a snapshot, with words of the symbols."""
    read = PartReader(snapshot, symbols)
    return {
        name: read.by_id(
            part,
            (lambda columns: [read.words(each) for each in columns])
            if name in DOMAINS
            else (lambda column: [read.words(column)]),
        )
        for name, part in snapshot.parts["members"].items()
    }


def _read_members(part: Part, rules: PreparedRules, read: PartReader) -> None:
    for key, columns in part["brought"]:
        rules.background.add_members(tuple(key), [read.words(each) for each in columns])
    rules.members.lasting = read.by_id(part["lasting"], lambda columns: [read.words(each) for each in columns])
    if rules.ranges_over_sorts:
        terms = rules.symbols.terms
        rules.sorts().restore_input(
            *(
                {place: set(terms(words)) for place, words in read.by_id(part[name], read.words).items()}
                for name in ("sorts", "lasting_sorts")
            )
        )
