"""Atomic replacement by renames, for stores that have no transactions.

The old items keep a backup name until all new items have their final names, and are restored if a rename fails. If a
run is killed in between, the next run recovers: the last of several items is removed first and added last, so its
presence shows that the replacement was complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Store", "Swap", "recover", "swap"]


class Store(Protocol):
    """A store of named items, such as the folders of a file system or the tables of a catalogue."""

    def exists(self, name: str) -> bool: ...

    def rename(self, name: str, to: str) -> None:
        """Rename an item; an existing item of the new name is an error."""

    def drop(self, name: str) -> None:
        """Delete an item if it exists."""


@dataclass(frozen=True)
class Swap:
    """The final name of an item, the temporary name of the new item, and the backup name of the old item."""

    name: str
    beside: str
    before: str


def swap(store: Store, swaps: Sequence[Swap]) -> None:
    """Give the new items their final names; delete the old items when all renames have succeeded."""
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
    _drop_backups(store, swaps)


def recover(store: Store, swaps: Sequence[Swap]) -> None:
    """Complete or undo a replacement that was interrupted."""
    if store.exists(swaps[-1].name):
        _drop_backups(store, swaps)
        return
    for each in swaps:
        if store.exists(each.before):
            store.drop(each.name)
            store.rename(each.before, each.name)


def _drop_backups(store: Store, swaps: Sequence[Swap]) -> None:
    for each in swaps:
        store.drop(each.before)
