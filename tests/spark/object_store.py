"""A server of S3 for the tests, on this machine, and Hadoop's client for it.

The server is that of moto, from PyPI; the client has the version of Hadoop in Spark, from Maven Central. Both are in a
cache.
"""

from __future__ import annotations

import re
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyarrow import fs  # type: ignore[import-untyped]

from tests.spark import maven
from tests.spark.environments import interpreter_with
from tests.spark.kafka import free_port

__all__ = ["BUCKET", "ObjectStore", "running", "why_not"]

BUCKET = "sea"
REGION = "us-east-1"


@dataclass(frozen=True)
class ObjectStore:
    """A server with one bucket."""

    address: str

    @property
    def root(self) -> str:
        return f"s3a://{BUCKET}"

    @property
    def system(self) -> Any:
        """The file system of the server, for Arrow."""
        given = self.environment
        keys = {"access_key": given["AWS_ACCESS_KEY_ID"], "secret_key": given["AWS_SECRET_ACCESS_KEY"]}
        return fs.S3FileSystem(endpoint_override=self.address, region=REGION, **keys)

    @property
    def configuration(self) -> dict[str, str]:
        """The settings of Spark."""
        return {
            "spark.jars": ",".join(map(str, client_jars())),
            "spark.hadoop.fs.s3a.endpoint": self.address,
            "spark.hadoop.fs.s3a.endpoint.region": REGION,
            "spark.hadoop.fs.s3a.path.style.access": "true",
        }

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the driver and the workers."""
        return {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "ann",
            "AWS_SECRET_ACCESS_KEY": "sesame",
            "AWS_EC2_METADATA_DISABLED": "true",
        }


def why_not() -> str | None:
    """The reason why object stores cannot be tested here, if any."""
    if (reason := maven.why_not()) is not None:
        return reason
    try:
        client_jars()
        _server()
    except (OSError, subprocess.SubprocessError) as problem:
        return f"a server of S3 or its client cannot be installed: {problem}"
    return None


def client_jars() -> list[Path]:
    """The jars that a session of Spark needs for `s3a`."""
    import pyspark

    (bundled,) = (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-api-*.jar")
    found = re.fullmatch(r"hadoop-client-api-(.*)\.jar", bundled.name)
    assert found is not None
    version = found[1]
    return maven.copied_jars(f"s3a-{version}", ("org.apache.hadoop", "hadoop-aws", version))


def _server() -> list[str]:
    """The command of the server."""
    return [str(interpreter_with("moto-5", "moto[server]>=5,<6")), "-m", "moto.server", "-H", "127.0.0.1"]


@contextmanager
def running(folder: Path) -> Iterator[ObjectStore]:
    """A server with an empty bucket; its log goes to a folder."""
    port = free_port()
    store = ObjectStore(f"http://127.0.0.1:{port}")
    with (folder / "object_store.log").open("wb") as log:
        server = subprocess.Popen([*_server(), "-p", str(port)], stdout=log, stderr=log)
        try:
            _create_bucket(store, server)
            yield store
        finally:
            server.kill()
            server.wait()


def _create_bucket(store: ObjectStore, server: subprocess.Popen[bytes]) -> None:
    """Create the bucket as soon as the server answers."""
    request = urllib.request.Request(f"{store.address}/{BUCKET}", method="PUT")
    until = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(request, timeout=30).close()
            return
        except urllib.error.URLError:
            assert server.poll() is None, "the server of S3 has ended"
            assert time.monotonic() < until, "the server of S3 does not answer"
            time.sleep(0.2)
