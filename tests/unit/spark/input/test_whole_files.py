"""Whole CSV files of a stream come in the order of their modification, whichever task reads them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.spark.input.frame_reader import ReaderSettings
from holdsfor.spark.input.lines import LINE, PATH
from holdsfor.spark.input.whole_files import BEGIN, WholeFileReader

RULES = Rules.of(compile_text("initiatedAt(on(V)=true, T) :- happensAt(start(V), T)."))
HEADER = "name,start,arg1,op\n"
FILES = {
    100: "".join(f"start,{second},v{second},+\n" for second in range(1, 6)),
    200: "start,5,v5,-\n",
    300: "start,5,v5,+\nstart,9,v9,+\n",
}
"""The lines of files by the place of their first line: the second file retracts the last record of the first one."""


def operations(tasks: Sequence[Sequence[int]]) -> list[str]:
    """The kinds of the records of files in the order of their places, when each task reads some of the files."""
    found = []
    for begins in tasks:
        rows = [{LINE: (HEADER + FILES[each]).encode(), PATH: f"file:/{each}", BEGIN: each} for each in begins]
        reader = WholeFileReader(ReaderSettings(RULES, 1, has_places=True))
        facts = [each for load in reader([pa.RecordBatch.from_pylist(rows)]) for each in load.facts]
        found += [(place, each.kind) for each in facts if "place" in each.times for place in each.times["place"]]
    return [kind for _, kind in sorted(found)]


@pytest.mark.parametrize("tasks", [[[100, 200, 300]], [[300, 200, 100]], [[200], [100], [300]], [[300, 100], [200]]])
def test_tasks_do_not_change_the_order_of_files(tasks: list[list[int]]) -> None:
    assert operations(tasks) == [*["event"] * 5, "-event", "event", "event"]
