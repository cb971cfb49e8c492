"""The measurements behind the speed claims of the README, side by side in one run.

`python benchmarks/front.py` prints a table and writes the results to `build/benchmarks/front.json`.
"""

from __future__ import annotations

from timing import seconds, write_results

from holdsfor.errors import Diagnostics
from holdsfor.prolog import Database, Engine
from holdsfor.syntax.parser import parse_program, parse_term
from holdsfor.syntax.source import Source

TYPES = ("fishing", "cargo", "tanker", "tug", "passenger")


def facts(n: int, *, plain: bool) -> str:
    """`n` facts about vessels; with lists as arguments they are not plain and take the ordinary path."""
    types = TYPES if plain else [f"[{each}]" for each in TYPES]
    return "".join(f"vesselType({227_000_000 + i}, {types[i % len(types)]}).\n" for i in range(n))


def parsing(n: int, *, plain: bool) -> float:
    """Seconds to parse `n` facts."""
    source = Source("facts", facts(n, plain=plain))
    return seconds(lambda: parse_program(source, Diagnostics()))


def lookups(n_facts: int, n_goals: int) -> float:
    """Seconds for goals that look a fact up by its first argument."""
    program = parse_program(Source("facts", facts(n_facts, plain=True)), Diagnostics())
    database = Database()
    for table in program.tables:
        database.add_table(table.name, table.arity, table.columns)
    engine = Engine(database)
    engine.holds(parse_term("vesselType(227000000, T)"))
    goals = [parse_term(f"vesselType({227_000_000 + i * (n_facts // n_goals)}, T)") for i in range(n_goals)]
    return seconds(lambda: [engine.holds(goal) for goal in goals])


def main() -> None:
    rows: list[dict[str, object]] = []
    ordinary = parsing(50_000, plain=False)
    plain = parsing(50_000, plain=True)
    million = parsing(1_000_000, plain=True)
    rows.append({"work": "50,000 facts, ordinary path", "seconds": ordinary, "ratio": 1.0})
    rows.append({"work": "50,000 facts, fast path", "seconds": plain, "ratio": ordinary / plain})
    rows.append({"work": "1,000,000 facts, fast path", "seconds": million, "ratio": ordinary * 20 / million})
    few, many = lookups(1_000, 1_000), lookups(1_000_000, 1_000)
    rows.append({"work": "1,000 look-ups among 1,000 facts", "seconds": few, "ratio": 1.0})
    rows.append({"work": "1,000 look-ups among 1,000,000 facts", "seconds": many, "ratio": few / many})
    print("| work | seconds | times as fast, per fact or look-up |")
    print("|---|---|---|")
    for row in rows:
        print(f"| {row['work']} | {row['seconds']:.2f} | {row['ratio']:.1f} |")
    write_results("front", rows)


if __name__ == "__main__":
    main()
