"""Delta Lake for the tests: an environment of its own, with the newest Spark that Delta Lake is published for.

The environment comes from PyPI, the jars from Maven Central, both into a cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.apps.data import ROOT
from tests.spark import maven
from tests.spark.maven import CACHE

__all__ = ["job_environment", "python", "why_not"]

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
    folder = CACHE / f"spark-{SPARK}"
    if not folder.is_dir():
        beside = CACHE / f".spark-{os.getpid()}"
        subprocess.run([sys.executable, "-m", "venv", str(beside)], check=True, timeout=120, capture_output=True)
        install = [str(beside / "bin" / "python"), "-m", "pip", "install", "-q", f"pyspark=={SPARK}"]
        subprocess.run([*install, "numpy", "pyarrow", "pandas<3"], check=True, timeout=900, capture_output=True)
        beside.rename(folder)
    return folder / "bin" / "python"


def job_environment() -> dict[str, str]:
    """The environment of a program that writes tables of Delta Lake."""
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(python())}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment["HOLDSFOR_DELTA_JARS"] = ",".join(map(str, jars()))
    return environment
