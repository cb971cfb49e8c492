"""The check of the records of a job: warnings about those set aside and about those without an order.

Too many records that are set aside are an error.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdsfor.errors import OrderWarning, SetAsideWarning, counted
from holdsfor.sources.set_aside_reasons import ReasonCounts, SetAsideLimit, set_aside_message
from holdsfor.spark.input.ingestion import Ingestion
from holdsfor.spark.input.set_aside import Tally, reasons_of, set_aside_of, tally_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SetAsideCheck"]

_INSIDE = ("holdsfor", "functools")


@dataclass
class SetAsideCheck:
    """Counts the records of a job that are set aside or lack an order, once, when they have been read."""

    ingestion: Ingestion
    limit: SetAsideLimit
    _tally: Tally | None = field(default=None, init=False)
    _counted: tuple[int, ReasonCounts] | None = field(default=None, init=False)
    _has_warned: bool = field(default=False, init=False)

    def count(self, sent: DataFrame) -> tuple[int, ReasonCounts]:
        """The number of records, and the reasons for setting some of them aside; `sent` are the records read."""
        if self._counted is None:
            tally = self._tallied(sent)
            self._counted = tally.n_read, reasons_of(set_aside_of(sent)) if tally.n_set_aside else ReasonCounts()
        return self._counted

    def _tallied(self, sent: DataFrame) -> Tally:
        self._tally = self._tally or self.ingestion.tally or tally_of(sent)
        return self._tally

    def check(self, sent: DataFrame) -> None:
        """Warn once; more records set aside than the limit are an error at every use."""
        n_read, reasons = self.count(sent)
        if reasons.n:
            self.limit.check(n_read, reasons)
        if not self._has_warned:
            self._has_warned = True
            if reasons.n:
                warnings.warn(set_aside_message(n_read, reasons), SetAsideWarning, stacklevel=_level_of_caller())
            if n_unordered := self._tallied(sent).n_unordered:
                warnings.warn(_order_message(n_unordered), OrderWarning, stacklevel=_level_of_caller())


def _order_message(n: int) -> str:
    return (
        f"{counted(n, 'retraction')} and records with the same arrival are in a DataFrame, whose rows have no order: "
        "the records come first. Give the path of the files to keep their order, or corrections a later arrival"
    )


def _level_of_caller() -> int:
    """The level on the stack, for a warning, of the first caller outside this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _INSIDE:
        frame, level = frame.f_back, level + 1
    return level
