"""The real data that applications run on, where they are there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["ROOT", "real_data"]

ROOT = Path(__file__).parents[2]


def real_data(*parts: str) -> Path:
    """A file of the real data; the test is skipped without it."""
    folder = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data"))
    file = folder.joinpath(*parts)
    if not file.exists():
        pytest.skip(f"no real data: {file} not found (set HOLDSFOR_DATA)")
    return file
