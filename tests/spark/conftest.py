"""One Spark session for all tests: a JVM takes seconds to start and half a gigabyte of memory."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.apps.data import ROOT
from tests.spark.postgresql import DRIVER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of a JVM that starts quickly; tests are short."""


WITHOUT_COMPILER = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""Settings without the compilation of queries, which takes longer than the queries of tests."""


def why_not() -> str | None:
    """The reason why Spark cannot be tested here, if any."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed: pip install 'holdsfor[spark]'"
    java_home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (java_home and os.access(f"{java_home}/bin/java", os.X_OK)):
        return "Java is not installed: apt install openjdk-17-jre-headless"
    return None


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    given = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []  # an empty entry is the current folder
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT), *given])
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.driver.memory": "1g",
        "spark.python.daemon.module": "holdsfor.spark.cluster.worker_daemon",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        **WITHOUT_COMPILER,
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    if DRIVER.exists():
        options["spark.jars"] = str(DRIVER)
    session = SparkSession.builder.master("local[2]").appName("holdsfor").config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("FATAL")
    yield session
    gateway: Any = session.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    gateway.proc.communicate()
