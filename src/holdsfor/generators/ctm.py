"""City transport: buses and trams that go from stop to stop of their line.

One period is one leg: the vehicle enters a stop, passengers change, it leaves, accelerates, turns, and brakes for the
next stop. As in the PRONTO data there is one record of each of the eight kinds per leg, and a leg takes 800
time-points: one record per vehicle and 100 time-points. Drivers differ in temper, and a vehicle that is late stays
late for some legs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import CodedRecords, Codes, RecordMaker, Times, Vocabulary

__all__ = ["CityTransport"]

_NAMES = ["stop_enter", "stop_leave", "noise_level_change", "internal_temperature_change", "passenger_density_change"]
_NAMES += ["abrupt_acceleration", "abrupt_deceleration", "sharp_turn"]
_VALUES = ["abrupt", "very_abrupt", "sharp", "very_sharp"]
_LEVELS = ["low", "high", "very_cold", "cold", "normal", "warm", "very_warm"]
_TIMETABLE = ["early", "scheduled", "late"]
_STOPS_PER_LINE, _VEHICLES_PER_LINE = 24, 12
_LEGS_OF_ONE_MOOD = 6


class CityTransport:
    """The vehicles `1` to `entities`, one in six a tram."""

    tick = 1
    period = 800
    rows_per_unit = 8

    def __init__(self, entities: int, seed: int) -> None:
        self.n_units = entities
        n_stops = (entities // _VEHICLES_PER_LINE + 1) * _STOPS_PER_LINE
        self.vocabulary = Vocabulary(
            names=_NAMES,
            values=_VALUES,
            args=(
                [str(vehicle + 1) for vehicle in range(entities)],
                ["bus", "tram"],
                [*_LEVELS, *(f"{stop:05}" for stop in range(n_stops))],
                _TIMETABLE,
            ),
        )
        rng = np.random.default_rng([seed, 0, 0, 1])
        self.is_tram = rng.random(entities) < 1 / 6
        self.temper = rng.uniform(0.2, 0.8, entities)

    def background(self) -> None:
        return None

    def cell(self, cycle: int, units: NDArray[np.int64], begin: Times, seed: list[int]) -> CodedRecords:
        rng = np.random.default_rng(seed)
        n = len(units)
        vehicle, kind = units.astype(np.int32), self.is_tram[units].astype(np.int32)
        leave = begin + rng.integers(10, 40, n)
        line, place = units // _VEHICLES_PER_LINE, (units + cycle) % _STOPS_PER_LINE
        stop = (len(_LEVELS) + line * _STOPS_PER_LINE + place).astype(np.int32)
        mood = self.mood(cycle, units, seed)

        maker = RecordMaker(self.vocabulary)
        maker.add("stop_enter", begin, vehicle, kind, stop, _wavering(rng, mood))
        maker.add("stop_leave", leave, vehicle, kind, stop, _wavering(rng, mood))
        maker.add("passenger_density_change", leave, vehicle, kind, _any_of(rng, n, "low", "high"))
        maker.add("noise_level_change", begin + rng.integers(0, 800, n), vehicle, kind, _any_of(rng, n, "low", "high"))
        level = _any_of(rng, n, *_LEVELS[2:])
        maker.add("internal_temperature_change", begin + rng.integers(0, 800, n), vehicle, kind, level)

        manoeuvres = [
            ("abrupt_acceleration", leave + 1, 0),
            ("sharp_turn", begin + rng.integers(100, 700, n), 2),
            ("abrupt_deceleration", begin + 780, 0),
        ]
        for name, start, mild in manoeuvres:
            value = (mild + (rng.random(n) < self.temper[units])).astype(np.int32)
            maker.add(name, start, vehicle, kind, end=start + rng.integers(2, 8, n), value=value)
        return maker.rows()

    def mood(self, cycle: int, units: NDArray[np.int64], seed: list[int]) -> Codes:
        """The punctuality of the vehicles, constant for some legs."""
        rng = np.random.default_rng([seed[0], (cycle + 1) // _LEGS_OF_ONE_MOOD, seed[2], 2])
        return rng.choice(3, len(units), p=[0.2, 0.45, 0.35]).astype(np.int32)


def _wavering(rng: np.random.Generator, mood: Codes) -> Codes:
    """The mood, or for some vehicles a random level."""
    return np.where(rng.random(len(mood)) < 0.7, mood, rng.integers(0, 3, len(mood))).astype(np.int32)


def _any_of(rng: np.random.Generator, n: int, *levels: str) -> Codes:
    codes = np.array([_LEVELS.index(level) for level in levels], np.int32)
    return codes[rng.integers(0, len(codes), n)]
