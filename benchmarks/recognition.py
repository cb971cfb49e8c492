"""Speed of recognition: loading and recognition of the applications, one core, one run.

`python benchmarks/recognition.py` prints a table and writes `build/benchmarks/recognition.json`. A stream is recognised
in touching windows, once with one report of the settled result (`--final`), once with a report of every window. The
ratio is that of the settled run to the reference evaluator on a slice of the same stream, per record. `rtec.py` has the
comparison with RTEC, on RTEC's own rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from showing import duration, print_table
from streams import Stream, generated
from timing import best_seconds, write_results

from holdsfor.reference import History, RunBounds, recognise
from holdsfor.sources.text_records import Reading, read_text_records

SLICE = 300
REPETITIONS = 3


@dataclass(frozen=True)
class Work:
    """A stream of an application, and its windows."""

    name: str
    app: str
    entities: int
    duration: int
    window: int


WORKS = (
    Work("city transport, 100 vehicles, 5 windows", "ctm", 100, 50_000, 10_000),
    Work("city transport, 100 vehicles, 50 windows", "ctm", 100, 50_000, 1_000),
    Work("city transport, 1,000 vehicles, 5 windows", "ctm", 1_000, 50_000, 10_000),
    Work("video surveillance, 11 windows", "activity", 10, 1_008_000, 100_000),
    Work("maritime, 300 vessels, 10 windows", "maritime", 300, 345_600, 36_000),
)


def reference_seconds(stream: Stream) -> float:
    """The seconds of the reference evaluator for the first records of a stream."""
    lines = [line.decode() for line in islice(stream.content.splitlines(), SLICE)]
    reading, history = Reading(), History()
    read_text_records(lines, "slice", stream.compiled.names, stream.tick, reading)
    facts = reading.facts()
    for fact in facts:
        if fact.value is None:
            history.add_event(fact.entity, fact.start)
        else:
            history.add_interval(fact.entity, fact.value, fact.start, fact.end)
    run = RunBounds(0, max(fact.start for fact in facts), stream.tick)
    return best_seconds(lambda: recognise(stream.compiled, history, run), 1)


def measured(work: Work) -> dict[str, Any]:
    stream = generated(work.app, work.entities, work.duration)
    settled = stream.settle_seconds(work.window, REPETITIONS)
    return {
        "work": work.name,
        "records": stream.n_records,
        "load_seconds": stream.load_seconds(REPETITIONS),
        "settled_once_seconds": settled,
        "every_window_seconds": stream.report_seconds(work.window, REPETITIONS),
        "ratio_to_reference": (reference_seconds(stream) / SLICE) / (settled / stream.n_records),
    }


def main() -> None:
    rows = [measured(work) for work in WORKS]
    headings = ["work", "records", "load", "settled once", "every window reported", "times the reference"]
    keys = ("load_seconds", "settled_once_seconds", "every_window_seconds")
    cells = [
        [row["work"], f"{row['records']:,}", *(duration(row[key]) for key in keys), f"{row['ratio_to_reference']:,.0f}"]
        for row in rows
    ]
    print_table(headings, cells)
    write_results("recognition", rows)


if __name__ == "__main__":
    main()
