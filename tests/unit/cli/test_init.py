"""`holdsfor init`: the project runs, passes its own test and draws no warning."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from holdsfor.cli.main import main


@pytest.fixture
def project(tmp_path: Path) -> Path:
    assert main(["init", str(tmp_path / "hot")]) == 0
    return tmp_path / "hot"


def test_the_project_runs_at_once(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    capsys.readouterr()
    assert main(["check", "rules.prolog"]) == 0
    assert capsys.readouterr().out == "no errors, no warnings\n"
    assert main(["run", "--config", "holdsfor.toml"]) == 0
    out, err = capsys.readouterr()
    assert "holdsFor(alarm(press)=true, [('2026-03-02T08:05:01Z','2026-03-02T08:30:01Z')])." in out
    assert err == ""


def test_the_rules_pass_their_test(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(project / "test_rules.py"), run_name="__main__")
    assert "the rules pass their tests" in capsys.readouterr().out


def test_every_file_that_the_readme_names_exists(project: Path) -> None:
    files = {path.name for path in project.iterdir()}
    assert files == {"rules.prolog", "readings.csv", "operators.csv", "holdsfor.toml", "test_rules.py", "README.md"}
    readme = (project / "README.md").read_text(encoding="utf-8")
    assert all(name in readme for name in files - {"README.md"})


@pytest.mark.parametrize("place", ["hot", "hot/rules.prolog"])
def test_nothing_is_overwritten(project: Path, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = (project / "rules.prolog").read_text(encoding="utf-8")
    assert main(["init", str(project.parent / place)]) == 2
    assert "error[HF736]" in capsys.readouterr().err
    assert (project / "rules.prolog").read_text(encoding="utf-8") == before


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path)]) == 0
    assert (tmp_path / "holdsfor.toml").exists()
