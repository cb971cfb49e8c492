"""A real Kafka broker for the tests, and Spark's connector; both come from Maven Central into a cache.

The connector has the version of the installed PySpark, or the newest one before it that is published.
"""

from __future__ import annotations

import json
import os
import re
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
from tests.spark import maven
from tests.spark.maven import CACHE

__all__ = [
    "Broker",
    "Producer",
    "broker_jars",
    "connector_jars",
    "free_port",
    "job_environment",
    "messages",
    "running",
    "why_not",
]

CENTRAL = "https://repo1.maven.org/maven2"
BROKER = ("org.apache.kafka", "kafka_2.13", "4.1.0")
CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"


def why_not() -> str | None:
    """The reason why Kafka cannot be tested here, if any."""
    if (reason := maven.why_not()) is not None:
        return reason
    try:
        connector_jars()
        broker_jars()
    except (OSError, subprocess.SubprocessError) as problem:
        return f"Kafka cannot be loaded from Maven Central: {problem}"
    return None


def broker_jars() -> list[Path]:
    """The jars of a broker."""
    return maven.copied_jars(f"broker-{BROKER[2]}", BROKER, "-DincludeScope=runtime")


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
    """A broker in a process of its own; after `kill`, `start` continues with its topics and its address.

    The first broker is also the controller of the cluster, which others join.
    """

    def __init__(self, folder: Path, *, joins: Broker | None = None) -> None:
        self.node: int = 1 if joins is None else joins.node + 1
        self._port = free_port()
        self._controller: int = free_port() if joins is None else joins._controller
        self._properties, self._log = folder / f"server{self.node}.properties", folder / f"broker{self.node}.log"
        self._properties.write_text(self._settings(folder / f"logs{self.node}"), encoding="utf-8")
        format_logs = [*_java(), "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(self._properties)]
        subprocess.run(format_logs, check=True, capture_output=True)
        self._process: subprocess.Popen[bytes] | None = None

    def _settings(self, logs: Path) -> str:
        own, controller = f"PLAINTEXT://127.0.0.1:{self._port}", f"CONTROLLER://127.0.0.1:{self._controller}"
        is_first = self.node == 1
        return f"""process.roles={"broker,controller" if is_first else "broker"}
node.id={self.node}
listeners={f"{own},{controller}" if is_first else own}
advertised.listeners={own}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{self._controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={logs}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
num.partitions=2
"""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the broker, and wait until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([*_java(), "kafka.Kafka", str(self._properties)], stdout=log, stderr=log)
        _wait_for(self._port)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    @contextmanager
    def running(self) -> Iterator[Broker]:
        """The started broker, which ends with the block."""
        self.start()
        try:
            yield self
        finally:
            self.kill()


@contextmanager
def running(folder: Path) -> Iterator[Broker]:
    """A broker that ends with the block."""
    with Broker(folder).running() as broker:
        yield broker


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
        assert self._ask("".join(f"{line}\n" for line in [*lines, ""])) == "written"

    def create(self, topic: str, brokers: list[list[int]]) -> None:
        """Create a topic with a partition on each of the lists of brokers; the first broker of a list leads."""
        assert self._ask(f"create {topic} {json.dumps(brokers)}\n") == "created"

    def extend(self, topic: str, brokers: list[list[int]]) -> None:
        """Add partitions to a topic, each on a list of brokers."""
        assert self._ask(f"extend {topic} {json.dumps(brokers)}\n") == "extended"

    def leaders(self, topic: str) -> list[int]:
        """The broker that leads each partition."""
        found: list[int] = json.loads(self._ask(f"leaders {topic} []\n"))
        return found

    def delete(self, topic: str) -> None:
        """Delete a topic with its records."""
        assert self._ask(f"delete {topic} []\n") == "deleted"

    def _ask(self, what: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(what)
        self._process.stdin.flush()
        return self._process.stdout.readline().rstrip("\n")


def messages(broker: str, topic: str) -> list[tuple[str, str]]:
    """The keys and values of the committed messages of a topic."""
    command = [sys.executable, "-m", "tests.spark.kafka_consumer", broker, ",".join(map(str, connector_jars())), topic]
    done = subprocess.run(command, env=job_environment(), cwd=ROOT, capture_output=True, text=True, check=True)
    return [(key, value) for key, value in map(json.loads, done.stdout.splitlines())]


def job_environment(python: Path = Path(sys.executable)) -> dict[str, str]:
    """The environment of a job in a process of its own, with the given interpreter."""
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(python)}
    return {**environment, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}


def _java() -> list[str]:
    """The command of a program of the broker."""
    java = f"{os.environ['JAVA_HOME']}/bin/java" if "JAVA_HOME" in os.environ else "java"
    return [java, "-Xmx400m", "-cp", os.pathsep.join(map(str, broker_jars()))]


def _wait_for(port: int) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise AssertionError("the broker does not answer")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
