"""ISO times are read back as the same time-points."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.cli.options.durations import PER_SECOND
from holdsfor.errors import DataProblem
from holdsfor.sinks.result_lines import LINES, TermReport
from holdsfor.sinks.time_formats import as_iso, as_term
from holdsfor.sources.times import Clock, Unit
from holdsfor.syntax.parser import parse_term

FOUND = TermReport(60, {parse_term("f(a)=true"): [(3, 9), (20, None)]}, {parse_term("e"): [4]})


@given(st.sampled_from(["s", "ms", "us"]), st.integers(-62_135_596_800, 253_402_300_799))
def test_an_iso_time_is_read_back_as_the_same_time_point(unit: Unit, time: int) -> None:
    written = as_iso(PER_SECOND[unit])(time)
    assert isinstance(written, str)
    assert Clock(unit).read(written) == time


@pytest.mark.parametrize("time", [-62_135_596_801, 253_402_300_800, 2**62])
def test_a_time_without_a_date_is_an_error(time: int) -> None:
    with pytest.raises(DataProblem, match="HF731"):
        as_iso(1)(time)


def test_open_ends_stay_open() -> None:
    assert as_term(None, as_iso(1)) == "inf"


def test_lines_have_iso_times_where_they_had_integers() -> None:
    shown = as_iso(1)
    text = list(LINES["text"]([FOUND], shown))
    assert text == [
        "% query time 1970-01-01T00:01:00Z",
        "holdsFor(f(a)=true, [('1970-01-01T00:00:03Z','1970-01-01T00:00:09Z'),('1970-01-01T00:00:20Z',inf)]).",
        "happensAt(e, ['1970-01-01T00:00:04Z']).",
    ]
    for line in text[1:]:
        parse_term(line.removesuffix("."))
    assert list(LINES["jsonl"]([FOUND], shown))[2] == (
        '{"query_time": "1970-01-01T00:01:00Z", "kind": "event", "name": "e", "arguments": [], "value": null, '
        '"fvp": "e", "start": "1970-01-01T00:00:04Z", "end": "1970-01-01T00:00:04Z"}'
    )
    assert list(LINES["csv"]([FOUND], shown))[2] == (
        '1970-01-01T00:01:00Z,fluent,f,"[""a""]",true,f(a)=true,1970-01-01T00:00:20Z,'
    )
