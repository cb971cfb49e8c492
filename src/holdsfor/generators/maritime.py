"""Shipping: vessels that sail from port to port, with incidents on the way.

One period is one voyage of ten hours, in 60 *slots* of ten minutes with one critical point each: cast off, leave the
port and the coast, cruise, an incident in the middle, cruise, reach a coast and a port, rest. In the middle a vessel
may continue to cruise, anchor, loiter, fall silent, drift, or meet its partner, the other vessel of its pair; both
vessels of a pair sail at the same time. Fishing and rescue vessels trawl and search, to and fro. As in the Brest data,
every critical point has a velocity: about one record per vessel and eight minutes, two thirds of them velocities. A
third of the vessels do not report their heading (511).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import CodedRecords, Codes, RecordMaker, Times, Vocabulary

__all__ = ["Shipping"]

_EVENTS = ["change_in_heading", "change_in_speed_start", "change_in_speed_end", "stop_start", "stop_end"]
_EVENTS += ["slow_motion_start", "slow_motion_end", "gap_start", "gap_end"]
_NAMES = ["velocity", *_EVENTS, "entersArea", "leavesArea", "proximity"]

# type: share of the fleet, knots while cruising
_FLEET = {
    "cargo": (0.28, 9, 16),
    "tanker": (0.14, 8, 15),
    "passenger": (0.12, 10, 25),
    "fishing": (0.2, 4, 12),
    "tug": (0.08, 3, 12),
    "pilot": (0.05, 8, 26),
    "pleasure": (0.07, 4, 14),
    "sailing": (0.04, 3, 9),
    "rescue": (0.02, 8, 28),
}
_MIDDLES = {"cruise": 0.35, "anchor": 0.15, "loiter": 0.15, "silence": 0.1, "meet": 0.15, "drift": 0.1}
_KINDS = ["coast", "port", "anchorage", "protected", "fishing"]

_SLOTS, _SLOT = 60, 600
_MIDDLE = slice(16, 32)
_HIGHEST_SPEED = 60  # knots; speeds and courses are given in tenths
_FIRST_ID = 201_000_000
_VESSELS_PER_PORT = 40


class Shipping:
    """`entities` vessels with numbers as in AIS; two by two they are partners."""

    tick = 1
    period = _SLOTS * _SLOT
    rows_per_unit = 160

    def __init__(self, entities: int, seed: int) -> None:
        self.n_vessels = entities
        self.n_units = (entities + 1) // 2
        self.n_ports = entities // _VESSELS_PER_PORT + 2
        rng = np.random.default_rng([seed, 0, 0, 1])
        # If the last vessel has no partner, one is drawn for it, and removed when the records are made.
        n = 2 * self.n_units
        self.type = rng.choice(len(_FLEET), n, p=[share for share, _, _ in _FLEET.values()])
        self.lowest, self.highest = (np.array([row[i] for row in _FLEET.values()])[self.type] for i in (1, 2))
        self.has_heading = rng.random(n) < 2 / 3
        ids = [str(_FIRST_ID + vessel) for vessel in range(entities)]
        speeds = [f"{tenths / 10:.1f}" for tenths in range(_HIGHEST_SPEED * 10 + 1)]
        areas = [f"{kind}_{port}" for kind in _KINDS for port in range(self.n_ports)]
        self.first_area, self.first_partner = len(speeds), len(speeds) + len(areas)
        self.vocabulary = Vocabulary(
            names=_NAMES,
            values=["true"],
            args=(
                ids,
                [*speeds, *areas, *ids],
                [f"{tenths / 10:.1f}" for tenths in range(3600)],
                [f"{degrees}.0" for degrees in (*range(360), 511)],
            ),
        )

    def background(self) -> str:
        types = list(_FLEET)
        lines = ["% The vessels and areas of a generated stream."]
        ids = self.vocabulary.args[0]
        lines += [f"vessel_type({ids[v]}, {types[self.type[v]]})." for v in range(self.n_vessels)]
        lines += [f"area_kind({kind}_{port}, {kind})." for kind in _KINDS for port in range(self.n_ports)]
        return "\n".join(lines) + "\n"

    def area(self, kind: str, port: NDArray[np.int64]) -> Codes:
        return (self.first_area + _KINDS.index(kind) * self.n_ports + port).astype(np.int32)

    def port(self, vessel: NDArray[np.int64], cycle: int) -> NDArray[np.int64]:
        """The port of departure: the destination of the previous voyage."""
        port: NDArray[np.int64] = (vessel * 7 + (cycle + 1) * (vessel % 5 + 1)) % self.n_ports
        return port

    def cell(self, cycle: int, units: NDArray[np.int64], begin: Times, seed: list[int]) -> CodedRecords:
        rng = np.random.default_rng(seed)
        vessels = np.repeat(units * 2, 2) + np.tile([0, 1], len(units))
        plan = self.plan(vessels, np.repeat(begin, 2), rng)
        maker = RecordMaker(self.vocabulary)
        self.velocities(maker, plan, rng)
        self.critical_events(maker, plan, rng)
        self.visits(maker, plan, cycle, rng)
        self.turns(maker, plan, rng)
        self.encounters(maker, plan, rng)
        rows = maker.rows()
        # The partner that was drawn for a single vessel does not exist.
        partner = rows.args[:, 1] - self.first_partner
        return rows.pick((rows.args[:, 0] < self.n_vessels) & (partner < self.n_vessels))

    def plan(self, vessels: NDArray[np.int64], begin: Times, rng: np.random.Generator) -> _Voyages:
        n = len(vessels)
        times = begin[:, None] + np.arange(_SLOTS) * _SLOT + rng.integers(0, _SLOT - 60, (n, _SLOTS))
        middle = np.repeat(rng.choice(len(_MIDDLES), n // 2, p=list(_MIDDLES.values())), 2)
        types = list(_FLEET)
        tugs, pilots, fishing, rescue = (
            self.type[vessels] == types.index(kind) for kind in ("tug", "pilot", "fishing", "rescue")
        )
        cruises = middle == list(_MIDDLES).index("cruise")
        tows = tugs.reshape(-1, 2).any(axis=1) & ~pilots.reshape(-1, 2).any(axis=1)
        return _Voyages(vessels, begin, times, middle, np.repeat(tows, 2), cruises & fishing, cruises & rescue)

    def velocities(self, maker: RecordMaker, plan: _Voyages, rng: np.random.Generator) -> None:
        """Speed, course and heading at most critical points."""
        shape = plan.times.shape
        cruising: NDArray[np.float64] = rng.uniform(self.lowest[plan.vessels], self.highest[plan.vessels])
        speed = cruising[:, None] * _speed_profile() * rng.uniform(0.85, 1.15, shape)
        speed *= np.where(rng.random(shape) < 0.03, 1.4, 1)
        anchoring = plan.does("anchor")
        speed[anchoring, 16:32] *= [0.3, 0.2, *[0.01] * 11, 0.2, 0.4, 0.8]
        slow = plan.lingers
        speed[slow, 16:31] = rng.uniform(0.6, 4, (slow.sum(), 15))
        towed = plan.does("meet") & plan.tows
        speed[towed, 16:31] = rng.uniform(3, 8, (towed.sum(), 15))
        speed[plan.trawls, 16:31] = rng.uniform(2, 5, (plan.trawls.sum(), 15))

        course = (rng.uniform(0, 360, (shape[0], 1)) + np.cumsum(rng.normal(0, 12, shape), axis=1)) % 360
        heading = course + rng.uniform(-8, 8, shape)
        drifting = plan.does("drift")
        heading[drifting, 20:25] += rng.uniform(50, 100, (drifting.sum(), 5))

        is_sent = np.ones(shape, bool)
        is_sent[:, 48:] = rng.random((shape[0], 12)) < 0.25
        is_sent[anchoring, 19:29] = rng.random((anchoring.sum(), 10)) < 0.4
        is_sent[plan.does("silence"), 19:28] = False
        heading_code = np.where(self.has_heading[plan.vessels][:, None], heading.astype(np.int64) % 360, 360)
        maker.add(
            "velocity",
            plan.times[is_sent],
            plan.vessel_codes[is_sent],
            np.clip(np.rint(speed * 10), 0, _HIGHEST_SPEED * 10).astype(np.int32)[is_sent],
            (np.rint(course * 10).astype(np.int64) % 3600).astype(np.int32)[is_sent],
            heading_code.astype(np.int32)[is_sent],
        )

    def critical_events(self, maker: RecordMaker, plan: _Voyages, rng: np.random.Generator) -> None:
        """The events at critical points."""
        n = len(plan.vessels)
        everyone, anchor, silence = np.ones(n, bool), plan.does("anchor"), plan.does("silence")
        hurried, radio_off = rng.random(n) < 0.3, rng.random(n) < 0.1
        script: list[tuple[str, int, NDArray[np.bool_]]] = [
            ("stop_end", 0, everyone),
            ("change_in_speed_start", 0, everyone),
            ("change_in_speed_end", 1, everyone),
            ("change_in_speed_start", 10, hurried),
            ("change_in_speed_end", 11, hurried),
            ("slow_motion_start", 16, anchor | plan.lingers),
            ("slow_motion_end", 18, anchor),
            ("stop_start", 18, anchor),
            ("stop_end", 29, anchor),
            ("slow_motion_start", 29, anchor),
            ("slow_motion_end", 31, anchor | plan.lingers),
            ("gap_start", 18, silence),
            ("gap_end", 28, silence),
            ("change_in_speed_start", 46, everyone),
            ("change_in_speed_end", 47, everyone),
            ("stop_start", 47, everyone),
            ("gap_start", 52, radio_off),
            ("gap_end", 56, radio_off),
        ]
        for name, slot, who in script:
            maker.add(name, plan.times[who, slot], plan.vessels[who].astype(np.int32))
        turns = rng.random(plan.times.shape) < 0.35
        turns[:, :4] = turns[:, 44:] = False
        turns[anchor | silence, _MIDDLE] = False
        maker.add("change_in_heading", plan.times[turns], plan.vessel_codes[turns])

    def visits(self, maker: RecordMaker, plan: _Voyages, cycle: int, rng: np.random.Generator) -> None:
        """Ports and coasts at both ends, anchorages and protected waters on the way."""
        here, there = self.port(plan.vessels, cycle), self.port(plan.vessels, cycle + 1)
        everyone, crossing = np.ones(len(here), bool), rng.random(len(here)) < 0.2
        script = [
            ("leavesArea", 2, "port", here, everyone),
            ("leavesArea", 3, "coast", here, everyone),
            ("entersArea", 8, "protected", here, crossing),
            ("leavesArea", 11, "protected", here, crossing),
            ("entersArea", 17, "anchorage", there, plan.does("anchor")),
            ("leavesArea", 30, "anchorage", there, plan.does("anchor")),
            ("entersArea", 15, "fishing", here, plan.trawls),
            ("leavesArea", 31, "fishing", here, plan.trawls),
            ("entersArea", 44, "coast", there, everyone),
            ("entersArea", 46, "port", there, everyone),
        ]
        for name, slot, kind, port, who in script:
            maker.add(name, plan.times[who, slot], plan.vessels[who].astype(np.int32), self.area(kind, port[who]))

    def turns(self, maker: RecordMaker, plan: _Voyages, rng: np.random.Generator) -> None:
        """Turns to and fro, in every half of a slot in the middle."""
        busy = plan.trawls | plan.searches
        slots = np.arange(_MIDDLE.start, _MIDDLE.stop, 0.5)
        times = (
            plan.begin[busy, None] + (slots * _SLOT).astype(np.int64) + rng.integers(0, 200, (busy.sum(), len(slots)))
        )
        vessels = np.repeat(plan.vessels[busy].astype(np.int32), len(slots))
        maker.add("change_in_heading", times.ravel(), vessels)

    def encounters(self, maker: RecordMaker, plan: _Voyages, rng: np.random.Generator) -> None:
        """The intervals in which partners are close: long if they meet, short if their ways cross."""
        first, second = plan.vessels[::2].astype(np.int32), plan.vessels[1::2]
        partner = (self.first_partner + second).astype(np.int32)
        start = plan.times[:, 17].reshape(-1, 2).max(axis=1)
        end = plan.times[:, 30].reshape(-1, 2).min(axis=1)
        maker.add("proximity", start, first, partner, end=end, value="true", where=plan.does("meet")[::2])
        start = plan.times[::2, 36]
        end = start + rng.integers(60, 240, len(start))
        crossing = rng.random(len(start)) < 0.2
        maker.add("proximity", start, first, partner, end=end, value="true", where=crossing)


@dataclass(frozen=True)
class _Voyages:
    """One voyage of each vessel; partners are neighbouring rows."""

    vessels: NDArray[np.int64]
    begin: Times
    times: Times  # one row per vessel, one column per slot
    middle: NDArray[np.int64]
    tows: NDArray[np.bool_]  # one of the two vessels is a tug, and none is a pilot
    trawls: NDArray[np.bool_]
    searches: NDArray[np.bool_]

    def does(self, middle: str) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_] = self.middle == list(_MIDDLES).index(middle)
        return chosen

    @property
    def lingers(self) -> NDArray[np.bool_]:
        return self.does("loiter") | (self.does("meet") & ~self.tows)

    @property
    def vessel_codes(self) -> Codes:
        """The vessel of every slot."""
        return np.broadcast_to(self.vessels[:, None], self.times.shape).astype(np.int32)


def _speed_profile() -> NDArray[np.float64]:
    """The share of its cruising speed that a vessel makes in each slot."""
    return np.array([0.15, 0.6, 0.6, *[1.0] * 41, 0.7, 0.6, 0.3, *[0.01] * 13])
