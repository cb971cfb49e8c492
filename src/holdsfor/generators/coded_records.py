"""Records as columns of codes: the output of models and the input of writers.

A *code* is an index into a vocabulary, a list of texts; `NONE` is the code of a missing field. Names and values have
one vocabulary each, every argument position has its own. A model computes with small integers only; texts are
made when a piece is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NONE", "CodedRecords", "Codes", "RecordMaker", "Times", "Vocabulary", "concatenate_records", "no_records"]

NONE = -1
Codes = NDArray[np.int32]
Times = NDArray[np.int64]


@dataclass(frozen=True)
class Vocabulary:
    """The texts of codes."""

    names: Sequence[str]
    values: Sequence[str]
    args: tuple[Sequence[str], ...]


@dataclass(frozen=True)
class CodedRecords:
    """Records in generation order. An event has neither `end` nor `value`, a fluent at a time-point no `end`.

    A retraction has the columns of the record that it retracts. A revision is a retraction and a record with one id.

    Contract: all columns have the same length; times are not negative, so that `NONE` is not a time.
    """

    name: Codes
    arrival: Times
    start: Times
    end: Times
    value: Codes
    args: Codes  # one column per argument position
    is_retraction: NDArray[np.bool_]
    revision: Times  # the id of a revision, or `NONE`

    def __len__(self) -> int:
        return len(self.name)

    def pick(self, chosen: NDArray[Any] | slice) -> CodedRecords:
        """The rows at the positions, or where the mask is true."""
        return CodedRecords(*(getattr(self, column.name)[chosen] for column in fields(self)))


def no_records(n_args: int) -> CodedRecords:
    times = np.empty(0, np.int64)
    codes = np.empty(0, np.int32)
    args = np.empty((0, n_args), np.int32)
    return CodedRecords(codes, times, times, times, codes, args, np.empty(0, bool), times)


def concatenate_records(parts: Sequence[CodedRecords]) -> CodedRecords:
    """The rows of all parts, in order."""
    return CodedRecords(
        *(np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(CodedRecords))
    )


class RecordMaker:
    """Collects the records of a model, many of one name per call."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.n_args = len(vocabulary.args)
        self.names = {name: code for code, name in enumerate(vocabulary.names)}
        self.values = {value: code for code, value in enumerate(vocabulary.values)}
        self.parts: list[CodedRecords] = []

    def add(
        self,
        name: str | Codes,
        start: Times,
        *args: Codes | int,
        end: Times | None = None,
        value: str | Codes | None = None,
        where: NDArray[np.bool_] | None = None,
    ) -> None:
        """Add records of one name, or of one name each. A record arrives at its end, or at its start if it has none."""
        n = len(start)
        columns = np.full((n, self.n_args), NONE, np.int32)
        for position, arg in enumerate(args):
            columns[:, position] = arg
        rows = CodedRecords(
            _codes(name, self.names, n),
            start if end is None else end,
            start,
            np.full(n, NONE, np.int64) if end is None else end,
            np.full(n, NONE, np.int32) if value is None else _codes(value, self.values, n),
            columns,
            np.zeros(n, bool),
            np.full(n, NONE, np.int64),
        )
        self.parts.append(rows if where is None else rows.pick(where))

    def rows(self) -> CodedRecords:
        return concatenate_records([no_records(self.n_args), *self.parts])


def _codes(given: str | Codes, known: Mapping[str, int], n: int) -> Codes:
    return np.full(n, known[given], np.int32) if isinstance(given, str) else given.astype(np.int32)
