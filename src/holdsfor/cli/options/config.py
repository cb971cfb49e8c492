"""`--config`: options from a TOML file.

    rules = ["rules.prolog"]
    input = ["trips.csv: happensAt(speed(vehicle, kmh), ts)"]
    window = "2h"

The keys are the names of the declared options (`holdsfor.cli.options.declarations`). One file serves `run`, `plan` and
`spark run`: a command ignores the options of the other commands. If a file has tables, each table is an application,
and `--app` chooses one. A table with the parameters of RTEC's `defaults.toml` is translated
(`holdsfor.cli.options.rtec_parameters`). Relative paths start at the folder of the file. The command line has
precedence over the file.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from holdsfor.cli.options.declarations import CONFIGURABLE, KEYS, Command, Option, options_of
from holdsfor.cli.options.misplaced_rules import take_rules_from_inputs
from holdsfor.cli.options.rtec_parameters import PARAMETERS, Translation, from_rtec
from holdsfor.cli.options.toml_file import TomlFile, read_toml
from holdsfor.cli.options.toml_values import EXPECTED, converted, is_of_kind, shown_value
from holdsfor.errors import Diagnostic, UsageProblem, did_you_mean, printable
from holdsfor.syntax.source import Span

__all__ = ["Application", "fill_in", "is_given", "missing"]


_USUAL_FILES = ("holdsfor.toml", "defaults.toml")
_LISTED_FILES = " and ".join(f"`{name}`" for name in _USUAL_FILES)


@dataclass
class Application:
    """An application in a configuration file.

    `values` are the options by name. A file of RTEC's may also have `notes` to print, `folders` and a `pipe` to create,
    and a dependency `graph` to draw.
    """

    values: dict[str, Any] = field(default_factory=dict)
    notes: list[Diagnostic] = field(default_factory=list)
    graph: Path | None = None
    include_input: bool = False
    folders: list[Path] = field(default_factory=list)
    pipe: Path | None = None


def fill_in(options: argparse.Namespace, command: Command) -> Application:
    """Complete the options of the command line from the configuration file, then with the defaults.

    Returns the application of the file, or an empty one. A required option that is still missing is HF704.
    """
    take_rules_from_inputs(options)
    app = _application(options, command) if command in CONFIGURABLE else Application()
    for option in options_of(command):
        if option.name == "time_unit":
            options.given_time_unit = getattr(options, option.name) or app.values.get(option.name)
        if not is_given(options, option.name):
            setattr(options, option.name, app.values.get(option.name, option.initial))
        if option.required and not getattr(options, option.name):
            raise missing(option.name, option.required, command)
    return app


def is_given(options: argparse.Namespace, name: str) -> bool:
    """Whether the command line gives an option; before `fill_in`."""
    return getattr(options, name) not in (None, [])


def missing(name: str, wanted: str, command: Command) -> UsageProblem:
    """The error of a command that lacks a required option."""
    elsewhere = f", or `--config` with a file that has `{name}`" if command in CONFIGURABLE else ""
    return UsageProblem(Diagnostic("HF704", f"`{command}` has no {name}", hint=f"give {wanted}{elsewhere}"))


def _application(options: argparse.Namespace, command: Command) -> Application:
    if options.config is None and options.app is not None:
        options.config = next((name for name in _USUAL_FILES if Path(name).is_file()), None)
        if options.config is None:
            message = f"`--app {printable(options.app)}` needs a configuration file"
            hint = f"name the file with `--config`; {_LISTED_FILES} in the current folder need not be named"
            raise UsageProblem(Diagnostic("HF723", message, hint=hint))
    if options.config is None:
        return Application()
    file = read_toml(Path(options.config))
    return _Reader(file, _chosen_table(file, options.app), options, command).application()


def _chosen_table(file: TomlFile, app: str | None) -> str | None:
    """The name of the application's table, or None if the file has no tables."""
    tables = [key for key, value in file.data.items() if isinstance(value, dict)]
    listed = ", ".join(f"`{table}`" for table in tables)
    if not tables or len(tables) < len(file.data):
        if app is not None:
            raise _no_app(file, f"`{file.path}` has no tables to choose `{app}` from", "leave out `--app`")
        return None
    if app is None and len(tables) > 1:
        raise _no_app(file, f"`{file.path}` has {len(tables)} applications", f"choose with `--app`: {listed}")
    if app is not None and app not in tables:
        hint = did_you_mean(app, tables) or f"the applications are {listed}"
        raise _no_app(file, f"application `{app}` not found in `{file.path}`", hint)
    return app or tables[0]


def _no_app(file: TomlFile, message: str, hint: str) -> UsageProblem:
    return UsageProblem(Diagnostic("HF723", message, hint=hint, file=str(file.path)))


@dataclass(frozen=True)
class _Reader:
    """Reads the options of a command from a table of a file, or from a file without tables."""

    file: TomlFile
    table: str | None
    options: argparse.Namespace
    command: Command

    def application(self) -> Application:
        content = self.file.data if self.table is None else self.file.data[self.table]
        is_rtec = any(key in PARAMETERS and key not in KEYS for key in content)
        self._refuse_unknown_keys(content, [*PARAMETERS] if is_rtec else [*KEYS])
        if is_rtec:
            return self._translated(from_rtec(content, self.file, self.table, self.command))
        return Application(self._values({key.replace("-", "_"): value for key, value in content.items()}, {}))

    def _refuse_unknown_keys(self, content: dict[str, Any], known: list[str]) -> None:
        for key in content:
            if key.replace("-", "_") not in known:
                hint = did_you_mean(key, known) or f"the keys are {', '.join(f'`{each}`' for each in known)}"
                span = self.file.key_span(self.table, key)
                raise UsageProblem(Diagnostic("HF721", f"option `{key}` not found", span, hint, str(self.file.path)))

    def _translated(self, translation: Translation) -> Application:
        values = self._values(translation.values, translation.names)
        folders = [Path(path).parent for path in (values.get("output"), values.get("log"), translation.graph) if path]
        return Application(
            values, translation.notes, translation.graph, translation.include_input, folders, translation.pipe
        )

    def _values(self, content: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
        """The values that the command line does not give, as `argparse` would read them.

        `names` has the keys of the file, where they differ from the names of the options.
        """
        declared = {option.name: option for option in options_of(self.command) if option.is_key}
        used = [name for name in content if name in declared and not is_given(self.options, name)]
        folder = self.file.path.parent
        has_tables = "table" in (self.options.input_format, content.get("input_format"))
        for name in used:
            self._check(declared[name], content[name], names.get(name, name))
        kinds = {name: declared[name].kind for name in used}
        if has_tables and "input" in kinds:
            kinds["input"] = "texts"
        return {name: converted(content[name], kind, folder) for name, kind in kinds.items()}

    def _check(self, option: Option, value: Any, name: str) -> None:
        """Refuse a value of the wrong kind or not among the choices: HF722."""
        if not is_of_kind(value, option.kind):
            message = f"expected {EXPECTED[option.kind]} as `{name}`, found {shown_value(value)}"
            raise UsageProblem(Diagnostic("HF722", message, self._span(name), file=str(self.file.path)))
        for each in value if isinstance(value, list) else [value]:
            if option.choices and each not in option.choices:
                *others, last = (f"`{choice}`" for choice in option.choices)
                message = f"expected {', '.join(others)} or {last} as `{name}`, found `{each}`"
                raise UsageProblem(Diagnostic("HF722", message, self._span(name), did_you_mean(each, option.choices)))

    def _span(self, name: str) -> Span | None:
        return self.file.key_span(self.table, name) or self.file.key_span(self.table, name.replace("_", "-"))
