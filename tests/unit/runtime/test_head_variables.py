"""A head variable that the body does not bind ranges over the arguments that some value of the fluent has."""

from __future__ import annotations

import pytest

from tests.unit.runtime.cases import Example

VOTES = (
    "grounding(voted(V, M)=aye) :- voter(V), motion(M). grounding(voted(V, M)=nay) :- voter(V), motion(M). "
    "voter(v1). voter(v2). motion(m). motion(n). "
    "initiatedAt(voted(V, M)=X, T) :- happensAt(vote(V, M, X), T). "
)
RECORDS = ("vote|2|v1|m|aye", "vote|3|v2|m|nay", "vote|4|v2|n|aye", "clear|9|m", "vote|12|v1|m|nay", "vote|13|v3|m|aye")
CLEARED = {"voted(v1,m)=aye": [(3, 10)], "voted(v1,m)=nay": [(13, None)], "voted(v2,m)=nay": [(4, 10)]}
CLEARED |= {"voted(v2,n)=aye": [(5, None)]}

EXAMPLES = {
    "an initiation of a value without a grounding": (
        Example(VOTES + "initiatedAt(voted(_V, M)=null, T) :- happensAt(clear(M), T).", RECORDS),
        CLEARED,
    ),
    "a value that the body computes": (
        Example(VOTES + "initiatedAt(voted(_V, M)=X, T) :- happensAt(clear(M), T), X = k(M).", RECORDS),
        CLEARED,
    ),
    "a termination of every value": (
        Example(VOTES + "terminatedAt(voted(_V, M)=_, T) :- happensAt(clear(M), T).", RECORDS),
        CLEARED,
    ),
    "a termination of a value without a grounding": (
        Example(VOTES + "terminatedAt(voted(_V, M)=null, T) :- happensAt(clear(M), T).", RECORDS),
        None,
    ),
    "a condition that needs the variable": (
        Example(
            VOTES + "initiatedAt(voted(V, M)=null, T) :- happensAt(clear(M), T), V \\= v2. "
            "happensAt(cleared(V, M), T) :- initiatedAt(voted(V, M)=null, T).",
            RECORDS,
        ),
        {
            "cleared(v1,m)": [9],
            "voted(v1,m)=aye": [(3, 10)],
            "voted(v1,m)=nay": [(13, None)],
            "voted(v2,m)=nay": [(4, None)],
            "voted(v2,n)=aye": [(5, None)],
        },
    ),
    "in a cycle": (
        Example(
            VOTES + "initiatedAt(voted(_V, M)=null, T) :- happensAt(clear(M), T), holdsAt(voted(v1, M)=aye, T).",
            RECORDS,
        ),
        CLEARED,
    ),
    "in a domain that the input fills": (
        Example(
            "dynamicDomain(voter(_)). grounding(vote(V, _, _)) :- voter(V). grounding(voted(V, _)=aye) :- voter(V). "
            "grounding(voted(V, _)=nay) :- voter(V). initiatedAt(voted(V, M)=X, T) :- happensAt(vote(V, M, X), T). "
            "initiatedAt(voted(_V, M)=null, T) :- happensAt(clear(M), T).",
            RECORDS,
        ),
        CLEARED | {"voted(v3,m)=aye": [(14, None)]},
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_head_variables_range_over_all_values(name: str) -> None:
    example, expected = EXAMPLES[name]
    assert expected is None or example.reference() == expected
    example.check(1, 3, 5, 30)
    example.check_stages(1, 3)
