"""`terminatedAt` as a condition: breaks with arguments and values that are unbound here or in the effect."""

from __future__ import annotations

import pytest

from tests.properties.answers import Found
from tests.unit.runtime.cases import Example

SET = "initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T). "
CLEAR = "terminatedAt(s(_)=_, T) :- happensAt(clear, T). terminatedAt(s(X)=_, T) :- happensAt(reset(X), T). "
GROUNDED = "grounding(s(X)=V) :- d(X), v(V). d(a). d(b). v(1). v(2). "
RECORDS = ("set|2|a|1", "clear|4", "set|6|a|2", "set|8|a|1", "set|9|c|1", "reset|11|a", "set|13|b|3", "clear|16")
ASKED = "happensAt(broken(X, V), T) :- terminatedAt(s(X)=V, T)."

EXAMPLES: dict[str, tuple[Example, dict[str, list[Found]] | None]] = {
    "open in the rule and in the effect, with a grounding": (
        Example(GROUNDED + SET + CLEAR + ASKED, RECORDS),
        {
            "broken(a,1)": [4, 6, 11, 16],
            "broken(a,2)": [2, 4, 8, 11, 16],
            "broken(a,3)": [2, 4, 6, 8, 11, 16],
            "broken(b,1)": [4, 13, 16],
            "broken(b,2)": [4, 13, 16],
            "broken(b,3)": [4, 16],
        },
    ),
    "open in the rule and in the effect, without a grounding": (Example(SET + CLEAR + ASKED, RECORDS), None),
    "a value that another condition binds": (
        Example(
            GROUNDED + SET + CLEAR + "happensAt(o1(X, V), T) :- terminatedAt(s(X)=V, T), happensAt(e(V), T). "
            "happensAt(o2(X, V), T) :- happensAt(e(V), T), terminatedAt(s(X)=V, T).",
            (*RECORDS, "e|4|1", "e|4|7", "e|13|3", "e|13|1", "e|16|2"),
        ),
        {
            f"{name}({x},{v})": list[Found](times)
            for name in ("o1", "o2")
            for x, v, times in (
                *(("a", 1, [4]), ("b", 1, [4, 13]), ("a", 2, [16]), ("b", 2, [16])),
                *(("a", 7, [4]), ("b", 7, [4])),
            )
        },
    ),
    "open arguments and a constant": (
        Example(SET + CLEAR + "happensAt(o(X), T) :- terminatedAt(s(X)=1, T). ", RECORDS),
        None,
    ),
    "negated": (
        Example(
            GROUNDED + SET + CLEAR + "happensAt(none, T) :- happensAt(e, T), not terminatedAt(s(_)=_, T). "
            "happensAt(no(X), T) :- happensAt(f(X), T), not terminatedAt(s(X)=_, T).",
            (*RECORDS, "e|3", "e|4", "e|8", "f|4|a", "f|4|z", "f|8|b", "f|8|a", "f|9|c"),
        ),
        {"none": [3], "no(z)": [4], "no(b)": [8], "no(c)": [9]},
    ),
    "collected": (
        Example(
            GROUNDED + SET + CLEAR + "happensAt(n(N), T) :- happensAt(e, T), "
            "aggregate_all(count, terminatedAt(s(_)=_, T), N). "
            "happensAt(l(L), T) :- happensAt(e, T), findall(X-V, terminatedAt(s(X)=V, T), L).",
            (*RECORDS, "e|3", "e|4", "e|8", "e|13"),
        ),
        None,
    ),
    "in a cycle": (
        Example(
            GROUNDED + SET + "terminatedAt(s(_)=_, T) :- happensAt(clear, T), holdsAt(r(b)=on, T). "
            "initiatedAt(r(X)=on, T) :- terminatedAt(s(X)=V, T), V > 1. "
            "terminatedAt(r(X)=on, T) :- terminatedAt(s(X)=V, T), V < 2, not happensAt(e, T).",
            (*RECORDS, "clear|18", "clear|21", "e|21"),
        ),
        None,
    ),
    "a value that is input": (
        Example(
            "collectIntervals(s(_)=given). initiatedAt(s(X)=low, T) :- happensAt(set(X, _), T). "
            "terminatedAt(s(X)=low, T) :- happensAt(reset(X), T). " + ASKED,
            ("s|3|9|given|a", "set|5|a|1", "set|12|a|1", "reset|14|a"),
        ),
        {"broken(a,given)": [5, 12], "broken(a,low)": [14], "s(a)=low": [(6, 15)]},
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_breaks_are_found_for_all_unbound_parts(name: str) -> None:
    example, expected = EXAMPLES[name]
    found = example.reference()
    assert isinstance(found, dict)
    if expected is not None:
        assert {each: found[each] for each in found if not each.startswith("s(") or each in expected} == expected
    example.check(1, 3, 5, 30)
    example.check_stages(1, 3)
