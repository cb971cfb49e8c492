"""The work of one process of a job: it reads parts of the input, and evaluates one bucket of each stage.

Facts that stay in the process keep the words of its table of symbols. Facts for other processes go through files. The
process that runs the job calls the methods in order and waits for all processes after each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path

from holdsfor.columns.column_file import naming_temporary_files
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.pending import Pending
from holdsfor.columns.query_times import QueryTimes
from holdsfor.parallel.exchange.block_files import read_blocks, write_blocks
from holdsfor.parallel.exchange.facts import FAULT, PENDING, Facts, Load, Texts, by_name, facts_of_records
from holdsfor.parallel.exchange.routing import Destination, Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.processes.dated_results import DatedResults, settled_report
from holdsfor.parallel.processes.part_reading import ReadSummary, read_parts
from holdsfor.parallel.processes.parts import Part, claimed
from holdsfor.parallel.processes.written_results import LineLayout, report_blocks
from holdsfor.parallel.stages.admission import JobAdmission, RunSchedule
from holdsfor.parallel.stages.buckets import Bucket
from holdsfor.parallel.stages.rule_facts import rule_fact_loads
from holdsfor.prolog.faults import Fault, Faults
from holdsfor.runtime.record_store import last_admitted
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.sources.inputs import InputReader
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.times import Clock, Unit

__all__ = ["JobProcess"]

_RESULTS = ("event", "fluent")


class JobProcess:
    """Process `number` of a job; `folder` is for files between processes."""

    def __init__(self, number: int, folder: str) -> None:
        self.number = number
        self.folder = Path(folder)
        self.symbols = Symbols()
        self.reading = ColumnReading()
        self.results: list[Facts] = []
        self._texts = Texts(self.symbols)
        self._arrived: dict[int, list[tuple[int, Facts]]] = {}  # by stage, with the number of the sender
        self._outgoing: dict[int, list[ShuffleBlock]] = {}
        self._counts: Counter[tuple[str, int]] = Counter()
        self._faults = Faults()
        self._pending: list[Pending] = []
        self._widest = 0
        self._n_files = 0

    def read(
        self, parts: Mapping[int, Part], first: int, rules: Rules, tick: int, unit: Unit | None, zone: str | None
    ) -> ReadSummary:
        """Read those of the parts, by number, that no other process reads, from the number `first` on."""
        names = rules.compiled().names
        return read_parts(
            claimed(parts, self.folder, first),
            InputReader(names, tick, self.symbols, self.reading, Clock(unit, zone=zone)),
        )

    def last_admitted(self, queries: QueryTimes) -> int:
        """The last arrival of a record that some window admits, at least the end."""
        return last_admitted((*self.reading.events.values(), *self.reading.fluents.values()), queries)

    def admit(self, admission: JobAdmission, destinations: tuple[Destination, ...]) -> None:
        """Admit the records and send them to the stages."""
        records = [*self.reading.events.items(), *self.reading.fluents.items()]
        self.reading.events.clear()
        self.reading.fluents.clear()
        run = admission.run
        self._counts["outside", 0] = sum(each.count_outside(run.start, run.end) for _, each in records)
        loads = [Load([facts_of_records(key, each) for key, each in records], self.symbols)]
        if self.number == 0:
            loads += rule_fact_loads(admission.rules.compiled(), run.tick, self.symbols)
        router = Router(destinations)
        for load in admission(loads):
            for facts in load.facts:
                self._post(router.shuffle_blocks(facts, self._texts))
        self._widest = admission.totals.widest
        self._send()

    def counts(self) -> tuple[Counter[tuple[str, int]], int, list[str], list[Pending]]:
        """The number of records by outcome and query time (0 for all), the smallest window that cuts no record, the
        conditions that had no result, and the delayed effects that are pending.
        """
        return self._counts, self._widest, [fault.to_text() for fault in self._faults], self._pending

    def semijoin(self, destination: Destination) -> None:
        """The second half of a semijoin before a stage."""
        self._receive()
        self._post(destination.semijoined(self._take_arrived(-destination.stage)))
        self._send()

    def evaluate(self, bucket: Bucket) -> None:
        """Evaluate the bucket of this process in a stage; a stage without a key has one bucket."""
        self._receive()
        facts = self._take_arrived(bucket.destination.stage)
        if self.number < bucket.destination.n_buckets:
            load = Load(by_name(facts), self.symbols)
            self._post(bucket.evaluated(self.number, load, self._texts))
        self._send()

    def write_results(self) -> str:
        """Write all results to a file, and return its path."""
        path = str(self.folder / f"results{self.number}")
        write_blocks(path, (ShuffleBlock(NO_STAGE, (0,), 1, facts) for facts in self.results), self._texts)
        return path

    def write_lines(self, layout: LineLayout, run: RunSchedule, is_dated: bool) -> tuple[str, str]:
        """Write the lines of the results of this process, and the blocks about them; return the paths of both files."""
        path, blocks = self.folder / f"lines{self.number}", str(self.folder / f"lengths{self.number}")
        found, self.results = self.results, []
        counted: Iterable[tuple[ReportColumns, int]] = [(settled_report(found, run.last), run.start - 1)]
        if is_dated:
            reports = DatedResults(found, run.query_times).reports()
            counted = ((report, run.before_window(report.query_time)) for report in reports)
        with naming_temporary_files(), path.open("wb") as file:
            write_blocks(blocks, report_blocks(counted, layout, self.symbols, run.tick, file), self._texts)
        return str(path), blocks

    def _post(self, blocks: Iterable[ShuffleBlock]) -> None:
        """Keep the facts for this process and for no stage, and collect those for others."""
        for block in blocks:
            if block.stage != NO_STAGE:
                for bucket in block.buckets:
                    if bucket == self.number:
                        self._arrived.setdefault(block.stage, []).append((self.number, block.facts))
                    else:
                        self._outgoing.setdefault(bucket, []).append(block)
            elif block.facts.kind in _RESULTS:
                self.results.append(block.facts)
            elif block.facts.kind == PENDING:
                assert block.first is not None
                self._pending.append(Pending(block.facts.name, block.facts.n, block.first))
            else:
                self._count(block.facts)

    def _count(self, facts: Facts) -> None:
        """Add counts, of all query times or of each, and conditions without a result."""
        if facts.kind == FAULT:
            self._faults.add(map(Fault.of_text, facts.texts["text"].to_pylist()))
        elif "query_time" in facts.times:
            counts = zip(facts.times["query_time"].tolist(), facts.times["n"].tolist(), strict=True)
            self._counts.update({(facts.kind, at): n for at, n in counts})
        elif facts.kind != "outside":
            self._counts[facts.kind, 0] += facts.n

    def _send(self) -> None:
        """Write the collected facts; a file has its name when it is complete."""
        for bucket, blocks in self._outgoing.items():
            self._n_files += 1
            path = self.folder / f"{self.number}-{self._n_files}"
            write_blocks(str(path), blocks, self._texts)
            path.rename(f"{path}-to-{bucket}")
        self._outgoing.clear()

    def _receive(self) -> None:
        """Read the facts that other processes have sent to this one."""
        for path in sorted(self.folder.glob(f"*-to-{self.number}")):
            sender = int(path.name.split("-")[0])
            for block in read_blocks(str(path), self.symbols):
                self._arrived.setdefault(block.stage, []).append((sender, block.facts))
            path.unlink()

    def _take_arrived(self, stage: int) -> list[Facts]:
        """The facts for a stage, in the order of the processes: records of a sorted file are mostly sorted then."""
        return [facts for _, facts in sorted(self._arrived.pop(stage, []), key=itemgetter(0))]
