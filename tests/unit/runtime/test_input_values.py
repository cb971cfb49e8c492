"""Input is declared for FVPs: a fluent may have input values beside simple and statically determined ones."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import AnalysisProblem
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import read_columns, read_table
from holdsfor.sources.text_records import Reading, read_text_records
from holdsfor.syntax.printer import show
from tests.unit.runtime.cases import Example

INPUT = "collectIntervals(c(_)=formed). "
FORMED = ("c|3|9|formed|p", "c|12|15|formed|p", "c|12|15|formed|q")
EVENTS = ("a|2|p", "a|5|p", "b|7|p", "a|11|p", "a|13|q", "b|14|q")

EXAMPLES = {
    "a condition on the input value in a cycle": (
        Example(
            INPUT + "initiatedAt(c(C)=inEffect, T) :- happensAt(a(C), T), holdsAt(c(C)=formed, T). "
            "initiatedAt(c(C)=over, T) :- happensAt(b(C), T), holdsAt(c(C)=inEffect, T).",
            FORMED + EVENTS,
        ),
        {
            "c(p)=inEffect": [(6, 8)],
            "c(p)=over": [(8, None)],
            "c(q)=inEffect": [(14, 15)],
            "c(q)=over": [(15, None)],
        },
    ),
    "edges of the input value in a cycle": (
        Example(
            INPUT + "initiatedAt(c(C)=inEffect, T) :- happensAt(start(c(C)=formed), T), not holdsAt(c(C)=over, T). "
            "initiatedAt(c(C)=over, T) :- happensAt(endI(c(C)=formed), T), holdsAt(c(C)=inEffect, T).",
            FORMED,
        ),
        {
            "c(p)=inEffect": [(3, 10)],
            "c(p)=over": [(10, None)],
            "c(q)=inEffect": [(12, 16)],
            "c(q)=over": [(16, None)],
        },
    ),
    "a termination of every value leaves the input as it is": (
        Example(
            INPUT
            + "initiatedAt(c(C)=inEffect, T) :- happensAt(a(C), T). terminatedAt(c(C)=_, T) :- happensAt(b(C), T). "
            "happensAt(both(C), T) :- happensAt(b(C), T), holdsAt(c(C)=formed, T), holdsAt(c(C)=inEffect, T). "
            "happensAt(ends(C, V), T) :- happensAt(end(c(C)=V), T).",
            FORMED + EVENTS,
        ),
        {
            "c(p)=inEffect": [(3, 8), (12, None)],
            "c(q)=inEffect": [(14, 15)],
            "both(p)": [7],
            "both(q)": [14],
            "ends(p,formed)": [8, 14],
            "ends(p,inEffect)": [7],
            "ends(q,formed)": [14],
            "ends(q,inEffect)": [14],
        },
    ),
    "a condition of a delay on the input value": (
        Example(
            INPUT + "initiatedAt(c(C)=inEffect, T) :- happensAt(a(C), T). "
            "fi(c(C)=inEffect, c(C)=over, 3) :- holdsAt(c(C)=formed, T).",
            FORMED + EVENTS,
        ),
        None,
    ),
    "a delay of every value is one of the simple values": (
        Example(
            INPUT + "initiatedAt(c(C)=inEffect, T) :- happensAt(a(C), T). ft(c(_)=V, R) :- lasts(V, R). "
            "lasts(inEffect, 3). lasts(formed, 1). happensAt(ends(C, V), T) :- happensAt(end(c(C)=V), T).",
            FORMED + EVENTS,
        ),
        {
            "c(p)=inEffect": [(3, 6), (12, 15)],
            "c(q)=inEffect": [(14, 17)],
            "ends(p,formed)": [8, 14],
            "ends(p,inEffect)": [5, 14],
            "ends(q,formed)": [14],
            "ends(q,inEffect)": [16],
        },
    ),
    "a computed value in a cycle of others": (
        Example(
            "holdsFor(c(C)=formed, I) :- holdsFor(g(C)=true, J), union_all([J], I). "
            "initiatedAt(c(C)=inEffect, T) :- happensAt(a(C), T), holdsAt(c(C)=formed, T). "
            "initiatedAt(c(C)=over, T) :- happensAt(b(C), T), holdsAt(c(C)=V, T), V \\= over.",
            ("g|3|9|true|p", *EVENTS),
        ),
        {"c(p)=formed": [(3, 9)], "c(p)=inEffect": [(6, 8)], "c(p)=over": [(8, None)]},
    ),
    "a domain that the input value fills": (
        Example(
            "dynamicDomain(d(_)). grounding(c(X)=formed) :- d(X). grounding(c(X)=inEffect) :- d(X). "
            + INPUT
            + "initiatedAt(c(C)=inEffect, T) :- happensAt(a(C), T). "
            "terminatedAt(c(_)=inEffect, T) :- happensAt(b(_), T).",
            ("c|3|9|formed|p", *EVENTS),
        ),
        {"c(p)=inEffect": [(3, 8), (12, 15)]},
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_values_of_all_kinds_go_together(name: str) -> None:
    example, expected = EXAMPLES[name]
    assert expected is None or example.reference() == expected
    example.check(1, 2, 3, 5, 30)
    example.check_stages(1, 3)


RULES = (
    "collectIntervals(c(_)=formed). points(c(_)=seen). initiatedAt(c(C)=inEffect, T) :- happensAt(a(C), T). "
    "happensAt(o(C), T) :- happensAt(start(c(C)=formed), T). happensAt(o(C), T) :- happensAt(end(c(C)=seen), T)."
)
LINES = [
    "c|3|3|9|formed|p",
    "c|3|3|9|inEffect|p",
    "c|3|3|9|seen|p",
    "c|4|4|seen|p",
    "c|4|4|formed|p",
    "c|4|4|9|other|p",
]


def test_the_value_of_a_record_decides_whether_and_how_it_is_input() -> None:
    names = compile_text(RULES).names
    slow = Reading()
    read_text_records(LINES, "x", names, 1, slow)
    reasons = [(each.line, each.reason) for each in slow.set_aside]
    assert [(show(f.value), f.start, f.end) for f in slow.facts() if f.value] == [("formed", 3, 9), ("seen", 4, 5)]
    assert reasons == [
        (2, "`c(p)=inEffect` is not input as intervals, expected `c(_)=formed`"),
        (3, "`c(p)=seen` is not input as intervals, expected `c(_)=formed`"),
        (5, "`c(p)=formed` is not input as points, expected `c(_)=seen`"),
        (6, "`c(p)=other` is not input as intervals, expected `c(_)=formed`"),
    ]
    fast = ColumnReading()
    read_columns("".join(line + "\n" for line in LINES).encode(), "x", names, 1, Symbols(), fast)
    fast.settle()
    assert [(each.line, each.reason) for each in fast.set_aside] == reasons
    records = fast.fluents["c", 1]
    assert sorted(zip(records.starts.tolist(), records.lasts.tolist(), strict=True)) == [(3, 8), (4, 4)]
    assert fast.n_records == len(LINES)


def test_rows_of_a_table_are_input_by_their_value() -> None:
    import pyarrow as pa  # type: ignore[import-untyped]

    rows = [line.split("|") for line in LINES]
    table = pa.table(
        {
            "name": [row[0] for row in rows],
            "start": [int(row[2]) for row in rows],
            "end": [int(row[3]) if len(row) == 6 else None for row in rows],
            "value": [row[-2] for row in rows],
            "arg1": [row[-1] for row in rows],
        }
    )
    reading = ColumnReading()
    read_table(table, compile_text(RULES).names, 1, Symbols(), reading)
    reading.settle()
    assert [each.line for each in reading.set_aside] == [2, 3, 6]
    assert "`c(p)=inEffect` is not input as intervals" in reading.set_aside[0].reason
    assert len(reading.fluents["c", 1]) == 3  # a null end is open


def test_a_value_that_is_input_cannot_be_terminated() -> None:
    with pytest.raises(AnalysisProblem, match="HF214"):
        compile_text(INPUT + "terminatedAt(c(C)=formed, T) :- happensAt(a(C), T).")


def test_the_number_of_fields_decides_the_shape_of_input_without_a_declaration() -> None:
    rules = (
        "happensAt(began(X, V), T) :- happensAt(startI(f(X)=V), T). "
        "happensAt(ended(X), T) :- happensAt(endI(f(X)=_), T)."
    )
    example = Example(rules, ("f|3|on|p", "f|4|on|p", "f|7|12|on|q"))
    assert example.reference() == {"began(p,on)": [3], "began(q,on)": [7], "ended(p)": [5], "ended(q)": [12]}
    example.check(1, 3, 30)
    reading = Reading()
    read_text_records(["f|3|3"], "x", compile_text(rules).names, 1, reading)
    (misfit,) = reading.set_aside
    assert misfit.reason == (
        "expected `f|arrival|start|end|value|arg1` or `f|arrival|occurrence|value|arg1`, found 3 fields"
    )
