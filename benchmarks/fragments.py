"""Fragments of NetBill, voting and a feedback loop on several systems: Figures 5 and 6 of the delayed-effects paper.

`EXPERIMENTS=path SCASP=path LOGICA=command JAVA=command python benchmarks/fragments.py [--long]` prints a table for
each fragment and writes `build/benchmarks/fragments.json`. *quote* begins with an event and ends with another one,
without delays; *voting* ends five time-points after it began, unless it is closed before; *immune response* has two
variables, six combinations of initial values, and ticks. A stream has one event at each time-point. Seconds are
processor seconds of the whole process, which includes its start; *recognition* is
holdsfor without start, reading and compilation. The answers of all systems are compared. `peers.py` says where the
systems come from; one that is missing is left out with a line. The paper has curves without numbers.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fragment_programs import IMMUNE_RULES, LOGICA_QUOTE, QUOTE_RULES, SCASP_QUOTE, SCASP_VOTING, VOTING_RULES
from peers import Missing, TooSlow, checkout, command_seconds, program, run_rtec
from showing import duration, print_table, size_options
from streams import Stream
from timing import write_results

from holdsfor.analysis.pipeline import compile_text

SIZES, SIZES_LONG = (10, 20, 40, 80, 400, 1_000), (10, 20, 40, 80, 400, 1_000, 4_000, 16_000)
_JREC = Path(__file__).with_name("jrec_quote.prolog")
_PAIR = re.compile(r"\((-?\d+),(-?\d+|inf)\)")

Event = tuple[str, int, tuple[int, ...]]
"""The name, time-point and arguments of an event."""
Holding = set[tuple[tuple[int, ...], int]]
"""The arguments of a fluent and the time-points at which it holds."""
Answered = tuple[Holding, float]


@dataclass(frozen=True)
class Stretch:
    """The events of a stream, and a folder for files."""

    events: list[Event]
    folder: Path

    @property
    def last(self) -> int:
        """The last time-point that answers are compared at."""
        return self.events[-1][1]

    def holding(self, intervals: Iterator[tuple[tuple[int, ...], int, int | None]]) -> Holding:
        """The time-points of intervals [start, end)."""
        return {
            (key, t)
            for key, start, end in intervals
            for t in range(start, self.last + 1 if end is None else min(end, self.last + 1))
        }


def quotes(n: int) -> list[Event]:
    chance = Random(n)
    return [
        (chance.choice(("present_quote", "accept_quote")), t, (chance.randint(1, 4), chance.randint(1, 4)))
        for t in range(1, n + 1)
    ]


def ballots(n: int) -> list[Event]:
    chance = Random(n)
    return [(chance.choice(("open_ballot", "close_ballot")), t, (chance.randint(1, 3),)) for t in range(1, n + 1)]


def ticks(n: int) -> list[Event]:
    return [("tick", t, ()) for t in range(1, n + 1)]


# -- holdsfor and RTEC→ ------------------------------------------------------------------------------------------------


def records(events: list[Event]) -> str:
    return "".join("|".join(map(str, (name, t, t, *arguments))) + "\n" for name, t, arguments in events)


def by_holdsfor(rules: str, stretch: Stretch) -> Answered:
    """The command, from files to a file."""
    files = _written(stretch, rules)
    out = stretch.folder / "answers.csv"
    command = [sys.executable, "-m", "holdsfor", "run", str(files[0]), "--input", str(files[2]), "-o", str(out)]
    ran = command_seconds([*command, "--overwrite", "--jobs", "1"], stretch.folder)
    with out.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    found = ((_key(row), int(row["start"]), int(row["end"]) if row["end"] else None) for row in rows)
    return stretch.holding(each for each in found if each[0]), ran.seconds


def _key(row: dict[str, str]) -> tuple[int, ...]:
    """The numbers of the FVP that is asked for; of another fluent or value, none."""
    is_asked = re.fullmatch(r"quote\(.*=true|voting\(.*=over|level\(.*", row["fvp"])
    return tuple(map(int, re.findall(r"\d+", row["fvp"]))) if is_asked else ()


def recognition_seconds(rules: str, stretch: Stretch) -> float:
    stream = Stream(compile_text(rules, "fragment"), records(stretch.events).encode())
    return stream.settle_seconds(None, 3)


def by_rtec(rules: str, app: str, stretch: Stretch) -> Answered:
    ran = run_rtec("rtec", app, _written(stretch, rules), stretch.last, stretch.last, stretch.last, stretch.folder)
    return stretch.holding(_rtec_intervals(ran.intervals)), ran.process_seconds


def _rtec_intervals(text: str) -> Iterator[tuple[tuple[int, ...], int, int | None]]:
    """The intervals of the FVPs that are asked for: `quote(M,C)=true` and `voting(M)=over`."""
    for fluent, arguments, value, listed in re.findall(r"(\w+),\[\[([\d,]+)\],(\w+)\],\[(.*)\]\)\.", text):
        for start, end in _PAIR.findall(listed) if (fluent, value) in (("quote", "true"), ("voting", "over")) else ():
            yield tuple(map(int, arguments.split(","))), int(start), None if end == "inf" else int(end)


def _written(stretch: Stretch, rules: str) -> tuple[Path, Path, Path]:
    folder = stretch.folder
    contents = {"rules.prolog": rules, "background.prolog": "", "records.csv": records(stretch.events)}
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder / "rules.prolog", folder / "background.prolog", folder / "records.csv"


# -- s(CASP), Logica and jREC ------------------------------------------------------------------------------------------


def by_scasp(text: str, keys: tuple[str, ...], stretch: Stretch) -> Answered:
    """All answers of a query, each with the bounds of its time-points."""
    library = checkout("SCASP", "prolog")
    happens = "".join(f"{name}({','.join(map(str, args))},{t}).\n" for name, t, args in stretch.events)
    file = stretch.folder / "fragment.pl"
    file.write_text(text + happens, encoding="utf-8")
    main = library / "scasp" / "main.pl"
    options = ["-n0", "--forall=prev"]
    command = [program("swipl"), "-p", f"library={library}", str(main), "--", *options, str(file)]
    ran = command_seconds(command, stretch.folder)
    answers = [answer.split("\n\n")[0] for answer in ran.output.split("% Bindings")[1:]]
    return stretch.holding(_scasp_interval(answer, keys) for answer in answers), ran.seconds


def _scasp_interval(answer: str, keys: tuple[str, ...]) -> tuple[tuple[int, ...], int, int | None]:
    values = {name: int(value) for name, value in re.findall(r"\b([A-Z]\w*) = (-?\d+)", answer)}
    key = tuple(values[name] for name in keys)
    if "T" in values:
        return key, values["T"], values["T"] + 1
    bounds = re.findall(r"#(>=|>|=<|<)\s*(-?\d+)", answer)
    first = max((int(value) + (sign == ">") for sign, value in bounds if sign in (">", ">=")), default=0)
    ends = [int(value) + (sign == "=<") for sign, value in bounds if sign in ("<", "=<")]
    return key, first, min(ends) if ends else None


def by_logica(stretch: Stretch) -> Answered:
    """The time-points, by SQL on SQLite."""
    command = os.environ.get("LOGICA")
    if not command:
        raise Missing("LOGICA is not set")
    names = {"present_quote": "PresentQuote", "accept_quote": "AcceptQuote"}
    facts = "".join(
        f"{names[name]}(merchant: {args[0]}, consumer: {args[1]}, t: {t});\n" for name, t, args in stretch.events
    )
    file = stretch.folder / "fragment.l"
    file.write_text(LOGICA_QUOTE.replace("HORIZON", str(stretch.last + 1)) + facts, encoding="utf-8")
    ran = command_seconds([command, str(file), "run_to_csv", "HoldsAt"], stretch.folder)
    rows = csv.DictReader(io.StringIO(ran.output))
    return {((int(row["merchant"]), int(row["consumer"])), int(row["t"])) for row in rows}, ran.seconds


def by_jrec(stretch: Stretch) -> Answered:
    """Maximal intervals, by jREC with red-black trees, which runs on tuProlog and needs Java 18."""
    theirs = checkout("EXPERIMENTS", "systems", "jrecrbt", "programs", "netbill_10_rbt_rec.pl")
    engine = theirs.read_text(encoding="utf-8").partition(":-unknown(_,fail).")[2]
    names = {"present_quote": "presentQuote", "accept_quote": "acceptQuote"}
    happens = ",".join(f"happens({names[name]}({args[0]},{args[1]},book),{t})" for name, t, args in stretch.events)
    answers, file = stretch.folder / "answers.txt", stretch.folder / f"quote_{len(stretch.events)}_rbt.pl"
    own = _JREC.read_text(encoding="utf-8").replace("EVENTS", happens).replace("FILE", str(answers))
    file.write_text(own + engine, encoding="utf-8")
    app = os.path.relpath(stretch.folder / "quote", theirs.parent)
    command = [program(os.environ.get("JAVA", "java")), "-Xss64m", "Main", "rbt", str(len(stretch.events)), app]
    ran = command_seconds(command, theirs.parents[1] / "bin")
    if not answers.exists():
        raise Missing(f"jREC gave no answer: {ran.output[-200:] or 'set JAVA to Java 18 or later'}")
    rows = (line.replace("'", "").split() for line in answers.read_text(encoding="utf-8").splitlines() if line.strip())
    found = (((int(m), int(c)), int(s) + 1, None if e == "inf" else int(e) + 1) for m, c, s, e in rows)
    return stretch.holding(found), ran.seconds


# -- both fragments ----------------------------------------------------------------------------------------------------


def by_gklec(stretch: Stretch) -> Answered:
    """The values at each time-point, by GKL-EC, which writes a log for each combination of initial values."""
    source = checkout("EXPERIMENTS", "systems", "gklec", "src", "gklec.prolog")
    logs, here = stretch.folder / "logs" / "gklec", stretch.folder / "systems" / "gklec" / "src"
    logs.mkdir(parents=True)
    here.mkdir(parents=True)
    goal = f"runQueryAllInits(immune_g, {stretch.last})"
    ran = command_seconds([program("swipl"), "-q", "-l", str(source), "-g", goal, "-t", "halt"], here)
    found: Holding = set()
    for log in logs.glob("results-*.txt"):
        loop = int(log.stem.rpartition("-")[2])
        for name, value, t in re.findall(r"holdsAt\(val\((h|s),(\d)\),(\d+)\)", log.read_text(encoding="utf-8")):
            found.add(((loop, "hs".index(name), int(value)), int(t)))
    return found, ran.seconds


@dataclass(frozen=True)
class Fragment:
    """A fragment, its streams, and the systems that it runs on, each from a stretch to an answer."""

    name: str
    rules: str
    stream: Callable[[int], list[Event]]
    systems: dict[str, Callable[[Stretch], Answered]]


FRAGMENTS = (
    Fragment(
        "quote",
        QUOTE_RULES,
        quotes,
        {
            "holdsfor": lambda stretch: by_holdsfor(QUOTE_RULES, stretch),
            "RTEC→": lambda stretch: by_rtec(QUOTE_RULES, "netbill_fragment", stretch),
            "s(CASP)": lambda stretch: by_scasp(SCASP_QUOTE, ("M", "C"), stretch),
            "Logica": by_logica,
            "jREC": by_jrec,
        },
    ),
    Fragment(
        "voting",
        VOTING_RULES,
        ballots,
        {
            "holdsfor": lambda stretch: by_holdsfor(VOTING_RULES, stretch),
            "RTEC→": lambda stretch: by_rtec(VOTING_RULES, "voting_fragment", stretch),
            "s(CASP)": lambda stretch: by_scasp(SCASP_VOTING, ("M",), stretch),
        },
    ),
    Fragment(
        "immune response",
        IMMUNE_RULES,
        ticks,
        {"holdsfor": lambda stretch: by_holdsfor(IMMUNE_RULES, stretch), "GKL-EC": by_gklec},
    ),
)


def measured(fragment: Fragment, n: int, given_up: dict[str, str]) -> dict[str, Any]:
    """The seconds of every system that has not been given up, and the seconds of recognition."""
    row: dict[str, Any] = {"fragment": fragment.name, "events": n}
    expected: Holding | None = None
    for name, answer in fragment.systems.items():
        if name in given_up:
            continue
        with tempfile.TemporaryDirectory() as folder:
            stretch = Stretch(fragment.stream(n), Path(folder))
            try:
                found, row[name] = answer(stretch)
            except (Missing, TooSlow) as problem:
                given_up[name] = str(problem)
                print(f"{fragment.name}, {n:,} events, {name}: {problem}", file=sys.stderr)
                continue
            if expected is None:
                expected, row["recognition"] = found, recognition_seconds(fragment.rules, stretch)
            elif found != expected:
                raise SystemExit(f"{fragment.name}, {n} events: {name} differs in {sorted(found ^ expected)[:5]}")
    return row


def main() -> None:
    options = size_options("How fast are fragments of NetBill, voting and a feedback loop on several systems?")
    rows = []
    for fragment in FRAGMENTS:
        given_up: dict[str, str] = {}
        own = [measured(fragment, n, given_up) for n in (SIZES_LONG if options.long else SIZES)]
        shown = ["recognition", *fragment.systems]
        cells = [[f"{r['events']:,}", *(duration(r[s]) if s in r else "–" for s in shown)] for r in own]
        print(f"\n{fragment.name}\n")
        print_table(["events", *shown], cells)
        rows += own
    write_results("fragments", rows)


if __name__ == "__main__":
    main()
