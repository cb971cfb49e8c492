"""Records for the shapes of `cliffs.py`: `n` lines of text, deterministic, of entities with 100 records each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

__all__ = [
    "crowd",
    "given_intervals",
    "given_points",
    "late",
    "measurements",
    "meetings",
    "new_entities",
    "on_off",
    "one_entity",
    "positions",
    "retracted",
    "sparse_pairs",
    "visits",
]

Lines = Callable[[int], Iterator[str]]


def _entities(n: int) -> int:
    return max(2, n // 100)


def on_off(n: int) -> Iterator[str]:
    """Every entity goes on and off in turns, with another event in between."""
    entities = _entities(n)
    for t in range(n):
        name = ("on", "probe", "off", "probe")[t // entities % 4]
        yield f"{name}|{t}|{t}|x{t % entities}"


def new_entities(n: int) -> Iterator[str]:
    """Two records of every entity."""
    for t in range(n):
        yield f"on|{t}|{t}|x{t}"
        yield f"off|{t + 5}|{t + 5}|x{t}"


def one_entity(n: int) -> Iterator[str]:
    """All records are of one entity."""
    return (f"{('on', 'probe', 'off', 'probe')[t % 4]}|{t}|{t}|x" for t in range(n))


def measurements(n: int) -> Iterator[str]:
    """Integers and decimals of every entity."""
    entities = _entities(n)
    return (f"m|{t}|{t}|x{t % entities}|{t * 7 % 1001 if t % 3 else t % 101 / 4}" for t in range(n))


def positions(n: int) -> Iterator[str]:
    """Positions of four entities, nearly all different."""
    return (f"pos|{t}|{t}|x{t % 4}|{t * 7919 % 1000003}" for t in range(n))


def visits(n: int) -> Iterator[str]:
    """Short visits, one after the other, with a probe during each."""
    for t in range(0, 10 * (n // 3 + 1), 10):
        yield f"on|{t}|{t}|x{t % 1000}"
        yield f"probe|{t + 2}|{t + 2}|p{t % 1000}"
        yield f"off|{t + 4}|{t + 4}|x{t % 1000}"


def crowd(n: int) -> Iterator[str]:
    """Ten entities have records at every time-point."""
    for t in range(n // 20 + 1):
        for i in range(10):
            yield f"one|{t}|{t}|x{i}"
            yield f"other|{t}|{t}|x{i}"


def sparse_pairs(n: int) -> Iterator[str]:
    """All entities are slow at the same time; each is near one other entity."""
    entities = max(2, n // 6)
    for i in range(entities):
        yield f"slow_start|1|{1 + i % 5}|x{i}"
        yield f"near_start|2|{2 + i % 7}|x{i}|x{i ^ 1}"
    for i in range(entities):
        yield f"slow_end|100|{100 + i % 9}|x{i}"
        yield f"near_end|100|{100 + i % 11}|x{i}|x{i ^ 1}"


def meetings(n: int) -> Iterator[str]:
    """Entities start at different times, each near one other entity."""
    for i in range(n // 3 + 1):
        yield f"near_start|{3 * i}|{3 * i}|x{i}|x{i ^ 1}"
        yield f"slow_start|{3 * i + 2}|{3 * i + 2}|x{i}"
        yield f"slow_end|{3 * i + 9}|{3 * i + 9}|x{i}"


def given_intervals(n: int) -> Iterator[str]:
    """Input intervals of two fluents, in each of Allen's relations in turn."""
    entities = _entities(n)
    for t in range(n // 2):
        period = t // entities
        start, (a, b, c, d) = 10 * period, _RELATED[period % len(_RELATED)]
        yield f"a|{start + 8}|{start + a}|{start + b}|true|x{t % entities}"
        yield f"b|{start + 9}|{start + c}|{start + d}|true|x{t % entities}"


_RELATED = ((0, 2, 4, 6), (0, 4, 4, 7), (0, 4, 2, 6), (0, 3, 0, 6), (3, 6, 0, 6), (2, 4, 0, 6), (0, 5, 0, 5))
"""The edges of two intervals: before, meets, overlaps, starts, finishes, during, equal."""


def given_points(n: int) -> Iterator[str]:
    """An input fluent at time-points."""
    entities = _entities(n)
    return (f"a|{t // entities}|{t // entities}|true|x{t % entities}" for t in range(n) if t // entities % 9)


def late(n: int) -> Iterator[str]:
    """Every tenth record arrives late."""
    entities = _entities(n)
    for t in range(n):
        arrival = t + (50 if t % 10 == 3 else 0)
        yield f"{('on', 'off')[t // entities % 2]}|{arrival}|{t}|x{t % entities}"


def retracted(n: int) -> Iterator[str]:
    """Every fifth event is retracted later, and a part of every fifth interval."""
    for t in range(0, 5 * n, 20):
        entity = f"x{t // 20 % 7}"
        yield f"a|{t}|{t}|{t + 9}|true|{entity}"
        yield f"on|{t + 1}|{t + 1}|{entity}"
        yield f"off|{t + 15}|{t + 15}|{entity}"
        if t % 100 == 0:
            yield f"-on|{t + 5}|{t + 1}|{entity}"
            yield f"-a|{t + 6}|{t + 3}|{t + 5}|true|{entity}"
