"""Late records: their share, and their delays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.errors import Diagnostic, UsageProblem, did_you_mean
from holdsfor.generators.coded_records import Times

__all__ = ["ON_TIME", "Lateness", "read_lateness", "read_share"]

Draw = Callable[[np.random.Generator, int, tuple[float, ...]], NDArray[np.float64]]

DISTRIBUTIONS: dict[str, tuple[tuple[str, ...], Draw]] = {
    "gamma": (("shape", "scale"), lambda rng, n, p: rng.gamma(p[0], p[1], n)),
    "uniform": (("low", "high"), lambda rng, n, p: rng.uniform(p[0], p[1], n)),
    "exponential": (("mean",), lambda rng, n, p: rng.exponential(p[0], n)),
    "constant": (("delay",), lambda rng, n, p: np.full(n, p[0])),
}


@dataclass(frozen=True)
class Lateness:
    """A share of all records arrives late, by at least one time-point; delays follow a distribution."""

    share: float = 0.0
    distribution: str = "gamma"
    parameters: tuple[float, ...] = (2.0, 2.0)

    def delays(self, rng: np.random.Generator, n: int, tick: int) -> Times:
        """The delay of each of `n` records; 0 for records on time."""
        is_late = rng.random(n) < self.share
        delays = np.zeros(n, np.int64)
        drawn = DISTRIBUTIONS[self.distribution][1](rng, int(is_late.sum()), self.parameters)
        delays[is_late] = np.maximum(1, np.rint(drawn)).astype(np.int64) * tick
        return delays


ON_TIME = Lateness()


def read_lateness(late: str | None, delay: str | None, *, has_corrections: bool = False) -> Lateness:
    """The lateness of `--late 10% --delay gamma:2,2`; delays also concern corrections, if there are any.

    >>> read_lateness("10%", "uniform:1,60")
    Lateness(share=0.1, distribution='uniform', parameters=(1.0, 60.0))
    """
    if late is None and delay is not None and not has_corrections:
        raise _wrong("HF711", f"the delay `{delay}` applies to no record", "give a share, such as `--late 10%`")
    share = read_share(late, "late") if late is not None else 0.0
    distribution, parameters = _distribution(delay) if delay is not None else ("gamma", (2.0, 2.0))
    return Lateness(share, distribution, parameters)


def read_share(text: str, what: str) -> float:
    """The share of late or of corrected records.

    >>> read_share("5%", "corrected")
    0.05
    """
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1
    if not 0 <= share <= 1:
        raise _wrong("HF711", f"expected a share of {what} records, found `{text}`", "write `10%` or `0.1`")
    return share


def _distribution(text: str) -> tuple[str, tuple[float, ...]]:
    name, _, numbers = text.partition(":")
    if name not in DISTRIBUTIONS:
        hint = did_you_mean(name, DISTRIBUTIONS) or f"there are {', '.join(f'`{d}`' for d in DISTRIBUTIONS)}"
        raise _wrong("HF712", f"the distribution `{name}` not found", hint)
    expected = DISTRIBUTIONS[name][0]
    try:
        parameters = tuple(float(number) for number in numbers.split(","))
    except ValueError:
        parameters = ()
    # Delays become 64-bit time-points, so a parameter must be far below that limit.
    in_range = all(0 <= p <= 1e12 for p in parameters) and (name != "uniform" or sorted(parameters) == [*parameters])
    if len(parameters) != len(expected) or not in_range:
        hint = f"write `{name}:{','.join(expected)}` with numbers that are not negative, low before high"
        raise _wrong("HF712", f"expected {' and '.join(expected)} for `{name}`, found `{numbers}`", hint)
    return name, parameters


def _wrong(code: str, message: str, hint: str) -> UsageProblem:
    return UsageProblem(Diagnostic(code, message, hint=hint))
