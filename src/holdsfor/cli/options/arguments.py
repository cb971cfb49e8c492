"""Commands and their options as `argparse` parsers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, TypeAlias

from holdsfor.cli.options.byte_sizes import byte_size
from holdsfor.cli.options.declarations import Command, Kind, Option, options_of
from holdsfor.cli.options.durations import duration_or_none, duration_text, rate

__all__ = ["Commands", "add_command", "add_options", "add_rule_files"]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_TYPES: dict[Kind, Callable[[str], Any]] = {
    "integer": int,
    "duration": duration_text,
    "duration or none": duration_or_none,
    "rate": rate,
    "bytes": byte_size,
}


def add_command(commands: Commands, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """Add a command whose `--help` ends with an example."""
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_rule_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rules", nargs="+", metavar="FILE", help="file with rules or background knowledge")


def add_options(parser: argparse.ArgumentParser, command: Command) -> None:
    """Add the declared options of a command.

    An option that the command line does not give is None until `holdsfor.cli.options.config.fill_in`.
    """
    groups: dict[str, argparse._ArgumentGroup] = {}
    for option in options_of(command):
        if option.group not in groups:
            groups[option.group] = parser.add_argument_group(option.group)
        names = [option.name] if option.is_positional else [*filter(None, [option.short]), option.flag]
        groups[option.group].add_argument(*names, help=_help(option), **_parsing(option))


def _help(option: Option) -> str:
    default = option.shown_default
    shown = option.help if default is None else f"{option.help} (default: {default})"
    return shown.replace("%", "%%")


def _parsing(option: Option) -> dict[str, Any]:
    """How `argparse` reads an option."""
    if option.is_positional:
        return {"nargs": "*", "metavar": option.metavar}
    if option.kind == "flag":
        return {"action": argparse.BooleanOptionalAction, "default": None}
    found: dict[str, Any] = {"metavar": option.metavar, "choices": option.choices, "type": _TYPES.get(option.kind, str)}
    if option.is_list:
        found |= {"nargs": "+", "action": "extend"} if option.takes_several else {"action": "append"}
    return found
