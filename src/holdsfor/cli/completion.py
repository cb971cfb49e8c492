"""`holdsfor completion`: a script that completes commands and options in bash, zsh or fish.

The script is made from the parser of the command line and has all commands, options and choices as text. Nothing of
holdsfor runs when the shell completes a word.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from holdsfor.cli.options.arguments import Commands, add_command

__all__ = ["CommandWords", "Flag", "add_parser", "command_words", "script"]

_FILES = ("FILE", "FOLDER", "DIR", "INPUT", "PICTURE", "PLACE", "RESULTS")


@dataclass(frozen=True)
class Flag:
    """An option of a command: its spellings, its help, and the words that may follow it."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    takes_files: bool
    choices: tuple[str, ...]


@dataclass(frozen=True)
class CommandWords:
    """A command (`spark run` has two words) with its options, and the words that may follow it."""

    words: tuple[str, ...]
    help: str
    flags: tuple[Flag, ...]
    following: tuple[str, ...]
    takes_files: bool


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "completion",
        "write a script that completes commands and options in a shell",
        "holdsfor completion bash > ~/.local/share/bash-completion/completions/holdsfor",
    )
    parser.add_argument("shell", choices=tuple(_SCRIPTS), metavar="SHELL", help=", ".join(_SCRIPTS))
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.cli.main import command_line

    sys.stdout.write(script(options.shell, command_line()))
    return 0


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """The script of a shell."""
    return _SCRIPTS[shell](list(command_words(parser)))


def command_words(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = (), about: str = ""
) -> Iterator[CommandWords]:
    """The commands of a parser, each after the command that it belongs to."""
    flags: list[Flag] = []
    following: list[str] = []
    takes_files = False
    inner: list[tuple[str, str, argparse.ArgumentParser]] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {each.dest: each.help or "" for each in action._choices_actions}
            inner += [(name, helps.get(name, ""), each) for name, each in action.choices.items()]
            following += action.choices
        elif action.option_strings:
            flags.append(_flag(action))
        elif action.choices:
            following += map(str, action.choices)
        else:
            takes_files = takes_files or action.metavar in _FILES
    yield CommandWords(words, about, tuple(flags), tuple(following), takes_files)
    for name, help_text, each in inner:
        yield from command_words(each, (*words, name), help_text)


def _flag(action: argparse.Action) -> Flag:
    choices = tuple(map(str, action.choices or ()))
    takes_value = action.nargs != 0
    names = tuple(name for name in action.option_strings)
    return Flag(names, action.help or "", takes_value, takes_value and action.metavar in _FILES, choices)


# bash


def _bash(commands: list[CommandWords]) -> str:
    lines = ["_holdsfor() {", '    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=""']
    lines += [
        "    local word",
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '        case "$command $word" in',
    ]
    for command in commands[1:]:
        before = " ".join(command.words[:-1])
        lines.append(f'            "{before} {command.words[-1]}") command="{" ".join(command.words)}" ;;')
    lines += ["        esac", "    done", '    case "$command $prev" in']
    for command in commands:
        for flag in command.flags:
            if flag.takes_value:
                names = " | ".join(f'"{" ".join(command.words)} {name}"' for name in flag.names)
                lines.append(f"        {names}) {_bash_values(flag)} return ;;")
    lines += ["    esac", '    case "$command" in']
    for command in commands:
        options = " ".join(name for flag in command.flags for name in flag.names)
        words = " ".join(command.following)
        lines.append(f'        "{" ".join(command.words)}")')
        lines.append(f'            if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "{options}" -- "$cur"))')
        if words:
            lines.append(f'            else COMPREPLY=($(compgen -W "{words}" -- "$cur"))')
        elif command.takes_files:
            lines.append('            else COMPREPLY=($(compgen -f -- "$cur"))')
        lines.append("            fi ;;")
    return "\n".join([*lines, "    esac", "}", "complete -o filenames -F _holdsfor holdsfor", ""])


def _bash_values(flag: Flag) -> str:
    if flag.choices:
        return f'COMPREPLY=($(compgen -W "{" ".join(flag.choices)}" -- "$cur"));'
    return 'COMPREPLY=($(compgen -f -- "$cur"));' if flag.takes_files else "COMPREPLY=();"


# zsh


def _zsh(commands: list[CommandWords]) -> str:
    lines = [
        "#compdef holdsfor",
        "",
        "_holdsfor() {",
        "    local -a commands",
        '    local command=""',
        "    local word",
    ]
    lines += ['    for word in "${words[@]:1:$((CURRENT-2))}"; do', '        case "$command $word" in']
    for command in commands[1:]:
        before = " ".join(command.words[:-1])
        lines.append(f'            "{before} {command.words[-1]}") command="{" ".join(command.words)}" ;;')
    lines += ["        esac", "    done", '    case "$command" in']
    for command in commands:
        lines.append(f'        "{" ".join(command.words)}")')
        inner = [each for each in commands if each.words[:-1] == command.words and each.words]
        if inner:
            listed = " ".join(_zsh_quoted(f"{each.words[-1]}:{_zsh_text(each.help)}") for each in inner)
            lines += [f"            commands=({listed})"]
        specs = [_zsh_spec(flag, name) for flag in command.flags for name in flag.names]
        if inner:
            specs.append("'*::command:{_describe command commands}'")
        elif command.following:
            specs.append(_zsh_quoted(f"*:word:({' '.join(command.following)})"))
        elif command.takes_files:
            specs.append("'*:file:_files'")
        lines.append("            _arguments " + " \\\n                ".join(specs) + " ;;")
    return "\n".join([*lines, "    esac", "}", "", "compdef _holdsfor holdsfor", ""])


def _zsh_spec(flag: Flag, name: str) -> str:
    spec = f"*{name}[{_zsh_text(flag.help)}]"
    if flag.choices:
        spec += f":value:({' '.join(flag.choices)})"
    elif flag.takes_value:
        spec += ":file:_files" if flag.takes_files else ":value: "
    return _zsh_quoted(spec)


def _zsh_text(text: str) -> str:
    """A help text without the characters that separate the parts of a specification."""
    plain = text.replace("%%", "%").replace("`", "")
    return "".join({":": ";", "[": "(", "]": ")", "\\": "/"}.get(c, c) for c in plain)


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# fish


def _fish(commands: list[CommandWords]) -> str:
    lines = ["complete -c holdsfor -f"]
    for command in commands:
        condition = _fish_condition(command, commands)
        inner = {each.words[-1]: each.help for each in commands if each.words and each.words[:-1] == command.words}
        for word in command.following:
            about = f" -d {_fish_quoted(inner[word])}" if word in inner else ""
            lines.append(f"complete -c holdsfor -n {condition} -a {_fish_quoted(word)}{about}")
        if command.takes_files:
            lines.append(f"complete -c holdsfor -n {condition} -F")
        lines += [f"complete -c holdsfor -n {condition} {_fish_flag(flag)}" for flag in command.flags]
    return "\n".join([*lines, ""])


def _fish_condition(command: CommandWords, commands: list[CommandWords]) -> str:
    """The condition that a command line has the words of the command, and no further command."""
    tests = [f"__fish_seen_subcommand_from {word}" for word in command.words]
    inner = [each.words[-1] for each in commands if each.words and each.words[:-1] == command.words]
    if inner:
        tests.append(f"not __fish_seen_subcommand_from {' '.join(inner)}")
    if len(command.words) == 1:
        others = sorted({each.words[0] for each in commands if len(each.words) > 1} - {command.words[0]})
        tests += [f"not __fish_seen_subcommand_from {word}" for word in others]
    return _fish_quoted("; and ".join(tests))


def _fish_flag(flag: Flag) -> str:
    spelled = [f"-s {name[1:]}" if len(name) == 2 else f"-l {name.removeprefix('--')}" for name in flag.names]
    value = ""
    if flag.choices:
        value = f" -x -a {_fish_quoted(' '.join(flag.choices))}"
    elif flag.takes_value:
        value = " -r -F" if flag.takes_files else " -x"
    return f"{' '.join(spelled)}{value} -d {_fish_quoted(flag.help)}"


def _fish_quoted(text: str) -> str:
    escaped = text.replace("%%", "%").replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_SCRIPTS: dict[str, Callable[[list[CommandWords]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
