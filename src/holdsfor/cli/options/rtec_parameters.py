"""Translate the parameters of RTEC's `defaults.toml` to options.

The parameters are those of section 6 of RTEC's manual, of later versions and of RTEC's scripts. The input mode `fifo`
is a live run by the wall clock if an input is a named pipe, and a replay if all inputs are files. The input mode
`socket` is a replay if all inputs are files, else a live run that listens on a Unix socket, as RTEC does.
`output_mode = "fifo"` writes to a named pipe. A parameter without effect is reported in a note. An unknown value is an
error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from holdsfor.cli.options.declarations import Command
from holdsfor.cli.options.toml_file import TomlFile
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sources.column_mapping import LISTEN, SOCKET, split_mapping
from holdsfor.sources.socket_listener import is_served

__all__ = ["PARAMETERS", "Translation", "from_rtec"]

_WITHOUT_EFFECT = {
    "definition_optimisation": "rules are always optimised",
    "sde_batch": "the size of batches is fixed",
    "dynamic_grounding_flag": "domains are those that the rules declare",
    "dynamic_grounding_threshold": "domains are those that the rules declare",
    "stream_order_flag": "records may come in any order",
    "preprocessing_flag": "the rules replace preprocessing",
    "forget_threshold": "the window limits the memory",
}
"""Parameters of RTEC's own engine, and the reason why each has no effect."""

PARAMETERS: dict[str, str | None] = {
    "event_description": "rules",
    "input_mode": None,
    "input_providers": "input",
    "results_directory": "output",
    "window_size": "window",
    "step": "step",
    "start_time": "start",
    "end_time": "end",
    "clock_tick": "tick",
    "goals": "goal",
    "background_knowledge": "background",
    "allen_memory": "allen_memory",
    "stream_rate": None,
    "output_mode": None,
    "dependency_graph_flag": None,
    "dependency_graph_directory": None,
    "include_input": None,
    **dict.fromkeys(_WITHOUT_EFFECT),
}
"""The option that each parameter sets; None if a parameter has no option of its own."""

_FLAGS = ("dependency_graph_flag", "include_input")


@dataclass
class Translation:
    """The options and other requests in a table of RTEC's.

    `names` has the parameter of each option. `pipe` is a named pipe to create, `graph` a dependency graph to draw.
    """

    values: dict[str, Any]
    names: dict[str, str]
    notes: list[Diagnostic] = field(default_factory=list)
    pipe: Path | None = None
    graph: Path | None = None
    include_input: bool = False


def from_rtec(content: dict[str, Any], file: TomlFile, table: str | None, command: Command) -> Translation:
    """The options that a table of RTEC's sets for a command."""
    _check_modes(content, file, table)
    options = {key: option for key, option in PARAMETERS.items() if option and key in content}
    values = {option: content[key] for key, option in options.items()}
    if "results_directory" in content and isinstance(content["results_directory"], str):
        values |= _outputs(Path(content["results_directory"]), table or "holdsfor", content.get("output_mode"), command)
    names = {option: key for key, option in options.items()}
    if content.get("input_mode") in ("fifo", "socket"):
        mode = _live_options(content, file.path.parent)
        values |= mode
        names |= dict.fromkeys(mode, "stream_rate")
    translation = Translation(values, names)
    if content.get("output_mode") == "fifo" and "output" in values:
        translation.pipe = file.path.parent / values["output"]
    if content.get("dependency_graph_flag"):
        folder = file.path.parent / content.get("dependency_graph_directory", ".")
        translation.graph = folder / f"{table or 'holdsfor'}.png"
        translation.include_input = content.get("include_input", False)
    translation.notes = [_note(key, why) for key, why in _without_effect(content, command)]
    return translation


def _outputs(folder: Path, app: str, mode: str | None, command: Command) -> dict[str, str]:
    """The files for the answer and the log; on Spark, the folder for the results."""
    if command == "spark run":
        return {"output": str(folder / app)}
    suffix = "fifo" if mode == "fifo" else "txt"
    return {"output": str(folder / f"{app}-intervals.{suffix}"), "log": str(folder / f"{app}-log.jsonl")}


def _live_options(content: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The options of a live run if an input is a pipe or a socket, else the options of a replay."""
    given = content.get("input_providers", [])
    inputs = given if isinstance(given, list) else [given]
    rate = content.get("stream_rate", 1)
    if content["input_mode"] == "socket" and all(isinstance(each, str) for each in inputs):
        inputs = [_as_socket(each, folder) for each in inputs]
    if any(isinstance(each, str) and _is_live(each, folder) for each in inputs):
        return {"input": inputs, "live": True, "clock": "wall", "rate": rate}
    return {"replay": rate}


def _as_socket(given: str, folder: Path) -> str:
    """A path without a file becomes a socket: to connect to if a program listens there, else to listen on."""
    if given == "-" or given.startswith((SOCKET, LISTEN)) or (folder / split_mapping(given)[0]).is_file():
        return given
    return f"{SOCKET if is_served(str(folder / given)) else LISTEN}{given}"


def _is_live(given: str, folder: Path) -> bool:
    file, _ = split_mapping(given)
    return file == "-" or file.startswith((SOCKET, LISTEN)) or (folder / file).is_fifo()


def _check_modes(content: dict[str, Any], file: TomlFile, table: str | None) -> None:
    def refuse(key: str, expected: str) -> NoReturn:
        message = f"expected {expected} as `{key}`, found `{content[key]}`"
        raise UsageProblem(Diagnostic("HF722", message, file.key_span(table, key)))

    if content.get("input_mode", "csv") not in ("csv", "fifo", "socket"):
        refuse("input_mode", "`csv`, `fifo` or `socket`")
    if content.get("output_mode", "file") not in ("file", "fifo"):
        refuse("output_mode", "`file` or `fifo`")
    for key in _FLAGS:
        if not isinstance(content.get(key, False), bool):
            refuse(key, "true or false")
    if not isinstance(content.get("dependency_graph_directory", ""), str):
        refuse("dependency_graph_directory", "a path")


def _without_effect(content: dict[str, Any], command: Command) -> list[tuple[str, str]]:
    """The given parameters that have no effect, with the reason."""
    is_rate_unused = command != "run" or content.get("input_mode", "csv") == "csv"
    found = [("stream_rate", "files are read at full speed")] if is_rate_unused and "stream_rate" in content else []
    if content.get("dependency_graph_flag") and command != "run":
        found.append(("dependency_graph_flag", "only `holdsfor run` draws the dependency graph of a configuration"))
    if not content.get("dependency_graph_flag"):
        unasked = [key for key in ("dependency_graph_directory", "include_input") if key in content]
        found += [(key, "`dependency_graph_flag` is not set") for key in unasked]
    return found + [(key, why) for key, why in _WITHOUT_EFFECT.items() if key in content]


def _note(key: str, why: str) -> Diagnostic:
    return Diagnostic("HF724", f"`{key}` has no effect: {why}")
