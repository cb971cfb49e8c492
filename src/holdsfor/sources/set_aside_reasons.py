"""Why records were set aside, counted: `257,408 × `speed` is null`.

Reasons that differ only in the value that was found are one group. A run in which all records are set aside, or more
than the limit that is given, is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.sources.text_records import SetAside

__all__ = ["ReasonCounts", "SetAsideLimit", "SetAsideProblem", "reason_group", "set_aside_message"]

_MOST_GROUPS = 1_000
_SHOWN = 10
_VALUE = re.compile(r", found `.*`$|(?<=the time )`[^`]*` ", re.DOTALL)
_TIMES = re.compile(r"\b(arrival|occurrence|start|end|ends at) -?\d+(?=\W|$)")


def reason_group(reason: str) -> str:
    """A reason without the value that was found.

    >>> reason_group("expected a number as `kmh`, found `n/a`"), reason_group("the occurrence 7 is not a time-point")
    ('expected a number as `kmh`', 'the occurrence is not a time-point')
    """
    return _TIMES.sub(r"\1", _VALUE.sub("", reason))


def _found(reason: str) -> str:
    """The value that was found, as the end of a reason."""
    found = _VALUE.search(reason)
    return found[0] if found is not None and found[0].startswith(",") else ""


@dataclass
class ReasonCounts:
    """The number of records for each group of reasons, with the first record of each."""

    n: int = 0
    groups: dict[str, tuple[int, SetAside]] = field(default_factory=dict)

    def add(self, misfits: Iterable[SetAside]) -> None:
        """Count records; reasons after the first thousand groups are counted without a group."""
        for misfit in misfits:
            self.add_many(1, misfit)

    def add_many(self, n: int, misfit: SetAside) -> None:
        """Count several records with the reason of one of them."""
        self.n += n
        group = reason_group(misfit.reason)
        count, first = self.groups.get(group, (0, misfit))
        if count or len(self.groups) < _MOST_GROUPS:
            self.groups[group] = (count + n, first)

    def lines(self, most: int = _SHOWN) -> Iterator[str]:
        """The groups, most frequent first, each with its first record."""
        ordered = sorted(self.groups.items(), key=lambda each: -each[1][0])
        for group, (n, first) in ordered[:most]:
            yield f"{n:,} × {group} (first: {first.file}:{first.line}: {first.text})"
        if (rest := self.n - sum(n for _, (n, _) in ordered[:most])) > 0:
            yield f"… and {rest:,} more"

    def summary(self) -> str:
        """The most frequent groups in one line, each with the place of its first record and the value found there.

        >>> counts = ReasonCounts()
        >>> counts.add([SetAside("trips.csv", line, "", f"expected a number, found `{line}a`") for line in (2, 5)])
        >>> counts.summary()
        '2 × expected a number (trips.csv:2, found `2a`)'
        """
        ordered = sorted(self.groups.items(), key=lambda each: -each[1][0])
        shown = [
            f"{n:,} × {group} ({first.file}:{first.line}{_found(first.reason)})" for group, (n, first) in ordered[:3]
        ]
        return "; ".join([*shown, *(["…"] if len(ordered) > 3 else [])])


def set_aside_message(n_records: int, counts: ReasonCounts) -> str:
    """The warning that some records do not fit.

    >>> counts = ReasonCounts()
    >>> counts.add([SetAside("trips.csv", 2, "", "`kmh` is null")])
    >>> set_aside_message(40, counts)
    '1 of 40 records set aside: 1 × `kmh` is null (trips.csv:2)'
    """
    return f"{counts.n:,} of {n_records:,} records set aside: {counts.summary()}"


class SetAsideProblem(DataProblem):
    """Too many records do not fit."""


@dataclass(frozen=True)
class SetAsideLimit:
    """The largest allowed number or share of records that are set aside; by default all but one.

    >>> SetAsideLimit.of("5%").allows(5, 100), SetAsideLimit.of(3).allows(5, 100), SetAsideLimit().allows(7, 7)
    (True, False, False)
    """

    share: Fraction | None = None
    number: int | None = None

    @classmethod
    def of(cls, given: str | float | None) -> SetAsideLimit:
        """A limit such as `5%`, a number of records (an integer) or a share (a float); HF713 for another value."""
        if given is None:
            return cls()
        match given:
            case bool():
                pass
            case int() if given >= 0:
                return cls(number=given)
            case float() if 0 <= given <= 1:
                return cls(share=Fraction(given))
            case str() if re.fullmatch(r"\d{1,18}", given.strip(), re.ASCII):
                return cls(number=int(given))
            case str() if re.fullmatch(r"\d{1,3}(\.\d{1,9})?%", given.strip(), re.ASCII):
                share = Fraction(given.strip()[:-1]) / 100
                if share <= 1:
                    return cls(share=share)
        hint = "write a share such as `5%`, or a number of records"
        raise UsageProblem(Diagnostic("HF713", f"`{given}` is not a limit for records set aside", hint=hint))

    def allows(self, n_set_aside: int, n_records: int) -> bool:
        """Whether a number of records may be set aside."""
        if self.number is not None:
            return n_set_aside <= self.number
        if self.share is not None:
            return n_set_aside <= self.share * n_records
        return not n_set_aside or n_set_aside < n_records

    def check(self, n_records: int, counts: ReasonCounts) -> None:
        """Refuse a run with more records set aside than are allowed (HF510)."""
        if self.allows(counts.n, n_records):
            return
        what = f"all {n_records:,} records" if counts.n >= n_records else f"{counts.n:,} of {n_records:,} records"
        what = "the only record is" if n_records == 1 else what
        message = f"{what} set aside: {counts.summary()}"
        raise SetAsideProblem(Diagnostic("HF510", message, hint=self._hint(counts)))

    def _hint(self, counts: ReasonCounts) -> str:
        if all("is not UTF-8" in group for group in counts.groups):
            return "save the file as UTF-8"
        if self.number is None and self.share is None:
            return "compare the names, columns and types of the input with the rules"
        given = f"{self.number:,}" if self.number is not None else f"{float((self.share or 0) * 100):g} %"
        return f"the limit is {given}"
