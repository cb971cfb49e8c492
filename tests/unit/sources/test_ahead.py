"""Records from the future: the rest of an input is read as if they were not there, and they do not move its clock."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.sources.feeds import Feed
from holdsfor.sources.fields import Horizon
from holdsfor.sources.live_inputs import open_feed
from holdsfor.sources.live_reading import take_due

NAMES = compile_text("""
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
holdsFor(seen(X)=true, I) :- holdsFor(lit(X)=true, I1), holdsFor(near(X)=true, I2), intersect_all([I1, I2], I).
collectIntervals(near(_)=true).
""").names
LAST = 100

Row = tuple[str, int, int]
"""The name, the arrival and the occurrence of a record."""


def is_ahead(row: Row) -> bool:
    name, arrival, start = row
    return arrival > LAST or (name != "unused" and start > LAST)


def text(rows: list[Row]) -> str:
    ends = {"near": "|inf|true", "on": "", "unused": ""}
    return "".join(f"{name}|{arrival}|{start}{ends[name.removeprefix('-')]}|a\n" for name, arrival, start in rows)


def jsonl(rows: list[Row]) -> str:
    found = []
    for name, arrival, start in rows:
        row: dict[str, object] = {"name": name.removeprefix("-"), "arrival": arrival, "start": start, "arg1": "a"}
        row |= {"op": "-"} if name.startswith("-") else {}
        row |= {"end": "inf", "value": "true"} if "near" in name else {}
        found.append(json.dumps(row) + "\n")
    return "".join(found)


def csv(rows: list[Row], *, are_dates: bool = False) -> str:
    def shown(time: int) -> str:
        return datetime.fromtimestamp(time, UTC).isoformat() if are_dates else str(time)

    lines = ["name,arrival,start,end,value,op,arg1"]
    for name, arrival, start in rows:
        value = "inf,true" if "near" in name else ","
        op = "-" if name.startswith("-") else "+"
        lines.append(f"{name.removeprefix('-')},{shown(arrival)},{shown(start)},{value},{op},a")
    return "\n".join([*lines, ""])


FORMS: dict[str, Callable[[list[Row]], str]] = {
    "txt": text,
    "jsonl": jsonl,
    "csv": csv,
    "dates.csv": partial(csv, are_dates=True),
}


def read(path: Path, horizon: Horizon) -> Feed:
    feed = open_feed(str(path), NAMES, 1, Symbols())
    feed.reading.horizon = horizon
    while not feed.has_ended:
        feed.read(-1000)
    return feed


def content(feed: Feed) -> list[object]:
    """The clock, the counts and the records of an input, without the order of reading."""
    found: list[object] = [feed.reading.clock, dict(feed.reading.unused)]
    for each in take_due([feed.reading], 10**9):
        records = each.records
        found.append((each.key, records.starts.tolist(), records.arrivals.tolist()))
        found.append(None if each.retractions is None else each.retractions.records.starts.tolist())
    return found


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_an_input_with_a_horizon_is_read_as_if_records_after_it_were_not_there(form: str, data: st.DataObject) -> None:
    names = st.sampled_from(["on", "near", "unused", "-on"])
    times = st.integers(LAST - 2, LAST + 2)
    rows = [("on", 0, 0), *data.draw(st.lists(st.tuples(names, times, times)))]
    horizon = Horizon(dates=LAST) if form == "dates.csv" else Horizon(integers=LAST)
    with TemporaryDirectory() as folder:
        all_rows, expected = Path(folder) / f"all.{form}", Path(folder) / f"expected.{form}"
        all_rows.write_text(FORMS[form](rows), encoding="utf-8")
        expected.write_text(FORMS[form]([row for row in rows if not is_ahead(row)]), encoding="utf-8")
        found = read(all_rows, horizon)
        assert content(found) == content(read(expected, Horizon()))
    reasons = [misfit.reason for misfit in found.reading.set_aside]
    assert len(reasons) == sum(map(is_ahead, rows))
    assert all(" is ahead: more than `max-ahead` after " in reason for reason in reasons)
    assert found.reading.n_records == len(rows)


@pytest.mark.parametrize(("form", "horizon"), [("csv", Horizon(dates=0)), ("dates.csv", Horizon(integers=0))])
def test_the_horizon_of_the_other_form_of_times_does_not_count(tmp_path: Path, form: str, horizon: Horizon) -> None:
    path = tmp_path / f"records.{form}"
    path.write_text(FORMS[form]([("on", 10**9, 10**9)]), encoding="utf-8")
    assert not read(path, horizon).reading.set_aside
