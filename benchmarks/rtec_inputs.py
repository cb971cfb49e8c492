"""RTEC's applications with their inputs, at RTEC's own size and ten times as large.

Rules and background knowledge are files of a checkout of RTEC. Records are those of the checkout where it has them. Of
NetBill it has the generator, which runs here under SWI-Prolog. Of the maritime application it has neither: vessels are
generated with the names of RTEC's events, and their types and areas are stated as facts that both systems read.

An input that is ten times as large has every entity ten times, under new names, with the records and facts of the
original. Numbers grow by a multiple of the divisors that the background knowledge uses, so copies have the same roles.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdsfor.generators import model_of, pieces, write_text
from tests.rtec.differences import CUT_DURATION, CUT_RELATION, EXAMPLES, FORGOTTEN_DELAY, TABLE_1
from tests.rtec.examples import Example
from tests.rtec.peer import prolog, rtec
from tests.rtec.records import caviar, shipped
from tests.rtec.test_examples import ALLEN, CAVIAR, CTM, MARITIME, NETBILL, VOTING, without_index

__all__ = ["WORKS", "Input", "Work", "prepare"]

AGENTS, VESSELS, WINDOWS = 100, 300, 12
_GENERATOR = Path(__file__).with_name("netbill_records.prolog")
_WINDOW = 36_000
# The words of the generator of vessels, and RTEC's.
_TYPES = {"passenger": "passenger", "pilot": "pilotvessel", "pleasure": "pleasurecraft", "rescue": "sar"}
_TYPES |= {"sailing": "sailingvessel"}
_AREAS = {"coast": "nearCoast", "port": "nearPorts", "protected": "natura"}
_FACT = re.compile(r"^vessel_type\((\d+), (\w+)\)\.$|^area_kind\((\w+), (\w+)\)\.$")
# The distances between people: RTEC computes them in a hook into its engine; here both systems read them.
_DISTANCES = """
points(distance(_,_,_)=true).
buildFromPoints(distance(_,_,_)=true).
grounding(distance(P1,P2,Threshold)=true) :- id(P1), id(P2), P1@<P2, threshold(_,Threshold).
threshold(fight, 24).
threshold(interact, 25).
threshold(leave, 30).
threshold(meet_move, 34).
"""


@dataclass(frozen=True)
class Input:
    """The files of a run: rules and background knowledge, and records."""

    rules: str
    background: list[Path]
    records: list[Path]

    @property
    def n_records(self) -> int:
        return sum(file.read_bytes().count(b"\n") for file in self.records)


@dataclass(frozen=True)
class Work:
    """An application, the places of entities in its records (by name, or of all others), and the name of a copy.

    `facts` writes facts that are not part of RTEC's files. `differences` are the fluents with other answers than
    RTEC's, and the reasons.
    """

    name: str
    example: Example
    places: dict[str, tuple[int, ...]]
    renamed: Callable[[str, int], str]
    facts: Callable[[Path], list[Path]] = lambda _: []
    differences: Mapping[str, str] = field(default_factory=dict)

    def copies(self, line: str, n: int) -> list[str]:
        fields = line.split("|")
        places = self.places.get(fields[0], self.places[""])
        return [
            "|".join(self.renamed(field, copy) if at in places else field for at, field in enumerate(fields))
            for copy in range(n)
        ]


def numbered(offset: int) -> Callable[[str, int], str]:
    """The name of a copy: a number that is larger by a multiple of the offset; other words stay."""
    return lambda word, copy: str(int(word) + offset * copy) if word.isdigit() else word


def prefixed(word: str, copy: int) -> str:
    """The name of a copy, in the same order as the names of the other copies."""
    return f"copy{copy}_{word}" if copy else word


def prepare(work: Work, n: int, folder: Path, n_first: int | None = None) -> Input:
    """The files of a run with every entity n times; only of the first records if a number of them is given."""
    example = work.example
    background = [*work.facts(folder), *map(example.file, example.background)]
    records = example.records(folder)
    if n_first is not None:
        _cut(records, n_first)
    if n > 1:
        records = [_repeated(file, lambda line: work.copies(line, n)) for file in records]
        background = [_repeated_facts(file, work, n, folder) for file in background]
    return Input(f"{example.edited}\n{example.stated}", background, records)


def _cut(files: list[Path], n: int) -> None:
    """Keep the first records by arrival, of all files together, with all that arrive at the same time as the last."""
    arrivals = sorted(int(line.split("|")[1]) for file in files for line in _lines(file))
    last = arrivals[: n or 1][-1]
    for file in files:
        kept = [line for line in _lines(file) if int(line.split("|")[1]) <= last]
        file.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def _repeated(file: Path, copies: Callable[[str], list[str]]) -> Path:
    copied = [copy for line in _lines(file) for copy in copies(line)]
    file.write_text("".join(f"{copy}\n" for copy in copied), encoding="utf-8")
    return file


def _repeated_facts(file: Path, work: Work, n: int, folder: Path) -> Path:
    """The facts about entities n times: `vehicle(75, bus).`, `vesselStaticInfo(201000000, cargo, 0.0).`"""
    lines = file.read_text(encoding="utf-8").splitlines()
    found = [re.fullmatch(r"((?:vehicle|vesselStaticInfo)\()(\d+)(,.*\)\.)", line.strip()) for line in lines]
    if not any(found):
        return file
    written = folder / f"repeated_{file.name}"
    copies = [
        line if fact is None else f"{fact[1]}{work.renamed(fact[2], copy)}{fact[3]}"
        for line, fact in zip(lines, found, strict=True)
        for copy in range(1 if fact is None else n)
    ]
    written.write_text("\n".join(copies) + "\n", encoding="utf-8")
    return written


def netbill_messages(folder: Path) -> list[Path]:
    """The messages of agents, from RTEC's generator; those at time-point 0 are lost in RTEC."""
    file = folder / "netbill.csv"
    generator = rtec("examples", "netbill", "dataset", "prolog", "netbill_csv_data_generator.prolog")
    prolog(_GENERATOR, str(generator), str(file), "0", "100", str(AGENTS), "1", folder=generator.parent)
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("".join(f"{line}\n" for line in lines if line.split("|")[1] != "0"), encoding="utf-8")
    return [file]


def voyages(folder: Path) -> list[Path]:
    """Generated records of vessels, in RTEC's format."""
    model, written = model_of("maritime", entities=VESSELS, seed=1), io.BytesIO()
    write_text(pieces(model, WINDOWS * _WINDOW, seed=1), model.vocabulary, written)
    lines = written.getvalue().decode().splitlines()
    file = folder / "vessels.csv"
    kept = [_with_area(line) for line in lines if 0 < int(line.split("|")[1]) <= WINDOWS * _WINDOW]
    file.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    return [file]


def _with_area(line: str) -> str:
    if "Area|" not in line:
        return line
    *fields, area = line.split("|")
    return "|".join([*fields, _area(area)])


def _area(area: str) -> str:
    kind, port = area.split("_")
    return f"{_AREAS.get(kind, kind)}_{port}"


def fleet(folder: Path) -> list[Path]:
    """The types of the generated vessels and areas, in the words of RTEC's background knowledge."""
    stated = [":- multifile vesselStaticInfo/3.", ":- multifile bigAreaType/2."]
    for line in model_of("maritime", entities=VESSELS, seed=1).background().splitlines():
        if (fact := _FACT.match(line)) is not None:
            vessel, kind, area, place = fact.groups()
            stated.append(
                f"vesselStaticInfo({vessel},{_TYPES.get(kind, kind)},0.0)."
                if vessel
                else f"bigAreaType({_area(area)},{_AREAS.get(place, place)})."
            )
    file = folder / "fleet.prolog"
    file.write_text("\n".join(stated) + "\n", encoding="utf-8")
    return [file]


_AT_SEA = {"start": 0, "end": WINDOWS * _WINDOW, "records": voyages}
_DIFFERENCES = {
    **dict.fromkeys(("anchoredOrMoored", "inSAR", "loitering", "trawling"), CUT_DURATION),
    "trawlingMovement": FORGOTTEN_DELAY,
}
_RELATED = (
    "fishingTripInArea",
    "fishingTripTrawling",
    "highSpeedNCBeforeDrifting",
    "movingSpeedEqualUnderway",
    "movingSpeedFinishesUnderway",
    "movingSpeedStartsUnderway",
    "pilotOpsEqualProximity",
    "pilotOpsFinishesProximity",
    "pilotOpsStartsProximity",
    "rendezVousEqualProximity",
    "rendezVousFinishesProximity",
    "rendezVousStartsProximity",
    "speedChangeAbove",
    "tuggingEqualProximity",
    "tuggingFinishesProximity",
    "tuggingStartsProximity",
)
_ALLEN_DIFFERENCES = {
    **_DIFFERENCES,
    **dict.fromkeys(("anchoredFarFromPorts", "anchoredNearPorts"), CUT_DURATION),
    **dict.fromkeys(_RELATED, CUT_RELATION),
    **dict.fromkeys(("collisionDanger", "gainingSpeed", "stoppedMeetsGap"), TABLE_1),
}
_VESSEL = {"": (3,), "proximity": (5, 6)}
_INTERVALS = ("abrupt_acceleration", "abrupt_deceleration", "sharp_turn")
_VEHICLE = {"": (3,), **dict.fromkeys(_INTERVALS, (5,))}
_PERSON = {"": (4,), "appear": (3,), "disappear": (3,), "distance": (4, 5)}

WORKS = (
    Work("ctm, 5 windows", CTM, _VEHICLE, numbered(1_000), differences=EXAMPLES["ctm"]),
    Work(
        "ctm, 50 windows",
        replace(CTM, window=1_000, step=1_000),
        _VEHICLE,
        numbered(1_000),
        differences=EXAMPLES["ctm"],
    ),
    Work(
        "caviar, 11 windows",
        replace(CAVIAR, hooks=(), stated=_DISTANCES, n_read=None, records=caviar(start=0, end=1_007_000)),
        _PERSON,
        prefixed,
        differences=EXAMPLES["caviar"],
    ),
    Work(
        "voting, 10 windows",
        replace(VOTING, records=shipped("voting", "voting", start=0, end=100)),
        {"": (3,)},
        numbered(1_100),
    ),
    Work(
        "netbill, 10 windows",
        replace(NETBILL, records=netbill_messages),
        {"": (3, 4)},
        numbered(6_000),
        differences=EXAMPLES["netbill"],
    ),
    Work("maritime, 12 windows", replace(MARITIME, **_AT_SEA), _VESSEL, numbered(10**9), fleet, _DIFFERENCES),
    Work(
        "maritime with Allen relations, 12 windows",
        replace(ALLEN, **_AT_SEA, edit=without_index),
        _VESSEL,
        numbered(10**9),
        fleet,
        _ALLEN_DIFFERENCES,
    ),
)
