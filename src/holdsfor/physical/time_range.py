"""The time-points that are evaluated at once."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.kernels.keys import Int64

__all__ = ["TimeRange"]
