"""records on disk = records in memory: the same reports, counts and messages at every query time.

These laws are for records that are inserted too late, twice or in another order than that of their arrival, when large
inputs are read in pieces, sorted on disk and inserted as query times advance. All sizes are tiny here, so that a few
records make several runs, slices and insertions.
"""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.dataset as ds  # type: ignore[import-untyped]
import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.orc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import HoldsforError
from holdsfor.runtime import spilled_input
from holdsfor.runtime.reports import settled_results
from holdsfor.sources import arrow, input_sizes, input_streams, sorted_runs, spilled_reading, whole_lines
from tests.properties.answers import read_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.programs import Case, random_case
from tests.properties.test_staged_reports import narrow_windows
from tests.seeds import chunks, named, share

pytestmark = pytest.mark.in_turn(2)

ANY = range(12000, 12120)
KEYED = range(12200, 12320)
DELAYED = range(12400, 12460)
REPORTED = range(12600, 12720)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few lines, runs and insertions of a few records."""
    monkeypatch.setattr(whole_lines, "_BLOCK", 150)
    monkeypatch.setattr(arrow, "_BATCH", 7)
    monkeypatch.setattr(input_streams, "_ROWS", 3)
    monkeypatch.setattr(spilled_reading, "_RUN", 9)
    monkeypatch.setattr(sorted_runs, "_SAMPLED", 3)
    monkeypatch.setattr(spilled_input, "_INSERTED", 6)
    monkeypatch.setattr(settled_results, "_MANY", 12)


def loading(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write inputs of at least so many records to disk."""
    monkeypatch.setattr(input_sizes, "_MANY", size)


BOTH = (1 << 40, 0)
"""Never and always on disk."""


def outcome(rules: Any, *data: Any, **options: Any) -> tuple[Any, ...]:
    try:
        found = hf.recognise(rules, *data, jobs=1, **options)
    except HoldsforError as problem:
        return (str(problem),)
    reading = found.reading
    counts = (found.late, found.dropped, found.cut, found.unmatched, found.new_member, reading.n_records)
    return found.to_arrow().to_pylist(), counts, reading.unused, reading.set_aside, reading.unmatched


def operations(case: Case, window: int, chance: random.Random) -> Iterator[str]:
    """Records in almost any order: some too late, some twice or retracted, and lines that do not fit."""
    lines: list[str] = []
    retracts = chance.random() < 0.5
    lateness = chance.choice([0, 1, 4])
    for _, text in case.records:
        name, _, start, *rest = text.split("|")
        arrival = int(start) + int(lateness * window * chance.choice([0, 0, chance.random()]))
        lines.append("|".join([name, str(arrival), start, *rest]))
        if retracts and chance.random() < 0.3:
            later = arrival + chance.choice([0, 0, 1, window // 2, window, 3 * window])
            lines.append("|".join([f"-{name}", str(later), start, *rest]))
        if chance.random() < 0.1:
            lines.append(lines[-1])
        if chance.random() < 0.05:
            lines.append(f"{name}|soon|{start}")
    if chance.random() < 0.6:
        chance.shuffle(lines)
    yield from lines


def inputs_of(lines: list[str], folder: Path, chance: random.Random) -> list[Path]:
    """The lines in one file or in several."""
    n = chance.choice([1, 1, 2, 3])
    paths = [folder / f"events{i}.txt" for i in range(n)]
    for i, path in enumerate(paths):
        path.write_text("".join(f"{line}\n" for line in lines[i::n]), encoding="utf-8")
    return paths


def options_of(case: Case, chance: random.Random) -> dict[str, Any]:
    window, step = narrow_windows(case, chance)
    options: dict[str, Any] = {"tick": case.tick, "window": window, "step": step, "allen_memory": case.allen_memory}
    span = case.end - case.start
    if chance.random() < 0.4:
        options["start"] = case.start + chance.choice([0, 0, span // 4])
    if chance.random() < 0.4:
        options["end"] = case.end - chance.choice([0, 0, span // 4])
    return options


def compare_settled(seed: int, case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    given, options = read_case(case), options_of(case, chance)
    options["merge_windows"] = chance.random() < 0.7
    paths = inputs_of(list(operations(case, options["window"], chance)), folder, chance)
    found = []
    for size in BOTH:
        loading(size, monkeypatch)
        found.append(outcome(given.compiled, *paths, **options))
    assert found[1] == found[0], f"seed {seed}"


@pytest.mark.parametrize("seeds", chunks(share(ANY, 10), 10), ids=named)
def test_any_program_has_the_settled_results_of_records_in_memory(
    seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds:
        compare_settled(seed, random_case(seed), tmp_path, monkeypatch)


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 10), 10), ids=named)
def test_programs_with_keys_have_the_settled_results_of_records_in_memory(
    seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds:
        compare_settled(seed, keyed_case(seed), tmp_path, monkeypatch)


@pytest.mark.parametrize("seeds", chunks(share(DELAYED, 10), 10), ids=named)
def test_programs_with_delays_have_the_settled_results_of_records_in_memory(
    seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds:
        compare_settled(seed, delayed_case(seed), tmp_path, monkeypatch)


def written(command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Any, ...]:
    """The output of a run, its messages, its exit code, its counts, its log, and the records set aside.

    Only records in memory are compared with the constants of rules, and by their values where rules join them.
    """
    stats, log, aside = folder / "stats.json", folder / "log.jsonl", folder / "aside.jsonl"
    code = main([*command, "--stats", str(stats), "--log", str(log), "--set-aside", str(aside), "--jobs", "1"])
    counts = {name: n for name, n in json.loads(stats.read_text()).items() if isinstance(n, int)} if code == 0 else {}
    for name in ("peak_memory_bytes", "kept_for_allen"):  # figures about memory
        counts.pop(name, None)
    lines = [json.loads(line) | {"seconds": 0} for line in log.read_text().splitlines()] if code == 0 else []
    out, err = capsys.readouterr()
    shown = [line for line in err.splitlines() if not line.startswith(("warning[HF324]", "warning[HF325]"))]
    return code, out, shown, counts, lines, aside.read_text() if code == 0 else ""


def compare_reports(
    seed: int, case: Case, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    rules, options = folder / "rules.prolog", options_of(case, chance)
    rules.write_text(case.text, encoding="utf-8")
    paths = inputs_of(list(operations(case, options["window"], chance)), folder, chance)
    command = ["run", str(rules), "--input", *map(str, paths), "--format", chance.choice(["text", "jsonl", "csv"])]
    command += [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value is not None]
    command += chance.choice([[], ["--report", "changes"], ["--final"]])
    command += chance.choice([[], [], ["--strict"]])
    found = []
    for size, n_results in zip(BOTH, (1 << 20, 12), strict=True):
        loading(size, monkeypatch)
        monkeypatch.setattr(settled_results, "_MANY", n_results)
        found.append(written(command, folder, capsys))
    assert found[1] == found[0], f"seed {seed}"


@pytest.mark.parametrize("seeds", chunks(share(REPORTED, 10), 10), ids=named)
def test_reports_and_counts_are_those_of_records_in_memory(
    seeds: range, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds:
        case = (random_case, keyed_case, delayed_case)[seed % 3](seed)
        compare_reports(seed, case, tmp_path, capsys, monkeypatch)


RULES = hf.load_text("""
    initiatedAt(active(X)=true, T) :- happensAt(on(X), T).
    terminatedAt(active(X)=true, T) :- happensAt(off(X), T).
""")
CHANCE = random.Random(5)
ROWS = [
    {
        "name": CHANCE.choice(["on", "on", "off", "idle"]),
        "start": i,
        "arrival": i + CHANCE.randrange(12),
        "arg1": f"v{i % 5}",
        "op": "-" if i % 11 == 0 else None,
    }
    for i in [*range(40), *range(7, 12)]
]


def _lines(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{r['op'] or ''}{r['name']}|{r['arrival']}|{r['start']}|{r['arg1']}\n" for r in rows)


def _csv(rows: list[dict[str, Any]]) -> str:
    return "name,start,arrival,arg1,op\n" + "".join(
        f"{r['name']},{r['start']},{r['arrival']},{r['arg1']},{r['op'] or '+'}\n" for r in rows
    )


def _json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _file(form: str, path: Path, rows: list[dict[str, Any]]) -> None:
    table = pa.Table.from_pylist(rows)
    if form == "parquet":
        pq.write_table(table, path, row_group_size=8)
    elif form == "orc":
        pyarrow.orc.write_table(table, path)
    elif form == "arrow":
        pyarrow.feather.write_feather(table, path, chunksize=5)
    else:
        text = {"txt": _lines, "csv": _csv, "jsonl": _json_lines}
        path.write_text("\ufeff" + text[form](rows), encoding="utf-8")


@pytest.mark.parametrize("form", ["txt", "csv", "jsonl", "parquet", "orc", "arrow"])
def test_files_of_all_formats_are_read_in_pieces(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Together with a text, so that records of equal arrival come from two inputs."""
    path, text = tmp_path / f"events.{form}", tmp_path / "more.txt"
    _file(form, path, ROWS)
    text.write_text(_lines(ROWS[::-3]), encoding="utf-8")
    found = []
    for size in BOTH:
        loading(size, monkeypatch)
        found.append([outcome(RULES, *pair, window=8, step=4) for pair in ((path, text), (text, path))])
    assert found[1] == found[0]


@pytest.mark.parametrize("window", [None, 8])
@pytest.mark.parametrize("kind", ["dataset", "scanner", "reader"])
def test_datasets_scanners_and_readers_have_the_answer_of_their_table(
    kind: str, window: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.Table.from_pylist(ROWS).append_column("more", pa.array(range(len(ROWS))))
    for i in range(3):
        pq.write_table(table.slice(i * 20, 20), tmp_path / f"part{i}.parquet", row_group_size=6)
    dataset = ds.dataset(tmp_path)
    makes = {"dataset": lambda: dataset, "scanner": dataset.scanner, "reader": lambda: dataset.scanner().to_reader()}
    names = {"name": "name", "start": "start", "arrival": "arrival", "arg1": "arg1", "op": "op"}
    description = "happensAt(on(arg1), start)"
    for described in (names, description):
        found = outcome(RULES, (makes[kind](), described), window=window)
        assert found == outcome(RULES, (table, described), window=window)
    refused = outcome(RULES, makes[kind](), window=window)
    assert "`more` is not a column of records" in refused[0]


def test_an_input_that_breaks_off_leaves_no_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, packed, plain = tmp_path / "rules.prolog", tmp_path / "a.txt.gz", tmp_path / "b.txt"
    rules.write_text("initiatedAt(active(X)=true, T) :- happensAt(on(X), T).", encoding="utf-8")
    plain.write_text(_lines(ROWS), encoding="utf-8")
    packed.write_bytes(gzip.compress(("on|1|soon|v1\n" + _lines(ROWS) * 50).encode())[:-20])
    found = []
    for size in BOTH:
        loading(size, monkeypatch)
        command = ["run", str(rules), "--input", str(plain), str(packed), str(plain), "--window", "8"]
        found.append(written(command, tmp_path, capsys))
    assert found[1] == found[0]
    assert found[0][0] == 2
    assert any("cannot be read" in line for line in found[0][2])


def test_records_on_disk_leave_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    loading(0, monkeypatch)
    hf.recognise(RULES, _lines(ROWS).splitlines(), window=8)
    assert list(folder.iterdir()) == []


def test_a_folder_for_temporary_files_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, events = tmp_path / "rules.prolog", tmp_path / "events.txt"
    rules.write_text("initiatedAt(active(X)=true, T) :- happensAt(on(X), T).", encoding="utf-8")
    events.write_text(_lines(ROWS), encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    loading(0, monkeypatch)
    assert main(["run", str(rules), "--input", str(events), "--window", "8"]) == 1
    assert "nowhere (temporary files, see TMPDIR)" in capsys.readouterr().err
