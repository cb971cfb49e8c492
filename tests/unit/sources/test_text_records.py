"""Records as text: shapes, retractions, duplicates, and records that are set aside with a reason."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.sources.text_records import Fact, Reading, read_text_records
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Int, Struct

RULES = """
    initiatedAt(rich(X)=true, T) :- happensAt(win(X), T), happensAt(tick, T), holdsAt(near(X)=shop, T).
    terminatedAt(rich(X)=true, T) :- happensAt(pay(X, _), T), holdsAt(speed(X)=fast, T), happensAt(pay(X), T).
    collectIntervals(near(_)=shop).
    points(speed(_)=fast).
"""
NAMES = compile_text(RULES).names


def read(*lines: str, tick: int = 1) -> Reading:
    reading = Reading()
    read_text_records(lines, "events.txt", NAMES, tick, reading)
    return reading


def facts(*lines: str, tick: int = 1) -> list[Fact]:
    reading = read(*lines, tick=tick)
    assert not reading.set_aside, list(map(str, reading.set_aside))
    return reading.facts()


def reason(line: str, tick: int = 1) -> str:
    """The reason why the only record is set aside."""
    reading = read(line, tick=tick)
    assert reading.facts() == []
    (aside,) = reading.set_aside
    return aside.reason


# -- shapes ------------------------------------------------------------------------------------------------------------


def test_an_event() -> None:
    assert facts("win|13|12|chris") == [Fact(parse_term("win(chris)"), None, 12, 12)]


def test_an_event_without_arguments() -> None:
    assert facts("tick|5|5") == [Fact(Atom("tick"), None, 5, 5)]


def test_an_event_of_one_name_and_two_arities() -> None:
    assert [fact.entity for fact in facts("pay|1|1|chris|3", "pay|1|1|chris")] == [
        parse_term("pay(chris, 3)"),
        parse_term("pay(chris)"),
    ]


def test_a_fluent_at_a_time_point_holds_until_the_next() -> None:
    assert facts("speed|9|8|fast|v1") == [Fact(parse_term("speed(v1)"), Atom("fast"), 8, 9)]
    assert facts("speed|9|8|fast|v1", tick=4) == [Fact(parse_term("speed(v1)"), Atom("fast"), 8, 12)]


def test_a_fluent_over_an_interval() -> None:
    assert facts("near|9|3|7|shop|chris") == [Fact(parse_term("near(chris)"), Atom("shop"), 3, 7)]


def test_fields_are_constants_of_their_kind() -> None:
    assert [fact.entity for fact in facts("win|1|1|003", "win|1|1|3", "win|1|1|Chris", "win|1|1|'a b'")] == [
        Struct("win", (Atom("003"),)),
        Struct("win", (Int(3),)),
        Struct("win", (Atom("Chris"),)),
        Struct("win", (Atom("a b"),)),
    ]


def test_spaces_around_fields_and_empty_lines_are_ignored() -> None:
    assert facts("  win | 13 | 12 | chris \r\n", "", "   \n") == facts("win|13|12|chris")


def test_times_may_be_negative() -> None:
    assert facts("near|-1|-10|-5|shop|a")[0].start == -10


def test_records_are_in_order_of_arrival() -> None:
    assert [fact.start for fact in facts("win|30|1|a", "win|10|2|a", "win|20|3|a")] == [2, 3, 1]


# -- the same record again, and retracted -----------------------------------------------------------------------------


def test_an_exact_duplicate_is_the_same_record() -> None:
    reading = read("win|13|12|chris", "win|13|12|chris", "win|15|12|chris")
    assert len(reading.facts()) == 1
    assert reading.n_records == 3


def test_a_retraction_removes_a_record() -> None:
    assert facts("win|13|12|chris", "win|13|12|anna", "-win|14|12|chris") == [
        Fact(parse_term("win(anna)"), None, 12, 12)
    ]
    assert facts("near|9|3|7|shop|a", "-near|9|3|7|shop|a") == []
    assert facts("speed|9|3|fast|a", "-speed|10|3|fast|a") == []


def test_a_retraction_takes_effect_at_its_arrival() -> None:
    assert facts("-win|14|12|chris", "win|13|12|chris") == []


def test_a_retracted_record_may_arrive_again() -> None:
    assert len(facts("win|13|12|chris", "-win|14|12|chris", "win|15|12|chris")) == 1


def test_a_retraction_removes_both_duplicates() -> None:
    assert facts("win|13|12|chris", "win|13|12|chris", "-win|14|12|chris") == []


@pytest.mark.parametrize("record", ["win|13|12|anna", "win|13|11|chris", "win|20|12|chris"])
def test_a_retraction_of_a_record_that_is_not_there_is_unmatched(record: str) -> None:
    reading = read(record, "-win|14|12|chris")
    assert len(reading.facts()) == 1
    (aside,) = reading.unmatched
    assert (aside.line, aside.reason) == (2, "retracts a record that is not there")


def test_facts_can_be_computed_repeatedly() -> None:
    reading = read("win|13|12|chris", "-pay|14|12|chris")
    assert reading.facts() == reading.facts()
    assert len(reading.unmatched) == 1


# -- set aside ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("win|13|12", "expected `win|arrival|occurrence|arg1`, found 3 fields"),
        ("win|13|12|a|b", "expected `win|arrival|occurrence|arg1`, found 5 fields"),
        ("win", "expected `win|arrival|occurrence|arg1`, found 1 field"),
        ("near|9|3|7|shop", "expected `near|arrival|start|end|value|arg1`, found 5 fields"),
        ("speed|9|3|fast", "expected `speed|arrival|occurrence|value|arg1`, found 4 fields"),
        ("win|13|noon|chris", "expected an integer as occurrence, found `noon`"),
        ("win|13||chris", "expected an integer as occurrence, found ``"),
        ("win|13|12.5|chris", "expected an integer as occurrence, found `12.5`"),
        ("win|x|12|chris", "expected an integer as arrival, found `x`"),
        ("near|9|a|7|shop|b", "expected an integer as start, found `a`"),
        ("near|9|3|later|shop|b", "expected an integer as end, found `later`"),
        ("near|9|7|7|shop|b", "the interval ends at 7, not after its start 7"),
        ("near|9|7|3|shop|b", "the interval ends at 3, not after its start 7"),
        ("-win|13|noon|chris", "expected an integer as occurrence, found `noon`"),
    ],
)
def test_a_record_that_does_not_fit_is_set_aside_with_the_reason(line: str, expected: str) -> None:
    assert reason(line) == expected


@pytest.mark.parametrize("time", [2**62 + 1, -(2**62) - 1, 10**30])
def test_a_time_beyond_2_to_the_62_is_set_aside(time: int) -> None:
    assert reason(f"win|13|{time}|chris") == f"the occurrence {time} is not between -2^62 and 2^62"
    assert reason(f"win|{time}|13|chris") == f"the arrival {time} is not between -2^62 and 2^62"
    assert reason(f"near|9|{-(2**62)}|{time}|shop|b") == f"the end {time} is not between -2^62 and 2^62"


def test_the_first_and_the_last_time_point_are_in_range() -> None:
    assert [fact.start for fact in facts(f"win|0|{2**62}|a", f"win|1|{-(2**62)}|a")] == [2**62, -(2**62)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("win|13|12|a", "the occurrence 12 is not a time-point: the clock ticks every 5"),
        ("speed|13|-3|fast|a", "the occurrence -3 is not a time-point: the clock ticks every 5"),
        ("near|13|5|12|shop|a", "the end 12 is not a time-point: the clock ticks every 5"),
        ("near|13|4|15|shop|a", "the start 4 is not a time-point: the clock ticks every 5"),
    ],
)
def test_a_time_between_two_ticks_is_set_aside(line: str, expected: str) -> None:
    assert reason(line, tick=5) == expected


def test_an_arrival_may_be_between_two_ticks() -> None:
    assert facts("win|13|-10|a", tick=5)[0].start == -10


def test_a_record_of_a_computed_name_is_set_aside() -> None:
    assert reason("rich|13|12|14|true|chris") == "`rich` is computed by the rules"


def test_other_records_are_read_and_the_line_is_reported() -> None:
    reading = read("win|1|1|a", "", "win|x|1|a", "win|2|2|a")
    assert len(reading.facts()) == 2
    (aside,) = reading.set_aside
    assert str(aside) == "events.txt:3: expected an integer as arrival, found `x`: win|x|1|a"


def test_several_files_are_read_into_one() -> None:
    reading = Reading()
    read_text_records(["win|1|1|a"], "one.txt", NAMES, 1, reading)
    read_text_records(["-win|2|1|a", "win|3|noon|a"], "two.txt", NAMES, 1, reading)
    assert reading.facts() == []
    assert [(aside.file, aside.line) for aside in reading.set_aside] == [("two.txt", 2)]


@pytest.mark.parametrize("line", ["no record at all", "|||", "-", "|", "\0", "win\t1\t1\ta", "\ufeff"])
def test_a_malformed_line_is_counted_and_not_fatal(line: str) -> None:
    reading = read(line)
    assert reading.facts() == []
    assert reading.n_records == len(reading.set_aside) + sum(reading.unused.values()) == 1


def test_names_that_no_rule_uses_are_counted_and_skipped() -> None:
    reading = read("lost|1|1|a", "lost|x|y", "-lost|1|1|a", "other|1|1", "win|1|1|a")
    assert reading.unused == {"lost": 3, "other": 1}
    assert (reading.n_records, len(reading.facts()), reading.set_aside) == (5, 1, [])
