"""Which events, fluents and FVPs are in their groundings, remembered one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.columns.tables import Key
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.row_steps import Words

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["Grounded"]


class Grounded:
    """Membership in groundings. The words of a fluent are its arguments, those of an FVP its value as well."""

    def __init__(self, part: Evaluation) -> None:
        self.part = part
        self.known: dict[tuple[bool, Key], dict[Words, bool]] = {}

    def includes(self, is_fvp: bool, key: Key, words: Words) -> bool:
        if (is_fvp, *key) not in self.part.domains.plans:
            return True
        known = self.known.setdefault((is_fvp, key), {})
        found = known.get(words)
        if found is None:
            columns = [np.array([word], dtype=np.int64) for word in words]
            found = known[words] = bool(self.part.domains.includes((is_fvp, *key), columns, 1, self.part)[0])
        return found

    def remember(self, is_fvp: bool, key: Key, columns: Sequence[Int64], n: int) -> list[Words]:
        """Look at many at once; returns them."""
        inside = self.part.domains.includes((is_fvp, *key), columns, n, self.part).tolist()
        rows: list[Words] = [()] * n
        if columns:
            rows = list(zip(*(column.tolist() for column in columns), strict=True))
        self.known.setdefault((is_fvp, key), {}).update(zip(rows, inside, strict=True))
        return rows
