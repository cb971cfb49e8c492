"""Processes that keep the sessions of buckets between micro-batches, beside the Python workers of Spark.

Spark gives a task any Python worker, so a worker seldom gets the buckets that it had before. A *bucket process* gets
them every time: the tasks of an executor send the blocks of bucket `b` to process `b mod n` over a socket, and receive
the rows. There the session of the bucket is still in memory, and only the change is evaluated.

The state in files stays the truth. A process that has died, or cannot be started, costs time only: the task evaluates
the bucket itself, from the file. A process ends with the daemon of Spark that its tasks have, or when it is idle.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import os
import pickle
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from holdsfor.file_lock import FileLock
from holdsfor.parallel.exchange.shipped_rules import Inline, Rules
from holdsfor.parallel.stages.stream_buckets import StreamBucket
from holdsfor.python_process import environment_with_modules, python_command
from holdsfor.spark.exchange.shuffle_rows import by_bucket
from holdsfor.spark.streaming.bucket_steps import BucketStepTask, KeptBuckets
from holdsfor.spark.streaming.state_files import StreamFiles
from holdsfor.spark.streaming.stored_blocks import read_blocks, written_blocks

__all__ = ["DelegatedStepTask", "serve"]

_IDLE_SECONDS = 600.0
_LOOK_SECONDS = 5.0
_START_SECONDS = 60.0
_MOST_BUCKETS = 64  # of stages and streams whose rules a process has

_ROWS, _END, _UNKNOWN, _FAILED = b"rows", b"end", b"unknown", b"failed"


@dataclass(frozen=True)
class DelegatedStepTask:
    """A task that evaluates its buckets in `n_processes` bucket processes, or by itself without them."""

    task: BucketStepTask
    n_processes: int

    def __call__(self, batches: Any) -> Iterator[Any]:
        """The results of all buckets in the batches, as rows."""
        for number, shuffle_blocks in by_bucket(batches).items():
            yield from self.evaluated(number, shuffle_blocks)

    def evaluated(self, number: int, shuffle_blocks: Sequence[Any]) -> Iterator[Any]:
        """The results of a bucket, as rows."""
        found = self._delegated(number, shuffle_blocks) if self.n_processes else None
        yield from self.task.evaluated(number, shuffle_blocks) if found is None else found

    def _delegated(self, number: int, shuffle_blocks: Sequence[Any]) -> list[Any] | None:
        """All rows of a bucket from its process, or None if there is no such process."""
        try:
            folder = _folder(os.getppid())
            connected = None if folder is None else _connected(folder, number % self.n_processes)
            if connected is None:
                return None
            with connected as connection:
                return _answer(connection, self.task, number, shuffle_blocks)
        except (OSError, EOFError):
            return None


# -- messages ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Request:
    """A bucket of a task; the `bucket` function of the task is sent once, its `key` every time."""

    key: str
    files: StreamFiles
    batch: int
    previous: int | None
    last: int
    number: int


def _answer(
    connection: socket.socket, task: BucketStepTask, number: int, shuffle_blocks: Sequence[Any]
) -> list[Any] | None:
    bucket = task.bucket
    request = _Request(_key(task), task.files, task.batch, task.previous, task.last, number)
    _send(connection, pickle.dumps(request))
    _send(connection, written_blocks(shuffle_blocks))
    found: list[Any] = []
    while True:
        what = _received(connection)
        if what == _UNKNOWN:
            _send(connection, _pickled(bucket))
        elif what == _ROWS:
            found += read_blocks(_received(connection))
        elif what == _FAILED:
            raise pickle.loads(_received(connection))
        else:
            return found


def _key(task: BucketStepTask) -> str:
    """A digest of the folder of a stream and of everything that its results depend on: rules by their digest, buckets.

    A deleted checkpoint may be followed by another one in the same folder, with other settings.
    """
    return hashlib.blake2b(f"{task.files.root}\0{task.bucket!r}".encode(), digest_size=16).hexdigest()


class _BucketPickler(pickle.Pickler):
    """Writes rules with their programs: a broadcast variable is known to the workers of Spark only."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Rules) and not isinstance(obj.carrier, Inline):
            return replace(obj, carrier=Inline(obj.carrier.value)).__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        return NotImplemented


def _pickled(bucket: StreamBucket) -> bytes:
    sink = io.BytesIO()
    _BucketPickler(sink, pickle.HIGHEST_PROTOCOL).dump(bucket)
    return sink.getvalue()


def _send(connection: socket.socket, content: bytes) -> None:
    connection.sendall(struct.pack("<q", len(content)))
    connection.sendall(content)


def _received(connection: socket.socket) -> bytes:
    (n,) = struct.unpack("<q", _exactly(connection, 8))
    return bytes(_exactly(connection, n))


def _exactly(connection: socket.socket, n: int) -> bytearray:
    content = bytearray(n)
    view = memoryview(content)
    while len(view):
        n_read = connection.recv_into(view)
        if not n_read:
            raise EOFError("the other process has closed the connection")
        view = view[n_read:]
    return content


# -- the side of tasks -------------------------------------------------------------------------------------------------


def _folder(daemon: int) -> Path | None:
    """The folder with the sockets of an executor, which only this user can open; None if there cannot be one."""
    if not hasattr(socket, "AF_UNIX") or not hasattr(os, "getuid"):
        return None
    folder = Path(tempfile.gettempdir()) / f"holdsfor-{os.getuid()}-{daemon}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    is_own = found.st_uid == os.getuid() and not found.st_mode & 0o077 and folder.is_dir() and not folder.is_symlink()
    return folder if is_own else None


def _connected(folder: Path, number: int) -> socket.socket | None:
    """A connection to a bucket process, which is started if it does not run."""
    path = folder / f"{number}.socket"
    connection = _tried(path)
    if connection is not None:
        return connection
    if path in _WITHOUT_PROCESS:
        return None
    command = python_command("-c", f"import {__name__} as here; here.serve()", str(path), str(os.getppid()))
    STARTED[path] = process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment_with_modules()
    )
    began = time.monotonic()
    while time.monotonic() - began < _START_SECONDS:
        connection = _tried(path)
        if connection is not None:
            return connection
        if process.poll() is not None and process.returncode != _IS_RUNNING:
            break
        time.sleep(0.01)
    _WITHOUT_PROCESS.add(path)
    return None


STARTED: dict[Path, subprocess.Popen[bytes]] = {}
"""The bucket processes that this process has started, by their sockets."""

_WITHOUT_PROCESS: set[Path] = set()
"""The sockets whose processes cannot be started; this worker does not try again."""


def _tried(path: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        return None
    return connection


# -- the bucket process ------------------------------------------------------------------------------------------------

_IS_RUNNING = 3
"""The exit status of a process that finds another one at its socket."""


@dataclass
class _BucketProcess:
    """The sessions of a bucket process, and the functions of the stages whose rules it has."""

    kept: KeptBuckets = field(default_factory=KeptBuckets)
    buckets: dict[str, StreamBucket] = field(default_factory=dict)

    def answer(self, connection: socket.socket) -> None:
        """Evaluate the bucket of one request."""
        request: _Request = pickle.loads(_received(connection))
        shuffle_blocks = read_blocks(_received(connection))
        if request.key not in self.buckets:
            _send(connection, _UNKNOWN)
            while len(self.buckets) >= _MOST_BUCKETS:
                del self.buckets[next(iter(self.buckets))]
            self.buckets[request.key] = pickle.loads(_received(connection))
        bucket = self.buckets[request.key]
        task = BucketStepTask(bucket, request.files, request.batch, request.previous, request.last)
        try:
            for batch in task.evaluated(request.number, shuffle_blocks, self.kept):
                _send(connection, _ROWS)
                _send(connection, written_blocks([batch]))
        except OSError:
            raise
        except Exception as problem:
            _send(connection, _FAILED)
            _send(connection, pickle.dumps(problem))
        else:
            _send(connection, _END)


def serve() -> None:
    """The program of a bucket process; its arguments are the path of its socket and the daemon of Spark."""
    sys.exit(_served(Path(sys.argv[1]), int(sys.argv[2])))


def _served(path: Path, daemon: int) -> int:
    """Answer requests one after another, until the daemon of Spark has ended or there are none for a long time."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    locked = path.with_suffix(".lock")
    try:
        lock = FileLock(locked)
    except BlockingIOError:
        return _IS_RUNNING
    with lock, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        path.unlink(missing_ok=True)
        listener.bind(str(path))
        listener.listen()
        try:
            _answer_all(listener, daemon)
        finally:
            path.unlink(missing_ok=True)
            locked.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                path.parent.rmdir()
    return 0


def _answer_all(listener: socket.socket, daemon: int) -> None:
    gc.freeze()  # the modules: later collections look at the state only, so Python makes them often enough
    process, heard = _BucketProcess(), time.monotonic()
    while _is_running(daemon) and time.monotonic() - heard < _IDLE_SECONDS:
        if select.select([listener], [], [], _LOOK_SECONDS)[0]:
            connection = listener.accept()[0]
            with connection, contextlib.suppress(OSError, EOFError):
                process.answer(connection)
            heard = time.monotonic()


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
