"""The parameters of RTEC's `defaults.toml`, and what they are here.

The names are those of section 6 of the manual, with those of later versions and of RTEC's own scripts. The input mode
`fifo` is a live run by the wall clock if an input is a named pipe, and a replay if all are files; `socket` is a replay
if all are files, else a live run that listens on a Unix socket, as RTEC does. `output_mode = "fifo"` writes to a named
pipe. Parameters without effect are told in a note; those that ask for something which cannot be done are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from holdsfor.cli.options.toml_file import TomlFile
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sources.column_mapping import LISTEN, SOCKET, split_mapping
from holdsfor.sources.socket_listener import is_served

__all__ = ["PARAMETERS", "Translation", "from_rtec"]

_OF_ITS_ENGINE = {
    "definition_optimisation": "rules are always optimised",
    "sde_batch": "records are read in batches of their own size",
    "dynamic_grounding_flag": "domains are as the rules declare them",
    "dynamic_grounding_threshold": "domains are as the rules declare them",
    "stream_order_flag": "records may come in any order",
    "preprocessing_flag": "rules do what preprocessing does",
    "forget_threshold": "what no window needs is forgotten",
}
"""Parameters of RTEC's own engine, and why they change nothing here."""

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
    **dict.fromkeys(_OF_ITS_ENGINE),
}
"""Each parameter of RTEC with the option it sets, if it sets one."""

_FLAGS = ("dependency_graph_flag", "include_input")


@dataclass
class Translation:
    """Options with their values, the parameter that each comes from, notes, a pipe to make, and the graph to draw."""

    values: dict[str, Any]
    names: dict[str, str]
    notes: list[Diagnostic] = field(default_factory=list)
    pipe: Path | None = None
    graph: Path | None = None
    include_input: bool = False


def from_rtec(content: dict[str, Any], file: TomlFile, table: str | None) -> Translation:
    """What a table of RTEC's says, in our words."""
    _check_modes(content, file, table)
    options = {key: option for key, option in PARAMETERS.items() if option and key in content}
    values = {option: content[key] for key, option in options.items()}
    if "results_directory" in content and isinstance(content["results_directory"], str):
        values["log"] = str(Path(content["results_directory"]) / f"{table or 'holdsfor'}-log.jsonl")
        suffix = "fifo" if content.get("output_mode") == "fifo" else "txt"
        values["output"] = str(Path(content["results_directory"]) / f"{table or 'holdsfor'}-intervals.{suffix}")
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
    translation.notes = [_note(key, why) for key, why in _without_effect(content)]
    return translation


def _live_options(content: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The options of a live run if there is a pipe or a socket among the inputs, else those of a replay."""
    given = content.get("input_providers", [])
    inputs = given if isinstance(given, list) else [given]
    rate = content.get("stream_rate", 1)
    if content["input_mode"] == "socket" and all(isinstance(each, str) for each in inputs):
        inputs = [_as_socket(each, folder) for each in inputs]
    if any(isinstance(each, str) and _is_live(each, folder) for each in inputs):
        return {"input": inputs, "live": True, "clock": "wall", "rate": rate}
    return {"replay": rate}


def _as_socket(given: str, folder: Path) -> str:
    """A path without a file as a socket: to connect to if a program listens there, else to listen on."""
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


def _without_effect(content: dict[str, Any]) -> list[tuple[str, str]]:
    """The parameters that are given and change nothing, and why."""
    is_rate_unused = "stream_rate" in content and content.get("input_mode", "csv") == "csv"
    found = [("stream_rate", "files are read as fast as they can be")] if is_rate_unused else []
    if not content.get("dependency_graph_flag"):
        unasked = [key for key in ("dependency_graph_directory", "include_input") if key in content]
        found += [(key, "no dependency graph is asked for") for key in unasked]
    return found + [(key, why) for key, why in _OF_ITS_ENGINE.items() if key in content]


def _note(key: str, why: str) -> Diagnostic:
    return Diagnostic("HF724", f"`{key}` has no effect: {why}")
