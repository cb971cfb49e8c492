"""Which instances a `holdsFor` rule has (SPEC §4): every case by all evaluators, and in the stages of a cluster.

Possible errors: an operand without intervals makes its instance disappear; the instances depend on the
order of the conditions; the grounding of an operand restricts the head; an unbound value is subtracted value by value.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.properties.staged import staged_answer, stages_of
from tests.unit.runtime.cases import Example


@dataclass(frozen=True)
class Instances:
    """A program with its records, and the intervals of fluents `d` that follow from SPEC."""

    rules: str
    records: tuple[str, ...]
    expected: dict[str, list[tuple[int, int | None]]]


IN = "collectIntervals(in0(_)=true).\ncollectIntervals(in1(_)=true).\ncollectIntervals(pair(_, _)=true).\n"
MODES = "collectIntervals(mode(_)=_).\ncollectIntervals(on(_)=true).\n"
S0_S2 = """
initiatedAt(s0(X)=true, T) :- happensAt(e0(X), T).
initiatedAt(s2(X)=true, T) :- happensAt(e2(X), T).
grounding(s0(a)=true).
"""

CASES: dict[str, Instances] = {
    "a complement of nothing is the whole run": Instances(
        IN + "heavy(zz).\nholdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), heavy(X), complement_all([I], J).",
        ("in0|3|5|true|a",),
        {"d(zz)=true": [(0, None)]},
    ),
    "a goal restricts instances wherever it stands": Instances(
        IN + "heavy(zz).\nholdsFor(d(X)=true, J) :- heavy(X), holdsFor(in0(X)=true, I), complement_all([I], J).",
        ("in0|3|5|true|a",),
        {"d(zz)=true": [(0, None)]},
    ),
    "the grounding of a subtracted list does not restrict": Instances(
        S0_S2 + "holdsFor(d(X)=true, J) :- holdsFor(s2(X)=true, I2), holdsFor(s0(X)=true, I0),"
        " relative_complement_all(I2, [I0], J).",
        ("e2|10|b", "e0|12|b", "e2|3|a", "e0|5|a"),
        {"d(b)=true": [(11, None)], "d(a)=true": [(4, 6)]},
    ),
    "the order of conditions on fluents does not matter": Instances(
        S0_S2 + "holdsFor(d(X)=true, J) :- holdsFor(s0(X)=true, I0), holdsFor(s2(X)=true, I2),"
        " relative_complement_all(I2, [I0], J).",
        ("e2|10|b", "e0|12|b", "e2|3|a", "e0|5|a"),
        {"d(b)=true": [(11, None)], "d(a)=true": [(4, 6)]},
    ),
    "operations may stand before the lists that they combine": Instances(
        IN + "holdsFor(d(X)=true, J) :- intersect_all([I, K], J), holdsFor(in0(X)=true, I), holdsFor(in1(X)=true, K).",
        ("in0|3|8|true|a", "in1|5|9|true|a"),
        {"d(a)=true": [(5, 8)]},
    ),
    "predicates over lists may stand behind what uses their result": Instances(
        IN + ":- intervalwise(trim/2).\ntrim([(S, E)], [(S2, E)]) :- S2 is S + 1.\nlast(L, [I]) :- append(_, [I], L).\n"
        "holdsFor(d(X)=true, J) :- intersect_all([K, L], J), trim(I, K), holdsFor(in0(X)=true, I), I = L.",
        ("in0|3|8|true|a",),
        {"d(a)=true": [(4, 8)]},
    ),
    "a complement ranges over the sort": Instances(
        IN + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), complement_all([I], J).\n"
        "holdsFor(other(X)=true, J) :- holdsFor(in0(X)=true, I), holdsFor(in1(X)=true, K), union_all([I, K], J).",
        ("in0|3|5|true|a", "in1|7|9|true|b"),
        {"d(a)=true": [(0, 3), (5, None)], "d(b)=true": [(0, None)]},
    ),
    "a sort is connected through clauses": Instances(
        IN + "heavy(X) :- weight(X, W), W > 5.\nweight(a, 9).\nweight(b, 9).\nweight(c, 1).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), complement_all([I], J).\n"
        "holdsFor(other(X)=true, I) :- holdsFor(in0(X)=true, I), heavy(X).",
        ("in0|3|5|true|a",),
        {"d(a)=true": [(0, 3), (5, None)], "d(b)=true": [(0, None)], "d(c)=true": [(0, None)]},
    ),
    "instances are bound through a clause": Instances(
        IN + "heavy(X) :- weight(X, W), W > 5.\nweight(b, 9).\nweight(c, 1).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), complement_all([I], J), heavy(X).",
        ("in0|3|5|true|a",),
        {"d(b)=true": [(0, None)]},
    ),
    "a comparison waits for the variables it needs": Instances(
        IN + "holdsFor(d(X)=true, J) :- X > 3, holdsFor(in0(X)=true, I), complement_all([I], J).",
        ("in0|3|5|true|2", "in0|4|6|true|7"),
        {"d(7)=true": [(0, 4), (6, None)]},
    ),
    "a negation waits for the variables it needs": Instances(
        IN + "bad(a).\nholdsFor(d(X)=true, J) :- \\+ bad(X), holdsFor(in0(X)=true, I), complement_all([I], J).",
        ("in0|3|5|true|a", "in0|4|6|true|c"),
        {"d(c)=true": [(0, 4), (6, None)]},
    ),
    "a goal that only tests has its variables range": Instances(
        IN + "other(X, Y) :- X \\= Y.\nholdsFor(d(X, Y)=true, J) :- other(X, Y), holdsFor(in0(X)=true, I),"
        " holdsFor(in1(Y)=true, K), union_all([I, K], J).",
        ("in0|3|5|true|a", "in0|4|9|true|c", "in1|2|6|true|b", "in1|2|7|true|c"),
        {"d(a,b)=true": [(2, 6)], "d(a,c)=true": [(2, 7)], "d(c,b)=true": [(2, 9)]},
    ),
    "a goal that only tests, with a grounding": Instances(
        IN + "same(X, Y) :- X == Y.\ngrounding(d(X, Y)=true) :- member(X, [a, b]), member(Y, [a, b]).\n"
        "holdsFor(d(X, Y)=true, J) :- same(X, Y), holdsFor(in0(X)=true, I), holdsFor(in1(Y)=true, K),"
        " union_all([I, K], J).",
        ("in0|3|5|true|a", "in0|4|9|true|c", "in1|2|6|true|b"),
        {"d(a,a)=true": [(3, 5)], "d(b,b)=true": [(2, 6)]},
    ),
    "a value that a goal computes and the grounding lacks": Instances(
        IN + "grounding(d(X)=true) :- member(X, [a]).\n"
        "holdsFor(d(X)=N, J) :- holdsFor(in0(X)=true, J), length([X], N).",
        ("in0|3|5|true|a",),
        {},
    ),
    "the grounding of the head is what instances range over": Instances(
        IN + "grounding(d(X)=true) :- thing(X).\nthing(a).\nthing(zz).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), complement_all([I], J).",
        ("in0|3|5|true|a", "in0|3|5|true|b"),
        {"d(a)=true": [(0, 3), (5, None)], "d(zz)=true": [(0, None)]},
    ),
    "a list is repeated for the values of a variable that it lacks": Instances(
        IN + "holdsFor(d(X, Y)=true, J) :- holdsFor(in0(X)=true, I), holdsFor(pair(X, Y)=true, K),"
        " union_all([I, K], J).",
        ("in0|3|5|true|a", "pair|7|9|true|b|u", "pair|7|9|true|b|v"),
        {
            "d(a,u)=true": [(3, 5)],
            "d(a,v)=true": [(3, 5)],
            "d(b,u)=true": [(7, 9)],
            "d(b,v)=true": [(7, 9)],
        },
    ),
    "a condition that nothing uses does not restrict": Instances(
        IN + "holdsFor(d(X)=true, I) :- holdsFor(in0(X)=true, I), holdsFor(in1(X)=true, _).",
        ("in0|3|5|true|a",),
        {"d(a)=true": [(3, 5)]},
    ),
    "a head variable that nothing binds ranges over its sort": Instances(
        IN + "kind(k1).\nkind(k2).\nholdsFor(other(K)=true, I) :- holdsFor(in1(K)=true, I), kind(K).\n"
        "holdsFor(d(X, K)=true, I) :- holdsFor(in0(X)=true, I), holdsFor(in1(K)=true, _).",
        ("in0|3|5|true|a",),
        {"d(a,k1)=true": [(3, 5)], "d(a,k2)=true": [(3, 5)]},
    ),
    "an input outside its grounding is not seen": Instances(
        IN + "grounding(in0(a)=true).\nholdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I),"
        " holdsFor(in1(X)=true, K), union_all([I, K], J).",
        ("in0|3|5|true|a", "in0|3|5|true|b", "in1|9|11|true|b"),
        {"d(a)=true": [(3, 5)], "d(b)=true": [(9, 11)]},
    ),
    "some value, subtracted": Instances(
        MODES + "holdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), holdsFor(mode(X)=_, K),"
        " relative_complement_all(I, [K], J).",
        ("on|1|20|true|a", "mode|3|5|slow|a", "mode|5|9|fast|a", "mode|12|14|slow|a"),
        {"d(a)=true": [(1, 3), (9, 12), (14, 20)]},
    ),
    "a named value that is used nowhere else is some value": Instances(
        MODES + "holdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), holdsFor(mode(X)=Mode, K),"
        " relative_complement_all(I, [K], J).",
        ("on|1|20|true|a", "mode|3|5|slow|a", "mode|5|9|fast|a"),
        {"d(a)=true": [(1, 3), (9, 20)]},
    ),
    "a value that is used elsewhere means the rule once for each value": Instances(
        MODES + "known(slow).\nknown(fast).\nholdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), holdsFor(mode(X)=V, K),"
        " known(V), relative_complement_all(I, [K], J).",
        ("on|1|20|true|a", "mode|3|5|slow|a", "mode|5|9|fast|a"),
        {"d(a)=true": [(1, 20)]},
    ),
    "the value of the head is used elsewhere": Instances(
        MODES + "holdsFor(d(X)=V, J) :- holdsFor(on(X)=true, I), holdsFor(mode(X)=V, K), intersect_all([I, K], J).",
        ("on|1|20|true|a", "mode|3|5|slow|a", "mode|5|9|fast|a"),
        {"d(a)=slow": [(3, 5)], "d(a)=fast": [(5, 9)]},
    ),
    "a duration of some value": Instances(
        MODES + "holdsFor(d(X)=true, J) :- holdsFor(mode(X)=_, K), intDurGreater(K, 5, J).",
        ("mode|3|5|slow|a", "mode|5|9|fast|a", "mode|12|14|slow|a"),
        {"d(a)=true": [(3, 9)]},
    ),
    "a relation of some value": Instances(
        MODES + "holdsFor(d(X)=true, J) :- holdsFor(mode(X)=_, K), holdsFor(on(X)=true, I),"
        " allen(meets, K, I, source, J).",
        ("mode|3|5|slow|a", "mode|5|9|fast|a", "on|9|14|true|a"),
        {"d(a)=true": [(3, 9)]},
    ),
    "some value within a term": Instances(
        MODES + "holdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), holdsFor(mode(X)=gear(_, up), K),"
        " relative_complement_all(I, [K], J).",
        ("on|1|20|true|a", "mode|3|5|gear(1,up)|a", "mode|5|9|gear(2,up)|a", "mode|9|12|gear(2,down)|a"),
        {"d(a)=true": [(1, 3), (9, 20)]},
    ),
    "some value of nothing is nothing": Instances(
        MODES + "holdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), holdsFor(mode(X)=_, K),"
        " relative_complement_all(I, [K], J).",
        ("on|1|20|true|a", "mode|3|5|slow|b"),
        {"d(a)=true": [(1, 20)]},
    ),
    "values of a simple fluent": Instances(
        "collectIntervals(on(_)=true).\ninitiatedAt(f(X)=V, T) :- happensAt(turn(X, V), T).\n"
        "terminatedAt(f(X)=_, T) :- happensAt(stop(X), T).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), holdsFor(f(X)=_, K), relative_complement_all(I, [K], J).",
        ("on|1|20|true|a", "turn|3|a|slow", "turn|7|a|fast", "stop|12|a"),
        {"d(a)=true": [(1, 4), (13, 20)]},
    ),
    "some value of those in the grounding": Instances(
        MODES + "grounding(mode(a)=slow).\nholdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), holdsFor(mode(X)=_, K),"
        " relative_complement_all(I, [K], J).",
        ("on|1|20|true|a", "mode|3|5|slow|a", "mode|5|9|fast|a"),
        {"d(a)=true": [(1, 3), (5, 20)]},
    ),
    "values that a rule computes": Instances(
        "initiatedAt(n(X)=N, T) :- happensAt(add(X, M), T), N is M + 1.\nholdsFor(d(X)=N, I) :- holdsFor(n(X)=N, I).",
        ("add|3|a|1", "add|7|a|2"),
        {"d(a)=2": [(4, 8)], "d(a)=3": [(8, None)]},
    ),
    "nothing ranges over an empty sort": Instances(
        IN + "holdsFor(d(X)=true, I) :- holdsFor(in0(X)=true, I), holdsFor(in1(_)=true, _).",
        ("in0|3|5|true|a",),
        {},
    ),
    "a written list is repeated for all instances": Instances(
        IN + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), union_all([I, [(1, 2)]], J).",
        ("in0|3|5|true|a", "in0|8|9|true|b"),
        {"d(a)=true": [(1, 2), (3, 5)], "d(b)=true": [(1, 2), (8, 9)]},
    ),
}


def of_d(answer: object) -> object:
    if not isinstance(answer, dict):
        return answer
    return {name: sorted(found) for name, found in answer.items() if name.startswith("d(")}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_reference_has_the_instances_of_the_specification(case: Instances) -> None:
    assert of_d(Example(case.rules, case.records).reference()) == case.expected


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_columns_have_the_instances_of_the_specification(case: Instances) -> None:
    assert of_d(Example(case.rules, case.records).batch()) == case.expected


@pytest.mark.parametrize("window", [1, 3, 7, 30])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_windows_have_the_instances_of_the_specification(case: Instances, window: int) -> None:
    assert of_d(Example(case.rules, case.records).windows(window)[1]) == case.expected


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_stages_have_the_instances_of_the_specification(case: Instances) -> None:
    given = Example(case.rules, case.records).given
    assert of_d(staged_answer(given, stages_of(given), 3)) == case.expected
