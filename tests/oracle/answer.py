"""The answer of the oracle: the output events of a run, and the FVPs that rules define."""

from __future__ import annotations

from math import inf

from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Struct, Term
from tests.oracle.description import describe
from tests.oracle.domains import Domains
from tests.oracle.intervals import Interval, Line
from tests.oracle.model import Model
from tests.oracle.records import admitted, given_records, mentioned, query_times, read_records, whole

__all__ = ["Answer", "oracle_answer", "reported"]

Answer = dict[str, list[int | tuple[int, int | None]]]


def oracle_answer(
    text: str,
    lines: list[str],
    line: Line,
    memory: int | None = None,
    window: tuple[int, int] | None = None,
) -> Answer:
    """The answer to a program and its records; `window` is a length and a step."""
    description = describe(text)
    records = [*given_records(description, line.tick), *read_records(lines, description, line.tick)]
    pieces = whole(records)
    if window is not None:
        pieces = admitted(records, query_times(records, line.start, line.end, *window), window[0])
    model = Model(description, Domains(description, mentioned(records, pieces, line)), pieces, line, memory)
    return reported(model)


def reported(model: Model) -> Answer:
    """The output events of a model, and the FVPs that rules define."""
    answer: Answer = {}
    times: dict[Term, list[int]] = {}
    for t in model.line.points:
        for event in model.moments[t].outputs:
            times.setdefault(event, []).append(t)
    for event, found in times.items():
        answer[show(event)] = list(found)
    for fvp in {*model.simple_fvps(), *model.static.found}:
        intervals = [_as_written(i) for i in model.line.known(model.intervals(fvp))]
        if intervals:
            assert isinstance(fvp, Struct)
            answer[show(fvp)] = list(intervals)
    return dict(sorted(answer.items()))


def _as_written(interval: Interval) -> tuple[int, int | None]:
    return interval.start, None if interval.end == inf else int(interval.end)
