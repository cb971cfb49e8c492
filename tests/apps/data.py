"""The real data of the applications, if they are installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["ROOT", "real_data"]

ROOT = Path(__file__).parents[2]


def real_data(*parts: str) -> Path:
    """A file of the real data; without the file the test is skipped."""
    folder = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data"))
    file = folder.joinpath(*parts)
    if not file.exists():
        pytest.skip(f"no real data: {file} not found (set HOLDSFOR_DATA)")
    return file
