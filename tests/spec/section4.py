"""Section 4: statically determined fluents."""

from __future__ import annotations

from tests.oracle.answer import Answer
from tests.spec.cases import Case, case, refused

_A = [(10, 15), (23, 30), (40, 50), (60, 70)]
_B = [(17, 21), (26, 35), (43, 47), (54, 65)]
_AB = "\n".join([*(f"a|{s}|{s}|{e}|true" for s, e in _A), *(f"b|{s}|{s}|{e}|true" for s, e in _B)])
_INPUT = "collectIntervals(a=true).\ncollectIntervals(b=true).\n"
_BOTH = "holdsFor(d=true, J) :- holdsFor(a=true, A), holdsFor(b=true, B), "
_X = "collectIntervals(in0(_)=_).\ncollectIntervals(in1(_)=_).\n"


def _operation(name: str, goal: str, expected: list[tuple[int, int | None]]) -> Case:
    answer: Answer = {"d=true": list(expected)}
    return case(name, _INPUT + _BOTH + goal, _AB, answer, end=130)


OPERATIONS = [
    _operation(
        "union of the worked example", "union_all([A, B], J).", [(10, 15), (17, 21), (23, 35), (40, 50), (54, 70)]
    ),
    _operation("intersection of the worked example", "intersect_all([A, B], J).", [(26, 30), (43, 47), (60, 65)]),
    _operation(
        "relative complement of the worked example",
        "relative_complement_all(A, [B], J).",
        [(10, 15), (23, 26), (40, 43), (47, 50), (65, 70)],
    ),
    _operation(
        "complement", "complement_all([A, B], J).", [(0, 10), (15, 17), (21, 23), (35, 40), (50, 54), (70, None)]
    ),
    case(
        "the worked example after revisions",
        _INPUT + "holdsFor(u=true, J) :- holdsFor(a=true, A), holdsFor(b=true, B), union_all([A, B], J).\n"
        "holdsFor(i=true, J) :- holdsFor(a=true, A), holdsFor(b=true, B), intersect_all([A, B], J).\n"
        "holdsFor(r=true, J) :- holdsFor(a=true, A), holdsFor(b=true, B), relative_complement_all(A, [B], J).\n",
        # A loses and gains, B loses and gains: each loss is written as a retraction and the rest of its record.
        "\n".join(
            [
                _AB,
                *("-a|75|10|15|true", "a|75|12|15|true", "-a|75|23|30|true", "a|75|23|27|true"),
                *("-a|75|40|50|true", "a|75|40|43|true", "a|75|47|50|true", "a|75|54|58|true", "a|80|80|90|true"),
                *("a|95|95|100|true", "-b|75|17|21|true", "b|75|17|19|true", "-b|75|43|47|true", "-b|75|54|65|true"),
                *("b|75|54|60|true", "b|75|37|41|true", "b|82|82|87|true", "b|105|105|120|true"),
            ]
        ),
        {
            "u=true": [(12, 15), (17, 19), (23, 35), (37, 43), (47, 50), (54, 70), (80, 90), (95, 100), (105, 120)],
            "i=true": [(26, 27), (40, 41), (54, 58), (82, 87)],
            "r=true": [(12, 15), (23, 26), (41, 43), (47, 50), (60, 70), (80, 82), (87, 90), (95, 100)],
        },
        end=130,
        window=130,
    ),
    case(
        "a part strictly inside a record is retracted",
        _INPUT + "holdsFor(u=true, J) :- holdsFor(a=true, A), union_all([A], J).\n",
        "a|3|3|20|true\n-a|5|7|9|true",
        {"u=true": [(3, 7), (9, 20)]},
        window=30,
    ),
    case(
        "several rules for one FVP: the union",
        _INPUT + "holdsFor(d=true, J) :- holdsFor(a=true, A), union_all([A], J).\n"
        "holdsFor(d=true, J) :- holdsFor(b=true, B), union_all([B], J).\n",
        "a|3|3|7|true\nb|5|5|9|true",
        {"d=true": [(3, 9)]},
    ),
    case(
        "complement for each member of the grounding",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), complement_all([I], J).\n"
        "grounding(d(X)=true) :- thing(X).\nthing(p). thing(q).\n",
        "in0|3|3|7|true|p\nin0|3|3|7|true|r",
        {"d(p)=true": [(0, 3), (7, None)], "d(q)=true": [(0, None)]},
    ),
    case(
        "the complement begins at the first time-point of the run",
        _INPUT + "holdsFor(d=true, J) :- holdsFor(a=true, A), complement_all([A], J).\n",
        "a|13|13|17|true",
        {"d=true": [(7, 13), (17, None)]},
        start=7,
    ),
]

VALUES = [
    case(
        "some value: the union over all values",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=_, I), intDurGreater(I, 5, J).\n",
        "in0|3|3|7|low|p\nin0|7|7|9|high|p",
        {"d(p)=true": [(3, 9)]},
    ),
    case(
        "some value in a subtracted list",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in1(X)=true, I1), holdsFor(in0(X)=_, I0), "
        "relative_complement_all(I1, [I0], J).\n",
        "in1|1|1|20|true|p\nin0|3|3|7|low|p\nin0|9|9|11|high|p\nin1|1|1|20|true|q",
        {"d(p)=true": [(1, 3), (7, 9), (11, 20)], "d(q)=true": [(1, 20)]},
    ),
    case(
        "a value variable that is used nowhere else",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in1(X)=true, I1), holdsFor(in0(X)=V, I0), "
        "relative_complement_all(I1, [I0], J).\n",
        "in1|1|1|20|true|p\nin0|3|3|7|low|p\nin0|9|9|11|high|p",
        {"d(p)=true": [(1, 3), (7, 9), (11, 20)]},
    ),
    case(
        "a value variable that is used elsewhere: the rule once for each value",
        _X + "holdsFor(d(X)=V, J) :- holdsFor(in0(X)=V, I), intDurGreater(I, 3, J).\n",
        "in0|3|3|7|low|p\nin0|7|7|9|high|p",
        {"d(p)=low": [(3, 7)]},
    ),
    case(
        "a value variable that a goal uses",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=V, I), bad(V), union_all([I], J).\nbad(low). bad(mid).\n",
        "in0|3|3|7|low|p\nin0|7|7|9|high|p\nin0|9|9|11|mid|p",
        {"d(p)=true": [(3, 7), (9, 11)]},
    ),
]

DURATIONS = [
    case(
        "durations are those of whole intervals, also if they began before the window",
        _INPUT + "holdsFor(d=true, J) :- holdsFor(a=true, A), intDurGreater(A, 12, J).\n"
        "holdsFor(e=true, J) :- holdsFor(a=true, A), intDurLess(A, 4, J).\n",
        "a|2|2|5|true\na|8|8|23|true",
        {"d=true": [(8, 23)], "e=true": [(2, 5)]},
        window=5,
    ),
    case(
        "an open interval is as long as it is at the query time",
        "initiatedAt(f(X)=true, T) :- happensAt(on(X), T).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(f(X)=true, I), intDurGreater(I, 10, J).\n",
        "on|19|19|a\non|20|20|b",
        {"f(a)=true": [(20, None)], "f(b)=true": [(21, None)], "d(a)=true": [(20, None)]},
    ),
    case(
        "an interval is longer than its duration, not as long",
        _INPUT + "holdsFor(d=true, J) :- holdsFor(a=true, A), intDurGreater(A, 5, J).\n"
        "holdsFor(e=true, J) :- holdsFor(a=true, A), intDurLess(A, 5, J).\n",
        "a|2|2|7|true\na|10|10|16|true\na|20|20|24|true",
        {"d=true": [(10, 16)], "e=true": [(20, 24)]},
    ),
]

INSTANCES = [
    case(
        "equations connect places too",
        "initiatedAt(busy(X)=true, T) :- happensAt(go(X), T).\n"
        "terminatedAt(busy(X)=true, T) :- X = Y, happensAt(stop(Y), T).\n"
        "terminatedAt(busy(X)=true, T) :- happensAt(all, T), X = c.\n"
        "holdsFor(idle(X)=true, J) :- holdsFor(busy(X)=true, I), complement_all([I], J).\n",
        "go|3|3|a\nstop|5|5|b\nstop|6|6|a",
        {
            "busy(a)=true": [(4, 7)],
            "idle(a)=true": [(0, 4), (7, None)],
            "idle(b)=true": [(0, None)],
            "idle(c)=true": [(0, None)],
        },
    ),
    case(
        "equations with terms connect the places inside",
        "initiatedAt(busy(X)=true, T) :- happensAt(go(X), T).\n"
        "terminatedAt(busy(X)=true, T) :- happensAt(stop(Y), T), unit(Y) = X.\n"
        "initiatedAt(seen(Y)=true, T) :- happensAt(look, T), holdsAt(busy(unit(Y))=true, T).\n"
        "holdsFor(unseen(Y)=true, J) :- holdsFor(seen(Y)=true, I), complement_all([I], J).\n",
        "stop|5|5|b",
        {"unseen(b)=true": [(0, None)]},
        engines=("reference", "batch", "windows"),
    ),
    case(
        "a condition about a fluent of which nothing is known never fails",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), heavy(X), complement_all([I], J).\nheavy(zz).\n",
        "in0|3|3|7|true|p",
        {"d(zz)=true": [(0, None)]},
    ),
    case(
        "goals restrict instances wherever they stand",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), union_all([I], J), heavy(X).\n"
        "holdsFor(e(X)=true, J) :- heavy(X), holdsFor(in0(X)=true, I), union_all([I], J).\nheavy(p).\n",
        "in0|3|3|7|true|p\nin0|3|3|7|true|q",
        {"d(p)=true": [(3, 7)], "e(p)=true": [(3, 7)]},
    ),
    case(
        "an operand outside its grounding is empty",
        "initiatedAt(s0(X)=true, T) :- happensAt(on(X), T).\ninitiatedAt(s2(X)=true, T) :- happensAt(on(X), T).\n"
        "grounding(s0(a)=true).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(s2(X)=true, I2), holdsFor(s0(X)=true, I0), "
        "relative_complement_all(I2, [I0], J).\n",
        "on|10|10|b\non|12|12|a",
        {"s0(a)=true": [(13, None)], "s2(a)=true": [(13, None)], "s2(b)=true": [(11, None)], "d(b)=true": [(11, None)]},
    ),
    case(
        "a variable that no goal binds ranges over the head's grounding",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I0), holdsFor(in1(X)=true, I1), union_all([I0, I1], J).\n"
        "grounding(d(X)=true) :- thing(X).\nthing(p). thing(q).\n",
        "in0|3|3|7|true|p\nin1|3|3|7|true|q\nin1|3|3|7|true|r",
        {"d(p)=true": [(3, 7)], "d(q)=true": [(3, 7)]},
    ),
    case(
        "a variable of the body that no goal binds",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I0), holdsFor(in1(Y)=true, I1), intersect_all([I0, "
        "I1], J).\n",
        "in0|3|3|12|true|p\nin1|5|5|7|true|q\nin1|9|9|20|true|r",
        {"d(p)=true": [(5, 7), (9, 12)]},
    ),
    case(
        "emptiness tests, cuts and fall-backs never change the answer",
        _INPUT + "holdsFor(d=true, J) :- holdsFor(a=true, A), \\+ A=[], holdsFor(b=true, B), B \\= [], !, "
        "intersect_all([A, B], J).\n"
        "holdsFor(d=true, []).\n",
        "a|3|3|7|true\nb|5|5|9|true",
        {"d=true": [(5, 7)]},
    ),
    refused(
        "a cut whose removal could change the answer",
        _X + "holdsFor(d(X)=true, J) :- holdsFor(in0(X)=true, I), link(X, Y), !, holdsFor(in1(Y)=true, K), "
        "intersect_all([I, K], J).\nlink(a, b). link(a, c).\n",
    ),
    refused(
        "a predicate over whole lists that is not interval-wise",
        "first([I|_], [I]).\nfirst([], []).\n" + _INPUT + "holdsFor(d=true, J) :- holdsFor(a=true, A), first(A, J).\n",
        engines=("windows",),
    ),
    case(
        "the built-in duration filters win over definitions of the same name",
        "intDurGreater(_, _, []).\n" + _INPUT + "holdsFor(d=true, J) :- holdsFor(a=true, A), intDurGreater(A, 3, J).\n",
        "a|3|3|9|true",
        {"d=true": [(3, 9)]},
    ),
    case(
        "an interval-wise predicate",
        ":- intervalwise(evens/2).\nevens([], []).\nevens([(S,E)|L], [(S,E)|M]) :- 0 =:= S mod 2, !, evens(L, M).\n"
        "evens([_|L], M) :- evens(L, M).\n" + _INPUT + "holdsFor(d=true, J) :- holdsFor(a=true, A), evens(A, J).\n",
        "a|3|3|7|true\na|8|8|19|true",
        {"d=true": [(8, 19)]},
    ),
]

CASES = [*OPERATIONS, *VALUES, *DURATIONS, *INSTANCES]
