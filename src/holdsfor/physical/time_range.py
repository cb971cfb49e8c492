"""The time-points that are evaluated at once."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.kernels.keys import Int64

__all__ = ["TimeRange"]


@dataclass(frozen=True)
class TimeRange:
    """The time-points that are evaluated, both ends included, and the first time-point of the whole run.

    A range that `is_resumed` goes on from a settled time-point; what was before it is state.
    """

    first: int
    last: int
    tick: int
    first_of_run: int
    is_resumed: bool = False

    @property
    def after_last(self) -> int:
        """The time-point after the last one."""
        return (self.last // self.tick + 1) * self.tick

    def next_of(self, time: int) -> int:
        return (time // self.tick + 1) * self.tick

    def previous_of(self, time: int) -> int:
        return ((time - 1) // self.tick) * self.tick

    def next(self, times: Int64) -> Int64:
        return times + 1 if self.tick == 1 else (times // self.tick + 1) * self.tick

    def previous(self, times: Int64) -> Int64:
        return times - 1 if self.tick == 1 else ((times - 1) // self.tick) * self.tick
