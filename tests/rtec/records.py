"""The records that the example applications run on.

RTEC reads records with `start < arrival`, so a record that arrives at the start of a run is lost; here the start
belongs to the run. Slices leave such records out, so that both sides get the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.apps.data import real_data
from tests.rtec.peer import rtec

__all__ = ["Write", "brest", "caviar", "netbill", "shipped"]

Write = Callable[[Path], list[Path]]

# Of CAVIAR's pre-processing: two people are as close as the first of these that their distance does not exceed.
_CLOSE = (24, 25, 30, 34)


def shipped(app: str, *names: str, start: int, end: int, keep: Callable[[list[str]], bool] = lambda _: True) -> Write:
    """The records of a run that RTEC ships; `keep` decides by the fields of a record."""

    def write(folder: Path) -> list[Path]:
        files = [rtec("examples", app, "dataset", "csv", f"{name}.csv") for name in names]
        return [_slice(file, folder, start, end, keep) for file in files]

    return write


def _slice(file: Path, folder: Path, start: int, end: int, keep: Callable[[list[str]], bool]) -> Path:
    lines = file.read_text(encoding="utf-8").splitlines()
    fields = [line.split("|") for line in lines]
    chosen = [line for line, row in zip(lines, fields, strict=True) if start < int(row[1]) <= end and keep(row)]
    return _written(folder / file.name, chosen)


def _written(file: Path, lines: list[str]) -> Path:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def brest(*, start: int, end: int) -> Write:
    """Two vessels off Brest: the data set that RTEC's maritime application names is not part of its checkout."""

    def write(folder: Path) -> list[Path]:
        return [_slice(real_data("brest-two-vessels", "events.csv"), folder, start, end, lambda _: True)]

    return write


def caviar(*, start: int, end: int) -> Write:
    """CAVIAR's records, and a last file with the distances that RTEC's application computes in `preProcessing/1`."""
    write = shipped("caviar", "appearance", "movementB", start=start, end=end)

    def write_with_distances(folder: Path) -> list[Path]:
        files = write(folder)
        return [*files, _written(folder / "distance.csv", list(_distances(files[1])))]

    return write_with_distances


def _distances(movements: Path) -> Iterator[str]:
    """`distance|T|T|true|Id1|Id2|Threshold` for each pair that is close at a time-point."""
    places: dict[str, list[tuple[str, int, int]]] = {}
    for line in movements.read_text(encoding="utf-8").splitlines():
        name, _, time, _, who, *place = line.split("|")
        if name == "coord":
            places.setdefault(time, []).append((who, int(place[0]), int(place[1])))
    for time, there in places.items():
        for one, x1, y1 in there:
            for other, x2, y2 in there:
                squared = (x1 - x2) ** 2 + (y1 - y2) ** 2
                close = next((threshold for threshold in _CLOSE if squared <= threshold**2), None)
                if one < other and close is not None:
                    yield f"distance|{time}|{time}|true|{one}|{other}|{close}"


def netbill(*, agents: int, end: int, seed: int) -> Write:
    """Messages of the NetBill protocol, in any order: RTEC's data set is large, and not always in a checkout."""

    def write(folder: Path) -> list[Path]:
        chance = random.Random(seed)
        lines = [_message(chance, agents, time) for time in range(1, end + 1) for _ in range(6)]
        return [_written(folder / "netbill.csv", lines)]

    return write


def _message(chance: random.Random, agents: int, time: int) -> str:
    consumer, merchant, goods = chance.randrange(agents), chance.randrange(agents), chance.choice(["book", "music"])
    messages: list[tuple[str | int, ...]] = [
        ("request_quote", consumer, merchant, goods),
        ("present_quote", merchant, consumer, goods, 10),
        ("accept_quote", consumer, merchant, goods),
        ("send_EPO", consumer, "iServer", goods, chance.choice([9, 10])),
        ("send_goods", merchant, "iServer", goods, "content", "key"),
    ]
    name, *arguments = chance.choice([*messages, messages[2]])
    return "|".join(map(str, (name, time, time, *arguments)))
