"""Marks in files: how far a file was read or written, and a digest of its bytes before that.

A run that continues compares each file with its mark. The digest covers the first and the last bytes before the mark,
so a file that was replaced, truncated or written again is recognised without reading all of it.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

__all__ = ["FileMark", "mark_of"]

_SAMPLE = 4096


@dataclass(frozen=True)
class FileMark:
    """A number of bytes from the beginning of a file, and the digest of samples of them."""

    length: int
    digest: str

    def change_of(self, descriptor: int) -> str | None:
        """How a file has changed before the mark, as the end of a sentence; None if it has not."""
        size = os.fstat(descriptor).st_size
        if size < self.length:
            return f"has {size} bytes, expected at least {self.length}"
        if mark_of(descriptor, self.length) != self:
            return f"has other content in its first {self.length} bytes"
        return None


def mark_of(descriptor: int, length: int) -> FileMark:
    """The mark of an open regular file at a length."""
    sample = min(length, _SAMPLE)
    parts = os.pread(descriptor, sample, 0), os.pread(descriptor, sample, length - sample)
    return FileMark(length, hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest())
