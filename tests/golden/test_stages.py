"""The stages of every application: by what its rules go, what is sent where, what is in one place and why.

The texts are rewritten with `HOLDSFOR_UPDATE_GOLDEN=1` and then read.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.apps.runs import RUNS

STAGES = Path(__file__).parent / "stages"


@pytest.mark.parametrize("name", RUNS)
def test_the_stages_of_an_application_are_what_they_were(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    golden = STAGES / f"{name}.txt"
    assert main(["plan", *RUNS[name].files, "--stage", "spark"]) == 0
    shown = capsys.readouterr().out
    if os.environ.get("HOLDSFOR_UPDATE_GOLDEN") == "1":
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
