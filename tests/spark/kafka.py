"""A real Kafka broker for the tests, and Spark's connector; both come from Maven Central into a cache.

The connector has the version of the installed PySpark, or the newest one before it that is published.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.apps.data import ROOT

__all__ = ["Broker", "Producer", "broker_jars", "connector_jars", "job_environment", "messages", "running", "why_not"]

CENTRAL = "https://repo1.maven.org/maven2"
CACHE = Path(os.environ.get("HOLDSFOR_JARS", Path.home() / ".cache" / "holdsfor-jars"))
BROKER = ("org.apache.kafka", "kafka_2.13", "4.1.0")
CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>holdsfor</groupId><artifactId>tests</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies><dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency></dependencies>
</project>
"""


def why_not() -> str | None:
    """The reason why Kafka cannot be tested here, if any."""
    if shutil.which("mvn") is None:
        return "mvn is not installed: apt install maven"
    try:
        connector_jars()
        broker_jars()
    except (OSError, subprocess.SubprocessError) as problem:
        return f"Kafka cannot be loaded from Maven Central: {problem}"
    return None


def broker_jars() -> list[Path]:
    """The jars of a broker."""
    folder = CACHE / f"broker-{BROKER[2]}"
    if not folder.is_dir():
        beside = CACHE / f".broker-{os.getpid()}"
        beside.mkdir(parents=True)
        (beside / "pom.xml").write_text(_POM.format(*BROKER), encoding="utf-8")
        command = [
            "mvn",
            "-q",
            "-B",
            "dependency:copy-dependencies",
            "-DoutputDirectory=jars",
            "-DincludeScope=runtime",
        ]
        subprocess.run(command, cwd=beside, check=True, timeout=300, capture_output=True)
        (beside / "jars").rename(folder)
        shutil.rmtree(beside)
    return sorted(folder.glob("*.jar"))


def connector_jars() -> list[Path]:
    """The jars that a session of Spark needs for topics."""
    import pyspark

    wanted = [
        ("org/apache/spark", "spark-sql-kafka-0-10_2.13", pyspark.__version__),
        ("org/apache/spark", "spark-token-provider-kafka-0-10_2.13", pyspark.__version__),
        ("org/apache/commons", "commons-pool2", "2.12.1"),
    ]
    clients = [path for path in broker_jars() if path.name.startswith("kafka-clients-")]
    return [*(_downloaded(*each) for each in wanted), *clients]


def _downloaded(group: str, name: str, version: str) -> Path:
    """The jar of the newest published version that is not after another one."""
    with urllib.request.urlopen(f"{CENTRAL}/{group}/{name}/maven-metadata.xml", timeout=30) as answer:
        published = re.findall(r"<version>(\d+(?:\.\d+)*)</version>", answer.read().decode())
    for each in sorted((each for each in published if _numbers(each) <= _numbers(version)), key=_numbers, reverse=True):
        path = CACHE / f"{name}-{each}.jar"
        try:
            if not path.exists():
                with urllib.request.urlopen(f"{CENTRAL}/{group}/{name}/{each}/{path.name}", timeout=120) as answer:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.with_suffix(".part").write_bytes(answer.read())
                path.with_suffix(".part").rename(path)
        except urllib.error.HTTPError:
            continue
        return path
    raise OSError(f"{name} {version} not found")


def _numbers(version: str) -> list[int]:
    return [int(each) for each in version.split(".")]


class Broker:
    """A broker in a process of its own; after `kill`, `start` continues with its topics and its address."""

    def __init__(self, folder: Path) -> None:
        self._ports = [_free_port(), _free_port()]
        self._properties, self._log = folder / "server.properties", folder / "broker.log"
        self._properties.write_text(_properties(folder, *self._ports), encoding="utf-8")
        format_logs = [*_java(), "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(self._properties)]
        subprocess.run(format_logs, check=True, capture_output=True)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._ports[0]}"

    def start(self) -> None:
        """Start the broker, and wait until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([*_java(), "kafka.Kafka", str(self._properties)], stdout=log, stderr=log)
        _wait_for(self._ports[0])

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()


@contextmanager
def running(folder: Path) -> Iterator[Broker]:
    """A broker that ends with the block."""
    broker = Broker(folder)
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()


class Producer:
    """Writes lines, each a partition, a blank and a message, to a topic that the broker creates."""

    def __init__(self, broker: str, topic: str) -> None:
        command = [sys.executable, "-m", "tests.spark.kafka_producer", broker, ",".join(map(str, connector_jars()))]
        self._process = subprocess.Popen(
            [*command, topic], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=job_environment(), cwd=ROOT
        )

    def __enter__(self) -> Producer:
        return self

    def __exit__(self, *problem: object) -> None:
        self._process.kill()
        self._process.communicate()

    def write(self, lines: list[str]) -> None:
        """Write lines; they are in the topic afterwards."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("".join(f"{line}\n" for line in [*lines, ""]))
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "written\n"


def messages(broker: str, topic: str) -> list[tuple[str, str]]:
    """The keys and values of all messages of a topic."""
    command = [sys.executable, "-m", "tests.spark.kafka_consumer", broker, ",".join(map(str, connector_jars())), topic]
    done = subprocess.run(command, env=job_environment(), cwd=ROOT, capture_output=True, text=True, check=True)
    return [(key, value) for key, value in map(json.loads, done.stdout.splitlines())]


def job_environment() -> dict[str, str]:
    """The environment of a job in a process of its own."""
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    return {**environment, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}


def _java() -> list[str]:
    """The command of a program of the broker."""
    java = f"{os.environ['JAVA_HOME']}/bin/java" if "JAVA_HOME" in os.environ else "java"
    return [java, "-Xmx400m", "-cp", os.pathsep.join(map(str, broker_jars()))]


def _properties(folder: Path, port: int, controller: int) -> str:
    return f"""process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/logs
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
num.partitions=2
"""


def _wait_for(port: int) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise AssertionError("the broker does not answer")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
