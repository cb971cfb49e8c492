"""Memory of a session in which every record has a new entity.

`python benchmarks/new_entities.py` prints a table and writes `build/benchmarks/new_entities.json`. Constants and
instances that are no longer referenced are freed, so that ten times as many entities take no more memory. The size of
a snapshot is proportional to the window too.
"""

from __future__ import annotations

import os
import time

from memory import resident
from timing import write_results

import holdsfor as hf

RULES = """
initiatedAt(moving(X)=true, T) :- happensAt(start(X, _), T).
terminatedAt(moving(X)=true, T) :- happensAt(stop(X), T).
holdsFor(long(X)=true, J) :- holdsFor(moving(X)=true, I), intDurGreater(I, 4, J).
"""
STEP = 10
PER_STEP = 5_000
N_STEPS = 300
EVERY = 30


def records(number: int) -> list[str]:
    """The records of a step: entities that start, and stop a little later."""
    begin = number * STEP
    names = [f"entity{number}x{i}" for i in range(PER_STEP)]
    starts = [f"start|{begin + 1 + i % 5}|{begin + 1 + i % 5}|{name}|{i % 100}" for i, name in enumerate(names)]
    return [*starts, *(f"stop|{begin + 9}|{begin + 9}|{name}" for name in names)]


def measured(n_steps: int, every: int) -> list[dict[str, float]]:
    """Entities so far, resident bytes, numbered constants and instances, bytes of a snapshot, seconds of queries."""
    session = hf.Session(hf.load_text(RULES), start=0, window=2 * STEP, step=STEP)
    found: list[dict[str, float]] = []
    seconds = 0.0
    for number in range(n_steps):
        session.insert(records(number))
        began = time.perf_counter()
        session.query()
        seconds += time.perf_counter() - began
        if (number + 1) % every == 0:
            found.append(
                {
                    "entities": (number + 1) * PER_STEP,
                    "resident_bytes": resident(os.getpid()),
                    "numbered": session._engine.symbols.size,
                    "snapshot_bytes": len(session.snapshot()),
                    "seconds": seconds,
                }
            )
    return found


def main() -> None:
    found = measured(N_STEPS, EVERY)
    print("| entities | resident memory | numbered | snapshot | queries |")
    print("|---|---|---|---|---|")
    for row in found:
        memory, snapshot = row["resident_bytes"] / 2**20, row["snapshot_bytes"] / 2**20
        cells = f"{memory:,.0f} MB | {row['numbered']:,.0f} | {snapshot:,.1f} MB | {row['seconds']:,.1f} s"
        print(f"| {row['entities']:,.0f} | {cells} |")
    write_results("new_entities", {"per_step": PER_STEP, "samples": found})


if __name__ == "__main__":
    main()
