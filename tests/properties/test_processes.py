"""several processes = one process: the same results and the same number of records by outcome.

These laws are for facts that get lost or are counted twice between processes: records of a part that no process reads,
results that no process sends, numbers of lines of records that do not fit. `tests/properties/test_stages.py` has the
laws of stages themselves.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import HoldsforError
from holdsfor.parallel.processes import job, parts, written_results
from tests.properties.answers import read_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.programs import Case, random_case
from tests.properties.simulated_pool import SimulatedPool
from tests.properties.test_staged_reports import narrow_windows
from tests.seeds import chunks, named, share

pytestmark = pytest.mark.in_turn(2)

PROCESSES = (2, 3, 7)
ANY = range(9000, 9050)
KEYED = range(9100, 9150)
DELAYED = range(9200, 9250)
APPS = Path(__file__).parents[2] / "apps"


@pytest.fixture(autouse=True)
def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated processes, and parts of a few lines."""
    monkeypatch.setattr(job, "Pool", SimulatedPool)
    monkeypatch.setattr(parts, "_BYTES_OF_A_PART", (50, 200))
    monkeypatch.setattr(parts, "_ROWS_OF_A_PART", (2, 5))


def outcome(rules: Any, *data: Any, **options: Any) -> tuple[Any, ...]:
    try:
        found = hf.recognise(rules, *data, **options)
    except HoldsforError as problem:
        return (str(problem),)
    reading = found.reading
    counts = (found.late, found.dropped, found.cut, found.unmatched, found.new_member, reading.n_records)
    return found.to_arrow().to_pylist(), counts, found.pending, reading.unused, reading.set_aside


def late_lines(case: Case, window: int, chance: random.Random) -> Iterator[str]:
    """The records in any order, some of them too late, with lines that do not fit."""
    for _, text in case.records:
        name, _, start, *rest = text.split("|")
        arrival = int(start) + int(chance.choice([0, 0, 0, 1, 3]) * window * chance.random())
        yield "|".join([name, str(arrival), start, *rest])
        if chance.random() < 0.05:
            yield f"{name}|soon|{start}"


def compare(seed: int, case: Case, folder: Path) -> None:
    """Compare one process with several."""
    chance = random.Random(seed)
    given = read_case(case)
    window = chance.choice([None, max(1, (case.end - case.start) // case.tick // 3) * case.tick])
    options: dict[str, Any] = {"tick": case.tick, "window": window, "allen_memory": case.allen_memory}
    if chance.random() < 0.5:
        options |= {"start": case.start, "end": case.end}
    lines = list(late_lines(case, window or 1, chance))
    chance.shuffle(lines)
    path = folder / "events.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = outcome(given.compiled, path, jobs=1, **options)
    found = outcome(given.compiled, path, jobs=PROCESSES[seed % 3], **options)
    assert found == expected, f"seed {seed}"


@pytest.mark.parametrize("seeds", chunks(share(ANY, 10)), ids=named)
def test_any_program_has_the_answer_of_one_process(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        compare(seed, random_case(seed), tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 25)), ids=named)
def test_programs_with_keys_have_the_answer_of_one_process(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        compare(seed, keyed_case(seed), tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(DELAYED, 10)), ids=named)
def test_programs_with_delays_have_the_answer_of_one_process(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        compare(seed, delayed_case(seed), tmp_path)


def written(command: list[str], folder: Path, jobs: int, capsys: pytest.CaptureFixture[str]) -> tuple[Any, ...]:
    """The output of a run, its exit code, its counts, and the results in its log.

    The log of several processes counts records, that of one process the distinct events and merged intervals.
    """
    stats, log = folder / "stats.json", folder / "log.jsonl"
    code = main([*command, "--stats", str(stats), "--log", str(log), "--jobs", str(jobs)])
    counts = json.loads(stats.read_text()) if code == 0 else {}
    kept = {name: n for name, n in counts.items() if isinstance(n, int) and name not in NOT_COMPARED}
    lines = (
        [json.loads(line) | {"seconds": 0, "records": 0} for line in log.read_text().splitlines()] if code == 0 else []
    )
    return code, capsys.readouterr().out, kept, lines


NOT_COMPARED = ("processes", "peak_memory_bytes", "kept_for_allen")
"""Figures about memory, which differ."""


def compare_reports(seed: int, case: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Compare the reports or changes of each query time, or the settled results, and the counts."""
    chance = random.Random(seed)
    window, step = narrow_windows(case, chance)
    rules, events = folder / "rules.prolog", folder / "events.txt"
    rules.write_text(case.text, encoding="utf-8")
    lines = list(late_lines(case, window, chance))
    chance.shuffle(lines)
    events.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["run", str(rules), "--input", str(events), "--tick", str(case.tick)]
    command += ["--format", chance.choice(["jsonl", "csv", "text"]), "--window", str(window), "--step", str(step)]
    command += chance.choice([["--report", "changes"], ["--report", "known"], ["--final"]])
    if case.allen_memory is not None:
        command += ["--allen-memory", str(case.allen_memory)]
    if chance.random() < 0.5:
        command += [f"--start={case.start}", f"--end={case.end}"]
    expected = written(command, folder, 1, capsys)
    assert written(command, folder, PROCESSES[seed % 3], capsys) == expected, f"seed {seed}"


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 10)), ids=named)
def test_reports_are_those_of_one_process(seeds: range, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in seeds:
        compare_reports(seed, keyed_case(seed), tmp_path, capsys)


ODD = [
    "b",
    "B",
    "it's",
    'a "quote"',
    "two words",
    "ö",
    "漢字",
    "x,y",
    "line\nbreak",
    "back\\slash",
    "[]",
    "",
    7,
    -3,
    2.5,
    10,
    1e300,
]


@pytest.mark.parametrize("form", ["jsonl", "csv", "text"])
@pytest.mark.parametrize("options", [[], ["--window", "6", "--step", "3"], ["--times", "iso", "--time-unit", "s"]])
@pytest.mark.parametrize("long", [1, 1000])
def test_lines_of_any_constants_are_those_of_one_process(
    form: str,
    options: list[str],
    long: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every process formats the lines of its own keys: the first one must put them into the order of all.

    Long lines are copied one by one, others in blocks.
    """
    monkeypatch.setattr(written_results, "_LONG", long)
    monkeypatch.setattr(written_results, "_BLOCK", 100)
    (tmp_path / "rules.prolog").write_text("""
        initiatedAt(active(X)=true, T) :- happensAt(on(X), T).
        terminatedAt(active(X)=true, T) :- happensAt(off(X), T).
        initiatedAt(ever=X, T) :- happensAt(on(X), T).
        happensAt(off_again(X), T) :- happensAt(off(X), T), holdsAt(active(X)=true, T).
        happensAt(dark, T) :- happensAt(off(X), T).
    """)
    chance = random.Random(form)
    rows = [{"name": chance.choice(["on", "off"]), "start": i // 3, "arg1": chance.choice(ODD)} for i in range(90)]
    (tmp_path / "events.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    command = ["run", str(tmp_path / "rules.prolog"), "--input", str(tmp_path / "events.jsonl"), "--format", form]
    expected = written([*command, *options], tmp_path, 1, capsys)
    assert expected[1].count("\n") > 20
    assert written([*command, *options], tmp_path, 3, capsys) == expected


EVENTS = sorted(APPS.glob("*/events.txt"))


@pytest.mark.parametrize("events", EVENTS, ids=[events.parent.name for events in EVENTS])
def test_applications_have_the_answer_of_one_process(events: Path) -> None:
    rules = hf.load(*sorted(str(each) for each in events.parent.glob("*.prolog") if "brest" not in each.name))
    for window in (None, 3600):
        expected = outcome(rules, events, jobs=1, window=window)
        assert outcome(rules, events, jobs=3, window=window) == expected


ROWS = [{"name": "on" if i % 3 else "off", "start": i, "arg1": f"v{i % 5}"} for i in range(23)]
RULES = hf.load_text("""
    initiatedAt(active(X)=true, T) :- happensAt(on(X), T).
    terminatedAt(active(X)=true, T) :- happensAt(off(X), T).
""")


@pytest.mark.parametrize("form", ["parquet", "arrow", "csv", "jsonl", "table", "objects", "lines", "mapped"])
def test_inputs_of_all_kinds_are_divided(form: str, tmp_path: Path) -> None:
    table = pa.Table.from_pylist(ROWS)
    path = tmp_path / f"events.{form}"
    data: Any = path
    if form == "parquet":
        pq.write_table(table, path, row_group_size=4)
    elif form == "arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    elif form == "csv":
        path.write_text("name,start,arg1\n" + "".join(f"{r['name']},{r['start']},{r['arg1']}\n" for r in ROWS))
    elif form == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    elif form == "mapped":
        data = f"{tmp_path / 'own.csv'}: happensAt(on(who), at)"
        (tmp_path / "own.csv").write_text("who,at\n" + "".join(f"{r['arg1']},{r['start']}\n" for r in ROWS))
    else:
        data = {
            "table": table,
            "objects": [hf.Event(str(r["name"]), str(r["arg1"]), at=int(str(r["start"]))) for r in ROWS],
            "lines": [f"{r['name']}|{r['start']}|{r['start']}|{r['arg1']}" for r in ROWS],
        }[form]
    found = hf.recognise(RULES, data, jobs=3)
    assert found.n_processes == 3
    assert found.to_arrow() == hf.recognise(RULES, data, jobs=1).to_arrow()
    assert found.reading.n_records == len(ROWS)
