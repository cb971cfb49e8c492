"""RTEC's tests of its data loader: how many records of its files arrive by when."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.records import Records
from holdsfor.sources.inputs import read_inputs
from tests.rtec.peer import rtec

# The names of the records in the two files, as a rule asks for them.
RULES = """
initiatedAt(stopped(V)=true, T) :- happensAt(stop_enter(V,_,_,_), T).
terminatedAt(stopped(V)=true, T) :- happensAt(stop_leave(V,_,_,_), T).
holdsFor(turning(V)=true, I) :- holdsFor(sharp_turn(V,_)=_, I).
collectIntervals(sharp_turn(_,_)=_).
"""
STOPS, TURNS = "stop_enter_leave_sef.csv", "sharp_turn_sef.csv"

# Of each test: the files, the first and the last query time, and how many events and intervals are read. The loop of
# these tests reads one step of 1,000 ahead.
STEP = 1000
TESTS = {
    "whole_single_file_ie": ((STOPS,), 0, 4000, 1000, 0),
    "window_limits": (("stop_enter_leave_win_lim_sef.csv",), 0, 4000, 1000, 0),
    "whole_single_file_de": ((TURNS,), 0, 8000, 0, 1000),
    "whole_two_files_ie_de": ((STOPS, TURNS), 0, 8000, 1000, 1000),
    "partial1_two_files_ie_de": ((STOPS, TURNS), 0, 2000, 750, 375),
    "partial2_two_files_ie_de": ((STOPS, TURNS), 0, 5000, 1000, 750),
    "partial3_two_files_ie_de": ((STOPS, TURNS), 1000, 5000, 750, 625),
}


def test_as_many_records_arrive_as_in_rtec(count: Callable[[str, int, int], None]) -> None:
    for name, (files, start, end, *n_expected) in TESTS.items():
        reading = read_inputs([_path(file) for file in files], compile_text(RULES).names, 1, Symbols())
        assert reading.set_aside == []
        found = [_n_arrived(each.values(), start, end + STEP) for each in (reading.events, reading.fluents)]
        assert found == n_expected, name
    count("data loader tests", len(TESTS), 0)


def _path(file: str) -> Path:
    return rtec("unit-tests", "data-loader-tests", "tests", "ctm", file)


def _n_arrived(each: Iterable[Records], start: int, end: int) -> int:
    """How many records arrive after one time-point and up to another."""
    return sum(int(np.count_nonzero((records.arrivals > start) & (records.arrivals <= end))) for records in each)
