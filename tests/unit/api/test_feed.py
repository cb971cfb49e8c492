"""A revision is one change of a report, and two rows of its feed; a report without changes costs no comparison."""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.kernels.keys import Int64, pairs_of_equal_keys
from holdsfor.runtime.reports import changes

RULES = hf.load_text("""
collectIntervals(berth(_)=true).
holdsFor(moored(V)=true, I) :- holdsFor(berth(V)=true, B), union_all([B], I).
""")


def revision(old: tuple[int, int], new: tuple[int, int]) -> pa.Table:
    """A retraction and an insertion with one revision id."""
    columns = {"name": ["berth"] * 2, "start": [old[0], new[0]], "end": [old[1], new[1]], "value": ["true"] * 2}
    return pa.table({**columns, "arg1": ["ann"] * 2, "op": ["-", None], "revision": [7, 7]})


@pytest.mark.parametrize(
    ("new", "kind"), [((10, 30), "extended"), ((10, 15), "shortened"), ((5, 20), "extended"), ((12, 20), "shortened")]
)
def test_a_revision_is_one_change_and_two_rows_of_the_feed(new: tuple[int, int], kind: str) -> None:
    session = hf.Session(RULES, start=0, window=100, step=50)
    session.insert(["berth|20|10|20|true|ann"])
    assert [change.kind for change in session.query().changes] == ["added"]
    session.insert(revision((10, 20), new))
    report = session.query()
    assert report.unmatched == 0
    assert report.changes == [hf.Change(kind, "moored(ann)=true", (10, 20), new)]  # type: ignore[arg-type]
    rows = report.feed("moored").to_pylist()
    assert [(row["op"], row["arg1"], row["start"], row["end"]) for row in rows] == [
        ("-", "ann", 10, 20),
        ("+", "ann", *new),
    ]


def test_half_of_a_revision_and_a_retraction_of_nothing_are_unmatched() -> None:
    session = hf.Session(RULES, start=0, window=100, step=50)
    session.insert(["berth|20|10|20|true|ann"])
    session.query()
    session.insert(revision((10, 20), (10, 30)).slice(1))
    assert session.query().unmatched == 1
    session.insert(["-berth|120|110|120|true|bob"])
    report = session.query()
    assert (report.unmatched, report.changes, len(report.feed())) == (1, [], 0)


def test_feeds_have_the_same_columns_with_and_without_changes() -> None:
    session = hf.Session(RULES, start=0, window=100, step=50)
    session.insert(["berth|20|10|20|true|ann"])
    first, second = session.query().feed(), session.query().feed()
    assert first.schema == second.schema
    assert (len(first), len(second)) == (1, 0)


def test_only_rows_between_the_first_and_the_last_difference_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def counting(left: list[Int64], n_left: int, right: list[Int64], n_right: int) -> object:
        compared.append(n_left + n_right)
        return pairs_of_equal_keys(left, n_left, right, n_right)

    monkeypatch.setattr(changes, "pairs_of_equal_keys", counting)
    session = hf.Session(RULES, start=0, window=100, step=10)
    session.insert([f"berth|20|{10 + i % 7}|{18 + i % 5}|true|v{i:04}" for i in range(500)])
    assert len(session.query(30).changes) == 500
    session.insert(["berth|40|25|35|true|v0250"])
    del compared[:]
    assert [str(change) for change in session.query(40).changes] == ["added moored(v0250)=true (25,35)"]
    assert sum(compared) < 10
