"""An option of some commands, as it is declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Command", "Group", "Kind", "Option"]

Command = Literal["run", "plan", "spark run", "spark prepare", "spark stream"]
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
    "duration or none",
    "integer",
    "rate",
    "bytes",
    "flag",
]
Group = Literal["rules", "input", "time and windows", "plan", "results", "logs", "live runs", "streams", "Apache Spark"]

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
