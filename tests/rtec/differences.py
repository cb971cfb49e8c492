"""Where holdsfor answers differently from RTEC, and why: every difference that RTEC's own tests and examples show.

A difference is listed with the answer of holdsfor, so that a change of it is noticed, and with its reason. Where RTEC
itself gives the answer of holdsfor when one window covers everything, `in_one_window` says so and a test holds it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.rtec.peer import Intervals

__all__ = [
    "ALLEN_ANSWERS",
    "ALLEN_TESTS",
    "CUT_DURATION",
    "CUT_RELATION",
    "EXAMPLES",
    "FORGOTTEN_DELAY",
    "REFUSED",
    "TABLE_1",
    "UNIT_TESTS",
    "Difference",
    "Pairs",
]

Pairs = list[tuple[tuple[int, int | None], tuple[int, int | None]]]

# -- reasons -----------------------------------------------------------------------------------------------------------

# Table 1 of the paper on Allen relations compares right-open endpoints: i meets j if e(i) = s(j). RTEC's code compares
# the last time-point of i, e(i)-1, with the first of j: its `meets` are intervals that share a time-point, and
# intervals that one event ends and starts are `before`. The published patterns built on `meets` then never hold.
TABLE_1 = "`meets`, `before` and `overlaps` follow table 1 of the paper: touching intervals meet"

# An initiation at the time-point of a break starts nothing, but sets its delay up. RTEC does the same inside a window.
# When the window moves on, it keeps only the delay of the initiation that started the open interval.
FORGOTTEN_DELAY = "RTEC drops a pending delay at a window's edge if its initiation started nothing"

# RTEC looks for initiations of other values among the values that some grounding or rule names. A bus that is `warm`
# stays `very_cold`, because `warm` comes from the data only. With all values declared RTEC gives the answers of
# holdsfor.
UNDECLARED_VALUE = "an initiation of any other value breaks a value, also of one that only the data mention"

# RTEC splits an interval that begins at the first time-point at the edge of the first window, and statically determined
# fluents see the part inside. With a window that begins before the first time-point RTEC gives the answers of holdsfor.
FIRST_TIME_POINT = "the first time-point belongs to the run, also for statically determined fluents"

# RTEC sets `initially` values and complements up for the entities of the first window. With one window
# RTEC gives the answers of holdsfor.
LATE_ENTITY = "an entity that appears in a later window has its `initially` values and complements from the start"

# RTEC removes a member of a dynamic domain that the window does not mention, unless a fluent of this domain is
# open. A quote is open for a pair of agents, but the agents themselves are removed, and the quote with them. With
# windows over everything RTEC gives the answers of holdsfor.
FORGOTTEN_ENTITY = "an entity with an open value stays in its domain"

# RTEC's compiler takes `holdsFor(Index, F=V, I)` for a goal of the background knowledge, and leaves its rule out of the
# order of evaluation. Without the index RTEC gives the answers of holdsfor, but for `TABLE_1`.
INDEX = "the index in `holdsFor(Index, F=V, I)` is ignored"

# RTEC applies duration filters to intervals that are cut at the window's edge: the rest is shorter than the whole. In
# one window RTEC gives the answers of holdsfor.
CUT_DURATION = "a duration filter compares the whole interval, also if it began before the window"

# RTEC compares intervals that are cut at the window's edge: two intervals that began at different times before the edge
# begin together there, and an interval before the edge is not compared. In one window RTEC gives the answers of
# holdsfor.
CUT_RELATION = "an Allen relation compares whole intervals, also those that began before the window"


@dataclass(frozen=True)
class Difference:
    """The answers of holdsfor at the query times of a unit test, and why they are not RTEC's."""

    reason: str
    answers: dict[int, Intervals]
    in_one_window: bool = False


UNIT_TESTS: dict[str, dict[str, Difference]] = {
    "negotiation_quote_notextended": {
        "ne_netbill_quote 3 negotiation_3": Difference(
            FORGOTTEN_DELAY, {10: [(2, 7), (9, None)], 20: [(9, 12), (14, 19)]}, in_one_window=True
        ),
    },
    "allen/hierarchies": {
        "hierarchies 5 hierarchies_5": Difference(TABLE_1, {20: []}),
        "hierarchies 9 hierarchies_9": Difference(TABLE_1, {20: []}),
    },
}

# The pairs that holdsfor finds where RTEC finds others, all for `TABLE_1`.
ALLEN_TESTS: dict[str, Pairs] = {
    "1": [],
    "11": [],
    "21": [((5, 12), (6, 14)), ((92, 96), (95, None))],
    "24": [],
    "51": [],
}

# The tests of relations pass the expected answer as an argument, which steers RTEC's clauses. In two tests the expected
# answer lacks a pair that RTEC computes when nothing is expected: (100,inf) finishes (95,inf), and (52,90) is before
# (95,inf).
ALLEN_ANSWERS: dict[str, Pairs] = {
    "23": [((100, None), (95, None)), ((42, 48), (40, 48))],
    "25": [
        *(((1, 2), other) for other in [(24, 31), (40, 48), (52, 90), (6, 14), (95, None)]),
        *(((25, 30), other) for other in [(40, 48), (52, 90), (95, None)]),
        *(((42, 48), other) for other in [(52, 90), (95, None)]),
        *(((5, 12), other) for other in [(24, 31), (40, 48), (52, 90), (95, None)]),
        ((52, 90), (95, None)),
    ],
}

# The fluents of the examples that differ at some query time, with the reason.
EXAMPLES: dict[str, dict[str, str]] = {
    "ctm": {
        "internal_temperature": UNDECLARED_VALUE,
        "driver_comfort": UNDECLARED_VALUE,
        "passenger_comfort": UNDECLARED_VALUE,
        "passenger_satisfaction": UNDECLARED_VALUE,
        "driving_quality": FIRST_TIME_POINT,
    },
    "netbill": {"per": FORGOTTEN_ENTITY, "pow": FORGOTTEN_ENTITY, "quote": FORGOTTEN_ENTITY},
    "maritime": {"anchoredOrMoored": CUT_DURATION, "loitering": CUT_DURATION},
    "maritime, Allen relations": {
        "anchoredOrMoored": CUT_DURATION,
        "loitering": CUT_DURATION,
        "anchoredNearPorts": INDEX,
        "gainingSpeed": INDEX,
        "movingSpeedEqualUnderway": INDEX,
        "movingSpeedFinishesUnderway": INDEX,
        "movingSpeedStartsUnderway": INDEX,
        "rendezVousEqualProximity": INDEX,
        "rendezVousFinishesProximity": INDEX,
        "rendezVousStartsProximity": INDEX,
        "stoppedMeetsGap": TABLE_1,
    },
    "maritime, speed changes at time-points": {"anchoredOrMoored": CUT_DURATION, "loitering": CUT_DURATION},
    "caviar": {"close_34": LATE_ENTITY},
}

# Rules of RTEC's compiler tests that holdsfor refuses.
REFUSED: dict[str, str] = {
    # The rule goes through intervals with `findall`, calls `member/2` with its arguments exchanged, and asks with
    # `holdsAt` for a state at the start of each interval. RTEC compiles it; the rule never holds.
    "findall/test_2": "a `holdsFor` rule has no conditions at time-points",
}
