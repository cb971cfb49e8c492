"""The rule sets and worked examples of the papers on RTEC that have no numbered vectors of their own elsewhere.

Where a paper gives letters or a picture, the numbers are ours. Where we read a paper differently, the difference is in
`docs/rtec.md`, with an example that runs there.
"""

from __future__ import annotations

from tests.oracle.answer import Answer
from tests.spec.cases import Case, case

_TOY = """
initiatedAt(rich(X)=true, T) :- happensAt(win_lottery(X), T).
terminatedAt(rich(X)=true, T) :- happensAt(lose_wallet(X), T).
initiatedAt(location(X)=Y, T) :- happensAt(go_to(X, Y), T).
"""
_DAY = """
go_to|9|9|chris|work
win_lottery|13|13|chris
go_to|17|17|chris|pub
lose_wallet|19|19|chris
go_to|21|21|chris|home
"""
_PLACES: Answer = {
    "rich(chris)=true": [(14, 20)],
    "location(chris)=work": [(10, 18)],
    "location(chris)=pub": [(18, 22)],
    "location(chris)=home": [(22, None)],
}

MANUAL = [
    case(
        "manual, listings 2 to 4: happy as a union",
        _TOY
        + """
        holdsFor(happy(X)=true, I) :-
            holdsFor(rich(X)=true, I1), holdsFor(location(X)=pub, I2), union_all([I1, I2], I).
        grounding(go_to(Person, Place)) :- person(Person), place(Place).
        grounding(lose_wallet(Person)) :- person(Person).
        grounding(win_lottery(Person)) :- person(Person).
        grounding(location(Person)=Place) :- person(Person), place(Place).
        grounding(rich(Person)=true) :- person(Person).
        grounding(happy(Person)=true) :- person(Person).
        person(chris).
        place(home).
        place(pub).
        place(work).
        """,
        _DAY,
        {**_PLACES, "happy(chris)=true": [(14, 22)]},
    ),
    case(
        "manual, section 2.2: happy as a simple fluent",
        _TOY
        + """
        initiatedAt(happy(X)=true, T) :- initiatedAt(rich(X)=true, T).
        initiatedAt(happy(X)=true, T) :- initiatedAt(location(X)=pub, T).
        terminatedAt(happy(X)=true, T) :- terminatedAt(rich(X)=true, T), not holdsAt(location(X)=pub, T).
        terminatedAt(happy(X)=true, T) :- terminatedAt(location(X)=pub, T), not holdsAt(rich(X)=true, T).
        """,
        _DAY,
        {**_PLACES, "happy(chris)=true": [(14, 22)]},
    ),
    case(
        "manual, section 5: input fluents over intervals and at time-points",
        """
        collectIntervals(working(_)=true).
        buildFromPoints(break(_)=true).
        holdsFor(busy(X)=true, I) :- holdsFor(working(X)=true, I0), union_all([I0], I).
        holdsFor(rests(X)=true, I) :- holdsFor(break(X)=true, I0), union_all([I0], I).
        """,
        """
        working|15|10|15|true|chris
        break|15|15|true|chris
        break|16|16|true|chris
        working|21|17|21|true|chris
        """,
        {"busy(chris)=true": [(10, 15), (17, 21)], "rests(chris)=true": [(15, 17)]},
    ),
]

INCREMENTAL = [
    case(
        "DEBS 2019, rule-set 2: communication gaps",
        """
        collectIntervals(withinArea(_, _)=true).
        initiatedAt(gap(V)=nearPorts, T) :- happensAt(gap_start(V), T), holdsAt(withinArea(V, nearPorts)=true, T).
        initiatedAt(gap(V)=farFromPorts, T) :-
            happensAt(gap_start(V), T), not holdsAt(withinArea(V, nearPorts)=true, T).
        terminatedAt(gap(V)=_Value, T) :- happensAt(gap_end(V), T).
        """,
        """
        withinArea|1|1|8|true|v|nearPorts
        gap_start|3|3|v
        gap_end|5|5|v
        gap_start|8|8|v
        gap_end|11|11|v
        """,
        {"gap(v)=nearPorts": [(4, 6)], "gap(v)=farFromPorts": [(9, 12)]},
    ),
    case(
        "JAIR 2022, rule 4: a rendezvous",
        """
        collectIntervals(proximity(_, _)=true).
        collectIntervals(lowSpeed(_)=true).
        collectIntervals(stopped(_)=farFromPorts).
        holdsFor(rendezVous(V1, V2)=true, I) :-
            holdsFor(proximity(V1, V2)=true, Ip),
            holdsFor(lowSpeed(V1)=true, Il1), holdsFor(lowSpeed(V2)=true, Il2),
            holdsFor(stopped(V1)=farFromPorts, Is1), holdsFor(stopped(V2)=farFromPorts, Is2),
            union_all([Il1, Is1], I1), union_all([Il2, Is2], I2), intersect_all([I1, I2, Ip], I).
        """,
        """
        proximity|1|2|20|true|a|b
        lowSpeed|1|4|9|true|a
        stopped|1|9|14|farFromPorts|a
        stopped|1|6|11|farFromPorts|b
        """,
        {"rendezVous(a,b)=true": [(6, 11)]},
    ),
    case(
        "JAIR 2022, rule-set 27: an opportunity to refuel",
        """
        collectIntervals(highSpeed(_)=true).
        initiatedAt(refuelOpportunity(V)=true, T) :-
            happensAt(closeToGas(V), T), holdsAt(highSpeed(V)=true, T),
            happensAt(fuelLevel(V, L), T), threshold(V, fuel, Tank), L < Tank/2.
        terminatedAt(refuelOpportunity(V)=true, T) :-
            happensAt(fuelLevel(V, L), T), threshold(V, fuel, Tank), L >= Tank/2.
        threshold(v, fuel, 100).
        """,
        """
        highSpeed|1|1|20|true|v
        closeToGas|3|3|v
        fuelLevel|3|3|v|40
        closeToGas|9|9|v
        fuelLevel|9|9|v|50
        """,
        {"refuelOpportunity(v)=true": [(4, 10)]},
    ),
]

_RULES = """
initiatedAt(f=v, T) :- happensAt(up, T).
terminatedAt(f=v, T) :- happensAt(down, T).
fi(f=v, f=w, 10).
"""


def _figure_2(name: str, ups: tuple[int, ...], downs: tuple[int, ...], expected: Answer, *, p: bool) -> Case:
    records = [f"up|{t}|{t}" for t in ups] + [f"down|{t}|{t}" for t in downs]
    return case(f"JAIR 2025, figure 2{name}", _RULES + "p(f=v)." * p, "\n".join(records), expected)


DELAYED = [
    case(
        "JAIR 2025, examples 2 and 3: expiring quotes",
        """
        initiatedAt(quote(M, C, G)=true, T) :- happensAt(present_quote(M, C, G, _), T).
        initiatedAt(quote(M, C, G)=false, T) :- happensAt(accept_quote(C, M, G), T).
        fi(quote(M, C, G)=true, quote(M, C, G)=expiring, 5).
        fi(quote(M, C, G)=expiring, quote(M, C, G)=false, 3).
        """,
        """
        present_quote|2|2|m|c|g|9
        present_quote|12|12|m|c|g|8
        accept_quote|15|15|c|m|g
        """,
        {
            "quote(m,c,g)=true": [(3, 8), (13, 16)],
            "quote(m,c,g)=expiring": [(8, 11)],
            "quote(m,c,g)=false": [(11, 13), (16, None)],
        },
    ),
    _figure_2("(a)(ii)", (1, 4, 7), (), {"f=v": [(2, 12)], "f=w": [(12, None)]}, p=False),
    _figure_2("(a)(iii)", (1, 4), (7,), {"f=v": [(2, 8)]}, p=False),
    _figure_2("(a)(iv)", (1, 4), (12,), {"f=v": [(2, 12)], "f=w": [(12, None)]}, p=False),
    _figure_2("(b)(ii)", (1, 4, 7), (), {"f=v": [(2, 18)], "f=w": [(18, None)]}, p=True),
    _figure_2("(b)(iii)", (1, 4), (7,), {"f=v": [(2, 8)]}, p=True),
    _figure_2("(b)(iv)", (1, 4), (12,), {"f=v": [(2, 13)]}, p=True),
    case(
        "JAIR 2025, example 8: contracts and suspensions in a circle",
        """
        initiatedAt(contract(M, C)=true, T) :-
            happensAt(accept(C, M), T), holdsAt(quote(M, C)=true, T), not holdsAt(suspended(M)=true, T).
        initiatedAt(quote(M, C)=true, T) :- happensAt(present(M, C), T).
        fi(contract(M, C)=true, contract(M, C)=false, 5).
        initiatedAt(suspended(M)=true, T) :- happensAt(end(contract(M, C)=true), T), not happensAt(deliver(M, C), T).
        fi(suspended(M)=true, suspended(M)=false, 3).
        """,
        """
        present|2|2|m|c
        accept|4|4|c|m
        accept|10|10|c|m
        accept|14|14|c|m
        deliver|19|19|m|c
        """,
        {
            "quote(m,c)=true": [(3, None)],
            "contract(m,c)=true": [(5, 10), (15, 20)],
            "contract(m,c)=false": [(10, 15), (20, None)],
            "suspended(m)=true": [(10, 13)],
            "suspended(m)=false": [(13, None)],
        },
    ),
    case(
        "JAIR 2025, example 12: two values with delays to a third",
        """
        initiatedAt(f=V, T) :- happensAt(set(V), T).
        fi(f=1, f=3, 10).
        fi(f=2, f=3, 4).
        """,
        "set|1|1|1\nset|5|5|2",
        {"f=1": [(2, 6)], "f=2": [(6, 10)], "f=3": [(10, None)]},
    ),
]

_INTERVALS = "collectIntervals(s=true).\ncollectIntervals(t=true).\n"
_FIGURE_2A = "s|1|3|10|true\ns|1|14|16|true\nt|1|5|8|true\nt|1|10|13|true"
_MODES: dict[str, Answer] = {
    "source": {"met=true": [(3, 10)]},
    "target": {"met=true": [(10, 13)]},
    "union": {"met=true": [(3, 13)]},
    "intersect": {},
    "complement": {"met=true": [(3, 10)]},
    "complement_inv": {"met=true": [(10, 13)]},
}

ALLEN = [
    case(
        "KR 2023, rules 1 to 3 and 6: disappeared in an area",
        """
        initiatedAt(withinArea(V, Type)=true, T) :- happensAt(entersArea(V, Id), T), areaType(Id, Type).
        terminatedAt(withinArea(V, Type)=true, T) :- happensAt(leavesArea(V, Id), T), areaType(Id, Type).
        terminatedAt(withinArea(V, _)=true, T) :- happensAt(gapStart(V), T).
        initiatedAt(gap(V)=farFromPorts, T) :- happensAt(gapStart(V), T).
        terminatedAt(gap(V)=farFromPorts, T) :- happensAt(gapEnd(V), T).
        holdsFor(disappearedInArea(V, Type)=true, I) :-
            holdsFor(withinArea(V, Type)=true, S), holdsFor(gap(V)=farFromPorts, T), allen(meets, S, T, target, I).
        areaType(a1, fishing).
        """,
        """
        entersArea|2|2|v|a1
        leavesArea|5|5|v|a1
        entersArea|6|6|v|a1
        gapStart|9|9|v
        gapEnd|13|13|v
        """,
        {
            "withinArea(v,fishing)=true": [(3, 6), (7, 10)],
            "gap(v)=farFromPorts": [(10, 14)],
            "disappearedInArea(v,fishing)=true": [(10, 14)],
        },
    ),
    case(
        "KR 2023, rule 5: anchored or moored",
        """
        collectIntervals(stopped(_)=_).
        collectIntervals(withinArea(_, _)=true).
        holdsFor(anchoredOrMoored(V)=true, I) :-
            holdsFor(stopped(V)=farFromPorts, Isf), holdsFor(withinArea(V, anchorage)=true, Ia),
            intersect_all([Isf, Ia], Isfa), holdsFor(stopped(V)=nearPorts, Isn), union_all([Isfa, Isn], I).
        """,
        """
        stopped|1|2|9|farFromPorts|v
        withinArea|1|5|12|true|v|anchorage
        stopped|1|15|18|nearPorts|v
        """,
        {"anchoredOrMoored(v)=true": [(5, 9), (15, 18)]},
    ),
    case(
        "KR 2023, rule 7: a suspicious rendezvous",
        """
        collectIntervals(gap(_)=farFromPorts).
        collectIntervals(proximity(_, _)=true).
        holdsFor(suspiciousRendezVous(V1, V2)=true, I) :-
            holdsFor(gap(V1)=farFromPorts, G1), holdsFor(gap(V2)=farFromPorts, G2),
            holdsFor(proximity(V1, V2)=true, T), union_all([G1, G2], S), allen(during, S, T, target, I).
        """,
        """
        gap|1|2|6|farFromPorts|a
        gap|1|9|11|farFromPorts|a
        gap|1|10|13|farFromPorts|b
        proximity|1|4|16|true|a|b
        proximity|1|20|24|true|a|b
        """,
        {"suspiciousRendezVous(a,b)=true": [(4, 16)]},
    ),
    *(
        case(
            f"KR 2023, table 2 on figure 2(a): {mode}",
            _INTERVALS
            + f"holdsFor(met=true, I) :- holdsFor(s=true, S), holdsFor(t=true, T), allen(meets, S, T, {mode}, I).",
            _FIGURE_2A,
            expected,
        )
        for mode, expected in _MODES.items()
    ),
]

CASES = [*MANUAL, *INCREMENTAL, *DELAYED, *ALLEN]
