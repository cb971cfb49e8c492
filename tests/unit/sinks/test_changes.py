"""Removed and added intervals as changes, and the lines that show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.sinks.change_lines import CHANGE_LINES, ChangeReport, change_schema
from holdsfor.sinks.changes import Change, Interval, event_changes, interval_changes
from holdsfor.sinks.time_formats import as_iso
from holdsfor.syntax.parser import parse_term
from tests.results import read_csv_table

FVP = parse_term("f(a)=true")
EVENT = parse_term("o(a)")


def changes_of(gone: list[Interval], come: list[Interval]) -> list[tuple[str, object, object]]:
    return [(change.kind, change.old, change.new) for change in interval_changes({FVP: gone}, {FVP: come})]


@pytest.mark.parametrize(
    ("gone", "come", "expected"),
    [
        ([], [(3, 9)], [("added", None, (3, 9))]),
        ([(3, None)], [], [("retracted", (3, None), None)]),
        ([(3, None)], [(3, 9)], [("shortened", (3, None), (3, 9))]),
        ([(3, 9)], [(3, None)], [("extended", (3, 9), (3, None))]),
        ([(3, 9)], [(1, 9)], [("extended", (3, 9), (1, 9))]),
        ([(3, None)], [(5, None)], [("shortened", (3, None), (5, None))]),
        ([(3, 20)], [(3, 9), (12, 20)], [("shortened", (3, 20), (3, 9)), ("added", None, (12, 20))]),
        ([(3, 9), (12, 20)], [(3, 20)], [("retracted", (12, 20), None), ("extended", (3, 9), (3, 20))]),
        ([(3, 9)], [(1, 12)], [("retracted", (3, 9), None), ("added", None, (1, 12))]),
    ],
)
def test_an_interval_is_revised_by_one_with_the_same_start_or_else_the_same_end(
    gone: list[Interval], come: list[Interval], expected: list[tuple[str, object, object]]
) -> None:
    assert changes_of(gone, come) == expected


_lists = st.lists(st.integers(0, 30), unique=True).map(
    lambda points: list(zip(sorted(points)[::2], sorted(points)[1::2], strict=False))
)


@given(_lists, _lists)
def test_changes_contain_every_removed_and_added_interval(gone: list[Interval], come: list[Interval]) -> None:
    gone, come = [i for i in gone if i not in come], [i for i in come if i not in gone]
    changes = changes_of(gone, come)
    assert sorted(old for _, old, _ in changes if isinstance(old, tuple)) == sorted(gone)
    assert sorted(new for _, _, new in changes if isinstance(new, tuple)) == sorted(come)
    for kind, old, new in changes:
        if isinstance(old, tuple) and isinstance(new, tuple):
            assert (kind == "extended") == (new[1] - new[0] > old[1] - old[0])


CHANGED = [
    ChangeReport(
        10,
        [
            Change("shortened", "f(a)=true", (3, None), (3, 9)),
            Change("added", "f('B, c')=true", None, (4, None)),
            *event_changes({EVENT: [3]}, {EVENT: [4]}),
        ],
    )
]


def test_changes_as_text_parse_as_facts() -> None:
    lines = list(CHANGE_LINES["text"](CHANGED))
    assert lines == [
        "% query time 10",
        "shortened(f(a)=true, (3,inf), (3,9)).",
        "added(f('B, c')=true, (4,inf)).",
        "retracted(o(a), 3).",
        "added(o(a), 4).",
    ]
    for line in lines[1:]:
        parse_term(line.removesuffix("."))


def test_changes_as_json_lines() -> None:
    rows = [json.loads(line) for line in CHANGE_LINES["jsonl"](CHANGED)]
    assert rows == CHANGED[0].table().to_pylist()
    assert rows[1] == {
        "query_time": 10,
        "change": "added",
        "kind": "fluent",
        "name": "f",
        "arguments": ["B, c"],
        "value": "true",
        "fvp": "f('B, c')=true",
        "old_start": None,
        "old_end": None,
        "start": 4,
        "end": None,
    }


def test_changes_as_csv() -> None:
    assert list(CHANGE_LINES["csv"](CHANGED)) == [
        "query_time,change,kind,name,arguments,value,fvp,old_start,old_end,start,end",
        '10,shortened,fluent,f,"[""a""]",true,f(a)=true,3,,3,9',
        '10,added,fluent,f,"[""B, c""]",true,"f(\'B, c\')=true",,,4,',
        '10,retracted,event,o,"[""a""]",,o(a),3,3,,',
        '10,added,event,o,"[""a""]",,o(a),,,4,4',
    ]


def test_changes_as_a_table_are_those_of_the_csv(tmp_path: Path) -> None:
    path = tmp_path / "changes.csv"
    path.write_text("\n".join(CHANGE_LINES["csv"](CHANGED)), encoding="utf-8")
    table = CHANGED[0].table()
    assert table.schema == change_schema()
    assert table.to_pylist() == read_csv_table(path, change_schema()).to_pylist()


def test_times_of_changes_have_the_requested_format() -> None:
    shown = as_iso(1)
    assert next(line for line in CHANGE_LINES["text"](CHANGED, shown) if line.startswith("shortened")) == (
        "shortened(f(a)=true, ('1970-01-01T00:00:03Z',inf), ('1970-01-01T00:00:03Z','1970-01-01T00:00:09Z'))."
    )
    assert json.loads(next(CHANGE_LINES["jsonl"](CHANGED, shown)))["old_start"] == "1970-01-01T00:00:03Z"
    assert list(CHANGE_LINES["csv"](CHANGED, shown))[2].endswith(",,,1970-01-01T00:00:04Z,")
