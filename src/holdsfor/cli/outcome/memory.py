"""The memory of this process."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

__all__ = ["peak_memory", "resident_memory"]

_PAGES = Path("/proc/self/statm")


def peak_memory() -> int:
    """The largest number of resident bytes so far."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def resident_memory() -> int:
    """The number of resident bytes; on systems without `/proc`, the largest so far."""
    if not _PAGES.exists():
        return peak_memory()
    return int(_PAGES.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
