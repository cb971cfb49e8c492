"""The Python of the workers on this machine.

PySpark starts workers with `python3` from the search path. In an environment that is not activated this is another
interpreter, without this package.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from holdsfor.spark.cluster.connect import is_elsewhere

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["use_running_python"]

_DEFAULT = "python3"  # of PySpark


def use_running_python(spark: SparkSession) -> None:
    """Run workers on this machine in the Python of this process, unless another one is configured."""
    if "PYSPARK_PYTHON" in os.environ or is_elsewhere(spark):
        return
    context = spark.sparkContext
    if context.pythonExec == _DEFAULT:
        context.pythonExec = str(context.getConf().get("spark.pyspark.python", sys.executable))
