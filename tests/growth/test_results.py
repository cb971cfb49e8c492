"""Tables and lines of results are made as columns: no term and no text is made for each FVP of a long report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

import holdsfor as hf
from holdsfor.columns.entities import Entities
from holdsfor.sinks.result_lines import LINES
from holdsfor.sinks.time_formats import ShowTime, as_integer, as_iso

RULES = "initiatedAt(on(X,V)=p(V,T), T) :- happensAt(up(X,V), T).\nhappensAt(seen(X), T) :- happensAt(up(X,_), T)."


def records(n: int) -> list[str]:
    return [f"up|{t}|{t}|bus_{t}|{t % 5}" for t in range(n)]


def listed(n: int, use: Callable[[hf.Result], Any]) -> int:
    """The number of FVPs and events that become terms."""
    result, made = hf.recognise(hf.load_text(RULES), records(n)), 0
    of = Entities._of

    def counting(entities: Entities, what: Any, rows: list[Any], *more: Any) -> Any:
        nonlocal made
        made += len(rows)
        return of(entities, what, rows, *more)

    with patch.object(Entities, "_of", counting):
        use(result)
    return made


@pytest.mark.parametrize("n", [1_100, 2_200])
def test_a_long_table_makes_no_terms(n: int) -> None:
    assert listed(n, lambda result: result.to_arrow()) == 0


def test_long_and_short_tables_have_the_same_rows() -> None:
    result = hf.recognise(hf.load_text(RULES), [*records(1_500), "up|3|3|'Chris B'|mod", "up|4|4|x|-7"])
    long = result.to_arrow()
    with patch.object(Entities, "_is_long", lambda *_: False):
        short = result.to_arrow()
    assert long.schema == short.schema
    assert long.to_pylist() == short.to_pylist()


NAMES = ["bus_{}", "'it''s {}'", '"q"{}', "a,b{}", "é{}", "{}", "-{}"]


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("shown", [as_integer, as_iso(1_000)], ids=["integers", "dates"])
def test_long_and_short_reports_have_the_same_lines(form: str, shown: ShowTime) -> None:
    given = [f"up|{t}|{t}|{NAMES[t % len(NAMES)].format(t)}|{t % 5}" for t in range(-20, 600)]
    reported = hf.recognise(hf.load_text(RULES), given).reported
    assert reported.columns() is not None
    long = "\n".join(LINES[form]([reported], shown))
    with patch.object(type(reported), "columns", lambda _: None):
        short = "\n".join(LINES[form]([reported], shown))
    assert long == short


@pytest.mark.parametrize("form", LINES)
def test_the_lines_of_a_long_report_make_no_terms(form: str) -> None:
    assert listed(1_100, lambda result: list(LINES[form]([result.reported], as_integer))) == 0
