"""`--show` and `output` directives: only the chosen output is written, logged, drawn and computed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdsfor.cli.main import main

RULES = """
initiatedAt(lit(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(switch_off(X), T).
initiatedAt(warm(X)=true, T) :- happensAt(start(lit(X)=true), T).
holdsFor(both(X)=true, I) :- holdsFor(lit(X)=true, I1), holdsFor(warm(X)=true, I2), intersect_all([I1, I2], I).
initiatedAt(broken(X)=N, T) :- happensAt(switch_on(X), T), N is 1 / 0.
happensAt(dark(X), T) :- happensAt(end(lit(X)=true), T).
"""
RECORDS = "switch_on|3|3|a\nswitch_off|12|12|a\nswitch_on|12|12|b\nswitch_off|18|18|b\n"


@pytest.fixture
def run(tmp_path: Path) -> list[str]:
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "records.txt").write_text(RECORDS)
    return ["run", str(tmp_path / "rules.prolog"), "--input", str(tmp_path / "records.txt")]


@pytest.mark.parametrize("more", [[], ["--engine", "reference"], ["--jobs", "2"]], ids=" ".join)
def test_shown_output_is_written(run: list[str], more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*run, "--show", "both", "--show", "dark(a)", *more]) == 0
    assert capsys.readouterr().out == (
        "% query time 18\nholdsFor(both(a)=true, [(4,13)]).\nholdsFor(both(b)=true, [(13,19)]).\n"
        "happensAt(dark(a), [12]).\n"
    )


@pytest.mark.parametrize("form", ["text", "csv", "jsonl"])
@pytest.mark.parametrize("more", [["--report", "changes"], ["--report", "changes", "--live"], ["--jobs", "2"]])
def test_every_report_has_shown_output_only(
    run: list[str], form: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    windows = ["--window", "10", "--step", "5", "--start", "0", "--end", "20"]
    assert main([*run, *windows, "--show", "warm, dark", "--format", form, *more]) == 0
    out = capsys.readouterr().out
    assert "warm" in out
    assert "dark" in out
    assert "lit" not in out
    assert "both" not in out


def test_the_directive_is_replaced_by_the_option(run: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    rules = Path(run[1])
    rules.write_text(":- output(lit/1).\n" + RULES)
    assert main(run) == 0
    assert (
        capsys.readouterr().out
        == "% query time 18\nholdsFor(lit(a)=true, [(4,13)]).\nholdsFor(lit(b)=true, [(13,19)]).\n"
    )
    assert main([*run, "--show", "dark"]) == 0
    assert capsys.readouterr().out == "% query time 18\nhappensAt(dark(a), [12]).\nhappensAt(dark(b), [18]).\n"


def test_a_folder_has_a_table_for_each_shown_name(run: list[str], tmp_path: Path) -> None:
    assert main([*run, "--show", "dark", "--show", "lit", "-o", f"{tmp_path}/out/"]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["dark.parquet", "lit.parquet"]


def test_the_log_and_the_statistics_count_shown_output(run: list[str], tmp_path: Path) -> None:
    log, stats = tmp_path / "log.jsonl", tmp_path / "stats.json"
    assert main([*run, "--show", "dark", "--log", str(log), "--stats", str(stats)]) == 0
    (line,) = map(json.loads, log.read_text().splitlines())
    assert (line["records"], line["fvps"], line["intervals"], line["events"]) == (4, 0, 0, 2)
    assert json.loads(stats.read_text())["fvps"] == 0


def test_the_option_is_a_key_of_the_configuration(
    run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.toml").write_text('show = ["dark(b)"]\n')
    assert main([*run, "--config", str(tmp_path / "run.toml")]) == 0
    assert capsys.readouterr().out == "% query time 18\nhappensAt(dark(b), [18]).\n"


@pytest.mark.parametrize("stage", ["names", "levels", "logical", "physical", "spark"])
def test_a_plan_has_the_output_and_the_computed_helpers(
    run: list[str], stage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", run[1], "--stage", stage, "--show", "both"]) == 0
    plan = capsys.readouterr().out
    assert plan.endswith(
        "shown\n  both(_)=_\ncomputed, not shown\n  lit(_)=true\n  warm(_)=true\n"
        "not computed\n  broken(_)=_\n  dark(_)\n"
    )
    if stage in ("logical", "physical", "spark"):
        assert plan.count("broken") == plan.count("dark") == 1


def test_a_checkpoint_belongs_to_a_selection(
    run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "out.jsonl")
    live = [*run, "--live", "--window", "5", "--start", "0", "-o", output, "--checkpoint", str(tmp_path / "checkpoint")]
    assert main([*live, "--checkpoint-every", "0", "--show", "dark", "--show", "lit"]) == 0
    written = Path(output).read_text()
    assert main([*live, "--show", "dark"]) == 2
    message = "is of a run with `--show dark lit`, and this run is with `--show dark`"
    assert message in capsys.readouterr().err
    assert main(live) == 2
    assert "and this run is without `--show`" in capsys.readouterr().err
    assert main([*live, "--show", "lit", "--show", "dark"]) == 0
    assert Path(output).read_text() == written
