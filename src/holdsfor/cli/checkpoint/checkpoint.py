"""Checkpoints of a live run: written between query times, read when the same command starts again.

A checkpoint has the session, the positions of the inputs with the records that wait, the counts of the summary, and the
length of each output file. Output reaches the disk before the checkpoint that counts it. A run that continues cuts the
output files back to these lengths, reads the input files from these positions, and so computes and writes the reports
after the checkpoint again.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.fingerprint import fingerprint
from holdsfor.analysis.pipeline import Compiled
from holdsfor.cli.checkpoint.folder import CheckpointFolder
from holdsfor.cli.checkpoint.outputs import Marks, check_outputs, cut_back, output_files, sync_names, synced_marks
from holdsfor.cli.checkpoint.settings import HINT, check_settings, settings_of
from holdsfor.errors import Diagnostic, UsageProblem, counted, printable
from holdsfor.sources.text_records import SetAside
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.cli.engines.live import LiveEngine
    from holdsfor.runtime.session import EngineSession
    from holdsfor.runtime.snapshot import Snapshot

__all__ = ["Checkpoint", "open_checkpoint"]

_SHARE = 10
"""The least time between two checkpoints, as a multiple of the duration of the first of them."""

_COUNTS = ("n_query_times", "n_fvps", "n_intervals")


def open_checkpoint(options: argparse.Namespace, compiled: Compiled, goals: Iterable[Term]) -> Checkpoint | None:
    """The checkpoint of a run, if it has one; options, inputs or outputs that contradict it are refused."""
    if options.checkpoint is None:
        return None
    folder = CheckpointFolder(options.checkpoint)
    try:
        return Checkpoint(options, folder, fingerprint(compiled, goals))
    except BaseException:
        folder.close()
        raise


class Checkpoint:
    """The last checkpoint of a run in its folder. `run` is None if the run is new."""

    def __init__(self, options: argparse.Namespace, folder: CheckpointFolder, of_rules: str) -> None:
        self.options = options
        self.folder = folder
        self.name = str(folder.file)
        self._fingerprint = of_rules
        self._settings = settings_of(options)
        self._outputs = output_files(options)
        self._due: float = time.monotonic() + options.checkpoint_every
        self._has_synced_names = False
        self.run: Snapshot | None = None
        self._session: Snapshot | None = None
        parts = folder.read()
        if parts is not None:
            with _as_written(self.name):
                self._read(*parts)

    def close(self) -> None:
        self.folder.close()

    # -- continue ------------------------------------------------------------------------------------------------------

    @property
    def is_begun(self) -> bool:
        """Whether there was a query time before the checkpoint."""
        return self.run is not None and "query_time" in self.run.more

    def start_outputs(self) -> None:
        """Cut the output files back to the checkpoint. A new run writes its first checkpoint: nothing read or written.

        Without it, a run that is killed before its first query time would find its own output as that of another run.
        """
        from holdsfor.runtime.snapshot import Snapshot

        if self.run is not None:
            cut_back(self._marks())
            return
        empty = {"outputs": {path: [0, ""] for path in self._outputs}}
        self.folder.write(Snapshot(self._fingerprint, self._settings, {}, [], [], empty).to_bytes(), b"")

    def positions(self) -> list[dict[str, Any] | None]:
        """Where each input continues."""
        from holdsfor.runtime.live_snapshot import positions

        if self.run is None or not self.is_begun:
            return [None] * len(self.options.input)
        return list(positions(self.run))

    def restore(self, engine: LiveEngine) -> None:
        """Let the run of an engine continue, and its counts."""
        from holdsfor.runtime.live_snapshot import continue_run

        if self.run is None or not self.is_begun:
            return
        more = self.run.more
        with _as_written(self.name):
            continue_run(engine.run, self.run, engine.symbols)
            for name in _COUNTS:
                setattr(engine.counts, name, more["counts"][name])
            engine.set_aside.n = more["set_aside"]["n"]
            engine.set_aside.first = [SetAside(*each) for each in more["set_aside"]["first"]]
            engine.set_aside.first_unmatched = [SetAside(*each) for each in more["set_aside"]["first_unmatched"]]
            engine.log.continue_at(more["log"])
            engine.clock.has_offset, engine.clock.are_arguments = more["time_form"]

    def session(self, engine: LiveEngine) -> EngineSession | None:
        """The session of the checkpoint, None if the run is at its beginning."""
        from holdsfor.runtime.session import EngineSession

        found, self._session = self._session, None
        if found is None:
            return None
        return EngineSession.restored(found, engine.compiled, engine.goals, symbols=engine.symbols, name=self.name)

    def announce(self, engine: LiveEngine) -> None:
        """Print where the run continues, and which record each input that cannot be read twice must send next."""
        if self.run is None:
            return
        at = self.run.more.get("query_time")
        _print("continuing at the beginning" if at is None else f"continuing after query time {at}")
        if self.options.output not in self._outputs:
            name = "standard output" if self.options.output is None else f"`{self.options.output}`"
            _print(f"{name} cannot be cut back: reports after the checkpoint come again")
        for feed in engine.run.feeds:
            if feed.channel.file is None and not feed.has_ended:
                taken, last = feed.reading.n_records, feed.reading.clock
                until = "" if last is None else f", the last arrival is {last}"
                _print(f"`{feed.channel.name}`: {counted(taken, 'record')} taken{until}")

    def _read(self, run: bytes, session: bytes) -> None:
        """Read a checkpoint, and compare it with the options, the inputs and the outputs of this run."""
        from holdsfor.runtime.snapshot import Snapshot

        self.run = Snapshot.from_bytes(run, self.name)
        self._session = Snapshot.from_bytes(session, self.name) if self.is_begun else None
        check_settings(self.run.settings, self._settings, self.folder.path)
        if self.run.fingerprint != self._fingerprint:
            message = f"the checkpoint in `{self.folder.path}` is of other rules, background facts or start-up goals"
            hint = "continue with the same rules, or give another folder to start a new run"
            raise UsageProblem(Diagnostic("HF707", message, hint=hint))
        self._check_inputs()
        check_outputs(self._marks())

    def _marks(self) -> Marks:
        """The marks of the outputs, whose paths are those of the options: a checkpoint names no file to cut."""
        assert self.run is not None
        marks: Marks = self.run.more["outputs"]
        for path in sorted(marks.keys() ^ set(self._outputs)):
            which = "has a mark of" if path in marks else "has no mark of"
            message = f"the checkpoint in `{self.folder.path}` {which} the output `{path}`, unlike this run"
            raise UsageProblem(Diagnostic("HF707", message, hint=HINT))
        return marks

    def _check_inputs(self) -> None:
        from holdsfor.sources.channels import open_channel
        from holdsfor.sources.file_marks import FileMark
        from holdsfor.sources.inputs import split_input

        for given, position in zip(self.options.input, self.positions(), strict=True):
            if position is not None and position["mark"] is not None:
                open_channel(str(split_input(given)[0]), FileMark(*position["mark"])).close()

    # -- write ---------------------------------------------------------------------------------------------------------

    def save_if_due(self, engine: LiveEngine) -> float | None:
        """Write a checkpoint if one is due, or if the run is asked to end. Return when one will be due, else None.

        After the end of all inputs there are none: a run over files that have grown continues before their end.
        """
        began = time.monotonic()
        if engine.run.has_ended:
            return None
        if began < self._due and not engine.stop.is_asked:
            return self._due
        self._save(engine)
        now, pause = time.monotonic(), self.options.checkpoint_every
        self._due = now + max(pause, _SHARE * (now - began)) if pause else now
        return None

    def _save(self, engine: LiveEngine) -> None:
        from holdsfor.runtime.live_snapshot import run_snapshot

        session = engine.run.session
        assert session is not None
        if not self._has_synced_names:
            sync_names(self._outputs)
            self._has_synced_names = True
        more = {
            "outputs": synced_marks(self._outputs),
            "query_time": session.previous,
            "counts": {name: getattr(engine.counts, name) for name in _COUNTS},
            "set_aside": {
                "n": engine.set_aside.n,
                "first": [dataclasses.astuple(each) for each in engine.set_aside.first],
                "first_unmatched": [dataclasses.astuple(each) for each in engine.set_aside.first_unmatched],
            },
            "log": engine.log.position(),
            "time_form": [engine.clock.has_offset, engine.clock.are_arguments],
        }
        run = run_snapshot(engine.run, engine.symbols, self._fingerprint, self._settings, more)
        self.folder.write(run.to_bytes(), session.snapshot().to_bytes())


@contextmanager
def _as_written(name: str) -> Iterator[None]:
    """A checkpoint with other content than this program writes, as a damaged one."""
    from holdsfor.runtime.snapshot import damaged

    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        damaged(name)


def _print(line: str) -> None:
    print(printable(line), file=sys.stderr)
