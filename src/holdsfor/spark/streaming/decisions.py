"""The decisions of the driver in each micro-batch: how far the sources are, and which query times are due.

By event time, a query time is due when all sources have passed it: each has delivered a record with a later arrival.
An input may have several sources, each of which counts from its first record on; an input without a record is waited
for. A source that has delivered nothing for longer than the idleness timeout is not waited for. By the wall clock, a
query time is due when its time has come.

A decision depends on the clock of the driver, so it is written before the micro-batch is evaluated: a repeated
micro-batch repeats its decision. It also has everything that the next decision depends on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import inf

from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.sources.ahead import MaxAhead
from holdsfor.spark.streaming.state_files import RESTART, StreamFiles, number_of, numbered
from holdsfor.spark.streaming.stored_json import value_of

__all__ = ["Decision", "DecisionLog", "Pace", "Seen", "check_idle"]

_FOLDER = "decisions"
_KEPT = 32
_DIGITS = 12


def check_idle(timeout: float | None) -> None:
    """Refuse an idleness timeout that waits for no source."""
    if timeout is not None and timeout <= 0:
        raise UsageProblem(Diagnostic("HF703", f"the idleness timeout is {timeout}, expected more than 0"))


@dataclass(frozen=True)
class Seen:
    """A source in a micro-batch: its latest arrival, the earliest time-point of a record, and its newest time."""

    clock: int
    first: int
    newest: int

    def with_more(self, other: Seen) -> Seen:
        """The same source with more records of the micro-batch."""
        return Seen(max(self.clock, other.clock), min(self.first, other.first), max(self.newest, other.newest))


@dataclass(frozen=True)
class Decision:
    """The state of the run after a micro-batch.

    `start` is the first time-point of the run, known with the first record. The query times after `previous` up to
    `last` are evaluated; there are none if both are equal. `sources` has the latest arrival of each source, and
    `heard` the seconds of the wall clock at which it last delivered a record. `idle` are the sources that are not
    waited for, `missing` the inputs that are, although no record of them is known. `has_offset` is the form of times
    that are not integers, which the first of them have decided. `has_integers` if records were read before these:
    rows of outputs had integers, and keep them. `has_integer_problems` if records were set aside before these: then the
    same holds for the times of `problems`. `limits` has the sources with records that are ahead: those after a
    time-point are set aside.
    """

    batch: int
    start: int | None = None
    previous: int | None = None
    last: int | None = None
    sources: Mapping[str, int] = field(default_factory=dict)
    heard: Mapping[str, float] = field(default_factory=dict)
    idle: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    has_offset: bool | None = None
    has_integers: bool = False
    has_integer_problems: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_due(self) -> bool:
        """Whether the micro-batch evaluates a query time."""
        return self.last is not None and self.last != self.previous

    @property
    def reached(self) -> int | None:
        """The last arrival up to which all records of the sources that are not idle have been delivered.

        If all sources are idle, it is the latest arrival: they may become idle together or one after another.
        """
        if self.missing:
            return None
        waited = [clock for name, clock in self.sources.items() if name not in self.idle]
        return min(waited) if waited else max(self.sources.values(), default=None)


@dataclass(frozen=True)
class Pace:
    """How query times become due.

    `start` is the first time-point of the run, or None: the first record, rounded down to a multiple of the step.
    `timeout` is the idleness timeout in seconds. `unit` is the number of time-points in a second, by the wall clock.
    The names of sources begin with the number of their input. `began` is the time of the wall clock at which the query
    was started: a source is not idle because the query was stopped. Records further ahead than `max_ahead` are set
    aside.
    """

    start: int | None
    step: int
    timeout: float | None = None
    unit: int | None = None
    n_inputs: int = 1
    began: float = -inf
    max_ahead: MaxAhead | None = None

    def limits(self, before: Decision, seen: Mapping[str, Seen], now: float, *, are_dates: bool) -> dict[str, int]:
        """The last time-points of the sources that have records ahead.

        Dates are compared with a time of the wall clock, integers with the arrivals of the other sources.
        """
        if self.max_ahead is None:
            return {}
        clocks = {**before.sources, **{name: each.clock for name, each in seen.items()}}
        found: dict[str, int] = {}
        for name, each in seen.items():
            others = (clock for other, clock in clocks.items() if other != name)
            last = self.max_ahead.last_date(now) if are_dates else self.max_ahead.last_integer(others)
            if each.newest > last:
                found[name] = last
        return found

    def decided(self, before: Decision, batch: int, seen: Mapping[str, Seen], now: float) -> Decision:
        """The decision of a micro-batch at a time of the wall clock, in seconds."""
        sources = dict(before.sources)
        for name, each in seen.items():
            sources[name] = max(each.clock, sources.get(name, each.clock))
        delivered = {name.partition("/")[0] for name in sources}
        waited = [str(number) for number in range(self.n_inputs) if str(number) not in delivered]
        heard = self._last_deliveries(before, seen, waited, now)
        idle = tuple(name for name, at in heard.items() if self.timeout is not None and now - at > self.timeout)
        missing = tuple(name for name in waited if name not in idle)
        start = before.start if before.start is not None else self._start(seen)
        decision = Decision(batch, start, before.last, before.last, sources, heard, idle, missing, before.has_offset)
        return replace(decision, last=self._last(decision, now))

    def _last_deliveries(
        self, before: Decision, seen: Mapping[str, Seen], waited: list[str], now: float
    ) -> dict[str, float]:
        """The times of the last records; inputs without one count from the first micro-batch on.

        A clock that is set back restarts the timeouts: otherwise a source would be waited for until the clock reaches
        the earlier time again. A start of the query restarts them, too.
        """
        heard = {name: max(at, self.began) for name, at in before.heard.items()}
        known = {name: min(at, now) for name, at in heard.items() if name in before.sources or name in waited}
        return {**dict.fromkeys(waited, now), **known, **dict.fromkeys(seen, now)}

    def _start(self, seen: Mapping[str, Seen]) -> int | None:
        if self.start is not None or not seen:
            return self.start
        return min(each.first for each in seen.values()) // self.step * self.step

    def _last(self, decision: Decision, now: float) -> int | None:
        """The last query time that is due."""
        reached = int(now * self.unit) + 1 if self.unit is not None else decision.reached
        if decision.start is None or reached is None:
            return decision.previous
        n_steps = (reached - 1 - decision.start) // self.step
        due = decision.start + n_steps * self.step if n_steps >= 1 else None
        if due is None or (decision.previous is not None and due <= decision.previous):
            return decision.previous
        return due


@dataclass(frozen=True)
class DecisionLog:
    """The decisions of a stream in files."""

    files: StreamFiles

    def before(self, batch: int) -> Decision:
        """The last decision before a micro-batch; micro-batches without records may have none."""
        names = [name for name in self._names() if number_of(name) < batch]
        for name in names[:-_KEPT]:
            self.files.delete(f"{_FOLDER}/{name}")
        return self._read(names[-1]) if names else Decision(-1)

    def of(self, batch: int) -> Decision | None:
        """The decision of a micro-batch, if it has been made."""
        name = _name(batch)
        return self._read(name) if name in self.files.names(_FOLDER) else None

    def last(self) -> Decision | None:
        """The last decision."""
        names = self._names()
        return self._read(names[-1]) if names else None

    def last_number(self) -> int:
        """The last micro-batch that the stream has decided, or -1: no output of a later one was written."""
        names = self._names()
        return number_of(names[-1]) if names else -1

    def check_committed(self, committed: int) -> None:
        """Refuse decisions of micro-batches that Spark has not reached: its part of the checkpoint is lost."""
        last = self.last_number()
        if last > committed + 1:
            message = f"the checkpoint has the state of micro-batch {last}, and Spark's commits end at {committed}"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))

    def _names(self) -> list[str]:
        return numbered(self.files.names(_FOLDER))

    def add(self, decision: Decision) -> Decision:
        """Write a decision; the one of another driver, if that was the first."""
        name = _name(decision.batch)
        if self.files.create(f"{_FOLDER}/{name}", json.dumps(asdict(decision)).encode()):
            return decision
        return self._read(name)

    def _read(self, name: str) -> Decision:
        content = self.files.read(f"{_FOLDER}/{name}")
        try:
            return value_of(Decision, json.loads(content))
        except (ValueError, TypeError, KeyError, AttributeError):
            message = f"the file `{_FOLDER}/{name}` of the stream is damaged"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART)) from None


def _name(batch: int) -> str:
    return f"{batch:0{_DIGITS}}.json"
