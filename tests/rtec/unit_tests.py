"""RTEC's unit tests as data, and the same tests through holdsfor.

A unit test of RTEC has a narrative, query times with a window, an FVP, and the intervals expected at each query time.
Its rules are compiled clauses; `source_rules.prolog` turns them back into the rules that a user writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import holdsfor as hf
from holdsfor.analysis.pipeline import Compiled, compile_files
from holdsfor.reference.evaluator import recognise
from holdsfor.reference.history import History, RunBounds
from holdsfor.reference.intervals import INF
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var, list_items
from tests.rtec.peer import HERE, Intervals, intervals_of, prolog, rtec, terms_of

__all__ = ["FILES", "UnitTest", "answers", "reference_answers", "rules_of", "unit_tests"]

FOLDER = ("unit-tests", "RTEC-tests", "tests")
FILES = (
    "RTEC_version_1",
    "RTEC_version_1_dg",
    "RTEC_version_2_cycles_deadlines",
    "cycles_deadlines_combination",
    "negotiation_quote_extended",
    "negotiation_quote_notextended",
    "voting_motion_cycles_deadlines_extended",
    "voting_motion_cycles_deadlines_notextended",
    "voting_motion_cycles_nodeadlines",
    "allen/hierarchies",
    "allen/maritime",
    "allen/personDoor",
    "allen/personDoorCombined",
)


@dataclass(frozen=True)
class UnitTest:
    """A unit test: what arrives by each query time, and what RTEC's authors expect and RTEC answers there.

    `whole` is what RTEC answers at the last query time if one window covers everything.
    """

    name: str
    fvp: Struct
    given: tuple[tuple[int, tuple[Struct, ...]], ...]
    window: int
    expected: dict[int, Intervals]
    answered: dict[int, Intervals]
    whole: Intervals


@cache
def unit_tests(file: str) -> dict[str, UnitTest]:
    """The tests of a file, run by RTEC under SWI-Prolog."""
    path = rtec(*FOLDER, f"{file}.prolog")
    lines = list(terms_of(prolog(HERE / "unit_tests.prolog", path.name, folder=path.parent)))
    found = [_unit_test(*both) for both in zip(lines[::2], lines[1::2], strict=True)]
    return {test.name: test for test in found}


def _unit_test(term: Struct, whole: Struct) -> UnitTest:
    assert (term.name, whole.name) == ("test", "whole"), f"RTEC fails at {show(term)}"
    scenario, case, number, fvp, _, expected, given, answers = term.args
    queries = [_parts(each) for each in list_items(answers)[0]]
    times = [_number(time) for time, _, _ in queries]
    window = _number(queries[0][1])
    assert isinstance(fvp, Struct)
    return UnitTest(
        f"{show(case)} {show(number)} {show(scenario)}",
        fvp,
        tuple((_number(time), tuple(_records(records))) for time, records in map(_parts, list_items(given)[0])),
        window,
        _inside(dict(zip(times, list_items(expected)[0], strict=True)), window),
        _inside({time: found for time, (_, _, found) in zip(times, queries, strict=True)}, window),
        _inside({times[-1]: whole.args[-1]}, window)[times[-1]],
    )


def _inside(lists: dict[int, Term], window: int) -> dict[int, Intervals]:
    """Intervals that overlap the window: RTEC also keeps one that ends right before the window's first time-point."""
    return {
        time: [each for each in intervals_of(found) if each[1] is None or each[1] > time - window + 1]
        for time, found in lists.items()
    }


def _parts(term: Term) -> tuple[Term, ...]:
    assert isinstance(term, Struct)
    return term.args


def _number(term: Term) -> int:
    assert isinstance(term, Int)
    return term.value


def _records(term: Term) -> Iterator[Struct]:
    for record in list_items(term)[0]:
        assert isinstance(record, Struct)
        yield record


# -- rules -------------------------------------------------------------------------------------------------------------


@cache
def rules_of(file: str, folder: Path) -> Compiled:
    """The rules of a file of tests as source, written into a folder, with its background knowledge as it stands."""
    path = rtec(*FOLDER, f"{file}.prolog")
    loaded = [path.parent / name for name in re.findall(r"^:-\['(.*?)'\]", path.read_text(encoding="utf-8"), re.M)]
    compiled = [each for each in loaded if "rules" in each.parts]
    rules = folder / f"{path.stem}.prolog"
    rules.write_text(prolog(HERE / "source_rules.prolog", *map(str, compiled), folder=path.parent), encoding="utf-8")
    return compile_files([rules, *(each for each in loaded if _is_background(each))])


def _is_background(file: Path) -> bool:
    return "scenarios" in file.parts and "updateSDE" not in file.read_text(encoding="utf-8")


# -- answers -----------------------------------------------------------------------------------------------------------


def answers(test: UnitTest, rules: Compiled) -> dict[int, Intervals]:
    """What a session answers at each query time."""
    step = min((b - a for a, b in zip(test.expected, list(test.expected)[1:], strict=False)), default=test.window)
    session = hf.Session(rules, start=0, window=test.window, step=step)
    given = dict(test.given)
    found = {}
    for time in test.expected:
        session.insert([_object(record) for record in given.get(time, ())])
        found[time] = _of_fvp(session.query(time).intervals.items(), test.fvp)
    return found


def reference_answers(test: UnitTest, rules: Compiled) -> dict[int, Intervals]:
    """What the reference evaluator says of the records that windows up to each query time admit."""
    history = History()
    given = dict(test.given)
    found = {}
    for time in test.expected:
        for record in given.get(time, ()):
            if _number(record.args[-1]) > time - test.window:
                _add(record, history)
        known = recognise(rules, history, RunBounds(0, time)).intervals.items()
        intervals = [
            (fvp, [(start, None if end == INF else int(end)) for start, end in spans if end > time - test.window + 1])
            for fvp, spans in known
        ]
        found[time] = _of_fvp(intervals, test.fvp)
    return found


def _object(record: Struct) -> hf.Event | hf.Fluent:
    what = record.args[0]
    times = [_number(time) for time in record.args[1:]]
    if record.name == "happens":
        return hf.Event(_name(what), *_arguments(what), at=times[0])
    fluent, value = _parts(what)
    return hf.Fluent(_name(fluent), *_arguments(fluent), value=_constant(value), start=times[0], end=times[1])


def _name(term: Term) -> str:
    assert isinstance(term, Atom | Struct)
    return term.name


def _arguments(term: Term) -> list[str | int | float]:
    return [_constant(arg) for arg in term.args] if isinstance(term, Struct) else []


def _constant(term: Term) -> str | int | float:
    return term.value if isinstance(term, Int | Float) else _name(term)


def _add(record: Struct, history: History) -> None:
    what = record.args[0]
    times = [_number(time) for time in record.args[1:]]
    if record.name == "happens":
        history.add_event(what, times[0])
    else:
        fluent, value = _parts(what)
        history.add_interval(fluent, value, times[0], times[1])


def _of_fvp(known: Iterable[tuple[Term, Intervals]], asked: Struct) -> Intervals:
    """The intervals of the FVP; where a test leaves an argument open, of the first instance."""
    return next((spans for fvp, spans in known if isinstance(fvp, Struct) and _is_instance(fvp, asked)), [])


def _is_instance(term: Term, pattern: Term) -> bool:
    if isinstance(pattern, Var):
        return True
    if isinstance(term, Struct) and isinstance(pattern, Struct):
        pairs = zip(term.args, pattern.args, strict=False)
        is_named = (term.name, term.arity) == (pattern.name, pattern.arity)
        return is_named and all(_is_instance(*pair) for pair in pairs)
    return term == pattern
