"""Something new in the place of something old, where things can be renamed but there are no transactions.

What was there waits under another name until everything new is in its place, and comes back if that fails. A run that
is killed in between leaves it waiting, and the next one finds it: of several things the last is taken away first and
comes last, so its presence tells whether the exchange was complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Store", "Swap", "recover", "swap"]


class Store(Protocol):
    """Where things have names."""

    def exists(self, name: str) -> bool: ...

    def rename(self, name: str, to: str) -> None:
        """Give a thing another name; that there is something of this name already is an error."""

    def drop(self, name: str) -> None:
        """Delete a thing, if it is there."""


@dataclass(frozen=True)
class Swap:
    """A name, under which name the new thing is now, if there is one, and under which the old one is to wait."""

    name: str
    beside: str
    before: str


def swap(store: Store, swaps: Sequence[Swap]) -> None:
    """Put what is beside in its place; what was there is deleted when all of that has worked."""
    moved: list[Swap] = []
    try:
        for each in reversed(swaps):
            if store.exists(each.name):
                store.rename(each.name, each.before)
        for each in swaps:
            if store.exists(each.beside):
                store.rename(each.beside, each.name)
                moved.append(each)
    except BaseException:
        for each in reversed(moved):
            store.rename(each.name, each.beside)
        recover(store, swaps)
        raise
    _forget(store, swaps)


def recover(store: Store, swaps: Sequence[Swap]) -> None:
    """Put right what an exchange that did not come to its end has left."""
    if store.exists(swaps[-1].name):
        _forget(store, swaps)
        return
    for each in swaps:
        if store.exists(each.before):
            store.drop(each.name)
            store.rename(each.before, each.name)


def _forget(store: Store, swaps: Sequence[Swap]) -> None:
    for each in swaps:
        store.drop(each.before)
