"""Delta Lake for the tests: an environment of its own, with the newest Spark that Delta Lake is published for.

The environment comes from PyPI, the jars from Maven Central, both into a cache.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.apps.data import ROOT
from tests.spark import maven
from tests.spark.environments import interpreter_with
from tests.spark.kafka import job_environment

__all__ = ["configuration", "python", "rows", "why_not"]

SPARK = "4.2.0"
DELTA = ("io.delta", "delta-spark_4.2_2.13", "4.4.0")


def why_not() -> str | None:
    """The reason why Delta Lake cannot be tested here, if any."""
    try:
        return maven.why_not() or (None if jars() and python() else "Delta Lake has no jars")
    except (OSError, subprocess.SubprocessError) as problem:
        return f"Delta Lake cannot be installed: {problem}"


def jars() -> list[Path]:
    """The jars of Delta Lake without those that Spark has."""
    return maven.copied_jars(f"delta-{DELTA[2]}", DELTA, "-DincludeGroupIds=io.delta,io.unitycatalog")


def python() -> Path:
    """The interpreter of the environment."""
    return interpreter_with(f"spark-{SPARK}", f"pyspark=={SPARK}", "numpy", "pyarrow", "pandas<3")


def configuration() -> dict[str, str]:
    """The settings of a session that writes and reads tables."""
    return {
        "spark.jars": ",".join(map(str, jars())),
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.driver.memory": "1g",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.ui.enabled": "false",
    }


def rows(*paths: Path) -> list[list[dict[str, Any]]]:
    """The rows of each table."""
    command = [str(python()), "-m", "tests.spark.delta_rows", json.dumps(configuration()), *map(str, paths)]
    environment = job_environment(python())
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600)
    return [json.loads(line) for line in done.stdout.splitlines()[-len(paths) :]]
