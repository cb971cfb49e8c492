"""Locks on files and folders that one process may use at a time: checkpoints, spools, and the outputs of live runs.

The locks are those of the operating system, so a lock ends with the process that has it, however that ends.
"""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

__all__ = ["FileLock"]

_LOOK_SECONDS = 0.02


class FileLock:
    """A lock on a file or a folder, held until `release`, or until the process ends for any reason.

    `BlockingIOError` if another process, or another lock of this one, has it for longer than some seconds. Without
    a path, and on file systems and platforms without locks, there is none. A file that is not there is created.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     first = FileLock(folder)
    ...     FileLock(folder)
    Traceback (most recent call last):
    BlockingIOError: [Errno 11] Resource temporarily unavailable...
    """

    def __init__(self, path: str | Path | None, *, seconds: float = 0.0) -> None:
        self._descriptor: int | None = None
        if path is None:
            return
        flags = os.O_RDONLY if Path(path).is_dir() else os.O_RDWR | os.O_CREAT
        self._descriptor = os.open(path, flags, 0o666)
        until = time.monotonic() + seconds
        try:
            while not _is_locked(self._descriptor):
                if time.monotonic() > until:
                    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(path))
                time.sleep(_LOOK_SECONDS)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Let another one have the lock."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def __enter__(self) -> FileLock:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


def _is_locked(descriptor: int) -> bool:
    """Lock an open file, if no other open file has the lock; true where there are no locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return True
    return True
