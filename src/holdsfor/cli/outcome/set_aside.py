"""What becomes of records that do not fit: counted, the first ones shown, all of them written if wanted."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sinks.output_files import naming
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.unreadable import Unreadable

__all__ = ["SetAsideLog"]

_SHOWN = 10


class SetAsideLog:
    """Takes records that do not fit as they are found, in bounded memory; in a strict run it stops at the first."""

    def __init__(self, path: str | None = None, *, is_strict: bool = False) -> None:
        self.n = 0
        self.first: list[SetAside] = []
        self.first_unmatched: list[SetAside] = []
        self._is_strict = is_strict
        self._path = None if path is None else Path(path)
        if self._path is not None:
            self._path.write_text("", encoding="utf-8")

    def add(self, misfits: Sequence[SetAside]) -> None:
        """Write them to the file, then refuse them if the run is strict."""
        self.n += len(misfits)
        self.first += misfits[: _SHOWN - len(self.first)]
        self._write(misfits)
        self.refuse(misfits)

    def add_unmatched(self, retractions: Sequence[SetAside]) -> None:
        """The same for retractions without a record, which are counted apart."""
        self.first_unmatched += retractions[: _SHOWN - len(self.first_unmatched)]
        self._write(retractions)
        self.refuse(retractions)

    def refuse(self, misfits: Sequence[SetAside]) -> None:
        """Stop at the first one if the run is strict."""
        if self._is_strict and misfits:
            first = misfits[0]
            message = f"line {first.line} does not fit: {first.reason}"
            hint = f"the line is `{first.text}`; without `--strict` it is set aside"
            raise DataProblem(Diagnostic("HF503", message, hint=hint, file=first.file))

    def add_inputs(self, unreadable: Sequence[Unreadable]) -> None:
        """Write whole inputs to the file: they are told and counted apart from records."""
        self._write([each.set_aside() for each in unreadable])

    def _write(self, misfits: Sequence[SetAside]) -> None:
        if self._path is not None and misfits:
            lines = [json.dumps(dataclasses.asdict(misfit), ensure_ascii=False) for misfit in misfits]
            with naming(self._path), self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.writelines(f"{line}\n" for line in lines)
