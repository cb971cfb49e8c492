"""Environments of Python with packages that the tests do not have, from PyPI into a cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.spark.maven import CACHE

__all__ = ["interpreter_with"]


def interpreter_with(name: str, *packages: str) -> Path:
    """The interpreter of the environment `name` of the cache, which has the packages."""
    folder = CACHE / name
    if not folder.is_dir():
        beside = CACHE / f".{name}-{os.getpid()}"
        subprocess.run([sys.executable, "-m", "venv", str(beside)], check=True, timeout=120, capture_output=True)
        install = [str(beside / "bin" / "python"), "-m", "pip", "install", "-q", *packages]
        subprocess.run(install, check=True, timeout=900, capture_output=True)
        beside.rename(folder)
    return folder / "bin" / "python"
