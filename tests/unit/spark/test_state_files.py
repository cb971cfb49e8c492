"""The files of a stream in object stores, and folders that cannot have them."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark.streaming.state_files import StateFiles, StreamFiles

LISTING = b"""<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Name>sea</Name><Prefix>state/holdsfor/</Prefix><KeyCount>1</KeyCount><IsTruncated>false</IsTruncated>
  <Contents>
    <Key>state/holdsfor/stream.json</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>5</Size>
  </Contents>
</ListBucketResult>"""


class Bucket(BaseHTTPRequestHandler):
    """Lists one file, as an object store does."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("x-amz-bucket-region", "eu-west-1")
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(LISTING)))
        self.end_headers()
        self.wfile.write(LISTING)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Print nothing."""


@pytest.fixture
def object_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Bucket) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ann")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sesame")
        yield
        server.shutdown()


@pytest.mark.usefixtures("object_store")
@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n"])
def test_a_bucket_has_the_files_of_a_stream_under_each_of_its_names(scheme: str) -> None:
    files = StreamFiles(f"{scheme}://sea/state/holdsfor")
    files.check()
    assert files.names("") == ["stream.json"]


def test_a_file_system_that_arrow_does_not_open_is_refused() -> None:
    with pytest.raises(HoldsforError, match=r"HF795.*cannot be kept in `wasb://sea/state`") as problem:
        StreamFiles("wasb://sea/state/holdsfor").check()
    assert "hint: give a local or mounted folder" in str(problem.value)


def test_a_message_names_the_checkpoint() -> None:
    files = StreamFiles("file:/home/holdsfor/state/holdsfor/rescaled")
    text = str(files.unwritable(OSError(errno.EROFS, "x")))
    assert "HF620]: the checkpoint `/home/holdsfor/state` cannot be written: Read-only file system" in text


def test_unfinished_files_of_earlier_micro_batches_are_deleted(tmp_path: Path) -> None:
    """A kill leaves them; one of the current micro-batch may belong to a task that still runs."""
    states = StateFiles(StreamFiles(str(tmp_path)), 1, 0)
    for batch in (3, 4):
        states.save(batch, b"state")
    folder = tmp_path / states.folder
    for name in (".000000000002.journal.5f", ".000000000004.state.a1", ".000000000005.state.b2", ".notes"):
        (folder / name).touch()
    assert states.before(5).snapshot == "000000000004.state"
    left = {path.name for path in folder.iterdir()}
    assert left == {"000000000004.state", ".000000000005.state.b2", ".notes"}
