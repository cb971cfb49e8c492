"""The laws of changes, on random programs and streams with late, early, duplicate, revised and retracted records.

feed: the rows `-` and `+` of all query times, applied in order to an empty set, give the known results at each of them.
The rows of `report.feed()`, of `--changes` in every format and of `--report changes` are the same changes.

contract: a row to remove is known, a row to add is not, and the known intervals of an FVP are maximal.

retract(insert(x)): leaves no trace in later reports, and the changes of x and of its retraction cancel.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import ExecutionProblem, PlanningProblem
from tests.properties.laws import random_schedule
from tests.properties.programs import Case, random_case
from tests.properties.streams_of_operations import Operations, operations_of
from tests.properties.test_session import arriving, fact_of, moved, session_of
from tests.seeds import chunks, named, share

FEED = range(7000, 7200)
TRACES = range(7200, 7300)
FILES = range(7300, 7330)

Row = tuple[str, str, int, int | None]
"""`fluent` or `event`, the FVP or event, and the interval, or the time-point twice."""


def row_of(row: Mapping[str, Any]) -> Row:
    return row["kind"], row["fvp"], row["start"], row["end"]


def applied(known: set[Row], rows: Iterable[Mapping[str, Any]]) -> None:
    """Apply the rows of a feed one after the other: those to remove are known, those to add are not."""
    for row in rows:
        found = row_of(row)
        assert row["op"] in ("-", "+")
        assert (found in known) == (row["op"] == "-"), row
        known ^= {found}


def check_maximal(known: Iterable[Row]) -> None:
    """The intervals of an FVP neither overlap nor touch."""
    spans: dict[str, list[tuple[int, int | None]]] = {}
    for kind, name, start, end in known:
        if kind == "fluent":
            spans.setdefault(name, []).append((start, end))
    for name, found in spans.items():
        ordered = sorted(found, key=lambda span: span[0])
        assert all(end is not None and end < start for (_, end), (start, _) in pairwise(ordered)), name


def in_window(known: Iterable[Row], new: set[Row], boundary: int, tick: int) -> set[Row]:
    """The rows with a time-point in the window; events at its edge are included when they are new."""
    following = (boundary // tick + 1) * tick

    def is_inside(row: Row) -> bool:
        kind, _, start, end = row
        if kind == "event":
            return start > boundary or (start == boundary and row in new)
        return end is None or end > following

    return {row for row in known if is_inside(row)}


def reports_of(case: Case, operations: Operations, window: int, step: int) -> Iterator[tuple[int, hf.Report]]:
    """The report of each query time, after the operations before it."""
    session = session_of(case, window, step, strict=False)
    for at, lines in operations.before.items():
        session.insert(lines)
        yield at, session.query(at)


def from_changes(report: hf.Report) -> Counter[tuple[str, str, int, int | None]]:
    """The rows of a feed, from the list of changes: a revised interval is a row to remove and a row to add."""
    found: Counter[tuple[str, str, int, int | None]] = Counter()
    for change in report.changes:
        for op, span in (("-", change.old), ("+", change.new)):
            if span is not None:
                found[op, change.name, *(span if isinstance(span, tuple) else (span, span))] += 1
    return found


@pytest.mark.parametrize("seeds", chunks(share(FEED, 25)), ids=named)
def test_a_feed_applied_to_an_empty_set_gives_the_known_results(seeds: range) -> None:
    kinds: set[str] = set()
    n_removed = n_unmatched = 0
    for seed in seeds:
        case, chance = random_case(seed), random.Random(seed)
        schedule, step = random_schedule(case, chance)
        operations = operations_of(case, schedule.query_times, chance)
        known: set[Row] = set()
        boundary = case.start - 1
        try:
            for at, report in reports_of(case, operations, schedule.window, step):
                feed = report.feed().to_pylist()
                applied(known, feed)
                check_maximal(known)
                new = {row_of(row) for row in feed if row["op"] == "+"}
                assert in_window(known, new, boundary, case.tick) == set(report.rows()), f"seed {seed}, at {at}"
                assert from_changes(report) == Counter((row["op"], *row_of(row)[1:]) for row in feed)
                boundary = max(case.start - 1, at + step - schedule.window)
                n_removed += sum(row["op"] == "-" for row in feed)
                n_unmatched += report.unmatched
        except (PlanningProblem, ExecutionProblem):
            continue
        kinds |= operations.kinds
    assert n_removed > 0
    assert n_unmatched > 0
    assert kinds == {
        *("on time", "late", "early", "duplicate", "retracted", "inserted again", "revised", "part retracted"),
        "unmatched",
    }


# -- retract(insert(x)) ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", chunks(share(TRACES, 25)), ids=named)
def test_records_that_are_retracted_at_once_leave_no_trace_in_reports_and_changes(seeds: range) -> None:
    n_passing = 0
    for seed in seeds:
        case, chance = random_case(seed), random.Random(seed)
        schedule, step = random_schedule(case, chance)
        operations = operations_of(case, schedule.query_times, chance)
        passing = with_passing(operations, schedule.window, case.tick, chance)
        n_passing += sum(len(lines) for lines in passing.before.values())
        n_passing -= sum(len(lines) for lines in operations.before.values())
        try:
            pairs = zip(
                reports_of(case, operations, schedule.window, step),
                reports_of(case, passing, schedule.window, step),
                strict=True,
            )
            for (at, plain), (_, busy) in pairs:
                assert list(busy.rows()) == list(plain.rows()), f"seed {seed}, at {at}"
                assert busy.changes == plain.changes, f"seed {seed}, at {at}"
                assert busy.feed() == plain.feed(), f"seed {seed}, at {at}"
                assert busy.unmatched == plain.unmatched
        except (PlanningProblem, ExecutionProblem):
            continue
    assert n_passing > 0


def with_passing(operations: Operations, window: int, tick: int, chance: random.Random) -> Operations:
    """The operations, with records in the window that are inserted and retracted before the query time sees them."""
    staying = {fact_of(line.removeprefix("-")) for lines in operations.before.values() for line in lines}
    found = Operations({at: list(lines) for at, lines in operations.before.items()})
    for at, lines in operations.before.items():
        for line in lines:
            times = range((at - window) // tick + 1, at // tick + 1)
            record = moved(line, chance.choice(times) * tick) if times and not line.startswith("-") else None
            # A duplicate would be the same record as one that stays, and a part of one could be retracted with it.
            if record is not None and record[:2] != "jf" and fact_of(record) not in staying and chance.random() < 0.5:
                arriving_now = arriving(record, at)
                found.before[at] += [arriving_now, f"-{arriving_now}"]
                staying.add(fact_of(record))
    return found


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", chunks(share(FILES, 5)), ids=named)
def test_files_of_changes_have_the_rows_of_the_feed_in_every_format(seeds: range, tmp_path: Path) -> None:
    n_rows = 0
    for seed in seeds:
        case, chance = random_case(seed), random.Random(seed)
        schedule, step = random_schedule(case, chance)
        operations = operations_of(case, schedule.query_times, chance)
        lines = [line for lines in operations.before.values() for line in lines]
        (tmp_path / "rules.prolog").write_text(case.text)
        (tmp_path / "records.txt").write_text("".join(f"{line}\n" for line in lines))
        arguments = ["run", str(tmp_path / "rules.prolog"), "--input", str(tmp_path / "records.txt")]
        arguments += ["--start", str(case.start), "--end", str(case.end), "--tick", str(case.tick)]
        arguments += ["--window", str(schedule.window), "--step", str(step), "-o", str(tmp_path / "answer.jsonl")]
        if case.allen_memory is not None:
            arguments += ["--allen-memory", str(case.allen_memory)]
        if main([*arguments, "--changes", str(tmp_path / "feed.jsonl")]) != 0:
            continue
        expected = list(map(json.loads, (tmp_path / "feed.jsonl").read_text().splitlines()))
        n_rows += len(expected)
        known: set[Row] = set()
        applied(known, expected)
        check_maximal(known)
        for suffix in ("csv", "parquet", "arrow"):
            file = tmp_path / f"feed.{suffix}"
            assert main([*arguments, "--changes", str(file)]) == 0
            assert read_feed(file) == expected
        assert main([*arguments, "--changes", str(tmp_path / "feed.txt")]) == 0
        signs = Counter(line[0] for line in (tmp_path / "feed.txt").read_text().splitlines())
        assert signs["-"] + signs["+"] == len(expected)
        assert signs["-"] == sum(row["op"] == "-" for row in expected)
        assert main([*arguments, "--report", "changes"]) == 0
        rows = map(json.loads, (tmp_path / "answer.jsonl").read_text().splitlines())
        assert sorted(map(str, from_report(rows))) == sorted(
            str((row["query_time"], row["op"], *row_of(row))) for row in expected
        )
    assert n_rows > 0


def from_report(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """The rows of a feed, from the rows of `--report changes`."""
    for row in rows:
        if row["change"] != "added":
            yield row["query_time"], "-", row["kind"], row["fvp"], row["old_start"], row["old_end"]
        if row["change"] != "retracted":
            yield row["query_time"], "+", row["kind"], row["fvp"], row["start"], row["end"]


def read_feed(file: Path) -> list[dict[str, Any]]:
    if file.suffix == ".parquet":
        return list(pq.read_table(file).to_pylist())
    if file.suffix == ".arrow":
        return list(pa.ipc.open_file(file).read_all().to_pylist())
    with file.open(newline="") as opened:
        return [_typed(row) for row in csv.DictReader(opened)]


def _typed(row: dict[str, str]) -> dict[str, Any]:
    times = {name: int(row[name]) if row[name] else None for name in ("query_time", "start", "end")}
    value = row["value"] if row["kind"] == "fluent" else None
    return {**row, **times, "arguments": json.loads(row["arguments"]), "value": value}
