"""The process from which Spark forks Python workers, with the packages of the workers already imported.

A new worker takes three seconds of processor time to import pandas, pyarrow and this package; a fork has them at once.
Spark runs this module as `spark.python.daemon.module`, on machines where this package is installed.
"""

from __future__ import annotations

__all__: list[str] = []


def _import_packages() -> None:
    """Import the packages that every task needs."""
    import pandas  # type: ignore[import-untyped]  # noqa: F401
    import pyspark.worker  # noqa: F401

    import holdsfor.spark.job.recognition
    import holdsfor.spark.output.result_rows  # noqa: F401


if __name__ == "__main__":
    from pyspark.daemon import manager

    _import_packages()
    manager()
