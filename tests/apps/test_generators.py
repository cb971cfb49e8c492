"""Generated streams: the same for the same seed, with the rates of the real data, in the form that the rules expect."""

from __future__ import annotations

import argparse
import io
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from holdsfor.analysis.pipeline import compile_files
from holdsfor.cli import generate
from holdsfor.errors import UsageProblem
from holdsfor.generators import (
    NO_CORRECTIONS,
    ON_TIME,
    Corrections,
    Lateness,
    model_of,
    pieces,
    read_lateness,
    to_table,
    write_text,
)
from holdsfor.sources.text_records import Reading, read_text_records

pytestmark = pytest.mark.in_turn(2)

APPS = Path(__file__).parents[2] / "apps"
FILES = {
    "activity": ["rules.prolog", "background.prolog"],
    "argumentation": ["rules.prolog", "background.prolog"],
    "ctm": ["rules.prolog", "background.prolog"],
    "feedback": ["immune.prolog", "phage.prolog", "background.prolog"],
    "fines": ["rules.prolog", "background.prolog"],
    "fleet": ["rules.prolog", "parameters.prolog"],
    "maritime": ["rules.prolog", "parameters.prolog", "manoeuvres.prolog"],
    "netbill": ["rules.prolog", "background.prolog"],
    "voting": ["rules.prolog", "background.prolog"],
}
# Entities and duration of a stream of some thousand records, and its records per entity and time-point: those of the
# real data, or without real data those of the model.
SIZES = {
    "activity": (10, 200_000, 182_504 / 10 / 1_006_800),
    "argumentation": (50, 1600, 10 / 80),
    "ctm": (50, 16_000, 1 / 100),
    "feedback": (200, 1000, 2.5 / 100),
    "fines": (1000, 2100, 34_724 / 10_000 / 2100),
    "fleet": (20, 4 * 86_400, 70e6 / 6000 / (40 * 86_400)),
    "maritime": (30, 108_000, 1 / 480),
    "netbill": (40, 150, 1.5),
    "voting": (200, 100, 100_640 / 1000 / 100),
}
every_app = pytest.mark.parametrize("app", sorted(FILES))


def text_of(
    app: str, seed: int = 1, lateness: Lateness = ON_TIME, corrections: Corrections = NO_CORRECTIONS
) -> list[str]:
    entities, duration, _ = SIZES[app]
    model = model_of(app, entities=entities, seed=seed)
    file = io.BytesIO()
    stream = pieces(model, duration, seed, lateness, corrections=corrections)
    n_records = write_text(stream, model.vocabulary, file)
    lines = file.getvalue().decode().splitlines()
    assert len(lines) == n_records
    return lines


@every_app
def test_the_same_seed_gives_the_same_stream(app: str) -> None:
    assert text_of(app) == text_of(app)
    assert text_of(app) != text_of(app, seed=2)


@every_app
@pytest.mark.parametrize("max_rows", [1, 77, 1000])
def test_the_size_of_the_chunks_does_not_change_the_stream(app: str, max_rows: int) -> None:
    entities, duration, _ = SIZES[app]
    model = model_of(app, entities=entities, seed=1)
    made = list(pieces(model, duration // 10, 1, max_rows=max_rows))
    whole = list(pieces(model, duration // 10, 1))
    assert all(len(piece) == max_rows for piece in made[:-1])
    assert to_table(made, model.vocabulary).to_pylist() == to_table(whole, model.vocabulary).to_pylist()


@every_app
def test_the_rate_is_that_of_the_model(app: str) -> None:
    entities, duration, rate = SIZES[app]
    expected = entities * duration * rate
    assert 0.85 * expected < len(text_of(app)) < 1.15 * expected


def test_every_kind_of_city_transport_record_is_equally_frequent() -> None:
    kinds = Counter(line.split("|")[0] for line in text_of("ctm"))
    assert len(kinds) == 8
    assert max(kinds.values()) < 1.05 * min(kinds.values())


def test_velocities_dominate_at_sea() -> None:
    kinds = Counter(line.split("|")[0] for line in text_of("maritime"))
    assert kinds["velocity"] > kinds.total() / 2
    assert set(kinds) > {"gap_start", "stop_start", "slow_motion_start", "entersArea", "proximity"}


@pytest.mark.parametrize(
    ("app", "entities", "duration", "least", "most"),
    [
        ("voting", 1000, 100, 99_000, 101_000),
        ("voting", 10_000, 100, 990_000, 1_010_000),
        ("netbill", 400, 150, 89_000, 92_000),
        ("netbill", 1000, 150, 224_000, 229_000),
        ("netbill", 4000, 150, 890_000, 1_000_000),
    ],
)
def test_the_workloads_of_the_literature_can_be_generated(
    app: str, entities: int, duration: int, least: int, most: int
) -> None:
    n_records = sum(len(piece) for piece in pieces(model_of(app, entities=entities, seed=1), duration, 1))
    assert least <= n_records <= most


def test_recorded_fines_and_votes_are_as_frequent_as_generated_ones() -> None:
    fines = Counter(line.split("|")[0] for line in text_of("fines"))
    assert 0.42 < fines["add_penalty"] / fines["create_fine"] < 0.5  # 0.46 in the log
    assert fines["add_penalty"] == fines["notify_fine"]
    votes = Counter(line.split("|")[0] for line in text_of("voting"))
    assert 0.9 < votes["vote"] / votes.total() < 0.94  # 0.92 in the data


@every_app
def test_the_rules_accept_every_record(app: str, tmp_path: Path) -> None:
    entities, _, _ = SIZES[app]
    model = model_of(app, entities=entities, seed=1)
    (tmp_path / "generated.prolog").write_text(model.background() or "")
    generated = [tmp_path / "generated.prolog"] if model.background() else []
    compiled = compile_files([str(file) for file in [*(APPS / app / name for name in FILES[app]), *generated]])
    reading = Reading()
    read_text_records(text_of(app), "generated", compiled.names, model.tick, reading)
    assert reading.set_aside == []
    assert set(reading.unused) <= {"orientation", "appearance"}


@every_app
def test_lines_are_in_order_of_arrival(app: str) -> None:
    for lateness in (ON_TIME, Lateness(0.3, "gamma", (2, 50))):
        arrivals = [int(line.split("|")[1]) for line in text_of(app, lateness=lateness)]
        assert arrivals == sorted(arrivals)


@every_app
def test_lateness_changes_nothing_but_the_arrival(app: str) -> None:
    def without_arrival(lines: list[str]) -> Counter[tuple[str, ...]]:
        return Counter((fields[0], *fields[2:]) for fields in (line.split("|") for line in lines))

    late = Lateness(0.3, "gamma", (2, 50))
    assert without_arrival(text_of(app, lateness=late)) == without_arrival(text_of(app))


@every_app
def test_the_given_share_arrives_late_by_the_given_delay(app: str) -> None:
    entities, duration, _ = SIZES[app]
    model = model_of(app, entities=entities, seed=1)
    delays = []
    for piece in pieces(model, duration, 1, Lateness(0.1, "gamma", (2, 20))):
        delays.append(piece.arrival - np.where(piece.end < 0, piece.start, piece.end))
    delay = np.concatenate(delays)
    late = delay[delay > 0] / model.tick
    assert (delay >= 0).all()
    assert 0.08 < len(late) / len(delay) < 0.12
    assert 34 < late.mean() < 46


@every_app
def test_corrected_records_are_those_of_the_stream_without_corrections(app: str) -> None:
    corrections = Corrections(0.2, Lateness(0, "gamma", (2, 20)))
    remaining: Counter[tuple[str, ...]] = Counter()
    kinds: Counter[bool] = Counter()
    for line in text_of(app, corrections=corrections):
        name, _, *fields = line.split("|")
        kinds[name.startswith("-")] += 1
        fact = (name.removeprefix("-"), *fields)
        if name.startswith("-"):
            assert remaining[fact] == 1
        remaining[fact] += -1 if name.startswith("-") else 1
    right = Counter((name, *fields) for name, _, *fields in (line.split("|") for line in text_of(app)))
    assert +remaining == right
    assert 0.02 * right.total() < kinds[True] < 0.22 * right.total()


def test_a_revision_is_a_retraction_and_a_record_that_arrive_together() -> None:
    model = model_of("fleet", entities=5, seed=1)
    made = list(pieces(model, 86_400, 1, corrections=Corrections(0.2, Lateness(0, "gamma", (2, 600)))))
    rows = to_table(made, model.vocabulary, has_corrections=True).to_pylist()
    assert {row["op"] for row in rows} == {None, "-"}
    revised = defaultdict(list)
    for row in rows:
        if row["revision"] is not None:
            revised[row["revision"]].append(row)
    assert len(revised) > 50
    for wrong, right in revised.values():
        assert (wrong["op"], right["op"]) == ("-", None)
        assert wrong["arrival"] == right["arrival"]
        assert wrong["start"] > right["start"]
    n_retracted = sum(row["op"] == "-" for row in rows)
    assert len(revised) < n_retracted < 3 * len(revised)


def test_many_entities_make_several_cells_and_still_one_order() -> None:
    model = model_of("ctm", entities=150_000, seed=1)
    made = list(pieces(model, 900, 1, max_rows=500_000))
    arrival = np.concatenate([piece.arrival for piece in made])
    assert (np.diff(arrival) >= 0).all()
    assert 0.95 < len(arrival) / (150_000 * 9) < 1.05


@pytest.mark.parametrize("n", [1, 2, 3])
@every_app
def test_few_and_odd_numbers_of_entities_are_accepted(app: str, n: int) -> None:
    if (app, n) == ("netbill", 1):
        with pytest.raises(UsageProblem, match="expected at least a merchant and a consumer"):
            model_of(app, entities=n, seed=1)
        return
    model = model_of(app, entities=n, seed=1)
    codes = np.concatenate([piece.args[:, 0] for piece in pieces(model, 10 * model.period, 1)])
    assert set(codes) == set(range(n))


# -- the command -------------------------------------------------------------------------------------------------------


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    generate.add_parser(parser.add_subparsers())
    options = parser.parse_args(["generate", *arguments])
    code: int = options.execute(options)
    return code


def test_text_and_parquet_have_the_same_records(tmp_path: Path) -> None:
    arguments = ["maritime", "--entities", "6", "--duration", "20h", "--seed", "3", "--late", "10%"]
    assert run_command(*arguments, "-o", str(tmp_path / "events.txt")) == 0
    assert run_command(*arguments, "-o", str(tmp_path / "events.parquet")) == 0
    rows = pq.read_table(tmp_path / "events.parquet").to_pylist()
    lines = ["|".join(str(field) for field in row.values() if field is not None) for row in rows]
    assert lines == (tmp_path / "events.txt").read_text().splitlines()
    assert "vessel_type(201000005, " in (tmp_path / "events.background.prolog").read_text()


def test_the_command_writes_text_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run_command("ctm", "--entities", "2", "--duration", "2000") == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert lines[0] == "stop_enter|0|0|1|bus|00000|late"


def test_corrections_are_written_as_text_and_as_a_table(tmp_path: Path) -> None:
    arguments = ["fleet", "--entities", "4", "--duration", "8h", "--corrected", "20%", "--delay", "gamma:2,600"]
    assert run_command(*arguments, "-o", str(tmp_path / "events.txt")) == 0
    assert run_command(*arguments, "-o", str(tmp_path / "events.parquet")) == 0
    rows = pq.read_table(tmp_path / "events.parquet").to_pylist()
    lines = []
    for row in rows:
        sign, _ = row.pop("op") or "", row.pop("revision")
        lines.append(sign + "|".join(str(field) for field in row.values() if field is not None))
    assert lines == (tmp_path / "events.txt").read_text().splitlines()
    assert any(line.startswith("-") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--entities", "1", "--duration", "10", "--corrected", "2"], "HF711"),
        (["--entities", "0", "--duration", "10"], "HF710"),
        (["--entities", "1", "--duration", "10", "--seed", "-1"], "HF710"),
        (["--entities", "1", "--duration", "soon"], "HF710"),
        (["--entities", "1", "--duration", "0"], "HF710"),
        (["--entities", "1", "--duration", "999999999999999d"], "HF710"),
        (["--entities", "1", "--duration", "10", "--late", "much"], "HF711"),
        (["--entities", "1", "--duration", "10", "--late", "101%"], "HF711"),
        (["--entities", "1", "--duration", "10", "--delay", "gamma:2,2"], "HF711"),
        (["--entities", "1", "--duration", "10", "--late", "1%", "--delay", "gama:2,2"], "HF712"),
        (["--entities", "1", "--duration", "10", "--late", "1%", "--delay", "gamma:2"], "HF712"),
        (["--entities", "1", "--duration", "10", "--late", "1%", "--delay", "uniform:9,1"], "HF712"),
    ],
)
def test_a_wrong_call_is_reported(arguments: list[str], code: str) -> None:
    with pytest.raises(UsageProblem, match=code):
        run_command("ctm", *arguments)


def test_lateness_is_read_from_the_command_line() -> None:
    assert read_lateness(None, None) == ON_TIME
    assert read_lateness("10%", None) == Lateness(0.1, "gamma", (2, 2))
    assert read_lateness("0.5", "constant:7") == Lateness(0.5, "constant", (7,))
