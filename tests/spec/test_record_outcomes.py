"""Section 7: every outcome of a record has one name. Sections 1 and 8: invalid records are set aside."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor as hf

RULES = """
collectIntervals(jf(_)=true).
initiatedAt(f(X)=true, T) :- happensAt(on(X), T).
terminatedAt(f(X)=true, T) :- happensAt(off(X), T).
initiatedAt(g(X)=true, T) :- happensAt(start(jf(X)=true), T).
"""

OUTCOMES = {
    "on time": ("on|3|3|a", 5, {}),
    "just in time for its query time": ("on|5|3|a", 5, {}),
    "late": ("on|7|4|a", 10, {"late": 1}),
    "late by many query times": ("on|17|4|a", 20, {"late": 1}),
    "dropped": ("on|20|3|a", 5, {"dropped": 1}),
    "dropped at the edge": ("on|10|5|a", 5, {"dropped": 1}),
    "a late retraction": ("on|3|3|a\n-on|7|3|a", 10, {"late": 1}),
    "a retraction that no window admits": ("on|3|3|a\n-on|20|3|a", 5, {"dropped": 1}),
    "cut": ("jf|14|4|20|true|a", 5, {"cut": 1}),
    "an interval that no window admits": ("jf|20|4|8|true|a", 5, {"dropped": 1}),
    "unmatched": ("-on|3|3|a", 5, {"unmatched": 1}),
    "unmatched, because its record comes later": ("-on|3|3|a\non|4|3|a", 5, {"unmatched": 1}),
    "a duplicate has no outcome": ("on|3|3|a\non|3|3|a", 5, {}),
    "no number where a time is expected": ("on|3|x|a", 5, {"set_aside": 1}),
    "beyond the last time-point": (f"on|3|{2**62 + 1}|a\non|3|{-(2**62) - 1}|a", 5, {"set_aside": 2}),
    "an interval that ends before it begins": ("jf|3|9|4|true|a", 5, {"set_aside": 1}),
}


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.parametrize("merge_windows", [False, True])
def test_a_record_has_one_outcome(tmp_path: Path, name: str, merge_windows: bool) -> None:
    lines, window, expected = OUTCOMES[name]
    path = tmp_path / "records.txt"
    path.write_text(lines + "\n")
    rules = hf.load_text(RULES)
    found = hf.recognise(
        rules, path, start=0, end=30, window=window, step=5, merge_windows=merge_windows, max_set_aside="100%"
    )
    counts = {outcome: getattr(found, outcome) for outcome in ("late", "dropped", "cut", "unmatched", "set_aside")}
    assert counts == {**dict.fromkeys(counts, 0), **expected}


@pytest.mark.parametrize("merge_windows", [False, True])
def test_time_ranges_without_records_cost_nothing(tmp_path: Path, merge_windows: bool) -> None:
    path = tmp_path / "records.txt"
    far = 10**15
    path.write_text(f"on|1|1|a\noff|{far}|{far}|a\njf|{far + 7}|{far + 7}|{far + 9}|true|b\n")
    rules = hf.load_text(RULES + "fi(f(X)=true, h(X)=true, 1000000000).\n")
    found = hf.recognise(rules, path, start=0, end=far + 20, window=10, step=10, merge_windows=merge_windows)
    assert found.holds_for("f(a)=true") == [(2, far + 1)]
    assert found.holds_for("h(a)=true") == [(1_000_000_002, None)]
    assert found.holds_for("g(b)=true") == [(far + 7, None)]


def test_times_at_both_ends_of_time(tmp_path: Path) -> None:
    path = tmp_path / "records.txt"
    first, last = -(2**62), 2**62
    path.write_text(f"on|{first}|{first}|a\noff|{last}|{last}|a\n")
    found = hf.recognise(hf.load_text(RULES), path)
    assert found.holds_for("f(a)=true") == [(first + 1, last + 1)]
