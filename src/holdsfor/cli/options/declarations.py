"""The options of `run`, `plan`, `spark run` and `spark prepare`, each declared once.

The command line (`holdsfor.cli.options.arguments`), the configuration file (`holdsfor.cli.options.config`) and the page
`docs/options.md` are made from these declarations. An option that differs between two commands, for example in its
choices, has one declaration for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from holdsfor.cli.options.durations import PER_SECOND
from holdsfor.sinks.writers import FORMATS

__all__ = ["CONFIGURABLE", "KEYS", "OPTIONS", "Command", "Kind", "Option", "options_of"]

Command = Literal["run", "plan", "spark run", "spark prepare"]
Kind = Literal[
    "path",
    "paths",
    "place",
    "inputs",
    "facts",
    "areas",
    "text",
    "texts",
    "choices",
    "time",
    "duration",
    "integer",
    "rate",
    "flag",
]
Group = Literal["rules", "input", "time and windows", "plan", "results", "logs", "live runs", "Apache Spark"]

_LISTS = ("paths", "inputs", "facts", "areas", "texts", "choices")


@dataclass(frozen=True)
class Option:
    """An option of some commands.

    `name` is the key of the configuration file and, with hyphens, the option of the command line. `without` describes a
    default that is not a value. `required` completes the hint "give …" for a command that lacks the option. An option
    that `takes_several` values has all of them after one `--name`; other lists repeat `--name` for each value.
    """

    name: str
    kind: Kind
    commands: tuple[Command, ...]
    group: Group
    help: str
    metavar: str | None = None
    default: str | int | bool | None = None
    without: str | None = None
    choices: tuple[str, ...] | None = None
    short: str | None = None
    required: str | None = None
    takes_several: bool = False
    is_positional: bool = False
    is_key: bool = True

    @property
    def flag(self) -> str:
        """The option as it is written on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def is_list(self) -> bool:
        return self.kind in _LISTS

    @property
    def initial(self) -> Any:
        """The value of an option that is given neither on the command line nor in a file."""
        return [] if self.is_list else self.default

    @property
    def shown_default(self) -> str | None:
        """The default as text, None if the option does nothing by default."""
        if self.without is not None or self.default in (None, False):
            return self.without
        return "yes" if self.default is True else str(self.default)


_ALL: tuple[Command, ...] = ("run", "plan", "spark run", "spark prepare")
_ON_SPARK: tuple[Command, ...] = ("spark run", "spark prepare")
CONFIGURABLE: tuple[Command, ...] = ("run", "plan", "spark run")
"""The commands that read a configuration file."""

OPTIONS: tuple[Option, ...] = (
    Option(
        "rules",
        "paths",
        _ALL,
        "rules",
        "file with rules or background knowledge",
        metavar="FILE",
        required="a file with rules",
        takes_several=True,
        is_positional=True,
    ),
    Option(
        "background",
        "paths",
        _ALL,
        "rules",
        "more files with background knowledge",
        metavar="FILE",
        takes_several=True,
    ),
    Option(
        "facts",
        "facts",
        _ALL,
        "rules",
        "table with a fact for each row: 'FILE: predicate(column, …)'",
        metavar="FACTS",
        takes_several=True,
    ),
    Option(
        "areas",
        "areas",
        _ALL,
        "rules",
        "areas for `in_area` and `near_area`: GeoJSON, CSV with `name` and `wkt`, or GeoParquet; FILE or 'FILE: name'",
        metavar="FILE",
        takes_several=True,
    ),
    Option("goal", "texts", CONFIGURABLE, "rules", "goal to prove before the run; may be repeated", metavar="GOAL"),
    Option(
        "config",
        "path",
        CONFIGURABLE,
        "rules",
        "read options from a TOML file or from RTEC's defaults.toml",
        metavar="FILE",
        is_key=False,
    ),
    Option(
        "app",
        "text",
        CONFIGURABLE,
        "rules",
        "application to choose from a configuration file with several",
        metavar="NAME",
        is_key=False,
    ),
    Option(
        "stage",
        "text",
        ("plan",),
        "plan",
        "form of the rules to show",
        without="levels, or physical with `--analyse`",
        choices=("ast", "names", "safety", "graph", "levels", "logical", "physical", "spark"),
        is_key=False,
    ),
    Option(
        "without",
        "texts",
        ("plan",),
        "plan",
        "switch off a rewrite or a lint, such as `fold_facts`; may be repeated",
        metavar="NAME",
        is_key=False,
    ),
    Option(
        "analyse",
        "flag",
        ("plan",),
        "plan",
        "run the physical plan on `--input`, and show rows and time of each operator",
        default=False,
        is_key=False,
    ),
    Option(
        "input",
        "inputs",
        ("run", "plan"),
        "input",
        "records: FILE or 'FILE: columns'; `-` reads standard input",
        metavar="INPUT",
        takes_several=True,
    ),
    Option(
        "input",
        "inputs",
        _ON_SPARK,
        "input",
        "records: a file, a folder, a pattern or a catalogue table, or 'PATH: columns'",
        metavar="INPUT",
        required="`--input` with records",
        takes_several=True,
    ),
    Option(
        "input_format",
        "text",
        ("run", "plan"),
        "input",
        "format of all inputs",
        without="by the suffix or the first line of each input",
        choices=("text", "csv", "jsonl", "parquet", "orc", "arrow"),
    ),
    Option(
        "input_format",
        "text",
        _ON_SPARK,
        "input",
        "format of all inputs",
        without="by the suffix or the first line of each file",
        choices=("text", "csv", "jsonl", "parquet", "orc", "table"),
    ),
    Option(
        "set_aside",
        "path",
        ("run", "spark run"),
        "input",
        "write the records that do not fit, with reasons, as JSON lines",
        metavar="FILE",
    ),
    Option(
        "strict",
        "flag",
        ("run", "spark run"),
        "input",
        "stop at the first record or file that does not fit",
        default=False,
    ),
    Option(
        "max_set_aside",
        "text",
        ("run", "spark run"),
        "input",
        "largest share (`5%`) or number of records that do not fit; more end the run with exit code 3",
        metavar="N",
        without="all but one",
    ),
    Option(
        "time_unit",
        "text",
        _ALL,
        "time and windows",
        "length of a time-point, for ISO 8601 times and for durations such as 2h",
        default="s",
        choices=tuple(PER_SECOND),
    ),
    Option(
        "tz",
        "text",
        _ALL,
        "time and windows",
        "time zone of input times without an offset, of the times of results, and of dates and hours in rules",
        metavar="ZONE",
        without="UTC",
    ),
    Option("tick", "integer", _ALL, "time and windows", "distance between time-points", metavar="N", default=1),
    Option(
        "start",
        "time",
        CONFIGURABLE,
        "time and windows",
        "first time-point of the run",
        metavar="TIME",
        without="the first record",
    ),
    Option(
        "end",
        "time",
        CONFIGURABLE,
        "time and windows",
        "last time-point of the run",
        metavar="TIME",
        without="the last record",
    ),
    Option(
        "window",
        "duration",
        CONFIGURABLE,
        "time and windows",
        "length of the window that a query time evaluates",
        metavar="T",
        without="the whole run",
    ),
    Option(
        "step",
        "duration",
        CONFIGURABLE,
        "time and windows",
        "distance between query times",
        metavar="T",
        without="the window",
    ),
    Option(
        "allen_memory",
        "duration",
        CONFIGURABLE,
        "time and windows",
        "longest gap between two intervals that are related by `before`",
        metavar="T",
        without="the window",
    ),
    Option(
        "engine",
        "text",
        ("run",),
        "time and windows",
        "evaluator that computes the answer",
        default="columnar",
        choices=("columnar", "reference"),
    ),
    Option(
        "final",
        "flag",
        ("run",),
        "time and windows",
        "report once, after the last query time, what all query times settle",
        default=False,
    ),
    Option(
        "merge_windows",
        "flag",
        ("run",),
        "time and windows",
        "with `--final`, evaluate few long windows instead of each window",
        default=True,
    ),
    Option(
        "incremental",
        "text",
        ("run", "plan"),
        "time and windows",
        "whether a query time evaluates only what changed since the last one; `auto` chooses by cost",
        default="auto",
        choices=("auto", "on", "off"),
    ),
    Option(
        "jobs",
        "integer",
        ("run",),
        "time and windows",
        "number of processes that divide the work; 1 is a run in one process",
        metavar="N",
        without="one for each core and each million records, for settled results",
    ),
    Option(
        "show",
        "texts",
        CONFIGURABLE,
        "results",
        "fluent or event to report: a name, `name/arity` or a pattern such as 'gap(_)=true'; may be repeated",
        metavar="OUTPUT",
        without="the `output` directives of the rules, else all",
    ),
    Option(
        "report",
        "text",
        ("run",),
        "results",
        "report of a query time: all known results, or the changes since the previous query time",
        default="known",
        choices=("known", "changes"),
    ),
    Option(
        "changes",
        "path",
        ("run",),
        "results",
        "file, folder, database or pipe for the changes of each query time, as rows to remove (-) and to add (+)",
        metavar="FILE",
    ),
    Option(
        "report",
        "choices",
        ("spark run",),
        "results",
        "also write a report for each query time; may be repeated",
        choices=("known", "changes"),
    ),
    Option(
        "output",
        "path",
        ("run",),
        "results",
        "file for the answer; a folder `out/` or a database `out.duckdb` has a table for each fluent and event",
        metavar="FILE",
        without="standard output",
        short="-o",
    ),
    Option(
        "output",
        "place",
        ("spark run",),
        "results",
        "place for the results: a folder, `table:NAME` of the catalogue or `jdbc:postgresql://…`",
        metavar="PLACE",
        short="-o",
        required="`-o` with a place for the results",
    ),
    Option(
        "output",
        "place",
        ("spark prepare",),
        "results",
        "folder for the prepared history",
        metavar="FOLDER",
        short="-o",
        required="`-o` with a folder for the prepared history",
    ),
    Option(
        "format",
        "text",
        ("run",),
        "results",
        "format of the answer",
        without="by the suffix of the output file, else text",
        choices=tuple(FORMATS),
    ),
    Option(
        "format",
        "text",
        ("spark run",),
        "results",
        "format of result files",
        default="parquet",
        choices=("parquet", "csv", "json"),
    ),
    Option(
        "times",
        "text",
        ("run", "spark run"),
        "results",
        "times of results: integers, or dates and times (timestamps in tables)",
        without="as the input has them",
        choices=("integer", "iso"),
    ),
    Option(
        "interactive",
        "flag",
        ("run",),
        "results",
        "open a prompt for goals over the results, after the run or, with `--live`, during it",
        default=False,
        is_key=False,
    ),
    Option(
        "timeline",
        "paths",
        ("run",),
        "results",
        "draw the answer to a .png or .svg file; may be repeated",
        metavar="PICTURE",
    ),
    Option(
        "by",
        "text",
        ("run",),
        "results",
        "group timelines: `fluent`, or an argument by its name or position",
        metavar="COLUMN",
        without="fluent",
    ),
    Option(
        "partition_by",
        "choices",
        ("spark run",),
        "results",
        "partition each folder and table by the day in which an interval starts or an event happens",
        without="no partitions",
        choices=("day",),
        takes_several=True,
    ),
    Option("overwrite", "flag", ("run",), "results", "replace the output of an earlier live run", default=False),
    Option("overwrite", "flag", ("spark run",), "results", "replace existing results", default=False),
    Option("overwrite", "flag", ("spark prepare",), "results", "replace an existing prepared history", default=False),
    Option(
        "table",
        "text",
        ("spark run",),
        "results",
        "prefix of the tables in a database: NAME_set_aside and so on",
        metavar="NAME",
        without="found",
    ),
    Option(
        "jdbc_properties",
        "path",
        ("spark run",),
        "results",
        "file with connection properties of a database, such as `user=…` and `password=…`",
        metavar="FILE",
    ),
    Option("stats", "path", ("run", "spark run"), "logs", "write counts and seconds as JSON", metavar="FILE"),
    Option(
        "log",
        "path",
        ("run", "spark run"),
        "logs",
        "write a JSON line for each query time: seconds, records, results",
        metavar="FILE",
    ),
    Option(
        "live",
        "flag",
        ("run",),
        "live runs",
        "read pipes, sockets (`unix:PATH`, `listen:PATH`), `-` and files as streams",
        default=False,
    ),
    Option(
        "clock",
        "text",
        ("run",),
        "live runs",
        "clock of a live run: the times of the records, or the wall clock",
        without="event",
        choices=("event", "wall"),
    ),
    Option(
        "rate",
        "rate",
        ("run",),
        "live runs",
        "time-points per second of the wall clock",
        metavar="N",
        without="1",
    ),
    Option(
        "replay",
        "rate",
        ("run",),
        "live runs",
        "play files at N time-points per second, or at `max` without waiting",
        metavar="N",
    ),
    Option(
        "follow",
        "flag",
        ("run",),
        "live runs",
        "wait at the end of a file for records that are appended",
        default=False,
    ),
    Option(
        "checkpoint",
        "path",
        ("run",),
        "live runs",
        "folder for checkpoints, from which the same command continues after the process was killed",
        metavar="FOLDER",
    ),
    Option(
        "checkpoint_every",
        "integer",
        ("run",),
        "live runs",
        "seconds between two checkpoints; 0 writes one after every query time",
        metavar="SECONDS",
        default=1,
    ),
    Option(
        "master",
        "text",
        _ON_SPARK,
        "Apache Spark",
        "address of Spark, such as `local[4]` or `spark://HOST:PORT`",
        metavar="ADDRESS",
        without="the configuration of Spark",
    ),
    Option("conf", "texts", _ON_SPARK, "Apache Spark", "setting of Spark; may be repeated", metavar="NAME=VALUE"),
    Option(
        "buckets",
        "integer",
        _ON_SPARK,
        "Apache Spark",
        "number of buckets that the entities are divided into",
        metavar="N",
        without="by the number of records and cores",
    ),
)


def options_of(command: Command) -> list[Option]:
    """The options that a command has."""
    return [option for option in OPTIONS if command in option.commands]


_IN_FILES = [option for option in OPTIONS if option.is_key and not set(option.commands).isdisjoint(CONFIGURABLE)]
KEYS = tuple(dict.fromkeys(option.name for option in _IN_FILES))
"""The keys that a configuration file may have, whichever command reads the file."""
