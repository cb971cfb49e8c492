"""The other versions of Python are found where they are installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.pythons import FOLDERS, ROOT, claimed_versions, interpreter_of

OWN = f"{sys.version_info.major}.{sys.version_info.minor}"


def test_this_python_is_claimed() -> None:
    assert OWN in claimed_versions()


def test_an_interpreter_of_pyenv_is_found_and_a_broken_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    for patch, target in ((1, sys.executable), (2, "/bin/false")):
        folder = tmp_path / ".pyenv" / "versions" / f"{OWN}.{patch}" / "bin"
        folder.mkdir(parents=True)
        (folder / "python").symlink_to(target)
    assert interpreter_of(OWN, tmp_path) == str(tmp_path / ".pyenv" / "versions" / f"{OWN}.1" / "bin" / "python")


def test_a_version_that_is_not_installed_has_no_interpreter(tmp_path: Path) -> None:
    assert interpreter_of("3.99", tmp_path) is None


def test_the_folders_exist() -> None:
    assert all((ROOT / folder).is_dir() for folder in FOLDERS)
