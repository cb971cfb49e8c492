"""Write results to a folder, to tables of the catalogue or to a database, completely or not at all.

Results are written under temporary names and renamed when they are complete. Readers never see partial results, two
runs never mix, and a failed run leaves the previous results in place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from holdsfor.errors import Diagnostic, Hint, UsageProblem, did_you_mean
from holdsfor.sources.times import Unit
from holdsfor.spark.cluster.connect import refuse_connect
from holdsfor.spark.cluster.progress import described
from holdsfor.spark.job.recognition import Recognition
from holdsfor.spark.output.catalogue import CatalogueTarget
from holdsfor.spark.output.databases import DatabaseTarget
from holdsfor.spark.output.folders import FolderTarget
from holdsfor.spark.output.result_tables import Form, Format, Part, ReportKind, result_tables_of
from holdsfor.spark.output.targets import OutputTarget, replacing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["DEFAULT_TABLE", "check_place", "place_of", "write", "write_results"]

DEFAULT_TABLE = "found"


def write(
    found: Recognition,
    place: str,
    *,
    format: Format = "parquet",  # noqa: A002
    partition_by: Sequence[Part] = (),
    time_unit: Unit | None = None,
    overwrite: bool = False,
    table: str | None = None,
    properties: Mapping[str, str] | None = None,
    reports: Collection[ReportKind] = (),
) -> None:
    """Write all results or none to a folder, to `table:NAME` of the catalogue, or to `jdbc:postgresql://…`.

    Each fluent and event has a table of its own, with the columns of `found[…]`; `set_aside` has the records that do
    not fit, and `tables` lists all tables. With `overwrite`, existing results are replaced atomically. Folders and
    catalogue tables are partitioned by the `day` in which an interval starts or an event happens, if wanted;
    `time_unit` is the unit of integer times, by default that of the run. `table` is the first part of the names of
    tables in a database, `properties` are those of its driver. `reports` adds the results `known` at query times
    (`report_…`), or their `changes` (`report_changes`).

    >>> import holdsfor as hf
    >>> from tempfile import TemporaryDirectory
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
    >>> with TemporaryDirectory() as folder:
    ...     hf.spark.write(hf.spark.recognise(rules, wins), f"{folder}/found")
    ...     spark.read.parquet(f"{folder}/found/rich").first()
    Row(arg1='chris', value='true', start=14, end=None)
    """
    form = Form(format, tuple(partition_by), time_unit or found.time_unit)
    with replacing(place_of(found.spark, place, form, table, properties, overwrite=overwrite)) as there:
        write_results(found, there, reports)


def write_results(found: Recognition, place: OutputTarget, reports: Collection[ReportKind] = ()) -> None:
    """Write the tables of a run under temporary names."""
    with described(found.spark, "read"):
        tables = result_tables_of(found, reports)
    place.begin([table.name for table in tables])
    for table in tables:
        with described(found.spark, f"write {table.name}"):
            place.write(table)


def place_of(
    spark: SparkSession,
    place: str,
    form: Form,
    table: str | None = None,
    properties: Mapping[str, str] | None = None,
    *,
    overwrite: bool = False,
) -> OutputTarget:
    """The output target that a text names."""
    refuse_connect(spark, f"results in `{place}`")
    check_place(place, form, table, has_properties=properties is not None)
    if place.startswith("jdbc:"):
        return DatabaseTarget(spark, place, table or DEFAULT_TABLE, properties or {}, overwrite=overwrite)
    if place.startswith("table:"):
        return CatalogueTarget(spark, place.removeprefix("table:"), form, overwrite=overwrite)
    return FolderTarget(spark, place, form, overwrite=overwrite)


def check_place(place: str, form: Form, table: str | None, *, has_properties: bool) -> None:
    """Refuse unknown formats, and options that do not apply to the kind of target."""
    for given, known in (((form.format,), get_args(Format)), (form.partition_by, get_args(Part))):
        for each in given:
            if each not in known:
                message = f"`{each}` is not a form of results, expected {' or '.join(f'`{name}`' for name in known)}"
                raise UsageProblem(Diagnostic("HF781", message, hint=did_you_mean(str(each), known)))
    is_database = place.startswith("jdbc:")
    if is_database and (form.partition_by or form.format != "parquet"):
        message = "tables of a database have no format and no partitions"
        hint = Hint(
            "leave out `format` and `partition_by`", on_command_line="leave out `--format` and `--partition-by`"
        )
        raise UsageProblem(Diagnostic("HF781", message, hint=hint))
    if not is_database and (table is not None or has_properties):
        message = f"`{place}` is not a database: a name of tables and properties do not apply"
        places = "`jdbc:postgresql://…` is a database, and `table:NAME` are tables of the catalogue"
        raise UsageProblem(Diagnostic("HF781", message, hint=places))
