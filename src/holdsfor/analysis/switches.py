"""Named parts of the compiler, some of which can be switched off for tests and for debugging."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from holdsfor.errors import Diagnostic, UsageProblem, did_you_mean

__all__ = ["Switchable", "check_switches"]


class Switchable(Protocol):
    """A part of the compiler. `required` is the reason why the part cannot be switched off, or empty."""

    @property
    def name(self) -> str: ...
    @property
    def required(self) -> str: ...


def check_switches(without: Iterable[str], parts: Sequence[Switchable]) -> frozenset[str]:
    """The names of the parts to switch off; a `UsageProblem` for an unknown name or a required part."""
    known = {part.name: part.required for part in parts}
    optional = [name for name, required in known.items() if not required]
    names = frozenset(without)
    for name in sorted(names):
        listed = f"these can be switched off: {', '.join(f'`{each}`' for each in optional)}"
        if name not in known:
            suggested = did_you_mean(name, optional)
            hint = listed if suggested is None else f"{suggested} {listed}"
            raise UsageProblem(Diagnostic("HF743", f"`{name}` is not a rewrite or a pass of the compiler", hint=hint))
        if known[name]:
            raise UsageProblem(Diagnostic("HF743", f"`{name}` cannot be switched off: {known[name]}", hint=listed))
    return names
