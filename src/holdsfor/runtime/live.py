"""Query times of a live run: when each is due, and which records have arrived by then.

By event time, a query time is due when every input has passed it: the input has delivered a record with a later
arrival, or has ended. The query time then sees exactly the records that arrive by it, so the answers depend on the
streams alone. By the wall clock, a query time is due when the corresponding real time has elapsed since the start. It
sees the records that were read, except those with a later arrival.

An input that has passed the next query time is not read until that query time is evaluated. At most one chunk of each
input therefore waits in memory, even if one input is far ahead of another.
"""

from __future__ import annotations

import select
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from holdsfor.analysis.sorts import Place
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import check_distance, n_repeated
from holdsfor.sources.ahead import MaxAhead
from holdsfor.sources.feeds import Feed
from holdsfor.sources.fields import Horizon
from holdsfor.sources.live_reading import take_due
from holdsfor.sources.number_checks import TypedColumn
from holdsfor.sources.text_records import SetAside

__all__ = ["LiveRun", "Stop"]

_LATEST = 2**63 - 1
_SILENCE = 1000
"""Milliseconds after which an input without any data is reported."""


class Stop(Protocol):
    """A request to end the run; `fileno` becomes ready to read when the request is made."""

    @property
    def is_asked(self) -> bool: ...

    def fileno(self) -> int: ...


class LiveRun:
    """Reads the feeds and yields the query times when they are due.

    `rate` is the number of time-points per second of the wall clock; without `rate`, the run goes by event time.
    Records that are further ahead than `max_ahead` are set aside.
    `after_reading` is called after every read, `on_silence` once for each input without any data after a second.
    `at_rest` is called after query times have been reported, before more is read, and when the run is asked to end. It
    may return a time of the monotonic clock; it is called again at that time, unless a query time is due before.
    """

    def __init__(
        self,
        feeds: Sequence[Feed],
        *,
        step: int,
        start: int | None,
        end: int | None,
        rate: float | None,
        stop: Stop,
        max_ahead: MaxAhead | None = None,
        after_reading: Callable[[LiveRun], None] = lambda _: None,
        on_silence: Callable[[str], None] = lambda _: None,
        at_rest: Callable[[LiveRun], float | None] = lambda _: None,
    ) -> None:
        self.feeds = feeds
        self.step = step
        self.start = start
        self.end = end
        self.rate = rate
        self.stop = stop
        self.max_ahead = max_ahead
        self.after_reading = after_reading
        self.session: EngineSession | None = None
        self.is_compacting = True
        """Whether the symbol table may be compacted between query times: no caller compares words of two reports."""
        self.on_silence = on_silence
        self.at_rest = at_rest
        self._silent = [feed for feed in feeds if not feed.has_ended]
        self.n_outside = 0
        self._n_quiet = 0
        self.seconds_reading = 0.0
        self.seconds_waiting = 0.0
        self._earliest = -_LATEST
        self._next: int | None = None
        self._held: list[int] = []
        self._rest_due: float | None = None
        self._began = time.monotonic()

    # -- counts --------------------------------------------------------------------------------------------------------

    @property
    def n_records(self) -> int:
        return sum(feed.reading.n_records for feed in self.feeds)

    @property
    def unused(self) -> Counter[str]:
        """The number of records by name, for names that no rule uses."""
        return sum((feed.reading.unused for feed in self.feeds), Counter())

    def take_set_aside(self) -> list[SetAside]:
        """The records that did not fit since the last call."""
        found = [misfit for feed in self.feeds for misfit in feed.reading.set_aside]
        for feed in self.feeds:
            feed.reading.set_aside.clear()
        return found

    # -- checkpoints ---------------------------------------------------------------------------------------------------

    @property
    def has_ended(self) -> bool:
        """Whether all inputs have ended."""
        return all(feed.has_ended for feed in self.feeds)

    def position(self) -> dict[str, Any]:
        """The state of the run between two query times, without its session and feeds, as JSON."""
        return {
            "start": self.start,
            "next": self._next,
            "held": self._held,
            "n_outside": self.n_outside,
            "n_quiet": self._n_quiet,
            "earliest": self._earliest,
            "began": time.time() - (time.monotonic() - self._began),
        }

    def continue_at(self, position: dict[str, Any]) -> None:
        """Continue at a position. By the wall clock, the time since the position was taken has elapsed."""
        self.start = position["start"]
        self._next = position["next"]
        self._held = position["held"]
        self.n_outside = position["n_outside"]
        self._n_quiet = position["n_quiet"]
        self._earliest = position["earliest"]
        self._began = time.monotonic() - (time.time() - position["began"])

    # -- query times ---------------------------------------------------------------------------------------------------

    def begin(self) -> int | None:
        """The first time-point: as given, else the earliest start among the first records of all inputs.

        Waits until every input has delivered a record or ended. None if the run is stopped before.
        """
        if self._next is not None:
            return self.start
        while self.start is None:
            silent = [feed for feed in self.feeds if feed.reading.first_start is None and not feed.has_ended]
            if not silent:
                firsts = [feed.reading.first_start for feed in self.feeds]
                self.start = min((first for first in firsts if first is not None), default=0)
            elif not self._read_some(silent, None):
                return None
        self._began = time.monotonic()
        return self.start

    def query_times(self, session: EngineSession) -> Iterator[int]:
        """The query times as they become due, each with its records in the session, until the inputs or the run end."""
        assert self.start is not None
        self.session = session
        session.rules.plan_ahead()
        at = self._next = self.start + self.step if self._next is None else self._next
        while self._wait_until_due(at):
            self._end_with_inputs(session)
            if self._is_finished(at, session):
                break
            self._held.append(at)
            if not self._has_reached_end(at - self.step, session) or self._admits_some(at, session):
                for query_time in self._held:
                    self._insert(query_time, session)
                    yield query_time
                    self._compact(session)
                    self._earliest = query_time + 1
                self._held.clear()
            at = self._next = self._following(at, session)
            self._rest_due = self.at_rest(self)
        if self.stop.is_asked:
            self.at_rest(self)
        self._close(session)

    def lag(self, query_time: int) -> str:
        """By the wall clock, the seconds since a query time was due, else the lead of the records in time-points."""
        if self.rate is not None:
            return f"{max(0.0, time.monotonic() - self._due(query_time)):.1f} s behind"
        clocks = [feed.reading.clock for feed in self.feeds if feed.reading.clock is not None]
        return f"{max(0, max(clocks, default=query_time) - query_time)} behind the records"

    def _following(self, at: int, session: EngineSession) -> int:
        """The next query time; by event time, a long sequence of query times without changes is skipped."""
        if self.rate is not None or session.previous != at:
            return at + self.step
        arrivals = [feed.next_arrival(at) for feed in self.feeds]
        known = [m for m in (session.records.next_moment(at, session.tick), *arrivals) if m is not None]
        if known:
            check_distance(session, at, min(known), self.step)
        moments = [session.next_change(), *arrivals]
        change = min((moment for moment in moments if moment is not None), default=at)
        n_left_out = max(0, (change - at - 1) // self.step)
        self._n_quiet = self._n_quiet + 1 if n_left_out else 0
        if self._n_quiet <= n_repeated(session.window, self.step):
            return at + self.step
        session.skip_to(at + n_left_out * self.step)
        self._n_quiet, self._earliest = 0, at + n_left_out * self.step + 1
        return at + (n_left_out + 1) * self.step

    def _end_with_inputs(self, session: EngineSession) -> None:
        """Set the end of the run to the last record, if the inputs have ended and no end is given."""
        assert self.start is not None
        if session.end is None and self.has_ended:
            lasts = [feed.reading.last for feed in self.feeds if feed.reading.last is not None]
            last = max(lasts, default=self.start) // session.tick * session.tick
            session.end = max(last, self.start if session.previous is None else session.previous)

    def _has_reached_end(self, query_time: int, session: EngineSession) -> bool:
        assert self.start is not None
        return session.end is not None and query_time > self.start and query_time >= session.end

    def _is_finished(self, at: int, session: EngineSession) -> bool:
        """Whether the query time before this one was the last: no later window admits a record."""
        if not self._has_reached_end(at - self.step, session):
            return False
        assert session.end is not None
        if session.window is None or at - session.window >= session.end:
            return True
        return all(feed.has_ended and not feed.reading.n_waiting for feed in self.feeds)

    def _admits_some(self, at: int, session: EngineSession) -> bool:
        """Whether the window of a query time admits a record that has arrived by the query time."""
        return any(feed.reading.admits(at, session.oldest(at), session.end) for feed in self.feeds)

    def _close(self, session: EngineSession) -> None:
        """Close the feeds, and count incomplete revisions and the records that no query time admits."""
        for feed in self.feeds:
            feed.close()
            session.records.add_unmatched([*feed.reading.take_unmatched(), *feed.reading.incomplete])
        if self.stop.is_asked:
            self.n_outside += sum(feed.reading.n_waiting for feed in self.feeds)
            return
        for each in take_due([feed.reading for feed in self.feeds], _LATEST):
            n_outside = each.records.count_outside(session.start, _LATEST if session.end is None else session.end)
            self.n_outside += n_outside
            session.records.admission_counts.n_dropped += each.n - n_outside

    # -- waiting -------------------------------------------------------------------------------------------------------

    def _wait_until_due(self, at: int) -> bool:
        """Read until a query time is due; False if the run is stopped before.

        By the wall clock, every input is read at least once, so a process that was suspended misses no record.
        """
        while not self.stop.is_asked:
            behind = [feed for feed in self.feeds if not feed.has_passed(at)]
            if self.has_ended or (self.rate is None and not behind):
                return True
            due = None if self.rate is None else self._due(at)
            deadlines = [each for each in (due, self._rest_due) if each is not None]
            is_going_on = self._read_some(behind, min(deadlines, default=None))
            if is_going_on and due is not None and time.monotonic() >= due:
                return True
            if is_going_on and self._rest_due is not None and time.monotonic() >= self._rest_due:
                self._rest_due = self.at_rest(self)
        return False

    def _due(self, query_time: int) -> float:
        assert self.start is not None
        assert self.rate is not None
        return self._began + (query_time - self.start) / self.rate

    def _read_some(self, feeds: Sequence[Feed], deadline: float | None) -> bool:
        """Wait until a feed has data or the deadline is reached, then read; False if the run is stopped."""
        waited = time.monotonic()
        ready = self._ready(feeds, deadline)
        began = time.monotonic()
        for feed in feeds:
            if feed.channel.fileno() in ready:
                feed.reading.horizon = self._horizon(feed)
                feed.read(self._earliest)
        self.seconds_waiting += began - waited
        self.seconds_reading += time.monotonic() - began
        self.after_reading(self)
        return not self.stop.is_asked

    def _horizon(self, feed: Feed) -> Horizon:
        """The last time-points of records that an input delivers now."""
        if self.max_ahead is None:
            return Horizon()
        others = [each.reading.clock for each in self.feeds if each is not feed and each.reading.clock is not None]
        return Horizon(self.max_ahead.last_date(time.time()), self.max_ahead.last_integer(others))

    def _ready(self, feeds: Sequence[Feed], deadline: float | None) -> set[int]:
        poll = select.poll()
        poll.register(self.stop.fileno(), select.POLLIN)
        for feed in feeds:
            poll.register(feed.channel.fileno(), select.POLLIN)
        milliseconds = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000 + 1
        if not self._silent or (milliseconds is not None and milliseconds <= _SILENCE):
            return {fd for fd, _ in poll.poll(milliseconds)}
        ready = {fd for fd, _ in poll.poll(_SILENCE)}
        self._silent = [feed for feed in self._silent if feed.channel.fileno() not in ready]
        if ready:
            return ready
        for feed in self._silent:
            self.on_silence(feed.channel.name)
        self._silent = []
        return {fd for fd, _ in poll.poll(None if milliseconds is None else milliseconds - _SILENCE)}

    # -- records -------------------------------------------------------------------------------------------------------

    def _compact(self, session: EngineSession) -> None:
        """Free unused constants, if there are many, and recode the records that wait in the readers."""
        recoding = session.compact() if self.is_compacting else None
        if recoding is not None:
            for feed in self.feeds:
                feed.reading.recode(recoding)

    def _typed(self) -> dict[Place, TypedColumn]:
        """The columns of all inputs that have a declared type."""
        return {place: column for feed in self.feeds for place, column in feed.reading.typed.items()}

    def _insert(self, at: int, session: EngineSession) -> None:
        """Insert the records that have arrived by a query time into the session."""
        began = time.monotonic()
        end = _LATEST if session.end is None else session.end
        due = take_due([feed.reading for feed in self.feeds], at)
        self.n_outside += sum(each.records.count_outside(session.start, end) for each in due)
        for feed in self.feeds:
            session.records.add_unmatched(feed.reading.take_unmatched())
        session.check_joins(due, self._typed())
        session.apply(due)
        self.seconds_reading += time.monotonic() - began
        self.after_reading(self)
