"""Records that do not fit: all are counted, the first are shown, and all are written to a file on request."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sinks.output_files import naming
from holdsfor.sources.set_aside_reasons import ReasonCounts
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.unreadable import Unreadable

__all__ = ["SetAsideLog"]

_SHOWN = 10


class SetAsideLog:
    """Collects records that do not fit, in bounded memory. A strict run stops at the first."""

    def __init__(self, path: str | None = None, *, is_strict: bool = False, continues: bool = False) -> None:
        self.n = 0
        self.first: list[SetAside] = []
        self.first_unmatched: list[SetAside] = []
        self.reasons = ReasonCounts()
        self._is_strict = is_strict
        self._path = None if path is None else Path(path)
        if self._path is not None and not continues:
            self._path.write_text("", encoding="utf-8")

    def add(self, misfits: Sequence[SetAside]) -> None:
        """Count records and write them to the file; then stop if the run is strict."""
        self.n += len(misfits)
        self.first += misfits[: _SHOWN - len(self.first)]
        self.reasons.add(misfits)
        self._write(misfits)
        self.refuse(misfits)

    def add_unmatched(self, retractions: Sequence[SetAside]) -> None:
        """Write retractions without a matching record to the file; then stop if the run is strict."""
        self.first_unmatched += retractions[: _SHOWN - len(self.first_unmatched)]
        self._write(retractions)
        self.refuse(retractions)

    def refuse(self, misfits: Sequence[SetAside]) -> None:
        """Stop at the first record if the run is strict."""
        if self._is_strict and misfits:
            first = misfits[0]
            message = f"line {first.line} does not fit: {first.reason}"
            hint = f"the line is `{first.text}`; without `--strict` it is set aside"
            raise DataProblem(Diagnostic("HF503", message, hint=hint, file=first.file))

    def add_inputs(self, unreadable: Sequence[Unreadable]) -> None:
        """Write unreadable inputs to the file. They are reported and counted separately from records."""
        self._write([each.set_aside() for each in unreadable])

    def _write(self, misfits: Sequence[SetAside]) -> None:
        if self._path is not None and misfits:
            lines = [json.dumps(dataclasses.asdict(misfit), ensure_ascii=False) for misfit in misfits]
            with naming(self._path), self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.writelines(f"{line}\n" for line in lines)
