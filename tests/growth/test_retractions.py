"""A retraction of a part searches the records that it overlaps, not all records of its entity."""

from __future__ import annotations

from unittest.mock import patch

import holdsfor as hf
from holdsfor.columns import retractions
from tests.growth.test_joins import LINEAR

RULES = "collectIntervals(a(_)=true).\nholdsFor(c(X)=true, I) :- holdsFor(a(X)=true, A), union_all([A], I)."


def searched(n: int) -> int:
    """The number of records that retractions of parts are compared with."""
    found, pop = 0, retractions._RemainingPieces.pop

    def counting(pieces: retractions._RemainingPieces, start: int, end: int) -> list[retractions._Piece]:
        nonlocal found
        found += len(pieces.named)
        return pop(pieces, start, end)

    records = [
        line
        for t in range(0, 10 * n, 10)
        for line in (f"a|{t}|{t}|{t + 10}|true|x", f"-a|{t + 1}|{t + 3}|{t + 5}|true|x")
    ]
    with patch.object(retractions._RemainingPieces, "pop", counting):
        result = hf.recognise(hf.load_text(RULES), records)
    assert len(result.holds_for("c(x)=true")) == n + 1
    return found


def test_a_retraction_searches_the_records_that_it_overlaps() -> None:
    assert searched(200) < LINEAR * searched(20)
