"""The laws of records that arrive late, twice or in parts, and are retracted, on random streams of operations.

reference = batch; merged windows = real windows, with the same outcomes of records; a window over everything = batch;
a session that has settled nothing = batch over the records that have arrived.
"""

from __future__ import annotations

import bisect
import random
from collections.abc import Iterator

import pytest

import holdsfor as hf
from holdsfor.analysis.pipeline import Compiled
from holdsfor.reference import INF, History, RunBounds, recognise
from holdsfor.sources.text_records import Reading, read_text_records
from holdsfor.syntax.printer import show
from tests.seeds import chunks, named, share

SEEDS = range(9000, 9100)
SESSIONS = range(9100, 9150)
RULES = """
collectIntervals(f(_)=true). points(g(_)=_).
initiatedAt(s(X)=on, T) :- happensAt(a(X), T).
terminatedAt(s(X)=on, T) :- happensAt(b(X), T).
initiatedAt(s(X)=off, T) :- happensAt(end(f(X)=true), T).
fi(s(X)=on, s(X)=tired, {delay}).
happensAt(began(X), T) :- happensAt(start(f(X)=true), T).
happensAt(began_at(X), T) :- happensAt(startI(f(X)=true), T).
happensAt(ended(X, V), T) :- happensAt(end(g(X)=V), T).
holdsFor(u(X)=true, K) :- holdsFor(f(X)=true, I), holdsFor(s(X)=on, J), union_all([I, J], K).
holdsFor(long(X)=true, J) :- holdsFor(f(X)=true, I), intDurGreater(I, {limit}, J).
holdsFor(short(X)=true, J) :- holdsFor(u(X)=true, I), intDurLess(I, {limit}, J).
holdsFor(c(X)=true, K) :- holdsFor(f(X)=true, I), holdsFor(g(X)=1, J), relative_complement_all(I, [J], K).
happensAt(u_began(X), T) :- happensAt(start(u(X)=true), T).
happensAt(long_began(X), T) :- happensAt(start(long(X)=true), T).
collectGrounds([a(X), f(X)=true], d(X)). grounding(m(X)=_) :- d(X). grounding(idle(X)=true) :- d(X).
initially(m(X)=off). initiatedAt(m(X)=on, T) :- happensAt(b(_), T).
holdsFor(idle(X)=true, J) :- holdsFor(s(X)=on, I), complement_all([I], J).
"""


def operations(chance: random.Random, tick: int, first: int) -> Iterator[str]:
    """Records, retractions of records or of parts of them, and records that are inserted again."""
    given: list[tuple[str, int, list[str]]] = []
    longest = chance.choice([0, 5, 25])
    for _ in range(chance.randint(3, 14)):
        time = chance.randint(first, first + 30) * tick
        name, who = chance.choice("aabffg"), chance.choice("pq")
        end = str(time + chance.choice([1, 3, 8, 20]) * tick)
        fields = {"f": [str(time), end, "true", who], "g": [str(time), chance.choice("12"), who]}
        given.append((name, time, fields.get(name, [str(time), who])))
        late = chance.choice([0, 0, 0, 1, 2, chance.randint(0, longest)]) * tick + chance.randrange(tick)
        yield "|".join([name, str(time + late), *given[-1][2]])
        if chance.random() < 0.35:
            yield from retraction(chance, tick, longest, *chance.choice(given))


def retraction(
    chance: random.Random, tick: int, longest: int, name: str, time: int, fields: list[str]
) -> Iterator[str]:
    if name == "f" and chance.random() < 0.6:
        start, end = (int(field) // tick for field in fields[:2])
        begin = chance.randint(start, end - 1)
        fields = [str(begin * tick), str(chance.randint(begin + 1, end) * tick), *fields[2:]]
    arrival = time + chance.choice([0, 1, 3, chance.randint(0, longest)]) * tick
    yield "|".join([f"-{name}", str(arrival), *fields])
    if chance.random() < 0.4:
        yield "|".join([name, str(arrival + chance.choice([0, 1, 4]) * tick), *fields])


Answer = dict[str, list[object]]


def answer_of(result: hf.Result | hf.Report) -> Answer:
    answer: Answer = {show(fvp): list(intervals) for fvp, intervals in result.intervals.items()}
    return answer | {show(event): list(times) for event, times in result.times.items()}


def reference_of(rules: Compiled, lines: list[str], run: RunBounds) -> Answer:
    reading, history = Reading(), History()
    read_text_records(lines, "lines", rules.names, run.tick, reading)
    for fact in reading.facts():
        if fact.value is None:
            history.add_event(fact.entity, fact.start)
        else:
            history.add_interval(fact.entity, fact.value, fact.start, fact.end)
    found = recognise(rules, history, run)
    answer: Answer = {show(event): list(times) for event, times in found.times.items()}
    for fvp, intervals in found.intervals.items():
        answer[show(fvp)] = [(start, None if end == INF else int(end)) for start, end in intervals]
    return answer


def check(seed: int) -> None:
    chance = random.Random(seed)
    tick, (delay, limit) = chance.choice([1, 1, 5]), chance.choice([(4, 6), (15, 12)])
    rules = hf.load_text(RULES.format(delay=delay * tick, limit=limit * tick))
    first = chance.choice([-20, 0, 3])
    start, end = (first + chance.choice([0, 0, -2, 1])) * tick, (first + 30 + chance.choice([0, -3, 5])) * tick
    end += chance.choice([0, 0, chance.randrange(tick)])
    step = chance.choice([1, 3, 7, 10]) * tick
    window = step * chance.choice([1, 2]) + chance.choice([0, 2]) * tick
    lines = list(operations(chance, tick, first))

    def result(window: int | None = None, *, merge: bool = False) -> hf.Result:
        every = None if window is None else step
        return hf.recognise(
            rules, lines, start=start, end=end, tick=tick, window=window, step=every, merge_windows=merge
        )

    case = f"seed {seed}, {start} to {end} by {tick}, window {window}, step {step}\n" + "\n".join(lines)
    batch, merged, real = result(), result(window, merge=True), result(window)
    assert answer_of(batch) == reference_of(rules, lines, RunBounds(start, end, tick)), case
    assert answer_of(merged) == answer_of(real), case
    admission_counts = [(each.late, each.dropped, each.cut, each.unmatched) for each in (merged, real)]
    assert admission_counts[0] == admission_counts[1], case
    assert answer_of(result(step * (1 + 150 * tick // step))) == answer_of(batch), case


@pytest.mark.parametrize("seeds", chunks(share(SEEDS, 25)), ids=named)
def test_windows_are_batch_with_late_repeated_and_retracted_records(seeds: range) -> None:
    for seed in seeds:
        check(seed)


def check_session(seed: int) -> None:
    chance = random.Random(seed)
    rules, step = hf.load_text(RULES.format(delay=4, limit=6)), chance.choice([4, 9])
    lines = sorted(operations(chance, 1, 0), key=_arrival)
    arrivals = [_arrival(line) for line in lines]
    if chance.random() < 0.5:  # they arrive when they are inserted
        lines = [line.replace(f"|{_arrival(line)}|", "|0|", 1) for line in lines]
    session, n_inserted = hf.Session(rules, window=1000, step=1, start=0), 0
    for at in range(step, arrivals[-1] + step, step):
        n_arrived, case = bisect.bisect_right(arrivals, at), "\n".join([f"seed {seed}, at {at}", *lines])
        new = lines[n_inserted:n_arrived]
        unmatched = session.insert(new).unmatched if new else []
        n_inserted, report = n_arrived, session.query(at)
        batch = hf.recognise(rules, lines[:n_arrived], start=0, end=at)
        assert answer_of(report) == answer_of(batch), case
        assert report.unmatched == len(unmatched), case


def _arrival(line: str) -> int:
    return int(line.split("|")[1])


@pytest.mark.parametrize("seeds", chunks(share(SESSIONS, 10)), ids=named)
def test_a_session_that_has_settled_nothing_is_batch(seeds: range) -> None:
    for seed in seeds:
        check_session(seed)
