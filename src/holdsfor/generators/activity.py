"""Surveillance video: pairs of persons that cross the picture, meet, walk together, fight, or leave things behind.

One period is 36 seconds (900 frames), of which an id is visible for 4 to 10: 18% of the time, as in CAVIAR. At every
frame a visible id has four records: its movement, position, orientation and appearance; the appearance of its first and
last frame is `appear` and `disappear`. Each pair has its own stage, far from all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import CodedRecords, Codes, RecordMaker, Times, Vocabulary

__all__ = ["Surveillance"]

_MOVEMENTS = ["walking", "running", "active", "inactive", "abrupt"]
_NAMES = [*_MOVEMENTS, "coord", "orientation", "appearance", "appear", "disappear"]
_STATES = ["true", "visible", "occluded"]
_PLOTS = {"meet": 0.2, "fight": 0.1, "together": 0.25, "leave": 0.1, "pass": 0.35}

_FRAMES, _SHORTEST, _LONGEST = 900, 90, 240
_STAGE_WIDTH, _STAGE_HEIGHT = 400, 300
_REACH = 130  # pixels from the middle of the stage to its edge


class Surveillance:
    """The ids `id0` to `id<entities - 1>`; two by two they share a stage."""

    tick = 40
    period = _FRAMES * 40
    rows_per_unit = 1300

    def __init__(self, entities: int, seed: int) -> None:
        self.n_ids = entities
        self.n_units = (entities + 1) // 2
        self.n_columns = int(np.ceil(np.sqrt(self.n_units)))
        self.vocabulary = Vocabulary(
            names=_NAMES,
            values=[*_STATES, *map(str, range(360))],
            args=(
                [f"id{i}" for i in range(entities)],
                [str(x) for x in range(self.n_columns * _STAGE_WIDTH)],
                [str(y) for y in range(self.n_columns * _STAGE_HEIGHT)],
            ),
        )

    def background(self) -> None:
        return None

    def cell(self, cycle: int, units: NDArray[np.int64], begin: Times, seed: list[int]) -> CodedRecords:
        rng = np.random.default_rng(seed)
        scenes = _scenes(units, begin, rng)
        frames = _frames(scenes)
        x, y, direction = _places(frames, rng)
        column, line = frames.unit % self.n_columns, frames.unit // self.n_columns
        x = np.clip(x, 0, _STAGE_WIDTH - 1) + column * _STAGE_WIDTH
        y = np.clip(y, 0, _STAGE_HEIGHT - 1) + line * _STAGE_HEIGHT

        maker = RecordMaker(self.vocabulary)
        who, exists = (2 * frames.unit + frames.role).astype(np.int32), 2 * frames.unit + frames.role < self.n_ids
        turn = (direction + rng.integers(-20, 21, len(who))) % 360
        sight = np.where(rng.random(len(who)) < 0.001, _STATES.index("occluded"), _STATES.index("visible"))
        inside = ~(frames.is_first | frames.is_last)
        maker.add(_movements(frames, rng), frames.time, who, value="true", where=exists)
        maker.add("coord", frames.time, who, x.astype(np.int32), y.astype(np.int32), value="true", where=exists)
        maker.add("orientation", frames.time, who, value=(len(_STATES) + turn).astype(np.int32), where=exists)
        maker.add("appearance", frames.time, who, value=sight.astype(np.int32), where=exists & inside)
        maker.add("appear", frames.time, who, where=exists & frames.is_first)
        maker.add("disappear", frames.time, who, where=exists & frames.is_last)
        return maker.rows()


@dataclass(frozen=True)
class _Scenes:
    """The scenes of pairs: number of frames, first frame, and distance between the two."""

    unit: NDArray[np.int64]
    begin: Times
    length: NDArray[np.int64]
    plot: NDArray[np.int64]
    distance: NDArray[np.int64]
    runs: NDArray[np.bool_]


@dataclass(frozen=True)
class _Frames:
    """One row per id and frame in which it is visible, with the data of its scene."""

    unit: NDArray[np.int64]
    role: NDArray[np.int64]
    time: Times
    frame: NDArray[np.int64]  # of the scene
    length: NDArray[np.int64]
    plot: NDArray[np.int64]
    distance: NDArray[np.int64]
    runs: NDArray[np.bool_]
    is_first: NDArray[np.bool_]
    is_last: NDArray[np.bool_]

    def plays(self, plot: str) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_] = self.plot == list(_PLOTS).index(plot)
        return chosen

    @property
    def act(self) -> NDArray[np.int64]:
        """The scene in three acts: 0, 1, 2."""
        act: NDArray[np.int64] = np.minimum(2, self.frame // (self.length // 3))
        return act


def _scenes(units: NDArray[np.int64], begin: Times, rng: np.random.Generator) -> _Scenes:
    n = len(units)
    length = rng.integers(_SHORTEST, _LONGEST, n)
    return _Scenes(
        units,
        begin + rng.integers(0, _FRAMES - _LONGEST, n) * Surveillance.tick,
        length,
        rng.choice(len(_PLOTS), n, p=list(_PLOTS.values())),
        rng.integers(8, 24, n),
        rng.random(n) < 0.05,
    )


def _frames(scenes: _Scenes) -> _Frames:
    """Both roles of every scene, frame by frame. An object left behind is visible in the second act only."""
    scene = np.repeat(np.arange(len(scenes.unit)), 2)
    role = np.tile([0, 1], len(scenes.unit))
    is_thing = (scenes.plot[scene] == list(_PLOTS).index("leave")) & (role == 1)
    third = scenes.length[scene] // 3
    first = np.where(is_thing, third, 0)
    last = np.where(is_thing, 2 * third, scenes.length[scene] - 1)
    n_frames = last - first + 1
    row = np.repeat(np.arange(len(scene)), n_frames)
    frame = np.arange(len(row)) - np.repeat(np.cumsum(n_frames) - n_frames, n_frames) + first[row]
    of = scene[row]
    return _Frames(
        scenes.unit[of],
        role[row],
        scenes.begin[of] + frame * Surveillance.tick,
        frame,
        scenes.length[of],
        scenes.plot[of],
        scenes.distance[of],
        scenes.runs[of],
        frame == first[row],
        frame == last[row],
    )


def _places(frames: _Frames, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64], Codes]:
    """The position of each id on the stage, and its orientation (degrees)."""
    side = np.where(frames.role == 0, -1, 1)
    third = frames.length // 3
    across = -_REACH + 2 * _REACH * frames.frame / frames.length
    # Towards each other, side by side, apart again.
    rest = side * frames.distance / 2
    coming = side * _REACH + (rest - side * _REACH) * frames.frame / third
    going = rest + (side * _REACH - rest) * (frames.frame - 2 * third) / (frames.length - 2 * third)
    x = np.choose(frames.act, [coming, rest, going])
    x = np.where(frames.plays("together"), across + frames.role * frames.distance, x)
    x = np.where(frames.plays("pass"), -side * across, x)
    left_behind = -_REACH + 2 * _REACH * third / frames.length
    x = np.where(frames.plays("leave"), np.where(frames.role == 1, left_behind, across), x)
    y = np.where(frames.plays("pass"), frames.role * 60, 0) + rng.integers(-1, 2, len(x))
    y = np.where(frames.plays("leave") & (frames.role == 1), frames.distance, y)
    towards = np.where(frames.role == 0, 0, 180)
    direction = np.where(frames.act == 2, 180 - towards, towards).astype(np.int32)
    return (_STAGE_WIDTH // 2 + np.rint(x)).astype(np.int64), _STAGE_HEIGHT // 2 + y, direction


def _movements(frames: _Frames, rng: np.random.Generator) -> Codes:
    """The movement of each id."""
    n = len(frames.unit)
    code = {movement: position for position, movement in enumerate(_MOVEMENTS)}
    movement = np.where(frames.runs & frames.plays("pass"), code["running"], code["walking"])
    is_second = frames.act == 1
    chatting = np.where((frames.role == 1) & (frames.frame % 50 < 25), code["inactive"], code["active"])
    movement = np.where(frames.plays("meet") & is_second, chatting, movement)
    struggling = np.where(rng.random(n) < 0.8, code["abrupt"], code["active"])
    movement = np.where(frames.plays("fight") & is_second, struggling, movement)
    return np.where(frames.plays("leave") & (frames.role == 1), code["inactive"], movement).astype(np.int32)
