"""`--config`: the options of a run from a TOML file.

    rules = ["rules.prolog"]
    input = ["trips.csv: happensAt(speed(vehicle, kmh), ts)"]
    window = "2h"

A key is an option of `run`, and `rules` are the files before the options. A file with tables has an application in
each, and `--app` says which. Tables of RTEC's `defaults.toml` are taken as they are (`holdsfor.cli.rtec_parameters`).
Paths are meant from the folder of the file. What stands on the command line comes before what stands in the file.
"""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from holdsfor.cli.options.durations import duration, rate
from holdsfor.cli.options.rtec_parameters import PARAMETERS, from_rtec
from holdsfor.cli.options.toml_file import TomlFile, read_toml
from holdsfor.errors import Diagnostic, UsageProblem, did_you_mean, printable
from holdsfor.sources.column_mapping import LISTEN, SOCKET, split_mapping

__all__ = ["KEYS", "accept_config", "fill_in", "without"]

Kind = Literal["path", "paths", "inputs", "texts", "text", "time", "duration", "integer", "rate", "flag"]

KEYS: dict[str, Kind] = {
    "rules": "paths",
    "input": "inputs",
    "input_format": "text",
    "time_unit": "text",
    "background": "paths",
    "goal": "texts",
    "engine": "text",
    "start": "time",
    "end": "time",
    "tick": "integer",
    "window": "duration",
    "step": "duration",
    "allen_memory": "duration",
    "report": "text",
    "final": "flag",
    "merge_windows": "flag",
    "format": "text",
    "times": "text",
    "output": "path",
    "timeline": "paths",
    "stats": "path",
    "log": "path",
    "set_aside": "path",
    "strict": "flag",
    "live": "flag",
    "clock": "text",
    "rate": "rate",
    "replay": "rate",
}
"""Every option of `run`, as a key of the file."""

_EXPECTED: dict[Kind, str] = {
    "path": "a path",
    "paths": "a path or a list of paths",
    "inputs": "an input or a list of inputs",
    "texts": "text or a list of texts",
    "text": "text",
    "time": "an integer or a time",
    "duration": 'a duration such as 36000 or "2h"',
    "integer": "an integer",
    "rate": 'time-points per second such as 60 or "max"',
    "flag": "true or false",
}


@dataclass
class Application:
    """What a file says about an application: values by key, notes to tell, what to draw, folders and a pipe to make."""

    values: dict[str, Any]
    notes: list[Diagnostic] = field(default_factory=list)
    graph: Path | None = None
    include_input: bool = False
    folders: list[Path] = field(default_factory=list)
    pipe: Path | None = None


def accept_config(parser: argparse.ArgumentParser, choices: dict[str, tuple[str, ...]]) -> None:
    """Let options come from a file: what the command line leaves out is then filled in by `fill_in`."""
    parser.add_argument("--config", metavar="FILE", help="take options from a TOML file, or from RTEC's defaults.toml")
    parser.add_argument("--app", metavar="NAME", help="which application of the file, if it has several")
    defaults = {key: parser.get_default(_option(key)) for key in KEYS}
    parser.set_defaults(**{_option(key): None for key in KEYS}, defaults=defaults, choices=choices)


def _option(key: str) -> str:
    return "files" if key == "rules" else key


def fill_in(options: argparse.Namespace) -> Application:
    """Fill in what the command line leaves out: from the file, else the default. Returns what the file says."""
    if options.app is not None and options.config is None:
        message = f"`--app {printable(options.app)}` chooses an application of a file, and there is none"
        raise UsageProblem(Diagnostic("HF723", message, hint="name the file with `--config`"))
    app = Application({}) if options.config is None else _application(Path(options.config), options)
    for key in KEYS:
        if getattr(options, _option(key)) in (None, []):
            setattr(options, _option(key), app.values.get(key, options.defaults[key]))
    options.input = options.input or []
    if not options.files:
        raise without("rules", "a file with rules")
    return app


def without(what: str, wanted: str) -> UsageProblem:
    """The problem of a run that lacks something."""
    hint = f"give {wanted}, or a file that does with `--config`"
    return UsageProblem(Diagnostic("HF704", f"a run without {what}", hint=hint))


def _application(path: Path, options: argparse.Namespace) -> Application:
    file = read_toml(path)
    table = _chosen(file, options.app)
    content = file.data if table is None else file.data[table]
    is_rtec = any(key in PARAMETERS and key not in KEYS for key in content)
    known = PARAMETERS if is_rtec else KEYS
    for key in content:
        if key.replace("-", "_") not in known:
            listed = ", ".join(f"`{each}`" for each in known)
            hint = did_you_mean(key, known) or f"the keys are {listed}"
            message, span = f"no option is called `{key}`", file.key_span(table, key)
            raise UsageProblem(Diagnostic("HF721", message, span, hint, str(file.path)))
    if is_rtec:
        return _translated(content, file, table, options)
    return Application(_checked({key.replace("-", "_"): v for key, v in content.items()}, file, table, options))


def _chosen(file: TomlFile, app: str | None) -> str | None:
    """The table of the application, or None if the file has just one, without a table."""
    tables = [key for key, value in file.data.items() if isinstance(value, dict)]
    listed = ", ".join(f"`{table}`" for table in tables) or "none"
    if not tables or len(tables) < len(file.data):
        if app is not None:
            raise _no_app(file, f"`{file.path}` has no tables to choose `{app}` from", "leave out `--app`")
        return None
    if app is None and len(tables) > 1:
        raise _no_app(file, f"`{file.path}` has {len(tables)} applications", f"choose with `--app`: {listed}")
    if app is not None and app not in tables:
        hint = did_you_mean(app, tables) or f"it has {listed}"
        raise _no_app(file, f"application `{app}` not found in `{file.path}`", hint)
    return app or tables[0]


def _no_app(file: TomlFile, message: str, hint: str) -> UsageProblem:
    return UsageProblem(Diagnostic("HF723", message, hint=hint, file=str(file.path)))


def _translated(content: dict[str, Any], file: TomlFile, table: str | None, options: argparse.Namespace) -> Application:
    translation = from_rtec(content, file, table)
    values = _checked(translation.values, file, table, options, translation.names)
    folders = [Path(path).parent for path in (values.get("output"), translation.graph) if path]
    return Application(
        values, translation.notes, translation.graph, translation.include_input, folders, translation.pipe
    )


# -- values ------------------------------------------------------------------------------------------------------------


def _checked(
    content: dict[str, Any],
    file: TomlFile,
    table: str | None,
    options: argparse.Namespace,
    names: dict[str, str] | None = None,
) -> dict[str, Any]:
    """The values as `argparse` would have them, with paths from the folder of the file; others are HF722.

    `names` are the names of keys in the file, where these are others.
    """
    values: dict[str, Any] = {}
    for key, value in content.items():
        name = (names or {}).get(key, key)
        span = file.key_span(table, name) or file.key_span(table, name.replace("_", "-"))
        if not _is(value, KEYS[key]):
            expected, found = _EXPECTED[KEYS[key]], _shown(value)
            message = f"expected {expected} as `{name}`, found {found}"
            raise UsageProblem(Diagnostic("HF722", message, span, file=str(file.path)))
        allowed = options.choices.get(key)
        if allowed and value not in allowed:
            hint = did_you_mean(value, allowed) or f"it can be {', '.join(f'`{each}`' for each in allowed)}"
            raise UsageProblem(Diagnostic("HF722", f"`{value}` is no {name.replace('_', ' ')}", span, hint))
        values[key] = _converted(value, KEYS[key], file.path.parent)
    return values


def _is(value: object, kind: Kind) -> bool:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    match kind:
        case "paths" | "inputs" | "texts":
            items = value if isinstance(value, list) else [value]
            return all(isinstance(item, str) for item in items)
        case "path" | "text":
            return isinstance(value, str)
        case "flag":
            return isinstance(value, bool)
        case "integer":
            return is_integer
        case "duration":
            return (is_integer or isinstance(value, str)) and _is_written(str(value), duration)
        case "rate":
            return (is_integer or isinstance(value, str | float)) and _is_written(str(value), rate)
    return is_integer or isinstance(value, str | datetime.date)


def _is_written(text: str, reader: Callable[[str], object]) -> bool:
    try:
        reader(text)
    except argparse.ArgumentTypeError:
        return False
    return True


def _shown(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case dict():
            return "a table"
        case list():
            return "a list"
    return f"`{value}`"


def _converted(value: Any, kind: Kind, folder: Path) -> Any:
    if kind == "path":
        return str(folder / value)
    if kind in ("paths", "inputs", "texts"):
        items = value if isinstance(value, list) else [value]
        return items if kind == "texts" else [_from_folder(item, folder) for item in items]
    if kind == "rate":
        return rate(str(value))
    return str(value) if kind in ("time", "duration") else value


def _from_folder(item: str, folder: Path) -> str:
    """A path, perhaps with a mapping behind it, from a folder; standard input is nowhere."""
    if item == "-":
        return item
    file, mapping = split_mapping(item)
    kind = next((prefix for prefix in (SOCKET, LISTEN) if file.startswith(prefix)), "")
    path = f"{kind}{folder / file.removeprefix(kind)}"
    return path if mapping is None else f"{path}: {mapping}"
