"""The query times of a run on Spark are computed lazily, so one distant time-point does not exhaust memory."""

from __future__ import annotations

import pytest

from holdsfor.errors import UsageProblem
from holdsfor.parallel.stages.admission import RunSchedule


def test_a_run_has_the_query_times_up_to_the_last() -> None:
    assert list(RunSchedule(0, 25, 1, 20, 10).query_times) == [10, 20, 30, 40]
    assert list(RunSchedule(0, 25, 1, None, None).query_times) == [25]


def test_too_many_query_times_are_refused() -> None:
    with pytest.raises(UsageProblem) as caught:
        _ = RunSchedule(0, 2**61, 1, 10, 10).query_times
    (problem,) = caught.value.diagnostics.in_order()
    assert problem.code == "HF703"
    assert f"the run from 0 to {2**61} has {2**61 // 10 + 1} query times" in problem.message
    assert "give `end`" in str(problem.hint)


def test_many_query_times_are_not_a_list() -> None:
    assert len(RunSchedule(0, 9_000_000, 1, 1, 1).query_times) == 9_000_000
