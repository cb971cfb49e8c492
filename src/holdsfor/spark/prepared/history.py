"""Prepared history: records written once, bucket by bucket, for many runs.

Prepared history is a folder with a table of shuffle blocks (`records`, partitioned by bucket) and a description
(`prepared.json`): the clock, the number of buckets, the names and forms of records in the rules, the columns that the
records come from, and for each name the argument that is its partition key, the number of records, and their first and
last time-point. In a bucket, the
records of a name are sorted by time and stored in shuffle blocks of bounded size with their first and last time-point.

Retractions are already applied. Records set aside and counts of unused records are stored as shuffle blocks too, so
that later runs report them again.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

from holdsfor.analysis.names import Names
from holdsfor.analysis.place_types import InputColumn
from holdsfor.analysis.sorts import Place
from holdsfor.analysis.variable_types import ConstantType
from holdsfor.columns.time_type import TimeType
from holdsfor.distribution.stages import Table
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.parallel.exchange.facts import KINDS
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE
from holdsfor.sources.times import Clock, Unit
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.exchange.shuffle_rows import SHUFFLE_SCHEMA
from holdsfor.spark.input.frame_reader import ReaderSettings
from holdsfor.spark.input.listing import java_problems
from holdsfor.spark.input.set_aside import set_aside_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["DESCRIPTION", "RECORDS", "Prepared", "PreparedTable", "description", "is_prepared", "prepared"]

DESCRIPTION, RECORDS = "prepared.json", "records"
_VERSION = 2
_BUCKET = re.compile(r"/bucket=(\d+)/")
_AGAIN = "prepare the history again with these rules, or use its original input"


Forms: TypeAlias = frozenset[tuple[str, int, str]]
"""Names, arities and shapes of records."""


@dataclass(frozen=True)
class PreparedTable:
    """The records of one name: their partition key, their number, and their first and last time-point."""

    kind: str
    name: str
    arity: int
    key: int | None
    n: int
    first: int
    last: int

    @property
    def table(self) -> Table:
        assert self.kind in ("event", "fluent")
        return ("event" if self.kind == "event" else "fluent", self.name, self.arity)


@dataclass(frozen=True)
class Prepared:
    """A place of prepared history; `frame` has its shuffle blocks, `unreadable` are files that it lacks.

    >>> import holdsfor as hf
    >>> from tempfile import TemporaryDirectory
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
    >>> with TemporaryDirectory() as folder:
    ...     history = hf.spark.prepare(rules, wins, f"{folder}/history")
    ...     [(each.name, each.n, each.first, each.last) for each in history.known]
    [('win', 1, 13, 13)]
    """

    path: str
    frame: DataFrame
    tick: int
    n_buckets: int
    forms: Forms
    computed: frozenset[str]
    unused: dict[str, int]
    known: tuple[PreparedTable, ...]
    columns: dict[Place, InputColumn]
    unit: Unit
    zone: str | None
    has_offset: bool | None
    unreadable: tuple[Unreadable, ...] = ()

    def check_clock(self, clock: Clock) -> None:
        """Refuse another unit of time, or a time zone for local times that were read without one: HF791."""
        if self.has_offset is None:
            return
        if clock.unit != self.unit:
            message = f"`{self.path}` was prepared with the time unit `{self.unit}`, found `{clock.unit}`"
            raise DataProblem(Diagnostic("HF791", message, hint="the times of its records have this unit"))
        if clock.zone is not None and self.zone is None and not self.has_offset:
            message = f"`{self.path}` was prepared from times without an offset and without a time zone"
            raise DataProblem(Diagnostic("HF791", message, hint="prepare the history again with the time zone"))

    def check(self, names: Names, tick: int) -> None:
        """Refuse rules that would read other records, or would read records differently: HF791."""
        if tick != self.tick:
            message = f"`{self.path}` was prepared with the clock tick {self.tick}, found {tick}"
            raise DataProblem(Diagnostic("HF791", message, hint="the tick decides which records are valid"))
        computed = _computed(names)
        for name in sorted({record.name for record in names.records} | computed):
            now = _forms(name, _forms_of(names)), name in computed
            before = _forms(name, self.forms), name in self.computed
            is_new = before == (frozenset(), False)
            if (is_new and name in self.unused) or (not is_new and before != now):
                message = f"`{self.path}` was prepared by rules that use `{name}` differently"
                raise DataProblem(Diagnostic("HF791", message, hint=_AGAIN))

    def used(self, names: Names) -> list[PreparedTable]:
        """The tables that rules with these names read."""
        wanted = {record.name for record in names.records}
        return [each for each in self.known if each.name in wanted]

    def unused_by(self, names: Names) -> dict[str, int]:
        """The number of records that rules with these names do not read, by name."""
        wanted, counts = {record.name for record in names.records}, Counter[str]()
        for each in self.known:
            if each.name not in wanted:
                counts[each.name] += each.n
        return dict(counts)

    def extent(self, names: Names) -> tuple[int | None, int | None]:
        """The first and last time-point of the records that the rules read."""
        used = self.used(names)
        return min((each.first for each in used), default=None), max((each.last for each in used), default=None)

    # -- shuffle blocks ------------------------------------------------------------------------------------------------

    def shuffle_blocks(self, tables: Iterable[Table], stage: int = NO_STAGE) -> DataFrame:
        """The records of some tables, as shuffle blocks for a stage."""
        from pyspark.sql import functions as F

        places = [f"{kind} {name}/{arity}" for kind, name, arity in tables]
        where = F.concat("kind", F.lit(" "), "name", F.lit("/"), "arity").isin(places)
        return self._columns(self.frame.where(where).withColumn("stage", F.lit(stage)))

    def remarks(self) -> DataFrame:
        """The counts of unused records, and the records set aside."""
        return self._columns(self.frame.where(f"kind not in ('event', 'fluent', '{KINDS}')"))

    def kinds(self) -> DataFrame:
        """The kinds of constants in the records."""
        return self._columns(self.frame.where(f"kind = '{KINDS}'"))

    def set_aside(self) -> DataFrame:
        """The records set aside and the unreadable files, with their file, line, text and reason.

        >>> import holdsfor as hf
        >>> from tempfile import TemporaryDirectory
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> wins = spark.createDataFrame([("win|soon|soon|chris",), ("win|13|13|anna",)], "value string")
        >>> with TemporaryDirectory() as folder:
        ...     hf.spark.prepare(rules, wins, f"{folder}/history").set_aside().first().text
        'win|soon|soon|chris'
        """
        return set_aside_of(self.remarks())

    def all_of(self, names: Names) -> DataFrame:
        """The records that rules with these names read, the kinds of their constants, and the remarks."""
        tables = [each.table for each in self.used(names)]
        return self.shuffle_blocks(tables).union(self.remarks()).union(self.kinds())

    def _columns(self, frame: DataFrame) -> DataFrame:
        return frame.select(*SHUFFLE_SCHEMA.names)

    def files_by_bucket(self) -> dict[int, tuple[str, ...]]:
        """The files of each bucket, if all of them are local; else empty."""
        found: dict[int, tuple[str, ...]] = {}
        for file in self.frame.inputFiles():
            place, bucket = urlsplit(file), _BUCKET.search(file)
            if place.scheme != "file" or bucket is None:
                return {}
            number = int(bucket[1])
            found[number] = (*found.get(number, ()), unquote(place.path))
        return found


def _forms_of(names: Names) -> Forms:
    return frozenset((record.name, record.arity, record.shape) for record in names.records)


def _forms(name: str, forms: Forms) -> Forms:
    return frozenset(form for form in forms if form[0] == name)


def _computed(names: Names) -> set[str]:
    return {name for name, _ in (*names.events, *names.fluents)} - {record.name for record in names.records}


def description(
    names: Names,
    setting: ReaderSettings,
    n_buckets: int,
    unused: dict[str, int],
    known: Iterable[PreparedTable],
    columns: Mapping[Place, InputColumn],
    times: TimeType | None,
) -> dict[str, Any]:
    """The description of history that rules with these names have prepared; `times` is the type of its times."""
    return {
        "format": _VERSION,
        "tick": setting.tick,
        "time_unit": setting.clock().unit,
        "time_zone": setting.zone,
        "has_offset": None if times is None else times.zone is not None,
        "buckets": n_buckets,
        "forms": sorted(map(list, _forms_of(names))),
        "columns": [[*place, int(column.types), column.name] for place, column in columns.items()],
        "computed": sorted(_computed(names)),
        "unused": dict(sorted(unused.items())),
        "records": [asdict(each) for each in known],
    }


def _text(spark: SparkSession, path: str) -> str | None:
    """The text of the description in a folder, or None without one."""
    try:
        return "".join(row.value for row in spark.read.text(f"{path}/{DESCRIPTION}", wholetext=True).collect())
    except java_problems():
        return None


def is_prepared(spark: SparkSession, path: str) -> bool:
    """Whether a path is a folder of prepared history."""
    return not set(path) & set("*?[{") and _text(spark, path.rstrip("/")) is not None


def prepared(spark: SparkSession, path: str) -> Prepared:
    """The prepared history in a folder, as input of `recognise`; HF790 for another folder.

    >>> import holdsfor as hf
    >>> from tempfile import TemporaryDirectory
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
    >>> with TemporaryDirectory() as folder:
    ...     _ = hf.spark.prepare(rules, wins, f"{folder}/history")
    ...     hf.spark.recognise(hf.spark.prepared(spark, f"{folder}/history"), rules).intervals.first().fvp
    'rich(chris)=true'
    """
    place = path.rstrip("/")
    text = _text(spark, place)
    if text is None:
        raise _not_prepared(path, "is not prepared history", "`holdsfor spark prepare` writes prepared history")
    try:
        found = json.loads(text)
        version = found["format"]
    except (ValueError, TypeError, KeyError):
        raise _not_prepared(path, f"has a damaged `{DESCRIPTION}`") from None
    if version != _VERSION:
        raise _not_prepared(path, f"is prepared in format {version}, expected {_VERSION}")
    return Prepared(
        path,
        _records(spark, path),
        found["tick"],
        found["buckets"],
        frozenset((name, arity, shape) for name, arity, shape in found["forms"]),
        frozenset(found["computed"]),
        found["unused"],
        tuple(PreparedTable(**each) for each in found["records"]),
        {tuple(place): InputColumn(ConstantType(types), column) for *place, types, column in found["columns"]},
        found["time_unit"],
        found["time_zone"],
        found["has_offset"],
    )


def _records(spark: SparkSession, path: str) -> DataFrame:
    from pyspark.errors import AnalysisException

    try:
        return spark.read.parquet(f"{path.rstrip('/')}/{RECORDS}")
    except AnalysisException:
        raise _not_prepared(path, "has no records") from None


def _not_prepared(path: str, why: str, hint: str = "prepare the history again") -> DataProblem:
    return DataProblem(Diagnostic("HF790", f"`{path}` {why}", hint=hint, file=path))
