"""RTEC's example applications: their rules, background knowledge and records, run by RTEC and by holdsfor.

Rules and background knowledge are RTEC's own files, unchanged. Records are RTEC's own where the checkout has them. Both
sides get the same records, query times and window, and are compared at every query time.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from holdsfor.cli.main import main
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Struct, Var
from tests.rtec.peer import HERE, SECONDS, Intervals, prolog, rtec, swipl
from tests.rtec.records import Write

__all__ = [
    "Compared",
    "Example",
    "Known",
    "answers",
    "compare",
    "compile_by_rtec",
    "rtec_answers",
    "run",
    "run_by_rtec",
]

Known = dict[int, dict[str, Intervals]]
_VARIABLE = re.compile(r"\b_\w+")
_PAIR = re.compile(r"\((-?\d+),(-?\d+|inf)\)")


@dataclass(frozen=True)
class Example:
    """An application and a run of it.

    `records` writes the records of the run into a folder and returns the files; RTEC reads the first `n_read` of them.
    `rules` and `background` are files of the application; holdsfor reads `stated` in place of the files in `hooks`.
    `edit` changes the rules on both sides, `correct` those that RTEC gets.
    """

    app: str
    records: Write
    start: int
    end: int
    window: int
    step: int
    tick: int = 1
    rules: str = "resources/patterns/rules.prolog"
    background: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    stated: str = ""
    edit: Callable[[str], str] = str
    correct: Callable[[str], str] = str
    n_read: int | None = None

    def file(self, name: str) -> Path:
        return rtec("examples", self.app, *name.split("/"))

    @property
    def edited(self) -> str:
        """The rules of the application."""
        return self.edit(self.file(self.rules).read_text(encoding="utf-8"))


# -- RTEC --------------------------------------------------------------------------------------------------------------


def rtec_answers(example: Example, files: list[Path], folder: Path) -> Known:
    """The report of RTEC at each query time, compiled and run by its own scripts."""
    compiled = compile_by_rtec(example.correct(example.edited), folder)
    described = [*map(example.file, (*example.background, *example.hooks)), compiled]
    return run_by_rtec(example, described, files[: example.n_read], folder)


def run_by_rtec(
    example: Example, described: list[Path], files: list[Path], folder: Path, seconds: int = SECONDS
) -> Known:
    """The report of RTEC at each query time of an example, with other files than its own."""
    parameters = {
        "event_description_files": _prolog_list(described),
        "input_mode": "csv",
        "input_providers": _prolog_list(files),
        "window_size": example.window,
        "step": example.step,
        "start_time": f"({example.start})",
        "end_time": f"({example.end})",
        "clock_tick": example.tick,
        "allen_memory": example.window,
        "output_mode": "file",
        "results_directory": f"'{folder}'",
    }
    listed = ",".join(f"{name}={value}" for name, value in parameters.items())
    written = folder / "answers.prolog"
    scripts = rtec("execution scripts")
    prolog(
        HERE / "example.prolog", str(scripts), example.app, f"[{listed}]", str(written), folder=scripts, seconds=seconds
    )
    return _known(written.read_text(encoding="utf-8").splitlines(), example.tick)


def compile_by_rtec(rules: str, folder: Path) -> Path:
    """The file with the compiled clauses of an event description."""
    source = folder / "rules.prolog"
    source.write_text(rules, encoding="utf-8")
    loaded = ("--stack_limit=128m", "-l", str(rtec("src", "compiler.prolog")))
    swipl(*loaded, "-g", f"compileED('{source}',withoutOptimisation),halt")
    return folder / "compiled_rules.prolog"


def _prolog_list(files: Iterable[Path]) -> str:
    return "[" + ",".join(f"'{file}'" for file in files) + "]"


def _known(lines: Iterable[str], tick: int) -> Known:
    """The reports in the lines that `example.prolog` writes, by query time."""
    found: Known = {}
    windows: dict[int, int] = {}
    for line in lines:
        time, window, kind, entity, written = line.split("\t")
        windows[int(time)] = int(window)
        name, at_time = _VARIABLE.sub("_", entity), found.setdefault(int(time), {})
        if kind == "fvp":
            at_time[name] = [(int(start), None if end == "inf" else int(end)) for start, end in _PAIR.findall(written)]
        else:
            times = {int(at) for at in written.strip("[]").split(",")}
            at_time[name] = sorted({(at, at) for at in times} | set(at_time.get(name, [])))
    return {time: inside(known, time - windows[time], tick) for time, known in found.items()}


def inside(known: dict[str, Intervals], before: int, tick: int = 1) -> dict[str, Intervals]:
    """The intervals that end after the window begins: RTEC also keeps an interval that ends right before it."""
    found = {
        name: [(start, end) for start, end in spans if end is None or end > before + (tick if start != end else 0)]
        for name, spans in known.items()
    }
    return {name: spans for name, spans in found.items() if spans}


# -- holdsfor ----------------------------------------------------------------------------------------------------------


def answers(example: Example, files: list[Path], folder: Path) -> Known:
    """The report of holdsfor at each query time."""
    rules = folder / "edited.prolog"
    rules.write_text(f"{example.edited}\n{example.stated}", encoding="utf-8")
    described = [rules, *map(example.file, example.background)]
    return run(example, described, files, folder)


def run(example: Example, described: list[Path], files: list[Path], folder: Path) -> Known:
    """The report of holdsfor at each query time of an example, with other files than its own."""
    written = folder / "answers.jsonl"
    times = {name: getattr(example, name) for name in ("start", "end", "tick", "window", "step")}
    options = [f"--{name}={value}" for name, value in times.items()]
    inputs = [str(file) for file in files]
    assert main(["run", *map(str, described), "--input", *inputs, *options, "-o", str(written)]) == 0
    return known_in(written)


def known_in(written: Path) -> Known:
    """What a run wrote as JSON lines."""
    known: Known = {}
    for line in written.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        known.setdefault(row["query_time"], {}).setdefault(row["fvp"], []).append((row["start"], row["end"]))
    return known


# -- comparison --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """How many answers there are (an FVP or event at a query time), and where the two sides differ."""

    n_answers: int
    different: dict[tuple[int, str], tuple[Intervals, Intervals]]

    @property
    def names(self) -> set[str]:
        """The fluents and events that differ."""
        return set(self.counts)

    @property
    def counts(self) -> Counter[str]:
        return Counter(re.split(r"[(=]", name)[0] for _, name in self.different)


def compare(theirs: Known, ours: Known) -> Compared:
    """The answers of RTEC and of holdsfor side by side."""
    n_answers, different = 0, {}
    for time in sorted({*theirs, *ours}):
        one = theirs.get(time, {})
        other = _generalised(ours.get(time, {}), one)
        n_answers += len({*one, *other})
        for name in sorted({*one, *other}):
            both = one.get(name, []), other.get(name, [])
            if both[0] != both[1]:
                different[time, name] = both
    return Compared(n_answers, different)


def _generalised(known: dict[str, Intervals], like: dict[str, Intervals]) -> dict[str, Intervals]:
    """Events without the arguments that RTEC leaves open: it keeps `stop(7,_)` for `stop(7,on)` and `stop(7,off)`."""
    left_open = dict(_left_open(like))
    found: dict[str, Intervals] = {}
    for name, spans in known.items():
        term = parse_term(name) if name.split("(")[0] in left_open else None
        if isinstance(term, Struct):
            args = ["_" if i in left_open[term.name] else show(arg) for i, arg in enumerate(term.args)]
            name = f"{term.name}({','.join(args)})"
        found[name] = sorted({*spans, *found.get(name, [])}) if term is not None else spans
    return found


def _left_open(like: dict[str, Intervals]) -> Iterator[tuple[str, set[int]]]:
    """The events with arguments that are left open, and which they are."""
    for name in like:
        term = parse_term(name) if "_" in re.split(r"[(,)]", name) else None
        if isinstance(term, Struct) and term.name != "=":
            yield term.name, {i for i, arg in enumerate(term.args) if isinstance(arg, Var)}
