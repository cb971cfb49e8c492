"""The pages about commands list the options that the commands have."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator

import pytest

from holdsfor.cli.main import command_line
from holdsfor.cli.options.declarations import CONFIGURABLE, OPTIONS, Option
from tests.docs.console import ROOT

PAGE = ROOT / "docs" / "options.md"
OTHERS = ROOT / "docs" / "commands.md"

INTRODUCTION = """# Options

The options of `holdsfor run`, `plan`, `spark run`, `spark prepare` and `spark stream`. An option without a default does
nothing unless it is given. Durations are numbers of time-points, or written as `90s`, `30m`, `2h`, `1d`.

`run`, `plan` and `spark run` also read options from a [configuration file](commands.md#from-a-file). The key of an
option is its name without the leading hyphens; hyphens and underscores in a key are equal. `rules` is the key of the
rule files. A switch is `true` or `false` in the file; on the command line, `--no-…` switches it off. Options marked
\\* have no key.
"""


def commands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command with its parser."""
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        yield name, parser
    for action in inner:
        for each, command in action.choices.items():
            yield from commands(command, f"{name} {each}".strip())


COMMANDS = dict(commands(command_line()))


def _page() -> str:
    """The page as it must be: one table for each group, one line for each declaration."""
    parts = [INTRODUCTION]
    for group in dict.fromkeys(option.group for option in OPTIONS):
        rows = [_row(option) for option in OPTIONS if option.group == group]
        title = group[0].upper() + group[1:]
        parts.append(f"\n## {title}\n\n| option | commands | default | meaning |\n|---|---|---|---|\n" + "".join(rows))
    return "".join(parts)


def _row(option: Option) -> str:
    names = option.metavar or "" if option.is_positional else f"{option.flag} {option.metavar or ''}".strip()
    shown = f"`{names}`" + (f", `{option.short}`" if option.short else "") + ("" if option.is_key else " \\*")
    choices = f" ({', '.join(f'`{choice}`' for choice in option.choices)})" if option.choices else ""
    commands = ", ".join(f"`{command}`" for command in option.commands)
    return f"| {shown} | {commands} | {option.shown_default or ''} | {option.help}{choices} |\n"


def test_the_page_of_options_has_every_declared_option() -> None:
    page = _page()
    if os.environ.get("HOLDSFOR_UPDATE_GOLDEN"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_in_the_help_of_a_command_is_documented(command: str) -> None:
    documented = PAGE.read_text(encoding="utf-8") + OTHERS.read_text(encoding="utf-8")
    known = set(re.findall(r"--[a-z-]+", documented)) | {"--help"}
    flags = {flag for action in COMMANDS[command]._actions for flag in action.option_strings if flag.startswith("--")}
    assert {flag for flag in flags if not flag.startswith("--no-")} - known == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_can_be_shown(command: str) -> None:
    shown = COMMANDS[command].format_help()
    assert shown.startswith("usage: holdsfor ")
    assert "%%" not in shown


def test_only_declared_options_are_read_by_configurable_commands() -> None:
    for command in CONFIGURABLE:
        declared = {option.name for option in OPTIONS if command in option.commands}
        assert {action.dest for action in COMMANDS[command]._actions} - {"help"} == declared
