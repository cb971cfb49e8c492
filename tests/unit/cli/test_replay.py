"""A replay has the reports of the run over the same files, each when it is due."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.unit.cli.processes import ended, lines_until, rules, started

ROOT = Path(__file__).parents[3]


def application(app: str, folder: Path) -> tuple[list[str], Path]:
    """The rule files of an application, and a stream with late records in any order."""
    background, stream = folder / "background.prolog", folder / "events.txt"
    size = ["--entities", "5", "--duration", "2000", "--seed", "3", "--late", "30%", "--delay", "gamma:2,100"]
    assert main(["generate", app, *size, "--background", str(background), "-o", str(stream)]) == 0
    own = background if background.exists() else ROOT / "apps" / app / "background.prolog"
    files = [path for path in sorted((ROOT / "apps" / app).glob("*.prolog")) if "background" not in path.name]
    return [str(file) for file in (*files, own)], stream


@pytest.mark.parametrize("final", [[], ["--final"]], ids=["each", "final"])
@pytest.mark.parametrize("app", ["ctm", "maritime"])
def test_a_replay_has_the_reports_of_the_run_over_files(
    app: str, final: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, stream = application(app, tmp_path)
    arguments = ["run", *files, "--input", str(stream), "--window", "400", "--step", "200", *final]
    capsys.readouterr()
    assert main(arguments) == 0
    expected = capsys.readouterr().out
    assert "holdsFor(" in expected
    for rate in ("max", "20000"):
        assert main([*arguments, "--replay", rate]) == 0
        assert capsys.readouterr().out == expected


@pytest.mark.parametrize("app", ["ctm", "maritime"])
def test_a_live_run_settles_the_results_of_the_run_over_files(
    app: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All entities are seen before the first window is settled."""
    files, stream = application(app, tmp_path)
    lines = sorted(stream.read_text(encoding="utf-8").splitlines(), key=lambda line: int(line.split("|")[1]))
    stream.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    window = ["--window", "1000", "--step", "500", "--start", "0", "--end", "2000", "--final"]
    arguments = ["run", *files, "--input", str(stream), *window]
    capsys.readouterr()
    assert main(arguments) == 0
    expected = capsys.readouterr().out
    assert "holdsFor(" in expected
    assert main([*arguments, "--live"]) == 0
    assert capsys.readouterr().out == expected


def test_a_query_time_is_reported_when_it_is_due_and_not_before(tmp_path: Path) -> None:
    stream = tmp_path / "events.txt"
    stream.write_text("switch_on|0|0|a\nswitch_off|60|60|a\n", encoding="utf-8")
    began = time.monotonic()
    process = started("run", rules(tmp_path), "--input", str(stream), "--window", "20", "--replay", "40")
    lines_until(process, "% query time 60")
    # Sixty time-points take a second and a half.
    assert time.monotonic() - began >= 1.5
    code, _, err = ended(process)
    assert code == 0
    assert err.startswith("2 records read\n3 query times, ")


@pytest.mark.parametrize("rate", ["0", "-1", "nan", "inf", "fast"])
def test_an_invalid_rate_is_refused(rate: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["run", rules(tmp_path), "--input", "x", "--window", "1", f"--replay={rate}"])
    assert "expected time-points per second such as 60 or 0.5, or max" in capsys.readouterr().err
