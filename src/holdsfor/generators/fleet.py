"""A fleet: vehicles that make one tour after another, with a GPS receiver, a fuel sensor and an accelerometer.

One period is a tour and a rest, four hours together: 22 positions, five minutes apart, then the vehicle is parked. In
the middle it may stand with its engine on. Every second position has a reading of the fuel sensor. Drivers differ in
temper: the hasty ones exceed the limit of their vehicle more often, and brake and turn abruptly. Some roads have ice or
filling stations. The rate is that of the fleet in the literature: 6,000 vehicles over 40 days have about 70 million
records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import CodedRecords, Codes, RecordMaker, Times, Vocabulary

__all__ = ["Fleet"]

_NAMES = ["moving", "standing", "parked", "fuel_level", "near_station", "ice_on_road"]
_NAMES += ["abrupt_acceleration", "abrupt_braking", "abrupt_cornering"]
_ABRUPT = ("abrupt_acceleration", "abrupt_braking", "abrupt_cornering")

# type: share of the fleet, speed limit, size of the tank
_TYPES = {
    "van": (0.45, 110, 70),
    "truck": (0.25, 80, 400),
    "car": (0.12, 120, 50),
    "fridge_truck": (0.1, 80, 300),
    "bus": (0.08, 80, 250),
}
_SLOTS, _SLOT = 22, 300
_HALT = 9  # the slot in which a vehicle may stand
_LARGEST = 600  # of all speeds and amounts of fuel
_LOWEST_FUEL = 0.15
_ICE_TOURS = 6  # of these, one has ice


class Fleet:
    """The vehicles `v0` to `v<entities - 1>`, with background knowledge about each."""

    tick = 1
    period = 4 * 3600
    rows_per_unit = 49

    def __init__(self, entities: int, seed: int) -> None:
        self.n_units = entities
        rng = np.random.default_rng([seed, 0, 0, 1])
        self.type = rng.choice(len(_TYPES), entities, p=[share for share, _, _ in _TYPES.values()])
        limits, tanks = (np.array([row[i] for row in _TYPES.values()])[self.type] for i in (1, 2))
        # Some vehicles may not be as fast as others of their type: dangerous goods, new drivers.
        self.limit = limits - np.where(rng.random(entities) < 0.1, 20, 0)
        self.tank = tanks + rng.integers(0, 3, entities) * 10
        self.temper = rng.uniform(0.02, 0.3, entities)
        self.use = rng.uniform(0.05, 0.25, entities)  # of a tank in a tour
        self.filled = rng.random(entities)
        self.vocabulary = Vocabulary(
            names=_NAMES,
            values=[],
            args=([f"v{vehicle}" for vehicle in range(entities)], [str(number) for number in range(_LARGEST + 1)]),
        )

    def background(self) -> str:
        types, ids = list(_TYPES), self.vocabulary.args[0]
        lines = ["% The vehicles of a generated stream: types, speed limits in km/h and tanks in litres."]
        lines += [f"vehicle_type({v}, {types[kind]})." for v, kind in zip(ids, self.type, strict=True)]
        lines += [f"speed_limit({v}, {limit})." for v, limit in zip(ids, self.limit, strict=True)]
        lines += [f"tank({v}, {litres})." for v, litres in zip(ids, self.tank, strict=True)]
        return "\n".join(lines) + "\n"

    def cell(self, cycle: int, units: NDArray[np.int64], begin: Times, seed: list[int]) -> CodedRecords:
        rng = np.random.default_rng(seed)
        times = begin[:, None] + np.arange(_SLOTS) * _SLOT + rng.integers(0, _SLOT - 60, (len(units), _SLOTS))
        tours = _Tours(units, cycle, times, rng.random(len(units)) < 0.4)
        maker = RecordMaker(self.vocabulary)
        self.positions(maker, tours, rng)
        self.fuel(maker, tours, rng)
        self.incidents(maker, tours, rng)
        return maker.rows()

    def positions(self, maker: RecordMaker, tours: _Tours, rng: np.random.Generator) -> None:
        """The speed at each position, the halts, and the end of the tour."""
        shape = tours.times.shape
        limit, temper = self.limit[tours.vehicles][:, None], self.temper[tours.vehicles][:, None]
        share = np.where(rng.random(shape) < temper, rng.uniform(1, 1.25, shape), rng.uniform(0.3, 1, shape))
        speed = np.rint(limit * share).astype(np.int32)
        is_moving = np.ones(shape, bool)
        is_moving[tours.halts, _HALT] = False
        maker.add("moving", tours.times[is_moving], tours.codes[is_moving], speed[is_moving])
        halting = tours.vehicles[tours.halts].astype(np.int32)
        maker.add("standing", tours.times[tours.halts, _HALT], halting)
        again = tours.times[tours.halts, _HALT] + rng.integers(5, 40, len(halting))
        maker.add("standing", again, halting)
        ends = tours.times[:, -1] + rng.integers(60, 900, shape[0])
        maker.add("standing", ends - rng.integers(20, 60, shape[0]), tours.vehicles.astype(np.int32))
        maker.add("parked", ends, tours.vehicles.astype(np.int32))

    def fuel(self, maker: RecordMaker, tours: _Tours, rng: np.random.Generator) -> None:
        """A reading at every second position; a vehicle is refuelled when its tank is nearly empty."""
        every_second = tours.times[:, ::2]
        progress = np.arange(0, _SLOTS, 2) / _SLOTS
        used = self.filled[tours.vehicles][:, None] + (tours.cycle + 1 + progress) * self.use[tours.vehicles][:, None]
        share = 1 - (1 - _LOWEST_FUEL) * (used % 1)
        litres = np.rint(self.tank[tours.vehicles][:, None] * share).astype(np.int32)
        maker.add("fuel_level", every_second.ravel(), tours.codes[:, ::2].ravel(), litres.ravel())

    def incidents(self, maker: RecordMaker, tours: _Tours, rng: np.random.Generator) -> None:
        """Abrupt manoeuvres between positions, filling stations at positions, ice in some tours."""
        shape = tours.times.shape
        for name in _ABRUPT:
            is_abrupt = rng.random(shape) < self.temper[tours.vehicles][:, None] / 2
            later = tours.times[is_abrupt] + rng.integers(1, 60, is_abrupt.sum())
            maker.add(name, later, tours.codes[is_abrupt])
        is_near = rng.random(shape) < 0.3
        maker.add("near_station", tours.times[is_near], tours.codes[is_near])
        has_ice = (tours.vehicles // 50 + tours.cycle) % _ICE_TOURS == 0
        is_icy = has_ice[:, None] & (rng.random(shape) < 0.5)
        maker.add("ice_on_road", tours.times[is_icy], tours.codes[is_icy])


@dataclass(frozen=True)
class _Tours:
    """One tour of each vehicle: the times of its positions, one column per slot, and whether it halts on the way."""

    vehicles: NDArray[np.int64]
    cycle: int
    times: Times
    halts: NDArray[np.bool_]

    @property
    def codes(self) -> Codes:
        """The vehicle of every slot."""
        return np.broadcast_to(self.vehicles[:, None], self.times.shape).astype(np.int32)
