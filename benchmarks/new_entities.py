"""Memory of a session in which every record has a new entity, without and with a dynamic domain of the entities.

`python benchmarks/new_entities.py` prints a table and writes `build/benchmarks/new_entities.json`. Constants, instances
and members that are no longer referenced are freed, so that ten times as many entities take no more memory. The size of
a snapshot is proportional to the window too.
"""

from __future__ import annotations

import os
import time

from live_memory import resident
from timing import write_results

import holdsfor as hf

RULES = """
initiatedAt(moving(X)=true, T) :- happensAt(start(X, _), T).
terminatedAt(moving(X)=true, T) :- happensAt(stop(X), T).
holdsFor(long(X)=true, J) :- holdsFor(moving(X)=true, I), intDurGreater(I, 4, J).
"""
DOMAIN = """
dynamicDomain(entity(_)).
grounding(start(X, _)) :- entity(X). grounding(stop(X)) :- entity(X).
grounding(moving(X)=true) :- entity(X). grounding(long(X)=true) :- entity(X).
"""
PROGRAMS = {"without domain": RULES, "dynamic domain": RULES + DOMAIN}
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


def measured(n_steps: int, every: int, rules: str = RULES) -> list[dict[str, float]]:
    """Entities so far, resident bytes, numbered constants and instances, members of domains, bytes of a snapshot, CPU
    seconds of queries.
    """
    session = hf.Session(hf.load_text(rules), start=0, window=2 * STEP, step=STEP)
    found: list[dict[str, float]] = []
    seconds = 0.0
    for number in range(n_steps):
        session.insert(records(number))
        began = time.process_time()
        session.query()
        seconds += time.process_time() - began
        if (number + 1) % every == 0:
            found.append(
                {
                    "entities": (number + 1) * PER_STEP,
                    "resident_bytes": resident(os.getpid()),
                    "numbered": session._engine.symbols.size,
                    "members": sum(len(m[0]) for m in session._engine.rules.background.brought().values()),
                    "snapshot_bytes": len(session.snapshot()),
                    "seconds": seconds,
                }
            )
    return found


def main() -> None:
    found = {name: measured(N_STEPS, EVERY, rules) for name, rules in PROGRAMS.items()}
    print("| rules | entities | resident memory | numbered | members | snapshot | queries |")
    print("|---|---|---|---|---|---|---|")
    for name, row in ((name, row) for name, rows in found.items() for row in rows):
        memory, snapshot = row["resident_bytes"] / 2**20, row["snapshot_bytes"] / 2**20
        tables = f"{row['numbered']:,.0f} | {row['members']:,.0f} | {snapshot:,.1f} MB"
        print(f"| {name} | {row['entities']:,.0f} | {memory:,.0f} MB | {tables} | {row['seconds']:,.1f} s |")
    write_results("new_entities", {"per_step": PER_STEP, "samples": found})


if __name__ == "__main__":
    main()
