"""Whether the times of a file are integers or dates: one file has one form, that of its first start.

A date among integers would turn all times of the results into dates, and the integers into dates of 1970. So a record
with a time of the other form is set aside. Columns of a table with the type of integers or timestamps declare their
form, and are not compared with each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.sources.fields import read_time

__all__ = ["DATE", "TIME", "WITHOUT_OFFSET", "WITH_OFFSET", "FileTimes", "is_date"]

_DAY = r"\d{4}-\d\d-\d\d"
_OF_DAY = r"[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?"
WITHOUT_OFFSET = f"^{_DAY}({_OF_DAY})?$"
WITH_OFFSET = f"^{_DAY}{_OF_DAY}(Z|[+-]([01]\\d|2[0-3])(:?[0-5]\\d)?)$"
DATE = f"{WITHOUT_OFFSET}|{WITH_OFFSET}"
TIME = f"{DATE}|^-?(0|[1-9]\\d{{0,18}})$"
"""The texts that are times: dates and integers."""
_DATE = re.compile(DATE, re.ASCII)


@dataclass
class FileTimes:
    """The form of the times of one file; None before the first start that is an integer or a date.

    With `is_typed`, the file is a table whose columns have types. With `of_objects`, they are the times of Python
    objects, which have types one by one, and may have both forms.

    >>> import pyarrow as pa
    >>> times = FileTimes()
    >>> times.note(pa.array([None, "soon", "2026-03-01", "5"]), is_start=True)
    >>> times.are_dates
    True
    """

    are_dates: bool | None = None
    is_typed: bool = False
    of_objects: bool = False

    def note(self, column: Any, *, is_start: bool) -> None:
        """Let a column of starts decide the form, if it is not decided yet."""
        if self.of_objects or self.are_dates is not None or not is_start or column.null_count == len(column):
            return
        if _is_text(column.type):
            forms = (is_date(text.as_py()) for text in column if text.is_valid)
            self.are_dates = next((form for form in forms if form is not None), None)
        else:
            self.are_dates = not pt.is_integer(column.type)

    def expected(self, column: Any) -> bool | None:
        """Whether the times of a column must be dates; None if they may be either."""
        return None if self.is_typed and not _is_text(column.type) else self.are_dates


def _is_text(kind: Any) -> bool:
    return bool(pt.is_string(kind) or pt.is_large_string(kind))


def is_date(text: str) -> bool | None:
    """Whether a text is a date; None if it is neither a date nor an integer.

    >>> is_date("2026-03-01T08:00:00Z"), is_date("12"), is_date("soon")
    (True, False, None)
    """
    text = text.strip()
    if _DATE.match(text):
        return True
    return None if read_time(text) is None else False
