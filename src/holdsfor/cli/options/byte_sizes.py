"""Read and show numbers of bytes."""

from __future__ import annotations

import argparse
import re

__all__ = ["byte_size", "shown_bytes"]

_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def byte_size(text: str) -> int:
    """The number of bytes of a size, for `argparse`.

    >>> byte_size("500MB"), byte_size("1.5 gb"), byte_size("4096")
    (500000000, 1500000000, 4096)
    """
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?) ?([kmgt]b|)", text, re.ASCII | re.IGNORECASE)
    if match is None:
        raise argparse.ArgumentTypeError(f"expected a number of bytes such as 500MB or 2GB, found {text!r}")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def shown_bytes(n: int) -> str:
    """A number of bytes in the largest unit that it fills.

    >>> shown_bytes(512), shown_bytes(3_456_000), shown_bytes(1_000_000_000)
    ('512 bytes', '3.5 MB', '1 GB')
    """
    unit = next((unit for unit, size in reversed(_UNITS.items()) if unit and n >= size), "")
    return f"{round(n / _UNITS[unit], 1):,g} {unit}" if unit else f"{n} bytes"
