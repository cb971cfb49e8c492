"""RTEC's `defaults.toml` as it is: the same answers as with the options that it stands for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.rtec.examples import Example, answers, known_in, rtec_answers
from tests.rtec.peer import rtec
from tests.rtec.test_examples import CTM, TOY


@pytest.mark.parametrize("example", [replace(TOY, window=50, step=50), CTM], ids=lambda example: example.app)
def test_defaults_of_rtec_are_taken_as_they_are(example: Example, tmp_path: Path) -> None:
    written = tmp_path / "configured.jsonl"
    config = _checkout(example.app, tmp_path) / "execution scripts" / "defaults.toml"
    assert main(["run", "--config", str(config), "--app", example.app, "-o", str(written)]) == 0
    files = example.records(tmp_path)
    assert known_in(written) == answers(example, files, tmp_path)


def test_defaults_of_toy_give_the_answers_of_rtec(tmp_path: Path) -> None:
    example = replace(TOY, window=50, step=50)
    files = example.records(tmp_path)
    assert answers(example, files, tmp_path) == rtec_answers(example, files, tmp_path)


def _checkout(app: str, folder: Path) -> Path:
    """A folder that looks like a checkout of RTEC, with one application, where results may be written."""
    here = folder / "RTEC" / "examples" / app
    (here / "results").mkdir(parents=True)
    for part in ("dataset", "resources"):
        (here / part).symlink_to(rtec("examples", app, part))
    scripts = folder / "RTEC" / "execution scripts"
    scripts.mkdir()
    (scripts / "defaults.toml").symlink_to(rtec("execution scripts", "defaults.toml"))
    return folder / "RTEC"
