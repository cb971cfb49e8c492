"""Other Python processes of this package: how they start, and from which folders they import.

A file in the current folder with the name of a module, such as `csv`, is data of the user, not code. Python would
import it in a process that is started with `-c` or `-m`. So `-P` keeps the current folder out of the module path, and a
module path that is passed on leaves it out.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["SAFE_PATH", "environment_with_modules", "python_command"]

SAFE_PATH = "PYTHONSAFEPATH"
"""The environment variable with the meaning of `-P`, which reaches all children of a process."""

_PACKAGES = Path(__file__).resolve().parent.parent


def python_command(*arguments: str) -> list[str]:
    """The command of this Python that does not import from the current folder."""
    return [sys.executable, "-P", *arguments]


def environment_with_modules() -> dict[str, str]:
    """The environment for a process that imports from the same folders as this one.

    The current folder is left out unless `PYTHONPATH` has it, or this package is there.
    """
    named = {Path(folder).absolute() for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder}
    folders = [Path(folder).absolute() for folder in sys.path if folder]
    kept = [each for each in folders if each in named or each.resolve() == _PACKAGES or not _is_current(each)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, kept))}


def _is_current(folder: Path) -> bool:
    return folder.exists() and folder.samefile(".")
