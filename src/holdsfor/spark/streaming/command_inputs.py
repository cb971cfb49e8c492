"""The inputs of `holdsfor spark stream`: folders, files, named pipes and topics of Kafka as streaming DataFrames."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args
from urllib.parse import unquote, urlsplit

from holdsfor.analysis.names import Names
from holdsfor.errors import DataProblem, Diagnostic, Hint, UsageProblem
from holdsfor.sources.column_mapping import separator_hint, split_mapping
from holdsfor.sources.formats import Format
from holdsfor.sources.unreadable import Unreadable, refuse_if_all
from holdsfor.spark.input.file_probe import FileProbe, ProbedFile
from holdsfor.spark.input.frame_reader import SOURCE, mapping_of
from holdsfor.spark.input.inputs import Lines
from holdsfor.spark.input.listing import first_files, folder_of
from holdsfor.spark.input.parquet_stream import ParquetColumns, parquet_columns, parquet_stream
from holdsfor.spark.input.pipe_spool import is_pipe
from holdsfor.spark.output.folders import HadoopFiles
from holdsfor.spark.streaming.identity import read_manifest
from holdsfor.spark.streaming.state_files import FILES, RESTART, StreamFiles
from holdsfor.spark.streaming.stored_json import value_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

__all__ = [
    "InputSettings",
    "check_folders",
    "check_inputs",
    "check_places",
    "check_read_folders",
    "files_of",
    "first_forms",
    "has_offsets",
    "streams_of",
    "topic_of",
]

StreamFormat = Literal["text", "csv", "jsonl", "parquet"]
"""The formats of the inputs of a stream."""

_PROBED = 5
_HEAD = 1 << 16
_ANY_AGE = "36500d"
_PARQUET = "parquet"
_PATTERN = re.compile(r"[*?\[\]{}]")
_KAFKA = re.compile(r"kafka://(?P<brokers>[^/\s]+)/(?P<topic>[A-Za-z0-9._-]+)")


@dataclass(frozen=True)
class InputSettings:
    """The settings of inputs; a micro-batch has at most some files, lines or records.

    `kafka` are options of the source for topics. `spool` is a folder for the lines of pipes, in the checkpoint. Lines
    that are appended to a file are read if the stream `follows` it; otherwise its last line needs no line break. With
    the `names` of the rules, the first file decides the format, if no `form` is given. A first file with other columns
    is an error for a stream that `is_new`. `forms` are the formats that the inputs of a stream had at its first start;
    `files` are the files of the stream, which have the columns that its Parquet files had then.
    """

    form: Format | None = None
    at_most: int | None = None
    kafka: Mapping[str, str] = field(default_factory=dict)
    spool: str | None = None
    follows: bool = True
    names: Names | None = None
    tick: int = 1
    is_new: bool = True
    forms: Sequence[Format] = ()
    files: StreamFiles | None = None


def check_inputs(inputs: Sequence[str], at_most: int | None = None, checkpoint: str = "") -> None:
    """Refuse invalid addresses of topics, micro-batches of nothing, and pipes whose lines cannot be kept."""
    if at_most is not None and at_most < 1:
        message = f"expected at least 1 file or record in a micro-batch, found {at_most}"
        hint = Hint("give at least 1", on_command_line="see `--max-per-batch`")
        raise UsageProblem(Diagnostic("HF794", message, hint=hint))
    for given in inputs:
        path = split_mapping(given)[0]
        if path.startswith("kafka:"):
            topic_of(path, "HF794")
        if "://" in checkpoint and not checkpoint.startswith("file:") and is_pipe(path):
            message = f"the lines of the named pipe `{path}` cannot be kept in the checkpoint `{checkpoint}`"
            raise UsageProblem(Diagnostic("HF794", message, hint="give a folder of this machine for the checkpoint"))


def check_folders(inputs: Sequence[str]) -> None:
    """Refuse folders and files of this machine that do not exist (HF501)."""
    for given in inputs:
        path = split_mapping(given)[0]
        local = _local(path)
        if not re.match(r"\w+:", local) and not _PATTERN.search(local) and not Path(local).exists():
            raise _not_found(path)


def check_places(inputs: Sequence[str], places: Mapping[str, str | None]) -> None:
    """Refuse an output or a checkpoint inside the folder of an input: the stream would read its own files (HF795).

    >>> check_places(["records: happensAt(win(person), ts)"], {"-o": "records/../records/out"})
    Traceback (most recent call last):
    ...
    holdsfor.errors.UsageProblem: error[HF795]: the place `records/../records/out` of `-o` is inside the input `records`
      hint: the stream would read its own files: give a folder outside
    """
    for given in inputs:
        path = split_mapping(given)[0]
        if path.startswith("kafka:") or _PATTERN.search(path):
            continue
        for option, place in places.items():
            if place is not None and f"{_absolute(place)}/".startswith(f"{_absolute(path)}/"):
                message = f"the place `{place}` of `{option}` is inside the input `{path}`"
                hint = "the stream would read its own files: give a folder outside"
                raise UsageProblem(Diagnostic("HF795", message, hint=hint))


def _absolute(place: str) -> str:
    """A path without `..` and without a slash at its end, or a URI."""
    local = _local(place)
    return local.rstrip("/") if re.match(r"\w+:", local) else str(Path(local).resolve())


def _not_found(path: str) -> DataProblem:
    hint = separator_hint(path) or "give a folder that Spark can see; files are added to it while the stream runs"
    return DataProblem(Diagnostic("HF501", f"`{path}` not found", hint=hint))


def has_offsets(spark: SparkSession, checkpoint: str) -> bool:
    """Whether the stream of a checkpoint has begun a micro-batch."""
    return bool(StreamFiles(f"{HadoopFiles(spark, checkpoint).root}/offsets").names(""))


def files_of(spark: SparkSession, checkpoint: str) -> StreamFiles:
    """The files of the stream of a checkpoint."""
    return StreamFiles(f"{HadoopFiles(spark, checkpoint).root}/{FILES}")


def first_forms(spark: SparkSession, checkpoint: str) -> tuple[Format, ...]:
    """The formats of the inputs at the first start of the stream of a checkpoint; none for a new one.

    Later, the folder of an input may be empty, or its first file another one. DataFrames without a format are Parquet.
    """
    manifest = read_manifest(files_of(spark, checkpoint))
    noted = None if manifest is None else manifest.identity.formats
    return tuple(cast(Format, each or "parquet") for each in noted or ())


def check_read_folders(spark: SparkSession, inputs: Sequence[str], checkpoint: str) -> None:
    """Refuse a checkpoint of a stream that has read files of another folder (HF793).

    Spark numbers the sources of a stream in the order of its inputs.
    """
    sources = StreamFiles(f"{HadoopFiles(spark, checkpoint).root}/sources")
    sources.check()
    for number, path in enumerate(split_mapping(given)[0] for given in inputs):
        is_folder = not path.startswith("kafka:") and not _PATTERN.search(path)
        file = _first_read(sources, str(number)) if is_folder else None
        if file is None or f"{file}/".startswith(f"{_plain(HadoopFiles(spark, path).root.rstrip('/'))}/"):
            continue
        was = file.rpartition("/")[0].removeprefix("file://")
        message = f"the checkpoint is of a stream with the input `{was}`, found `{path}`"
        hint = "a checkpoint continues with the same inputs in their order; another input needs another checkpoint"
        raise UsageProblem(Diagnostic("HF793", message, hint=hint))


def _first_read(sources: StreamFiles, folder: str) -> str | None:
    """The first file in Spark's list of files that a source has read; None for sources of other kinds."""
    for name in sources.names(folder):
        for line in sources.head(f"{folder}/{name}", _HEAD).splitlines():
            if line.startswith(b'{"path":"') and line.endswith(b"}"):
                uri = urlsplit(str(json.loads(line)["path"]))
                return f"{uri.scheme}://{uri.netloc}{unquote(uri.path)}"
    return None


def _plain(root: str) -> str:
    """A qualified path with the authority of its file system, also if that is empty."""
    return re.sub(r"^file:/+", "file:///", root)


def topic_of(place: str, code: str) -> tuple[str, str]:
    """The brokers and the topic of an address; another address is a problem with the code."""
    found = _KAFKA.fullmatch(place)
    if found is None:
        message = f"expected `kafka://HOST:PORT/TOPIC`, found `{place}`"
        raise UsageProblem(Diagnostic(code, message, hint="several brokers are separated by commas"))
    return found["brokers"], found["topic"]


def streams_of(spark: SparkSession, inputs: Sequence[str], settings: InputSettings) -> list[Any]:
    """The inputs as streams of lines, or of rows for Parquet files."""
    from pyspark.errors import AnalysisException

    found = []
    for number, given in enumerate(inputs):
        path, mapping = split_mapping(given)
        form = settings.form or (settings.forms[number] if number < len(settings.forms) else None)
        try:
            found.append(_stream_of(spark, path, mapping, number, replace(settings, form=form)))
        except AnalysisException as problem:
            if problem.getCondition() != "PATH_NOT_FOUND":
                raise
            raise _not_found(path) from None
    return found


def _stream_of(spark: SparkSession, path: str, mapping: str | None, number: int, settings: InputSettings) -> Any:
    from pyspark.sql import functions as F

    at_most = settings.at_most
    if path.startswith("kafka:"):
        lines = _default_form(mapping, settings)
        if lines == "csv":
            raise _no_header(path)
        brokers, topic = topic_of(path, "HF794")
        options = {**settings.kafka, "kafka.bootstrap.servers": brokers, "subscribe": topic}
        options |= {} if at_most is None else {"maxOffsetsPerTrigger": str(at_most)}
        records = spark.readStream.format("kafka").options(startingOffsets="earliest", **options).load()
        source = F.concat_ws("/", "topic", F.col("partition").cast("string"))
        frame = records.select(F.col("value").cast("string").alias("value"), source.alias(SOURCE))
        return Lines(frame, lines, mapping)
    is_local = _is_of_this_machine(spark, path)
    lines = _form_of(spark, path, mapping, settings)
    if lines == "csv" and (is_local or (folder_of(spark, path) is None and not _PATTERN.search(path))):
        raise _no_header(path)
    if lines not in ("parquet", "csv") and is_local:
        return Lines(_local_lines(spark, path, number, settings), lines, mapping)
    reader = _folder_reader(spark, at_most)
    if lines == "parquet":
        frame = parquet_stream(spark, reader, path, _parquet_columns(spark, path, number, settings))
        return frame if mapping is None else (frame, mapping)
    reader = reader if lines == "csv" else reader.option("lineSep", "\n")
    return Lines(reader.text(path, wholetext=lines == "csv"), lines, mapping)


def _parquet_columns(spark: SparkSession, path: str, number: int, settings: InputSettings) -> ParquetColumns:
    """The columns of the Parquet files of an input at the first start of the stream; later, there may be others."""
    if settings.files is None:
        return parquet_columns(spark, path)
    name = f"{number}.json"
    if not settings.is_new and name in settings.files.names(_PARQUET):
        return _stored_columns(settings.files, f"{_PARQUET}/{name}")
    found = parquet_columns(spark, path)
    settings.files.write(f"{_PARQUET}/{name}", json.dumps(asdict(found)).encode())
    return found


def _stored_columns(files: StreamFiles, name: str) -> ParquetColumns:
    try:
        return value_of(ParquetColumns, json.loads(files.read(name)))
    except (ValueError, TypeError, AttributeError):
        message = f"the file `{name}` of the stream is damaged"
        raise DataProblem(Diagnostic("HF792", message, hint=RESTART)) from None


def _folder_reader(spark: SparkSession, at_most: int | None) -> DataStreamReader:
    """The reader of all files below a folder.

    By default, Spark skips files beside a folder `day=1`, and files that are a week older than the newest one.
    """
    reader = spark.readStream.options(recursiveFileLookup="true", maxFileAge=_ANY_AGE)
    return reader if at_most is None else reader.option("maxFilesPerTrigger", at_most)


def _default_form(mapping: str | None, settings: InputSettings) -> Format:
    return settings.form or ("text" if mapping is None else "jsonl")


def _form_of(spark: SparkSession, path: str, mapping: str | None, settings: InputSettings) -> Format:
    """The format of an input, which the first of its files decides, as for a run over files."""
    if settings.form not in (None, "csv") or settings.names is None or is_pipe(_local(path)):
        return _default_form(mapping, settings)
    probe = FileProbe(spark, settings.names, settings.tick, settings.form, mapping_of(mapping))
    found = probe.all(first_files(spark, path, _PROBED))
    forms = [each.content.form for each in found if isinstance(each, ProbedFile)]
    if not forms:
        if settings.is_new:
            refuse_if_all([each for each in found if isinstance(each, Unreadable)], 0)
        return _default_form(mapping, settings)
    if forms[0] not in get_args(StreamFormat):
        message = f"`{path}` has files of the format `{forms[0]}`, expected {', '.join(get_args(StreamFormat))}"
        raise UsageProblem(Diagnostic("HF794", message, hint="write the files as Parquet"))
    return forms[0]


def _no_header(path: str) -> UsageProblem:
    message = f"`{path}` is read line by line, and only the first line of a CSV file has the names of columns"
    hint = "give a folder with CSV files, or `holdsfor run` the file"
    return UsageProblem(Diagnostic("HF794", message, hint=hint))


def _is_of_this_machine(spark: SparkSession, path: str) -> bool:
    """Whether an input is a named pipe, or a plain file of this machine: Spark's own source reads it only once."""
    local = _local(path)
    if is_pipe(local):
        return True
    is_file = "://" not in local and Path(local).is_file() and not local.endswith(".gz")
    return is_file and HadoopFiles(spark, path).root.startswith("file:")


def _local(path: str) -> str:
    return path.removeprefix("file://").removeprefix("file:")


def _local_lines(spark: SparkSession, path: str, number: int, settings: InputSettings) -> DataFrame:
    from holdsfor.spark.input.text_source import TextSource

    spark.dataSource.register(TextSource)
    reader = spark.readStream.format(TextSource.name()).option("follow", settings.follows)
    reader = reader if settings.at_most is None else reader.option("maxLinesPerTrigger", settings.at_most)
    reader = reader if settings.spool is None else reader.option("spool", f"{settings.spool}/{number}")
    return reader.load(path)
